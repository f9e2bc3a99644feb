"""Forgetting in two steps: a plan of all that would go, and carrying it out."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace

from lumen.kernel.gate.keys import must_be_author as see_author
from lumen.kernel.gate.presence import no_turn_meanwhile
from lumen.kernel.turn.run import Kernel
from lumen.kernel.upkeep.forget import EventToErase, ForgetPlan, carry_out, find, plan
from lumen.kernel.upkeep.untracked_files import remains


@dataclass(frozen=True, slots=True)
class ToForget:
    """All that would go, and what of it cannot be reached; nothing has been changed yet.

    `files` lose the lines that are named; `yours` are the author's own files, which stay as they
    are unless `own_files` was asked for; `mentions` are messages that name the same things and stay.
    """

    what: str
    goes: tuple[EventToErase, ...]
    files: dict[str, tuple[str, ...]]
    yours: dict[str, tuple[str, ...]]
    mentions: tuple[int, ...]
    beyond: tuple[str, ...]
    own_files: bool
    _plan: ForgetPlan = field(repr=False, compare=False)


@dataclass(frozen=True, slots=True)
class Forgotten:
    """What was erased, by which event; `left` names what still holds it, and should be empty."""

    erased: tuple[int, ...]
    event: int
    goes: int
    left: tuple[str, ...]
    beyond: tuple[str, ...]


def plan_forgetting(
    kernel: Kernel,
    what: str,
    *,
    own_files: bool = False,
    progress: Callable[[int, int], None] = lambda _done, _total: None,
) -> ToForget:
    """All that has to go with a memory (its number, its id) or with some words.

    Raises:
        UsageError: nothing says what was asked for.
    """
    kernel.index.catch_up()
    sought = replace(find(kernel.index, what), own_files=own_files)
    found = plan(kernel.gate, sought, progress)
    return ToForget(
        what=what,
        goes=found.goes,
        files=dict(found.cut),
        yours={one.path: tuple(one.lines) for one in found.yours},
        mentions=found.mentions,
        beyond=found.beyond,
        own_files=own_files,
        _plan=found,
    )


def must_be_author(kernel: Kernel) -> None:
    """See that this host may erase at all, before anybody is asked.

    Raises:
        LumenError: what the author has to sign with is not here.
    """
    see_author(kernel.gate)


def forget(kernel: Kernel, planned: ToForget) -> Forgotten:
    """Erase what was planned, while no turn runs, and look whether any of it is left."""
    must_be_author(kernel)
    with no_turn_meanwhile(kernel.gate.locks):
        found, placed = carry_out(kernel.gate, planned._plan)
        left = remains(kernel.being, kernel.gate.files, kernel.index, found.traces)
    return Forgotten(
        erased=tuple(found.erasure.targets),
        event=placed.seq,
        goes=len(found.goes),
        left=tuple(left),
        beyond=found.beyond,
    )
