"""Any history at all: said, edited, undone, forgotten, crashed. The archive alone says what is.

The oracle is a few dicts that are kept beside the being, and the bytes on its disk.
"""

from __future__ import annotations

import asyncio
import json
import os
import shutil
import tempfile
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING
from zoneinfo import ZoneInfo

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)

from lumen.core.canon import JSON
from lumen.core.clock import FixedClock, ulid
from lumen.core.data import (
    Author,
    Being,
    Change,
    Entry,
    EventType,
    Held,
    Origin,
    Store,
    kernel_entry,
)
from lumen.core.errors import Refused, UsageError
from lumen.kernel.capabilities import PROMPTS
from lumen.kernel.checkpoints import create, restore, undo
from lumen.kernel.commit import Gate, begin
from lumen.kernel.forget import find, plan
from lumen.kernel.maintain import fade, summaries
from lumen.kernel.mend import erase, rebuild, recover
from lumen.kernel.recall import Recall
from lumen.kernel.revise import base_of
from lumen.kernel.run import Kernel, Watch, adopt_edits, close_dead_turns, converse
from lumen.kernel.slots import Now, Self
from lumen.mind.ask import Reach
from lumen.mind.roles import parse_assignments
from lumen.soul.archive import read, segments
from lumen.soul.database import FOLDED
from lumen.soul.fold import fold
from lumen.soul.history import all_kept
from lumen.soul.index import Index
from lumen.soul.keys import Keyring
from lumen.soul.selfhood import is_self
from lumen.soul.verify import verify

if TYPE_CHECKING:
    from lumen.mind.embed import Embedder

BIRTH = datetime(2026, 11, 15, 12, tzinfo=UTC)
LISBON = ZoneInfo("Europe/Lisbon")
SOUL, VALUES = "data/soul.md", "data/values.json"
# Nothing else says these, and none begins like another: what is forgotten is known by them.
WORDS = ("quorvex", "zimbrel", "taxifon", "wublend", "yarkomp", "fliznar", "gomdreb", "hupsilk")
FLAWS = (b"{", b"[]]", b'[{"name": "x", "weight": 2, "status": "active"}]', b"\xff\xfe", b"null")
NEVER_ENDING = 40  # undos: more than there can be changes that changed nothing

word = st.sampled_from(WORDS)
weight = st.sampled_from((0.1, 0.5, 0.75))
who = st.sampled_from((0, 1))
pick = st.integers(0, 10**6)
Texts = dict[str, str | None]


@dataclass(slots=True)
class Step:
    """A change of self that undo can take back."""

    before: Texts
    after: Texts
    weights: dict[int, int] | None = None  # before it, when it weighed memories too


@dataclass(slots=True)
class Moment:
    """The being when an event was the last."""

    texts: Texts
    weights: dict[int, int]


@dataclass(slots=True)
class Model:
    """What has to be true, kept without any of the code under test."""

    texts: Texts
    moments: dict[int, Moment] = field(default_factory=dict)
    steps: list[Step] = field(default_factory=list)
    said: dict[int, str] = field(default_factory=dict)
    private: set[int] = field(default_factory=set)
    gone: set[str] = field(default_factory=set)
    pending: dict[str, bytes] = field(default_factory=dict)  # on disk, and not adopted
    held: dict[str, bytes] = field(default_factory=dict)  # edits nobody vouched for

    def change(self, after: Texts, weights: dict[int, int] | None = None) -> None:
        """The archive has taken in new texts."""
        before = {path: self.texts.get(path) for path in after}
        if before != after:
            self.steps.append(Step(before, after, weights))
        self.set(after)

    def set(self, after: Texts) -> None:
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


