"""How bytes get onto the disk and stay there: durable files, locks, and what a refusal means.

What is written and when is for write.py and keys.py to say.
"""

from __future__ import annotations

import errno
import fcntl
import os
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path

from lumen.core.canon import printable
from lumen.core.durable import save, settle
from lumen.core.errors import ArchiveError, Busy, NoSpace

PATIENCE_S = 30.0
LONGEST_COMMAND = 60
YIELDING_S = 2e-4
FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)


@contextmanager
def staged(texts: Mapping[Path, bytes | None]) -> Iterator[dict[Path, Path | None]]:
    """Lay new texts beside the files they are for, durably; nothing is replaced yet.

    What is not put in place by the end is taken away again. No text: the file is to go.
    """
    fresh: dict[Path, Path | None] = {}
    try:
        for path, text in texts.items():
            fresh[path] = None
            if text is not None:
                beside = path.with_name(f".{path.name}.{os.getpid()}.new")
                fresh[path] = beside
                _stage(beside, text, path)
        yield fresh
    finally:
        for beside in filter(None, fresh.values()):
            with suppress(OSError):
                beside.unlink()


def _stage(beside: Path, text: bytes, path: Path) -> None:
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        save(beside, text)
    except OSError as error:
        raise refusal(error, path) from error


def put_in_place(fresh: Path | None, path: Path) -> None:
    """Replace a file whole, or take it away: a reader sees the old text or the new one."""
    try:
        if fresh:
            fresh.replace(path)
        else:
            path.unlink(missing_ok=True)
        settle(path.parent)
    except OSError as error:
        raise ArchiveError(
            f"{path} could not be replaced: {error.strerror}; the change is archived",
            fix="mend that: the next start puts it into the file",
        ) from error


def identity(path: Path) -> tuple[int, int]:
    """Which file stands at a path; zeros when none does."""
    try:
        found = path.stat()
    except FileNotFoundError:
        return 0, 0
    return found.st_dev, found.st_ino


def take(lock: int) -> None:
    """Take a lock by polling: a stopped holder must not stop everyone for ever.

    Held for some 30 µs, it is nearly always free after a few yields of the processor.

    Raises:
        Busy: it was not let go for `PATIENCE_S` seconds.
    """
    waited, pause = 0.0, 0.0
    while True:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            if waited > PATIENCE_S:
                raise held_too_long(lock) from None
            if waited < YIELDING_S:
                os.sched_yield()  # a sleep, even of nothing, is one of 50 µs
            else:
                pause = min(pause * 2 + 1e-4, 0.005)
                time.sleep(pause)
            waited += pause + 1e-6
        else:
            return


def held_too_long(lock: int) -> Busy:
    """What to raise when a lock is not let go."""
    return Busy(
        f"{holders(lock) or 'another process'} has held the archive for {PATIENCE_S:.0f} seconds",
        fix="if it hangs (a stopped lumen process: ps -C lumen), end it",
    )


def holders(file: int) -> str:
    """Which processes have a lock on an open file, by what Linux tells: for a message only.

    Empty where nobody has, or nobody tells.
    """
    told = Path("/proc/locks")
    number = str(os.fstat(file).st_ino)
    try:
        lines = [line.split() for line in told.read_text("ascii").splitlines()]
    except (OSError, UnicodeDecodeError):
        return ""
    found = [f[4] for f in lines if f[1] == "FLOCK" and f[5].rpartition(":")[2] == number]
    return ", ".join(_process(int(pid)) for pid in dict.fromkeys(found))


def _process(pid: int) -> str:
    """A process by its number and its command."""
    if pid == os.getpid():
        return "this very process"
    try:
        command = Path("/proc", str(pid), "cmdline").read_text("utf-8", "replace")
    except OSError:
        command = ""
    shown = printable(" ".join(command.split("\0"))).strip()[:LONGEST_COMMAND]
    return f"process {pid}" + (f" ({shown})" if shown else "")


def refusal(error: OSError, path: Path) -> ArchiveError:
    """What to raise when the disk said no."""
    if error.errno in FULL:
        return NoSpace(
            f"the disk is full: {path} could not take another line, and nothing of it was kept",
            fix="make room, then say it again",
        )
    return ArchiveError(
        f"{path} cannot be written: {error.strerror}",
        fix="check who owns its folder and whether its disk is read-only",
    )
