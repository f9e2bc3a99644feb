"""A follow-up is looked up as the whole question it asks; what stands by itself is left as it was said."""

from __future__ import annotations

import asyncio
import shutil
import tomllib
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass, replace
from pathlib import Path

import pytest
from tests.kernel.conftest import QUIET, Life, Newborn, wake
from tests.sampling import Sampled

from lumen.app.explaining import explain
from lumen.core.data import BeingPaths
from lumen.kernel.language.followups import completed
from lumen.kernel.turn.conversation import IncomingMessage, Said, converse
from lumen.mind.e5 import E5
from lumen.soul.trust.keys import Keyring

STUPID = "You were born in Madrid on Monday 16 November."
ASSERTED = ("You told me on", "Твои слова,", "Du hast mir am")
DATA = tomllib.loads(Path(__file__).with_name("followups.toml").read_text("utf-8"))


@dataclass(frozen=True, slots=True)
class Scene:
    """What was told, what is said, and a word of the fact that answers; none: nothing is asserted."""

    told: list[str]
    says: list[str]
    want: str

    def right(self, answer: str) -> bool:
        """Whether the last answer is the one that is wanted."""
        if not self.want:
            return not answer.startswith(ASSERTED)
        return self.want in answer.splitlines()[0] or answer.count(self.want) == 1


def scenes(name: str) -> list[Scene]:
    return [Scene(**one) for one in DATA[name]]


@pytest.fixture
def beings(
    tmp_path: Path, newborns: Callable[[str], Newborn], embedder: E5
) -> Iterator[Callable[[], Life]]:
    """Beings that nobody has spoken with, as many as are asked for."""
    newborn = newborns("being")
    with ExitStack() as opened:

        def one() -> Life:
            home = tmp_path / str(len(list(tmp_path.iterdir())))
            shutil.copytree(newborn.home, home)
            keyring = Keyring(home / "share" / "lumen")
            life = wake(BeingPaths(home / "being"), keyring, replace(newborn.clock), embedder)
            life.listen(STUPID, small=True)
            opened.callback(life.kernel.close)
            return life

        yield one


def played(scene: Scene, life: Life) -> Said:
    life.tell(*scene.told)
    return [life.say(text) for text in scene.says][-1]


@pytest.mark.parametrize("name", ["looked_at", "held"])
def test_a_follow_up_is_answered_with_the_fact_it_asks_for(
    name: str, beings: Callable[[], Life], sampled: Sampled
) -> None:
    for scene in sampled.of(scenes(name), few=4):
        life = beings()
        answer = played(scene, life).text
        assert life.step("surface_parse")["wrote"]["understood"], scene.says
        assert scene.right(answer), f"{scene.says} -> {answer}"


def test_what_a_follow_up_was_understood_as_stands_in_the_trace_and_its_words_stay_the_authors(
    life: Life,
) -> None:
    listener = life.listen("I could not say.")
    life.tell("My sister moved to Lisbon in March.")
    life.say("Where did my sister move?")
    answered = life.say("And when?")

    whole = "When did my sister move?"
    assert life.step("surface_parse")["wrote"]["understood"] == whole
    assert life.turn()[0].entry.description == "And when?"
    assert "“My sister moved to Lisbon in March.”" in answered.text
    life.kernel.index.catch_up()
    assert explain(life.kernel.index).understood == whole
    assert "And when?" in listener.prompts[-1].user


def test_what_is_private_completes_only_what_is_private(life: Life) -> None:
    life.tell("My sister moved to Lisbon in March.")
    life.say("Where did my sister move?", private=True)
    life.say("And when?")
    assert not life.step("surface_parse")["wrote"]["understood"]

    life.say("Where did my sister move?", private=True)
    life.say("And when?", private=True)
    assert life.step("surface_parse")["wrote"]["understood"] == "When did my sister move?"


def test_a_follow_up_leans_on_no_other_conversation(life: Life) -> None:
    life.tell("My sister moved to Lisbon in March.")
    for conversation, said in (("one", "Where did my sister move?"), ("two", "And when?")):
        spoken = IncomingMessage(conversation=conversation)
        asyncio.run(converse(life.kernel, said, private=False, watch=QUIET, spoken=spoken))
    assert not life.step("surface_parse")["wrote"]["understood"]


@pytest.mark.parametrize("name", ["alone", "alone_held"])
def test_a_message_that_stands_by_itself_is_left_as_it_is(name: str) -> None:
    changed = [
        (one, whole)
        for one in DATA[name]
        if (whole := completed(one["says"], [(one["before"], "")]))
    ]
    assert changed == []


