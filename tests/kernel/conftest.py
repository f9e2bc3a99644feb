"""A being of its own for every test: real files, real SQLite, the real skill and embedder.

Only the model is stood in for, by a script or by a listener that keeps what it was shown.
"""

from __future__ import annotations

import asyncio
import os
import shutil
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from tempfile import TemporaryDirectory
from zoneinfo import ZoneInfo

import pytest
from tests.kernel.listening import Listener, nothing
from tests.kernel.recorder import Recorder, connect, recording
from tests.kernel.turning import close_dead_turns
from tests.storing import begun, gate_of, tables
from tests.storing import born as bear

from lumen.app.skills import decide_skill
from lumen.core.canon import JSON, dumps
from lumen.core.clock import Now, ulid
from lumen.core.data import Author, BeingPaths, Entry, Event, EventType, Origin, kernel_entry
from lumen.hands.skills import came_with_lumen
from lumen.kernel.contour.slots import Self
from lumen.kernel.gate.commit import Gate
from lumen.kernel.gate.recovery import recover
from lumen.kernel.recall.before import RecallBefore
from lumen.kernel.recall.evidence import Evidence
from lumen.kernel.recall.search import IndexedRecall
from lumen.kernel.reflection.triggers import Thresholds
from lumen.kernel.turn.conversation import Said, converse
from lumen.kernel.turn.recorded import PROMPTS
from lumen.kernel.turn.run import Kernel, Watch, adopt_edits
from lumen.mind.ask import Reach
from lumen.mind.e5 import E5
from lumen.mind.roles import parse_assignments
from lumen.mind.substrate import Prompt
from lumen.soul.archive.line import parse, read, segments
from lumen.soul.index.index import Index
from lumen.soul.trust.keys import Keyring
from lumen.testing.clock import HandClock

BIRTH = datetime(2026, 11, 15, 12, tzinfo=UTC)  # a Sunday
QUIET = Watch()
SESSION = "lumen:interface:01"
BEAT = kernel_entry("record", "RECORD: done", SESSION, {"turn": SESSION})


@dataclass(slots=True)
class Life:
    """An open being, and what a test asks of it."""

    kernel: Kernel
    clock: HandClock
    keyring: Keyring

    @property
    def being(self) -> BeingPaths:
        """Where it is."""
        return self.kernel.being

    def say(self, text: str, *, private: bool = False, watch: Watch = QUIET) -> Said:
        """One turn."""
        return asyncio.run(converse(self.kernel, text, private=private, watch=watch))

    def tell(self, *texts: str, days: int = 0) -> list[int]:
        """Archive what the author said without a turn, as if long ago; returns the numbers."""
        heard = []
        for text in texts:
            self.clock.at += timedelta(days=days)
            heard.append(self.kernel.gate.record(said(text, f"told:{self.clock.draws}")).seq)
        return heard

    def wonder(self) -> RecallBefore:
        """Recall over all there is up to now."""
        last = self.kernel.index.catch_up()
        self.kernel.recall.learn()
        return RecallBefore(self.kernel.recall, last + 1)

    def recalls(self, question: str) -> tuple[Evidence, ...]:
        """What bears on a question, of all that has its vectors."""
        return RecallBefore(self.kernel.recall).evidence(question)

    def events(self) -> list[Event]:
        """Every line of the archive, read from the disk."""
        return [stored.event for stored in read(self.being.memory)]

    def turn(self) -> list[Event]:
        """The lines of the newest turn."""
        found = self.events()
        return [e for e in found if e.entry.session_key == found[-1].entry.session_key]

    def beat(self, name: str) -> Event:
        """The kernel memory of a beat of the newest turn."""
        (found,) = [e for e in self.turn() if e.entry.situation == name]
        return found

    def step(self, name: str) -> JSON:
        """What the newest turn tells of one of its steps."""
        beats = [e.entry.payload.get("steps", []) for e in self.turn()]
        (found,) = [told for steps in beats for told in steps if told["step"] == name]
        return found

    def told(self) -> list[str]:
        """What was mended or adopted, in words for the author; told once."""
        said, self.kernel.gate.repairs[:] = [*self.kernel.gate.repairs], []
        return said

    def open_again(self) -> list[str]:
        """What a process does that opens the being next; says what it tells the author."""
        recover(self.kernel.gate, self.events()[0].soul)
        dead = close_dead_turns(self.kernel)
        self.kernel.as_of = (-1, -1)
        adopt_edits(self.kernel)
        return [*self.told(), *dead]

    def skill(self, name: str, source: str, *, isolation: str = "limits") -> None:
        """Give the being a skill of the author's; it finds the being's folder in `root`."""
        policies = self.kernel.policies
        chosen = {**policies.settings, name: {"isolation": isolation}}
        self.kernel.policies = replace(policies, settings=chosen)
        folder = self.being.skills / name
        folder.mkdir(exist_ok=True)
        head = "import json, os, pathlib, signal, sys\nroot = pathlib.Path.cwd().parent.parent\n"
        (folder / "main.py").write_text(head + source, "utf-8")
        if came_with_lumen(name):  # the author says that the change is theirs
            decide_skill(self.kernel, self.kernel.index.events.soul(), name, "accepted")

    def open_turns(self) -> list[tuple[str, int]]:
        """Turns the archive shows as begun and not closed."""
        self.kernel.index.catch_up()
        return self.kernel.index.events.open_turns()

    def listen(
        self,
        answer: str = "That sounds like a good day to me.",
        *,
        small: bool = False,
        heard: Callable[[Prompt], None] = nothing,
    ) -> Listener:
        """Let a listener be the model."""
        listener = Listener(answer, small, heard)
        self.kernel.reach.opened["listener"] = listener
        self.speak_with("listener/ear")
        return listener

    def script(self, *rules: JSON) -> None:
        """Let a script be the model."""
        path = self.being.root / "script.jsonl"
        path.write_bytes(b"\n".join(dumps(rule) for rule in rules))
        self.speak_with(f"scripted/{path}")

    def speak_with(self, model: str) -> None:
        """Assign the interface role."""
        roles = parse_assignments({"interface": model})
        self.kernel.reach = replace(self.kernel.reach, assignments=roles)


