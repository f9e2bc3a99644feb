"""A SQLite projection of the archive: what can be asked quickly. May be deleted at any time.

It catches up from the archive before every question, so it is never the truth and never behind
it. Kernel memories are counted and listed for the author, but no search or recall returns them.
What became of the files is asked of history.py, vectors of vectors.py: both over this database.
"""

from __future__ import annotations

import re
import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, TypeVar

import apsw

from lumen.core.data import Author, Being, Event, EventType, Memory, Origin
from lumen.core.errors import Busy, LumenError
from lumen.soul.archive import parse, read_at
from lumen.soul.database import (
    aside,
    check_engine,
    clear_away,
    differing,
    make,
    open_or_make,
    remove,
    replace_with,
    room_needed,
    transaction,
)
from lumen.soul.disk import identity
from lumen.soul.following import Progress, follow, follow_all, last_applied, unwatched
from lumen.soul.links import Loose

UNANSWERED = 64  # messages in a row without a reply, beyond which no older exchange is looked for
WORTH_TELLING = 10  # events: with fewer, the being has hardly lived
WORD = re.compile(r"\w[\w'’]*")
Result = TypeVar("Result")
Row = Any  # a row as SQLite hands it over; read in this module and nowhere else

_WHEN = "iif(occurred = '', timestamp, occurred)"
_MEMORY = f"seq, {_WHEN}, author, origin, event_type, text, session_key, private, weight"


