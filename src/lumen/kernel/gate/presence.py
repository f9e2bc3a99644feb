"""Who is in a turn: every turn holds a shared mark, and the author's commands wait for all of them.

The marks are locks on files, which tell turns of this process apart as they do those of others, and
beside each a name that Linux itself keeps. Whoever wants to be alone asks for a pause, and turns
that would begin wait for it: on a busy being it would else never come. In an event loop nobody
waits but by `await`: a turn that is waited for in any other way would never end.
"""

from __future__ import annotations

import asyncio
import fcntl
import os
import socket
import sys
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, Self

from lumen.core.data import BeingPaths
from lumen.core.errors import Busy
from lumen.hands.ancestry import started_by_skill
from lumen.soul.archive import disk
from lumen.soul.archive.disk import holders

if TYPE_CHECKING:
    from lumen.kernel.gate.commit import Gate

LOOK_S = 0.01  # between two looks at whether somebody is done
PATIENCE_S = 10.0  # how long the author waits for turns to end
LONGEST_PAUSE_S = 120.0  # how long a turn that would begin waits: a passphrase is typed, perhaps
TURNS, PAUSE, TALK, APPROVED = ".turns", ".pause", ".talk", ".approved"

_alone: dict[Path, asyncio.Task[Any] | None] = {}  # whose pause it is, where it was awaited


@dataclass(slots=True)
class PresenceMark:
    """A lock on a file of the being that is to be taken; `why` says what it means when it cannot be.

    `behind`: whoever holds that file exclusively goes first.
    """

    being: BeingPaths
    name: str
    how: int
    why: str
    fix: str = "try again when it is over"
    behind: str = ""
    _file: IO[bytes] | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self._file:
            self._file.close()
        self._file = None

    def has_come(self) -> bool:
        """Whether it is taken by now."""
        if self._file is None:
            first = _locked(self.being, self.behind, fcntl.LOCK_SH) if self.behind else None
            if first or not self.behind:
                self._file = _locked(self.being, self.name, self.how)
            if first:
                first.close()
        return self._file is not None

    def busy(self) -> Busy:
        """What to raise when it does not come."""
        names = filter(None, (self.behind, self.name))
        who = next(filter(None, (_holders(self.being, name) for name in names)), "")
        return Busy(self.why + (f": {who}" if who else ""), fix=self.fix)


class Pause:
    """A pause between turns, asked for: while this is open none begins, and those under way end."""

    def __init__(self, being: BeingPaths) -> None:
        why = "a turn is under way with this being"
        self._being = being
        self._asked = PresenceMark(
            being, PAUSE, fcntl.LOCK_EX, "somebody else waits for turns to end"
        )
        self._came = PresenceMark(being, TURNS, fcntl.LOCK_EX, why)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._came.__exit__()
        self._asked.__exit__()

    def has_come(self) -> bool:
        """Whether no turn is under way any more; then none is before this is closed."""
        if not self._asked.has_come() or not self._came.has_come():
            return False
        if _somebody(self._being):
            self._came.__exit__()
            return False
        return True

    def busy(self) -> Busy:
        """What to raise when it does not come."""
        return self._came.busy() if self._asked.has_come() else self._asked.busy()


def _wait(what: PresenceMark | Pause) -> None:
    """Wait; but not in an event loop, where what is waited for would come to a halt as well."""
    here = _running_task()
    due = time.monotonic() + (0 if here else PATIENCE_S)
    while not what.has_come():
        if time.monotonic() > due:
            error = what.busy()
            error.fix = "async with being.paused(), then do it" if here else error.fix
            raise error
        time.sleep(LOOK_S)


async def _come(what: PresenceMark | Pause, seconds: float = PATIENCE_S) -> None:
    """Wait, while everything else goes on."""
    due = time.monotonic() + seconds
    while not what.has_come():
        if time.monotonic() > due:
            raise what.busy()
        await asyncio.sleep(LOOK_S)


@asynccontextmanager
async def in_turn(being: BeingPaths) -> AsyncIterator[None]:
    """Say to everybody that a turn is under way; several may be at once.

    Raises:
        Busy: somebody is alone with the being, and that takes long.
    """
    why = f"no turn of this being could begin for {LONGEST_PAUSE_S:.0f} seconds"
    fix = "finish or end what runs there, then say it again"
    with PresenceMark(being, TURNS, fcntl.LOCK_SH, why, fix, behind=PAUSE) as mark:
        await _come(mark, LONGEST_PAUSE_S)
        with _announced(being):
            yield


@contextmanager
def no_turn_meanwhile(being: BeingPaths) -> Iterator[None]:
    """Do what only the author may while no turn runs: a skill in one could pose as the author.

    In an event loop, which this would bring to a halt, nothing is waited for.

    Raises:
        Busy: a turn goes on and on.
    """
    here = _running_task()
    if here and _alone.get(being.root) is here:
        yield
        return
    with Pause(being) as pause:
        _wait(pause)
        with _announced(being):
            yield


