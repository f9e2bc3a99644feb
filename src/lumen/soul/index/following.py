"""How the index follows the archive: what is not applied yet is applied, in order and in batches."""

from __future__ import annotations

from pathlib import Path

import apsw

from lumen.core.errors import Damaged
from lumen.soul.archive.line import Stored, segments
from lumen.soul.archive.links import LastApplied, LooseLine, linked_lines
from lumen.soul.index.database import Row, transaction
from lumen.soul.ports.queries import Progress

BATCH = 5_000  # events applied in one transaction: memory and log stay flat


def last_applied(db: apsw.Connection) -> LastApplied | None:
    """The last event in the tables."""
    row: Row = db.execute(
        "SELECT seq, segment, offset, length, event_hash FROM events ORDER BY seq DESC LIMIT 1"
    ).fetchone()
    return LastApplied(*row) if row else None


def follow(db: apsw.Connection, memory: Path, progress: Progress) -> tuple[int, LooseLine | None]:
    """Apply what is not applied yet, in batches; another process may do so between two of them.

    Returns the last event's number and the line, if any, that does not follow from it.
    """
    # Who only looks has nothing to apply.
    from lumen.soul.index.counting import Gathered
    from lumen.soul.index.projection import apply

    last = last_applied(db) or LastApplied()
    after = last.end
    lines = linked_lines(memory, last)
    total, done = sum(p.stat().st_size for p in segments(memory, since=after[0])) - after[1], 0
    stored = next(lines, None)
    while True:
        with transaction(db):
            row: Row = db.execute("SELECT max(seq) FROM events").fetchone()
            seq, room, counts = int(row[0] or 0), BATCH, Gathered()
            while isinstance(stored, Stored) and room:
                if stored.event.seq > seq:
                    apply(db, stored, counts)
                    seq = stored.event.seq
                done += stored.length
                room -= 1
                stored = next(lines, None)
            counts.write(db)
        progress(done, total)
        if not isinstance(stored, Stored):
            return seq, stored


def follow_all(db: apsw.Connection, memory: Path, progress: Progress) -> int:
    """Apply the whole archive.

    Raises:
        Damaged: a line of it does not follow.
    """
    seq, loose = follow(db, memory, progress)
    if loose:
        raise Damaged(str(loose), fix="lumen archive verify")
    return seq
