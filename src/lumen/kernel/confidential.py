"""Whether a text tells of anything private: every private memory is known by its stretches and words.

A cache in the index, outside the fold, holds a number for each stretch of words and each uncommon word
the author said privately. A text is looked up by its own, so what that takes does not grow with the
memories. What the author has said openly too is no secret, and neither is what templates say.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import cache
from hashlib import blake2b
from pathlib import Path

from lumen.kernel.traces import folded, runs, sequence
from lumen.mind.embed import is_ordinary
from lumen.soul.index import Index

PROMPTS = Path(__file__).with_name("prompts")
AT_ONCE = 500
SHORTEST = 4  # letters of a word that tells something by itself
LEAST_DIGITS = 5  # fewer are a year or a count
PRIVATE = "event_type = 'author_message' AND private = 1 AND situation != 'erased'"


class Confidential:
    """What must not leave, over one index that is caught up."""

    def __init__(self, index: Index) -> None:
        self._index = index

    def tells(self, text: str) -> bool:
        """Whether a text holds a stretch or a word that the author said in private only."""
        self._learn()
        marks = {_number(mark): mark for mark in _marks(text)}
        return any(not self._open(marks[number]) for number in self._known(marks))

    def _known(self, numbers: Iterable[int]) -> Iterator[int]:
        wanted = sorted(numbers)
        for start in range(0, len(wanted), AT_ONCE):
            some = wanted[start : start + AT_ONCE]
            rows = self._index.rows(
                f"SELECT DISTINCT mark FROM withheld JOIN events USING(seq) WHERE {PRIVATE} "  # noqa: S608 - only question marks
                f"AND mark IN ({','.join('?' * len(some))})",
                some,
            )
            yield from (int(mark) for (mark,) in rows)

    def _open(self, mark: str) -> bool:
        """Whether the author said it openly as well."""
        said = " AND ".join(f'"{word}"' for word in mark.split())
        rows = self._index.rows(
            "SELECT e.text FROM words w JOIN events e ON e.seq = w.rowid WHERE words MATCH ? "
            "AND e.event_type = 'author_message' AND e.private = 0 LIMIT ?",
            (said, AT_ONCE),
        )
        return any(f" {mark} " in f" {' '.join(sequence(str(text)))} " for (text,) in rows)

    def _learn(self) -> None:
        """Take in private memories that came, or were marked, since this was last done."""
        reread, last = self._index.reread(), self._index.last_head()[0]
        row = self._index.row("SELECT upto, reread FROM withheld_upto")
        upto, as_of = (int(row[0]), int(row[1])) if row else (0, -1)
        if (upto, as_of) == (last, reread):
            return
        after = upto if as_of == reread else 0  # an old memory may have been marked
        fresh = self._index.rows(
            f"SELECT seq, text FROM events WHERE {PRIVATE} AND seq > ? "  # noqa: S608 - a constant condition
            "AND NOT EXISTS (SELECT 1 FROM withheld w WHERE w.seq = events.seq)",
            (after,),
        )
        marks = [(_number(mark), seq) for seq, text in fresh for mark in _marks(str(text))]
        self._index.keep(
            ("INSERT OR IGNORE INTO withheld VALUES(?,?)", marks),
            ("DELETE FROM withheld_upto", [()]),
            ("INSERT INTO withheld_upto VALUES(?,?)", [(last, reread)]),
        )


def _marks(text: str) -> set[str]:
    """Stretches that are no coincidence and words no dictionary has; what templates say aside."""
    said = set(sequence(text))
    strange = {w for w in said if len(w) >= SHORTEST and not is_ordinary(w)}
    telling = {w for w in strange if not w.isdigit() or len(w) >= LEAST_DIGITS}
    return (runs(text) | telling) - _shipped()


@cache
def _shipped() -> frozenset[str]:
    """What every prompt says by itself."""
    texts = [path.read_text("utf-8") for path in sorted(PROMPTS.rglob("*.md"))]
    return frozenset(
        {run for t in texts for run in runs(t)} | {w for t in texts for w in sequence(t)}
    )


def _number(mark: str) -> int:
    """A mark as it is kept: nobody reads words off it."""
    return int.from_bytes(blake2b(folded(mark).encode(), digest_size=8).digest(), signed=True)
