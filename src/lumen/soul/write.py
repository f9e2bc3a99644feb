"""The only module that appends to the archive or changes a file of the being.

One commit: serialise → lock → read the tail → one write → unlock → make durable. The lock is
let go before the wait for the disk, so several processes share one journal flush; a durable
line makes every line before it durable too. Only kernel/commit.py may call this: it decides,
this carries out.
"""

from __future__ import annotations

import errno
import fcntl
import os
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import orjson

from lumen.core.canon import JSON, sha256
from lumen.core.clock import Clock, stamp, ulid
from lumen.core.data import Author, Being, Entry, EventType, Origin
from lumen.core.errors import ArchiveError, Busy, NoSpace, Refused
from lumen.soul.archive import (
    FORMAT,
    LOCK,
    Body,
    Placed,
    Tail,
    Torn,
    body,
    line,
    segment_for,
    tail,
    tail_of,
)
from lumen.soul.keys import Keyring, head_line

PATIENCE_S = 30.0
YIELDING_S = 2e-4
FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)


@dataclass(frozen=True, slots=True)
class FileChange:
    """A projected file to replace, whole, in the commit that archives why."""

    store: str
    path: Path
    base: str
    text: str

    def as_json(self) -> dict[str, str]:
        """As it stands in the archive."""
        return {"store": self.store, "operation": "set", "base": self.base, "value": self.text}


