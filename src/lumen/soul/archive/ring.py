"""The lock file: who holds it may write, and it begins with a ring that makes appends durable.

The file begins with a fixed stretch of bytes, written once and overwritten in place ever
after. It mirrors the end of the newest segment: the byte at offset n of the segment stands at n
modulo the ring's size. Flushing it needs no new size or block in the file system's journal, so it
is quicker than flushing a file that grows; the segment itself is flushed whenever half a ring has
been written. After a power cut the lines that the segment lost are put back from here.
"""

from __future__ import annotations

import errno
import fcntl
import os
import threading
from pathlib import Path
from typing import NamedTuple

from lumen.core.durable import settle
from lumen.core.errors import Busy, Damaged
from lumen.soul.archive import disk
from lumen.soul.archive.disk import held_too_long, identity, refusal, take
from lumen.soul.archive.line import (
    HEADER_AT,
    LOCK,
    PREFIX,
    Tail,
    is_sound,
    opening,
    segments,
    tail,
    tail_of,
)

SIZE = 256 * 1024
HALF = SIZE // 2


class Ring:
    """The open lock file of an archive, and the folder it stands in."""

    def __init__(self, memory: Path) -> None:
        self._memory = memory
        self._file = -1
        self._folder = -1
        self._changed = 0  # when a name in the folder did, before the file was last seen in place
        self.days = 0  # how many segments were begun: what the file is longer than the ring

    def close(self) -> None:
        """Let go of the files."""
        for descriptor in (self._file, self._folder):
            if descriptor >= 0:
                os.close(descriptor)
        self._file = self._folder = -1

    def take(self) -> None:
        """Take the lock. Where the file was deleted or replaced, others hold the new one: take that.

        Raises:
            Busy: another process held it for too long.
            ArchiveError: it cannot be made; the lock is not held.
        """
        try:
            while True:
                if self._file < 0:
                    self._file = os.open(self._memory / LOCK, os.O_RDWR | os.O_CREAT, 0o644)
                    self._folder = os.open(self._memory, os.O_RDONLY)
                    self._changed = 0
                take(self._file)
                size = os.lseek(self._file, 0, os.SEEK_END)
                if self.is_replaced():
                    self.close()
                elif size < SIZE:
                    self._lay_out(size)
                else:
                    self.days = size - SIZE
                    return
        except OSError as error:
            self.close()
            raise refusal(error, self._memory / LOCK) from error

    def is_replaced(self) -> bool:
        """Whether the open file is no longer the one that stands at its path.

        The folder tells whether it may be: a name in it changes its time, as moving it does. The
        file itself is not asked each time: who has asked a file for its times gets exact ones from
        its next write, and an inode to be flushed with it (measured: 130 µs an append and not 90).
        """
        changed = os.fstat(self._folder).st_ctime_ns
        if changed == self._changed:
            return False
        found = os.fstat(self._file)
        if identity(self._memory / LOCK) != (found.st_dev, found.st_ino):
            return True
        self._changed = changed
        return False

    def release(self) -> None:
        """Let others write."""
        fcntl.flock(self._file, fcntl.LOCK_UN)

    def busy(self) -> Busy:
        """What to raise when another process does not let go."""
        return held_too_long(self._file)

    def is_free(self) -> bool:
        """Whether the lock could be taken right now; it is not."""
        if self._file < 0:
            return True  # it was never taken: `take` opens it
        try:
            fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        self.release()
        return True

    def begin_day(self) -> None:
        """Count a segment begun, for others to see."""
        self.days += 1
        os.ftruncate(self._file, SIZE + self.days)

    def keep(self, at: int, data: bytes) -> bool:
        """Mirror bytes that come to stand at an offset of the segment; whether all of it went in."""
        start = at % SIZE
        room = SIZE - start
        if len(data) <= room:
            return os.pwrite(self._file, data, start) == len(data)
        first = os.pwrite(self._file, data[:room], start)
        return first + os.pwrite(self._file, data[room:], 0) == len(data)

    def flush(self) -> None:
        """Wait until the disk has it."""
        if self._file < 0:
            raise OSError(errno.EBADF, "its lock file is gone")
        os.fdatasync(self._file)

    def content(self) -> bytes:
        """All that it holds."""
        return os.pread(self._file, SIZE, 0)

    def _lay_out(self, days: int) -> None:
        """Make an empty ring, durably; what an older one held must be durable without it."""
        for newest in segments(self._memory)[-1:]:
            settle(newest)
        os.pwrite(self._file, bytes(SIZE), 0)
        os.ftruncate(self._file, SIZE + days)
        os.fsync(self._file)
        settle(self._memory)


