"""The two sets of vectors in an index: of the built-in embedder, and of one chosen beside it.

Which texts are given to the second one, and how its cosines are used, is decided in
kernel/recall/external_embedder.py.
"""

from __future__ import annotations

from lumen.core.data import CosineFit
from lumen.soul.index.passages import BUILT_IN, CHOSEN, STATE, WORTH, SetState, begin
from lumen.soul.index.rows import Rows
from lumen.soul.index.vectors import BuiltInVectors, EmbedderVectors, Maps
from lumen.soul.ports.vectors import ExternalSet, Vectors


class ExternalVectors(EmbedderVectors, ExternalSet):
    """The set of an embedder chosen beside the built-in one, as that embedder sees it.

    Choosing another one drops it, and whoever still works with the one before adds and finds nothing.
    """

    number = CHOSEN
    yields = True

    def is_ours(self) -> bool:
        return self._begin().embedder == self._embedder

    def fit(self) -> CosineFit | None:
        row = self._db.row(
            "SELECT size, scale, shift FROM embedders WHERE number = 1 AND id = ? AND scale IS NOT NULL",
            (self._embedder,),
        )
        return CosineFit(*row) if row else None

    def begin(self, fit: CosineFit) -> None:
        self._db.keep(
            (
                "UPDATE embedders SET size = ?, scale = ?, shift = ? "
                "WHERE number = 1 AND id = ? AND scale IS NULL",
                [(fit.size, fit.scale, fit.shift, self._embedder)],
            )
        )


class VectorTables(Vectors):
    """Both sets of vectors over one database."""

    def __init__(self, db: Rows) -> None:
        self._db = db
        self._maps = Maps()

    def let_go(self) -> None:
        """Close the files that are mapped; who asks again maps them again."""
        self._maps.let_go()

    def built_in(self, embedder: str) -> BuiltInVectors:
        return BuiltInVectors(self._db, embedder, self._maps)

    def external(self, embedder: str, *, private: bool) -> ExternalVectors:
        return ExternalVectors(self._db, embedder, self._maps, private=private)

    def replaced_count(self) -> int:
        return self._db.number("SELECT count(DISTINCT old) FROM revisions WHERE old > 0")

    def choose(self, embedder: str, *, private: bool = False) -> None:
        now, was_private = self._db.row("SELECT id, private FROM embedders WHERE number = 1")
        if now is None and not embedder:
            return
        if now != embedder:
            self._db.alone(lambda db: begin(db, self._db.file, CHOSEN, embedder, private=private))
        elif was_private != private:  # it moved off this machine or onto it
            moved = "UPDATE embedders SET private = ? WHERE number = 1 AND id = ?"
            self._db.keep((moved, [(private, embedder)]))

    def progress(self, embedder: str = "") -> tuple[int, int]:
        worth = self._worth(BUILT_IN)
        other = "SELECT 1 FROM embedders WHERE number = 0 AND id <> ?"
        if embedder and self._db.row(other, (embedder,)):
            return 0, worth
        # SQLite counts a whole table without a look at its rows; the second set has mostly none.
        chosen = self._db.number("SELECT count(*) FROM unembedded WHERE embedder = 1")
        left = self._db.number("SELECT count(*) FROM unembedded") - chosen
        return worth - left, worth

    def reindexed(self, embedder: str) -> tuple[int, int]:
        worth = self._worth(CHOSEN)
        asked = "SELECT private FROM embedders WHERE number = 1 AND id = ?"
        row = self._db.row(asked, (embedder,))
        if row is None:
            return 0, worth
        left, withheld = self._db.row(
            "SELECT coalesce(sum(private <= ?1), 0), coalesce(sum(private > ?1), 0) "
            "FROM unembedded JOIN events USING(seq) WHERE embedder = 1",
            row,
        )
        return worth - withheld - left, worth - withheld

    def drop_words(self) -> None:
        self._db.keep(("DELETE FROM lexemes", [()]))

    def kept_words(self) -> list[str]:
        return [str(word) for (word,) in self._db.rows("SELECT word FROM lexemes")]

    def has_erased(self) -> bool:
        asked = "SELECT 1 FROM {} WHERE seq IN (SELECT target FROM erasures) LIMIT 1"
        if any(self._db.row(asked.format(table)) for table in ("passages", "marked")):
            return True
        states = [SetState(*self._db.row(STATE, (number,))) for number in (BUILT_IN, CHOSEN)]
        whole = [state for state in states if state.rows and state.is_whole(self._db.file)]
        if not whole:
            return False
        from lumen.soul.index.scan import holds_any  # numpy, which others do without

        gone = self._db.numbers("SELECT target FROM erasures")
        return any(holds_any(self._maps.of(self._db, state), gone) for state in whole)

    def _worth(self, number: int) -> int:
        which = WORTH[number]
        told = self._db.number(f"SELECT sum(n) FROM tally WHERE {which}")  # noqa: S608 - a constant condition
        return told - self._db.number(
            f"SELECT count(*) FROM events WHERE seq IN (SELECT target FROM erasures) AND {which}"  # noqa: S608 - a constant condition
        )