class Writer:
    """An open archive: the lock file, the segment written last and what stands at its end."""

    def __init__(self, being: Being, keyring: Keyring, clock: Clock) -> None:
        self.being = being
        self.keyring = keyring
        self.clock = clock
        self.repairs: list[str] = []
        self._lock = -1
        self._segment: Path | None = None
        self._open: tuple[int, ...] = ()  # the segment, its folder, the memory folder
        self._tail = Tail()
        self._seen: tuple[int, ...] = ()
        self._keyed = False

    def close(self) -> None:
        """Let go of the files."""
        for descriptor in (self._lock, *self._open):
            if descriptor >= 0:
                os.close(descriptor)
        self._lock, self._open, self._segment, self._seen = -1, (), None, ()

    def begin(self, soul: str) -> Placed:
        """Write the genesis of a new archive.

        Raises:
            Refused: there is an archive already.
        """
        self._lock_up()
        try:
            if self._at_end().seq:
                raise Refused("this archive has begun already")
            payload = {"format": FORMAT, "soul": soul, "public_key": self.keyring.create(soul)}
            genesis = self._write(
                [self._body(_kernel("genesis", "A being begins.", payload))], soul
            )
        finally:
            self._unlock()
        self._flush()
        self._sign(genesis[-1])
        return genesis[-1]

    def recover(self) -> None:
        """Look at the end of the archive and mend what a crash left; `repairs` says what."""
        self._lock_up()
        try:
            torn = self._at_end().torn is not None
            if torn:
                self._write([])
        finally:
            self._unlock()
        if torn:
            self._flush()

    def append(
        self,
        entries: Sequence[Entry],
        *,
        durable: bool,
        sign: bool = False,
        files: Sequence[FileChange] = (),
    ) -> list[Placed]:
        """Put events at the end of the chain, together and in order.

        Args:
            entries: what happened.
            durable: return only when the disk has it.
            sign: state the new head with this host's key; for the last append of a turn.
            files: what to replace on disk as part of it.

        Raises:
            Refused: a file is no longer what the change was made from.
            NoSpace: the disk is full; the archive is as it was.
            Busy: another process held the lock for too long.
            Damaged: the end of the archive is not what was written.
        """
        bodies = [self._body(entry) for entry in entries]
        self._lock_up()
        try:
            for change in files:
                _same_base(change)
            placed = self._write(bodies)[-len(bodies) :]
            for change in files:
                self.set_file(change.path, change.text)
        finally:
            self._unlock()
        if durable or sign:
            self._flush()
        if sign:
            self._sign(placed[-1])
        return placed

    def set_file(self, path: Path, text: str) -> None:
        """Replace a projected file whole: a reader sees the old text or the new one."""
        path.parent.mkdir(parents=True, exist_ok=True)
        fresh = path.with_name(f".{path.name}.{os.getpid()}.new")
        try:
            with fresh.open("wb") as file:
                file.write(text.encode())
                file.flush()
                os.fsync(file.fileno())
            fresh.replace(path)
        except OSError as error:
            fresh.unlink(missing_ok=True)
            raise _refused_by_disk(error, path) from error
        _fsync_folder(path.parent)

    def _body(self, entry: Entry) -> Body:
        try:
            return body(entry, self._salt())
        except orjson.JSONEncodeError as error:
            raise Refused(f"an event cannot be stored: {error}") from error

    def _salt(self) -> str:
        return self.clock.entropy(16).hex()

    def _lock_up(self) -> None:
        if self._lock < 0:
            try:
                self._lock = os.open(self.being.memory / LOCK, os.O_RDWR | os.O_CREAT, 0o644)
            except OSError as error:
                raise _refused_by_disk(error, self.being.memory / LOCK) from error
        _take(self._lock)

    def _unlock(self) -> None:
        fcntl.flock(self._lock, fcntl.LOCK_UN)

    def _at_end(self) -> Tail:
        """The tail: from memory while nobody else wrote, from the open segment if it only grew."""
        now = self._fingerprint()
        if not now or now[1:] != self._seen[1:]:
            self._forget_segment()
            self._tail = tail(self.being.memory)
        elif now != self._seen and self._segment:
            self._tail = tail_of(self._segment, self._open[0], now[0])
            self._seen = now
        return self._tail

    def _fingerprint(self) -> tuple[int, ...]:
        """Size and folder times: they change when others append, roll over or replace a segment."""
        if not self._open:
            return ()
        file, folder, years = map(os.fstat, self._open)
        return file.st_size, folder.st_mtime_ns, years.st_mtime_ns

    def _forget_segment(self) -> None:
        if self._open:
            os.fdatasync(self._open[0])
        for descriptor in self._open:
            os.close(descriptor)
        self._open, self._segment, self._seen = (), None, ()

    def _write(self, bodies: Sequence[Body], soul: str = "") -> list[Placed]:
        end = self._at_end()
        soul = end.soul or soul
        repair = self._quarantine(end.torn) if end.torn else None
        bodies = [*([self._body(repair)] if repair else []), *self._new_key(end), *bodies]
        moment = max(stamp(self.clock.now()), end.timestamp)
        placed: list[Placed] = []
        lines: list[bytes] = []
        parent, seq = end.event_hash, end.seq
        for part in bodies:
            seq += 1
            place = Placed(seq, "", ulid(self.clock), moment, soul)
            parent, raw = line(part, parent, place)
            lines.append(raw)
            placed.append(place._replace(event_hash=parent))
        if self._segment is None or self._segment.stem != moment[:10]:
            self._turn_to(segment_for(self.being.memory, moment))
        size = self._put(b"".join(lines))
        self._tail = Tail(self._segment, size, seq, parent, moment, soul)
        self._seen = (size, *self._seen[1:])
        return placed

    def _put(self, data: bytes) -> int:
        """One write; a short one is cut back so that no half line stays."""
        file, start = self._open[0], self._seen[0]
        try:
            written = os.write(file, data)
        except OSError as error:
            os.ftruncate(file, start)
            raise _refused_by_disk(error, self.being.memory) from error
        if written < len(data):
            os.ftruncate(file, start)
            raise _refused_by_disk(OSError(errno.ENOSPC, "short write"), self.being.memory)
        return start + written

    def _turn_to(self, segment: Path) -> None:
        """Open another day. The day before must be durable first: the new one links to it."""
        self._forget_segment()
        before, new = self._tail.segment, not segment.exists()
        try:
            if before and new:
                with before.open("rb") as file:
                    os.fdatasync(file.fileno())
            segment.parent.mkdir(parents=True, exist_ok=True)
            self._open = (
                os.open(segment, os.O_RDWR | os.O_CREAT | os.O_APPEND, 0o644),
                os.open(segment.parent, os.O_RDONLY),
                os.open(self.being.memory, os.O_RDONLY),
            )
        except OSError as error:
            raise _refused_by_disk(error, segment) from error
        self._segment = segment
        if new:
            os.fsync(self._open[1])
            os.fsync(self._open[2])
        self._seen = self._fingerprint()

    def _quarantine(self, torn: Torn) -> Entry:
        """Move a line that was never finished out of the archive, keeping its bytes."""
        folder = self.being.memory / "quarantine"
        kept = folder / f"{torn.segment.stem}-{torn.offset}-{sha256(torn.data)[:8]}.torn"
        try:
            folder.mkdir(exist_ok=True)
            kept.write_bytes(torn.data)
            os.truncate(torn.segment, torn.offset)
        except OSError as error:
            raise _refused_by_disk(error, kept) from error
        self._seen = ()
        self._tail = self._tail._replace(torn=None)
        said = (
            f"An unfinished line of {len(torn.data)} bytes at the end of {torn.segment.name} "
            f"was moved to quarantine/{kept.name}; it had not been acknowledged."
        )
        self.repairs.append(said)
        return _kernel(
            "repair",
            said,
            {
                "segment": torn.segment.name,
                "offset": torn.offset,
                "bytes": len(torn.data),
                "sha256": sha256(torn.data),
                "file": kept.name,
            },
        )

    def _new_key(self, end: Tail) -> list[Body]:
        """On a host without the key, make one and say so; nobody has vouched for it yet."""
        if not end.seq or self._keyed:
            return []
        self._keyed = True
        if self.keyring.has_key(end.soul):
            return []
        public = self.keyring.create(end.soul)
        said = "This host had no key for the being: a new one signs from here on, unvouched."
        self.repairs.append(said)
        return [self._body(_kernel("key_added", said, {"public_key": public, "vouched": False}))]

    def _flush(self) -> None:
        try:
            os.fdatasync(self._open[0])
        except OSError as error:
            raise _refused_by_disk(error, self._segment or self.being.memory) from error

    def _sign(self, event: Placed) -> None:
        """State the head in heads.jsonl, then raise the witness. The line itself is durable."""
        head = self.keyring.sign(event.soul, event.seq, event.event_hash)
        path = self.being.heads
        try:
            with path.open("ab+") as heads:
                fcntl.flock(heads, fcntl.LOCK_EX)
                end = heads.seek(0, os.SEEK_END)
                if end and os.pread(heads.fileno(), 1, end - 1) != b"\n":
                    end = os.pread(heads.fileno(), end, 0).rfind(b"\n") + 1
                    os.ftruncate(heads.fileno(), end)
                    self.repairs.append("An unfinished line was cut from heads.jsonl.")
                heads.write(head_line(head))
                heads.flush()
                os.fdatasync(heads.fileno())
        except OSError as error:
            raise _refused_by_disk(error, path) from error
        self.keyring.remember(head)


