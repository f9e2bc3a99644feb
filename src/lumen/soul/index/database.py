"""The index's database file: its tables, and how it is opened, made and made again.

What is kept in it and asked of it is in index.py.
"""

from __future__ import annotations

import fcntl
import os
import re
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import apsw

from lumen.core.errors import LumenError, NoSpace
from lumen.soul.archive.disk import refusal
from lumen.soul.archive.line import ABOUT_TRUST
from lumen.soul.index.sidecar import VectorFiles, drop
from lumen.soul.index.terms import VERSION
from lumen.soul.state.records import faded, strengthened

OLDEST_SAFE_SQLITE = 3051003  # before it, WAL with several writers can corrupt a database
SCHEMA = 18
UNWRITABLE = (
    apsw.SQLITE_IOERR_WRITE,
    apsw.SQLITE_IOERR_TRUNCATE,
    apsw.SQLITE_IOERR_FSYNC,
    apsw.SQLITE_IOERR_SHMSIZE,
)
OF_TRUST = f"author = 'kernel' AND situation IN {ABOUT_TRUST}"
_TABLES = """
CREATE TABLE events(
  seq INTEGER PRIMARY KEY, id TEXT, event_hash TEXT, timestamp TEXT, author TEXT, event_type TEXT,
  origin TEXT, situation TEXT, session_key TEXT, model TEXT, birth INTEGER, born INTEGER,
  weight INTEGER, touched INTEGER, private INTEGER,
  segment TEXT, offset INTEGER, length INTEGER, text TEXT, conversation TEXT, key TEXT, occurred TEXT,
  speaker TEXT);
CREATE INDEX events_author ON events(author, seq);
CREATE INDEX events_session ON events(session_key);
CREATE INDEX events_key ON events(key) WHERE key != '';
CREATE INDEX events_conversation ON events(conversation, seq) WHERE conversation != '';
CREATE INDEX events_occurred ON events(occurred) WHERE occurred != '';
CREATE INDEX events_repairs ON events(situation) WHERE situation = 'repair';
CREATE INDEX events_asked ON events(situation, seq)
  WHERE situation IN ('escalation', 'skill_proposed', 'approved', 'denied', 'escalated');
CREATE INDEX events_trust ON events(seq) WHERE OF_TRUST;
CREATE INDEX events_day ON events(segment, seq);
CREATE INDEX events_skills ON events(situation, seq) WHERE situation = 'skill';
CREATE INDEX events_doings ON events(seq)
  WHERE author = 'self' AND event_type != 'assistant_message';
CREATE INDEX events_done ON events(situation, seq)
  WHERE author = 'self' AND event_type != 'assistant_message';
CREATE INDEX events_private ON events(seq) WHERE private = 1;
-- Of each memory its terms, which terms.py makes, and of each term in how many texts and sessions it is;
-- '' is in all.
CREATE VIRTUAL TABLE words USING fts5(text, content='', tokenize="unicode61 remove_diacritics 0");
CREATE TABLE frequency(term TEXT PRIMARY KEY, n INTEGER, sessions INTEGER) WITHOUT ROWID;
-- What was said by session, whose number is made of its conversation or its day; 0 counts all together.
-- Of each memory what was said before and after it there, or 0.
CREATE TABLE utterances(seq INTEGER PRIMARY KEY, session INTEGER, previous INTEGER, following INTEGER,
  day INTEGER, speaker TEXT, length INTEGER, terms TEXT);
CREATE INDEX utterances_session ON utterances(session, seq);
CREATE INDEX utterances_day ON utterances(day, seq);
CREATE TABLE sessions(id INTEGER PRIMARY KEY, n INTEGER, length INTEGER);
CREATE TABLE session_terms(session INTEGER, term TEXT, n INTEGER,
  PRIMARY KEY(session, term)) WITHOUT ROWID;
CREATE TABLE session_speakers(session INTEGER, speaker TEXT, n INTEGER,
  PRIMARY KEY(session, speaker)) WITHOUT ROWID;
CREATE TABLE names(name TEXT PRIMARY KEY, n INTEGER) WITHOUT ROWID;
CREATE TABLE tally(author TEXT, event_type TEXT, n INTEGER,
  PRIMARY KEY(author, event_type)) WITHOUT ROWID;
CREATE TABLE open_turns(session_key TEXT PRIMARY KEY, seq INTEGER) WITHOUT ROWID;
CREATE TABLE changes(path TEXT, seq INTEGER, store TEXT, base TEXT, text TEXT,
  PRIMARY KEY(path, seq)) WITHOUT ROWID;
CREATE INDEX changes_seq ON changes(seq);
CREATE TABLE operations(path TEXT, seq INTEGER, n INTEGER, told TEXT,
  PRIMARY KEY(path, seq, n)) WITHOUT ROWID;
CREATE INDEX operations_seq ON operations(seq);
CREATE TABLE records(path TEXT PRIMARY KEY, store TEXT, seq INTEGER, base TEXT, text TEXT) WITHOUT ROWID;
CREATE TABLE lines(path TEXT, line TEXT, seq INTEGER, PRIMARY KEY(path, line)) WITHOUT ROWID;
CREATE TABLE undone(seq INTEGER PRIMARY KEY, undoes INTEGER);
CREATE TABLE checkpoints(seq INTEGER PRIMARY KEY, name TEXT);
CREATE TABLE uses(seq INTEGER, memory INTEGER, by INTEGER, day INTEGER,
  PRIMARY KEY(seq, memory)) WITHOUT ROWID;
CREATE TABLE fades(seq INTEGER PRIMARY KEY, as_of INTEGER, half_life INTEGER);
CREATE TABLE restores(seq INTEGER PRIMARY KEY, upto INTEGER);
CREATE TABLE erasures(seq INTEGER, target INTEGER, scrubbed INTEGER,
  PRIMARY KEY(seq, target)) WITHOUT ROWID;
CREATE INDEX erasures_target ON erasures(target);
CREATE INDEX erasures_open ON erasures(seq, target) WHERE NOT scrubbed;
CREATE TABLE rereads(seq INTEGER PRIMARY KEY);
CREATE TABLE held(path TEXT PRIMARY KEY, sha256 TEXT, seq INTEGER) WITHOUT ROWID;
CREATE TABLE calls(id TEXT PRIMARY KEY, seq INTEGER, moment TEXT, role TEXT, step TEXT, model TEXT,
  local INTEGER, set_aside INTEGER, escalated INTEGER, outcome TEXT, tokens INTEGER, prompt INTEGER,
  completion INTEGER, cached INTEGER, ms INTEGER, micros INTEGER) WITHOUT ROWID;
CREATE INDEX calls_moment ON calls(moment);
CREATE TABLE cycles(seq INTEGER PRIMARY KEY, loop TEXT, goal TEXT, skill TEXT, ok INTEGER,
  progress INTEGER, completed INTEGER, delta REAL, chosen INTEGER, options TEXT, conflicts TEXT);
CREATE INDEX cycles_goal ON cycles(goal, seq);
CREATE INDEX cycles_loop ON cycles(loop, seq);
CREATE INDEX cycles_skill ON cycles(skill, seq);
CREATE INDEX calls_seq ON calls(seq);
-- What follows is a cache: made again when it is missing, compared by nobody. Passages are kept by the
-- number of their embedder: 0 is the built-in one, 1 the one chosen beside it. Without an id none was begun,
-- an empty one says that nothing is to stand beside the built-in one.
CREATE TABLE embedders(number INTEGER PRIMARY KEY, id TEXT, token TEXT, size INTEGER, first INTEGER,
  next INTEGER, mean BLOB, private INTEGER, scale REAL, shift REAL);
INSERT INTO embedders(number, token, size, first, next) VALUES(0, '', 0, 1, 1), (1, '', 0, 1, 1);
CREATE TABLE unembedded(embedder INTEGER, seq INTEGER, PRIMARY KEY(embedder, seq)) WITHOUT ROWID;
CREATE TABLE passages(embedder INTEGER, id INTEGER, seq INTEGER, part INTEGER,
  start INTEGER, stop INTEGER, marks INTEGER, PRIMARY KEY(embedder, id)) WITHOUT ROWID;
CREATE UNIQUE INDEX passages_seq ON passages(embedder, seq, part);
-- What is judged by, which the built-in embedder's alone is.
CREATE TABLE lexemes(word TEXT PRIMARY KEY, vector BLOB) WITHOUT ROWID;
CREATE TABLE marked(bit INTEGER, seq INTEGER, id INTEGER, PRIMARY KEY(bit, seq, id)) WITHOUT ROWID;
CREATE TABLE revisions(new INTEGER, old INTEGER, PRIMARY KEY(new, old)) WITHOUT ROWID;
CREATE INDEX revisions_old ON revisions(old, new);
-- And numbers for what private memories say, to find it in a text that is about to leave.
CREATE TABLE withheld(mark INTEGER, seq INTEGER, PRIMARY KEY(mark, seq)) WITHOUT ROWID;
CREATE INDEX withheld_seq ON withheld(seq);
CREATE TABLE withheld_upto(upto INTEGER, reread INTEGER);
INSERT INTO words(words, rank) VALUES('secure-delete', 1);
""".replace("OF_TRUST", OF_TRUST)
# What the archive makes: every table before that line.
FOLDED = tuple(
    re.findall(r"CREATE TABLE (\w+)", _TABLES.partition("-- What follows is a cache")[0])
)

