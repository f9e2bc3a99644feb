"""The world of test_histories.py: a being opened twice, and an oracle of a few dicts beside it.

What befalls it is for the test to say.
"""

from __future__ import annotations

import json
import os
import shutil
import tempfile
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple
from zoneinfo import ZoneInfo

from tests.kernel.turning import close_dead_turns
from tests.storing import begun, tables

from lumen.core.canon import JSON
from lumen.core.clock import Now, ulid
from lumen.core.data import Author, BeingPaths, Change, Entry, EventType, Origin, kernel_entry
from lumen.core.errors import Refused
from lumen.core.stores import is_self
from lumen.kernel.contour.slots import Self
from lumen.kernel.gate.commit import Gate
from lumen.kernel.gate.recovery import recover
from lumen.kernel.recall.search import IndexedRecall
from lumen.kernel.turn.recorded import PROMPTS
from lumen.kernel.turn.run import Kernel, adopt_edits
from lumen.mind.ask import Reach
from lumen.mind.roles import parse_assignments
from lumen.soul.archive.line import parse, read, segments
from lumen.soul.archive.mark import Mark, MarkFile
from lumen.soul.checking.verify import verify
from lumen.soul.index.database import FOLDED
from lumen.soul.index.index import Index
from lumen.soul.state.fold import fold
from lumen.soul.trust.keys import Keyring
from lumen.soul.writing.open import open_storage
from lumen.testing.clock import HandClock

if TYPE_CHECKING:
    from lumen.mind.e5 import E5

BIRTH = datetime(2026, 11, 15, 12, tzinfo=UTC)
LISBON = ZoneInfo("Europe/Lisbon")
SOUL, VALUES = "data/soul.md", "data/values.json"
FLAWS = (b"{", b"[]]", b'[{"name": "x", "weight": 2, "status": "active"}]', b"\xff\xfe", b"null")
Texts = dict[str, str | None]


class Step(NamedTuple):
    """A change of self that undo can take back."""

    before: Texts
    after: Texts
    weights: dict[int, int] | None = None  # before it, when it weighed memories too


class Moment(NamedTuple):
    """The being when an event was the last."""

    texts: Texts
    weights: dict[int, int]


class Model:
    """What has to be true, kept without any of the code under test."""

    def __init__(self, texts: Texts) -> None:
        self.texts = texts
        self.moments: dict[int, Moment] = {}
        self.steps: list[Step] = []
        self.said: dict[int, str] = {}
        self.private: set[int] = set()
        self.gone: set[str] = set()
        self.pending: dict[str, bytes] = {}  # on disk, and not adopted
        self.held: dict[str, bytes] = {}  # edits nobody vouched for

    def change(self, after: Texts, weights: dict[int, int] | None = None) -> None:
        """The archive has taken in new texts."""
        before = {path: self.texts.get(path) for path in after}
        if before != after:
            self.steps.append(Step(before, after, weights))
        self.keep(after)

    def keep(self, after: Texts) -> None:
        for path, text in after.items():
            self.held.pop(path, None)
            if text is None:
                self.texts.pop(path, None)
            else:
                self.texts[path] = text

    def adoptable(self, *, vouched: bool = False) -> Texts:
        return {
            path: data.decode()
            for path, data in self.pending.items()
            if data not in FLAWS and (vouched or self.held.get(path) != data)
        }

    def adopt(self, *, vouched: bool = False) -> None:
        found = self.adoptable(vouched=vouched)
        for path in found:
            del self.pending[path]
        if found:
            self.change(found)

    def forget(self, targets: set[int]) -> set[str]:
        """Which words nothing else the author said has; they go everywhere, at all times."""
        told = {self.said[seq] for seq in targets}
        same = {s for s, text in self.said.items() if any(f" {t} " in f" {text} " for t in told)}
        own = {w for s in same for w in self.said[s].split()}
        own -= {w for s, text in self.said.items() if s not in same for w in text.split()}
        for seq in same:
            del self.said[seq]
        self.private -= same
        self.gone |= own
        texts = [self.texts, *(m.texts for m in self.moments.values())]
        texts += [t for step in self.steps for t in (step.before, step.after)]
        for some in texts:
            some.update({path: without(path, text, own) for path, text in some.items()})
        self.steps = [step for step in self.steps if step.before != step.after]
        return own


