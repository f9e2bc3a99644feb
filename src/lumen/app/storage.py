"""Where a being is kept: in files and SQLite, in its own folder. The one place that says so."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from lumen.core.clock import Clock
from lumen.core.data import BeingPaths
from lumen.soul.ports.files import FilesOnDisk
from lumen.soul.ports.locks import Locks
from lumen.soul.ports.queries import Queries
from lumen.soul.ports.storage import Storage
from lumen.soul.trust.keys import Keyring
from lumen.soul.writing import open as in_files


def open_storage(being: BeingPaths, keyring: Keyring, clock: Clock) -> Storage:
    """All that keeps a being, to be written to: for a gate."""
    return in_files.open_storage(being, keyring, clock)


def open_index(being: BeingPaths) -> Queries:
    """What can be asked of a being; it is not caught up yet."""
    return in_files.open_index(being)


@contextmanager
def asking(being: BeingPaths) -> Iterator[Queries]:
    """What can be asked of a being, caught up, for as long as this is open."""
    index = open_index(being)
    try:
        index.catch_up()
        yield index
    finally:
        index.close()


def files_of(being: BeingPaths) -> FilesOnDisk:
    """The files of a being, to be looked at."""
    return in_files.files_of(being)


def locks_of(being: BeingPaths) -> Locks:
    """The locks of a being, open or not."""
    return in_files.locks_of(being)


def soul_of(being: BeingPaths) -> str:
    """The soul that a being's log begins with; empty where there is none, or none that is sound."""
    return in_files.soul_of(being)


def engine() -> str:
    """The version of what keeps the index.

    Raises:
        LumenError: it could damage what is entrusted to it.
    """
    return in_files.engine()


def size_of(being: BeingPaths) -> int:
    """How many bytes the lines of a being's log take."""
    return in_files.size_of(being)


def has_events(being: BeingPaths) -> bool:
    """Whether a being has a log that has begun, sound or not."""
    return in_files.has_events(being)