Row = Any  # a row as SQLite hands it over
_TERMS = zlib.crc32(VERSION.encode()) >> 1  # which terms are in the word index
_TAKE_OVER = """
INSERT OR REPLACE INTO main.embedders SELECT * FROM old.embedders;
INSERT INTO main.unembedded SELECT 1, seq FROM main.unembedded JOIN main.events USING(seq)
  WHERE event_type != 'assistant_message' AND (SELECT id FROM main.embedders WHERE number = 1) != '';
INSERT INTO main.lexemes SELECT * FROM old.lexemes;
CREATE TEMP TABLE same AS SELECT e.seq FROM old.events o JOIN main.events e USING(seq)
  WHERE e.event_hash = o.event_hash AND e.situation != 'erased';
INSERT INTO main.passages SELECT * FROM old.passages WHERE seq IN same;
INSERT INTO main.marked SELECT * FROM old.marked WHERE seq IN same;
INSERT INTO main.revisions SELECT * FROM old.revisions WHERE new IN same AND (old = 0 OR old IN same);
-- Queued is what was, what is another event now, and what is new.
DELETE FROM main.unembedded WHERE seq IN same
  AND (embedder, seq) NOT IN (SELECT embedder, seq FROM old.unembedded);
"""


def open_or_make(path: Path) -> tuple[apsw.Connection, str]:
    """The database, made where there was none or none that can be used, and then: why not."""
    with _alone(path):
        try:
            db = _connect(path)
            version = db.pragma("user_version")
        except (apsw.NotADBError, apsw.CorruptError):
            return _made(path), "it was damaged"
        if version == SCHEMA and db.pragma("application_id") == _TERMS:
            return db, ""
        db.close()
        return _made(path), "its shape is from another version" if version else ""


