"""What it cannot do it learns: the gap becomes a goal, the goal a skill, and the skill is used."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from tests.kernel.living import (
    EMAIL,
    SKILL_TOML,
    by,
    cycles,
    give,
    goals,
    pursue,
    self_files,
    strong,
    thought,
)

from lumen.core.data import SelfItem
from lumen.hands.author import switch
from lumen.hands.skills import Maker, find, made_by
from lumen.kernel.choice.candidates import could_be_skill, slug, wanted_skill
from lumen.kernel.language.lexicon import lexicon
from lumen.kernel.language.sums import arithmetic
from lumen.soul.checking.verify import verify

if TYPE_CHECKING:
    from tests.kernel.conftest import Life

WRITE = SelfItem("email Ada about the move", 0.9, "todo")
LEARN = "learn the skill email"
CODE = {"main_py": EMAIL, "skill_toml": SKILL_TOML}
HANGS = EMAIL.replace("call = ", "while True: pass\ncall = ")


def test_a_missing_ability_becomes_a_goal_once_with_the_weight_of_the_wish(life: Life) -> None:
    give(life, goals=[WRITE])
    went = pursue(life)
    assert went.outcome == f"I cannot email yet: {LEARN!r} is a goal now"
    (score,) = life.step("lambda_select")["wrote"]["scores"]
    assert goals(life) == {
        "email Ada about the move": (0.9, "todo"),
        LEARN: (score["motivation"], "todo"),
    }
    assert score["motivation"] == pytest.approx(0.45)  # nothing speaks for it: half the goal
    assert pursue(life).what == f"{LEARN} → note"  # what waits for a skill comes behind that
    life.being.skills.joinpath("note").rename(life.being.root / "note")
    before = self_files(life)
    for _ in range(3):
        assert pursue(life).outcome == "I cannot email yet"
    assert self_files(life) == before


def test_without_a_model_that_writes_programs_it_says_how_the_author_can_make_one(
    life: Life,
) -> None:
    give(life, goals=[WRITE])
    pursue(life)
    went = [pursue(life) for _ in range(4)]
    notes = [w for w in went if w.what == f"{LEARN} → note"]
    assert notes
    assert "lumen skills new email" in str([e.entry.payload for e in by(life, "kernel", "skill")])
    assert goals(life)[LEARN][1] == "working"  # noted, not learnt
    assert cycles(life)[-1].completed is False


def test_a_skill_is_written_tried_and_taken_in_and_then_the_blocked_goal_is_taken(
    life: Life,
) -> None:
    give(life, goals=[WRITE])
    strong(life, Code=CODE, Thoughts={"candidates": []}, Told={"text": "It went well."})
    pursue(life)
    while goals(life)[LEARN][1] != "done":
        pursue(life)
    assert made_by(find(life.being.skills, "email")) is Maker.MODEL
    made = [e.entry for e in by(life, "kernel", "skill") if "create_skill" in e.entry.description]
    assert [e.description for e in made] == ["create_skill.email", "create_skill.email: done"]
    assert made[0].payload["files"]["main.py"] == EMAIL
    assert len(made[1].payload["sha256"]) == 64
    went = [pursue(life) for _ in range(3)]
    assert went[0].what == "email Ada about the move → email"
    assert "the goal is done when you say so" in went[0].outcome
    assert not any(w.done for w in went[1:])  # no second letter
    assert goals(life)["email Ada about the move"][1] == "working"  # the skill says so: no check
    life.say("I like rice.")
    assert not pursue(life).done
    assert verify(life.being, life.keyring).ok


@pytest.mark.parametrize(
    ("code", "why"),
    [
        (CODE | {"main_py": "def ("}, "main.py is no Python"),
        (CODE | {"main_py": ""}, "main.py is empty"),
        (CODE | {"main_py": HANGS, "skill_toml": SKILL_TOML}, "its example did not pass"),
        (CODE | {"skill_toml": SKILL_TOML.replace("sent", "read")}, "its example did not pass"),
        (CODE | {"main_py": "import time\ntime.sleep(60)\n"}, "Asked for --help, the skill email"),
        (CODE | {"skill_toml": "reads ="}, "the skill email"),
        ("I would rather not.", "oracle/one gave twice what was not asked for"),
    ],
    ids=["no python", "empty", "hangs", "fails its example", "no help", "no toml", "no code"],
)
def test_a_program_that_does_not_hold_is_refused_and_the_goal_stays_open(
    life: Life, code: object, why: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    from lumen.hands import author
    from lumen.hands.process import Limits

    monkeypatch.setattr(author, "TRIAL_LIMITS", Limits(seconds=0.5, cpu_seconds=1))
    give(life, goals=[SelfItem(LEARN, 0.9, "todo")])
    strong(life, Code=code, Told={"text": "It went wrong."})
    went = pursue(life)
    assert why in went.outcome
    assert goals(life) == {LEARN: (0.9, "working")}
    assert not (life.being.skills / "email").exists()
    assert why in life.beat("record").entry.description
    if isinstance(code, dict):
        call, result = [e.entry for e in life.turn() if e.entry.situation == "skill"]
        assert call.payload["files"]["main.py"] == code["main_py"]
        assert result.payload["ok"] is False
    assert verify(life.being, life.keyring).ok


def test_what_was_learnt_and_is_gone_is_learnt_again(life: Life) -> None:
    give(life, goals=[WRITE, SelfItem(LEARN, 0.3, "done")])
    assert pursue(life).outcome == f"I cannot email yet: {LEARN!r} is a goal now"
    assert goals(life)[LEARN] == (0.45, "todo")


def test_a_skill_the_author_made_ends_the_wish_to_learn_it(life: Life) -> None:
    life.skill("email", "print('{\"ok\": true}')")
    give(life, goals=[SelfItem(LEARN, 0.9, "todo")])
    assert pursue(life).what == f"{LEARN} → note"
    assert goals(life)[LEARN][1] == "done"


def test_what_the_author_switched_off_is_not_learnt_again(life: Life) -> None:
    life.skill("email", "print('{\"ok\": true}')")
    switch(find(life.being.skills, "email"), on=False)
    give(life, goals=[WRITE])
    assert pursue(life).outcome == "email is switched off; lumen skills enable email"
    assert list(goals(life)) == ["email Ada about the move"]


def test_a_model_is_told_of_skills_there_are_and_may_use_them(life: Life) -> None:
    life.skill("dig", 'print(\'{"ok": true, "output": {"text": "dug"}}\')')
    declared = (
        'description = "digs for things"\n[example]\naction = "find"\ninput = {where = "here"}\n'
    )
    (life.being.skills / "dig/skill.toml").write_text(declared)
    (life.being.skills / "rot").mkdir()
    life.skill("rot", "")
    (life.being.skills / "rot/skill.toml").write_text("reads = 3")
    give(life, goals=[SelfItem("find the key", 0.9, "todo")])
    oracle = strong(life, Thoughts=thought("dig"), Verdict={"number": 1}, Told={"text": "x"})
    assert pursue(life).what == "find the key → dig"
    shown = oracle.shown_for("Thoughts")
    assert 'dig (action find, input {"where":"here"}): digs for things' in shown
    assert "rot: " in shown
    assert goals(life)["find the key"][1] == "working"


@pytest.mark.parametrize(
    "skill", ["../../etc", "chat", "create_skill", "Email", "a b", "", "x" * 41, "почта", "a\nb"]
)
def test_what_could_be_no_skill_is_no_proposal_and_becomes_no_goal(life: Life, skill: str) -> None:
    give(life, {"curiosity": 1.0}, [SelfItem("find the key", 0.9, "todo")])
    strong(life, Thoughts=thought(skill, values=["curiosity"]), Told={"text": "x"})
    assert pursue(life).what == "find the key → search"
    assert list(goals(life)) == ["find the key"]
    assert not could_be_skill(skill)


@pytest.mark.parametrize(("goal", "filed"), [("find the key", False), ("dig for the key", True)])
def test_an_ability_that_only_a_model_names_is_none_to_learn(
    life: Life, goal: str, filed: bool
) -> None:
    give(life, {"curiosity": 1.0}, [SelfItem(goal, 0.9, "todo")])
    strong(life, Thoughts=thought("dig", values=["curiosity"]), Told={"text": "x"})
    pursue(life)
    assert ("learn the skill dig" in goals(life)) is filed


def test_a_number_too_long_to_be_kept_is_sent_back(life: Life) -> None:
    give(life, goals=[SelfItem("find the key", 0.9, "todo")])
    long = '{"candidates": [{"skill": "search", "action": "find", "prediction": "x", "input": {"n": 1%s}}]}'
    oracle = strong(life, Thoughts=long % ("0" * 30), Told={"text": "x"})
    assert pursue(life).what == "find the key → search"
    assert oracle.asked.count("Thoughts") == 2
    assert "cannot be kept" in oracle.prompts[1].user


def test_a_sum_is_reckoned_by_the_skill_and_said(life: Life) -> None:
    answered = life.say("What is 17 * 23?")
    assert answered.text == "17 * 23 = 391"
    used = [e.entry.description for e in life.turn() if e.entry.event_type == "tool_call"]
    assert used == ["calc.work_out", "chat.say"]
    switch(find(life.being.skills, "calc"), on=False)
    assert "399" not in life.say("What is 19 * 21?").text


@pytest.mark.parametrize(
    ("text", "sum_"),
    [
        ("What is 2 + 2?", "2 + 2"),
        ("what's 12/4", "12/4"),
        ("calculate 2^10", "2**10"),
        ("3 × 4 = ?", "3 * 4"),
        ("How much is 10 ÷ 4?", "10 / 4"),
        ("In 2020 I asked: what is (1+2)*3?", "(1+2)*3"),
        ("If I have 3 * 4 eggs, how many is that?", "3 * 4"),
        ("I was born on 1990-05-12.", ""),
        ("What is 2026-11-15?", ""),
        ("My number is 555-1234.", ""),
        ("Call (555) 123-4567, will you?", ""),
        ("I am there 24/7.", ""),
        ("We met on 11/15, didn't we?", ""),
        ("I am 50% sure.", ""),
        ("I like rice.", ""),
        ("There were 2 + 2 people.", ""),
    ],
)
def test_a_sum_is_told_from_a_date_and_a_telephone_number(text: str, sum_: str) -> None:
    assert arithmetic(text) == sum_


def test_a_being_whose_values_weigh_next_to_nothing_still_answers(life: Life) -> None:
    give(life, {"brevity": 0.01, "curiosity": 0.01})
    for text in ("I like rice.", "Hello!", "What is 2 + 2?", "Where do I live?"):
        assert life.say(text).text
    first = by(life, "kernel", "decide")[0]
    assert "nothing is wanted enough" in first.entry.description
    assert all(c.chosen >= -1 for c in cycles(life))


def test_names_of_files_and_of_skills_are_read_off_goals() -> None:
    assert slug("Learn a Song, quick!") == "learn-a-song-quick"
    assert slug("выучить песню") == "выучить-песню"
    assert slug("🎵") != slug("🎶")
    assert slug("🎵").startswith("page-")
    assert len(slug("x" * 300)) == 48
    assert wanted_skill("learn the skill email") == "email"
    assert wanted_skill("learn the skill ../x") == wanted_skill("sing") == ""


def test_the_skills_it_looks_for_by_name_are_those_the_page_on_skills_names(root: Path) -> None:
    page = (root / "docs" / "how-to" / "write-a-skill.md").read_text("utf-8")
    (named,) = re.findall(r"one that is called (.*?), for a\s", page, re.DOTALL)
    assert re.findall(r"`(\w+)`", named) == list(lexicon().abilities)
