"""Where a being is kept: in files and SQLite, in its own folder. The one place that says so."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from lumen.core.clock import Clock
from lumen.core.data import BeingPaths
from lumen.soul.ports.files import FilesOnDisk
from lumen.soul.ports.queries import Queries
from lumen.soul.ports.storage import Storage
from lumen.soul.trust.keys import Keyring
from lumen.soul.writing import open


def open_storage(being: BeingPaths, keyring: Keyring, clock: Clock) -> Storage:
    """All that keeps a being, to be written to: for a gate."""
    return open.open_storage(being, keyring, clock)


def open_index(being: BeingPaths) -> Queries:
    """What can be asked of a being; it is not caught up yet."""
    return open.open_index(being)


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
    return open.files_of(being)


def soul_of(being: BeingPaths) -> str:
    """The soul that a being's log begins with; empty where there is none, or none that is sound."""
    return open.soul_of(being)


def engine() -> str:
    """The version of what keeps the index.

    Raises:
        LumenError: it could damage what is entrusted to it.
    """
    return open.engine()


def size_of(being: BeingPaths) -> int:
    """How many bytes the lines of a being's log take."""
    return open.size_of(being)


def has_events(being: BeingPaths) -> bool:
    """Whether a being has a log that has begun, sound or not."""
    return open.has_events(being)
