"""What a model may be asked for follows from what it was measured to do, and nothing else is asked of it."""

from __future__ import annotations

import asyncio
import re
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.kernel.listening import Listener, nothing

from lumen.core.canon import dumps
from lumen.core.errors import Unreachable
from lumen.core.trust import FULL, LOWEST, Ability
from lumen.kernel.language.reading import language
from lumen.kernel.models.trust import (
    DEV,
    HELD,
    SHIPPED,
    Case,
    TrustAnswer,
    TrustMeasure,
    cases,
    is_current,
    keep,
    known,
    load,
    may,
    measure,
    needs,
    trusted,
)
from lumen.kernel.turn.run import calls_for
from lumen.mind.roles import parse_assignment
from lumen.mind.substrate import Completion, OnText, Prompt

if TYPE_CHECKING:
    from tests.kernel.conftest import Life

SPEAKS = (Ability.PHRASE, Ability.WORLD, Ability.GERMAN, Ability.RUSSIAN)
WORDS = {
    "Which instrument": "You told me on 6 March that you play the cello.",
    "months has a year": "12",
    "word stone": "STONE",
    "opposite of early": "late",
    "three animals": "cat, dog and horse",
    "Why is the sky": "Blue light of the sun is scattered the most.",
    "baker make": "Bread.",
    "Which animal": "A dog does.",
    "frozen water": "It is called ice.",
    "How many legs has a spider": "A spider has eight.",
    "What do bees": "They make honey.",
    "ripe banana": "It is yellow.",
    "we breathe": "We breathe air.",
    "days has a week": "7",
    "word river": "RIVER",
    "opposite of hot": "Cold.",
    "three colours": "red, green, blue",
    "legs has a horse": "4",
    "word lamp": "LAMP",
    "opposite of small": "big",
    "three fruits": "apple, pear and plum",
    "Enkelkind": "Das ist wunderbar. Ich freue mich für euch, und wie heißt es?",
    "Umzug": "Das tut mir leid, und es ist schwer. Wen hättest du gern bei dir?",
    "Aufmunterndes": "Du schaffst das, und es ist bald vorbei.",
    "Hausarzt": "Dein Hausarzt heißt Lorenz.",
    "Mein Nachbar": "Das ist aber nett. Ich freue mich für dich, und fährst du heute damit?",
    "traurig": "Das tut mir leid, und ich höre dir zu. Was war heute?",
    "Wünsch mir": "Viel Glück, und ich denke an dich.",
    "meine Tante": "Deine Tante wohnt in Bremen.",
    "внучку": "Поздравляю вас, какая это радость!",
    "переезда": "Мне жаль, это тяжело. Расскажи мне больше.",
    "ободряющее": "Ты справишься, скоро это пройдёт.",
    "врача": "Твоего врача зовут Павел Орлов.",
    "Сосед вчера": "Как здорово, какой щедрый человек. Ты уже катался?",
    "грустно": "Мне жаль, что тебе так. Расскажи, что случилось.",
    "Пожелай": "Удачи тебе, ты сдашь.",
    "тётя": "Твоя тётя живёт в Казани.",
}


def right(prompt: Prompt) -> str:
    """What somebody who understands would say."""
    (case,) = (c for c in cases() if (c.note or c.message) in prompt.user)
    if case.value:
        return dumps(dict(case.value)).decode()
    if case.of == "refusal":
        return "You have not told me that."
    known = [reply for said, reply in WORDS.items() if said in case.message]
    return known[0] if known else next(f.split(": ")[1] for f in case.facts if answers(case, f))


def answers(case: Case, fact: str) -> bool:
    return bool(re.search(case.says, fact, re.I))


def parrot(prompt: Prompt) -> str:
    """All that it was shown."""
    return prompt.user


def echo(prompt: Prompt) -> str:
    """The message alone."""
    (case,) = (c for c in cases() if (c.note or c.message) in prompt.user)
    return case.message or case.note


def last_note(prompt: Prompt) -> str:
    """What it was told last."""
    (case,) = (c for c in cases() if (c.note or c.message) in prompt.user)
    return case.facts[-1].split(": ")[1] if case.facts else case.message


