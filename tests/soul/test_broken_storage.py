"""A storage that breaks a promise is caught by the suite that others use to try theirs."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import IO, ClassVar

import pytest
from tests.soul.test_conformance import OnFiles

from lumen.core.canon import dumps, loads
from lumen.core.data import BeingPaths, Entry, Memory, Passage, Placed, Signer
from lumen.core.errors import LumenError
from lumen.soul.archive.locks import FileLocks
from lumen.soul.index.index import Index
from lumen.soul.index.memories import MemoryTable
from lumen.soul.index.vector_sets import VectorTables
from lumen.soul.index.vectors import BuiltInVectors
from lumen.soul.ports.locks import Locks
from lumen.soul.ports.storage import Storage
from lumen.soul.ports.vectors import LATEST, NearColumns
from lumen.soul.writing.log import FileLog
from lumen.soul.writing.self_files import BeingFiles
from lumen.testing import (
    EventLogConformance,
    LocksConformance,
    QueriesConformance,
    SelfFilesConformance,
    VectorsConformance,
)
from lumen.testing.storage import StorageConformance

GIVEN: list[IO[bytes] | None] = []  # locks that nobody lets go


class Forgets(FileLog):
    """Acknowledges every third append and keeps nothing of it."""

    appends = 0

    def append(
        self,
        entries: Sequence[Entry],
        *,
        durable: bool,
        sign: bool = False,
        files: Mapping[str, bytes | None] | None = None,
        signer: Signer | None = None,
    ) -> list[Placed]:
        self.appends += 1
        if self.appends % 3:
            return super().append(entries, durable=durable, sign=sign, files=files, signer=signer)
        return [Placed(99 + n, "0" * 64, "id", "", "") for n in range(len(entries))]


class Respells(FileLog):
    """Keeps lines as a database keeps JSON: the same values, other bytes."""

    def lines(self) -> Iterator[bytes]:
        return (dumps(dict(sorted(loads(raw).items()))) + b"\n" for raw in super().lines())


class Unlinked(FileLog):
    """Says that every line is the first of a chain."""

    def lines(self) -> Iterator[bytes]:
        for raw in super().lines():
            parent = loads(raw)["parent_hash"]
            yield raw.replace(f'"parent_hash":"{parent}"'.encode(), b'"parent_hash":"%064d"' % 0)


class Unheld(FileLog):
    """Has two who hold it at once: only single appends are kept apart."""

    @contextmanager
    def locked(self) -> Iterator[None]:
        yield


class Hides(FileLog):
    """Says that it erased, and leaves every byte in place."""

    def erase(self, by: int, targets: Sequence[int]) -> None:
        del by, targets


class Half(FileLog):
    """Replaces files although the event that says so was refused."""

    def append(
        self,
        entries: Sequence[Entry],
        *,
        durable: bool,
        sign: bool = False,
        files: Mapping[str, bytes | None] | None = None,
        signer: Signer | None = None,
    ) -> list[Placed]:
        for path, data in (files or {}).items():
            BeingFiles(self.being).put(path, data)
        return super().append(entries, durable=durable, sign=sign, files=files, signer=signer)


class Stale(Index):
    """Looks at the log once and never again."""

    seen = 0

    def catch_up(self, *_: object) -> int:
        self.seen = self.seen or super().catch_up()
        return self.seen


class Indiscreet(MemoryTable):
    """Hands the kernel's own memories out with the others."""

    def get(self, seqs: Iterable[int]) -> dict[int, Memory]:
        every = {m.seq: m for m in self.listed(limit=None)}
        return {seq: every[seq] for seq in seqs if seq in every}


class Remembers(VectorTables):
    """Holds on to vectors in memory, those of what is forgotten too."""

    def built_in(self, embedder: str) -> BuiltInVectors:
        return Cached(self._db, embedder, self._maps)


class Cached(BuiltInVectors):
    added: dict[int, Passage] = {}  # noqa: RUF012 - that all share it is what is broken

    def after(self, number: int) -> Iterator[Passage]:
        self.added |= {p.number: p for p in super().after(0)}
        return (p for n, p in sorted(self.added.items()) if n > number)


class Unmarked(VectorTables):
    """Finds what is near, whatever it was marked with and whenever it was said."""

    def built_in(self, embedder: str) -> BuiltInVectors:
        return Heedless(self._db, embedder, self._maps)


class Heedless(BuiltInVectors):
    def nearest(
        self,
        query: bytes,
        most: int,
        *,
        before: int = LATEST,
        until: int | None = None,
        marks: int = 0,
    ) -> NearColumns:
        del before, until, marks
        return super().nearest(query, most)


class Lax(FileLocks):
    """Gives everybody who wants a lock alone a share in it."""

    def take(self, what: str, *, shared: bool = False) -> IO[bytes] | None:
        del shared
        found = super().take(what, shared=True)
        GIVEN.append(found)
        return found


@dataclass
class Share:
    """A lock in a list."""

    held: list[bool]
    shared: bool

    def close(self) -> None:
        self.held.remove(self.shared)


@dataclass
class Lonely:
    """Locks in the memory of a process: what another has taken it does not see."""

    being: BeingPaths
    taken: ClassVar[dict[tuple[Path, str], list[bool]]] = {}

    @property
    def name(self) -> str:
        return str(self.being.root)

    def take(self, what: str, *, shared: bool = False) -> Share | None:
        held = self.taken.setdefault((self.being.root, what), [])
        if held and not (shared and all(held)):
            return None
        held.append(shared)
        return Share(held, shared)

    def holders(self, what: str) -> str:
        return "this process" if self.taken.get((self.being.root, what)) else ""


