"""Vectors of memories and of single words: a cache in the index, outside the fold.

They are kept and handed out as float32 bytes. One embedder's at a time: another one starts over.
Those of an embedder chosen beside the built-in one are in external_vectors.py, in tables of their own.
How texts become vectors is not decided here; where they are kept and how the nearest of them are
found is in sidecar.py and scan.py.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from lumen.core.canon import dumps
from lumen.core.data import Passage
from lumen.soul.index.external_vectors import SOUGHT, ExternalVectors, choose, reindexed
from lumen.soul.index.passages import (
    LEARNT,
    MARK_BITS,
    NEWEST,
    STATE,
    SetState,
    add_passages,
    begin,
    end_is_stored,
    sign_again,
    state_of,
)
from lumen.soul.index.rows import Row, Rows
from lumen.soul.index.sidecar import Incomplete
from lumen.soul.ports.vectors import LATEST, NearColumns, PassageColumns

if TYPE_CHECKING:
    import apsw

    from lumen.soul.index.scan import Barred, MappedVectors

ASKED_AT_ONCE = 500
DAMAGED = "The vectors of memories were damaged: they are made again."
_OURS = "EXISTS (SELECT 1 FROM embedder WHERE id = ?)"
_PASSAGE = "id, seq, start, stop, marks"


class Maps:
    """The files of a set as they were mapped last, for all who ask in this process."""

    def __init__(self) -> None:
        self._held: MappedVectors | None = None

    def let_go(self) -> None:
        """Close the files."""
        self._held = None

    def of(self, db: Rows, state: SetState) -> MappedVectors:
        """The files of a set, with all its rows.

        Raises:
            Incomplete: they do not hold what the rows tell of.
        """
        from lumen.soul.index.scan import mapped, reaches  # numpy, which others do without

        files, signs = state.files(db.file), state.mean is not None
        held = self._held
        if held is None or held.files != files or not reaches(held, state.rows, signs=signs):
            if not files.hold(state.rows, signs=signs):
                raise Incomplete(f"{files.index} tells of more vectors than there are")
            held = mapped(files, signs=signs)
            newest = db.row(NEWEST, (state.next,))
            if newest and held.seqs[newest[0] - state.first] != newest[1]:
                raise Incomplete(f"{files.index} tells of other vectors than there are")
            self._held = held
        return held


class BuiltInVectors:
    """The vectors of one embedder over one index."""

    def __init__(self, db: Rows, embedder: str, maps: Maps) -> None:
        self._db = db
        self._embedder = embedder
        self._maps = maps

    def missing(self, limit: int, before: int = LATEST) -> list[int]:
        """Memories before an event that have no vector yet, the newest first."""
        self._begin()
        asked = "SELECT seq FROM unembedded WHERE seq < ? ORDER BY seq DESC LIMIT ?"
        return self._db.numbers(asked, (before, limit))

    def missing_of(self, seqs: Iterable[int]) -> list[int]:
        """Those among these memories that have no vector yet."""
        self._begin()
        asked = "SELECT 1 FROM unembedded WHERE seq = ?"
        return [seq for seq in seqs if self._db.row(asked, (seq,))]

    def add(self, seqs: Sequence[int], passages: Sequence[Passage]) -> None:
        """Keep the passages of these memories; one forgotten in the meantime is left out.

        So are all of them when another embedder has started over in the meantime.
        """

        def kept(db: apsw.Connection) -> None:
            state = state_of(db)
            if state and state.embedder == self._embedder:
                add_passages(db, self._db.file, state, seqs, passages)

        try:
            self._db.alone(kept)
        except Incomplete:
            self._begin()

    def nearest(
        self,
        query: bytes,
        most: int,
        *,
        before: int = LATEST,
        until: int | None = None,
        marks: int = 0,
    ) -> NearColumns:
        """The passages nearest to a vector, best first: of events before one, with any of some marks."""
        import numpy as np

        state, found = self._mapped()
        if most < 1 or found is None:
            nothing = np.zeros(0, np.int64)
            return NearColumns(nothing, nothing, np.zeros(0, np.float32))
        from lumen.soul.index.scan import MANY_LATER, Wanted

        later = self._db.row(
            "SELECT count(*) FROM (SELECT 1 FROM passages WHERE seq >= ? LIMIT ?)",
            (before, MANY_LATER),
        )
        mean = None if state.mean is None else np.frombuffer(state.mean, np.float32)
        barred = self._said_after(until) if until is not None else None
        many = int(later[0]) if barred is None else MANY_LATER
        wanted = Wanted(state.rows, most, before, many, marks, mean, barred)
        places, cosines = found.nearest(np.frombuffer(query, np.float32), wanted)
        return NearColumns(places + state.first, found.seqs[places], cosines)

    def _said_after(self, until: int) -> Barred:
        """By event, whether it was said later than a day; behind the last that was, none is."""
        import numpy as np

        rows = self._db.rows("SELECT seq FROM utterances WHERE day > ?", (until,))
        seqs = np.array(rows, np.int64).reshape(-1)
        barred = np.zeros(int(seqs.max(initial=0)) + 2, np.bool_)
        barred[seqs] = True
        return barred

    def passages_of(self, seqs: Iterable[int]) -> list[Passage]:
        """The passages of some memories, in order."""
        return self._with_vectors(sorted(self._rows("seq", list(seqs)), key=lambda r: (r[1], r[0])))

    def columns_of(self, seqs: Iterable[int]) -> PassageColumns:
        """The same of many memories, without where in the text each passage is."""
        import numpy as np

        asked = "SELECT p.seq, p.id FROM json_each(?) JOIN passages p ON p.seq = value"
        rows = self._db.rows(asked, (dumps([*seqs]).decode(),))
        state, found = self._mapped()
        seq, number = np.array(rows, np.int64).reshape(-1, 2).T
        order = np.lexsort((number, seq))
        order = order[(state.first <= number[order]) & (number[order] < state.next)]
        if found is None or not len(order):
            nothing = np.zeros(0, np.int64)
            return PassageColumns(nothing, nothing, nothing, np.zeros((0, state.size), np.float32))
        order = order[found.seqs[number[order] - state.first] == seq[order]]
        seq, number = seq[order], number[order]
        places = number - state.first
        return PassageColumns(
            number, seq, found.marks[places].astype(np.int64), found.vectors[places]
        )

    def with_marks(
        self, marks: int, *, after: int = 0, before: int = LATEST, limit: int
    ) -> list[Passage]:
        """The passages with any of some listed marks, between two events, the newest first."""
        self._begin()
        found: set[tuple[int, int]] = set()
        for bit in (b for b in range(MARK_BITS) if marks >> b & 1):
            rows = self._db.rows(
                "SELECT seq, id FROM marked WHERE bit = ? AND seq > ? AND seq < ? "
                "ORDER BY seq DESC, id DESC LIMIT ?",
                (bit, after, before, limit),
            )
            found |= {(int(seq), int(number)) for seq, number in rows}
        numbers = [number for _, number in sorted(found, reverse=True)[:limit]]
        known = {int(row[0]): row for row in self._rows("id", numbers)}
        return self._with_vectors([known[n] for n in numbers if n in known])

    def after(self, number: int) -> Iterator[Passage]:
        """Every passage added since, in the order they were added."""
        self._begin()
        yield from self._with_vectors(
            self._db.rows(f"SELECT {_PASSAGE} FROM passages WHERE id > ? ORDER BY id", (number,))  # noqa: S608 - a constant column list
        )

    def set_revisions(self, rows: Sequence[tuple[int, int]]) -> None:
        """Keep which memory revises which; what was forgotten in the meantime is left out."""
        there = "EXISTS (SELECT 1 FROM events WHERE seq = ? AND situation != 'erased')"
        self._db.keep(
            (
                f"INSERT OR IGNORE INTO revisions SELECT ?1, ?2 WHERE {_OURS.replace('?', '?3')} "
                f"AND {there.replace('?', '?1')} AND (?2 = 0 OR {there.replace('?', '?2')})",
                [(new, old, self._embedder) for new, old in rows],
            )
        )

    def unsettled(self, mark: int, limit: int) -> list[Passage]:
        """The newest passages with a listed mark of which it is not known what they revise."""
        self._begin()
        numbers = self._db.numbers(
            "SELECT id FROM marked m WHERE bit = ? AND NOT EXISTS "
            "(SELECT 1 FROM revisions WHERE new = m.seq) ORDER BY seq DESC, id DESC LIMIT ?",
            (mark.bit_length() - 1, limit),
        )
        return self._with_vectors(self._rows("id", numbers))

    def revises(self, new: int) -> int:
        """The newest memory that one revises; 0: none."""
        self._begin()
        return self._db.number("SELECT max(old) FROM revisions WHERE new = ?", (new,))

    def revised_by(
        self, olds: Iterable[int], *, before: int = LATEST, until: int | None = None
    ) -> dict[int, int]:
        """Of memories that were revised, before an event and up to a day, the newest that revises each."""
        self._begin()
        rows = self._db.rows(
            "SELECT old, max(new) FROM json_each(?1) JOIN revisions ON old = value WHERE new < ?2 "
            "AND (?3 IS NULL OR new IN (SELECT seq FROM utterances WHERE seq = new AND day <= ?3)) "
            "GROUP BY old",
            (dumps([*olds]).decode(), before, until),
        )
        return {int(old): int(new) for old, new in rows}

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

    def _rows(self, column: str, values: Sequence[int]) -> list[Row]:
        """Passages by number or by memory."""
        return self._db.rows(
            f"SELECT {_PASSAGE} FROM passages WHERE {column} IN (SELECT value FROM json_each(?))",  # noqa: S608 - our own names
            (dumps(values).decode(),),
        )

    def _with_vectors(self, rows: Sequence[Row]) -> list[Passage]:
        """Passages that are where their rows say, all vectors read at once."""
        state, found = self._mapped()
        rows = [row for row in rows if state.first <= row[0] < state.next]
        if found is None or not rows:
            return []
        places = [row[0] - state.first for row in rows]
        there, vectors = found.seqs[places].tolist(), found.vectors[places].tobytes()
        long = 4 * state.size
        return [
            Passage(seq, start, stop, vectors[at * long : (at + 1) * long], n, marks)
            for at, (n, seq, start, stop, marks) in enumerate(rows)
            if there[at] == seq
        ]

    def _mapped(self) -> tuple[SetState, MappedVectors | None]:
        """How the set stands, and its files; nothing where it has no vector yet."""
        state = self._begin()
        try:
            return state, self._maps.of(self._db, state) if state.rows else None
        except (Incomplete, FileNotFoundError):  # begun anew meanwhile, or damaged
            state = self._begin(doubted=True)
            return state, self._maps.of(self._db, state) if state.rows else None

    def _begin(self, *, doubted: bool = False) -> SetState:
        """Start over when another embedder made what is kept, or it is not all there."""
        row, index = self._db.row(STATE), self._db.file
        state = SetState(*row) if row else None
        if state and state.embedder == self._embedder and not doubted and state.is_whole(index):
            return state

        def begun(db: apsw.Connection) -> tuple[SetState, bool]:
            now = state_of(db)
            ours = now is not None and now.embedder == self._embedder
            if now and ours and not now.is_whole(index):
                sign_again(index, now)
            if now and ours and now.is_whole(index) and end_is_stored(db, index, now):
                return now, False
            return begin(db, index, self._embedder), ours

        state, damaged = self._db.alone(begun)
        if damaged:
            self._db.repairs.append(DAMAGED)
        return state


class VectorTables:
    """Both sets of vectors over one database."""

    def __init__(self, db: Rows) -> None:
        self._db = db
        self._maps = Maps()

    def let_go(self) -> None:
        """Close the files that are mapped; who asks again maps them again."""
        self._maps.let_go()

    def built_in(self, embedder: str) -> BuiltInVectors:
        """The set of the built-in embedder; those of another one are dropped."""
        return BuiltInVectors(self._db, embedder, self._maps)

    def external(self, embedder: str, *, private: bool) -> ExternalVectors:
        """The second set, as one embedder sees it."""
        return ExternalVectors(self._db, embedder, private=private)

    def replaced_count(self) -> int:
        """How many memories are revised by a later one."""
        return self._db.number("SELECT count(DISTINCT old) FROM revisions WHERE old > 0")

    def choose(self, embedder: str, *, private: bool = False) -> None:
        """From now on this embedder's set is kept, any other dropped; nothing chosen: an empty name.

        `private` tells whether memories marked private are part of the set.
        """
        choose(self._db, embedder, private=private)

    def progress(self, embedder: str = "") -> tuple[int, int]:
        """How many memories have a vector, of whichever embedder or of one, and how many are worth one."""
        worth = self._worth(LEARNT)
        if embedder and self._db.row("SELECT 1 FROM embedder WHERE id <> ?", (embedder,)):
            return 0, worth
        return worth - self._db.number("SELECT count(*) FROM unembedded"), worth

    def reindexed(self, embedder: str) -> tuple[int, int]:
        """How many memories have a vector of this embedder, and how many are to have one."""
        return reindexed(self._db, embedder, self._worth(SOUGHT))

    def drop_words(self) -> None:
        """Forget the vectors of single words."""
        self._db.keep(("DELETE FROM lexemes", [()]))

    def kept_words(self) -> list[str]:
        """The single words that have a vector."""
        return [str(word) for (word,) in self._db.rows("SELECT word FROM lexemes")]

    def has_erased(self) -> bool:
        """Whether anything that was forgotten still has a vector, of whichever embedder."""
        asked = "SELECT 1 FROM {} WHERE seq IN (SELECT target FROM erasures) LIMIT 1"
        if any(
            self._db.row(asked.format(table)) for table in ("passages", "marked", "chosen_vectors")
        ):
            return True
        row = self._db.row(STATE)
        state = SetState(*row) if row else None
        if state is None or not state.rows or not state.is_whole(self._db.file):
            return False
        from lumen.soul.index.scan import holds_any  # numpy, which others do without

        gone = self._db.numbers("SELECT target FROM erasures")
        return holds_any(self._maps.of(self._db, state), gone)

    def _worth(self, which: str) -> int:
        told = self._db.number(f"SELECT sum(n) FROM tally WHERE {which}")  # noqa: S608 - a constant condition
        return told - self._db.number(
            f"SELECT count(*) FROM events WHERE seq IN (SELECT target FROM erasures) AND {which}"  # noqa: S608 - a constant condition
        )