class Index:
    """An open projection of one being's archive."""

    def __init__(self, being: Being) -> None:
        self.being = being
        self.repairs: list[str] = []
        self.accepted: Callable[[str], frozenset[str]] = lambda _: frozenset()  # keys of a soul
        self.loose: Loose | None = None  # a line that does not follow: behind it nothing is read
        self.made = 0  # how often the database was opened or made anew: caches over it then end
        self._threads = threading.RLock()  # a question of one would be asked inside another's work
        check_engine()
        self._db = self._open()

    def _open(self) -> apsw.Connection:
        db, why = open_or_make(self.being.index)
        self._noticed()
        if why:
            self.repairs.append(f"The index was rebuilt from the archive: {why}.")
        return db

    def _noticed(self) -> None:
        self._file = identity(self.being.index)
        self.made += 1

    def close(self) -> None:
        """Let go of the database."""
        self._db.close()

    def catch_up(self, progress: Progress = unwatched) -> int:
        """Apply every finished line that is not applied yet and follows from those that are.

        Returns the last event's number; `loose` tells of a line behind it that does not follow.
        """
        return self._mended(lambda: self._catch_up(progress))

    def rebuild(self, progress: Progress = unwatched) -> int:
        """Make every table again from the archive; vectors are kept, as nothing else makes them."""
        fresh = aside(self.being.index, "new")
        made = make(fresh)
        try:
            with room_needed():
                last = follow_all(made, self.being.memory, progress)
        except BaseException:  # what is there serves better than half of it made again
            made.close()
            remove(fresh)
            raise
        made.close()
        self._db.close()
        self._db = replace_with(fresh, self.being.index)
        self._noticed()
        self.loose = None
        return last

    def differences(self, progress: Progress = unwatched) -> list[str]:
        """The tables that are not, row for row, what the archive makes of them.

        One that cannot be read at all is made again, which `repairs` tells.
        """
        fresh = aside(self.being.index, "deep")
        made = make(fresh)

        def compared() -> list[str] | None:
            follow(made, self.being.memory, progress)
            self._catch_up(unwatched)
            return differing(made, self.being.index)

        try:
            while (found := self._mended(compared)) is None:
                pass
            return found
        finally:
            made.close()
            remove(fresh)

    def counts(self) -> dict[str, int]:
        """How many memories each author wrote."""
        rows = self.rows("SELECT author, sum(n) FROM tally GROUP BY author")
        return {str(a): int(n) for a, n in rows}

    def last_head(self) -> tuple[int, str]:
        """Number and hash of the last event applied."""
        row = self.row("SELECT seq, event_hash FROM events ORDER BY seq DESC LIMIT 1")
        return (int(row[0]), str(row[1])) if row else (0, "")

    def soul(self) -> str:
        """Whose archive it is; empty while it is empty."""
        return first.soul if (first := self.event(1)) else ""

    def memories(
        self,
        *,
        author: str | None = None,
        day: str | None = None,
        limit: int | None = 20,
        oldest: bool = False,
        kernel: bool = True,
        by_weight: bool = False,
    ) -> list[Memory]:
        """The newest, oldest or heaviest memories, in order. Kernel ones too: for the author.

        What was forgotten is not among them.
        """
        where, values = ["situation != 'erased'"], []
        if not kernel:
            where.append("author != 'kernel'")
        if author:
            where.append("author = ?")
            values.append(author)
        if day:
            where.append("((segment = ? AND occurred = '') OR (occurred >= ? AND occurred < ?))")
            values += [f"{day}.jsonl", day, f"{day}~"]
        order = "weight DESC, seq DESC" if by_weight else "seq ASC" if oldest else "seq DESC"
        rows = self.rows(
            f"SELECT {_MEMORY} FROM events WHERE {' AND '.join(where)} "  # noqa: S608 - only literals are joined
            f"ORDER BY {order} LIMIT ?",
            (*values, -1 if limit is None else limit),
        )
        return [_memory(row) for row in (rows if oldest or by_weight else reversed(rows))]

    def exchanges(self, before: int, limit: int) -> list[Memory]:
        """What the author last said and how it was answered, in pairs, oldest first.

        A pair is one turn of conversation, told by its session key: whatever else happened between
        or beside it, here or in another process, neither splits it nor counts for one. Where
        `before` is a message, only what was said in its conversation counts.
        """
        pairs = self.rows(
            "SELECT a.seq, min(r.seq) FROM (SELECT seq, session_key FROM events WHERE seq < ?1 "
            "AND author = 'external' AND event_type = 'author_message' AND situation = 'heard' "
            "AND conversation = coalesce((SELECT conversation FROM events WHERE seq = ?1 "
            "AND event_type = 'author_message'), conversation) "
            "ORDER BY seq DESC LIMIT ?3) a JOIN events r ON r.session_key = a.session_key "
            "AND r.author = 'self' AND r.event_type = 'assistant_message' "
            "AND r.situation != 'erased' AND r.seq < ?1 GROUP BY a.seq ORDER BY a.seq DESC LIMIT ?2",
            (before, limit, UNANSWERED + limit),
        )
        return list(self.get(seq for pair in reversed(pairs) for seq in pair).values())

    def lived(self, after: int, limit: int) -> list[Memory]:
        """The last memories since an event, oldest first; kernel ones are left out."""
        rows = self.rows(
            f"SELECT {_MEMORY} FROM events WHERE seq > ? AND author != 'kernel' "  # noqa: S608 - a constant column list
            "AND situation != 'erased' ORDER BY seq DESC LIMIT ?",
            (after, limit),
        )
        return [_memory(row) for row in reversed(rows)]

    def get(self, seqs: Iterable[int]) -> dict[int, Memory]:
        """Memories by number; kernel ones are left out."""
        found: dict[int, Memory] = {}
        for seq in seqs:
            row = self.row(
                f"SELECT {_MEMORY} FROM events WHERE seq = ? AND author != 'kernel' "  # noqa: S608 - a constant column list
                "AND situation != 'erased'",
                (seq,),
            )
            if row:
                found[seq] = _memory(row)
        return found

    def search(self, terms: Sequence[str], limit: int) -> list[tuple[int, float]]:
        """Event numbers by BM25 over any of the terms, best first."""
        query = " OR ".join(f'"{t}"' for t in terms if WORD.fullmatch(t))
        if not query:
            return []
        rows = self.rows(
            "SELECT rowid, -bm25(words) FROM words WHERE words MATCH ? ORDER BY rank LIMIT ?",
            (query, limit),
        )
        return [(int(seq), float(score)) for seq, score in rows]

    def newest_with(self, terms: Sequence[str], limit: int) -> Iterator[Memory]:
        """The newest memories that hold any of some words, one after the other."""
        query = " OR ".join(f'"{t}"' for t in terms if WORD.fullmatch(t))
        rows = self.rows(
            "SELECT rowid FROM words WHERE words MATCH ? ORDER BY rowid DESC LIMIT ?",
            (query, limit),
        )
        return (m for (seq,) in rows for m in self.get([int(seq)]).values())

    def turn(self, session_key: str) -> list[Event]:
        """Every event of a turn, kernel ones too: for `why` and for audits, never for a prompt."""
        rows = self.rows(
            "SELECT segment, offset, length FROM events WHERE session_key = ? ORDER BY seq",
            (session_key,),
        )
        return [parse(read_at(self.being.memory, *place)) for place in rows]

    def event(self, seq: int) -> Event | None:
        """One event, whoever wrote it: for the author, never for a prompt."""
        place = self.place(seq)
        return parse(read_at(self.being.memory, *place)) if place else None

    def last_turn(self) -> str:
        """The session key of the newest turn that was answered."""
        row = self.row(
            "SELECT session_key FROM events WHERE author = 'self' "
            "AND event_type = 'assistant_message' AND situation != 'erased' "
            "ORDER BY seq DESC LIMIT 1"
        )
        return str(row[0]) if row else ""

    def turn_of(self, seq: int) -> str:
        """The session key an event belongs to."""
        row = self.row("SELECT session_key FROM events WHERE seq = ?", (seq,))
        return str(row[0]) if row else ""

    def time_of(self, seq: int) -> str:
        """When an event happened; empty when there is none of that number."""
        found = self.row("SELECT timestamp FROM events WHERE seq = ?", (seq,))
        return str(found[0]) if found else ""

    def hash_of(self, seq: int) -> str:
        """The hash of an event; empty when there is none of that number."""
        row = self.row("SELECT event_hash FROM events WHERE seq = ?", (seq,))
        return str(row[0]) if row else ""

    def open_turns(self) -> list[tuple[str, int]]:
        """Turns that were begun and never closed."""
        rows = self.rows("SELECT session_key, seq FROM open_turns ORDER BY seq")
        return [(str(key), int(seq)) for key, seq in rows]

    def said_in(self, start: str, end: str) -> list[Memory]:
        """What the author said between two moments, oldest first."""
        spoken = "origin = 'author' AND event_type = 'author_message' AND situation != 'erased'"
        rows = self.rows(
            f"SELECT {_MEMORY} FROM events WHERE occurred = '' AND timestamp >= ?1 AND timestamp < ?2 "  # noqa: S608 - constants
            f"AND segment BETWEEN ?3 AND ?4 AND {spoken} UNION ALL SELECT {_MEMORY} FROM events "
            f"WHERE occurred != '' AND occurred >= ?1 AND occurred < ?2 AND {spoken} ORDER BY 2, 1",
            (start, end, start[:10], end[:10] + "~"),
        )
        return [_memory(row) for row in rows]

    def texts(self, only: str = "author != 'kernel'") -> Iterator[Memory]:
        """Every memory that has something to say, oldest first, read a stretch at a time."""
        seq = 0
        while found := self.rows(
            f"SELECT {_MEMORY} FROM events WHERE seq > ? AND {only} AND text != '' "  # noqa: S608 - a constant condition
            "ORDER BY seq LIMIT 1000",
            (seq,),
        ):
            yield from map(_memory, found)
            seq = int(found[-1][0])

    def reread(self) -> int:
        """The last event after which what was read before may no longer hold."""
        return int(self.row("SELECT coalesce(max(seq), 0) FROM rereads")[0])

    def place(self, seq: int) -> tuple[str, int, int] | None:
        """In which segment a line stands, where, and how long it is."""
        found = self.row("SELECT segment, offset, length FROM events WHERE seq = ?", (seq,))
        return (str(found[0]), int(found[1]), int(found[2])) if found else None

    def words_agree(self) -> bool:
        """Whether the word index is what the events make of it."""
        try:
            self._db.execute("INSERT INTO words(words, rank) VALUES('integrity-check', 1)")
        except apsw.Error:
            return False
        return True

    def weights(self, seqs: Iterable[int]) -> dict[int, int]:
        """What memories weigh now, in millionths."""
        asked = "SELECT weight FROM events WHERE seq = ?"
        return {seq: int(row[0]) for seq in seqs if (row := self.row(asked, (seq,)))}

    def scrub(self) -> bool:
        """Write the log back and cut it, so that deleted rows are in no file any more."""
        clear_away(self.being.index)

        def cut() -> bool:
            row: Row = self._db.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
            return not row[0]  # SQLite has waited as long as for any lock

        return self._mended(cut)

    def rows(self, sql: str, values: Sequence[object] = ()) -> list[Row]:
        """Ask the database, for the modules of this folder."""
        return self._mended(lambda: self._db.execute(sql, values).fetchall())

    def row(self, sql: str, values: Sequence[object] = ()) -> Row:
        """The first row of an answer, or nothing."""
        return next(iter(self.rows(sql, values)), None)

    def keep(self, *work: tuple[str, Sequence[tuple[object, ...]]]) -> None:
        """Change cached rows, all together: statements, each with the rows to run it on."""

        def insert() -> None:
            with transaction(self._db):
                for sql, rows in work:
                    self._db.executemany(sql, rows)

        self._mended(insert)

    def _mended(self, work: Callable[[], Result]) -> Result:
        """Do something; a damaged index is thrown away and made again, and then it is done."""
        with self._threads, room_needed():
            try:
                return work()
            except apsw.BusyError as error:
                raise Busy("another process keeps the index busy", fix="try again") from error
            except (apsw.CorruptError, apsw.NotADBError, apsw.IOError):
                self._start_over("it was damaged")
            try:
                self._catch_up(unwatched)
                return work()
            except (apsw.CorruptError, apsw.NotADBError, apsw.IOError) as error:
                raise LumenError(
                    f"the index cannot be used: {error}", fix=f"rm -r {self.being.index.parent}"
                ) from error

    def distrust(self) -> None:
        """Make all of it again, vectors too: it said what the archive does not."""
        with self._threads, room_needed():
            self._start_over("it said what the archive does not")
            self._catch_up(unwatched)

    def _start_over(self, why: str) -> None:
        self._db.close()
        self._db = make(self.being.index)
        self._noticed()
        self.repairs.append(f"The index was rebuilt from the archive: {why}.")

    def _catch_up(self, progress: Progress, *, first: bool = True) -> int:
        if identity(self.being.index) != self._file:  # made again elsewhere, or deleted
            self._db.close()
            self._db = self._open()
        last = last_applied(self._db)
        self.loose = None
        if last and not last.stands(self.being.memory):
            self._start_over("the archive it was made from has changed")
            last = None
        if last and last.is_last(self.being.memory):
            return last.seq
        seq, self.loose = follow(self._db, self.being.memory, progress)
        if self.loose and first:  # others may have been mending the end or forgetting just then
            return self._catch_up(progress, first=False)
        if not last and not self.repairs and seq >= WORTH_TELLING:
            self.repairs.append("The index was rebuilt from the archive: it was not there.")
        return seq


def _memory(row: Row) -> Memory:
    seq, timestamp, author, origin, event_type, text, session_key, private, weight = row
    return Memory(
        seq=seq,
        timestamp=timestamp,
        author=Author(author),
        origin=Origin(origin),
        event_type=EventType(event_type),
        text=text,
        session_key=session_key,
        private=bool(private),
        weight=weight,
    )
