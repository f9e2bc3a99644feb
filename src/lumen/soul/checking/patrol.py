"""The archive checked a stretch at a time, so that damage in its middle is met though nobody quotes it.

Each line's two hashes, its link, number and time are checked; heads, erasures and the witness are verify's part.
Where it was last is kept beside the index and may be deleted at any time: then it begins anew.
"""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path

from lumen.core.canon import dumps, loads
from lumen.core.data import BeingPaths
from lumen.soul.archive.chain import ArchiveProblem, LineRun, check_span
from lumen.soul.archive.line import segments, shared
from lumen.soul.archive.links import UNLINKED, LastApplied

STRETCH = 1 << 20  # bytes: some thousand lines, checked in a few milliseconds


def check_next(being: BeingPaths, stretch: int = STRETCH) -> ArchiveProblem | None:
    """Check what follows the lines checked last; behind the last line it begins anew.

    Nothing, or what is wrong: the same again until it is right.
    """
    kept = being.index.with_name("checked.json")
    with shared(being.memory):
        before = _read(kept)
        if not before.seq or not before.stands(being.memory):
            before = LastApplied()
        span, last_line = _next(being.memory, before, stretch)
        if span is None:
            _keep(kept, LastApplied())
            return None
        found = check_span(span)
    if (found.first_seq, found.first_parent.decode(errors="replace")) != (
        before.seq + 1,
        before.event_hash,
    ):
        return ArchiveProblem(before.seq + 1, span.path.name, 0, UNLINKED)
    if not found.problem:
        name, end_hash = span.path.name, found.last_hash.decode()
        length = span.end - last_line
        _keep(kept, LastApplied(found.last_seq, name, last_line, length, end_hash))
    return found.problem


def _next(memory: Path, before: LastApplied, stretch: int) -> tuple[LineRun | None, int]:
    """The whole lines that come next, all of one segment, and where the last of them begins."""
    for path in segments(memory, since=before.segment):
        start = before.end[1] if path.name == before.segment else 0
        with path.open("rb") as lines:
            lines.seek(start)
            data = lines.read(stretch)
            data += b"" if b"\n" in data else lines.readline()
        if cut := data.rfind(b"\n") + 1:
            last_line = start + data.rfind(b"\n", 0, cut - 1) + 1
            return LineRun(path, start, start + cut), last_line
    return None, 0


def _read(kept: Path) -> LastApplied:
    with suppress(OSError, ValueError, TypeError):
        found = LastApplied(**loads(kept.read_bytes()))
        if found.offset >= 0 and found.length > 0:
            return found
    return LastApplied()


def _keep(kept: Path, last: LastApplied) -> None:
    with suppress(OSError):  # without it the same lines are checked again
        fresh = kept.with_name(f".{kept.name}.new")
        fresh.write_bytes(dumps(last._asdict()))
        fresh.replace(kept)
