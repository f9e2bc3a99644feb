"""Everything a child has started, counted and ended, also what fled into a session of its own.

Linux keeps the account: while a call runs this process is a subreaper, so a program whose parent
has died becomes our child and cannot slip away to init. RLIMIT_NPROC would not do: it does not
bind root, and for anybody else it counts all of that user's programs. Elsewhere than on Linux
nothing is seen here, and only the process group is ended.
"""

from __future__ import annotations

import os
import signal
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field

from lumen.hands.ancestry import PROC, ProcessRow, look

PATIENCE_SECONDS = 60.0  # for what was killed to be gone: the dying want a processor too
_SUBREAPER = 36  # PR_SET_CHILD_SUBREAPER
_TICKS = os.sysconf("SC_CLK_TCK")


@dataclass(frozen=True, slots=True)
class TreeUse:
    """How much a call has become."""

    processes: int = 0
    memory: int = 0  # bytes held by all of them; what they share counts for each


@dataclass(slots=True)
class _Calls:
    """Calls of this process that are under way: whose orphans we may meet."""

    lock: threading.Lock = field(default_factory=threading.Lock)
    under_way: int = 0
    starting: int = 0
    roots: set[int] = field(default_factory=set)
    since: int = 0


_calls = _Calls()


class Tree:
    """What one call has started; its first process is told by `rooted`."""

    def __init__(self) -> None:
        self._root = 0

    def rooted(self, pid: int) -> None:
        """The call's first process is up."""
        with _calls.lock:
            self._root = pid
            _calls.roots.add(pid)
            _calls.starting -= 1

    def size(self) -> TreeUse:
        """How many there are now, and how much memory they hold."""
        found = list(_descendants([self._root, *(o.pid for o in _orphans())]))
        return TreeUse(len(found), sum(one.memory for one in found))

    async def end(self) -> None:
        """End whatever is left. The first process must have been waited for."""
        import asyncio  # whoever only looks for ancestors needs none of it

        with _calls.lock:
            _calls.roots.discard(self._root)
        deadline = time.monotonic() + PATIENCE_SECONDS
        while (left := list(_orphans())) and time.monotonic() < deadline:
            _stop_all(left)
            for one in _descendants([o.pid for o in left]):
                _send(one.pid, signal.SIGKILL)
            gone = [one for one in left if _reaped(one.pid)]
            if not gone:
                await asyncio.sleep(0.001)

    def close(self) -> None:
        """The call is over; also when it never began."""
        with _calls.lock:
            _calls.under_way -= 1
            if not self._root:
                _calls.starting -= 1
            if not _calls.under_way:
                _adopt_orphans(yes=False)


@contextmanager
def growing() -> Iterator[Tree]:
    """A tree to be watched; whoever flees from it meanwhile comes to us."""
    with _calls.lock:
        if not _calls.under_way:
            _adopt_orphans(yes=True)
            _calls.since = int(time.clock_gettime(time.CLOCK_BOOTTIME) * _TICKS) - 1
        _calls.under_way += 1
        _calls.starting += 1
    tree = Tree()
    try:
        yield tree
    finally:
        tree.close()


def _adopt_orphans(*, yes: bool) -> None:
    import ctypes  # takes a while, and only a process that runs skills needs it

    ctypes.CDLL(None).prctl(_SUBREAPER, int(yes), 0, 0, 0)


def _orphans() -> Iterator[ProcessRow]:
    """Children of ours that a skill has left behind.

    Nobody can join a session, so what is in another one than ours was started by a skill, or is
    a skill that we start ourselves just now, which is the first of its session.
    """
    ours = os.getsid(0)
    for one in _children(os.getpid()):
        first = one.session == one.pid
        if one.session == ours or one.pid in _calls.roots or one.began < _calls.since:
            continue
        if not (first and _calls.starting):
            yield one


def _descendants(roots: list[int]) -> Iterator[ProcessRow]:
    waiting = [seen for pid in roots if (seen := look(pid))]
    known: set[int] = set()
    while waiting:
        one = waiting.pop()
        if one.pid not in known:
            known.add(one.pid)
            yield one
            waiting += _children(one.pid)


def _stop_all(roots: list[ProcessRow]) -> None:
    """Hold everything still first: what is killed one by one could start more meanwhile."""
    held: set[int] = set()
    while fresh := {one.pid for one in _descendants([r.pid for r in roots])} - held:
        for pid in fresh:
            _send(pid, signal.SIGSTOP)
        held |= fresh


def _children(pid: int) -> list[ProcessRow]:
    found = []
    with suppress(OSError):
        for thread in os.listdir(PROC / str(pid) / "task"):  # noqa: PTH208 - names are enough
            with suppress(OSError):
                said = (PROC / str(pid) / "task" / thread / "children").read_bytes()
                found += [seen for each in said.split() if (seen := look(int(each)))]
    return found


def _send(pid: int, what: signal.Signals) -> None:
    with suppress(ProcessLookupError, PermissionError):
        os.kill(pid, what)


def _reaped(pid: int) -> bool:
    with suppress(ChildProcessError):
        return os.waitpid(pid, os.WNOHANG)[0] == pid
    return True
