"""About itself code answers: from the settings, the ledger, the self and its evidence."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from tests.kernel.living import give, reflect

if TYPE_CHECKING:
    from tests.kernel.conftest import Life

STUPID = "I am a log, a log, a log."


@pytest.fixture
def small(life: Life) -> Life:
    life.listen(STUPID, small=True)
    return life


@pytest.mark.parametrize(
    ("asked", "answer"),
    [
        ("What can you do?", "I keep what you tell me, word for word, and answer from it"),
        ("Can you forget things if I ask?", "Only you can make me forget: /forget"),
        (
            "What model are you?",
            "The model that phrases my words is listener/ear, on this machine.",
        ),
        ("Which model do you use?", "The model that phrases my words is listener/ear, on this"),
        ("Did anything leave this machine?", "My ledger has no call to a model elsewhere"),
        ("Has anything ever left my computer?", "My ledger has no call to a model elsewhere"),
        ("Why do you value honesty?", "I hold nothing dear yet"),
        ("Что ты умеешь?", "Я храню то, что ты мне говоришь"),
        ("Ты можешь забыть что-то, если я попрошу?", "Заставить меня забыть можешь только ты"),
        ("Какая ты модель?", "Мои слова складывает модель listener/ear"),
        ("Ты отправляешь мои данные в интернет?", "В моём журнале нет ни одного вызова"),  # noqa: RUF001 - Russian
        ("Почему ты ценишь честность?", "Пока мне ничто особенно не дорого"),
    ],
)
def test_what_is_asked_about_the_being_is_answered_from_what_is_so(
    small: Life, asked: str, answer: str
) -> None:
    small.tell("I forget things. My machine is old and I value honesty.")
    answered = small.say(asked)

    assert answered.text.startswith(answer)
    assert answered.kind == "kernel"


def test_the_skills_it_names_are_those_it_has(small: Life) -> None:
    assert small.say("What can you do?").text.endswith("My skills: calc, note, search, write_file.")


def test_a_small_model_is_said_to_be_one_and_a_larger_is_not(life: Life) -> None:
    life.listen(STUPID, small=True)
    assert "It is a small one" in life.say("What model are you?").text
    life.listen(STUPID)
    assert life.say("What model are you?").text.endswith("on this machine.")


def test_what_was_sent_to_a_model_elsewhere_is_counted_and_dated(life: Life) -> None:
    life.listen("It is a fine day.").local = False
    life.say("What makes the sky blue?")

    assert life.say("Did anything leave this machine?").text.startswith(
        "Yes. Calls to models that are not on this machine: 1, "
        "the last on Sunday 15 November to listener/ear."
    )


def test_a_value_is_told_with_its_date_and_one_it_does_not_hold_is_not_claimed(
    small: Life,
) -> None:
    give(small, {"honesty": 0.5}, [])

    assert small.say("Why do you value honesty?").text == (
        "honesty (0.50), since Sunday 15 November. "
        "It was written there by hand, and no reason with it."
    )
    assert small.say("Why do you value money?").text == (
        "By that name I hold nothing dear. What I hold dear: honesty."
    )


def test_a_value_that_grew_is_told_with_what_it_grew_from(small: Life) -> None:
    small.tell("My sister lives in Lisbon.")
    answers = [small.say("Where does my sister live?").event for _ in range(5)]
    reflect(small)
    answered = small.say("Why do you value honesty?")

    assert answered.text == (
        "honesty (0.50), since Sunday 15 November, "
        "because I answered in words that were told to me 5 times."
    )
    assert list(answered.sources) == answers
