"""A SQLite projection of the archive: what can be asked quickly. May be deleted at any time.

It catches up from the archive before every question, so it is never the truth and never behind
it. What can be asked stands in the modules of the groups it hands out; this one keeps it up.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

import apsw

from lumen.core.data import BeingPaths
from lumen.core.errors import Damaged
from lumen.soul.archive.disk import identity
from lumen.soul.archive.line import tail
from lumen.soul.archive.links import LooseLine
from lumen.soul.index.cycles import CycleTable
from lumen.soul.index.database import (
    Row,
    aside,
    clear_away,
    differing,
    make,
    remove,
    replace_with,
    room_needed,
)
from lumen.soul.index.events import EventTable
from lumen.soul.index.following import follow, follow_all, last_applied
from lumen.soul.index.history import FileTable
from lumen.soul.index.memories import MemoryTable
from lumen.soul.index.rows import Rows
from lumen.soul.index.sessions import SessionTable
from lumen.soul.index.vector_sets import VectorTables
from lumen.soul.index.withheld import MarkTable
from lumen.soul.ports.queries import Progress, unwatched

if TYPE_CHECKING:
    from lumen.soul.index.ledger import CallTable

WORTH_TELLING = 10  # events: with fewer, there is hardly a history


class Index(Rows):
    """An open projection of one being's archive."""

    def __init__(self, being: BeingPaths) -> None:
        super().__init__(being)
        self.accepted: Callable[[str], frozenset[str]] = lambda _: frozenset()  # keys of a soul
        self.loose: LooseLine | None = (
            None  # a line that does not follow: behind it nothing is read
        )
        self.events = EventTable(self)
        self.memories = MemoryTable(self)
        self.sessions = SessionTable(self)
        self.files = FileTable(self)
        self.cycles = CycleTable(self)
        self.withheld = MarkTable(self)
        self.vectors = VectorTables(self)

    @cached_property
    def ledger(self) -> CallTable:
        """What calls of models there were; few commands ask, so it is imported when one does."""
        from lumen.soul.index.ledger import CallTable

        return CallTable(self)

    @property
    def place(self) -> str:
        """The folder of the archive."""
        return str(self.being.memory)

    def sizes(self) -> tuple[int, int]:
        """How many bytes the archive takes, and all of the being's data."""
        return _size(self.being.memory), _size(self.being.data)

    def close(self) -> None:
        """Let go of the database and of the vectors."""
        self.vectors.let_go()
        if self._opened is not None:
            self._opened.close()
        if self._copied is not None:
            self._copied.cleanup()

    def catch_up(self, progress: Progress = unwatched) -> int:
        """Apply every finished line that is not applied yet and follows from those that are.

        Returns the last event's number; `loose` tells of a line behind it that does not follow.
        """
        return self._repairing(lambda: self._catch_up(progress))

    def _catch_up(self, progress: Progress, *, first: bool = True) -> int:
        if self._db and identity(self.file) != self._file:  # made again elsewhere, or deleted
            self._reopen()
        last = last_applied(self._db)
        self.loose = None
        if last and not last.stands(self.being.memory):
            self._start_over("the archive it was made from has changed")
            last = None
        if last and last.is_last(self.being.memory):
            return last.seq
        seq, self.loose = follow(self._db, self.being.memory, progress)
        if self.loose and first:  # others may have been repairing the end or forgetting just then
            return self._catch_up(progress, first=False)
        if not last and not self.repairs and seq >= WORTH_TELLING:
            self.repairs.append("The index was rebuilt from the archive: it was not there.")
        return seq

    def rebuild(self, progress: Progress = unwatched) -> int:
        """Make every table again from the archive; vectors are kept, as nothing else makes them."""
        fresh = aside(self.file, "new")
        made = make(fresh)
        try:
            with room_needed():
                last = follow_all(made, self.being.memory, progress)
        except BaseException:  # what is there serves better than half of it made again
            made.close()
            remove(fresh)
            raise
        made.close()
        self._db.close()
        self._opened = replace_with(fresh, self.file)
        self._noticed()
        self.loose = None
        return last

    def differences(self, progress: Progress = unwatched) -> list[str]:
        """The tables that are not, row for row, what the archive makes of them, and the word index.

        One that cannot be read at all is made again, which `repairs` tells.
        """
        fresh = aside(self.file, "deep")
        made = make(fresh)

        def compared() -> list[str] | None:
            follow(made, self.being.memory, progress)
            self._catch_up(unwatched)
            return differing(made, self.file)

        try:
            while (found := self._repairing(compared)) is None:
                pass
        finally:
            made.close()
            remove(fresh)
        parts = [f"table {name}" for name in found if name != "words"]
        return parts if "words" not in found and self._words_hold() else [*parts, "the word index"]

    def _words_hold(self) -> bool:
        try:
            self._db.execute("INSERT INTO words(words) VALUES('integrity-check')")
        except apsw.Error:
            return False
        return True

    def scrub(self) -> bool:
        """Write every page anew, and the log back, so that deleted rows are in no file any more.

        SQLite blanks out the row that it deletes, not copies of it: a page that was split keeps what
        went to the other half, until something else is written there.
        """
        clear_away(self.file)

        def cut() -> bool:
            try:
                self._db.execute("VACUUM")
            except apsw.BusyError:
                return False
            row: Row = self._db.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
            return not row[0]  # SQLite has waited as long as for any lock

        return self._repairing(cut)

    def follow_to_end(self) -> None:
        """Be where the archive ends, under its lock.

        What is judged is what the index tells: one that was edited to end before foreign lines, which
        would then be built upon, is made again.
        """
        self.catch_up()
        if not self.loose and not self._is_at_end():
            self.distrust()

    def _is_at_end(self) -> bool:
        try:
            end = tail(self.being.memory)
        except Damaged:
            return False  # read as a chain, the archive ends before that line
        return not end.seq or (end.seq, end.event_hash) == self.events.last_head()

    def distrust(self) -> None:
        """Make all of it again, vectors too: it said what the archive does not."""
        with self._threads, room_needed():
            self._start_over("it said what the archive does not")
            self._catch_up(unwatched)


def _size(folder: Path) -> int:
    """How many bytes the files of a folder hold; one that goes meanwhile holds none."""
    total = 0
    for path in folder.rglob("*"):
        with suppress(OSError):
            total += path.stat().st_size if path.is_file() else 0
    return total