def said(text: str, session_key: str) -> Entry:
    """The author's words as the runner archives them."""
    return Entry(
        author=Author.EXTERNAL,
        event_type=EventType.AUTHOR_MESSAGE,
        origin=Origin.AUTHOR,
        situation="heard",
        description=text,
        session_key=session_key,
    )


def wake(being: BeingPaths, keyring: Keyring, clock: HandClock, embedder: E5) -> Life:
    """Open a being that exists."""
    gate = gate_of(being, keyring, clock)
    index = gate.index
    kernel = Kernel(
        being=being,
        gate=gate,
        index=index,
        recall=IndexedRecall(index, embedder),
        reach=Reach(
            parse_assignments({"interface": "scripted/echo"}), (being.prompts, PROMPTS), clock
        ),
        clock=clock,
        self_=Self(name="Iris", author_name="Ada"),
        now=lambda: Now(clock.now(), ZoneInfo("Europe/Lisbon")),
        thresholds=Thresholds(stale_cycles=10),  # a short life
    )
    return Life(kernel, clock, keyring)


@dataclass(slots=True)
class Guarded:
    """A being behind its gate, with nothing else to it: no skills, no prompts."""

    being: BeingPaths
    keyring: Keyring
    clock: HandClock
    gate: Gate

    @property
    def index(self) -> Index:
        """The index, up to date."""
        self.gate.index.catch_up()
        return tables(self.gate.index)

    def events(self) -> list[Event]:
        """Every line of the archive, read from the disk."""
        return [stored.event for stored in read(self.being.memory)]

    def last(self) -> Entry:
        """What was archived last."""
        return self.events()[-1].entry

    def archive(self) -> bytes:
        """The archive, byte for byte."""
        return b"".join(p.read_bytes() for p in segments(self.being.memory))

    def since(self, archive: bytes) -> list[Event]:
        """The lines that were added to what the archive was; nothing else of it changed."""
        whole = self.archive()
        assert whole.startswith(archive)
        return [parse(raw) for raw in whole[len(archive) :].splitlines()]

    def others(self) -> dict[str, bytes]:
        """Every byte of the being that is not the archive, nor index or lock."""
        archive = set(segments(self.being.memory))
        found = [p for p in self.being.root.rglob("*") if p.is_file() and p not in archive]
        return {
            self.being.named(p): p.read_bytes()
            for p in found
            if p.parent != self.being.index.parent and not p.name.startswith(".lock")
        }

    def another(self) -> Guarded:
        """The same being, opened a second time."""
        clock = replace(self.clock, seed=(self.clock.seed or 0) + 1)
        gate = gate_of(self.being, self.keyring, clock, self.gate.secrets)
        return Guarded(self.being, self.keyring, clock, gate)

    def close(self) -> None:
        """Let go of the files."""
        self.gate.index.close()
        self.gate.close()


