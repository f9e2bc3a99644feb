"""What a crash left at the end of the archive is moved to quarantine, keeping its bytes."""

from __future__ import annotations

import os
from pathlib import Path

from lumen.core.canon import sha256
from lumen.core.data import Entry, kernel_entry
from lumen.core.durable import save, settle
from lumen.soul.archive.disk import refusal
from lumen.soul.archive.line import Torn


def quarantine(memory: Path, torn: Torn) -> Entry:
    """Move a line that was never finished out of the archive; returns the event that tells of it."""
    folder = memory / "quarantine"
    kept = folder / f"{torn.segment.stem}-{torn.offset}-{sha256(torn.data)[:8]}.torn"
    move_end(torn.segment, torn.offset, torn.data, kept)
    said = (
        f"An unfinished line of {len(torn.data)} bytes at the end of {torn.segment.name} "
        f"was moved to quarantine/{kept.name}; it had not been acknowledged."
    )
    payload = {
        "segment": torn.segment.name,
        "offset": torn.offset,
        "bytes": len(torn.data),
        "sha256": sha256(torn.data),
        "file": kept.name,
    }
    return kernel_entry("repair", said, "lumen:kernel", payload)


def put_back(segment: Path, at: int, lines: bytes) -> Entry:
    """The event that tells of lines which a segment had lost and the ring gave back."""
    count = lines.count(b"\n")
    many = "1 line was" if count == 1 else f"{count} lines were"
    said = f"{many} put back at the end of {segment.name}: cut off by a crash, or changed."
    payload = {"segment": segment.name, "offset": at, "lines": count}
    return kernel_entry("repair", said, "lumen:kernel", payload)


def move_end(segment: Path, offset: int, data: bytes, kept: Path) -> None:
    """Keep the end of a segment in another file, durably, then cut it off."""
    try:
        kept.parent.mkdir(exist_ok=True)
        save(kept, data)
        os.truncate(segment, offset)
        settle(segment)
    except OSError as error:
        raise refusal(error, kept) from error
