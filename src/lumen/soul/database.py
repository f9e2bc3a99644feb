"""The index's database file: its tables, and how it is opened, made and made again.

What is kept in it and asked of it is in index.py.
"""

from __future__ import annotations

import fcntl
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import apsw

from lumen.soul.disk import refusal

SCHEMA = 1
_TABLES = """
CREATE TABLE events(
  seq INTEGER PRIMARY KEY, id TEXT, event_hash TEXT, timestamp TEXT, author TEXT, event_type TEXT,
  origin TEXT, situation TEXT, session_key TEXT, model TEXT, weight REAL, private INTEGER,
  segment TEXT, offset INTEGER, length INTEGER, text TEXT);
CREATE INDEX events_author ON events(author, seq);
CREATE INDEX events_session ON events(session_key);
CREATE INDEX events_day ON events(segment, seq);
CREATE VIRTUAL TABLE words USING fts5(text, content='events', content_rowid='seq',
  tokenize="porter unicode61 remove_diacritics 2");
CREATE TABLE changes(seq INTEGER, store TEXT, base TEXT, text TEXT,
  PRIMARY KEY(store, seq)) WITHOUT ROWID;
CREATE TABLE lexemes(embedder TEXT, word TEXT, vector BLOB,
  PRIMARY KEY(embedder, word)) WITHOUT ROWID;
CREATE TABLE open_turns(session_key TEXT PRIMARY KEY, seq INTEGER) WITHOUT ROWID;
CREATE TABLE vectors(seq INTEGER, part INTEGER, embedder TEXT, start INTEGER, stop INTEGER,
  vector BLOB, PRIMARY KEY(embedder, seq, part)) WITHOUT ROWID;
"""


def open_or_make(path: Path) -> tuple[apsw.Connection, str]:
    """The database, made where there was none or none that can be used, and then: why not."""
    with _alone(path):
        try:
            db = _connect(path)
            version = db.pragma("user_version")
        except (apsw.NotADBError, apsw.CorruptError):
            return _made(path), "it was damaged"
        if version == SCHEMA:
            return db, ""
        db.close()
        return _made(path), "its shape is from another version" if version else ""


def make(path: Path) -> apsw.Connection:
    """An empty database in place of whatever is there."""
    with _alone(path):
        return _made(path)


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
def _alone(path: Path) -> Iterator[None]:
    """One process at a time: a database removed while another process opens it would be left
    with a write-ahead log that is not its own.
    """
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        lock = path.with_suffix(".lock").open("ab")
    except OSError as error:
        raise refusal(error, path) from error
    with lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def _made(path: Path) -> apsw.Connection:
    for suffix in ("", "-wal", "-shm"):
        path.with_name(path.name + suffix).unlink(missing_ok=True)
    db = _connect(path)
    with transaction(db):
        db.execute(f"{_TABLES}; PRAGMA user_version={SCHEMA}")
    return db


def _connect(path: Path) -> apsw.Connection:
    db = apsw.Connection(str(path))
    db.set_busy_timeout(30_000)
    db.pragma("journal_mode", "wal")
    db.pragma("synchronous", 0)  # rebuildable: a power cut costs a catch-up, not data
    return db
