"""A full or closed disk, a clock set back, an index spoilt in use: before or after, never between."""

from __future__ import annotations

import subprocess
import sys
import tempfile
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from tests.forking import start_program
from tests.storing import begun, gate_of, tables
from tests.waiting import PATIENCE

from lumen.core.clock import ulid
from lumen.core.data import (
    Author,
    BeingPaths,
    Change,
    Entry,
    EventType,
    Origin,
    SelfItem,
    kernel_entry,
)
from lumen.core.stores import Store
from lumen.kernel.gate.commit import Gate
from lumen.kernel.gate.recovery import erase, recover
from lumen.kernel.upkeep.forget import find, plan
from lumen.kernel.upkeep.maintain import fade
from lumen.soul.archive.line import read
from lumen.soul.checking.verify import verify
from lumen.soul.state.fold import fold
from lumen.soul.trust.keys import Keyring
from lumen.testing.clock import HandClock

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from lumen.core.canon import JSON

pytestmark = pytest.mark.real_disk
BIRTH = datetime(2026, 11, 15, 12, tzinfo=UTC)
BEAT = kernel_entry("record", "RECORD: done", "lumen:kernel", {})
# The limit is lifted in the same process, as when somebody makes room while a talk goes on.
LIMITED = """
import os, resource, sys
sys.dont_write_bytecode = True  # or half a module is left for everybody else
from datetime import UTC, datetime
from pathlib import Path
from lumen.testing.clock import HandClock
from lumen.core.data import *
from lumen.core.errors import LumenError
from lumen.kernel.gate.checkpoints import restore
from lumen.kernel.gate.commit import Gate
from lumen.kernel.upkeep.forget import find, plan
from lumen.kernel.upkeep.maintain import summaries
from lumen.kernel.gate.recovery import erase, recover
from lumen.soul.archive.line import segments
from lumen.soul.writing.open import open_storage
from lumen.soul.trust.keys import Keyring

root, operation, room = Path(sys.argv[1]), sys.argv[2], int(sys.argv[3])
being, keyring = BeingPaths(root / "being"), Keyring(root / "host")
clock = HandClock(datetime.fromisoformat(sys.argv[4]), step_ms=3, seed=7)
gate = Gate(being, keyring, clock, open_storage(being, keyring, clock))
recover(gate)
gate.index.scrub()
gate.index.catch_up()

def change():
    held = SelfItem("courage", 0.5, "active")
    beat = kernel_entry("record", "RECORD: done", "s", {})
    gate.commit("reflection", [Change(Store.VALUES, "put", held)], beat, durable=True, sign=True)

def forget():
    targets = find(gate.index, "zebra")
    erase(gate, plan(gate, targets).erasure, "The author had it forgotten.")

work = {
    "change": change,
    "restore": lambda: restore(gate, 1),
    "forget": forget,
    "summaries": lambda: summaries(gate, UTC),
}[operation]


size = segments(being.memory)[-1].stat().st_size
resource.setrlimit(resource.RLIMIT_FSIZE, (size + room, resource.RLIM_INFINITY))
try:
    work()
except LumenError as error:
    print(error)
else:
    print("done")
if "again" in sys.argv:
    resource.setrlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
    try:
        recover(gate)
        work()
    except LumenError as error:
        print(error)
    else:
        print("done")
"""
KILLED = (
    LIMITED.partition("size = ")[0]
    + """
import pathlib
module, _, name = point.rpartition(".")
real = getattr(eval(module), name)

def killed(*given):
    if name == "pwrite" and b"erased_by" not in given[1]:
        return real(*given)  # not the blanking yet
    os._exit(9)

setattr(eval(module), name, killed)
forget()
"""
)
# Root may write everywhere, so it gives up the two capabilities that let it.
POWERLESS = """
import ctypes
libc = ctypes.CDLL(None)
[libc.prctl(24, capability, 0, 0, 0) for capability in (1, 2)]
os.execv(sys.executable, [sys.executable, "-c", sys.argv[1], *sys.argv[2:]])
"""


