"""Marks of what was said in private only: a cache in the index that no word can be read off.

A mark is a number; what makes one is the kernel's to say. Answers come from the index, which is
caught up by whoever asks.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence

from lumen.soul.index.rows import Rows
from lumen.soul.index.terms import phrase
from lumen.soul.ports.records import WithheldMarks

PRIVATE = "event_type = 'author_message' AND private = 1 AND situation != 'erased'"
AT_ONCE = 500


class MarkTable(WithheldMarks):
    """Marks as the tables have them."""

    def __init__(self, db: Rows) -> None:
        self._db = db

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

    def known(self, marks: Iterable[int]) -> Iterator[int]:
        wanted = sorted(marks)
        for start in range(0, len(wanted), AT_ONCE):
            some = wanted[start : start + AT_ONCE]
            rows = self._db.rows(
                f"SELECT DISTINCT mark FROM withheld JOIN events USING(seq) WHERE {PRIVATE} "  # noqa: S608 - only question marks
                f"AND mark IN ({','.join('?' * len(some))})",
                some,
            )
            yield from (int(mark) for (mark,) in rows)

    def said_openly(self, words: Sequence[str]) -> list[str]:
        rows = self._db.rows(
            "SELECT e.text FROM words w JOIN events e ON e.seq = w.rowid WHERE words MATCH ? "
            "AND e.event_type = 'author_message' AND e.private = 0 LIMIT ?",
            (" AND ".join(map(phrase, words)), AT_ONCE),
        )
        return [str(text) for (text,) in rows]
