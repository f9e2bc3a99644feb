"""Who is in a turn: processes tell each other by a lock, and the author's commands wait for it."""

from __future__ import annotations

import asyncio
import fcntl
import os
import socket
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from lumen.core.data import Being
from lumen.core.errors import Busy
from lumen.hands.ancestry import started_by_skill

POLITE_S = 0.05  # how often the background looks whether a conversation is over
WAITS, WAIT_S = 100, 0.1  # how often, and how long, the author's command waits for a turn to end


@contextmanager
def in_turn(being: Being) -> Iterator[None]:
    """Say to other processes that a turn is under way here; several may be at once."""
    with _locked(being, fcntl.LOCK_SH), _announced(being):
        yield


@contextmanager
def no_turn_meanwhile(being: Being) -> Iterator[None]:
    """Do what only the author may while no turn runs: a skill in one could pose as the author.

    Raises:
        Busy: a turn goes on and on.
    """
    for _ in range(WAITS):
        with nobody_in_turn(being) as alone:
            if alone:
                with _announced(being):
                    yield
                return
        time.sleep(WAIT_S)
    raise Busy("a turn is under way with this being", fix="try again when it is over")


@contextmanager
def carrying_out(being: Being) -> Iterator[None]:
    """Carry out what the author allowed, one at a time: two yeses to one proposal ask once.

    Conversations go on meanwhile: this lock is nobody else's.

    Raises:
        Busy: another one is carried out, and that takes long.
    """
    with (being.memory / ".approved").open("ab") as file:
        for _ in range(WAITS):
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                time.sleep(WAIT_S)
            else:
                yield
                return
    raise Busy("something you allowed is being asked right now", fix="try again when it is over")


@contextmanager
def nobody_in_turn(being: Being) -> Iterator[bool]:
    """Whether no process is in a turn; while this is held, none begins one.

    The lock is a file, which a skill could put another in place of; so whoever is in a turn has
    announced itself besides, where no file is. Where a skill started this very process, one runs.
    """
    with _locked(being, fcntl.LOCK_EX | fcntl.LOCK_NB) as alone:
        yield alone and not _is_announced(being) and not started_by_skill()


@contextmanager
def _locked(being: Being, how: int) -> Iterator[bool]:
    """The lock that stands at its path now; false when another holds it and we do not wait."""
    path = being.memory / ".turns"
    for _ in range(WAITS):
        with path.open("ab") as file:
            try:
                fcntl.flock(file, how)
            except BlockingIOError:
                yield False
                return
            if _stands_at(path, file.fileno()):  # else it was replaced while we waited for it
                yield True
                return
    raise Busy(f"{path} is replaced again and again", fix="see which program does that")


def _stands_at(path: Path, handle: int) -> bool:
    try:
        return os.path.samestat(path.stat(), os.fstat(handle))
    except FileNotFoundError:
        return False


@contextmanager
def _announced(being: Being) -> Iterator[None]:
    """Hold a name that Linux itself keeps, for as long as this process lives and no longer."""
    if sys.platform != "linux":
        yield
        return
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as name:
        name.bind(f"\0{_name(being)}{os.getpid()}-{id(name)}")
        yield


def _is_announced(being: Being) -> bool:
    try:
        return f"@{_name(being)}" in Path("/proc/net/unix").read_text("utf-8", "replace")
    except OSError:
        return False


def _name(being: Being) -> str:
    where = being.root.stat()
    return f"lumen-turn-{where.st_dev:x}-{where.st_ino:x}-"


@contextmanager
def talking(being: Being) -> Iterator[None]:
    """Say that somebody is being answered: whatever runs in the background waits for that."""
    with (being.memory / ".talk").open("ab") as file:
        fcntl.flock(file, fcntl.LOCK_SH)
        yield


def somebody_talks(being: Being) -> bool:
    """Whether somebody is being answered right now."""
    with (being.memory / ".talk").open("ab") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return True
    return False


async def yield_to_talk(being: Being) -> None:
    """Wait until nobody is being answered."""
    while somebody_talks(being):  # noqa: ASYNC110 - another process lets go of it, and tells nobody
        await asyncio.sleep(POLITE_S)
