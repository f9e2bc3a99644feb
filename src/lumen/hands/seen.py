"""A process as Linux shows it in /proc; elsewhere than on Linux none is seen."""

from __future__ import annotations

import os
from pathlib import Path
from typing import NamedTuple

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
