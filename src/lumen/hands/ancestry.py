"""Processes as Linux shows them in /proc, and whether a skill started this one; elsewhere none is seen.

A process that runs a skill holds an open file without a name on any disk; `/proc` shows it to whoever
has that process among its ancestors, and no skill can take it away. A program that hides its
ancestors (a PID namespace of its own, a daemon under `none`) is not seen; bubblewrap is for those.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import NamedTuple

MARK = "lumen-runs-a-skill"
MOST_ANCESTORS = 1000
PROC = Path("/proc")
_PAGE = os.sysconf("SC_PAGE_SIZE")


class ProcessRow(NamedTuple):
    """A process, its parent and its session."""

    pid: int
    parent: int
    session: int
    began: int
    memory: int


def look(pid: int) -> ProcessRow | None:
    """A process as it is now; nothing when there is none, or it cannot be seen."""
    try:
        stat = (PROC / str(pid) / "stat").read_bytes()
    except OSError:
        return None
    told = stat[stat.rindex(b")") + 2 :].split()  # the name before it may hold anything
    return ProcessRow(pid, int(told[1]), int(told[3]), int(told[19]), int(told[21]) * _PAGE)


@contextmanager
def runs_a_skill() -> Iterator[None]:
    """Let everything that is started meanwhile find out who started it."""
    if not hasattr(os, "memfd_create"):
        yield
        return
    mark = os.memfd_create(MARK)  # not inherited
    try:
        yield
    finally:
        os.close(mark)


def started_by_skill() -> bool:
    """Whether a skill that is running now is among the ancestors of this process.

    A skill is the first of a session of its own, and nobody can join a session: a child of the
    process that runs skills, in another session, is a skill or was left behind by one.
    """
    here = look(os.getpid())
    for _ in range(MOST_ANCESTORS):
        above = look(here.parent) if here else None
        if here is None or above is None:
            return False
        if here.session != above.session and _is_marked(above.pid):
            return True
        here = above
    return True  # no process has so many ancestors but one that wants to tire us


def _is_marked(pid: int) -> bool:
    with suppress(OSError):
        for file in (PROC / str(pid) / "fd").iterdir():
            with suppress(OSError):
                if str(file.readlink()).startswith(f"/memfd:{MARK} "):
                    return True
    return False
