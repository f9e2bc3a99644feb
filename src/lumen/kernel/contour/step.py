"""A step's signature is its contract: what it reads, what it writes, which stores it may touch.

A step is a plain async function. Its parameters are slots written by earlier steps, things given
to every loop, or capabilities; its return type is the slot it writes. A loop that does not fit
together stops the import with a message that names the step. How steps are run is in run.py.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterator, Mapping
from dataclasses import dataclass, field
from inspect import iscoroutinefunction
from typing import get_type_hints

from lumen.core.errors import BadLoop, LumenError
from lumen.core.stores import Store
from lumen.kernel.contour.capabilities import CAPABILITIES
from lumen.kernel.contour.policy import Parameters, Policy
from lumen.kernel.contour.slots import GIVEN, Slot


class Skip(LumenError):
    """Raised by a step that has nothing to do; the reason is archived."""


Function = Callable[..., Awaitable[Slot]]


@dataclass(frozen=True, slots=True)
class Step:
    """A step as the loops see it."""

    name: str
    run: Function
    reads: tuple[tuple[str, type], ...]
    writes: type[Slot]
    stores: frozenset[Store]
    policy: Policy = field(default_factory=Policy)
    given: Mapping[type, Parameters] = field(default_factory=dict)  # the numbers it judges by
    shown: str = ""  # the word for whoever watches while it runs


def step(*stores: Store) -> Callable[[Function], Step]:
    """Make a step of an async function; `stores` are what its slot may propose to change."""

    def declare(function: Function) -> Step:
        if not iscoroutinefunction(function):
            raise BadLoop(f"step {function.__name__} must be an async function")
        try:
            hints = get_type_hints(function)
        except NameError as error:
            raise BadLoop(
                f"step {function.__name__}: of its types, {error}",
                fix="import what a step reads outside of `if TYPE_CHECKING`: the runner reads it too",
            ) from error
        writes = hints.pop("return", None)
        if not (isinstance(writes, type) and issubclass(writes, Slot)):
            raise BadLoop(f"step {function.__name__} must return a slot, not {writes}")
        try:
            writes()
        except TypeError as error:
            what = f"step {function.__name__}: {type_name(writes)} needs a default for every field"
            raise BadLoop(f"{what}: {error}") from error
        return Step(function.__name__, function, tuple(hints.items()), writes, frozenset(stores))

    return declare


@dataclass(frozen=True, slots=True)
class Beat:
    """A run of steps that leaves one kernel memory."""

    name: str
    steps: tuple[Step, ...]


@dataclass(frozen=True, slots=True)
class Loop:
    """A row of steps and what it may write; checked when it is made."""

    name: str
    grants: frozenset[Store]
    beats: tuple[Beat, ...] = ()

    def __post_init__(self) -> None:
        """Refuse a loop that does not fit together."""
        written: dict[type, str] = {}
        for one in self.steps():
            self._check_reads(one, written)
            self._check_writes(one, written)
            written[one.writes] = one.name

    def steps(self) -> Iterator[Step]:
        """Every step, in order."""
        for beat in self.beats:
            yield from beat.steps

    def _check_reads(self, one: Step, written: dict[type, str]) -> None:
        for _, wanted in one.reads:
            if wanted in GIVEN or wanted in CAPABILITIES or wanted in written:
                continue
            if is_parameters(wanted):
                continue  # the contour's to give
            what = f"{self.name} loop: step {one.name} reads {type_name(wanted)}"
            later = [s.name for s in self.steps() if s.writes is wanted]
            if later:
                fix = f"move {one.name} behind {later[0]}"
                raise BadLoop(f"{what}; {later[0]} writes it, but later", fix=fix)
            fix = "see in docs/turn.md which step writes what, and what every turn is given"
            raise BadLoop(f"{what}; no step writes it", fix=fix)

    def _check_writes(self, one: Step, written: dict[type, str]) -> None:
        if one.writes in written:
            other = written[one.writes]
            raise BadLoop(
                f"{self.name} loop: {one.name} writes {type_name(one.writes)}, as {other} does"
            )
        excess = one.stores - self.grants
        if excess:
            raise BadLoop(
                f"{self.name} loop: step {one.name} asks for {', '.join(sorted(excess))}, "
                "which this loop is not granted",
                fix=f"name {self.name} among the loops of its entry in src/lumen/core/stores.py",
            )


def is_parameters(kind: object) -> bool:
    """Whether what a step reads are numbers that the contour gives."""
    return isinstance(kind, type) and issubclass(kind, Parameters)


def type_name(kind: type) -> str:
    """A type as it is written; what is no class, such as a union, has no name of its own."""
    return str(getattr(kind, "__name__", kind))
