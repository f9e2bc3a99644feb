"""What came of the loops' cycles so far: counted over the index, which the archive makes."""

from __future__ import annotations

from dataclasses import dataclass

from lumen.core.canon import JSON, loads
from lumen.soul.index import Index


@dataclass(frozen=True, slots=True)
class Past:
    """A cycle that is over."""

    seq: int
    goal: str
    skill: str
    ok: bool
    progress: bool
    completed: bool
    delta: float
    chosen: int
    options: JSON
    conflicts: JSON


def last(index: Index, loop: str) -> int:
    """The event that closed a loop's last cycle; 0: there was none."""
    row = index.row("SELECT max(seq) FROM cycles WHERE loop = ?", (loop,))
    return int(row[0] or 0)


def since(index: Index, seq: int) -> list[Past]:
    """The action cycles after an event, oldest first."""
    rows = index.rows(
        "SELECT seq, goal, skill, ok, progress, completed, delta, chosen, options, conflicts FROM cycles "
        "WHERE loop = 'action' AND seq > ? ORDER BY seq",
        (seq,),
    )
    return [_past(row) for row in rows]


def _past(row: JSON) -> Past:
    seq, goal, skill, ok, progress, completed, delta, chosen, options, conflicts = row
    went = (bool(ok), bool(progress), bool(completed))
    return Past(seq, goal, skill, *went, delta, chosen, loads(options), loads(conflicts))


def many_since(index: Index, seq: int) -> int:
    """How many action cycles there were after an event."""
    row = index.row("SELECT count(*) FROM cycles WHERE loop = 'action' AND seq > ?", (seq,))
    return int(row[0])


def vain_tries(index: Index, goal: str) -> int:
    """How often in a row a goal was pursued without getting on."""
    row = index.row(
        "SELECT count(*) FROM cycles WHERE goal = ?1 AND loop = 'action' AND seq > "
        "(SELECT coalesce(max(seq), 0) FROM cycles WHERE goal = ?1 AND progress)",
        (goal,),
    )
    return int(row[0])


def untouched(index: Index, goal: str, born: int) -> int:
    """How many action cycles went by since a goal was pursued, or came to be."""
    row = index.row("SELECT coalesce(max(seq), 0) FROM cycles WHERE goal = ?", (goal,))
    return many_since(index, max(int(row[0]), born))


def record_of(index: Index, skill: str) -> tuple[int, int]:
    """How often a skill succeeded, and how often it did not."""
    row = index.row(
        "SELECT coalesce(sum(ok), 0), coalesce(sum(NOT ok), 0) FROM cycles WHERE skill = ?",
        (skill,),
    )
    return int(row[0]), int(row[1])