@asynccontextmanager
async def between_turns(being: BeingPaths, seconds: float = PATIENCE_S) -> AsyncIterator[None]:
    """The same for whoever can await it: in here, `no_turn_meanwhile` need not wait.

    Raises:
        Busy: a turn goes on and on.
    """
    with Pause(being) as pause:
        await _come(pause, seconds)
        with _announced(being):
            _alone[being.root] = asyncio.current_task()
            try:
                yield
            finally:
                del _alone[being.root]


def _approval(being: BeingPaths) -> PresenceMark:
    return PresenceMark(
        being, APPROVED, fcntl.LOCK_EX, "something you allowed is being asked right now"
    )


@contextmanager
def deciding(being: BeingPaths) -> Iterator[None]:
    """Carry out what the author allowed, one at a time: two yeses to one proposal ask once.

    Conversations go on meanwhile: this lock is nobody else's.

    Raises:
        Busy: another one is carried out, and that takes long.
    """
    with _approval(being) as mark:
        _wait(mark)
        yield


@asynccontextmanager
async def carrying_out(being: BeingPaths) -> AsyncIterator[None]:
    """The same for whoever can await it."""
    with _approval(being) as mark:
        await _come(mark)
        yield


async def when_free(gate: Gate) -> None:
    """Let other turns go on until nobody else holds the archive: taking it then takes no time.

    Raises:
        Busy: it was held for too long.
    """
    due = time.monotonic() + disk.PATIENCE_S
    while not gate.log.is_free():
        if time.monotonic() > due:
            raise gate.log.busy()
        await asyncio.sleep(LOOK_S)


@contextmanager
def nobody_in_turn(being: BeingPaths) -> Iterator[bool]:
    """Whether no process is in a turn; while this is held, none begins one.

    The lock is a file, which a skill could put another in place of; so whoever is in a turn has
    announced itself besides, where no file is. Where a skill started this very process, one runs.
    """
    mark = _locked(being, TURNS, fcntl.LOCK_EX)
    if mark is None:
        yield False
        return
    with mark:
        yield not _somebody(being)


def _somebody(being: BeingPaths) -> bool:
    return _is_announced(being) or started_by_skill()


def _locked(being: BeingPaths, name: str, how: int) -> IO[bytes] | None:
    """A lock that stands at its path now, open until it is closed; nothing when it is taken."""
    path = being.memory / name
    file = path.open("ab")
    try:
        fcntl.flock(file, how | fcntl.LOCK_NB)
    except BlockingIOError:
        file.close()
        return None
    if not _stands_at(path, file.fileno()):  # it was replaced just now: look again
        file.close()
        return None
    return file


def _stands_at(path: Path, handle: int) -> bool:
    try:
        return os.path.samestat(path.stat(), os.fstat(handle))
    except FileNotFoundError:
        return False


def _holders(being: BeingPaths, name: str) -> str:
    with (being.memory / name).open("ab") as file:
        return holders(file.fileno())


def _running_task() -> asyncio.Task[Any] | None:
    try:
        return asyncio.current_task()
    except RuntimeError:
        return None


@contextmanager
def _announced(being: BeingPaths) -> Iterator[None]:
    """Hold a name that Linux itself keeps, for as long as this process lives and no longer."""
    if sys.platform != "linux":
        yield
        return
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as name:
        name.bind(f"\0{_name(being)}{os.getpid()}-{id(name)}")
        yield


def _is_announced(being: BeingPaths) -> bool:
    try:
        return f"@{_name(being)}" in Path("/proc/net/unix").read_text("utf-8", "replace")
    except OSError:
        return False


def _name(being: BeingPaths) -> str:
    where = being.root.stat()
    return f"lumen-turn-{where.st_dev:x}-{where.st_ino:x}-"


@asynccontextmanager
async def talking(being: BeingPaths) -> AsyncIterator[None]:
    """Say that somebody is being answered: whatever runs in the background waits for that.

    Raises:
        Busy: a program keeps the mark for itself.
    """
    why = f"{being.memory / TALK} is kept from everybody"
    with PresenceMark(being, TALK, fcntl.LOCK_SH, why, fix="end the program that holds it") as mark:
        await _come(mark)
        yield


def somebody_talks(being: BeingPaths) -> bool:
    """Whether somebody is being answered right now."""
    mark = _locked(being, TALK, fcntl.LOCK_EX)
    if mark is None:
        return True
    mark.close()
    return False


async def yield_to_talk(being: BeingPaths) -> None:
    """Wait until nobody is being answered."""
    while somebody_talks(being):  # noqa: ASYNC110 - another process lets go of it, and tells nobody
        await asyncio.sleep(LOOK_S)
