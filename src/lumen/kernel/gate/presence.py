"""Who is in a turn: every turn holds a shared mark, and the author's commands wait for all of them.

The marks are locks on files, which tell turns of this process apart as they do those of others, and
beside each a name that Linux itself keeps. Whoever wants to be alone asks for a pause, and turns
that would begin wait for it: on a busy being it would else never come. In an event loop nobody
waits but by `await`: a turn that is waited for in any other way would never end.
"""

from __future__ import annotations

import asyncio
import os
import socket
import sys
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

from lumen.core.errors import Busy
from lumen.hands.ancestry import started_by_skill
from lumen.soul.ports.locks import Locks, Taken

if TYPE_CHECKING:
    from lumen.kernel.gate.commit import Gate

LOOK_S = 0.01  # between two looks at whether somebody is done
PATIENCE_S = 10.0  # how long the author waits for turns to end
LONGEST_PAUSE_S = 120.0  # how long a turn that would begin waits: a passphrase is typed, perhaps
TURNS, PAUSE, TALK, APPROVED = "turns", "pause", "talk", "approved"

_alone: dict[str, asyncio.Task[Any] | None] = {}  # whose pause it is, where it was awaited


@dataclass(slots=True)
class PresenceMark:
    """A lock of the being that is to be taken; `why` says what it means when it cannot be.

    `behind`: whoever holds that one alone goes first.
    """

    locks: Locks
    name: str
    why: str
    fix: str = "try again when it is over"
    shared: bool = False
    behind: str = ""
    _taken: Taken | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self._taken:
            self._taken.close()
        self._taken = None

    def has_come(self) -> bool:
        """Whether it is taken by now."""
        if self._taken is None:
            first = self.locks.take(self.behind, shared=True) if self.behind else None
            if first or not self.behind:
                self._taken = self.locks.take(self.name, shared=self.shared)
            if first:
                first.close()
        return self._taken is not None

    def busy(self) -> Busy:
        """What to raise when it does not come."""
        names = filter(None, (self.behind, self.name))
        who = next(filter(None, (self.locks.holders(name) for name in names)), "")
        return Busy(self.why + (f": {who}" if who else ""), fix=self.fix)


class Pause:
    """A pause between turns, asked for: while this is open none begins, and those under way end."""

    def __init__(self, locks: Locks) -> None:
        self._locks = locks
        self._asked = PresenceMark(locks, PAUSE, "somebody else waits for turns to end")
        self._came = PresenceMark(locks, TURNS, "a turn is under way with this being")

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._came.__exit__()
        self._asked.__exit__()

    def has_come(self) -> bool:
        """Whether no turn is under way any more; then none is before this is closed."""
        if not self._asked.has_come() or not self._came.has_come():
            return False
        if _somebody(self._locks):
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
async def in_turn(locks: Locks) -> AsyncIterator[None]:
    """Say to everybody that a turn is under way; several may be at once.

    Raises:
        Busy: somebody is alone with the being, and that takes long.
    """
    why = f"no turn of this being could begin for {LONGEST_PAUSE_S:.0f} seconds"
    fix = "finish or end what runs there, then say it again"
    with PresenceMark(locks, TURNS, why, fix, shared=True, behind=PAUSE) as mark:
        await _come(mark, LONGEST_PAUSE_S)
        with _announced(locks):
            yield


@contextmanager
def no_turn_meanwhile(locks: Locks) -> Iterator[None]:
    """Do what only the author may while no turn runs: a skill in one could pose as the author.

    In an event loop, which this would bring to a halt, nothing is waited for.

    Raises:
        Busy: a turn goes on and on.
    """
    here = _running_task()
    if here and _alone.get(locks.name) is here:
        yield
        return
    with Pause(locks) as pause:
        _wait(pause)
        with _announced(locks):
            yield


@asynccontextmanager
async def between_turns(locks: Locks, seconds: float = PATIENCE_S) -> AsyncIterator[None]:
    """The same for whoever can await it: in here, `no_turn_meanwhile` need not wait.

    Raises:
        Busy: a turn goes on and on.
    """
    with Pause(locks) as pause:
        await _come(pause, seconds)
        with _announced(locks):
            _alone[locks.name] = asyncio.current_task()
            try:
                yield
            finally:
                del _alone[locks.name]


def _approval(locks: Locks) -> PresenceMark:
    return PresenceMark(locks, APPROVED, "something you allowed is being asked right now")


@contextmanager
def deciding(locks: Locks) -> Iterator[None]:
    """Carry out what the author allowed, one at a time: two yeses to one proposal ask once.

    Conversations go on meanwhile: this lock is nobody else's.

    Raises:
        Busy: another one is carried out, and that takes long.
    """
    with _approval(locks) as mark:
        _wait(mark)
        yield


@asynccontextmanager
async def carrying_out(locks: Locks) -> AsyncIterator[None]:
    """The same for whoever can await it."""
    with _approval(locks) as mark:
        await _come(mark)
        yield


async def when_free(gate: Gate) -> None:
    """Let other turns go on until nobody else holds the archive: taking it then takes no time.

    Raises:
        Busy: it was held for too long.
    """
    due = time.monotonic() + gate.log.patience_s
    while not gate.log.is_free():
        if time.monotonic() > due:
            raise gate.log.busy()
        await asyncio.sleep(LOOK_S)


@contextmanager
def nobody_in_turn(locks: Locks) -> Iterator[bool]:
    """Whether no process is in a turn; while this is held, none begins one.

    The lock is a file, which a skill could put another in place of; so whoever is in a turn has
    announced itself besides, where no file is. Where a skill started this very process, one runs.
    """
    mark = locks.take(TURNS)
    if mark is None:
        yield False
        return
    with closing(mark):
        yield not _somebody(locks)


def _somebody(locks: Locks) -> bool:
    return _is_announced(locks) or started_by_skill()


def _running_task() -> asyncio.Task[Any] | None:
    try:
        return asyncio.current_task()
    except RuntimeError:
        return None


@contextmanager
def _announced(locks: Locks) -> Iterator[None]:
    """Hold a name that Linux itself keeps, for as long as this process lives and no longer."""
    if sys.platform != "linux":
        yield
        return
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as name:
        name.bind(f"\0{_name(locks)}{os.getpid()}-{id(name)}")
        yield


def _is_announced(locks: Locks) -> bool:
    try:
        return f"@{_name(locks)}" in Path("/proc/net/unix").read_text("utf-8", "replace")
    except OSError:
        return False


def _name(locks: Locks) -> str:
    return f"lumen-turn-{locks.name}-"


@asynccontextmanager
async def talking(locks: Locks) -> AsyncIterator[None]:
    """Say that somebody is being answered: whatever runs in the background waits for that.

    Raises:
        Busy: a program keeps the mark for itself.
    """
    why = "a program keeps everybody from talking with this being"
    with PresenceMark(locks, TALK, why, fix="end the program that holds it", shared=True) as mark:
        await _come(mark)
        yield


def somebody_talks(locks: Locks) -> bool:
    """Whether somebody is being answered right now."""
    mark = locks.take(TALK)
    if mark is None:
        return True
    mark.close()
    return False


async def yield_to_talk(locks: Locks) -> None:
    """Wait until nobody is being answered."""
    while somebody_talks(locks):  # noqa: ASYNC110 - another process lets go of it, and tells nobody
        await asyncio.sleep(LOOK_S)
