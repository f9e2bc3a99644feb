"""The rows that tell of vectors: which embedder's they are, where each stands, and what goes with it.

There are two sets of them: of the built-in embedder, and of the one that was chosen beside it.

Whoever changes them holds the database's write lock, and changes the files (sidecar.py) first.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from struct import pack

import apsw

from lumen.core.data import Passage
from lumen.soul.index.database import Row
from lumen.soul.index.sidecar import FORMER, MARKS, SEQS, VECTORS, VectorFiles, drop
from lumen.soul.ports.vectors import LISTED_MARK

BUILT_IN, CHOSEN = 0, 1
MARK_BITS = 32
LEARNT = (
    "author != 'kernel' AND event_type != 'system_event'"  # files' changes are in their history
)
SOUGHT = f"{LEARNT} AND event_type != 'assistant_message'"
WORTH = {BUILT_IN: LEARNT, CHOSEN: SOUGHT}  # which events are to have a vector in each set
FIRST_LISTED = LISTED_MARK.bit_length() - 1
STATE = "SELECT number, id, token, size, first, next, mean FROM embedders WHERE number = ?"
NEWEST = "SELECT id, seq FROM passages WHERE embedder = ? AND id < ? ORDER BY id DESC LIMIT 1"
_MARKED = f"({','.join(map(str, range(MARK_BITS)))})"


@dataclass(frozen=True, slots=True)
class SetState:
    """How a set of vectors stands: whose it is, which numbers it has, and the mean of many."""

    number: int
    embedder: str | None
    token: str
    size: int
    first: int
    next: int
    mean: bytes | None

    @property
    def rows(self) -> int:
        """How many places there are, those of what was forgotten too."""
        return self.next - self.first

    def files(self, index: Path) -> VectorFiles:
        """Where its vectors are."""
        return VectorFiles(index, self.token, self.size)

    def is_whole(self, index: Path) -> bool:
        """Whether its files are there, and as long as they have to be."""
        return not self.rows or self.files(index).hold(self.rows, signs=self.mean is not None)


def state_of(db: apsw.Connection, number: int) -> SetState:
    """How a set stands; without an embedder: it was not begun."""
    row: Row = db.execute(STATE, (number,)).fetchone()
    return SetState(*row)


def end_is_stored(db: apsw.Connection, index: Path, state: SetState) -> bool:
    """Whether the newest passage is where it should be: after a power cut the end may be lost."""
    row: Row = db.execute(NEWEST, (state.number, state.next)).fetchone()
    if row is None:
        return True
    with state.files(index).path(SEQS).open("rb") as seqs:
        seqs.seek(8 * (int(row[0]) - state.first))
        return seqs.read(8) == pack("<q", row[1])


def sign_again(index: Path, state: SetState) -> None:
    """Make the signs of vectors again that are all there, where the signs are not."""
    files = state.files(index)
    files.path(FORMER).unlink(missing_ok=True)
    if state.mean is not None and files.hold(state.rows, signs=False):
        from lumen.soul.index.scan import mapped, write_signs  # numpy, which others do without

        write_signs(files, state.mean, 0, mapped(files, signs=False).vectors[: state.rows])


def begin(
    db: apsw.Connection, index: Path, number: int, embedder: str, *, private: bool
) -> SetState:
    """Start a set over with no vectors: every memory worth one is queued. Numbers go on where they were."""
    for table in ("passages", "unembedded"):
        db.execute(f"DELETE FROM {table} WHERE embedder = ?", (number,))  # noqa: S608 - our own names
    for table in ("marked", "revisions", "lexemes") if number == BUILT_IN else ():
        db.execute(f"DELETE FROM {table}")  # noqa: S608 - our own names
    if embedder:
        db.execute(
            f"INSERT INTO unembedded SELECT ?, seq FROM events WHERE {WORTH[number]} AND text != ''",  # noqa: S608 - a constant condition
            (number,),
        )
    db.execute(
        "UPDATE embedders SET id = ?, token = 'v' || lower(hex(randomblob(8))), size = 0, first = next, "
        "mean = NULL, private = ?, scale = NULL, shift = NULL WHERE number = ?",
        (embedder, private, number),
    )
    tokens: Row = db.execute("SELECT token FROM embedders WHERE token != ''").fetchall()
    drop(index, but=[str(token) for (token,) in tokens])
    return state_of(db, number)


def add_passages(
    db: apsw.Connection, index: Path, state: SetState, seqs: Sequence[int], given: Sequence[Passage]
) -> None:
    """Keep the passages of memories that are still without any.

    Raises:
        Incomplete: the vectors before them are not there.
    """
    number = state.number
    queued = "SELECT 1 FROM unembedded WHERE embedder = ? AND seq = ?"
    open_ = {
        seq
        for seq in {*seqs, *(p.seq for p in given)}
        if db.execute(queued, (number, seq)).fetchone()
    }
    kept = [p for p in given if p.seq in open_]
    if kept:
        size = len(kept[0].vector) // 4
        if any(len(p.vector) != 4 * size for p in kept) or size != (state.size or size):
            raise ValueError(f"vectors of {state.embedder} are of several sizes")
        state = replace(state, size=size)
        mean = _write(state, index, kept)
        _insert(db, state, kept)
        db.execute(
            "UPDATE embedders SET size = ?, next = next + ?, mean = ? WHERE number = ?",
            (size, len(kept), mean, number),
        )
    db.executemany(
        "DELETE FROM unembedded WHERE embedder = ? AND seq = ?",
        [(number, seq) for seq in open_ & {*seqs}],
    )


def _write(state: SetState, index: Path, kept: Sequence[Passage]) -> bytes | None:
    """Write vectors into the files; returns the mean of the set, once there are many."""
    from lumen.soul.index.scan import (
        MANY,
        mapped,
        mean_of,
        write_signs,
    )  # numpy, which others do without

    files, place, count = state.files(index), state.rows, len(kept)
    parts = {
        VECTORS: b"".join(p.vector for p in kept),
        SEQS: pack(f"<{count}q", *(p.seq for p in kept)),
        MARKS: pack(f"<{count}I", *(p.marks for p in kept)),
    }
    files.write(place, count, parts)
    if state.mean is not None:
        write_signs(files, state.mean, place, parts[VECTORS])
        return state.mean
    if place + count < MANY:
        return None
    mean = mean_of(files, place + count)
    write_signs(files, mean, 0, mapped(files, signs=False).vectors[: place + count])
    return mean


def _insert(db: apsw.Connection, state: SetState, kept: Sequence[Passage]) -> None:
    parts: dict[int, int] = {}
    for number, p in enumerate(kept, start=state.next):
        part = parts[p.seq] = parts.get(p.seq, -1) + 1
        row = (state.number, number, p.seq, part, p.start, p.stop, p.marks)
        db.execute("INSERT INTO passages VALUES(?,?,?,?,?,?,?)", row)
        for bit in range(FIRST_LISTED, p.marks.bit_length()):
            if p.marks >> bit & 1:
                db.execute("INSERT INTO marked VALUES(?,?,?)", (bit, p.seq, number))


def forget_passages(db: apsw.Connection, seq: int) -> None:
    """Let nothing be left of a memory's passages: no vector in a file, no row that tells of one."""
    for embedder in (BUILT_IN, CHOSEN):
        where = "WHERE embedder = ? AND seq = ?"
        rows: Row = db.execute(f"SELECT id FROM passages {where}", (embedder, seq)).fetchall()  # noqa: S608 - a constant condition
        if rows:
            state = state_of(db, embedder)
            state.files(Path(db.filename)).blank(int(number) - state.first for (number,) in rows)
        for table in ("passages", "unembedded"):
            db.execute(f"DELETE FROM {table} {where}", (embedder, seq))  # noqa: S608 - our own names
    db.execute(f"DELETE FROM marked WHERE bit IN {_MARKED} AND seq = ?", (seq,))  # noqa: S608 - our own numbers
    db.execute("DELETE FROM revisions WHERE new = ?1 OR old = ?1", (seq,))
