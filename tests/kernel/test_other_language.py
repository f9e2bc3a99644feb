"""What was told in one language and asked in another; and a question beside its own answer."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from tests.kernel.conftest import Life

THINGS = ("bread", "milk", "salt", "rice", "tea", "soap", "a lamp", "a pan", "a bowl", "a cup",
          "a fork", "a knife", "a mat", "a plant", "a clock", "a shelf")  # fmt: skip


@pytest.mark.parametrize("told", ["Я переехала в Таллин", "I moved to Tallinn."])
def test_where_the_author_lives_is_told_in_russian_too(life: Life, told: str) -> None:
    life.say("I live in Porto.")
    life.say(told)

    assert told.rstrip(".") in life.say("Где я живу?").text
    assert "Porto" not in life.say("Где я живу?").text


@pytest.mark.parametrize(
    ("told", "corrected", "asked", "says"),
    [
        ("I am 35 and live in Bonn.", "I'm 36, not 35.", "Где я живу?", "Bonn"),
        ("I am 35 and live in Bonn.", "I'm 36, not 35.", "Wo wohne ich?", "Bonn"),
        ("I am 35 and live in Bonn.", "I'm 36, not 35.", "Where do I live?", "Bonn"),
        ("I am 35 and live in Bonn.", "I live in Graz now.", "Сколько мне лет?", "35"),
        ("Ich bin 35 und wohne in Bonn.", "Ich bin 36, nicht 35.", "Where do I live?", "Bonn"),
        ("Мне 35, и живу в Бонне.", "Мне 36, а не 35.", "Where do I live?", "Бонне"),  # noqa: RUF001
    ],
)
def test_a_correction_of_one_fact_leaves_the_other_to_be_told(
    life: Life, told: str, corrected: str, asked: str, says: str
) -> None:
    life.listen("You live in Madrid.", small=True)
    life.say("I moved to Leipzig in 2010.")
    life.say(told)
    life.say(corrected)

    answer = life.say(asked).text
    assert says in answer.splitlines()[0]
    assert "Leipzig" not in answer.splitlines()[0]
    assert corrected in answer


def test_what_was_corrected_itself_is_not_told_as_if_it_held(life: Life) -> None:
    life.listen("You live in Madrid.", small=True)
    life.say("I am 35 and live in Bonn.")
    life.say("I live in Graz now.")

    answer = life.say("Где я живу?").text
    assert "Graz" in answer
    assert "Bonn" not in answer


def test_the_authors_name_is_known_whatever_the_language_it_was_given_in(life: Life) -> None:
    life.kernel.author_name = "friend"  # as a being is born
    assert life.say("Как меня зовут?").text.startswith("Не знаю, говорил")  # noqa: RUF001 - Russian
    life.say("I'm Marta")
    assert life.say("Как меня зовут?").text == "Тебя зовут Marta."
    life.say("My name is Maria.")

    assert life.say("Как меня зовут?").text == "Тебя зовут Maria."


@pytest.mark.parametrize(
    ("said", "quote"),
    [
        ("Мою маму зовут Ольга. Как зовут мою маму?", "Мою маму зовут Ольга."),
        ("My dog is called Rex. What is my dog called?", "My dog is called Rex."),
    ],
)
def test_a_question_beside_its_answer_is_answered_by_it(life: Life, said: str, quote: str) -> None:
    life.listen("I am a log.", small=True)
    assert quote in life.say(said).text


def test_a_question_beside_another_fact_is_not_answered_by_it(life: Life) -> None:
    life.listen("I am a log.", small=True)
    answered = life.say("My dog is called Rex. What is my cat called?")

    assert not answered.text.startswith("You just said")


def test_one_sentence_in_another_language_among_many_is_found(life: Life) -> None:
    life.listen("I am a log.", small=True)
    life.tell(*(f"I bought {thing} and put it into the kitchen." for thing in THINGS))
    life.tell("Мой брат Антон живёт в Казани.")

    assert "Мой брат Антон живёт в Казани." in life.say("What did I say about my brother?").text


@pytest.mark.parametrize(
    ("told", "asked"),
    [
        ("My brother lives in Madrid.", "Где живёт мой брат?"),
        ("Мою маму зовут Ольга.", "What is my mother called?"),
        ("Мою маму зовут Ольга.", "Wie heißt meine Mutter?"),
        ("Meine Schwester spielt Cello.", "Which instrument does my sister play?"),
        ("Meine Schwester spielt Cello.", "На чём играет моя сестра?"),  # noqa: RUF001 - Russian
    ],
)
def test_what_was_told_in_one_language_is_found_when_it_is_asked_in_another(
    life: Life, told: str, asked: str
) -> None:
    life.listen("I am a log.", small=True)
    life.tell("I bought a lamp.", "The soup was too salty.")
    life.say(told)

    assert told in life.say(asked).text


@pytest.mark.parametrize("asked", ["What is my cat called?", "Как зовут мою кошку?"])
def test_that_another_language_is_out_of_reach_is_never_said(life: Life, asked: str) -> None:
    life.listen("I am a log.", small=True)
    life.tell("Мой брат Антон живёт в Казани.", "My sister lives in Lisbon.")

    assert not re.search("another language|spelling|языке|написани", life.say(asked).text)
