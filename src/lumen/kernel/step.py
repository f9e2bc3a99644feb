"""A step's signature is its contract: what it reads, what it writes, which stores it may touch.

A step is a plain async function. Its parameters are slots written by earlier steps, things given
to every loop, or capabilities; its return type is the slot it writes. A loop that does not fit
together stops the import with a message that names the step. How steps are run is in run.py.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Protocol, TypeVar, get_type_hints

from lumen.core.canon import JSON
from lumen.core.data import Memory
from lumen.core.errors import BadLoop, LumenError
from lumen.core.stores import Store
from lumen.kernel.biography import Biography
from lumen.kernel.evolve import Experience, Gap
from lumen.kernel.policy import Parameters, Policy
from lumen.kernel.slots import GIVEN, Evidence, Slot
from lumen.kernel.spans import Span
from lumen.kernel.state import State
from lumen.kernel.summary import Line, Noted

Output = TypeVar("Output")


class Skip(LumenError):
    """Raised by a step that has nothing to do; the reason is archived."""


class Recall(Protocol):
    """What a step may remember: never a kernel memory."""

    def recent(self) -> tuple[Memory, ...]:
        """The last two exchanges before this turn."""
        ...

    def evidence(self, question: str) -> tuple[Evidence, ...]:
        """What the author said that bears on a question, best first."""
        ...

    def told(self, span: Span) -> list[Noted | Line]:
        """What the author said in a stretch of time."""
        ...

    def is_private(self, seqs: Iterable[int]) -> bool:
        """Whether any of some memories must not leave."""
        ...

    def replaced(self) -> Memory | None:
        """The earlier statement that this turn's message openly revises."""
        ...

    def likeness(self, texts: tuple[str, ...], to: str) -> tuple[float, ...]:
        """How near each text is in meaning to another, from -1 to 1."""
        ...

    def statements(self) -> tuple[Memory, ...]:
        """What the author said of themselves and did not take back, the newest first."""
        ...


@dataclass(frozen=True, slots=True)
class Spoken:
    """What a model said, and whether it is a small one, whose inventions need more care."""

    text: str
    model: str
    small: bool
    copied: bool = False  # it only said an example of its prompt again
    private: bool = False  # it was shown something private


class Mind(Protocol):
    """The model that the interface role is assigned to."""

    async def ask(self, step: str, slots: dict[str, JSON], max_tokens: int) -> Spoken:
        """Render the step's templates, have the model answer, return the words.

        What comes from a memory is given as Recalled. `max_tokens` is meant for a small model.
        """
        ...

    async def strong(self, role: str) -> bool:
        """Whether a model that follows instructions is assigned to a role, and is there."""
        ...

    async def ask_for(
        self,
        output: type[Output],
        role: str,
        step: str,
        slots: dict[str, JSON],
        max_tokens: int,
    ) -> Output:
        """The same for a value of a type, from the model of another role."""
        ...


@dataclass(frozen=True, slots=True)
class Done:
    """What came of a skill's run."""

    ok: bool
    output: JSON
    error: str


class Hands(Protocol):
    """The skills, run as separate programs; every call is archived."""

    async def use(self, skill: str, action: str, given: JSON, *, private: bool = False) -> Done:
        """Run a skill once."""
        ...

    def can(self, skill: str) -> bool:
        """Whether the skill exists."""
        ...

    def likely(self, skill: str) -> float:
        """How likely it succeeds, by what came of it before."""
        ...

    def brought(self, skill: str, goal: str) -> bool:
        """Whether it has brought something for a goal before."""
        ...

    def holds(self, skill: str, path: str) -> bool:
        """Whether a file that the skill may write is there, with something in it."""
        ...

    def forbidden(self, skill: str, *, private: bool = False) -> str:
        """Why it may not be used unasked; empty when it may."""
        ...

    def known(self) -> tuple[str, ...]:
        """The skills there are beside the shipped ones, in their own words."""
        ...

    async def create(self, name: str, files: dict[str, str], by: str) -> Done:
        """Make a skill of what a model wrote; it is tried out first, and archived."""
        ...


class Unknowns(Protocol):
    """What is not known and might matter; for the explore loop."""

    def gaps(self) -> Iterator[Gap]:
        """Real gaps, those the author cares about first; each is looked for when asked for."""
        ...

    def asked(self) -> tuple[str, ...]:
        """What was wondered about lately."""
        ...


class Past(Protocol):
    """What was lived since the last reflection; for the reflection loop. Never a kernel memory."""

    def experience(self) -> Experience:
        """All of it."""
        ...


CAPABILITIES: frozenset[type] = frozenset({Recall, Biography, Mind, Hands, State, Unknowns, Past})
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
        hints = get_type_hints(function)
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
            later = [s.name for s in self.steps() if s.writes is wanted]
            hint = f"; {later[0]} writes it, but later" if later else "; no step writes it"
            raise BadLoop(
                f"{self.name} loop: step {one.name} reads {type_name(wanted)}{hint}",
                fix=f"move {one.name} behind the step that writes {type_name(wanted)}",
            )

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
                fix="see core/stores.py",
            )


def is_parameters(kind: object) -> bool:
    """Whether what a step reads are numbers that the contour gives."""
    return isinstance(kind, type) and issubclass(kind, Parameters)


def type_name(kind: type) -> str:
    """A type as it is written; what is no class, such as a union, has no name of its own."""
    return str(getattr(kind, "__name__", kind))
