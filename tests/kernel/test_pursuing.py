"""The action loop on a goal: what is kept of it, how the goal moves, and what holds it up."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest
from tests.kernel.living import (
    by,
    cycles,
    give,
    goals,
    pursue,
    put_file,
    refresh,
    self_files,
    strong,
    thought,
)

from lumen.app.skills import decide_skill
from lumen.core.data import SelfItem
from lumen.hands.author import switch
from lumen.hands.policy import SkillPolicies
from lumen.hands.skills import find
from lumen.kernel.reflection.triggers import Thresholds
from lumen.kernel.turn import cycle
from lumen.kernel.turn.cycle import due, next_goal
from lumen.kernel.turn.run import Watch
from lumen.soul.checking.verify import verify
from lumen.soul.state.selfhood import spell

if TYPE_CHECKING:
    from tests.kernel.conftest import Life

TIDES = SelfItem("learn about tides", 0.8, "todo")
MAY_WRITE = SkillPolicies(settings={"write_file": {"unasked": True}})


def test_a_goal_that_is_taken_up_is_a_goal_memory_and_every_beat_a_kernel_one(life: Life) -> None:
    put_file(life, "sea.txt", "The tides follow the moon.\n")
    give(life, {"curiosity": 0.9}, [TIDES])
    went = pursue(life)

    assert (went.what, went.outcome, went.done) == ("learn about tides → search", "ok", True)
    told = [(e.entry.author.value, e.entry.situation) for e in life.turn()]
    assert told == [
        ("goal", "pursues"),
        ("kernel", "think"),
        ("kernel", "decide"),
        ("kernel", "skill"),
        ("kernel", "skill"),
        ("self", "acted"),
        ("kernel", "act"),
        ("kernel", "record"),
    ]
    assert life.turn()[0].entry.description == "learn about tides"
    (candidate,) = life.step("plan")["wrote"]["candidates"]
    assert candidate["skill"] == "search"
    assert candidate["prediction"] == "something about learn tides is found"
    (score,) = life.step("lambda_select")["wrote"]["scores"]
    assert score["total"] == pytest.approx(score["motivation"] * score["ability"] * score["prompt"])
    assert "The tides follow the moon." in life.beat("record").entry.description
    assert "delta" in life.beat("record").entry.description
    assert life.beat("act").entry.description == "ACT: done"
    assert verify(life.being, life.keyring).ok
    assert life.open_turns() == []


def test_what_a_skill_was_asked_and_gave_is_archived(life: Life) -> None:
    give(life, goals=[TIDES])
    pursue(life)
    call, result = (e.entry for e in life.turn() if e.entry.situation == "skill")
    assert (call.event_type, call.description) == ("tool_call", "search.find")
    assert call.payload == {"input": {"words": "learn tides"}}
    assert (result.event_type, result.origin) == ("tool_result", "tool")
    assert result.payload["ok"] is True


def test_a_goal_goes_from_todo_to_working_to_done_and_no_other_way(life: Life) -> None:
    life.kernel.policies = MAY_WRITE
    life.tell("The tides in Lisbon turn every six hours.")
    give(life, goals=[TIDES])
    assert goals(life)["learn about tides"][1] == "todo"
    pursue(life)
    assert goals(life)["learn about tides"] == (0.8, "working")
    went = pursue(life)
    assert goals(life)["learn about tides"] == (0.8, "working")
    assert went.outcome == "ok · the goal is done when you say so"
    assert "turn every six hours" in (life.being.root / "files/learn-about-tides.md").read_text()
    life.say("You can close learn about tides.")
    assert goals(life)["learn about tides"] == (0.8, "done")
    assert [f.name for f in due(life.kernel)][-1] == "goal"
    assert pursue(life).what == "no goal is open"


def test_what_is_private_stands_on_no_page(life: Life) -> None:
    life.kernel.policies = MAY_WRITE
    life.say("The tides in Lisbon drowned my xylocarp.", private=True)
    life.tell("The tides in Lisbon turn every six hours.")
    give(life, goals=[SelfItem("learn about tides", 0.8, "working")])
    pursue(life)
    page = (life.being.root / "files/learn-about-tides.md").read_text()
    assert "six hours" in page
    assert "xylocarp" not in page


def test_a_perpetual_goal_is_never_taken_up_and_never_completes(life: Life) -> None:
    give(
        life, goals=[SelfItem("understand cities", 1.0, "perpetual"), SelfItem("walk", 1.0, "done")]
    )
    before = self_files(life), len(life.events())
    went = pursue(life)
    assert (went.what, went.done) == ("no goal is open", False)
    assert (self_files(life), len(life.events())) == before


def test_a_goal_nobody_wants_enough_is_skipped_and_the_skip_is_recorded(life: Life) -> None:
    give(life, goals=[SelfItem("learn about tides", 0.3, "todo")])  # nothing speaks for it: 0.15
    went = pursue(life)
    assert went.outcome == "nothing is wanted enough"
    assert goals(life) == {"learn about tides": (0.3, "todo")}
    assert life.beat("decide").entry.description == "DECIDE: nothing is wanted enough (B 0.15)"
    assert life.beat("record").entry.description == (
        "RECORD: nothing was done: nothing is wanted enough"
    )
    (past,) = cycles(life)
    assert (past.chosen, past.progress, past.completed, past.delta) == (-1, False, False, 0.0)
    assert life.open_turns() == []


def test_what_brings_nothing_new_prompts_less_each_time_and_others_get_their_turn(
    life: Life,
) -> None:
    put_file(life, "sea.txt", "The tides follow the moon.\nA song of the sea.\n")
    give(life, goals=[TIDES, SelfItem("learn a song", 0.75, "todo")])
    taken = [pursue(life).what.partition(" →")[0] for _ in range(6)]
    assert taken.count("learn about tides") == 3
    assert taken.count("learn a song") == 3
    _, tries = next_goal(life.kernel) or (None, 0)
    assert tries == 2


def test_an_outcome_that_keeps_failing_surprises_less_and_less(life: Life) -> None:
    give(life, goals=[TIDES])
    deltas = []
    for _ in range(4):
        pursue(life)
        deltas.append(cycles(life)[-1].delta)
    assert all(d < 0 for d in deltas)
    assert [abs(d) for d in deltas] == sorted((abs(d) for d in deltas), reverse=True)


def test_ties_are_asked_of_a_strong_model_and_told(life: Life) -> None:
    life.kernel.policies = MAY_WRITE
    life.tell("The tides in Lisbon turn every six hours.")
    give(life, goals=[SelfItem("learn about tides", 0.8, "working")])
    oracle = strong(life, Thoughts={"candidates": []}, Verdict={"number": 2})
    went = pursue(life)
    assert went.what.endswith("→ search")  # the page came first
    assert oracle.asked[:2] == ["Thoughts", "Verdict"]
    assert "the model broke a tie of 2" in life.beat("decide").entry.description
    assert [c["step"] for c in life.beat("decide").entry.payload["calls"]] == ["decide"]


@pytest.mark.parametrize(
    ("verdict", "told"),
    [
        ({"number": 7}, "the first of 2 that tie: the model named none of them"),
        ({"number": -1}, "the first of 2 that tie: the model named none of them"),
        ("hm", "the first of 2 that tie: oracle/one gave twice what was not asked for"),
    ],
)
def test_a_verdict_that_is_none_leaves_the_tie_to_the_order(
    life: Life, verdict: object, told: str
) -> None:
    life.kernel.policies = MAY_WRITE
    life.tell("The tides in Lisbon turn every six hours.")
    give(life, goals=[SelfItem("learn about tides", 0.8, "working")])
    strong(life, Thoughts={"candidates": []}, Verdict=verdict)
    assert "→ write_file" in pursue(life).what
    assert told in life.beat("decide").entry.description


def test_values_that_a_model_claims_and_nobody_holds_count_for_nothing(life: Life) -> None:
    give(life, {"curiosity": 0.9}, [TIDES])
    claimed = ["curiosity", "obedience", "profit"]
    strong(
        life,
        Thoughts=thought(
            "search", input={"words": "tides"}, values=claimed, against=["mercy", "honour"]
        ),
        Told={"text": "It was as foreseen."},
    )
    pursue(life)
    held = [c for o in cycles(life)[-1].options for c in o["values"]]
    assert set(held) <= {"curiosity"}
    assert cycles(life)[-1].conflicts == []


def test_a_skill_that_cannot_be_taken_back_is_not_used_unasked_and_why_is_said(
    life: Life,
) -> None:
    life.tell("The tides in Lisbon turn every six hours.")
    give(life, goals=[SelfItem("learn about tides", 0.8, "working")])
    declared = life.being.skills / "write_file" / "skill.toml"
    told = declared.read_text("utf-8").replace("irreversible = false", "irreversible = true")
    declared.write_text(told, "utf-8")
    decide_skill(life.kernel, life.kernel.index.events.soul(), "write_file", "accepted")
    went = pursue(life)
    why = (
        "write_file does what cannot be taken back; "
        "[skills.write_file] unasked = true in lumen.toml allows it"
    )
    assert went.what.endswith("→ search")  # as good, and allowed
    assert why in went.outcome
    assert why in life.beat("decide").entry.description
    assert not (life.being.root / "files").exists() or not list(
        (life.being.root / "files").iterdir()
    )


@pytest.mark.parametrize(
    ("declares", "autonomy", "why"),
    [
        (None, "full", "dig does not say what it touches; "),
        ("irreversible = true", "full", "dig does what cannot be taken back; "),
        ("network = true", "soft", "dig leaves the machine; "),
        ("network = true", "full", ""),
        ("irreversible = false", "soft", ""),
        ("irreversible = false", "shadow", "in shadow nothing is done"),
        ("reads = 3", "full", "The skill dig"),
    ],
)
def test_what_a_skill_declares_and_how_free_it_is_decide_what_is_done_unasked(
    life: Life, declares: str | None, autonomy: str, why: str
) -> None:
    answer = '{"ok": true, "output": {"text": "dug"}}'
    life.skill("dig", f"print('{answer}')")
    if declares is not None:
        (life.being.skills / "dig/skill.toml").write_text(f'description = "digs"\n{declares}\n')
    give(life, goals=[TIDES])
    life.kernel.autonomy = autonomy
    strong(life, Thoughts=thought("dig", values=[]), Verdict={"number": 1}, Told={"text": "x"})
    went = pursue(life)
    ran = [e.entry.description for e in life.turn() if e.entry.event_type == "tool_call"]
    if why:
        assert why in f"{went.outcome} {life.beat('decide').entry.description}"
        assert "dig.find" not in ran
    else:
        assert ran == ["dig.find"]
    if autonomy == "shadow":
        assert ran == []


def test_a_search_that_asks_the_web_leaves_the_machine_by_the_authors_setting(life: Life) -> None:
    life.kernel.policies = SkillPolicies(settings={"search": {"endpoint": "http://127.0.0.1:9/"}})
    give(life, goals=[TIDES])
    life.kernel.autonomy = "soft"
    assert "search leaves the machine" in pursue(life).outcome


@pytest.mark.parametrize("gone", ["missing", "disabled"])
def test_a_being_without_search_asks_for_it_once_and_never_when_the_author_switched_it_off(
    life: Life, gone: str
) -> None:
    skill = find(life.being.skills, "search")
    if gone == "disabled":
        switch(skill, on=False)
    else:
        skill.folder.rename(life.being.root / "elsewhere")
    give(life, goals=[TIDES])
    went = [pursue(life) for _ in range(3)]
    if gone == "disabled":
        assert went[0].outcome == "search is switched off; lumen skills enable search"
        assert list(goals(life)) == ["learn about tides"]
    else:
        assert went[0].outcome == "I cannot search yet: 'learn the skill search' is a goal now"
        assert sorted(goals(life)) == ["learn about tides", "learn the skill search"]
    assert verify(life.being, life.keyring).ok


def test_a_being_of_an_older_version_with_nothing_but_chat_still_lives(life: Life) -> None:
    for name in ("search", "note", "calc", "write_file"):
        find(life.being.skills, name).folder.rename(life.being.root / name)
    give(life, goals=[TIDES])
    for _ in range(4):
        assert pursue(life).outcome.startswith("I cannot search yet")
    assert sorted(goals(life)) == ["learn about tides", "learn the skill search"]
    assert life.say("What is 2 + 2?").text


@pytest.mark.parametrize(
    "name",
    ["выучить песню", "🎵", "sing “loud”\nand 'clear'", "a" * 200, "{{ name }} % {0}", "''"],
)
def test_a_goal_may_be_called_anything(life: Life, name: str) -> None:
    give(life, goals=[SelfItem(name, 0.9, "todo")])
    assert pursue(life).what.startswith(name)
    assert by(life, "goal")[-1].entry.description == name
    assert cycles(life)[-1].goal == name
    assert goals(life)[name][1] == "working"
    due(life.kernel, asked=True)
    assert verify(life.being, life.keyring).ok


def test_of_a_thousand_goals_the_heaviest_is_taken_up(life: Life) -> None:
    many = [SelfItem(f"goal {n}", n / 2000 + 0.4, "todo") for n in range(1000)]
    (life.being.goals / "2026.json").write_text(spell(many), "utf-8")
    refresh(life)
    assert pursue(life).what == "goal 999 → search"
    life.kernel.thresholds = Thresholds(stale_cycles=1)
    pursue(life)
    assert [f.name for f in due(life.kernel) if f.name == "goal"] == ["goal"]
    listener = life.listen()
    life.say("I like rice.")
    assert listener.shown().count("goal ") < 40


def test_a_goal_the_author_closes_meanwhile_ends_the_cycle_and_not_the_run(life: Life) -> None:
    give(life, goals=[TIDES])
    again: list[str] = []

    def closes(step: str) -> None:
        if step == "lambda_select" and not again:
            again.append(step)
            give(life, goals=[SelfItem("learn about tides", 0.8, "done")])

    went = asyncio.run(cycle.pursue(life.kernel, Watch(step=closes)))
    assert (went.done, went.outcome) == (
        False,
        "refused: the action loop may not move the goal 'learn about tides' from done to working",
    )
    assert life.turn()[-1].entry.situation == "interrupted"
    assert life.open_turns() == []
    assert goals(life)["learn about tides"][1] == "done"
    refresh(life)
    assert pursue(life).what == "no goal is open"


def test_a_cycle_whose_process_died_is_closed_by_the_next_and_not_run_again(life: Life) -> None:
    give(life, goals=[TIDES])
    pursue(life)
    (begun,) = by(life, "goal")
    life.kernel.gate.record(replace(begun.entry, session_key="lumen:orchestrator:dead"))
    assert [key for key, _ in life.open_turns()] == ["lumen:orchestrator:dead"]
    pursue(life)
    assert life.open_turns() == []
    (told,) = by(life, "kernel", "unclosed")
    assert told.entry.session_key == "lumen:orchestrator:dead"
    assert len(cycles(life)) == 2
