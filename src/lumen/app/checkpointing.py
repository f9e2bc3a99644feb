"""Moments of the self: named, listed, compared, and gone back to."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from lumen.kernel.gate.checkpoints import create as _create
from lumen.kernel.gate.checkpoints import difference, find, in_words, last_undoable, self_at
from lumen.kernel.gate.checkpoints import restore as _restore
from lumen.kernel.gate.checkpoints import undo as _undo
from lumen.kernel.gate.presence import no_turn_meanwhile
from lumen.soul.ports.queries import Queries

if TYPE_CHECKING:
    from lumen.kernel.gate.commit import Gate


@dataclass(frozen=True, slots=True)
class Moment:
    """A point the self can be taken back to: a change of it, or one that was given a name."""

    event: int
    timestamp: str
    name: str | None
    what: str


@dataclass(frozen=True, slots=True)
class NamedCheckpoint:
    """A moment that was given a name."""

    event: int
    name: str


@dataclass(frozen=True, slots=True)
class Restored:
    """The self was taken back: to which event, by which event, and what that changed."""

    restored: int
    event: int
    diff: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Undoable:
    """The change that would be taken back next, and what that would change."""

    event: int
    what: str
    diff: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class TakenBack:
    """A change that was taken back, and by which event."""

    undone: int
    event: int
    what: str


def moments(index: Queries) -> tuple[Moment, ...]:
    """Named moments, and every change of self, the oldest first."""
    changes = [t for t in index.files.transitions() if t.of_self]
    found = [
        Moment(t.seq, t.timestamp, None, what)
        for t, what in zip(changes, in_words(index, changes), strict=True)
    ]
    found += [
        Moment(seq, when, name, f"checkpoint {name}")
        for name, (seq, when) in index.files.checkpoints().items()
    ]
    return tuple(sorted(found, key=lambda moment: moment.event))


def compared(index: Queries, point: str, other: str | None = None) -> tuple[str, ...]:
    """What changed in the self from a point (a name or an event) to another, or until now."""
    after = self_at(index, find(index, other)) if other else self_at(index)
    return tuple(difference(self_at(index, find(index, point)), after))


def name_moment(gate: Gate, name: str) -> NamedCheckpoint:
    """Give this moment a name, while no turn runs."""
    with no_turn_meanwhile(gate.locks):
        return NamedCheckpoint(_create(gate, name).seq, name)


def would_restore(index: Queries, point: str) -> Restored:
    """What going back to a point would change; nothing is done yet, so the event is 0."""
    seq = find(index, point)
    return Restored(seq, 0, tuple(difference(self_at(index), self_at(index, seq))))


def restore(gate: Gate, point: str) -> Restored:
    """Take the self back to a point, while no turn runs; what was said since stays."""
    would = would_restore(gate.index, point)
    with no_turn_meanwhile(gate.locks):
        return Restored(would.restored, _restore(gate, would.restored).seq, would.diff)


def undoable(index: Queries) -> Undoable | None:
    """The last change of self, if there is one to take back."""
    last = last_undoable(index)
    if last is None:
        return None
    diff = difference(self_at(index, last.seq), self_at(index, last.seq - 1))
    return Undoable(last.seq, in_words(index, [last])[0], tuple(diff))


def undo(gate: Gate) -> TakenBack:
    """Take back the last change of self, while no turn runs.

    Raises:
        UsageError: there is none.
    """
    last = last_undoable(gate.index)
    said = in_words(gate.index, [last])[0] if last else ""
    with no_turn_meanwhile(gate.locks):
        undone, placed = _undo(gate)
    return TakenBack(undone.seq, placed.seq, said)
