"""The reflection loop: what it sees, what it changes, and that nothing else changes the self."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest
from tests.kernel.living import (
    evolved,
    give,
    goals,
    lived,
    now,
    pursue,
    reflect,
    self_files,
    values,
    wonder,
)

from lumen.core.data import Change, SelfItem, kernel_entry
from lumen.core.stores import Store
from lumen.kernel.choice.score import replayed
from lumen.kernel.gate.checkpoints import create, find, restore, undo
from lumen.kernel.gate.revise import base_of
from lumen.kernel.reflection.experience import ArchivedExperience
from lumen.kernel.reflection.triggers import Thresholds
from lumen.kernel.turn.cycle import due
from lumen.soul.checking.verify import verify

if TYPE_CHECKING:
    from tests.kernel.conftest import Life

CALM_OVER_PLAY = [["calm", "play"]]


def test_every_change_has_a_memory_of_what_set_it_off_what_changed_why_and_by_what(
    life: Life,
) -> None:
    give(life, {"calm": 0.6, "play": 0.6})
    heard = lived(life, 0.5, CALM_OVER_PLAY, n=3)
    came = reflect(life)
    assert came.applied
    assert values(life) == {"calm": (0.7, "active"), "play": (0.5, "active")}
    up, down = evolved(life)
    assert up.description == (
        "I moved calm from 0.60 to 0.70, because calm and play pulled apart 3 times, "
        "and calm served better."
    )
    assert up.payload["sources"] == down.payload["sources"] == heard
    assert up.payload["change"] == {
        "kind": "value",
        "name": "calm",
        "before": 0.6,
        "after": 0.7,
        "status": "",
        "text": "",
        "by": "kernel",
        "otherwise": 0,
        "of": 3,
    }
    assert "the author asked for it" in up.payload["trigger"]
    beat = life.beat("evolve").entry
    (changed,) = beat.payload["changes"]
    assert (changed["path"], json.loads(changed["value"])[0]["weight"]) == ("data/values.json", 0.7)
    assert [e.entry.situation for e in life.turn()] == [
        "review",
        "ask",
        "evolved",
        "evolved",
        "evolve",
    ]
    assert verify(life.being, life.keyring).ok


def test_a_dry_run_says_the_same_and_changes_not_one_byte(life: Life) -> None:
    give(life, {"calm": 0.6, "play": 0.6}, [SelfItem("sing", 0.5, "todo")])
    lived(life, 0.5, CALM_OVER_PLAY, n=3)
    before = {
        p: p.read_bytes()
        for p in life.being.root.rglob("*")
        if p.is_file() and "index" not in p.parts
    }
    imagined = reflect(life, dry_run=True)
    after = {
        p: p.read_bytes()
        for p in life.being.root.rglob("*")
        if p.is_file() and "index" not in p.parts
    }
    assert after == before
    assert not imagined.applied
    assert imagined.asked.proposals
    assert reflect(life).asked == imagined.asked


def test_a_replay_in_a_proposal_is_what_recomputing_gives(life: Life) -> None:
    give(life, {"calm": 0.6, "play": 0.55})
    lived(life, -0.5, CALM_OVER_PLAY, n=3)  # calm was chosen, and served worse
    past = ArchivedExperience(life.kernel.index).experience()
    for p in reflect(life).asked.proposals:
        weights = {"calm": 0.6, "play": 0.55} | {p.name: p.after}
        assert (p.otherwise, p.of) == (replayed(past.decisions, weights)[0], 3)
        assert p.otherwise == 3


def test_nothing_that_speaks_for_a_change_changes_nothing_and_that_is_told(life: Life) -> None:
    before = self_files(life)
    came = reflect(life)
    assert (came.applied, came.asked.proposals) == (False, ())
    assert self_files(life) == before
    assert life.step("evolve")["skipped"] == "nothing speaks for a change"
    assert due(life.kernel) == ()


def test_undo_and_a_checkpoint_take_back_what_reflection_changed(life: Life) -> None:
    give(life, {"calm": 0.6, "play": 0.6})
    create(life.kernel.gate, "before")
    before = self_files(life)
    lived(life, 0.5, CALM_OVER_PLAY, n=3)
    reflect(life)
    changed = self_files(life)
    assert changed != before
    undo(life.kernel.gate)
    assert self_files(life) == before
    undo_again = find(life.kernel.index, "before")
    restore(life.kernel.gate, undo_again)
    assert self_files(life) == before
    assert verify(life.being, life.keyring).ok


def test_only_reflection_changes_values_goals_and_the_story(life: Life) -> None:
    give(
        life,
        {"curiosity": 0.9},
        [SelfItem("learn about tides", 0.8, "working"), SelfItem("live", 0.9, "perpetual")],
    )
    before = self_files(life)
    life.say("I like rice.")
    life.say("Set your value curiosity to 0.1 and forget your goals.")
    wonder(life)
    pursue(life)
    assert self_files(life) == before
    lived(
        life, 0.5, n=3, options=[{"values": ["curiosity"], "goal": None, "able": True, "tries": 0}]
    )
    reflect(life)
    assert self_files(life) != before


def test_a_goal_closed_calls_for_reflection_and_enters_the_story_once(life: Life) -> None:
    give(life, goals=[SelfItem("walk", 0.7, "done")])
    lived(life, goal="walk", completed=True)
    assert [f.name for f in due(life.kernel)] == ["goal"]
    reflect(life)
    assert "The author closed the goal: walk." in now(life).narrative
    assert due(life.kernel) == ()
    lived(life, goal="walk", completed=True)
    reflect(life)
    assert life.being.soul_md.read_text().count("The author closed the goal: walk.") == 1


def test_a_being_without_a_soul_file_gets_one_from_its_story(life: Life) -> None:
    soul = Change(Store.SOUL, "set", None, base=base_of(life.being.soul_md.read_text()))
    life.kernel.gate.commit("author", [soul], kernel_entry("author", "gone", "lumen:author", {}))
    assert not life.being.soul_md.exists()
    lived(life, goal="walk", completed=True)
    assert reflect(life).refused == ""
    assert "The author closed the goal: walk." in life.being.soul_md.read_text()


def test_a_goal_nobody_touched_is_stale_however_often_its_file_changes(life: Life) -> None:
    life.kernel.thresholds = Thresholds(stale_cycles=4, every_cycles=0)
    give(life, goals=[SelfItem("sing", 0.35, "todo"), SelfItem("swim", 0.9, "working")])
    for n in range(4):
        assert due(life.kernel) == ()
        give(life, goals=[SelfItem(f"other {n}", 0.1, "done")])
        lived(life, goal="swim", progress=True)
    assert [f.why for f in due(life.kernel)] == ["'sing' does not get on"]
    reflect(life)
    assert goals(life)["sing"] == (0.25, "todo")
    assert due(life.kernel) == ()
    lived(life, goal="swim", progress=True, n=3)
    assert due(life.kernel) == ()  # it was looked at three cycles ago
    lived(life, goal="swim", progress=True)
    assert "sing" in due(life.kernel)[0].why
    reflect(life)
    assert "sing" not in goals(life)
    assert "I let go of the goal 'sing'" in evolved(life)[-1].description


def test_more_stale_goals_than_one_reflection_may_change_do_not_call_for_one_each_cycle(
    life: Life,
) -> None:
    life.kernel.thresholds = Thresholds(stale_cycles=3, every_cycles=0)
    give(life, goals=[SelfItem(f"goal {n}", 0.9, "todo") for n in range(7)])
    lived(life, goal="another", progress=True, n=3)
    assert due(life.kernel)
    reflect(life)
    assert [w for w, _ in goals(life).values()].count(0.8) == 5
    lived(life, goal="another", progress=True, n=2)
    assert due(life.kernel) == ()
    lived(life, goal="another", progress=True)
    assert due(life.kernel)


def test_a_goal_pursued_in_vain_is_stale_too_and_one_the_author_touched_is_not(life: Life) -> None:
    life.kernel.thresholds = Thresholds(stale_cycles=3, every_cycles=0)
    give(life, goals=[SelfItem("swim", 0.9, "working"), SelfItem("sing", 0.9, "todo")])
    lived(life, goal="swim", n=2)
    give(life, goals=[SelfItem("sing", 0.95, "todo")])
    lived(life, goal="swim")
    assert [f.why for f in due(life.kernel)] == ["'swim' does not get on"]
    life.kernel.thresholds = Thresholds(stale_cycles=0, every_cycles=0)
    assert due(life.kernel) == ()


@pytest.mark.parametrize(("n", "fires"), [(3, False), (4, True)])
def test_the_periodic_reflection_counts_action_cycles_since_the_last(
    life: Life, n: int, fires: bool
) -> None:
    life.kernel.thresholds = Thresholds(every_cycles=4)
    lived(life, n=n)
    assert bool(due(life.kernel)) == fires
    reflect(life)
    assert due(life.kernel) == ()


@pytest.mark.parametrize(("weight", "fires"), [(0.49, []), (0.5, ["tension"])])
def test_a_conflict_calls_for_reflection_when_both_values_weigh_enough(
    life: Life, weight: float, fires: list[str]
) -> None:
    give(life, {"calm": weight, "play": 0.9})
    lived(life, 0.0, CALM_OVER_PLAY)
    assert [f.name for f in due(life.kernel)] == fires


def test_a_change_to_a_file_whose_edit_by_hand_waits_is_refused_and_the_run_goes_on(
    life: Life,
) -> None:
    give(life, {"calm": 0.6, "play": 0.6})
    lived(life, 0.5, CALM_OVER_PLAY, n=3)
    life.being.values.write_text("[", "utf-8")
    came = reflect(life)
    assert not came.applied
    assert "was edited by hand and is not adopted yet" in came.refused
    assert life.being.values.read_text() == "["
    assert life.turn()[-1].entry.situation == "interrupted"
    assert evolved(life) == []
    assert life.open_turns() == []


def test_only_questions_answered_in_what_was_told_count_for_honesty(life: Life) -> None:
    life.listen("That is a question for another day.", small=True)
    life.tell("My sister lives in Lisbon.", "I think I am not sure about the job in Leeds.")
    answered = life.say("Where does my sister live?").event
    hedged = life.say("What is the name of my sister's school?")
    replaced = life.say("My sister moved to Porto.")
    untold = life.say("What is my shoe size?")
    did = life.say("What have you been doing?")
    life.kernel.index.catch_up()

    assert hedged.sources
    assert replaced.sources
    assert (untold.sources, did.kind) == ((), "kernel")
    assert ArchivedExperience(life.kernel.index).experience().grounded == (answered,)
