"""Any history at all: said, edited, undone, forgotten, crashed. The archive alone says what is."""

from __future__ import annotations

import asyncio
import json
import os
import shutil
from collections.abc import Callable
from datetime import timedelta
from types import ModuleType
from typing import TYPE_CHECKING
from zoneinfo import ZoneInfo

from hypothesis import HealthCheck, Phase, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)

from lumen.core.canon import JSON
from lumen.core.data import Change, SelfItem, kernel_entry
from lumen.core.errors import Refused, UsageError
from lumen.core.stores import Store
from lumen.kernel.gate.checkpoints import create, restore, undo
from lumen.kernel.gate.recovery import erase, rebuild, recover
from lumen.kernel.gate.revise import base_of
from lumen.kernel.turn.conversation import converse
from lumen.kernel.turn.run import Watch
from lumen.kernel.upkeep.forget import find, plan
from lumen.kernel.upkeep.maintain import fade, summaries
from lumen.soul.archive.line import segments

if TYPE_CHECKING:
    from tests.kernel.histories import World
    from tests.sampling import Sampled

    from lumen.mind.e5 import E5

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


class Histories(RuleBasedStateMachine):
    """Everything that befalls a being two processes have open."""

    def __init__(self, world: World) -> None:
        super().__init__()
        self.world = world

    def teardown(self) -> None:
        self.world.end()

    @rule(who=who, text=st.lists(word, min_size=1, max_size=2, unique=True), used=st.sets(pick))
    def the_author_says(self, who: int, text: list[str], used: set[int]) -> None:
        gate, key = self.world.gate(who), f"told:{self.world.clock.draws}"
        known = sorted(self.world.model.said)
        memories = sorted({known[n % len(known)] for n in used}) if known else []
        before = self.world.weights()
        seq = gate.record(self.world.said(" ".join(text), key)).seq
        payload: dict[str, JSON] = {"uses": {"memories": memories, "by": 30_000}}
        gate.commit("action", [], kernel_entry("think", "THINK: of it", key, payload))
        gate.commit("action", [], kernel_entry("record", "RECORD: done", key, {}), sign=True)
        self.world.model.said[seq] = " ".join(text)
        self.world.model.gone -= {*text}
        after = self.world.weights()
        for memory, weighed in before.items():
            more = 30_000 if memory in memories else 0
            assert after[memory] == min(1_000_000, weighed + more)

    @precondition(lambda self: self.world.turns < 2)
    @rule(who=who, text=word)
    def a_turn(self, who: int, text: str) -> None:
        kernel = self.world.kernel(who)
        kernel.gate.adopt()
        self.world.model.adopt()
        self.world.turns += 1
        seq = self.world.index().events.last_head()[0] + 1
        asyncio.run(converse(kernel, text, private=False, watch=Watch()))
        self.world.model.said[seq] = text
        self.world.model.gone.discard(text)

    @rule(path=st.sampled_from(("soul", "values", "this", "last")), names=st.sets(word, max_size=3))
    def a_hand_edits(self, path: str, names: set[str]) -> None:
        self.world.model.gone -= names
        if path == "soul":
            self.world.write(
                SOUL, "".join(["# Lumen\n", *(f"Of {n}.\n" for n in sorted(names))]).encode()
            )
            return
        status = "active" if path == "values" else "todo"
        held = [{"name": n, "weight": 0.5, "status": status} for n in sorted(names)]
        where = VALUES if path == "values" else self.world.goals(ago=1 if path == "last" else 0)
        self.world.write(where, json.dumps(held, indent=1).encode())

    @rule(where=st.sampled_from((VALUES, "goals")), flaw=st.sampled_from(FLAWS))
    def a_hand_slips(self, where: str, flaw: bytes) -> None:
        self.world.write(self.world.goals() if where == "goals" else where, flaw)

    @precondition(lambda self: self.world.model.pending)
    @rule(pick=pick)
    def a_hand_takes_it_back(self, pick: int) -> None:
        path = sorted(self.world.model.pending)[pick % len(self.world.model.pending)]
        if path in self.world.model.texts:
            self.world.write(path, (self.world.model.texts[path] or "").encode())
        else:
            self.world.write(path, b"[]")

    @rule(who=who, vouched=st.booleans())
    def edits_are_adopted(self, who: int, vouched: bool) -> None:
        gate = self.world.gate(who)
        wanted = self.world.model.adoptable(vouched=vouched)
        told = gate.adopt(vouched=vouched)
        assert {t.partition(" ")[0] for t in told if t.endswith(": adopted.")} == wanted.keys()
        self.world.model.adopt(vouched=vouched)

    @rule(who=who, name=word, weight=weight)
    def reflection_puts_a_value(self, who: int, name: str, weight: float) -> None:
        self.world.kernel(who)
        self.world.model.gone.discard(name)
        one = {"name": name, "weight": weight, "status": "active"}
        held = self.world.listed(VALUES)
        known = any(h["name"] == name for h in held)
        after = [one if h["name"] == name else h for h in held] + ([] if known else [one])
        change = Change(Store.VALUES, "put", SelfItem(name, weight, "active"))
        self.world.commit(who, "reflection", change, VALUES, self.world.spelled(after))

    @rule(who=who, name=word)
    def reflection_drops_a_value(self, who: int, name: str) -> None:
        self.world.kernel(who)
        self.world.model.gone.discard(name)  # a refusal names it
        held = self.world.listed(VALUES)
        kept = [h for h in held if h["name"] != name]
        change = Change(Store.VALUES, "drop", SelfItem(name, 0, "active"))
        after = self.world.spelled(kept) if len(kept) < len(held) else None
        self.world.commit(who, "reflection", change, VALUES, after)

    @rule(who=who, name=word)
    def action_adds_a_goal(self, who: int, name: str) -> None:
        self.world.kernel(who)
        self.world.model.gone.discard(name)
        path, one = self.world.goals(), {"name": name, "weight": 0.5, "status": "todo"}
        after = (
            None if self.world.where(name) else self.world.spelled([*self.world.listed(path), one])
        )
        self.world.commit(
            who, "action", Change(Store.GOAL_GAP, "add", SelfItem(name, 0.5, "todo")), path, after
        )

    @rule(who=who, name=word, status=st.sampled_from(("working", "done")))
    def action_moves_a_goal(self, who: int, name: str, status: str) -> None:
        self.world.kernel(who)
        self.world.model.gone.discard(name)
        path = self.world.where(name)
        held = self.world.listed(path) if path else []
        forward = {"working": "todo", "done": "working"}[status]
        moved = [{**h, "status": status} if h["name"] == name else h for h in held]
        fits = any(h["name"] == name and h["status"] == forward for h in held)
        change = Change(Store.GOAL_STATUS, "move", SelfItem(name, 0, status))
        self.world.commit(
            who, "action", change, path or "data", self.world.spelled(moved) if fits else None
        )

    @rule(who=who, line=word)
    def the_author_sets_the_soul(self, who: int, line: str) -> None:
        self.world.kernel(who)
        self.world.model.gone.discard(line)
        text = f"# Lumen\nTold of {line}.\n"
        change = Change(Store.SOUL, "set", text, base_of(self.world.model.texts.get(SOUL)))
        self.world.commit(who, "author", change, SOUL, text)

    @rule(who=who, name=word)
    def a_moment_is_named(self, who: int, name: str) -> None:
        gate = self.world.gate(who)
        self.world.model.gone.discard(name)
        create(gate, f"{name} {self.world.clock.draws}")

    @precondition(lambda self: self.world.model.moments)
    @rule(who=who, pick=pick)
    def the_self_is_restored(self, who: int, pick: int) -> None:
        gate, model = self.world.gate(who), self.world.model
        seq = sorted(model.moments)[pick % len(model.moments)]
        then, weights = model.moments[seq], self.world.weights()
        paths = model.texts.keys() | then.texts.keys()
        after = {p: then.texts.get(p) for p in paths if model.texts.get(p) != then.texts.get(p)}
        blocked = any(p in model.pending and self.world.being.at(p).exists() for p in after)
        try:
            restore(gate, seq)
        except Refused:
            assert blocked
            return
        assert not blocked
        model.change(after, weights)
        now = self.world.weights()
        assert {memory: now[memory] for memory in then.weights} == then.weights

    @rule(who=who)
    def the_last_change_is_undone(self, who: int) -> None:
        gate, model = self.world.gate(who), self.world.model
        step = model.steps[-1] if model.steps else None
        before = self.world.state(who)
        tries = 0
        while self.world.state(who) == before:
            tries += 1
            assert tries < NEVER_ENDING, "undo does the same thing again and again"
            try:
                undo(gate)
            except UsageError:
                assert step is None
                return
            except Refused:
                assert step
                assert any(
                    p in model.pending and self.world.being.at(p).exists() for p in step.before
                )
                return
        assert step
        model.steps.pop()
        model.keep(step.before)
        if step.weights and tries == 1:
            now = self.world.weights()
            assert {memory: now[memory] for memory in step.weights} == step.weights

    @precondition(lambda self: self.world.model.said)
    @rule(who=who, pick=pick, by_word=st.booleans(), cut=st.sampled_from(("", "", "early", "late")))
    def something_is_forgotten(self, who: int, pick: int, by_word: bool, cut: str) -> None:
        gate, model = self.world.gate(who), self.world.model
        seq = sorted(model.said)[pick % len(model.said)]
        sought = model.said[seq].split()[0] if by_word else str(seq)
        targets = {s for s, text in model.said.items() if sought in text.split()} or {seq}
        weights = self.world.weights()
        was = self.world.on_disk()
        self.world.index(who)
        found = plan(gate, find(gate.index, sought))
        try:
            erase(gate, found.erasure, "The author had something forgotten.")
        except Refused:  # an edit that waits tells of it too
            assert model.pending
            return
        if cut:
            self.world.die()
            self.world.cut_short(was, files=cut == "early")
        own = model.forget(targets)
        for path, data in model.pending.items():  # not ours to touch, so it is told
            waits = {w for w in own if w.encode() in data}
            assert not waits or any(b.startswith(path) for b in found.beyond)
            model.gone -= waits
        self.world.kernel(who)
        now = self.world.weights()
        assert {memory: now[memory] for memory in weights} == weights

    @precondition(lambda self: self.world.model.said)
    @rule(who=who, pick=pick, private=st.booleans())
    def a_memory_is_marked(self, who: int, pick: int, private: bool) -> None:
        seq = sorted(self.world.model.said)[pick % len(self.world.model.said)]
        payload = {"marks": {"memories": [seq], "private": private}}
        self.world.gate(who).record(kernel_entry("marked", "Marked.", "lumen:author", payload))
        (self.world.model.private.add if private else self.world.model.private.discard)(seq)

    @rule(who=who, days=st.sampled_from((0, 1, 9, 40)))
    def time_goes_by(self, who: int, days: int) -> None:
        gate, before = self.world.gate(who), self.world.weights()
        self.world.clock.at += timedelta(days=days)
        fade(gate, 30)
        after = self.world.weights()
        assert all(0 <= after[memory] <= weighed for memory, weighed in before.items())

    @rule(who=who)
    def the_years_are_summed_up(self, who: int) -> None:
        summaries(self.world.gate(who), LISBON)
        assert summaries(self.world.gate(who), LISBON) == []

    @rule(how=st.sampled_from(("gone", "garbled", "emptied")), reopened=st.booleans())
    def the_index_is_spoilt(self, how: str, reopened: bool) -> None:
        if reopened or how != "gone":
            self.world.die()
        for path in self.world.being.index.parent.glob("soul.db*"):
            if how == "gone":
                path.unlink()
            elif path == self.world.being.index:
                path.write_bytes(b"no database, this" * 999 if how == "garbled" else b"")

    @rule(pick=pick)
    def a_file_is_lost(self, pick: int) -> None:
        path = sorted(self.world.model.texts)[pick % len(self.world.model.texts)]
        self.world.being.at(path).unlink(missing_ok=True)
        self.world.model.pending.pop(path, None)

    @rule(text=word, length=st.integers(1, 400))
    def a_process_dies_in_a_line(self, text: str, length: int) -> None:
        self.world.die()
        self.world.model.gone.discard(text)
        with segments(self.world.being.memory)[-1].open("ab") as segment:
            line = '{"event_hash":"' + "0" * 64 + '","description":"' + f"{text}" * 50
            segment.write(line[:length].encode())

    @rule(who=who, text=word, edited=st.booleans())
    def a_process_dies_in_a_turn(self, who: int, text: str, edited: bool) -> None:
        gate = self.world.gate(who)
        gate.adopt()
        self.world.model.adopt()
        self.world.model.said[
            gate.record(self.world.said(text, f"dead:{self.world.clock.draws}")).seq
        ] = text
        self.world.model.gone.discard(text)
        if edited:
            self.world.write(SOUL, f"# Lumen\nOf {text}, or so.\n".encode())
        self.world.die()
        if SOUL in self.world.model.pending:
            self.world.model.held[SOUL] = self.world.model.pending[SOUL]

    @precondition(lambda self: not self.world.model.pending)
    @rule(who=who, name=word)
    def a_process_dies_before_its_file(self, who: int, name: str) -> None:
        self.world.kernel(who)
        was = self.world.being.values.read_bytes() if self.world.being.values.exists() else None
        self.reflection_puts_a_value(who, name, 0.25)
        self.world.die()
        beside = self.world.being.data / ".values.json.4711.new"
        beside.write_bytes(self.world.being.values.read_bytes())
        if was is not None:
            self.world.being.values.write_bytes(was)
            os.utime(self.world.being.values, (0, 0))

    @rule()
    def all_is_opened_again(self) -> None:
        self.world.die()

    @rule(who=who)
    def all_is_made_again(self, who: int) -> None:
        gate = self.world.gate(who)
        gate.adopt()
        self.world.model.adopt()
        recover(gate, self.world.soul)
        tables, files = self.world.tables(who), self.world.files()
        assert rebuild(gate) == [t for t in gate.adopt() if " is not used: " in t or "perhaps" in t]
        assert self.world.tables(who) == tables
        assert self.world.files() == files

    @precondition(lambda self: not self.world.model.pending)
    @rule(who=who)
    def all_but_the_archive_is_lost(self, who: int) -> None:
        recover(self.world.gate(who), self.world.soul)
        tables, files = self.world.tables(who), self.world.files()
        self.world.die()
        shutil.rmtree(self.world.being.index.parent)
        for path in files:
            self.world.being.at(path).unlink()
        rebuild(self.world.gate(who))
        assert self.world.tables(who) == tables
        assert self.world.files() == files

    @invariant()
    def the_archive_the_index_and_the_disk_agree(self) -> None:
        self.world.must_agree()

    @invariant()
    def what_was_said_is_kept_and_what_was_forgotten_is_nowhere(self) -> None:
        self.world.must_keep_and_forget()


def test_whatever_happens_the_archive_alone_says_what_is(
    embedder: E5, script: Callable[[str], ModuleType], sampled: Sampled
) -> None:
    made = script("tests/kernel/histories.py").World

    class Born(Histories):
        def __init__(self) -> None:
            super().__init__(made(embedder))

    run_state_machine_as_test(
        Born,
        settings=settings(
            max_examples=sampled.rounds(2, 60),
            stateful_step_count=30,
            phases=[Phase.generate],  # thirty steps can be read; making them fewer takes minutes
            suppress_health_check=[*HealthCheck],
        ),
    )
