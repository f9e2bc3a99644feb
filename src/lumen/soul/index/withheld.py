"""Marks of what was said in private only: a cache in the index that no word can be read off.

A mark is a number; what makes one is the kernel's to say. Answers come from the index, which is
caught up by whoever asks.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from lumen.core.canon import dumps
from lumen.soul.index.rows import OverRows
from lumen.soul.index.terms import phrase
from lumen.soul.ports.records import WithheldMarks

PRIVATE = "event_type = 'author_message' AND private = 1 AND situation != 'erased'"
MOST = 500  # texts that are looked at


class MarkTable(OverRows, WithheldMarks):
    """Marks as the tables have them."""

    def learn(self, marks_of: Callable[[str], Iterable[int]]) -> None:
        reread, last = self._db.row(
            "SELECT (SELECT coalesce(max(seq), 0) FROM rereads), "
            "(SELECT coalesce(max(seq), 0) FROM events)"
        )
        row = self._db.row("SELECT upto, reread FROM withheld_upto")
        upto, as_of = (int(row[0]), int(row[1])) if row else (0, -1)
        if (upto, as_of) == (last, reread):
            return
        after = upto if as_of == reread else 0  # an old memory may have been marked
        fresh = self._db.rows(
            f"SELECT seq, text FROM events WHERE {PRIVATE} AND seq > ? "  # noqa: S608 - a constant condition
            "AND NOT EXISTS (SELECT 1 FROM withheld w WHERE w.seq = events.seq)",
            (after,),
        )
        self._db.keep(
            (
                "INSERT OR IGNORE INTO withheld VALUES(?,?)",
                [(mark, seq) for seq, text in fresh for mark in marks_of(str(text))],
            ),
            ("DELETE FROM withheld_upto", [()]),
            ("INSERT INTO withheld_upto VALUES(?,?)", [(last, reread)]),
        )

    def known(self, marks: Iterable[int]) -> list[int]:
        return self._db.numbers(
            "SELECT DISTINCT mark FROM json_each(?) CROSS JOIN withheld ON mark = value "  # noqa: S608 - a constant condition
            f"CROSS JOIN events USING(seq) WHERE {PRIVATE}",
            (dumps([*marks]).decode(),),
        )

    def said_openly(self, words: Sequence[str]) -> list[str]:
        rows = self._db.rows(
            "SELECT e.text FROM words w JOIN events e ON e.seq = w.rowid WHERE words MATCH ? "
            "AND e.event_type = 'author_message' AND e.private = 0 LIMIT ?",
            (" AND ".join(map(phrase, words)), MOST),
        )
        return [str(text) for (text,) in rows]
