"""What may be done to lines and heads on disk: blank them out, cut them off, set them aside.

Only the log may call this, while the archive is held; what is done here follows from an event that is
archived already.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from pathlib import Path

from lumen.core.canon import sha256
from lumen.core.data import BeingPaths, Head
from lumen.soul.archive.disk import refusal
from lumen.soul.archive.line import segments, stub
from lumen.soul.archive.ring import wipe
from lumen.soul.archive.torn import move_end
from lumen.soul.trust.keys import head_from
from lumen.soul.writing.self_files import BeingFiles


def blank(memory: Path, by: int, places: Sequence[tuple[str, int, int]]) -> None:
    """Overwrite the content of lines with the stub that names the event which erased them."""
    for name in sorted({name for name, _, _ in places}):
        path = memory / name[:4] / name
        try:
            with path.open("r+b", buffering=0) as segment:
                for _, offset, length in (p for p in places if p[0] == name):
                    raw = os.pread(segment.fileno(), length, offset)
                    os.pwrite(segment.fileno(), stub(raw, by), offset)
                os.fdatasync(segment.fileno())
        except OSError as error:
            raise refusal(error, path) from error
    wipe(memory)


def cut_lines(memory: Path, segment: str, offset: int) -> list[str]:
    """Move all that stands behind a place in the archive to quarantine; returns the files' names."""
    kept = []
    for path in reversed(segments(memory, since=segment)):
        at = offset if path.name == segment else 0
        with path.open("rb") as file:
            file.seek(at)
            data = file.read()
        if data:
            name = f"{path.stem}-{at}-{sha256(data)[:8]}.foreign"
            move_end(path, at, data, memory / "quarantine" / name)
            kept.append(name)
    wipe(memory)  # or the ring would put them back
    return kept


def keep_heads(being: BeingPaths, known: Callable[[Head], bool]) -> int:
    """Set aside every signed head that is not of this chain; returns how many."""
    path = being.heads
    lines = path.read_bytes().splitlines(keepends=True) if path.exists() else []
    strange = [  # a line that was never finished states nothing
        raw for raw in lines if not raw.endswith(b"\n") or not known(head_from(raw, path))
    ]
    if strange:
        raw = b"".join(strange)
        files = BeingFiles(being)
        files.set_aside(f"heads-{sha256(raw)[:8]}.jsonl", raw)
        files.put(being.named(path), b"".join(line for line in lines if line not in strange))
    return len(strange)