def make(path: Path) -> apsw.Connection:
    """An empty database in place of whatever is there."""
    with _alone(path):
        return _made(path)


def replace_with(fresh: Path, path: Path) -> apsw.Connection:
    """Put a database that was made aside in place of another, taking over its vectors."""
    with _alone(path):
        db = _connect(fresh)
        if db.pragma("user_version") != SCHEMA:  # it went missing: what is there serves better
            db.close()
            remove(fresh)
            return _connect(path)
        tokens: list[str] = []
        try:
            if path.exists():
                db.execute("ATTACH ? AS old", (str(path),))
                with transaction(db):
                    db.execute(_TAKE_OVER)
                    tokens = _blank_left_out(db, path)
                db.execute("DETACH old")
        except apsw.Error:  # what was damaged or of another shape: vectors are made again
            tokens = []
        finally:
            db.close()
        remove(path)
        drop(path, but=tokens)
        fresh.replace(path)
        remove(fresh)
        return _connect(path)


def _blank_left_out(db: apsw.Connection, path: Path) -> list[str]:
    """Let no vector be left of what was not taken over; returns the tokens of those that were."""
    sets: Row = db.execute(
        "SELECT number, token, size, first FROM main.embedders WHERE size"
    ).fetchall()
    for number, token, size, first in sets:
        asked = "SELECT id FROM old.passages WHERE embedder = ? AND seq NOT IN same"
        gone: Row = db.execute(asked, (number,)).fetchall()
        VectorFiles(path, token, size).blank(int(n) - first for (n,) in gone)
    return [str(token) for _, token, _, _ in sets]


def is_read_only(path: Path) -> bool:
    """Whether a database can stand at a path and nothing can be written there."""
    standing = next((p for p in path.parents if p.exists()), path.parent)
    return not os.access(standing, os.W_OK)


def copied(path: Path, folder: Path) -> Path:
    """A database with its log and its vectors in another folder, to be caught up there.

    SQLite cannot read one with a write-ahead log where it may write nothing, and it may be behind.
    """
    for file in path.parent.glob(f"{path.stem}.*") if path.exists() else ():
        if not file.name.endswith((".lock", "-shm")):
            (folder / file.name).write_bytes(file.read_bytes())
    return folder / path.name


def aside(path: Path, purpose: str) -> Path:
    """The name of a database that this process makes beside another."""
    return path.with_suffix(f".{os.getpid()}.{purpose}")


def clear_away(path: Path) -> None:
    """Remove what processes that are gone made beside a database."""
    for left in path.parent.glob(f"{path.stem}.*.*"):
        maker = left.name.removeprefix(f"{path.stem}.").partition(".")[0]
        if maker.isdecimal() and not Path("/proc", maker).exists():
            left.unlink(missing_ok=True)


def remove(path: Path) -> None:
    """Take a database away, with its log."""
    for suffix in ("", "-wal", "-shm"):
        path.with_name(path.name + suffix).unlink(missing_ok=True)