class Histories(RuleBasedStateMachine):
    """Two openings of one being, as two processes have, and everything that befalls it."""

    def __init__(self, embedder: Embedder) -> None:
        super().__init__()
        self.folder = tempfile.TemporaryDirectory(prefix="lumen-")
        self.being = Being(Path(self.folder.name) / "being")
        self.host = Path(self.folder.name) / "host"
        self.clock = FixedClock(BIRTH, step_ms=3)
        self.embedder = embedder
        self.turns = 0
        first: dict[str, str | None] = {SOUL: "# Lumen\n", VALUES: "[]\n"}
        first["data/goals/2026.json"] = "[]\n"
        files = {self.being.at(path): text or "" for path, text in first.items()}
        files[self.being.settings] = "[being]\n"
        self.soul = ulid(self.clock)
        begin(self.being, Keyring(self.host), self.clock, files, self.soul)
        self.model = Model(first)
        self.open: list[Kernel | None] = [None, None]

    def teardown(self) -> None:
        self.die()
        self.folder.cleanup()

    def kernel(self, who: int) -> Kernel:
        """One of the two openings; opening mends and adopts, as every command does."""
        found = self.open[who]
        if found is None:
            index = Index(self.being)
            gate = Gate(self.being, Keyring(self.host), self.clock, index)
            roles = parse_assignments({"interface": "scripted/echo"})
            found = self.open[who] = Kernel(
                being=self.being,
                gate=gate,
                index=index,
                recall=Recall(index, self.embedder),
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
        index = self.kernel(who).index
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

    @rule(who=who, text=st.lists(word, min_size=1, max_size=2, unique=True), used=st.sets(pick))
    def the_author_says(self, who: int, text: list[str], used: set[int]) -> None:
        gate, key = self.gate(who), f"told:{self.clock.draws}"
        known = sorted(self.model.said)
        memories = sorted({known[n % len(known)] for n in used}) if known else []
        before = self.weights()
        seq = gate.record(said(" ".join(text), key)).seq
        payload: dict[str, JSON] = {"uses": {"memories": memories, "by": 30_000}}
        gate.commit("action", [], kernel_entry("think", "THINK: of it", key, payload))
        gate.commit("action", [], kernel_entry("record", "RECORD: done", key, {}), sign=True)
        self.model.said[seq] = " ".join(text)
        self.model.gone -= {*text}
        after = self.weights()
        for memory, weighed in before.items():
            more = 30_000 if memory in memories else 0
            assert after[memory] == min(1_000_000, weighed + more)

    @precondition(lambda self: self.turns < 2)
    @rule(who=who, text=word)
    def a_turn(self, who: int, text: str) -> None:
        kernel = self.kernel(who)
        kernel.gate.adopt()
        self.model.adopt()
        self.turns += 1
        seq = self.index().last_head()[0] + 1
        asyncio.run(converse(kernel, text, private=False, watch=Watch()))
        self.model.said[seq] = text
        self.model.gone.discard(text)

    @rule(path=st.sampled_from(("soul", "values", "this", "last")), names=st.sets(word, max_size=3))
    def a_hand_edits(self, path: str, names: set[str]) -> None:
        self.model.gone -= names
        if path == "soul":
            self.write(
                SOUL, "".join(["# Lumen\n", *(f"Of {n}.\n" for n in sorted(names))]).encode()
            )
            return
        status = "active" if path == "values" else "todo"
        held = [{"name": n, "weight": 0.5, "status": status} for n in sorted(names)]
        where = VALUES if path == "values" else self.goals(ago=1 if path == "last" else 0)
        self.write(where, json.dumps(held, indent=1).encode())

    @rule(where=st.sampled_from((VALUES, "goals")), flaw=st.sampled_from(FLAWS))
    def a_hand_slips(self, where: str, flaw: bytes) -> None:
        self.write(self.goals() if where == "goals" else where, flaw)

    @precondition(lambda self: self.model.pending)
    @rule(pick=pick)
    def a_hand_takes_it_back(self, pick: int) -> None:
        path = sorted(self.model.pending)[pick % len(self.model.pending)]
        if path in self.model.texts:
            self.write(path, (self.model.texts[path] or "").encode())
        else:
            self.write(path, b"[]")

    @rule(who=who, vouched=st.booleans())
    def edits_are_adopted(self, who: int, vouched: bool) -> None:
        gate = self.gate(who)
        wanted = self.model.adoptable(vouched=vouched)
        told = gate.adopt(vouched=vouched)
        assert {t.partition(" ")[0] for t in told if t.endswith(": adopted.")} == wanted.keys()
        self.model.adopt(vouched=vouched)

    @rule(who=who, name=word, weight=weight)
    def reflection_puts_a_value(self, who: int, name: str, weight: float) -> None:
        self.kernel(who)
        self.model.gone.discard(name)
        one = {"name": name, "weight": weight, "status": "active"}
        held = self.listed(VALUES)
        known = any(h["name"] == name for h in held)
        after = [one if h["name"] == name else h for h in held] + ([] if known else [one])
        change = Change(Store.VALUES, "put", Held(name, weight, "active"))
        self.commit(who, "reflection", change, VALUES, spelled(after))

    @rule(who=who, name=word)
    def reflection_drops_a_value(self, who: int, name: str) -> None:
        self.kernel(who)
        self.model.gone.discard(name)  # a refusal names it
        held = self.listed(VALUES)
        kept = [h for h in held if h["name"] != name]
        change = Change(Store.VALUES, "drop", Held(name, 0, "active"))
        after = spelled(kept) if len(kept) < len(held) else None
        self.commit(who, "reflection", change, VALUES, after)

    @rule(who=who, name=word)
    def action_adds_a_goal(self, who: int, name: str) -> None:
        self.kernel(who)
        self.model.gone.discard(name)
        path, one = self.goals(), {"name": name, "weight": 0.5, "status": "todo"}
        after = None if self.where(name) else spelled([*self.listed(path), one])
        self.commit(
            who, "action", Change(Store.GOAL_GAP, "add", Held(name, 0.5, "todo")), path, after
        )

    @rule(who=who, name=word, status=st.sampled_from(("working", "done")))
    def action_moves_a_goal(self, who: int, name: str, status: str) -> None:
        self.kernel(who)
        self.model.gone.discard(name)
        path = self.where(name)
        held = self.listed(path) if path else []
        forward = {"working": "todo", "done": "working"}[status]
        moved = [{**h, "status": status} if h["name"] == name else h for h in held]
        fits = any(h["name"] == name and h["status"] == forward for h in held)
        change = Change(Store.GOAL_STATUS, "move", Held(name, 0, status))
        self.commit(who, "action", change, path or "data", spelled(moved) if fits else None)

    @rule(who=who, line=word)
    def the_author_sets_the_soul(self, who: int, line: str) -> None:
        self.kernel(who)
        self.model.gone.discard(line)
        text = f"# Lumen\nTold of {line}.\n"
        change = Change(Store.SOUL, "set", text, base_of(self.model.texts.get(SOUL)))
        self.commit(who, "author", change, SOUL, text)

    @rule(who=who, name=word)
    def a_moment_is_named(self, who: int, name: str) -> None:
        gate = self.gate(who)
        self.model.gone.discard(name)
        create(gate, f"{name} {self.clock.draws}")

    @precondition(lambda self: self.model.moments)
    @rule(who=who, pick=pick)
    def the_self_is_restored(self, who: int, pick: int) -> None:
        gate, model = self.gate(who), self.model
        seq = sorted(model.moments)[pick % len(model.moments)]
        then, weights = model.moments[seq], self.weights()
        paths = model.texts.keys() | then.texts.keys()
        after = {p: then.texts.get(p) for p in paths if model.texts.get(p) != then.texts.get(p)}
        blocked = any(p in model.pending and self.being.at(p).exists() for p in after)
        try:
            restore(gate, seq)
        except Refused:
            assert blocked
            return
        assert not blocked
        model.change(after, weights)
        now = self.weights()
        assert {memory: now[memory] for memory in then.weights} == then.weights

    @rule(who=who)
    def the_last_change_is_undone(self, who: int) -> None:
        gate, model = self.gate(who), self.model
        step = model.steps[-1] if model.steps else None
        before = self.state(who)
        for tries in range(NEVER_ENDING):
            try:
                undo(gate)
            except UsageError:
                assert step is None
                return
            except Refused:
                assert step
                assert any(p in model.pending and self.being.at(p).exists() for p in step.before)
                return
            if self.state(who) != before:
                break
        else:
            raise AssertionError("undo does the same thing again and again")
        assert step
        model.steps.pop()
        model.set(step.before)
        if step.weights and not tries:
            now = self.weights()
            assert {memory: now[memory] for memory in step.weights} == step.weights

    @precondition(lambda self: self.model.said)
    @rule(who=who, pick=pick, by_word=st.booleans(), cut=st.sampled_from(("", "", "early", "late")))
    def something_is_forgotten(self, who: int, pick: int, by_word: bool, cut: str) -> None:
        gate, model = self.gate(who), self.model
        seq = sorted(model.said)[pick % len(model.said)]
        sought = model.said[seq].split()[0] if by_word else str(seq)
        targets = {s for s, text in model.said.items() if sought in text.split()} or {seq}
        weights = self.weights()
        was = self.bytes()
        found = plan(self.being, self.index(who), find(gate.index, sought))
        try:
            erase(gate, found.erasure, "The author had something forgotten.")
        except Refused:  # an edit that waits tells of it too
            assert model.pending
            return
        if cut:
            self.die()
            self.cut_short(was, files=cut == "early")
        own = model.forget(targets)
        for path, data in model.pending.items():  # not ours to touch, so it is told
            waits = {w for w in own if w.encode() in data}
            assert not waits or any(b.startswith(path) for b in found.beyond)
            model.gone -= waits
        self.kernel(who)
        now = self.weights()
        assert {memory: now[memory] for memory in weights} == weights

    def cut_short(self, was: dict[Path, bytes], *, files: bool) -> None:
        """Let an erasure have been killed when its event was durable, or its files were too."""
        now = self.bytes()
        kept = {*segments(self.being.memory), self.being.heads, *self.host.rglob("*")}
        erasure = b""
        for path in segments(self.being.memory):
            added = now[path][len(was.get(path, b"")) :]
            if added and not erasure:
                erasure = added.splitlines(keepends=True)[0]
                was[path] = was.get(path, b"") + erasure
        shutil.rmtree(self.being.index.parent)
        for path, data in was.items():
            if path.exists() and path.parent == self.being.index.parent:
                continue
            waits = self.being.named(path) in self.model.pending if path not in kept else False
            if path in kept or (files and not waits and path.parent != self.being.index.parent):
                path.write_bytes(data)
                os.utime(path, (0, 0))

    @precondition(lambda self: self.model.said)
    @rule(who=who, pick=pick, private=st.booleans())
    def a_memory_is_marked(self, who: int, pick: int, private: bool) -> None:
        seq = sorted(self.model.said)[pick % len(self.model.said)]
        payload = {"marks": {"memories": [seq], "private": private}}
        self.gate(who).record(kernel_entry("marked", "Marked.", "lumen:author", payload))
        (self.model.private.add if private else self.model.private.discard)(seq)

    @rule(who=who, days=st.sampled_from((0, 1, 9, 40)))
    def time_goes_by(self, who: int, days: int) -> None:
        gate, before = self.gate(who), self.weights()
        self.clock.at += timedelta(days=days)
        fade(gate, 30)
        after = self.weights()
        assert all(0 <= after[memory] <= weighed for memory, weighed in before.items())

    @rule(who=who)
    def the_years_are_summed_up(self, who: int) -> None:
        summaries(self.gate(who), LISBON)
        assert summaries(self.gate(who), LISBON) == []

    @rule(how=st.sampled_from(("gone", "garbled", "emptied")), reopened=st.booleans())
    def the_index_is_spoilt(self, how: str, reopened: bool) -> None:
        if reopened or how != "gone":
            self.die()
        for path in self.being.index.parent.glob("soul.db*"):
            if how == "gone":
                path.unlink()
            elif path == self.being.index:
                path.write_bytes(b"no database, this" * 999 if how == "garbled" else b"")

    @rule(pick=pick)
    def a_file_is_lost(self, pick: int) -> None:
        path = sorted(self.model.texts)[pick % len(self.model.texts)]
        self.being.at(path).unlink(missing_ok=True)
        self.model.pending.pop(path, None)

    @rule(text=word, length=st.integers(1, 400))
    def a_process_dies_in_a_line(self, text: str, length: int) -> None:
        self.die()
        self.model.gone.discard(text)
        with segments(self.being.memory)[-1].open("ab") as segment:
            line = '{"event_hash":"' + "0" * 64 + '","description":"' + f"{text}" * 50
            segment.write(line[:length].encode())

    @rule(who=who, text=word, edited=st.booleans())
    def a_process_dies_in_a_turn(self, who: int, text: str, edited: bool) -> None:
        gate = self.gate(who)
        gate.adopt()
        self.model.adopt()
        self.model.said[gate.record(said(text, f"dead:{self.clock.draws}")).seq] = text
        self.model.gone.discard(text)
        if edited:
            self.write(SOUL, f"# Lumen\nOf {text}, or so.\n".encode())
        self.die()
        if SOUL in self.model.pending:
            self.model.held[SOUL] = self.model.pending[SOUL]

    @precondition(lambda self: not self.model.pending)
    @rule(who=who, name=word)
    def a_process_dies_before_its_file(self, who: int, name: str) -> None:
        self.kernel(who)
        was = self.being.values.read_bytes() if self.being.values.exists() else None
        self.reflection_puts_a_value(who, name, 0.25)
        self.die()
        beside = self.being.data / ".values.json.4711.new"
        beside.write_bytes(self.being.values.read_bytes())
        if was is not None:
            self.being.values.write_bytes(was)
            os.utime(self.being.values, (0, 0))

    @rule()
    def all_is_opened_again(self) -> None:
        self.die()

    @rule(who=who)
    def all_is_made_again(self, who: int) -> None:
        gate = self.gate(who)
        gate.adopt()
        self.model.adopt()
        recover(gate, self.soul)
        tables, files = self.tables(who), self.files()
        assert rebuild(gate) == [t for t in gate.adopt() if " is not used: " in t or "perhaps" in t]
        assert self.tables(who) == tables
        assert self.files() == files

    @precondition(lambda self: not self.model.pending)
    @rule(who=who)
    def all_but_the_archive_is_lost(self, who: int) -> None:
        recover(self.gate(who), self.soul)
        tables, files = self.tables(who), self.files()
        self.die()
        shutil.rmtree(self.being.index.parent)
        for path in files:
            self.being.at(path).unlink()
        rebuild(self.gate(who))
        assert self.tables(who) == tables
        assert self.files() == files

    @invariant()
    def the_archive_the_index_and_the_disk_agree(self) -> None:
        model = self.model
        self.index()
        state = fold(stored.event for stored in read(self.being.memory)).texts()
        assert {p: t for p, t in state.items() if is_self(p)} == model.texts
        for one, kernel in enumerate(self.open):
            if kernel:
                assert self.state(one) == state
                assert kernel.index.differences() == []
        for path in {*state, *model.pending}:
            file = self.being.at(path)
            wanted = model.pending.get(path, state.get(path, "").encode())
            assert not file.exists() or file.read_bytes() == wanted, path
        report = verify(self.being, Keyring(self.host), soul=self.soul)
        assert report.ok, report.problem

    @invariant()
    def what_was_said_is_kept_and_what_was_forgotten_is_nowhere(self) -> None:
        events = {stored.event.seq: stored.event for stored in read(self.being.memory)}
        for seq, text in self.model.said.items():
            assert events[seq].entry.description == text
        private = {int(n) for (n,) in self.index().rows("SELECT seq FROM events WHERE private")}
        assert private == self.model.private
        for path, data in self.bytes().items():
            found = {w for w in self.model.gone if w.encode() in data.lower()}
            assert not found, f"{path.name} still says {found}"
        self.model.moments[max(events)] = Moment({**self.model.texts}, self.weights())

    def state(self, who: int) -> Texts:
        """What the index holds for the files in force."""
        kept = all_kept(self.index(who))
        return {path: k.text for path, k in kept.items() if k.text is not None}

    def bytes(self) -> dict[Path, bytes]:
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


def test_whatever_happens_the_archive_alone_says_what_is(embedder: Embedder) -> None:
    run_state_machine_as_test(
        lambda: Histories(embedder),
        settings=settings(
            max_examples=60,
            stateful_step_count=30,
            suppress_health_check=[*HealthCheck],
        ),
    )
