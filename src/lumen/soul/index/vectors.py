"""Vectors of memories and of single words: a cache in the index, outside the fold.

They are kept and handed out as float32 bytes. One embedder's at a time: another one starts over.
Those of an embedder chosen beside the built-in one are in external_vectors.py, in tables of their own. How texts become vectors, and how they are searched, is not decided here.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from lumen.core.data import Passage
from lumen.soul.index.external_vectors import SOUGHT, ExternalVectors, choose, reindexed
from lumen.soul.index.rows import Rows

ASKED_AT_ONCE = 500
_OURS = "EXISTS (SELECT 1 FROM embedder WHERE id = ?)"


class BuiltInVectors:
    """The vectors of one embedder over one index."""

    def __init__(self, db: Rows, embedder: str) -> None:
        self._db = db
        self._embedder = embedder

    def missing(self, limit: int) -> list[int]:
        """Memories that have no vector yet, the newest first."""
        self._begin()
        found = self._db.rows("SELECT seq FROM unembedded ORDER BY seq DESC LIMIT ?", (limit,))
        return [int(seq) for (seq,) in found]

    def missing_of(self, seqs: Iterable[int]) -> list[int]:
        """Those among these memories that have no vector yet."""
        self._begin()
        asked = "SELECT 1 FROM unembedded WHERE seq = ?"
        return [seq for seq in seqs if self._db.row(asked, (seq,))]

    def add(self, seqs: Sequence[int], passages: Sequence[Passage]) -> None:
        """Keep the passages of these memories; one forgotten in the meantime is left out.

        So are all of them when another embedder has started over in the meantime.
        """
        numbered: dict[int, int] = {}
        rows = []
        for p in passages:
            part = numbered[p.seq] = numbered.get(p.seq, -1) + 1
            rows.append((p.seq, part, p.start, p.stop, p.vector, p.seq, self._embedder))
        self._db.keep(
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
        rows = self._db.rows(
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
            rows = self._db.rows(
                f"SELECT word, vector FROM lexemes WHERE word IN ({','.join('?' * len(some))})",  # noqa: S608 - only question marks
                some,
            )
            found |= {str(word): bytes(vector) for word, vector in rows}
        return found

    def add_words(self, vectors: dict[str, bytes], as_of: int) -> None:
        """Keep vectors of single words, unless something was forgotten since their text was read."""
        same = "(SELECT coalesce(max(seq), 0) FROM rereads) = ?"
        self._db.keep(
            (
                f"INSERT OR REPLACE INTO lexemes SELECT ?,? WHERE {_OURS} AND {same}",
                [(word, vector, self._embedder, as_of) for word, vector in vectors.items()],
            )
        )

    def _begin(self) -> None:
        """Start over when another embedder made what is kept."""
        row = self._db.row("SELECT id FROM embedder")
        if row and row[0] == self._embedder:
            return
        self._db.keep(
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


class VectorTables:
    """Both sets of vectors over one database."""

    def __init__(self, db: Rows) -> None:
        self._db = db

    def built_in(self, embedder: str) -> BuiltInVectors:
        """The set of the built-in embedder; those of another one are dropped."""
        return BuiltInVectors(self._db, embedder)

    def chosen(self, embedder: str, *, private: bool) -> ExternalVectors:
        """The second set, as one embedder sees it."""
        return ExternalVectors(self._db, embedder, private=private)

    def choose(self, embedder: str, *, private: bool = False) -> None:
        """From now on this embedder's set is kept, any other dropped; nothing chosen: an empty name.

        `private` tells whether memories marked private are part of the set.
        """
        choose(self._db, embedder, private=private)

    def progress(self) -> tuple[int, int]:
        """How many memories have a vector, and how many are worth one."""
        left = int(self._db.row("SELECT count(*) FROM unembedded")[0])
        worth = self._worth()
        return worth - left, worth

    def reindexed(self, embedder: str) -> tuple[int, int]:
        """How many memories have a vector of this embedder, and how many are to have one."""
        return reindexed(self._db, embedder, self._worth())

    def drop_words(self) -> None:
        """Forget the vectors of single words."""
        self._db.keep(("DELETE FROM lexemes", [()]))

    def kept_words(self) -> list[str]:
        """The single words that have a vector."""
        return [str(word) for (word,) in self._db.rows("SELECT word FROM lexemes")]

    def has_erased(self) -> bool:
        """Whether anything that was forgotten still has a vector, of whichever embedder."""
        asked = "SELECT 1 FROM {} WHERE seq IN (SELECT target FROM erasures) LIMIT 1"
        return any(self._db.row(asked.format(table)) for table in ("vectors", "chosen_vectors"))

    def _worth(self) -> int:
        told = self._db.row(f"SELECT coalesce(sum(n), 0) FROM tally WHERE {SOUGHT}")  # noqa: S608 - a constant condition
        gone = self._db.row(
            f"SELECT count(*) FROM events WHERE seq IN (SELECT target FROM erasures) AND {SOUGHT}"  # noqa: S608 - a constant condition
        )
        return int(told[0]) - int(gone[0])
