"""A being that was told a million things: made once, kept outside of the checkout, used by every run.

All of it is archived as anything that is told. The rows of the index are written in bulk, since folding
them one by one takes most of an hour; `same_as_folded` shows at a small size that they are the same.
"""

from __future__ import annotations

import os
import shutil
import time
from collections import Counter
from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from itertools import accumulate, chain

import apsw

import lumen
from bench.corpus import HOME, LONG, Corpus, texts_of, vectors_of
from lumen.app.wiring import keyring
from lumen.core.clock import SystemClock, stamp
from lumen.core.data import (
    Author,
    BeingPaths,
    Entry,
    EventType,
    Origin,
    Passage,
    Placed,
    kernel_entry,
)
from lumen.kernel.language.asking import shape
from lumen.kernel.language.passages import Embedder
from lumen.kernel.recall.lanes import Lane, marks_for
from lumen.soul.archive.line import segments
from lumen.soul.index.database import SCHEMA, transaction
from lumen.soul.index.index import Index
from lumen.soul.index.sessions import session_number
from lumen.soul.index.terms import terms
from lumen.soul.state.fold import TOLD, day_of
from lumen.soul.state.records import millionths
from lumen.soul.writing.open import open_storage

SESSION = 40  # memories in a conversation
SHAPES = 500  # real texts whose shapes the others take over
LONGEST_LINE = 4096  # bytes, more than any of these takes
NAMES = ("Ann", "Ben", "Clara", "Dmitri", "Eva", "Farid", "Greta", "Hana", "Ivo", "Jonas")
BEGAN = datetime(2020, 1, 1, 9, tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class Grown:
    """A being with many memories, which are its events from one on."""

    being: BeingPaths
    first: int
    many: int
    seconds: int = 0  # by the clock, that making it took


def grown(real: Corpus, embedder: Embedder, many: int) -> Grown:
    """A being with so many memories, all of them findable by words and by meaning."""
    being = BeingPaths(HOME / f"being-{many}-{embedder.id}")
    done = HOME / f"{being.root.name}-{SCHEMA}.done"  # of another shape: folding it takes an hour
    if not done.exists():
        began = time.monotonic()
        shutil.rmtree(being.root, ignore_errors=True)
        lumen.create(being.root)
        first = tell(being, real, many)
        _learn(Grown(being, first, many), real, embedder)
        done.write_text(f"{first} {time.monotonic() - began:.0f}")
    first, seconds = map(int, done.read_text().split())
    return Grown(being, first, many, seconds)


def same_as_folded(real: Corpus, embedder: Embedder) -> bool:
    """Whether rows that were written in bulk are what the archive makes of them."""
    few = grown(real, embedder, 10 * SESSION)
    with closing(Index(few.being)) as index:
        return index.differences() == []


def tell(being: BeingPaths, real: Corpus, many: int) -> int:
    """Archive the memories and write their rows; returns the first of them."""
    storage = open_storage(being, keyring(), SystemClock())
    index = storage.index
    with closing(storage.log), closing(index):
        first, bulk = index.catch_up() + 1, Bulk()
        db = index.alone(lambda db: db)
        for texts in texts_of(real, many):
            entries = [_entry(bulk.many + n, text) for n, text in enumerate(texts)]
            placed = storage.log.append(entries, durable=False)
            with transaction(db):
                bulk.add(db, entries, placed, _lines(being, len(entries)))
        with transaction(db):
            bulk.end(db)
        beat = kernel_entry("remembered", "The author gave it to remember.", "lumen:author", {})
        storage.log.append([beat], durable=True, sign=True)
        index.catch_up()
    return first


def _entry(n: int, text: str) -> Entry:
    """A memory: every third is somebody else's word, forty make a conversation."""
    moment = BEGAN + timedelta(hours=2 * (n // SESSION), minutes=n % SESSION)
    payload = {"occurred_at": stamp(moment), "conversation": f"talk {n // SESSION}"}
    guest = {"speaker": NAMES[n // SESSION % len(NAMES)]} if n % 3 == 0 else {}
    return Entry(
        author=Author.EXTERNAL,
        event_type=EventType.AUTHOR_MESSAGE,
        origin=Origin.GUEST if guest else Origin.AUTHOR,
        situation=TOLD,
        description=text,
        session_key=f"lumen:told:{n}",
        payload=payload | guest,
    )


def _lines(being: BeingPaths, many: int) -> list[tuple[str, int, int]]:
    """Where the last lines of the archive stand: segment, offset and length."""
    segment = segments(being.memory)[-1]
    with segment.open("rb") as file:
        end = file.seek(0, os.SEEK_END)
        file.seek(max(0, end - many * LONGEST_LINE))
        lengths = [len(line) for line in file][-many:]
    starts = accumulate(lengths, initial=end - sum(lengths))
    return [(segment.name, start, long) for start, long in zip(starts, lengths, strict=False)]


@dataclass(slots=True)
class Bulk:
    """Rows of memories as folding makes them, written by the batch; counts are written at the end."""

    many: int = 0
    length: int = 0
    memories: Counter[str] = field(default_factory=Counter)
    talks: Counter[str] = field(default_factory=Counter)
    names: Counter[str] = field(default_factory=Counter)

    def add(
        self,
        db: apsw.Connection,
        entries: Sequence[Entry],
        placed: Sequence[Placed],
        lines: Sequence[tuple[str, int, int]],
    ) -> None:
        """Write the rows of some memories, of whole conversations."""
        found = [terms(entry.description) for entry in entries]
        seqs = [p.seq for p in placed]
        db.executemany(
            f"INSERT INTO events VALUES({','.join('?' * 23)})",
            (_event(*one) for one in zip(entries, placed, lines, strict=True)),
        )
        words = ((seq, " ".join(some)) for seq, some in zip(seqs, found, strict=True))
        db.executemany("INSERT INTO words(rowid, text) VALUES(?,?)", words)
        db.executemany("INSERT INTO unembedded VALUES(0, ?)", ((seq,) for seq in seqs))
        for n in range(0, len(entries), SESSION):
            talk = slice(n, n + SESSION)
            self._session(db, entries[talk], seqs[talk], found[talk])
        self.many += len(entries)

    def _session(
        self,
        db: apsw.Connection,
        entries: Sequence[Entry],
        seqs: Sequence[int],
        found: Sequence[Sequence[str]],
    ) -> None:
        moments = [entry.payload_text("occurred_at") for entry in entries]
        number = session_number(entries[0].payload_text("conversation"), moments[0])
        speakers = [entry.payload_text("speaker").lower() for entry in entries]
        sides = zip([0, *seqs[:-1]], [*seqs[1:], 0], strict=True)
        rows = zip(seqs, sides, moments, speakers, found, strict=True)
        db.executemany(
            "INSERT INTO utterances VALUES(?,?,?,?,?,?,?,?)",
            (
                (s, number, *beside, day_of(m), w, len(t), "".join(f" {x} " for x in t))
                for s, beside, m, w, t in rows
            ),
        )
        said, length = Counter(chain.from_iterable(found)), sum(map(len, found))
        spoke = Counter(filter(None, speakers))
        db.execute("INSERT INTO sessions VALUES(?,?,?)", (number, len(entries), length))
        for table, counts in (("session_terms", said), ("session_speakers", spoke)):
            each = ((number, name, n) for name, n in sorted(counts.items()))
            db.executemany(f"INSERT INTO {table} VALUES(?,?,?)", each)
        self.length += length
        self.names += spoke
        self.talks.update([*said, ""])
        for some in found:
            self.memories.update({"", *some})

    def end(self, db: apsw.Connection) -> None:
        """Write what counts all of them."""
        db.execute("INSERT INTO sessions VALUES(0,?,?)", (self.many, self.length))
        db.executemany("INSERT INTO names VALUES(?,?)", self.names.items())
        often = ((term, n, self.talks[term]) for term, n in self.memories.items())
        db.executemany("INSERT INTO frequency VALUES(?,?,?)", often)
        kind = (Author.EXTERNAL.value, EventType.AUTHOR_MESSAGE.value, self.many)
        db.execute("INSERT INTO tally VALUES(?,?,?)", kind)


def _event(entry: Entry, placed: Placed, line: tuple[str, int, int]) -> tuple[object, ...]:
    birth, day = millionths(entry.weight), day_of(placed.timestamp)
    kind = (entry.author.value, entry.event_type.value, entry.origin.value)
    kept = (entry.situation, entry.session_key, entry.model, birth, day, birth, day, 0)
    told = map(entry.payload_text, ("conversation", "key", "occurred_at", "speaker"))
    where = (placed.seq, placed.id, placed.event_hash, placed.timestamp)
    return (*where, *kind, *kept, *line, entry.description, *told)


def _learn(one: Grown, real: Corpus, embedder: Embedder) -> None:
    """Give every memory its vector, as one passage; a made text has the shape of a real one."""
    shapes = [shape(text) for text in real.texts[:SHAPES]]
    with closing(Index(one.being)) as index:
        vectors = index.vectors.built_in(embedder.id)
        vectors.missing(1)
        for first, rows in vectors_of(real, one.many):
            learnt = [
                Passage(
                    one.first + n,
                    0,
                    LONG,
                    row.tobytes(),
                    marks=marks_for(Lane.STATED if n % 3 else Lane.GUEST, shapes[n % len(shapes)]),
                )
                for n, row in enumerate(rows, first)
            ]
            vectors.add([p.seq for p in learnt], learnt)
