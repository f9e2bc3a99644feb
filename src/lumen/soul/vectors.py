"""Vectors of memories and of single words: a cache in the index, outside the fold.

They are kept and handed out as float32 bytes. One embedder's at a time: another one starts over.
Those of an embedder chosen beside the built-in one are in chosen.py, in tables of their own. How texts become vectors, and how they are searched, is not decided here.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from lumen.core.data import Passage
from lumen.soul.index import Index

ASKED_AT_ONCE = 500
SOUGHT = "author != 'kernel' AND event_type NOT IN ('assistant_message', 'system_event')"
_OURS = "EXISTS (SELECT 1 FROM embedder WHERE id = ?)"


class Vectors:
    """The vectors of one embedder over one index."""

    def __init__(self, index: Index, embedder: str) -> None:
        self._index = index
        self._embedder = embedder

    def missing(self, limit: int) -> list[int]:
        """Memories that have no vector yet, the newest first."""
        self._begin()
        found = self._index.rows("SELECT seq FROM unembedded ORDER BY seq DESC LIMIT ?", (limit,))
        return [int(seq) for (seq,) in found]

    def missing_of(self, seqs: Iterable[int]) -> list[int]:
        """Those among these memories that have no vector yet."""
        self._begin()
        asked = "SELECT 1 FROM unembedded WHERE seq = ?"
        return [seq for seq in seqs if self._index.row(asked, (seq,))]

    def add(self, seqs: Sequence[int], passages: Sequence[Passage]) -> None:
        """Keep the passages of these memories; one forgotten in the meantime is left out.

        So are all of them when another embedder has started over in the meantime.
        """
        numbered: dict[int, int] = {}
        rows = []
        for p in passages:
            part = numbered[p.seq] = numbered.get(p.seq, -1) + 1
            rows.append((p.seq, part, p.start, p.stop, p.vector, p.seq, self._embedder))
        self._index.keep(
            (
                "INSERT OR IGNORE INTO vectors(seq, part, start, stop, vector) SELECT ?,?,?,?,? "  # noqa: S608 - a constant condition
                f"WHERE EXISTS (SELECT 1 FROM unembedded WHERE seq = ?) AND {_OURS}",
                rows,
            ),
            (
                f"DELETE FROM unembedded WHERE seq = ? AND {_OURS}",  # noqa: S608 - a constant condition
                [(seq, self._embedder) for seq in seqs],
            ),
        )

    def after(self, number: int) -> Iterator[Passage]:
        """Every passage added since, in the order they were added."""
        self._begin()
        rows = self._index.rows(
            "SELECT id, seq, start, stop, vector FROM vectors WHERE id > ? ORDER BY id", (number,)
        )
        for own, seq, start, stop, vector in rows:
            yield Passage(int(seq), int(start), int(stop), bytes(vector), int(own))

    def words(self, words: Sequence[str]) -> dict[str, bytes]:
        """The kept vectors of single words."""
        self._begin()
        found: dict[str, bytes] = {}
        for start in range(0, len(words), ASKED_AT_ONCE):
            some = words[start : start + ASKED_AT_ONCE]
            rows = self._index.rows(
                f"SELECT word, vector FROM lexemes WHERE word IN ({','.join('?' * len(some))})",  # noqa: S608 - only question marks
                some,
            )
            found |= {str(word): bytes(vector) for word, vector in rows}
        return found

    def add_words(self, vectors: dict[str, bytes], as_of: int) -> None:
        """Keep vectors of single words, unless something was forgotten since their text was read."""
        same = "(SELECT coalesce(max(seq), 0) FROM rereads) = ?"
        self._index.keep(
            (
                f"INSERT OR REPLACE INTO lexemes SELECT ?,? WHERE {_OURS} AND {same}",
                [(word, vector, self._embedder, as_of) for word, vector in vectors.items()],
            )
        )

    def _begin(self) -> None:
        """Start over when another embedder made what is kept."""
        row = self._index.row("SELECT id FROM embedder")
        if row and row[0] == self._embedder:
            return
        self._index.keep(
            ("DELETE FROM embedder", [()]),
            ("DELETE FROM vectors", [()]),
            ("DELETE FROM lexemes", [()]),
            (
                f"INSERT OR IGNORE INTO unembedded SELECT seq FROM events WHERE {SOUGHT} "  # noqa: S608 - a constant condition
                "AND text != ''",
                [()],
            ),
            ("INSERT INTO embedder VALUES(?)", [(self._embedder,)]),
        )


def progress(index: Index) -> tuple[int, int]:
    """How many memories have a vector, and how many are worth one."""
    left = int(index.row("SELECT count(*) FROM unembedded")[0])
    told = index.row(f"SELECT coalesce(sum(n), 0) FROM tally WHERE {SOUGHT}")  # noqa: S608 - a constant condition
    gone = index.row(
        f"SELECT count(*) FROM events WHERE seq IN (SELECT target FROM erasures) AND {SOUGHT}"  # noqa: S608 - a constant condition
    )
    worth = int(told[0]) - int(gone[0])
    return worth - left, worth


def drop_words(index: Index) -> None:
    """Forget the vectors of single words."""
    index.keep(("DELETE FROM lexemes", [()]))


def kept_words(index: Index) -> list[str]:
    """The single words that have a vector."""
    return [str(word) for (word,) in index.rows("SELECT word FROM lexemes")]


def has_erased_vectors(index: Index) -> bool:
    """Whether anything that was forgotten still has a vector, of whichever embedder."""
    asked = "SELECT 1 FROM {} WHERE seq IN (SELECT target FROM erasures) LIMIT 1"
    return any(index.row(asked.format(table)) for table in ("vectors", "chosen_vectors"))
