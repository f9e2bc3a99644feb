"""What a model may be asked for follows from what it was measured to do, and nothing else is asked of it."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.kernel.listening import Listener, nothing
from tests.kernel.living import give, pursue, reflect, strong, thought, wonder

from lumen.core.data import SelfItem
from lumen.core.errors import Unreachable
from lumen.core.trust import FULL, LOWEST, Ability
from lumen.kernel.models.trust import (
    NEEDS,
    Case,
    TrustAnswer,
    TrustMeasure,
    is_current,
    keep,
    load,
    may,
    measure,
    trusted,
)
from lumen.kernel.turn.run import calls_for
from lumen.mind.roles import parse_assignment
from lumen.mind.substrate import Completion, OnText, Prompt

if TYPE_CHECKING:
    from tests.kernel.conftest import Life

RIGHT = {
    "Where does my sister live?": "You told me on 1 March that your sister lives in Porto.",
    "What is the name of my dog?": "Your dog is called Biscuit.",
    "When is my dentist's appointment?": "It is on Tuesday at ten.",
    "What do I not eat?": "You do not eat peanuts.",
    "What is my blood type?": "You have not told me that.",
    "What is my brother's name?": "I was not told; I know of your sister.",
    "In which year did I move to this town?": "I do not know, as you never told me.",
    "What did I have for breakfast today?": "You haven't told me.",
    "Wie geht es dir heute?": "Das klingt nach einem schönen Tag, und ich hoffe, du bist nicht müde.",
    "Расскажи мне": "Синие волны шумят, там живут рыбы и дельфины.",
    "I spent the whole day": "I hope that your back is better tomorrow.",
    "Мне сегодня грустно": "Мне жаль, что тебе сегодня грустно.",
    "Why is the sky blue?": "Blue light is scattered the most.",
    "Tell me a short joke.": "Why did the tomato blush? It saw the salad dressing.",
    "Good morning!": "Good morning, Ada!",
    "What does a baker do?": "A baker makes bread.",
    "is ice cold?": "Yes.",
    "How many days": "7",
    "the word river": "RIVER",
    "Name three colours": "red, green, blue",
}
VALUES = {
    "Verdict": '{"number": 1}',
    "Question": '{"question": "What is in the dish caldo verde?"}',
    "Told": '{"text": "The disk was full."}',
    "Thoughts": '{"candidates": [{"skill": "search", "action": "find", "prediction": "Notes are found."}]}',
}


@dataclass
class Pupil(Listener):
    """Answers what it was taught; what it was not, with its one answer."""

    words: Mapping[str, str] = field(default_factory=dict)
    values: Mapping[str, str] = field(default_factory=dict)

    async def invoke(
        self, model_id: str, prompt: Prompt, on_text: OnText | None = None
    ) -> Completion:
        """What fits the prompt."""
        del model_id, on_text
        self.prompts.append(prompt)
        if prompt.schema:
            said = self.values.get(str(prompt.schema["title"]), self.answer)
        else:
            found = (reply for message, reply in self.words.items() if message in prompt.user)
            said = next(found, self.answer)
        return Completion(said, 10, 10, 0, "stop")


def measured(
    life: Life, pupil: Pupil, seconds: float | None = None
) -> tuple[TrustMeasure, list[TrustAnswer]]:
    life.kernel.reach.opened["listener"] = pupil
    told: list[TrustAnswer] = []
    calls = calls_for(life.kernel, "lumen:author")
    assignment = parse_assignment("interface", "listener/pupil")
    work = measure(calls, assignment, "You are Lumen.", seconds=seconds, tell=told.append)
    return asyncio.run(work), told


def pupil(words: Mapping[str, str] = RIGHT, values: Mapping[str, str] = VALUES) -> Pupil:
    return Pupil("I am a log.", small=True, heard=nothing, words=words, values=values)


def test_a_model_that_answers_everything_rightly_may_be_asked_for_everything(life: Life) -> None:
    found, told = measured(life, pupil())
    assert [one.question for one in told if not one.passed] == []
    assert (found.may, found.whole, is_current(found)) == (FULL, True, True)
    assert found.key == "listener/pupil"


def test_a_model_that_says_the_same_to_all_may_only_phrase(life: Life) -> None:
    found, _ = measured(life, pupil({}, {}))
    assert found.may == LOWEST
    assert {about: passed for about, (passed, _) in found.scores.items() if passed} == {
        "language": 1,  # one question is English, as the answer is
        "leak": 1,  # any words are a joke
    }


def test_a_model_that_fails_json_alone_may_speak_and_no_more(life: Life) -> None:
    found, _ = measured(life, pupil(values={"Verdict": '{"number": 1}'}))
    assert found.scores["json"] == (1, 4)
    assert found.may == (Ability.PHRASE, Ability.WORLD)


def test_all_are_measured_in_the_shipped_templates_whatever_class_they_had(life: Life) -> None:
    own = life.being.prompts / "drafts"
    own.mkdir(parents=True)
    (own / "prompt.md").write_text("Say: BANANA", "utf-8")
    asked = pupil()
    measured(life, asked)
    assert not [p for p in asked.prompts if "BANANA" in p.user or p.turns]
    assert "Your reply, in" in asked.prompts[0].user


def test_what_is_not_asked_when_time_is_up_counts_as_failed_and_is_not_taken_for_measured(
    life: Life,
) -> None:
    found, told = measured(life, pupil(), seconds=-1)
    assert (told, found.may, found.whole, is_current(found)) == ([], LOWEST, False, False)


def test_a_model_that_is_not_there_is_not_measured_as_a_bad_one(life: Life) -> None:
    class Gone(Pupil):
        async def invoke(self, *_: object) -> Completion:
            raise Unreachable("nobody is there")

    life.kernel.reach.opened["listener"] = Gone("", small=False, heard=nothing)
    calls = replace(calls_for(life.kernel, "lumen:author"), wait=lambda _: asyncio.sleep(0))
    with pytest.raises(Unreachable):
        asyncio.run(measure(calls, parse_assignment("interface", "listener/x"), ""))


scores = st.dictionaries(
    st.sampled_from(sorted({about for needs in NEEDS.values() for about in needs})),
    st.tuples(st.integers(0, 4), st.just(4)),
)


@given(scores, st.sampled_from(["fact", "refusal", "language", "leak", "format", "json"]))
def test_who_passes_more_is_trusted_with_no_less(
    found: dict[str, tuple[int, int]], about: str
) -> None:
    better = {**found, about: (4, 4)}
    assert set(may(found)) <= set(may(better))
    assert Ability.PHRASE in may(found)


def test_three_of_four_are_enough_and_two_are_not() -> None:
    good = dict.fromkeys(("fact", "refusal", "language", "leak", "format", "json"), (3, 4))
    assert may(good) == FULL
    assert may({**good, "json": (2, 4)}) == (Ability.PHRASE, Ability.WORLD)
    assert may({**good, "refusal": (2, 4)}) == (Ability.PHRASE, Ability.JSON, Ability.SKILLS)


@pytest.mark.parametrize(
    ("answer", "passed"),
    [("Your sister lives in Porto.", True), ("My sister lives in Porto.", False), ("", False)],
)
def test_an_answer_must_hold_what_it_should_and_nothing_it_must_not(
    answer: str, passed: bool
) -> None:
    assert Case("fact", says="Porto", never="my sister").passed(answer) is passed


def test_what_was_measured_is_kept_by_its_key_and_its_class_follows_from_the_scores(
    life: Life, tmp_path: Path
) -> None:
    path = tmp_path / "trust.json"
    found, _ = measured(life, pupil())
    keep(path, replace(found, key="a" * 64))
    keep(path, found)
    assert load(path) == {found.key: found, "a" * 64: replace(found, key="a" * 64)}
    forged = path.read_text("utf-8").replace('"json":[4,4]', '"json":[0,4]')
    path.write_text(forged, "utf-8")
    assert trusted(path)[found.key] == (Ability.PHRASE, Ability.WORLD)
    path.write_text("no notes", "utf-8")
    assert load(path) == {}


def test_a_model_that_failed_json_is_asked_for_none_in_any_loop(life: Life) -> None:
    oracle = strong(life, Thoughts=thought("search"), Question={"question": "Why?"})
    give(life, {"care": 0.9}, [SelfItem("understand cities", 0.9, "perpetual")])
    words = {"oracle/one": (Ability.PHRASE, Ability.WORLD)}
    life.kernel.reach = replace(life.kernel.reach, trusted=words)
    pursue(life)
    wonder(life)
    reflect(life)
    assert oracle.asked == []
    life.kernel.reach = replace(life.kernel.reach, trusted={})
    give(life, goals=[SelfItem("understand rivers", 0.9, "perpetual")])
    wonder(life)
    assert oracle.asked == ["Question"]


def test_a_model_that_may_propose_but_not_reflect_or_write_is_asked_for_proposals_alone(
    life: Life,
) -> None:
    oracle = strong(life, Thoughts=thought("search"), Question={"question": "Why?"})
    give(life, {"care": 0.9}, [SelfItem("email Ada about the move", 0.9, "todo")])
    proposes = {"oracle/one": (Ability.PHRASE, Ability.JSON)}
    life.kernel.reach = replace(life.kernel.reach, trusted=proposes)
    for _ in range(2):
        pursue(life)
    reflect(life)
    assert {"Proposals", "Code"} & {*oracle.asked} == set()