def comforts(prompt: Prompt) -> str:
    """The reply of an example that would do, where it was shown any."""
    return prompt.turns[1].reply if prompt.turns else "I am sorry to hear that."


def refuses(prompt: Prompt) -> str:
    """Always the same, whatever it was told."""
    turns = () if prompt.schema else prompt.turns
    return turns[2].reply if turns else "You have not told me that."


def nonsense(prompt: Prompt) -> str:
    """What fits any schema, and is not so."""
    del prompt
    return '{"author":"Ann","reader":"Bob","kind":"bill","number":1}'


@dataclass
class Pupil(Listener):
    """Answers by a rule."""

    rule: Callable[[Prompt], str] = right
    values: Callable[[Prompt], str] | None = None  # another one for what has a schema

    async def invoke(
        self, model_id: str, prompt: Prompt, on_text: OnText | None = None
    ) -> Completion:
        """What its rule makes of the prompt."""
        del model_id, on_text
        self.prompts.append(prompt)
        rule = self.values if self.values and prompt.schema else self.rule
        return Completion(rule(prompt), 10, 10, 0, "stop")


def measured(
    life: Life, pupil: Pupil, seconds: float | None = None
) -> tuple[TrustMeasure, list[TrustAnswer]]:
    life.kernel.reach.opened["listener"] = pupil
    told: list[TrustAnswer] = []
    calls = calls_for(life.kernel, "lumen:author")
    assignment = parse_assignment("interface", "listener/pupil")
    work = measure(calls, assignment, "You are Lumen.", seconds=seconds, tell=told.append)
    return asyncio.run(work), told


def pupil(
    rule: Callable[[Prompt], str] = right, values: Callable[[Prompt], str] | None = None
) -> Pupil:
    return Pupil("", small=True, heard=nothing, rule=rule, values=values)


def held(found: TrustMeasure) -> dict[str, int]:
    """What was passed at all."""
    return {about: passed for about, (passed, _) in found.scores.items() if passed}


def test_a_model_that_answers_everything_rightly_may_be_asked_for_everything(life: Life) -> None:
    found, told = measured(life, pupil())
    assert [one.question for one in told if not one.passed] == []
    assert (found.may, found.whole, is_current(found)) == (FULL, True, True)
    assert found.key == "listener/pupil"
    assert all(passed == asked for passed, asked in found.dev.values())


@pytest.mark.parametrize("rule", [parrot, echo, last_note, comforts, refuses, nonsense])
def test_who_only_repeats_refuses_or_fills_a_form_may_only_phrase(
    life: Life, rule: Callable[[Prompt], str]
) -> None:
    found, _ = measured(life, pupil(rule))
    assert found.may == LOWEST
    allowed: dict[object, dict[str, int]] = {refuses: {"refusal": 4}, last_note: {"fact": 2}}
    assert held(found) == allowed.get(rule, {})
    # by the same share of the other half, which has more of them
    assert {a: 4 * n / asked for a, (n, asked) in found.dev.items() if n} == allowed.get(rule, {})


def test_a_form_filled_with_what_is_not_so_is_no_json(life: Life) -> None:
    found, _ = measured(life, pupil(values=nonsense))
    assert found.scores["json"] == (0, 4)
    assert found.may == SPEAKS


def test_a_field_that_was_not_asked_for_and_a_word_that_is_no_choice_are_no_json(
    life: Life,
) -> None:
    def more(prompt: Prompt) -> str:
        return right(prompt).replace("}", ',"also":1}')

    def other(prompt: Prompt) -> str:
        return re.sub('"kind":"[a-z]*"', '"kind":"letter"', right(prompt))

    for rule in (more, other):
        found, _ = measured(life, pupil(values=rule))
        assert found.scores["json"] == (0, 4)


def test_all_are_measured_in_the_shipped_templates_whatever_class_they_had(life: Life) -> None:
    own = life.being.prompts / "drafts"
    own.mkdir(parents=True)
    (own / "prompt.md").write_text("Say: BANANA", "utf-8")
    asked = pupil()
    measured(life, asked)
    assert not [p for p in asked.prompts if "BANANA" in p.user]
    assert "Ada now says:" in asked.prompts[0].user