def without(path: str, text: str | None, gone: set[str]) -> str | None:
    if text is None:
        return None
    if path == SOUL:
        lines = text.splitlines(keepends=True)
        return "".join(line for line in lines if not any(w in line for w in gone))
    found = json.loads(text)
    kept = [h for h in found if h["name"] not in gone]
    return text if len(kept) == len(found) else spelled(kept)


def spelled(held: list[JSON]) -> str:
    """A list as the kernel writes it."""
    return "[\n  " + ",\n  ".join(json.dumps(h) for h in held) + "\n]\n" if held else "[]\n"


def said(text: str, session_key: str) -> Entry:
    return Entry(
        author=Author.EXTERNAL,
        event_type=EventType.AUTHOR_MESSAGE,
        origin=Origin.AUTHOR,
        situation="heard",
        description=text,
        session_key=session_key,
    )


class World:
    """Two openings of one being, as two processes have, and what they must agree on."""

    def __init__(self, embedder: E5) -> None:
        self.folder = tempfile.TemporaryDirectory(prefix="lumen-")
        self.being = BeingPaths(Path(self.folder.name) / "being")
        self.host = Path(self.folder.name) / "host"
        self.clock = HandClock(BIRTH, step_ms=3, seed=0)
        self.embedder = embedder
        self.turns = 0
        first: dict[str, str | None] = {SOUL: "# Lumen\n", VALUES: "[]\n"}
        first["data/goals/2026.json"] = "[]\n"
        files = {self.being.at(path): text or "" for path, text in first.items()}
        files[self.being.settings] = "[being]\n"
        self.soul = ulid(self.clock)
        begun(
            self.being,
            Keyring(self.host),
            self.clock,
            files,
            self.soul,
        )
        self.model = Model(first)
        self.open: list[Kernel | None] = [None, None]

    def end(self) -> None:
        self.die()
        self.folder.cleanup()

    spelled = staticmethod(spelled)
    said = staticmethod(said)

    def kernel(self, who: int) -> Kernel:
        """One of the two openings; opening mends and adopts, as every command does."""
        found = self.open[who]
        if found is None:
            storage = open_storage(self.being, Keyring(self.host), self.clock)
            gate = Gate(self.being, Keyring(self.host), self.clock, storage)
            index = storage.index
            roles = parse_assignments({"interface": "scripted/echo"})
            found = self.open[who] = Kernel(
                being=self.being,
                gate=gate,
                index=index,
                recall=IndexedRecall(index, self.embedder),
                reach=Reach(roles, (self.being.prompts, PROMPTS), self.clock),
                clock=self.clock,
                self_=Self(name="Lumen", author_name="Ada"),
                now=lambda: Now(self.clock.now(), LISBON),
            )
            recover(gate, self.soul)
            close_dead_turns(found)
            adopt_edits(found)
            self.model.adopt()
        return found

    def gate(self, who: int) -> Gate:
        return self.kernel(who).gate

    def die(self) -> None:
        """Both processes end without finishing anything."""
        for kernel in filter(None, self.open):
            kernel.close()
        self.open = [None, None]

    def weights(self) -> dict[int, int]:
        rows = self.index().rows("SELECT seq, weight FROM events WHERE author != 'kernel'")
        return {int(seq): int(weight) for seq, weight in rows}

    def index(self, who: int = 0) -> Index:
        index = tables(self.kernel(who).index)
        index.catch_up()
        return index

    def goals(self, ago: int = 0) -> str:
        return f"data/goals/{self.clock.at.year - ago}.json"

    def write(self, path: str, data: bytes) -> None:
        """The author's own hand, at this moment of the being's clock."""
        self.being.at(path).write_bytes(data)
        os.utime(self.being.at(path), (self.clock.at.timestamp(),) * 2)
        self.model.pending.pop(path, None)
        if data != (self.model.texts.get(path) or "").encode() or path not in self.model.texts:
            self.model.pending[path] = data
        self.clock.at += timedelta(seconds=5)

    def commit(self, who: int, loop: str, change: Change, path: str, after: str | None) -> None:
        """A loop's change; refused where it makes no sense or a hand was at the file."""
        gate = self.gate(who)
        beat = kernel_entry("record", "RECORD: done", f"s:{self.clock.draws}", {})
        blocked = path in self.model.pending and self.being.at(path).exists()
        try:
            gate.commit(loop, [change], beat)
        except Refused:
            assert blocked or not after
        else:
            assert after
            assert not blocked
            self.model.change({path: after})

    def listed(self, path: str) -> list[JSON]:
        found: list[JSON] = json.loads(self.model.texts.get(path) or "[]")
        return found

    def where(self, name: str) -> str:
        """The newest year that has a goal."""
        years = sorted((p for p in self.model.texts if p.startswith("data/goals/")), reverse=True)
        return next((p for p in years if any(h["name"] == name for h in self.listed(p))), "")

    def cut_short(self, was: dict[Path, bytes], *, files: bool) -> None:
        """Let an erasure have been killed when its event was durable, or its files were too."""
        now = self.on_disk()
        kept = {*segments(self.being.memory), self.being.heads, *self.host.rglob("*")}
        erasure = b""
        for path in segments(self.being.memory):
            added = now[path][len(was.get(path, b"")) :]
            if added and not erasure:
                erasure = added.splitlines(keepends=True)[0]
                was[path] = was.get(path, b"") + erasure
        shutil.rmtree(self.being.index.parent)
        (self.being.memory / ".lock").unlink()  # its ring has what came after
        was.pop(self.being.memory / ".lock", None)
        for path, data in was.items():
            if path.exists() and path.parent == self.being.index.parent:
                continue
            waits = self.being.named(path) in self.model.pending if path not in kept else False
            if path in kept or (files and not waits and path.parent != self.being.index.parent):
                path.write_bytes(data)
                os.utime(path, (0, 0))
        last = parse(erasure)  # the mark was written before it
        host = Keyring(self.host)
        mark = MarkFile(host.mark_file(self.soul), lambda: host.mark_key(self.soul))
        mark.write(Mark(last.seq, last.event_hash, last.seq - 1, last.parent_hash))
        mark.close()

    def state(self, who: int) -> Texts:
        """What the index holds for the files in force."""
        kept = self.index(who).files.all_kept()
        return {path: k.text for path, k in kept.items() if k.text is not None}

    def on_disk(self) -> dict[Path, bytes]:
        """Every file of the being and of its host."""
        root = Path(self.folder.name)
        return {p: p.read_bytes() for p in sorted(root.rglob("*")) if p.is_file()}

    def files(self) -> dict[str, bytes]:
        """Every file the archive speaks for."""
        return {p: self.being.at(p).read_bytes() for p in self.state(0)}

    def tables(self, who: int) -> dict[str, list[str]]:
        """Every row that follows from the archive."""
        index = self.index(who)
        return {t: sorted(map(repr, index.rows(f"SELECT * FROM {t}"))) for t in FOLDED}  # noqa: S608 - our own names

    def must_agree(self) -> None:
        model = self.model
        self.index()
        state = fold(stored.event for stored in read(self.being.memory)).texts()
        assert {p: t for p, t in state.items() if is_self(p)} == model.texts
        opened = {one: kernel.index for one, kernel in enumerate(self.open) if kernel}
        assert [self.state(one) for one in opened] == [state] * len(opened)
        assert [index.differences() for index in opened.values()] == [[]] * len(opened)
        for path in {*state, *model.pending}:
            file = self.being.at(path)
            wanted = model.pending.get(path, state.get(path, "").encode())
            assert not file.exists() or file.read_bytes() == wanted, path
        report = verify(self.being, Keyring(self.host), soul=self.soul)
        assert report.ok, report.problem

    def must_keep_and_forget(self) -> None:
        events = {stored.event.seq: stored.event for stored in read(self.being.memory)}
        for seq, text in self.model.said.items():
            assert events[seq].entry.description == text
        private = {int(n) for (n,) in self.index().rows("SELECT seq FROM events WHERE private")}
        assert private == self.model.private
        for path, data in self.on_disk().items():
            found = {w for w in self.model.gone if w.encode() in data.lower()}
            assert not found, f"{path.name} still says {found}"
        self.model.moments[max(events)] = Moment({**self.model.texts}, self.weights())