class Hold:
    """The right to write to an archive; `depth` is how many times over its owner has it.

    The file lock keeps processes apart and knows nothing of threads; the lock in here keeps the threads
    of one process apart. Nobody holds on to either across an `await`. In a `with`, it keeps the other
    threads of this process out, while other processes may write.
    """

    def __init__(self, ring: Ring) -> None:
        self._ring = ring
        self._threads = threading.RLock()
        self._owner = 0  # for a message: which thread has it
        self.depth = 0

    def __enter__(self) -> None:
        free = self._threads.acquire(blocking=False)  # with a limit it takes three times as long
        if not free and not self._threads.acquire(timeout=disk.PATIENCE_S):
            raise self.busy()
        self._owner = threading.get_ident()

    def __exit__(self, *_: object) -> None:
        self._threads.release()

    def busy(self) -> Busy:
        """What to raise when somebody else does not let go."""
        if self._threads.acquire(blocking=False):  # it is another process, then
            self._threads.release()
            return self._ring.busy()
        names = [thread.name for thread in threading.enumerate() if thread.ident == self._owner]
        return Busy(
            f"the thread {' '.join(names)} of this process has held the archive for "
            f"{disk.PATIENCE_S:.0f} seconds",
            fix="see what it waits for, or open the being once in each thread",
        )

    def take(self) -> None:
        """Keep everyone else from writing.

        Raises:
            Busy: another thread, or another process, held it for too long.
        """
        self.__enter__()
        try:
            if not self.depth:
                self._ring.take()
        except BaseException:
            self.__exit__()
            raise
        self.depth += 1

    def let_go(self) -> None:
        """Let others write, once it was let go as often as it was taken."""
        self.depth -= 1
        try:
            if not self.depth:
                self._ring.release()
        finally:
            self.__exit__()

    def is_free(self) -> bool:
        """Whether nobody else keeps us from writing right now."""
        if not self._threads.acquire(blocking=False):
            return False
        try:
            return bool(self.depth) or self._ring.is_free()
        finally:
            self._threads.release()


def wipe(memory: Path) -> None:
    """Empty the ring: a forgotten line must not stand in it. The segment is made durable first."""
    lock = memory / LOCK
    for newest in segments(memory)[-1:]:
        settle(newest)
    if lock.exists():
        with lock.open("r+b", buffering=0) as file:
            os.pwrite(file.fileno(), bytes(SIZE), 0)
            os.fdatasync(file.fileno())


def extend(segment: Path, at: int, lines: bytes) -> None:
    """Put lines at an offset of a segment, in place of whatever is there, durably."""
    with segment.open("r+b", buffering=0) as file:
        if os.pwrite(file.fileno(), lines, at) < len(lines):
            raise OSError(errno.ENOSPC, "short write")
        file.truncate(at + len(lines))
        os.fsync(file.fileno())


class Lost(NamedTuple):
    """Lines that the ring has and a segment has not, and where they belong."""

    segment: Path
    offset: int
    lines: bytes


def missing(memory: Path, ring: bytes) -> Lost | None:
    """What the newest segment lost at its end, or holds otherwise inside than it was written.

    Raises:
        Damaged: it ends in what is no line.
    """
    newest = next(reversed(segments(memory)), None)
    if newest is None:
        return None
    with newest.open("rb") as file:
        size = os.fstat(file.fileno()).st_size
        at = _differs(ring, file.fileno(), size)
        end = tail_of(newest, file.fileno(), at) if at else Tail()
    lines = _following(ring, at, end, newest.stem) if end.seq else b""
    if not lines or at + len(lines) < size:
        end = tail(memory)
        at = end.size if end.segment == newest else 0
        lines = _following(ring, at, end, newest.stem)
    return Lost(newest, at, lines) if lines else None


def puts_back(memory: Path) -> int:
    """How many lines the next start would put back at the end of the newest segment.

    A file that is too short to be a ring gives nothing back: an empty one is laid out over it.
    """
    try:
        with (memory / LOCK).open("rb") as file:
            ring = file.read(SIZE)
        lost = missing(memory, ring) if len(ring) == SIZE else None
    except (OSError, Damaged):
        return 0
    return lost.lines.count(b"\n") if lost else 0


def _following(ring: bytes, at: int, end: Tail, day: str) -> bytes:
    """The lines that followed the end of a segment of `at` bytes, as far as the ring has them."""
    start = at % SIZE
    data = ring[start:] + ring[:start]
    parent, seq, good = end.event_hash.encode(), end.seq, 0
    while (stop := data.find(b"\n", good)) >= 0:
        raw = data[good : stop + 1]
        theirs = opening(raw)
        links = theirs[0] == parent and theirs[1] == seq + 1
        same = theirs[2] == (end.soul.encode() or theirs[2]) and theirs[3][:10] == day.encode()
        if not (links and same and is_sound(raw)):
            break
        parent, seq, good = raw[len(PREFIX) : HEADER_AT - 2], seq + 1, stop + 1
    return data[:good]


def _differs(ring: bytes, segment: int, size: int) -> int:
    """Where, in the stretch that the ring mirrors, the line begins that the segment has not.

    0 when there is none. What the ring does not know (it was wiped, or is new) is zeros.
    """
    first = max(0, size - SIZE)
    found = os.pread(segment, size - first, first)
    start = first % SIZE
    mirror = (ring[start:] + ring[:start])[: len(found)]
    known = len(mirror) - len(mirror.lstrip(b"\0"))
    if found[known:] == mirror[known:]:
        return 0
    at = next(i for i in range(known, len(found)) if found[i] != mirror[i])
    begins = found.rfind(b"\n", 0, at) + 1
    return first + begins if begins else 0
