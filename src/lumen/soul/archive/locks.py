"""Locks of a being as locks on files beside its archive."""

from __future__ import annotations

import fcntl
import os
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from lumen.core.data import BeingPaths
from lumen.soul.archive.disk import holders


@dataclass(frozen=True, slots=True)
class FileLocks:
    """The locks of one being."""

    being: BeingPaths

    @property
    def name(self) -> str:
        """The folder by what the file system knows it as: a copy is another being to its processes."""
        where = self.being.root.stat()
        return f"{where.st_dev:x}-{where.st_ino:x}"

    def take(self, what: str, *, shared: bool = False) -> IO[bytes] | None:
        """Lock the file that stands at its path now; nothing where another holds it."""
        path = self.being.memory / f".{what}"
        file = path.open("ab")
        try:
            fcntl.flock(file, (fcntl.LOCK_SH if shared else fcntl.LOCK_EX) | fcntl.LOCK_NB)
        except BlockingIOError:
            file.close()
            return None
        if not _stands_at(path, file.fileno()):  # it was replaced just now: look again
            file.close()
            return None
        return file

    def holders(self, what: str) -> str:
        """Which processes have a lock on the file, as far as Linux tells."""
        try:
            with (self.being.memory / f".{what}").open("rb") as file:
                return holders(file.fileno())
        except OSError:
            return ""


def _stands_at(path: Path, handle: int) -> bool:
    try:
        return os.path.samestat(path.stat(), os.fstat(handle))
    except FileNotFoundError:
        return False
