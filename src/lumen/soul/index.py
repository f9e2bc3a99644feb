"""A SQLite projection of the archive: what can be asked quickly. May be deleted at any time.

It catches up from the archive before every question, so it is never the truth and never behind
it. Kernel memories are counted and listed for the author, but no search or recall returns them.
Fast, approximate vector search is not here: vectors are kept and handed out as bytes.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

import apsw

from lumen.core.data import Author, Being, Event, EventType, Memory, Origin
from lumen.core.errors import LumenError, NoSpace
from lumen.soul.archive import Stored, parse, read, read_at
from lumen.soul.database import make, open_or_make, transaction

OLDEST_SAFE_SQLITE = 3051003  # before it, WAL with several writers can corrupt a database
WORTH_TELLING = 10  # events: with fewer, the being has hardly lived
CLOSING = ("record", "unclosed", "interrupted")
WORD = re.compile(r"\w[\w'’]*")
Result = TypeVar("Result")
Row = Any  # a row as SQLite hands it over; read in this module and nowhere else

_MEMORY = "seq, timestamp, author, origin, event_type, text, session_key, private"


@dataclass(frozen=True, slots=True)
class Passage:
    """A stretch of a memory's text with its vector, as float32 bytes."""

    seq: int
    start: int
    stop: int
    vector: bytes


@dataclass(frozen=True, slots=True)
class LastChange:
    """The newest archived change to a store's file."""

    seq: int
    timestamp: str
    base: str
    text: str


