"""What came of the loops' cycles so far: counted over the index, which the archive makes."""

from __future__ import annotations

from lumen.core.canon import JSON, loads
from lumen.core.data import FinishedCycle
from lumen.soul.index.rows import OverRows
from lumen.soul.ports.records import Cycles

LATELY = 100  # uses of a skill that say how likely it succeeds


class CycleTable(OverRows, Cycles):
    """Cycles as the tables have them."""

    def last(self, loop: str) -> int:
        return self._db.number("SELECT max(seq) FROM cycles WHERE loop = ?", (loop,))

    def since(self, seq: int, most: int) -> list[FinishedCycle]:
        rows = self._db.rows(
            "SELECT * FROM cycles WHERE loop = 'action' AND seq > ? ORDER BY seq DESC LIMIT ?",
            (seq, most),
        )
        return [_past(row) for row in reversed(rows)]

    def many_since(self, seq: int) -> int:
        asked = "SELECT count(*) FROM cycles WHERE loop = 'action' AND seq > ?"
        return self._db.number(asked, (seq,))

    def so_far_back(self, many: int) -> int:
        asked = "SELECT seq FROM cycles WHERE loop = 'action' ORDER BY seq DESC LIMIT 1 OFFSET ?"
        return self._db.number(asked, (many - 1,))

    def vain_tries(self, goal: str, after: int = 0) -> int:
        return self._db.number(
            "SELECT count(*) FROM cycles WHERE goal = ?1 AND loop = 'action' AND seq > max(?2, "
            "(SELECT coalesce(max(first), 0) FROM "
            "(SELECT min(seq) AS first FROM cycles WHERE goal = ?1 AND progress GROUP BY skill)))",
            (goal, after),
        )

    def last_pursued(self, goal: str) -> int:
        return self._db.number("SELECT max(seq) FROM cycles WHERE goal = ?", (goal,))

    def last_external(self) -> int:
        return self._db.number("SELECT max(seq) FROM events WHERE author = 'external'")

    def brought(self, skill: str, goal: str) -> bool:
        asked = "SELECT 1 FROM cycles WHERE goal = ? AND skill = ? AND progress LIMIT 1"
        return bool(self._db.number(asked, (goal, skill)))

    def record_of(self, skill: str) -> tuple[int, int]:
        row = self._db.row(
            "SELECT coalesce(sum(progress), 0), coalesce(sum(NOT progress), 0) FROM "
            "(SELECT progress FROM cycles WHERE skill = ? ORDER BY seq DESC LIMIT ?)",
            (skill, LATELY),
        )
        return int(row[0]), int(row[1])


def _past(row: JSON) -> FinishedCycle:
    seq, loop, goal, skill, ok, progress, completed, delta, chosen, *told = row
    went = (bool(ok), bool(progress), bool(completed))
    options, conflicts = map(loads, told)
    return FinishedCycle(seq, loop, goal, skill, *went, delta, chosen, options, conflicts)