class Home:
    """A being that has lived a little, on a clock that is moved by hand."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.being, self.keyring = BeingPaths(root / "being"), Keyring(root / "host")
        self.clock = HandClock(BIRTH, step_ms=3, seed=0)
        files = {
            self.being.soul_md: "# Lumen\n",
            self.being.values: "[]\n",
            self.being.goals / "2026.json": "[]\n",
            self.being.settings: "[being]\n",
        }
        self.soul = ulid(self.clock)
        begun(self.being, self.keyring, self.clock, files, self.soul)
        self.gate = self.open()

    def open(self) -> Gate:
        gate = gate_of(self.being, self.keyring, self.clock)
        recover(gate, self.soul)
        return gate

    def reopen(self) -> Gate:
        self.close()
        self.gate = self.open()
        return self.gate

    def close(self) -> None:
        self.gate.index.close()
        self.gate.close()

    def tell(self, text: str) -> int:
        kind, origin = EventType.AUTHOR_MESSAGE, Origin.AUTHOR
        key = f"told:{self.clock.draws}"
        return self.gate.record(
            Entry(Author.EXTERNAL, kind, origin, "heard", text, key), sign=True
        ).seq

    def put(self, name: str, store: Store = Store.VALUES) -> int:
        status = "active" if store is Store.VALUES else "todo"
        change = Change(store, "put", SelfItem(name, 0.5, status))
        return self.gate.commit("reflection", [change], BEAT)[-1].seq

    def use(self, *memories: int) -> int:
        payload = {"uses": {"memories": list(memories), "by": 20_000}}
        return self.gate.record(kernel_entry("think", "THINK: of it", "s", payload)).seq

    def forget(self, word: str) -> None:
        self.gate.index.catch_up()
        found = plan(self.gate, find(self.gate.index, word))
        erase(self.gate, found.erasure, "Forgotten.")

    def weights(self) -> dict[int, int]:
        self.gate.index.catch_up()
        rows = tables(self.gate.index).rows(
            "SELECT seq, weight FROM events WHERE author != 'kernel'"
        )
        return {int(seq): int(weight) for seq, weight in rows}

    def state(self) -> dict[str, str]:
        return fold(stored.event for stored in read(self.being.memory)).texts()

    def still_saying(self, word: bytes) -> list[str]:
        found = [p for p in self.being.root.rglob("*") if p.is_file() and word in p.read_bytes()]
        return [self.being.named(p) for p in found]

    def run(
        self, script: str, *arguments: object, powerless: bool = False, code: int = 0
    ) -> list[str]:
        """What a process of its own said."""
        given = [str(self.root), *map(str, arguments)]
        if powerless:  # which takes effect where a program starts
            dropped = [sys.executable, "-c", "import os, sys\n" + POWERLESS, script, *given]
            done = subprocess.run(dropped, check=False, capture_output=True)
            ended = done.returncode, done.stdout, done.stderr
        else:
            started = start_program(script, *given)
            out, err = started.communicate(timeout=PATIENCE)
            ended = started.wait(), out, err
        assert (ended[0], ended[2]) == (code, b"")
        return ended[1].decode().splitlines()

    def must_be_whole(self) -> None:
        """Archive, index and files say the same, and nothing is left lying about."""
        assert verify(self.being, self.keyring, soul=self.soul).ok
        state = self.state()
        self.gate.index.catch_up()
        kept = self.gate.index.files.all_kept()
        assert {p: k.text for p, k in kept.items() if k.text is not None} == state
        assert self.gate.index.differences() == []
        for path, text in state.items():
            assert self.being.at(path).read_bytes() == text.encode(), path
        assert self.gate.adopt() == []
        assert [p for p in self.being.root.rglob(".*.new") if p.is_file()] == []


@pytest.fixture
def home(tmp_path: Path) -> Iterator[Home]:
    made = Home(tmp_path)
    yield made
    made.close()


@pytest.fixture
def lived(home: Home) -> Home:
    """Long enough that the archive, and not a file of the index, is what meets a limit."""
    home.tell("the zebra")
    home.put("zebra")
    home.put("patience")
    payload: dict[str, JSON] = {"steps": ["x" * 20_000]}
    for _ in range(40):
        home.gate.record(kernel_entry("act", "ACT: long", "s", payload))
    home.tell("the lamp")
    return home


@pytest.mark.parametrize("operation", ["change", "restore", "forget", "summaries"])
@pytest.mark.parametrize("room", [0, 200, 1500])
def test_on_a_full_disk_a_change_is_made_whole_or_not_at_all(
    lived: Home, operation: str, room: int
) -> None:
    before = lived.state()
    lived.close()
    (said,) = lived.run(LIMITED, operation, room, lived.clock.at.isoformat())
    lived.gate = lived.open()
    if said == "done" or lived.still_saying(b"zebra") == []:
        assert lived.state() != before
    else:
        assert "the disk is full" in said
        assert lived.state() == before
    lived.must_be_whole()


@pytest.mark.parametrize("operation", ["change", "restore", "forget", "summaries"])
def test_what_found_no_room_is_done_when_there_is_some(lived: Home, operation: str) -> None:
    before = lived.state()
    lived.close()
    said = lived.run(LIMITED, operation, 0, lived.clock.at.isoformat(), "again")
    assert "the disk is full" in said[0]
    assert said[1:] == ["done"]
    lived.gate = lived.open()
    assert lived.gate.repairs == []
    assert lived.state() != before
    assert bool(lived.still_saying(b"zebra")) is (operation != "forget")
    lived.must_be_whole()


@pytest.mark.parametrize("operation", ["change", "restore", "forget"])
def test_a_being_that_may_only_be_read_stays_as_it_was(operation: str) -> None:
    with tempfile.TemporaryDirectory(prefix="lumen-") as folder:
        home = Home(Path(folder))
        home.tell("the zebra")
        home.put("zebra")
        home.gate.index.catch_up()
        home.close()
        paths = [p for p in home.being.data.rglob("*") if "index" not in p.parts]
        before = {p: p.read_bytes() for p in paths if p.is_file()}
        for path in [*paths, home.being.data]:
            path.chmod(0o555 if path.is_dir() else 0o444)
        try:
            closed = LIMITED.replace("recover(gate)\ngate.index.scrub()", "gate.index.scrub()")
            (said,) = home.run(closed, operation, 1 << 30, BIRTH.isoformat(), powerless=True)
        finally:
            for path in [home.being.data, *paths]:
                path.chmod(0o755 if path.is_dir() else 0o644)
        assert "Permission denied" in said
        assert {p: p.read_bytes() for p in before} == before
        home.gate = home.open()
        home.must_be_whole()
        home.forget("zebra")
        assert home.still_saying(b"zebra") == []
        home.close()


def test_a_clock_set_back_makes_no_time_run_backwards(home: Home) -> None:
    memory = home.tell("the lamp")
    home.clock.at += timedelta(days=60)
    fade(home.gate, 30)
    home.put("patience")
    faded = home.weights()[memory]
    assert 0 < faded < 500_000
    last = max(s.event.timestamp for s in read(home.being.memory))
    home.clock.at = BIRTH + timedelta(days=3)
    home.reopen()
    later = home.tell("the ship")
    home.use(memory)
    assert "already" in fade(home.gate, 30)
    assert home.weights() == {memory: faded + 20_000, later: 500_000}
    home.put("harbour", Store.GOALS)
    assert '"harbour"' in (home.being.goals / "2026.json").read_text("utf-8")
    assert not (home.being.goals / "2027.json").exists()
    stamps = [s.event.timestamp for s in read(home.being.memory)]
    assert stamps == sorted(stamps)
    assert stamps[-1] == last
    home.must_be_whole()
    home.clock.at = BIRTH + timedelta(days=90)
    fade(home.reopen(), 30)
    home.put("anchor", Store.GOALS)
    assert '"anchor"' in (home.being.goals / "2027.json").read_text("utf-8")
    assert 0 < home.weights()[memory] < faded + 20_000
    home.must_be_whole()


def spoil_gone(index: Path) -> None:
    for path in index.parent.glob("soul.db*"):
        path.unlink()


def spoil_folder(index: Path) -> None:
    spoil_gone(index)
    for path in index.parent.iterdir():
        path.unlink()
    index.parent.rmdir()


def spoil_garbled(index: Path) -> None:
    index.write_bytes(b"this is no database" * 500)


def spoil_emptied(index: Path) -> None:
    index.write_bytes(b"")


@pytest.mark.parametrize("spoil", [spoil_gone, spoil_folder, spoil_garbled, spoil_emptied])
def test_an_index_spoilt_in_use_is_made_again_and_told(
    home: Home, spoil: Callable[[Path], None]
) -> None:
    for number in range(12):
        home.tell(f"the lamp {number}")
    home.put("patience")
    home.gate.index.catch_up()
    home.gate.index.scrub()  # all of it is in the file, and nothing in its log
    home.gate.index.repairs.clear()
    spoil(home.being.index)
    home.put("courage")
    last = home.gate.index.catch_up()
    assert home.being.values.read_text("utf-8").count("name") == 2
    assert home.gate.index.differences() == []
    assert home.gate.index.events.last_head()[0] == last
    told = home.gate.index.repairs
    assert len(told) == 1
    assert told[0].startswith("The index was rebuilt from the archive: ")
    home.must_be_whole()
    home.reopen()
    home.must_be_whole()
    assert home.gate.index.repairs == []


@pytest.mark.parametrize("point", ["pathlib.Path.replace", "pathlib.Path.unlink", "os.pwrite"])
def test_a_forgetting_killed_on_its_way_is_finished_at_the_next_start(
    home: Home, point: str
) -> None:
    home.being.quarantine.mkdir()
    (home.being.quarantine / "soul.md-1").write_text("the zebra", "utf-8")
    home.tell("the zebra")
    home.put("zebra")
    home.put("patience")
    weights = home.weights()
    home.close()
    home.run(f"point = {point!r}{KILLED}", "forget", 0, home.clock.at.isoformat(), code=9)
    home.gate = home.open()
    assert home.gate.repairs
    home.gate.adopt()
    assert home.still_saying(b"zebra") == []
    assert home.weights() == weights
    home.must_be_whole()