def guard(root: Path) -> Guarded:
    """A being that has just begun."""
    being, keyring = BeingPaths(root / "being"), Keyring(root / "host")
    clock = HandClock(BIRTH, step_ms=3, seed=0)
    files = {
        being.soul_md: "# Lumen\n",
        being.values: "[]\n",
        being.goals / "2026.json": "[]\n",
        being.settings: "[being]\n",
    }
    begun(being, keyring, clock, files, ulid(clock))
    return Guarded(being, keyring, clock, gate_of(being, keyring, clock))


@pytest.fixture
def guarded(tmp_path: Path) -> Iterator[Guarded]:
    """A being and its gate."""
    made = guard(tmp_path)
    yield made
    made.close()


@pytest.fixture(scope="module")
def unmoved() -> Iterator[Guarded]:
    """One being for every refusal: none of them changes it, so the next finds it as it was.

    In memory where there is such a disk: a thousand refusals are a thousand waits for the other.
    """
    fast = Path("/dev/shm")  # noqa: S108 - only for what is thrown away
    with TemporaryDirectory(dir=fast if fast.is_dir() else None) as folder:
        made = guard(Path(folder))
        yield made
        made.close()


@pytest.fixture(scope="session")
def beat() -> Entry:
    """The kernel memory that goes with a commit."""
    return BEAT


@dataclass(frozen=True, slots=True)
class Newborn:
    """A home that is only copied: a being was born there, and its clock stands where it stood."""

    home: Path
    clock: HandClock


@pytest.fixture(scope="session")
def newborns(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Newborn]:
    """Beings by name, each born once."""
    born: dict[str, Newborn] = {}

    def newborn(name: str) -> Newborn:
        if name not in born:
            home = tmp_path_factory.mktemp(name)
            clock = HandClock(BIRTH, step_ms=10, seed=len(born))
            bear(BeingPaths(home / name), Keyring(home / "share" / "lumen"), clock)
            born[name] = Newborn(home, clock)
        return born[name]

    return newborn


@pytest.fixture
def born(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    newborns: Callable[[str], Newborn],
    embedder: E5,
) -> Iterator[Callable[[str], Life]]:
    """Opens beings by name, each in a folder of its own."""
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "share"))
    with ExitStack() as open_ones:

        def bear(name: str) -> Life:
            newborn = newborns(name)
            shutil.copytree(newborn.home, tmp_path, dirs_exist_ok=True)
            keyring = Keyring(tmp_path / "share" / "lumen")
            life = wake(BeingPaths(tmp_path / name), keyring, replace(newborn.clock), embedder)
            open_ones.callback(life.kernel.close)
            return life

        yield bear


@pytest.fixture
def life(born: Callable[[str], Life]) -> Life:
    """One being, whose model says back what it is shown."""
    return born("being")


@pytest.fixture
def cloud() -> Iterator[Recorder]:
    """A server that is not on this machine, as far as a being knows."""
    with recording() as recorder:
        yield recorder


@pytest.fixture
def far(life: Life, cloud: Recorder) -> Life:
    """One being, whose model is not on this machine."""
    connect(life, cloud.endpoint())
    return life


@pytest.fixture
def opened(embedder: E5) -> Iterator[Callable[[BeingPaths, Keyring, HandClock], Life]]:
    """Opens a being that exists, for a test that made it itself."""
    with ExitStack() as open_ones:

        def open_one(being: BeingPaths, keyring: Keyring, clock: HandClock) -> Life:
            life = wake(being, keyring, clock, embedder)
            open_ones.callback(life.kernel.close)
            return life

        yield open_one


@pytest.fixture
def wake_again(
    opened: Callable[[BeingPaths, Keyring, HandClock], Life],
) -> Callable[[Life], Life]:
    """Opens a being that is open already, as another process would."""

    def again(life: Life) -> Life:
        clock = replace(life.clock, seed=(life.clock.seed or 0) + 100)
        return opened(life.being, life.keyring, clock)

    return again


@pytest.fixture
def synced(monkeypatch: pytest.MonkeyPatch) -> list[bytes]:
    """What the disk was asked to keep, in order: the whole file each time, as it then was."""
    kept: list[bytes] = []
    real = os.fdatasync

    def keep(descriptor: int) -> None:
        real(descriptor)
        kept.append(os.pread(descriptor, os.fstat(descriptor).st_size, 0))

    monkeypatch.setattr(os, "fdatasync", keep)
    return kept
