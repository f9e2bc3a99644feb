"""Beings on real files: one to write to, and one that has lived and can be spoiled again and again."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import IO

import apsw
import pytest
from tests.measuring import measured

from lumen.core.canon import JSON
from lumen.core.clock import ulid
from lumen.core.data import Author, BeingPaths, Entry, EventType, Origin, Placed, Signed
from lumen.soul.archive.line import parse, segments
from lumen.soul.checking.verify import Report, verify
from lumen.soul.index.database import FOLDED
from lumen.soul.index.index import Index
from lumen.soul.trust.keys import Keyring
from lumen.soul.writing.write import Writer
from lumen.testing.clock import HandClock

BEGAN = datetime(2026, 11, 14, 21, 0, tzinfo=UTC)
Line = tuple[str, bytes]  # the segment's name and one line of it


def entry(
    text: str,
    author: Author = Author.EXTERNAL,
    situation: str = "heard",
    payload: dict[str, JSON] | None = None,
) -> Entry:
    """An event that says something."""
    kinds = {
        Author.EXTERNAL: (EventType.AUTHOR_MESSAGE, Origin.AUTHOR),
        Author.SELF: (EventType.ASSISTANT_MESSAGE, Origin.SELF),
    }
    kind, origin = kinds.get(author, (EventType.SYSTEM_EVENT, Origin.KERNEL))
    return Entry(author, kind, origin, situation, text, "lumen:interface:1", payload or {})


def overwrite(path: Path, data: bytes) -> None:
    """Put bytes into a file without emptying it first: that would wait for the disk each time."""
    path.parent.mkdir(exist_ok=True)
    path.touch()
    with path.open("r+b") as file:
        file.write(data)
        file.truncate()


@dataclass(slots=True)
class Home:
    """A being, its keys and a clock that is moved by hand."""

    root: Path
    clock: HandClock = field(default_factory=lambda: HandClock(BEGAN, step_ms=7, seed=0))
    opened: list[Writer] = field(default_factory=list)

    @property
    def being(self) -> BeingPaths:
        return BeingPaths(self.root / "being")

    @property
    def keyring(self) -> Keyring:
        return Keyring(self.root / "host")

    def writer(self) -> Writer:
        """Another writer, as another process would have."""
        self.opened.append(Writer(self.being, self.keyring, self.clock))
        return self.opened[-1]

    def close(self) -> None:
        """Let go of what the writers hold: thousands of tests run in one process."""
        while self.opened:
            self.opened.pop().close()

    def begin(self) -> Writer:
        """A writer on a being that was just born."""
        self.being.memory.mkdir(parents=True)
        writer = self.writer()
        writer.begin(ulid(self.clock))
        return writer

    def author(self, text: bytes) -> Signed:
        """The author's key, open."""
        soul = parse(self.lines()[0]).soul
        return self.keyring.open_author(soul, lambda: "")(text)

    def later(self, **ahead: float) -> None:
        """Move the clock."""
        self.clock.at += timedelta(**ahead)

    entry = staticmethod(entry)
    overwrite = staticmethod(overwrite)

    def say(self, writer: Writer, *texts: str, sign: bool = False) -> list[Placed]:
        """Append some words, durably."""
        return writer.append([entry(text) for text in texts], durable=True, sign=sign)

    def live(self, writer: Writer, turns: int, began: int = 0) -> None:
        """Some turns, every third never closed, with a change to a file here and there."""
        for number in range(began, began + turns):
            change = {"store": "soul", "operation": "set", "base": f"{number}"}
            beat = entry(
                f"THINK: about apples and turn {number}",
                Author.KERNEL,
                "record" if number % 3 else "think",
                {"changes": [{**change, "value": f"# {number}"}]} if number % 2 else {},
            )
            heard = entry(f"turn {number}: I ate an apple", payload={"private": number % 4 == 0})
            reply = entry(f"an apple, noted ({number})", Author.SELF, "answered")
            self.later(hours=5)
            writer.append(
                [
                    replace(each, session_key=f"lumen:interface:{number}")
                    for each in (heard, reply, beat)
                ],
                durable=False,
                sign=number == began + turns - 1,
            )

    def rows(self) -> dict[str, list[tuple[object, ...]]]:
        """Everything the index holds that comes from the archive; words by what they find."""
        db = apsw.Connection(str(self.being.index), flags=apsw.SQLITE_OPEN_READONLY)
        found = {table: db.execute(f"SELECT * FROM {table}").fetchall() for table in FOLDED}  # noqa: S608 - our own names
        for word in ("apple", "noted", "turn", "about"):
            match = "SELECT rowid FROM words WHERE words MATCH ? ORDER BY rowid"
            found[word] = db.execute(match, (word,)).fetchall()
        db.close()
        return found

    def segments(self) -> dict[str, bytes]:
        """Every segment's bytes by name."""
        return {path.name: path.read_bytes() for path in segments(self.being.memory)}

    def newest(self) -> Path:
        """The segment written last."""
        return segments(self.being.memory)[-1]

    def lines(self) -> list[bytes]:
        """Every line, oldest first."""
        return b"".join(self.segments().values()).splitlines(keepends=True)

    def verify(self, *, processes: int = 1) -> Report:
        return verify(self.being, self.keyring, processes=processes)

    def run(self, script: str, *arguments: object) -> subprocess.Popen[bytes]:
        """A process of its own: `script` sees this home as `home`, and `said` and `argv`."""
        prelude = (
            "import os, signal, sys; from pathlib import Path; from datetime import timedelta\n"
            "sys.dont_write_bytecode = True\n"  # half a module, where the script fills the disk
            "from lumen.core.clock import SystemClock\nfrom lumen.core.errors import *\n"
            "from lumen.core.data import *\nfrom lumen.soul.writing.write import Writer\n"
            "from lumen.soul.index.index import Index\nfrom lumen.soul.trust.keys import Keyring\n"
            "root, argv = Path(sys.argv[1]), sys.argv[2:]\n"
            "being, keyring = BeingPaths(root / 'being'), Keyring(root / 'host')\n"
            "def said(text):\n"
            "    return Entry(Author.EXTERNAL, EventType.AUTHOR_MESSAGE, Origin.AUTHOR, 'heard',\n"
            "                 text, 'lumen:interface:1')\n"
        )
        return subprocess.Popen(
            [sys.executable, "-c", prelude + script, self.root, *map(str, arguments)],
            stdout=subprocess.PIPE,
            stdin=subprocess.PIPE,
            env={**measured(), "PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
        )


@dataclass(slots=True)
class Grown:
    """A being that lived three days: five turns, each with a signed head, then nothing unsigned."""

    home: Home
    lines: list[Line]
    heads: bytes
    signed: list[int]
    on_disk: dict[Path, bytes] = field(default_factory=dict)

    def spoil(self, lines: Iterable[Line], heads: bytes | None) -> Report:
        """Verify these lines with these heads in place of the true ones."""
        files: dict[str, bytes] = {}
        for name, line in lines:
            files[name] = files.get(name, b"") + line
        return self.spoil_files(files, heads)

    def spoil_files(self, files: Mapping[str, bytes], heads: bytes | None) -> Report:
        """Verify these segments, by name or by path, with these heads."""
        being = self.home.being
        wanted = {
            being.memory / (name if "/" in name else f"{name[:4]}/{name}"): data
            for name, data in files.items()
        }
        if heads is not None:
            wanted[being.heads] = heads
        for path in self.on_disk.keys() - wanted.keys():
            path.unlink()
        for path, data in wanted.items():
            if self.on_disk.get(path) != data:
                overwrite(path, data)
        self.on_disk = wanted
        return self.home.verify()

    def files(self) -> dict[str, bytes]:
        """The true segments."""
        found: dict[str, bytes] = {}
        for name, line in self.lines:
            found[name] = found.get(name, b"") + line
        return found

    def heads_below(self, seq: int) -> bytes:
        """The heads as they were before an event."""
        kept = self.heads.splitlines(keepends=True)[: sum(s < seq for s in self.signed)]
        return b"".join(kept)

    def look(self) -> None:
        """See what others have written since."""
        paths = [*segments(self.home.being.memory), self.home.being.heads]
        self.on_disk = {path: path.read_bytes() for path in paths}

    def restore(self) -> Home:
        """Put everything back as it was written."""
        assert self.spoil(self.lines, self.heads).ok
        return self.home


def grow(home: Home, days: Iterable[int]) -> None:
    """Live some turns, each so many days after the one before."""
    writer = home.begin()
    for number, ahead in enumerate(days, 1):
        home.later(days=ahead)
        home.say(writer, f"turn {number}")
        writer.append(
            [entry("as you say", Author.SELF), entry("done", Author.KERNEL, "record")],
            durable=False,
            sign=True,
        )
    writer.close()


@pytest.fixture
def home(tmp_path: Path) -> Iterator[Home]:
    made = Home(tmp_path)
    yield made
    made.close()


@pytest.fixture
def writer(home: Home) -> Writer:
    """A writer on a being that was just born."""
    return home.begin()


@pytest.fixture
def index(home: Home, writer: Writer) -> Iterator[Index]:
    """An index that followed along while the being lived for eight turns."""
    index = Index(home.being)
    index.catch_up()
    home.live(writer, 8)
    index.catch_up()
    assert index.repairs == []
    yield index
    index.close()


@pytest.fixture(scope="module")
def lasting(tmp_path_factory: pytest.TempPathFactory) -> Home:
    """A being that many examples share, each leaving it whole."""
    home = Home(tmp_path_factory.mktemp("lasting"))
    home.begin().close()
    return home


@pytest.fixture(scope="module")
def grown(tmp_path_factory: pytest.TempPathFactory) -> Grown:
    home = Home(tmp_path_factory.mktemp("grown"))
    grow(home, (0, 0, 1, 2, 0))
    lines = [
        (name, line)
        for name, data in home.segments().items()
        for line in data.splitlines(keepends=True)
    ]
    grown = Grown(home, lines, home.being.heads.read_bytes(), [1, 4, 7, 10, 13, 16])
    grown.look()
    return grown


def read_line(stream: IO[bytes] | None) -> bytes:
    """One line a process printed."""
    assert stream is not None
    return stream.readline()
