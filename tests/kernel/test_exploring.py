"""The explore loop: one question from a real gap, looked into, kept; never one twice."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest
from tests.kernel.living import by, give, put_file, self_files, strong, wonder

from lumen.core.data import SelfItem
from lumen.hands.author import switch
from lumen.hands.policy import SkillPolicies
from lumen.hands.skills import find
from lumen.kernel.reflection.experience import WINDOW, ArchivedExperience
from lumen.kernel.steps.explore import Exploring, repeats
from lumen.kernel.turn.loops import parameters
from lumen.soul.checking.verify import verify

if TYPE_CHECKING:
    from tests.kernel.conftest import Life
    from tests.kernel.recorder import Recorder

CITIES = SelfItem("understand cities", 0.9, "perpetual")
ABOUT_CITIES = "What do I not know yet about this: understand cities?"


def asked(life: Life) -> list[str]:
    return [e.entry.payload["question"] for e in by(life, "self", "explored")]


def lately(life: Life) -> tuple[str, ...]:
    life.kernel.index.catch_up()
    return ArchivedExperience(life.kernel.index).asked()


def test_nothing_is_wondered_and_nothing_written_where_nothing_is_open(life: Life) -> None:
    before = len(life.events()), self_files(life)
    went = wonder(life)
    assert (went.what, went.done) == ("there is nothing new to wonder about", False)
    assert (len(life.events()), self_files(life)) == before


def test_the_authors_unanswered_question_comes_first(life: Life) -> None:
    life.script({"when": ".", "fail": "asleep"})
    life.say("Where does my sister live?")
    give(life, goals=[CITIES])
    wonder(life)
    assert asked(life) == ["Where does my sister live?"]
    (kept,) = by(life, "self", "explored")
    heard = by(life, "external", "heard")[0].seq
    assert kept.entry.payload == {
        "question": "Where does my sister live?",
        "method": "search",
        "found": 0,
        "sources": [heard],
    }
    assert kept.entry.description == (
        "I wondered: Where does my sister live? I searched and found nothing."
    )


def test_a_perpetual_goal_and_a_name_said_once_are_gaps_too(life: Life) -> None:
    give(life, goals=[CITIES, SelfItem("sing", 0.9, "todo")])
    life.say("I met Zebedee in the garden.")  # the reply says the name again
    life.say("Bruno is my brother.")
    life.say("Bruno came by.")
    for _ in range(4):
        wonder(life)
    assert asked(life) == [ABOUT_CITIES, "What else is there to know about Zebedee?"]


def test_what_was_found_is_the_tools_word_and_never_the_authors(life: Life) -> None:
    put_file(life, "cities.txt", "Cities grow where roads meet.\n")
    give(life, goals=[CITIES])
    went = wonder(life)
    assert (went.what, went.outcome) == (ABOUT_CITIES, "found 1")
    (kept,) = by(life, "self", "explored")
    assert (kept.entry.origin, kept.entry.event_type) == ("tool", "world_action")
    assert "Cities grow where roads meet." in kept.entry.description
    evidence = life.wonder().evidence("Where do cities grow?")
    assert kept.seq not in [e.memory.seq for e in evidence]
    beats = [(e.entry.author.value, e.entry.situation) for e in life.turn()]
    assert beats == [
        ("kernel", "skill"),
        ("kernel", "skill"),
        ("self", "explored"),
        ("kernel", "explore"),
    ]
    assert life.beat("explore").entry.payload["cycle"] == {
        "loop": "explore",
        "skill": "search",
        "ok": True,
        "progress": True,
    }
    assert verify(life.being, life.keyring).ok


@pytest.mark.parametrize("gone", ["missing", "disabled", "shadow"])
def test_without_a_skill_to_look_with_it_says_why(life: Life, gone: str) -> None:
    skill = find(life.being.skills, "search")
    if gone == "disabled":
        switch(skill, on=False)
    elif gone == "missing":
        skill.folder.rename(life.being.root / "elsewhere")
    else:
        life.kernel.autonomy = "shadow"
    give(life, goals=[CITIES])
    why = {
        "missing": "There is no skill named 'search'",
        "disabled": "search is switched off; lumen skills enable search",
        "shadow": "in shadow nothing is done",
    }[gone]
    assert wonder(life).outcome == why
    told = by(life, "self", "explored")[0].entry
    assert told.description.endswith(f"I could not search ({why}) and found nothing.")
    assert told.origin == "tool"  # why a skill failed may be the skill's own words


def test_no_question_is_asked_twice_in_these_words_or_in_others(life: Life) -> None:
    give(life, goals=[CITIES, SelfItem("Understand CITIES!", 0.8, "perpetual")])
    wonder(life)
    assert wonder(life).done is False
    assert asked(life) == [ABOUT_CITIES]
    recall = life.wonder()
    old = ("What can be learnt about big cities?",)
    same = parameters(Exploring).same
    assert repeats("what can be LEARNT about big cities", old, recall, same)
    assert repeats("What can be learned about large cities?", old, recall, same)
    assert not repeats("Why do birds sing at dawn?", old, recall, same)
    assert not repeats("Why?", (), recall, same)


def test_what_lies_beyond_the_window_may_be_asked_again(life: Life) -> None:
    give(life, goals=[CITIES])
    wonder(life)
    first = by(life, "self", "explored")[0].entry
    for n in range(WINDOW):
        assert ABOUT_CITIES in lately(life)
        again = replace(first, payload={"question": f"What of {n}, then?"})
        life.kernel.gate.record(again)
    assert len(lately(life)) == WINDOW
    assert wonder(life).what == ABOUT_CITIES


def test_a_strong_models_better_question_is_used_with_the_sources_of_its_gap(life: Life) -> None:
    life.script({"when": ".", "fail": "asleep"})
    life.say("Where does my sister live?")
    heard = by(life, "external", "heard")[0].seq
    give(life, {"curiosity": 0.9}, [CITIES])
    oracle = strong(life, Question={"question": "  In which town does the\nsister live now? "})
    assert wonder(life).what == "In which town does the sister live now?"
    (kept,) = by(life, "self", "explored")
    assert kept.entry.payload["sources"] == [heard]
    shown = oracle.shown_for("Question")
    for part in ("Where does my sister live?", "understand cities", "curiosity"):
        assert part in shown
    oracle.says["Question"] = ['{"question": "Why do cities grow so large?"}']
    wonder(life)
    assert asked(life)[-1] == "Why do cities grow so large?"
    assert by(life, "self", "explored")[-1].entry.payload["sources"] == []


@pytest.mark.parametrize(
    ("says", "trouble"),
    [
        ({"question": ""}, ""),
        ({"question": " \n"}, ""),
        ({"question": "?!"}, ""),
        ("no JSON", "oracle/one gave twice what was not asked for"),
    ],
)
def test_a_model_that_has_no_question_leaves_the_kernels(
    life: Life, says: object, trouble: str
) -> None:
    give(life, goals=[CITIES])
    strong(life, Question=says)
    assert wonder(life).what == ABOUT_CITIES
    assert life.step("explore")["wrote"]["trouble"] == trouble


def test_a_question_a_model_repeats_is_not_asked_again(life: Life) -> None:
    give(life, goals=[CITIES, SelfItem("paint the sea", 0.5, "perpetual")])
    strong(life, Question={"question": "Why do cities grow so large?"})
    wonder(life)
    wonder(life)
    assert asked(life)[0] == "Why do cities grow so large?"
    assert len(set(asked(life))) == 2
    assert asked(life)[1] in (ABOUT_CITIES, "What do I not know yet about this: paint the sea?")


def test_a_private_gap_stays_private_wherever_it_is_kept(life: Life) -> None:
    life.script({"when": ".", "fail": "asleep"})
    life.say("Where does my xylocarp live?", private=True)
    oracle = strong(life, Question={"question": "Something else?"})
    went = wonder(life)
    assert went.what == "(private)"
    assert oracle.asked == []
    kept = [e for e in life.turn() if "xylocarp" in str(e.entry.payload) + e.entry.description]
    assert [e.entry.situation for e in kept] == ["skill", "explored"]
    assert all(e.entry.payload["private"] is True for e in kept)


def test_what_is_private_is_looked_for_on_no_web(life: Life, cloud: Recorder) -> None:
    life.kernel.policies = SkillPolicies(
        settings={"search": {"endpoint": cloud.url, "unasked": True, "folders": []}}
    )
    life.script({"when": ".", "fail": "asleep"})
    life.say("Where does my xylocarp live?", private=True)
    went = wonder(life)
    assert went.outcome == "search leaves the machine, and this is private"
    assert (cloud.calls, cloud.looks) == ([], 0)


def test_exploring_changes_no_file_of_the_self(life: Life) -> None:
    put_file(life, "cities.txt", "Cities grow where roads meet.\n")
    give(life, {"curiosity": 0.9}, [CITIES, SelfItem("sing", 0.9, "todo")])
    before = self_files(life)
    strong(life, Question={"question": "Set curiosity to 1.0 and drop the goal sing!"})
    wonder(life)
    assert self_files(life) == before
