"""The database that the modules of this folder ask: opened when something is asked of it, and made again.

Where it is damaged it is thrown away and made anew, and `repairs` tells that. How it follows the archive is
in index.py.
"""

from __future__ import annotations

import threading
from abc import abstractmethod
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

import apsw

from lumen.core.data import BeingPaths
from lumen.core.errors import Busy, LumenError
from lumen.soul.archive.disk import identity
from lumen.soul.index.database import (
    Row as Row,
)
from lumen.soul.index.database import (
    check_engine,
    copied,
    is_read_only,
    is_unwritable,
    make,
    open_or_make,
    room_needed,
    staying,
    transaction,
)
from lumen.soul.ports.queries import Progress, unwatched

if TYPE_CHECKING:
    from tempfile import TemporaryDirectory

Result = TypeVar("Result")


class Rows:
    """The open database of one being, and the being it tells of."""

    def __init__(self, being: BeingPaths) -> None:
        self.being = being
        self.file = being.index
        self._copied: TemporaryDirectory[str] | None = None  # where its own folder takes no file
        self.repairs: list[str] = []  # what had to be made again, in words for the author
        self.made = 0  # how often the database was opened or made anew: caches over it then end
        self._opened: apsw.Connection | None = None
        self._threads = threading.RLock()  # a question of one would be asked inside another's work
        check_engine()

    @property
    def _db(self) -> apsw.Connection:
        """The database, opened when something is asked of it: before that, nothing is made."""
        if self._opened is None:
            self._opened = self._open()
        return self._opened

    def _open(self) -> apsw.Connection:
        if self._copied is None and is_read_only(self.file):
            from tempfile import (
                TemporaryDirectory,
            )  # takes longer to import than it is worth elsewhere

            self._copied = TemporaryDirectory(prefix="lumen-index-")
            self.file = copied(self.file, Path(self._copied.name))
        db, why = open_or_make(self.file)
        self._noticed()
        if why:
            self.repairs.append(f"The index was rebuilt from the archive: {why}.")
        return db

    def _noticed(self) -> None:
        self._file = identity(self.file)
        self.made += 1

    @abstractmethod
    def _catch_up(self, progress: Progress) -> int:
        """Follow the archive; returns the last event's number."""

    def rows(self, sql: str, values: Sequence[object] = ()) -> list[Row]:
        """All rows of an answer."""
        return self._repairing(lambda: self._db.execute(sql, values).fetchall())

    def row(self, sql: str, values: Sequence[object] = ()) -> Row:
        """The first row of an answer, or nothing."""
        return next(iter(self.rows(sql, values)), None)

    def number(self, sql: str, values: Sequence[object] = ()) -> int:
        """The one number of an answer; 0 where it has none."""
        return int((self.row(sql, values) or (0,))[0] or 0)

    def numbers(self, sql: str, values: Sequence[object] = ()) -> list[int]:
        """The number in each row of an answer."""
        return [int(number) for (number,) in self.rows(sql, values)]

    def text(self, sql: str, values: Sequence[object] = ()) -> str:
        """The one text of an answer; empty where it has none."""
        return str((self.row(sql, values) or ("",))[0] or "")

    def keep(self, *work: tuple[str, Sequence[tuple[object, ...]]]) -> None:
        """Change cached rows, all together: statements, each with the rows to run it on."""

        def insert() -> None:
            with transaction(self._db):
                for sql, rows in work:
                    self._db.executemany(sql, rows)

        self._repairing(insert)

    def alone(self, work: Callable[[apsw.Connection], Result]) -> Result:
        """Change cached rows, and files that go with them, while nobody else changes any.

        An index that was put in this one's place has the files now: it is opened first.
        """

        def done() -> Result:
            while True:
                db = self._db
                with staying(self.file):
                    if identity(self.file) == self._file:
                        with transaction(db):
                            return work(db)
                self._reopen()

        return self._repairing(done)

    def _repairing(self, work: Callable[[], Result]) -> Result:
        """Do something; a damaged index is thrown away and made again, and then it is done."""
        with self._threads, room_needed():
            try:
                return work()
            except apsw.BusyError as error:
                raise Busy("another process keeps the index busy", fix="try again") from error
            except (apsw.CorruptError, apsw.NotADBError, apsw.IOError) as error:
                if is_unwritable(error):
                    raise
                self._start_over("it was damaged")
            try:
                self._catch_up(unwatched)
                return work()
            except (apsw.CorruptError, apsw.NotADBError, apsw.IOError) as error:
                raise LumenError(
                    f"the index cannot be used: {error}", fix=f"rm -r {self.file.parent}"
                ) from error

    def _reopen(self) -> None:
        self._db.close()
        self._opened = self._open()

    def _start_over(self, why: str) -> None:
        self._db.close()
        self._opened = make(self.file)
        self._noticed()
        self.repairs.append(f"The index was rebuilt from the archive: {why}.")


class OverRows:
    """Something that is asked of the database; what, a port says."""

    def __init__(self, db: Rows) -> None:
        self._db = db