def scaffold(being: Being, files: Mapping[Path, str]) -> None:
    """Lay out new files; one that exists already is left as it is."""
    being.memory.mkdir(parents=True, exist_ok=True)
    for path, text in files.items():
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            with path.open("xb") as file:
                file.write(text.encode())
                file.flush()
                os.fsync(file.fileno())
        except FileExistsError:
            continue
        except OSError as error:
            raise _refused_by_disk(error, path) from error


def _same_base(change: FileChange) -> None:
    found = sha256(change.path.read_bytes()) if change.path.exists() else ""
    if found != change.base:
        raise Refused(
            f"{change.path.name} was changed by someone else in the meantime",
            fix="look at the file, then try again",
        )


def _take(lock: int) -> None:
    """Take the lock by polling: a stopped holder must not stop everyone for ever.

    Held for some 30 µs, it is nearly always free after a few yields of the processor.
    """
    waited, pause = 0.0, 0.0
    while True:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            if waited > PATIENCE_S:
                raise Busy(
                    f"another process has held the archive for {PATIENCE_S:.0f} seconds",
                    fix="look for a stopped lumen process (ps -C lumen) and end it",
                ) from None
            time.sleep(pause)
            waited += pause + 1e-6
            pause = 0.0 if waited < YIELDING_S else min(pause * 2 + 1e-4, 0.005)
        else:
            return


def _kernel(situation: str, said: str, payload: dict[str, JSON]) -> Entry:
    return Entry(
        author=Author.KERNEL,
        event_type=EventType.SYSTEM_EVENT,
        origin=Origin.KERNEL,
        situation=situation,
        description=said,
        session_key="lumen:kernel",
        payload=payload,
        agent_id="kernel",
    )


def _refused_by_disk(error: OSError, path: Path) -> ArchiveError:
    if error.errno in FULL:
        return NoSpace(
            f"the disk is full: {path} could not take another line, and nothing of it was kept",
            fix="make room, then say it again",
        )
    return ArchiveError(
        f"{path} cannot be written: {error.strerror}",
        fix="check who owns the being's folder and whether its disk is read-only",
    )


def _fsync_folder(folder: Path) -> None:
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
