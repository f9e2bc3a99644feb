"""Files and SQLite in a being's own folder: the storage there is, put together behind its ports.

Whether there is a being is asked by every command, and takes its archive alone: the rest is imported
where it is opened.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from lumen.core.data import BeingPaths
from lumen.soul.archive.line import segments
from lumen.soul.archive.links import soul_in

if TYPE_CHECKING:
    from lumen.core.clock import Clock
    from lumen.soul.ports.files import FilesOnDisk
    from lumen.soul.ports.locks import Locks
    from lumen.soul.ports.queries import Queries
    from lumen.soul.ports.storage import Storage
    from lumen.soul.trust.keys import Keyring


def open_index(being: BeingPaths) -> Queries:
    """What can be asked of a being; nothing is made before something is asked."""
    from lumen.soul.index.index import Index

    return Index(being)


def files_of(being: BeingPaths) -> FilesOnDisk:
    """The files of a being, to be looked at."""
    from lumen.soul.writing.self_files import BeingFiles

    return BeingFiles(being)


def locks_of(being: BeingPaths) -> Locks:
    """The locks of a being."""
    from lumen.soul.archive.locks import FileLocks

    return FileLocks(being)


def soul_of(being: BeingPaths) -> str:
    """The soul that a being's archive begins with; empty where no sound line can be read."""
    return soul_in(being.memory)


def engine() -> str:
    """The version of SQLite.

    Raises:
        LumenError: it is one that can corrupt a database.
    """
    import apsw

    from lumen.soul.index.database import check_engine

    check_engine()
    return apsw.sqlite_lib_version()


def size_of(being: BeingPaths) -> int:
    """How many bytes the lines of a being's archive take."""
    return sum(path.stat().st_size for path in segments(being.memory))


def has_events(being: BeingPaths) -> bool:
    """Whether a being has an archive that has begun, sound or not."""
    memory = being.memory
    return memory.is_dir() and any(memory.iterdir()) and bool(segments(memory))


def open_storage(being: BeingPaths, keyring: Keyring, clock: Clock) -> Storage:
    """A being to be asked and written to; nothing is made before that is done."""
    from lumen.soul.archive.locks import FileLocks
    from lumen.soul.index.index import Index
    from lumen.soul.ports.storage import Storage
    from lumen.soul.writing.log import FileLog
    from lumen.soul.writing.self_files import BeingFiles

    index = Index(being)
    log = FileLog(being, keyring, clock, index)
    return Storage(log, index, BeingFiles(being), FileLocks(being))