def differing(made: apsw.Connection, path: Path) -> list[str] | None:
    """The tables in which two databases differ; nothing where one is ahead of the other."""
    made.execute("ATTACH ? AS mine", (str(path),))
    found: list[str] | None = None
    try:
        with made:  # one moment of both
            if not _differs(made, "(SELECT max(seq) FROM {}.events)"):
                found = [table for table in FOLDED if _differs(made, f"{{}}.{table}")]
                found += ["words"] if _words_differ(made) else []
    except apsw.SQLError as error:  # a table is missing
        raise apsw.CorruptError(str(error)) from error
    finally:
        for which in ("main", "mine"):
            made.execute(f"DROP TABLE IF EXISTS temp.{which}_terms")
        made.execute("DETACH mine")
    return found


def _words_differ(db: apsw.Connection) -> bool:
    """Whether two databases hold other terms at other places of other memories."""
    for which in ("main", "mine"):
        db.execute(
            f"CREATE VIRTUAL TABLE IF NOT EXISTS temp.{which}_terms "
            f"USING fts5vocab('{which}', 'words', 'instance')"
        )
    return _differs(db, "temp.{}_terms")


def _differs(db: apsw.Connection, table: str) -> bool:
    ours, theirs = (f"SELECT * FROM {table.format(which)}" for which in ("main", "mine"))  # noqa: S608 - our own names
    either = (
        f"SELECT 1 FROM ({ours} EXCEPT {theirs}) UNION ALL SELECT 1 FROM ({theirs} EXCEPT {ours})"  # noqa: S608 - our own names
    )
    return db.execute(f"{either} LIMIT 1").fetchone() is not None


@contextmanager
def room_needed() -> Iterator[None]:
    """Say that the disk is full where it is."""
    try:
        yield
    except apsw.FullError as error:
        raise NoSpace("the disk is full: the index cannot grow", fix="make room") from error
    except apsw.IOError as error:
        if not is_unwritable(error):
            raise
        raise NoSpace(
            "the index cannot be written: the disk refuses, or no file may grow that large",
            fix="make room; a limit on the size of files is shown by: ulimit -f",
        ) from error


def is_unwritable(error: apsw.Error) -> bool:
    """Whether an error is of the disk, not of what the database holds: making it anew is no help."""
    return isinstance(error, apsw.IOError) and getattr(error, "extendedresult", 0) in UNWRITABLE


@contextmanager
def transaction(db: apsw.Connection) -> Iterator[None]:
    """All or nothing, with the write lock from the start.

    On a full disk SQLite rolls back by itself, which apsw's own `with` takes for a mistake.
    """
    db.execute("BEGIN IMMEDIATE")
    try:
        yield
        db.execute("COMMIT")
    finally:
        if db.in_transaction:
            db.execute("ROLLBACK")


@contextmanager
def staying(path: Path) -> Iterator[None]:
    """Let nobody put another database in place of this one meanwhile."""
    with _alone(path, fcntl.LOCK_SH):
        yield


@contextmanager
def _alone(path: Path, how: int = fcntl.LOCK_EX) -> Iterator[None]:
    """One process at a time: a database removed while another process opens it would be left
    with a write-ahead log that is not its own.
    """
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        lock = path.with_suffix(".lock").open("ab")
    except OSError as error:
        raise refusal(error, path) from error
    with lock:
        fcntl.flock(lock, how)
        yield


def _made(path: Path) -> apsw.Connection:
    remove(path)
    drop(path)
    db = _connect(path)
    with transaction(db):
        db.execute(f"{_TABLES}; PRAGMA user_version={SCHEMA}; PRAGMA application_id={_TERMS}")
    return db


def _connect(path: Path) -> apsw.Connection:
    db = apsw.Connection(str(path))
    db.set_busy_timeout(30_000)
    db.pragma("journal_mode", "wal")
    db.pragma("cache_size", -16_000)  # kB: what many questions pass through stays at hand
    db.pragma("synchronous", 0)  # rebuildable: a power cut costs a catch-up, not data
    db.pragma("secure_delete", 1)  # what is forgotten leaves no trace in a free page
    db.create_scalar_function("faded", _faded, 3, deterministic=True)
    db.create_scalar_function("strengthened", _strengthened, 2, deterministic=True)
    return db


def _faded(*numbers: apsw.SQLiteValue) -> int:
    return faded(*(int(n) for n in numbers if isinstance(n, int)))


def _strengthened(*numbers: apsw.SQLiteValue) -> int:
    return strengthened(*(int(n) for n in numbers if isinstance(n, int)))


def check_engine() -> None:
    """Refuse an SQLite whose write-ahead log can corrupt under several writers."""
    if apsw.SQLITE_VERSION_NUMBER < OLDEST_SAFE_SQLITE:
        raise LumenError(
            f"SQLite {apsw.sqlite_lib_version()} can corrupt a database that several processes use",
            fix="uv sync --upgrade-package apsw   (SQLite 3.51.3 or newer)",
        )
