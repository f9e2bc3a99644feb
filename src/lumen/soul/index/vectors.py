"""Vectors of memories and of single words: a cache in the index, outside the fold.

They are kept and handed out as float32 bytes, in two sets: of the built-in embedder, by which alone anything
is judged, and of one chosen beside it. Each is one embedder's at a time. How texts become vectors is
not decided here; where they are kept and how the nearest of them are found is in sidecar.py and scan.py.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from lumen.core.canon import dumps, loads
from lumen.core.data import Passage
from lumen.soul.index.passages import (
    BUILT_IN,
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
from lumen.soul.ports.vectors import LATEST, NearColumns, PassageColumns, PassageSet, VectorSet

if TYPE_CHECKING:
    import apsw

    from lumen.soul.index.scan import Barred, MappedVectors

DAMAGED = "The vectors of memories were damaged: they are made again."
_OURS = "EXISTS (SELECT 1 FROM embedders WHERE number = 0 AND id = ?)"
_PASSAGE = "p.id, p.seq, p.start, p.stop, p.marks"
_BY_NUMBER, _BY_MEMORY = "ON p.id", "INDEXED BY passages_seq ON p.seq"


class Maps:
    """The files of each set as they were mapped last, for all who ask in this process."""

    def __init__(self) -> None:
        self._held: dict[int, MappedVectors] = {}

    def let_go(self) -> None:
        """Close the files."""
        self._held.clear()

    def of(self, db: Rows, state: SetState) -> MappedVectors:
        """The files of a set, with all its rows.

        Raises:
            Incomplete: they do not hold what the rows tell of.
        """
        from lumen.soul.index.scan import mapped, reaches  # numpy, which others do without

        files, signs = state.files(db.file), state.mean is not None
        held = self._held.get(state.number)
        if held is None or held.files != files or not reaches(held, state.rows, signs=signs):
            if not files.hold(state.rows, signs=signs):
                raise Incomplete(f"{files.index} tells of more vectors than there are")
            held = mapped(files, signs=signs)
            newest = db.row(NEWEST, (state.number, state.next))
            if newest and held.seqs[newest[0] - state.first] != newest[1]:
                raise Incomplete(f"{files.index} tells of other vectors than there are")
            self._held[state.number] = held
        return held


class EmbedderVectors(PassageSet):
    """The passages of one embedder over one index, in the set that has its number."""

    number = BUILT_IN
    yields = False  # whether it leaves the set to another embedder that has it

    def __init__(self, db: Rows, embedder: str, maps: Maps, *, private: bool = True) -> None:
        self._db = db
        self._embedder = embedder
        self._maps = maps
        self._private = private

    def missing(self, limit: int, before: int = LATEST) -> list[int]:
        if self._begin().embedder != self._embedder:
            return []
        return self._db.numbers(
            "SELECT seq FROM unembedded CROSS JOIN events USING(seq) "
            "WHERE embedder = ? AND seq < ? AND private <= ? ORDER BY seq DESC LIMIT ?",
            (self.number, before, self._private, limit),
        )

    def add(self, seqs: Sequence[int], passages: Sequence[Passage]) -> None:

        def kept(db: apsw.Connection) -> None:
            state = state_of(db, self.number)
            if state.embedder == self._embedder:
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
        return self.seek(query, most, before=before, until=until, marks=marks)()

    def seek(
        self,
        query: bytes,
        most: int,
        *,
        before: int = LATEST,
        until: int | None = None,
        marks: int = 0,
    ) -> Callable[[], NearColumns]:
        import numpy as np

        state, found = self._mapped()
        if most < 1 or found is None:
            nothing = np.zeros(0, np.int64)
            return lambda: NearColumns(nothing, nothing, np.zeros(0, np.float32))
        from lumen.soul.index.scan import MANY_LATER, Wanted

        later = self._db.row(
            "SELECT count(*) FROM (SELECT 1 FROM passages WHERE embedder = ? AND seq >= ? LIMIT ?)",
            (self.number, before, MANY_LATER),
        )
        mean = None if state.mean is None else np.frombuffer(state.mean, np.float32)
        barred = self._said_after(until) if until is not None else None
        many = int(later[0]) if barred is None else MANY_LATER
        wanted = Wanted(state.rows, most, before, many, marks, mean, barred)
        sought, seqs = found.seek(np.frombuffer(query, np.float32), wanted), found.seqs

        def told() -> NearColumns:
            places, cosines = sought()
            return NearColumns(places + state.first, seqs[places], cosines)

        return told

    def _said_after(self, until: int) -> Barred:
        """By event, whether it was said later than a day; behind the last that was, none is."""
        import numpy as np

        rows = self._db.rows("SELECT seq FROM utterances WHERE day > ?", (until,))
        seqs = np.array(rows, np.int64).reshape(-1)
        barred = np.zeros(int(seqs.max(initial=0)) + 2, np.bool_)
        barred[seqs] = True
        return barred

    def passages_of(self, seqs: Iterable[int]) -> list[Passage]:
        return self._with_vectors(
            sorted(self._rows(_BY_MEMORY, [*seqs]), key=lambda r: (r[1], r[0]))
        )

    def after(self, number: int) -> Iterator[Passage]:
        self._begin()
        asked = f"SELECT {_PASSAGE} FROM passages p WHERE embedder = ? AND id > ? ORDER BY id"  # noqa: S608 - a constant column list
        yield from self._with_vectors(self._db.rows(asked, (self.number, number)))

    def _rows(self, by: str, values: Sequence[int]) -> list[Row]:
        """Passages by number or by memory."""
        # CROSS, here and wherever numbers are handed over, and the index by name: else SQLite may
        # walk through all passages for each of them.
        return self._db.rows(
            f"SELECT {_PASSAGE} FROM json_each(?) CROSS JOIN passages p {by} = value AND p.embedder = ?",  # noqa: S608 - our own names
            (dumps(values).decode(), self.number),
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
        """Start over when another embedder made what is kept, or it is not all there.

        One that has to stand aside finds a set without passages.
        """
        state, index = SetState(*self._db.row(STATE, (self.number,))), self._db.file
        if state.embedder == self._embedder and not doubted and state.is_whole(index):
            return state

        def begun(db: apsw.Connection) -> tuple[SetState, bool]:
            now = state_of(db, self.number)
            if self.yields and now.embedder not in (None, self._embedder):
                return replace(now, next=now.first), False
            ours = now.embedder == self._embedder
            if ours and not now.is_whole(index):
                sign_again(index, now)
            if ours and now.is_whole(index) and end_is_stored(db, index, now):
                return now, False
            return begin(db, index, now.number, self._embedder, private=self._private), ours

        state, damaged = self._db.alone(begun)
        if damaged:
            self._db.repairs.append(DAMAGED)
        return state


class BuiltInVectors(EmbedderVectors, VectorSet):
    """The set of the built-in embedder, with all that is judged by."""

    def missing_of(self, seqs: Iterable[int]) -> list[int]:
        self._begin()
        asked = "SELECT 1 FROM unembedded WHERE embedder = ? AND seq = ?"
        return [seq for seq in seqs if self._db.row(asked, (self.number, seq))]

    def columns_of(self, seqs: Iterable[int]) -> PassageColumns:
        import numpy as np

        asked = (  # as two values: handing over a row for each takes longer than finding them
            "SELECT json_group_array(p.seq), json_group_array(p.id) FROM json_each(?) "  # noqa: S608 - our own names
            f"CROSS JOIN passages p {_BY_MEMORY} = value AND p.embedder = 0"
        )
        columns = self._db.row(asked, (dumps([*seqs]).decode(),))
        state, found = self._mapped()
        seq, number = (np.array(loads(column), np.int64) for column in columns)
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

    def set_revisions(self, rows: Sequence[tuple[int, int]]) -> None:
        there = "EXISTS (SELECT 1 FROM events WHERE seq = ? AND situation != 'erased')"
        self._db.keep(
            (
                f"INSERT OR IGNORE INTO revisions SELECT ?1, ?2 WHERE {_OURS.replace('?', '?3')} "
                f"AND {there.replace('?', '?1')} AND (?2 = 0 OR {there.replace('?', '?2')})",
                [(new, old, self._embedder) for new, old in rows],
            )
        )

    def unsettled(self, mark: int, limit: int) -> list[Passage]:
        self._begin()
        numbers = self._db.numbers(
            "SELECT id FROM marked m WHERE bit = ? AND NOT EXISTS "
            "(SELECT 1 FROM revisions WHERE new = m.seq) ORDER BY seq DESC, id DESC LIMIT ?",
            (mark.bit_length() - 1, limit),
        )
        return self._with_vectors(self._rows(_BY_NUMBER, sorted(numbers)))

    def revises(self, new: int) -> int:
        self._begin()
        return self._db.number("SELECT max(old) FROM revisions WHERE new = ?", (new,))

    def revised_by(
        self, olds: Iterable[int], *, before: int = LATEST, until: int | None = None
    ) -> dict[int, int]:
        self._begin()
        rows = self._db.rows(
            "SELECT old, max(new) FROM json_each(?1) CROSS JOIN revisions ON old = value WHERE new < ?2 "
            "AND (?3 IS NULL OR new IN (SELECT seq FROM utterances WHERE seq = new AND day <= ?3)) "
            "GROUP BY old",
            (dumps([*olds]).decode(), before, until),
        )
        return {int(old): int(new) for old, new in rows}

    def words(self, words: Sequence[str]) -> dict[str, bytes]:
        self._begin()
        asked = "SELECT word, vector FROM json_each(?) CROSS JOIN lexemes ON word = value"
        rows = self._db.rows(asked, (dumps([*words]).decode(),))
        return {str(word): bytes(vector) for word, vector in rows}

    def add_words(self, vectors: dict[str, bytes], as_of: int) -> None:
        same = "(SELECT coalesce(max(seq), 0) FROM rereads) = ?"
        self._db.keep(
            (
                f"INSERT OR REPLACE INTO lexemes SELECT ?,? WHERE {_OURS} AND {same}",
                [(word, vector, self._embedder, as_of) for word, vector in vectors.items()],
            )
        )