class Index:
    """An open projection of one being's archive."""

    def __init__(self, being: Being) -> None:
        self.being = being
        self.repairs: list[str] = []
        check_engine()
        self._db, why = open_or_make(being.index)
        if why:
            self.repairs.append(f"The index was rebuilt from the archive: {why}.")

    def close(self) -> None:
        """Let go of the database."""
        self._db.close()

    def catch_up(self) -> int:
        """Apply every finished line that is not applied yet; returns the last event's number."""
        return self._mended(self._catch_up)

    def counts(self) -> dict[str, int]:
        """How many memories each author wrote."""
        rows = self._rows("SELECT author, count(*) FROM events GROUP BY author")
        return {str(a): int(n) for a, n in rows}

    def last_head(self) -> tuple[int, str]:
        """Number and hash of the last event applied."""
        row = self._row("SELECT seq, event_hash FROM events ORDER BY seq DESC LIMIT 1")
        return (int(row[0]), str(row[1])) if row else (0, "")

    def memories(
        self,
        *,
        author: str | None = None,
        day: str | None = None,
        limit: int | None = 20,
        oldest: bool = False,
        kernel: bool = True,
    ) -> list[Memory]:
        """The newest (or the oldest) memories, in order. Kernel ones too: for the author's eyes."""
        where, values = ["1" if kernel else "author != 'kernel'"], []
        if author:
            where.append("author = ?")
            values.append(author)
        if day:
            where.append("segment = ?")
            values.append(f"{day}.jsonl")
        order = "ASC" if oldest else "DESC"
        rows = self._rows(
            f"SELECT {_MEMORY} FROM events WHERE {' AND '.join(where)} "  # noqa: S608 - only literals are joined
            f"ORDER BY seq {order} LIMIT ?",
            (*values, -1 if limit is None else limit),
        )
        return [_memory(row) for row in (rows if oldest else reversed(rows))]

    def recent(self, before: int, limit: int) -> list[Memory]:
        """The last memories a loop may see that came before an event, oldest first."""
        rows = self._rows(
            f"SELECT {_MEMORY} FROM events WHERE seq < ? AND author != 'kernel' "  # noqa: S608 - a constant column list
            "ORDER BY seq DESC LIMIT ?",
            (before, limit),
        )
        return [_memory(row) for row in reversed(rows)]

    def get(self, seqs: Iterable[int]) -> dict[int, Memory]:
        """Memories by number; kernel ones are left out."""
        found: dict[int, Memory] = {}
        for seq in seqs:
            row = self._row(
                f"SELECT {_MEMORY} FROM events WHERE seq = ? AND author != 'kernel'",  # noqa: S608 - a constant column list
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
        rows = self._rows(
            "SELECT rowid, -bm25(words) FROM words WHERE words MATCH ? ORDER BY rank LIMIT ?",
            (query, limit),
        )
        return [(int(seq), float(score)) for seq, score in rows]

    def turn(self, session_key: str) -> list[Event]:
        """Every event of a turn, kernel ones too: for `why` and for audits, never for a prompt."""
        rows = self._rows(
            "SELECT segment, offset, length FROM events WHERE session_key = ? ORDER BY seq",
            (session_key,),
        )
        return [parse(read_at(self.being.memory, *place)) for place in rows]

    def last_turn(self) -> str:
        """The session key of the newest turn that was answered."""
        row = self._row(
            "SELECT session_key FROM events WHERE author = 'self' "
            "AND event_type = 'assistant_message' ORDER BY seq DESC LIMIT 1"
        )
        return str(row[0]) if row else ""

    def turn_of(self, seq: int) -> str:
        """The session key an event belongs to."""
        row = self._row("SELECT session_key FROM events WHERE seq = ?", (seq,))
        return str(row[0]) if row else ""

    def last_change(self, store: str) -> LastChange | None:
        """The newest change to a store's file, if there was one."""
        row = self._row(
            "SELECT c.seq, e.timestamp, c.base, c.text FROM changes c JOIN events e USING(seq) "
            "WHERE store = ? ORDER BY c.seq DESC LIMIT 1",
            (store,),
        )
        return LastChange(int(row[0]), str(row[1]), str(row[2]), str(row[3])) if row else None

    def hash_of(self, seq: int) -> str:
        """The hash of an event; empty when there is none of that number."""
        row = self._row("SELECT event_hash FROM events WHERE seq = ?", (seq,))
        return str(row[0]) if row else ""

    def open_turns(self) -> list[tuple[str, int]]:
        """Turns that were begun and never closed."""
        rows = self._rows("SELECT session_key, seq FROM open_turns ORDER BY seq")
        return [(str(key), int(seq)) for key, seq in rows]

    def vector_progress(self) -> tuple[int, int]:
        """How many memories have a vector, and how many are worth one."""
        done = self._row("SELECT count(DISTINCT seq) FROM vectors")
        worth = self._row(
            "SELECT count(*) FROM events "
            "WHERE author != 'kernel' AND event_type != 'assistant_message'"
        )
        return int(done[0]), int(worth[0])

    def without_vectors(self, embedder: str, limit: int) -> list[Memory]:
        """Memories worth finding by meaning that have no vector of this embedder yet."""
        rows = self._rows(
            f"SELECT {_MEMORY} FROM events WHERE author != 'kernel' "  # noqa: S608 - a constant column list
            "AND event_type != 'assistant_message' AND NOT EXISTS "
            "(SELECT 1 FROM vectors v WHERE v.embedder = ? AND v.seq = events.seq) "
            "ORDER BY seq LIMIT ?",
            (embedder, limit),
        )
        return [_memory(row) for row in rows]

    def add_vectors(self, embedder: str, passages: Sequence[Passage]) -> None:
        """Keep vectors; a memory's passages are added together."""
        numbered: dict[int, int] = {}
        rows = []
        for p in passages:
            part = numbered[p.seq] = numbered.get(p.seq, -1) + 1
            rows.append((p.seq, part, embedder, p.start, p.stop, p.vector))
        self._keep("INSERT OR REPLACE INTO vectors VALUES(?,?,?,?,?,?)", rows)

    def vectors(self, embedder: str, after: int) -> Iterator[Passage]:
        """Every kept vector of memories past an event."""
        rows = self._db.execute(
            "SELECT seq, start, stop, vector FROM vectors WHERE embedder = ? AND seq > ? "
            "ORDER BY seq, part",
            (embedder, after),
        )
        for seq, start, stop, vector in rows:
            yield Passage(int(seq), int(start), int(stop), bytes(vector))

    def lexemes(self, embedder: str, words: Sequence[str]) -> dict[str, bytes]:
        """The kept vectors of single words."""
        marks = ",".join("?" * len(words))
        rows = self._rows(
            f"SELECT word, vector FROM lexemes WHERE embedder = ? AND word IN ({marks})",  # noqa: S608 - only question marks
            (embedder, *words),
        )
        return {str(word): bytes(vector) for word, vector in rows}

    def add_lexemes(self, embedder: str, vectors: dict[str, bytes]) -> None:
        """Keep vectors of single words."""
        rows = [(embedder, word, vector) for word, vector in vectors.items()]
        self._keep("INSERT OR REPLACE INTO lexemes VALUES(?,?,?)", rows)

    def _rows(self, sql: str, values: Sequence[object] = ()) -> list[Row]:
        return self._mended(lambda: self._db.execute(sql, values).fetchall())

    def _row(self, sql: str, values: Sequence[object] = ()) -> Row:
        return next(iter(self._rows(sql, values)), None)

    def _keep(self, sql: str, rows: Sequence[tuple[object, ...]]) -> None:
        def insert() -> None:
            with transaction(self._db):
                self._db.executemany(sql, rows)

        self._mended(insert)

    def _mended(self, work: Callable[[], Result]) -> Result:
        """Do something; a damaged index is thrown away and made again, and then it is done."""
        try:
            return work()
        except (apsw.CorruptError, apsw.NotADBError, apsw.IOError):
            self._start_over("it was damaged")
            self._catch_up()
            return work()
        except apsw.FullError as error:
            raise NoSpace("the disk is full: the index cannot grow", fix="make room") from error

    def _start_over(self, why: str) -> None:
        self._db.close()
        self._db = make(self.being.index)
        self.repairs.append(f"The index was rebuilt from the archive: {why}.")

    def _catch_up(self) -> int:
        last = self._db.execute(
            "SELECT seq, segment, offset, length, event_hash FROM events ORDER BY seq DESC LIMIT 1"
        ).fetchone()
        if last and not self._still_there(last):
            self._start_over("the archive it was made from has changed")
            last = None
        after = (str(last[1]), int(last[2]) + int(last[3])) if last else ("", 0)
        if last and not self._has_more(after):
            return int(last[0])
        with transaction(self._db):
            row: Row = self._db.execute("SELECT max(seq) FROM events").fetchone()
            seq = int(row[0] or 0)
            for stored in read(self.being.memory, after):
                if stored.event.seq > seq:
                    self._apply(stored)
                    seq = stored.event.seq
        if not last and not self.repairs and seq >= WORTH_TELLING:
            self.repairs.append("The index was rebuilt from the archive: it was not there.")
        return seq

    def _still_there(self, last: tuple[int, str, int, int, str]) -> bool:
        _, segment, offset, length, event_hash = last
        raw = read_at(self.being.memory, segment, offset, length)
        return raw[15:79] == event_hash.encode()

    def _has_more(self, after: tuple[str, int]) -> bool:
        folder = self.being.memory / after[0][:4]
        if (folder / after[0]).stat().st_size > after[1]:
            return True
        return next(read(self.being.memory, after), None) is not None

    def _apply(self, stored: Stored) -> None:
        event, entry = stored.event, stored.event.entry
        private = 1 if entry.payload.get("private") is True else 0
        self._db.execute(
            "INSERT INTO events VALUES(?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)",
            (
                event.seq,
                event.id,
                event.event_hash,
                event.timestamp,
                entry.author.value,
                entry.event_type.value,
                entry.origin.value,
                entry.situation,
                entry.session_key,
                entry.model,
                entry.weight,
                private,
                stored.segment,
                stored.offset,
                stored.length,
                entry.description,
            ),
        )
        if entry.author is not Author.KERNEL:
            self._db.execute(
                "INSERT INTO words(rowid, text) VALUES(?,?)", (event.seq, entry.description)
            )
        if entry.event_type is EventType.AUTHOR_MESSAGE:
            self._db.execute(
                "INSERT OR REPLACE INTO open_turns VALUES(?,?)", (entry.session_key, event.seq)
            )
        elif entry.author is Author.KERNEL and entry.situation in CLOSING:
            self._db.execute("DELETE FROM open_turns WHERE session_key = ?", (entry.session_key,))
        for change in entry.payload.get("changes", ()) if entry.author is Author.KERNEL else ():
            self._db.execute(
                "INSERT OR REPLACE INTO changes VALUES(?,?,?,?)",
                (event.seq, change["store"], change["base"], change["value"]),
            )


def check_engine() -> None:
    """Refuse an SQLite whose write-ahead log can corrupt under several writers."""
    if apsw.SQLITE_VERSION_NUMBER < OLDEST_SAFE_SQLITE:
        raise LumenError(
            f"SQLite {apsw.sqlite_lib_version()} can corrupt a database that several processes use",
            fix="uv sync --upgrade-package apsw   (SQLite 3.51.3 or newer)",
        )


def _memory(row: Row) -> Memory:
    seq, timestamp, author, origin, event_type, text, session_key, private = row
    return Memory(
        seq=seq,
        timestamp=timestamp,
        author=Author(author),
        origin=Origin(origin),
        event_type=EventType(event_type),
        text=text,
        session_key=session_key,
        private=bool(private),
    )