@pytest.mark.parametrize(
    ("before", "says", "whole"),
    [
        ("What did I do yesterday?", "And last week?", "What did I do last week?"),
        ("What day is it tomorrow?", "And on Friday?", "What day is it on Friday?"),
        ("What is my blood type?", "And my wife?", "What is my wife's blood type?"),
        ("Where does my sister live?", "And me?", "Where do I live?"),
        ("What is my sister's name?", "And mine?", "What is my name?"),
        ("I bought a new bike.", "How much did it cost?", "How much did the new bike cost?"),
        (
            "Does my sister live in Lisbon?",
            "Since when?",
            "Since when does my sister live in Lisbon?",
        ),
        ("Как зовут мою сестру?", "А как зовут её мужа?", "Как зовут моей сестры мужа?"),  # noqa: RUF001 - Russian
        ("Где живут мои родители?", "Как их зовут?", "Как моих родителей зовут?"),
        ("Что я делал вчера?", "А на прошлой неделе?", "Что я делал на прошлой неделе?"),  # noqa: RUF001 - Russian
        ("Wo wohnen meine Eltern?", "Wie alt sind sie?", "Wie alt sind meine Eltern?"),
        ("Wie heißt meine Schwester?", "Wie heißt ihr Mann?", "Wie heißt meiner Schwester Mann?"),
    ],
)
def test_a_follow_up_is_completed_in_words(before: str, says: str, whole: str) -> None:
    assert completed(says, [(before, "")]) == whole


def test_of_two_that_a_pronoun_may_mean_the_one_named_later_is_meant() -> None:
    talk = [("My sister lives in Lisbon.", "Noted."), ("My aunt lives in Graz.", "Noted.")]
    assert completed("How old is she?", talk) == "How old is my aunt?"
    assert completed("How old is he?", talk) == ""


def test_somebody_named_only_in_the_quoted_answer_may_be_meant() -> None:
    talk = [("Who came on Sunday?", "You told me on Monday: “On Sunday my uncle came.”")]
    assert completed("How old is he?", talk) == "How old is my uncle?"


@pytest.mark.parametrize(
    ("said", "message", "whole"),
    [
        (["My brother Tom moved to Canada in May."], "When was that?", "When my brother Tom moved to Canada?"),
        (["My brother Tom moved to Canada in May."], "And where exactly?", "Where my brother Tom moved?"),
        (["My brother Tom moved to Canada in May."], "А когда?", "Когда my brother Tom moved to Canada?"),  # noqa: RUF001
        (["My brother Tom moved to Canada in May.", "When was that?"], "And where?", "Where my brother Tom moved?"),
        (["Мой брат переехал в Канаду в мае."], "А когда это было?", "Когда мой брат переехал в Канаду?"),  # noqa: RUF001
        (["Мой брат переехал в Канаду в мае."], "А куда именно?", "Куда мой брат переехал в мае?"),  # noqa: RUF001
        (["Mein Bruder ist im Mai nach Kanada gezogen."], "Wann war das?", "Wann mein Bruder ist nach Kanada gezogen?"),
        (["Mein Bruder ist im Mai nach Kanada gezogen."], "Und wohin genau?", "Wohin mein Bruder ist im Mai gezogen?"),
        (["My brother Tom moved to Canada in May."], "When is my dentist appointment?", ""),
        (["My brother Tom moved to Canada in May."], "Why?", ""),
        (["My brother Tom moved to Canada in May."], "What time is it?", ""),
        (["Hello!"], "When was that?", ""),
    ],
)  # fmt: skip
def test_a_bare_question_after_a_statement_asks_about_that(
    said: list[str], message: str, whole: str
) -> None:
    assert completed(message, [(one, "Noted.") for one in said]) == whole


@pytest.mark.parametrize(
    ("told", "asks", "quote"),
    [
        ("My brother Tom moved to Canada in May.", ["When was that?", "And where exactly?"], "You told me on"),
        ("Мой брат переехал в Канаду в мае.", ["А когда?", "А куда?"], "Твои слова,"),  # noqa: RUF001
        ("Mein Bruder ist im Mai nach Kanada gezogen.", ["Wann war das?", "Und wohin?"], "Du hast mir am"),
    ],
)  # fmt: skip
def test_what_was_just_told_answers_a_bare_question(
    life: Life, told: str, asks: list[str], quote: str
) -> None:
    life.listen(STUPID, small=True)
    life.tell("The heating was repaired in June.", "My sister lives in Lisbon.")
    life.say(told)
    for message in asks:
        answer = life.say(message).text
        assert answer.startswith(quote)
        assert told in answer