@dataclass
class Left:
    """A file that says that there is a lock."""

    path: Path

    def close(self) -> None:
        self.path.unlink()


@dataclass
class Lasting:
    """Locks by a file that is there: who is killed leaves it."""

    being: BeingPaths
    name: str = "one"

    def take(self, what: str, *, shared: bool = False) -> Left | None:
        path = self.being.memory / f".{what}-{'shared' if shared else 'alone'}"
        try:
            os.close(os.open(path, os.O_CREAT | os.O_EXCL))
        except FileExistsError:
            return None
        return Left(path)

    def holders(self, what: str) -> str:
        return what[:0]


class Torn(BeingFiles):
    """Writes into a file in place, so that what is longer stays behind."""

    def put(self, path: str, data: bytes | None) -> None:
        at = self.being.at(path)
        if data is None or not at.exists():
            return super().put(path, data)
        with at.open("r+b") as file:
            file.write(data)
        return None


class Careless(BeingFiles):
    """Throws away what it was to set aside."""

    def set_aside(self, name: str, data: bytes) -> str:
        return super().set_aside(name, data[:0])


def log(kind: type[FileLog]) -> Callable[[Storage], Storage]:
    def broken(storage: Storage) -> Storage:
        ours = storage.log
        assert isinstance(ours, FileLog)
        index = storage.index
        assert isinstance(index, Index)
        return replace(storage, log=kind(ours.being, ours.keyring, ours.clock, index))

    return broken


def files(kind: type[BeingFiles]) -> Callable[[Storage], Storage]:
    def broken(storage: Storage) -> Storage:
        assert isinstance(storage.files, BeingFiles)
        return replace(storage, files=kind(storage.files.being))

    return broken


def locks(kind: Callable[[BeingPaths], Locks]) -> Callable[[Storage], Storage]:
    def broken(storage: Storage) -> Storage:
        assert isinstance(storage.locks, FileLocks)
        return replace(storage, locks=kind(storage.locks.being))

    return broken


def behind(storage: Storage) -> Storage:
    assert isinstance(storage.index, Index)
    return replace(storage, index=Stale(storage.index.being))


def remembering(storage: Storage) -> Storage:
    assert isinstance(storage.index, Index)
    Cached.added = {}
    storage.index.vectors = Remembers(storage.index)
    return storage


def heedless(storage: Storage) -> Storage:
    assert isinstance(storage.index, Index)
    storage.index.vectors = Unmarked(storage.index)
    return storage


def indiscreet(storage: Storage) -> Storage:
    assert isinstance(storage.index, Index)
    storage.index.memories = Indiscreet(storage.index)
    return storage


@dataclass(frozen=True)
class Broken:
    """A way to break a storage, and the test that is there for it."""

    suite: type[StorageConformance]
    how: Callable[[Storage], Storage]
    caught_by: str
    name: str


BREAKAGES = [
    Broken(EventLogConformance, log(Forgets), "acknowledged_is_there", "forgets a line"),
    Broken(EventLogConformance, log(Respells), "spelled_as_the_format_says", "respells lines"),
    Broken(EventLogConformance, log(Unlinked), "spelled_as_the_format_says", "wrong parent"),
    Broken(EventLogConformance, log(Unheld), "everyone_else_waits", "two hold the log"),
    Broken(EventLogConformance, log(Hides), "gone_to_the_byte", "erases nothing"),
    Broken(EventLogConformance, log(Half), "files_change_with_the_event", "half a commit"),
    Broken(QueriesConformance, behind, "known_after_catching_up", "falls behind"),
    Broken(QueriesConformance, indiscreet, "without_the_kernels_own", "tells kernel's own"),
    Broken(VectorsConformance, remembering, "no_vector_any_more", "a stale vector"),
    Broken(VectorsConformance, heedless, "nearest_are_found", "heeds no mark"),
    Broken(LocksConformance, locks(Lax), "nobody_elses", "two hold a lock"),
    Broken(LocksConformance, locks(Lonely), "another_process", "one process's own locks"),
    Broken(LocksConformance, locks(Lasting), "killed_holds_nothing", "a dead one holds a lock"),
    Broken(SelfFilesConformance, files(Torn), "as_it_was_put", "a torn file"),
    Broken(SelfFilesConformance, files(Careless), "set_aside", "throws away"),
]


def caught(broken: Broken, where: Path) -> list[str]:
    """The tests of a suite that fail on a storage broken so."""

    def opened(_self: object, folder: Path) -> Storage:
        return broken.how(OnFiles().open(folder))

    suite = type("Suite", (broken.suite,), {"open": opened})()
    failed = []
    for number, name in enumerate(n for n in dir(suite) if n.startswith("test_")):
        if broken.caught_by not in name:
            continue
        folder = where / str(number)
        folder.mkdir()
        try:
            getattr(suite, name)(folder)
        except (AssertionError, LumenError, OSError):
            failed.append(name)
        finally:
            suite.teardown_method()
    while GIVEN:
        if one := GIVEN.pop():
            one.close()
    return failed


@pytest.mark.parametrize("broken", BREAKAGES, ids=lambda b: b.name)
def test_a_broken_promise_is_caught(broken: Broken, tmp_path: Path) -> None:
    assert caught(broken, tmp_path), f"{broken.caught_by} does not notice"


def test_every_breakage_is_one_of_the_storage_and_not_of_the_test(tmp_path: Path) -> None:
    sound = [replace(b, how=lambda storage: storage) for b in BREAKAGES]
    for number, one in enumerate(sound):
        where = tmp_path / f"{number}"
        where.mkdir()
        assert caught(one, where) == []