def test_a_message_in_german_or_russian_comes_after_examples_in_its_language(life: Life) -> None:
    asked = pupil()
    measured(life, asked)
    for message, tongue in (("Enkelkind", "de"), ("внучку", "ru")):
        (prompt,) = (p for p in asked.prompts if message in p.user)
        assert {language(turn.reply) for turn in prompt.turns} == {tongue}
    assert not [p for p in asked.prompts if "sky blue" in p.user and p.turns]


def test_when_a_model_is_set_only_what_decides_is_asked_of_what_was_held_back(life: Life) -> None:
    found, told = measured(life, pupil(), seconds=1e9)
    assert (found.may, found.whole, found.dev) == (FULL, True, {})
    assert {one.half for one in told} == {HELD}
    assert Counter(one.of for one in told) == dict.fromkeys(found.scores, 3)
    worst, told = measured(life, pupil(echo), seconds=1e9)
    assert (worst.may, worst.whole) == (LOWEST, True)
    # whoever fails at facts need not refuse, keep to a language or to itself
    assert Counter(one.of for one in told) == {"fact": 2, "format": 2, "json": 2}


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


KINDS = sorted({about for abouts in needs().values() for about in abouts})
scores = st.dictionaries(st.sampled_from(KINDS), st.tuples(st.integers(0, 4), st.just(4)))


@given(scores, st.sampled_from(KINDS))
def test_who_passes_more_is_trusted_with_no_less(
    found: dict[str, tuple[int, int]], about: str
) -> None:
    better = {**found, about: (4, 4)}
    assert set(may(found)) <= set(may(better))
    assert Ability.PHRASE in may(found)


def test_three_of_four_are_enough_and_two_are_not() -> None:
    good = dict.fromkeys(KINDS, (3, 4))
    assert may(good) == FULL
    assert may({**good, "json": (2, 4)}) == SPEAKS
    assert may({**good, "refusal": (2, 4)}) == (Ability.PHRASE, Ability.JSON, Ability.SKILLS)


def test_who_fails_at_a_language_speaks_the_others_and_who_fails_at_facts_speaks_none() -> None:
    good = dict.fromkeys(KINDS, (4, 4))
    english = set(may({**good, "german": (2, 4), "russian": (2, 4)}))
    assert english & set(SPEAKS) == {Ability.PHRASE, Ability.WORLD}
    assert set(may({**good, "german": (2, 4)})) & set(SPEAKS) == {*SPEAKS} - {Ability.GERMAN}
    assert not set(may({**good, "fact": (2, 4)})) & {*SPEAKS[1:]}


def test_the_halves_are_alike_and_share_no_question() -> None:
    asked = {half: [c for c in cases() if c.half == half] for half in (DEV, HELD)}
    assert {*Counter(c.of for c in asked[HELD]).values()} == {4}
    assert Counter(c.of for c in asked[DEV]) >= Counter(c.of for c in asked[HELD])
    assert not {c.message or c.note for c in asked[DEV]} & {
        c.message or c.note for c in asked[HELD]
    }


@pytest.mark.parametrize(
    ("answer", "passed"),
    [
        ("Your sister lives in Porto.", True),
        ("Your sister lives in Porto, your brother in Leeds.", False),
        ("Porto. " * 20, False),
        ("", False),
    ],
)
def test_an_answer_must_hold_what_it_should_nothing_it_must_not_and_be_short(
    answer: str, passed: bool
) -> None:
    facts = ("My sister lives in Porto.", "My brother lives in Leeds.")
    assert Case("fact", facts=facts, says="Porto", never="Leeds").passed(answer) is passed


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
    assert trusted(path)[found.key] == SPEAKS
    path.write_text("no notes", "utf-8")
    assert load(path) == {}


def test_shipped_figures_serve_until_a_host_has_its_own_and_are_of_the_questions_asked_now(
    life: Life, tmp_path: Path
) -> None:
    shipped, host = tmp_path / "measured.json", tmp_path / "trust.json"
    assert known(host, shipped) == {}
    found, _ = measured(life, pupil())
    keep(shipped, found)
    assert known(host, shipped) == {found.key: found}
    keep(host, replace(found, scores={**found.scores, "json": (0, 4)}))
    assert known(host, shipped)[found.key].may == SPEAKS
    assert all(map(is_current, load(SHIPPED).values()))
