"""The vectors of an embedder that was chosen beside the built-in one: a second cache, of its own.

A set belongs to the embedder chosen last; choosing another drops it, and whoever still works with
the one before finds that out here and adds nothing. Which texts are given to the embedder, and how
its cosines are used, is decided in kernel/recall/external_embedder.py.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from lumen.core.data import CosineFit, Passage
from lumen.soul.index.rows import Rows
from lumen.soul.ports.vectors import LATEST

SOUGHT = "author != 'kernel' AND event_type NOT IN ('assistant_message', 'system_event')"
_OURS = "EXISTS (SELECT 1 FROM chosen WHERE id = ?)"
_QUEUED = "FROM unchosen JOIN events USING(seq) WHERE "


def choose(db: Rows, embedder: str, *, private: bool = False) -> None:
    """From now on this embedder's set is kept, any other dropped; nothing chosen: an empty name.

    `private` tells whether memories marked private are part of the set.
    """
    row = db.row("SELECT id, private FROM chosen")
    if (row is None and not embedder) or (row and tuple(row) == (embedder, int(private))):
        return
    if row and row[0] == embedder:  # the same one, which moved off this machine or onto it
        db.keep(("UPDATE chosen SET private = ? WHERE id = ?", [(int(private), embedder)]))
        return
    db.keep(
        ("DELETE FROM chosen", [()]),
        ("DELETE FROM unchosen", [()]),
        ("DELETE FROM chosen_vectors", [()]),
        ("INSERT INTO chosen VALUES(?,?,0,NULL,NULL,NULL)", [(embedder, int(private))]),
    )


class ExternalVectors:
    """The second set over one index, as one embedder sees it."""

    def __init__(self, db: Rows, embedder: str, *, private: bool) -> None:
        self._db = db
        self._embedder = embedder
        self._private = private

    def is_ours(self) -> bool:
        """Whether this embedder is still the one chosen; where none is, it becomes the one."""
        row = self._db.row("SELECT id FROM chosen")
        if row is None:  # the index was made anew
            choose(self._db, self._embedder, private=self._private)
            row = self._db.row("SELECT id FROM chosen")
        return bool(row[0] == self._embedder)

    def fit(self) -> CosineFit | None:
        """What was found out when the set was begun; nothing before."""
        row = self._db.row(
            "SELECT size, scale, shift FROM chosen WHERE id = ? AND size IS NOT NULL",
            (self._embedder,),
        )
        return CosineFit(int(row[0]), float(row[1]), float(row[2])) if row else None

    def begin(self, fit: CosineFit) -> None:
        """Keep the fit beside the set; of two that were made at once the first stays."""
        self._db.keep(
            (
                "UPDATE chosen SET size = ?, scale = ?, shift = ? WHERE id = ? AND size IS NULL",
                [(fit.size, fit.scale, fit.shift, self._embedder)],
            )
        )

    def missing(self, limit: int, before: int = LATEST) -> list[int]:
        """Memories of this set that have no vector yet, the newest first."""
        _queue(self._db, self._embedder)
        return self._db.numbers(
            f"SELECT seq {_QUEUED} seq < ? AND private <= ? AND {_OURS} ORDER BY seq DESC LIMIT ?",
            (before, int(self._private), self._embedder, limit),
        )

    def add(self, seqs: Sequence[int], passages: Sequence[Passage]) -> None:
        """Keep the passages of these memories; one forgotten in the meantime is left out.

        So are all of them when another embedder was chosen in the meantime.
        """
        numbered: dict[int, int] = {}
        rows = []
        for p in passages:
            part = numbered[p.seq] = numbered.get(p.seq, -1) + 1
            rows.append((p.seq, part, p.start, p.stop, p.vector, p.seq, self._embedder))
        self._db.keep(
            (
                "INSERT OR IGNORE INTO chosen_vectors(seq, part, start, stop, vector) "  # noqa: S608 - constants
                "SELECT ?,?,?,?,? "
                f"WHERE EXISTS (SELECT 1 FROM unchosen WHERE seq = ?) AND {_OURS}",
                rows,
            ),
            (
                f"DELETE FROM unchosen WHERE seq = ? AND {_OURS}",  # noqa: S608 - a constant condition
                [(seq, self._embedder) for seq in seqs],
            ),
        )

    def after(self, number: int) -> Iterator[Passage]:
        """Every passage added since, in the order they were added."""
        rows = self._db.rows(
            f"SELECT id, seq, start, stop, vector FROM chosen_vectors WHERE id > ? AND {_OURS} "  # noqa: S608 - a constant condition
            "ORDER BY id",
            (number, self._embedder),
        )
        for own, seq, start, stop, vector in rows:
            yield Passage(int(seq), int(start), int(stop), bytes(vector), int(own))


def reindexed(db: Rows, embedder: str, worth: int) -> tuple[int, int]:
    """How many memories have a vector of this embedder, and how many of those worth one are to have it."""
    row = db.row("SELECT private FROM chosen WHERE id = ?", (embedder,))
    if row is None:
        return 0, worth
    _queue(db, embedder)
    left, withheld = db.row(
        f"SELECT coalesce(sum(private <= ?1), 0), coalesce(sum(private > ?1), 0) {_QUEUED} true",
        (int(row[0]),),
    )
    return worth - int(withheld) - int(left), worth - int(withheld)


def _queue(db: Rows, embedder: str) -> None:
    """Queue the memories that came since; the queue holds private ones too, in case they open up."""
    behind = "SELECT 1 FROM chosen WHERE id = ? AND upto < (SELECT max(seq) FROM events)"
    if db.row(behind, (embedder,)):
        db.keep(
            (
                "INSERT OR IGNORE INTO unchosen SELECT seq FROM events "  # noqa: S608 - constants
                f"WHERE seq > (SELECT upto FROM chosen) AND {SOUGHT} AND text != '' AND {_OURS}",
                [(embedder,)],
            ),
            (
                "UPDATE chosen SET upto = (SELECT max(seq) FROM events) WHERE id = ?",
                [(embedder,)],
            ),
        )
