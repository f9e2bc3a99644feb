"""The archive as the layers above know it: a writer, and what is done to lines by their numbers.

Where a line stands comes from the index, which is caught up by whoever asks. What is done here
follows from an event that is archived already, or leaves the chain as it was.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path

from lumen.core.canon import JSON, sha256
from lumen.core.clock import Clock
from lumen.core.data import BeingPaths, Head
from lumen.core.errors import ArchiveError, Busy, Damaged
from lumen.soul.archive import disk
from lumen.soul.archive.disk import refusal
from lumen.soul.archive.line import content_length, is_sound, read_at, read_lines, segments, stub
from lumen.soul.archive.links import soul_in
from lumen.soul.archive.ring import wipe
from lumen.soul.archive.torn import move_end
from lumen.soul.checking.witness import knows, refuse_damaged
from lumen.soul.index.index import Index
from lumen.soul.ports.event_log import EventLog
from lumen.soul.trust.keys import Keyring, head_from
from lumen.soul.writing.self_files import BeingFiles
from lumen.soul.writing.write import Writer

A_HEAD = 1024  # bytes: more than one takes
STUB = b'"situation":"erased"'


class FileLog(Writer, EventLog):
    """An archive in files, open to be written, over an index that knows where its lines stand."""

    def __init__(self, being: BeingPaths, keyring: Keyring, clock: Clock, index: Index) -> None:
        super().__init__(being, keyring, clock)
        self._index = index

    def soul(self) -> str:
        return soul_in(self.being.memory)

    @property
    def patience_s(self) -> float:
        return disk.PATIENCE_S

    def is_free(self) -> bool:
        return self.hold.is_free()

    def busy(self) -> Busy:
        return self.hold.busy()

    def lines(self) -> Iterator[bytes]:
        return read_lines(self.being.memory)

    def look_again(self) -> None:
        self.looked = False

    def stop(self, why: ArchiveError) -> None:
        self.stopped = why

    def stated(self, seq: int) -> dict[str, JSON]:
        place = self._index.events.place(seq)
        raw = read_at(self.being.memory, *place) if place else b""
        event_hash = self._index.events.hash_of(seq)
        whole = STUB in raw or is_sound(raw)
        if not raw or raw[15:79] != event_hash.encode() or not whole:
            raise Damaged(f"event {seq} is not what was written", fix="lumen archive verify")
        return {"seq": seq, "event_hash": event_hash, "length": content_length(raw)}

    def erase(self, by: int, targets: Sequence[int]) -> None:
        found = map(self._index.events.place, targets)
        blank(self.being.memory, by, [place for place in found if place])

    def cut(self, first: int) -> list[str]:
        refuse_damaged(self._index, self.keyring, self.soul())
        loose = self._index.loose
        place = self._index.events.place(first)
        start = place[:2] if place else (loose.segment, loose.offset) if loose else None
        kept = cut_lines(self.being.memory, *start) if start else []
        self._index.rebuild()
        self.drop_strange_heads()
        self.own_up()
        return kept

    def drop_strange_heads(self) -> int:
        return keep_heads(self.being, partial(knows, self._index))

    def unfinished(self) -> list[str]:
        names = sorted(path.name for path in (self.being.memory / "quarantine").glob("*.torn"))
        return [name for name in names if not self._index.events.repair_names(name)]

    def has_heads(self) -> bool:
        return self.being.heads.exists() and self.being.heads.stat().st_size > 0

    def doubt_heads(self) -> str:
        """Whether the last head is none, or none of this chain; all of them verify.py looks at."""
        path = self.being.heads
        with suppress(FileNotFoundError), path.open("rb") as file:
            file.seek(max(0, path.stat().st_size - A_HEAD))
            finished, _, _ = file.read().rpartition(b"\n")
            last = finished.rpartition(b"\n")[2] + b"\n"
            if finished and not self._is_head(last):
                return f"{path.name} ends in a line that is no head: lumen archive verify."
        return ""

    def _is_head(self, raw: bytes) -> bool:
        try:
            return knows(self._index, head_from(raw, self.being.heads))
        except Damaged:
            return False


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
