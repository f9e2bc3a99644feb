"""Grief, worry, joy and thanks are answered as what they are; a plain fact is noted."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from lumen.kernel.choice.small_models import addresses
from lumen.kernel.language.feelings import feeling_told

if TYPE_CHECKING:
    from tests.kernel.conftest import Life


@pytest.mark.parametrize(
    ("said", "start"),
    [
        ("Мне кажется, я никому не нужен.", "Мне жаль."),
        ("Я никому не нужна", "Мне жаль."),
        ("Никто меня не любит", "Мне жаль."),
        ("Спасибо, что выслушал", "Пожалуйста."),
        ("Спасибо, что ты есть", "Пожалуйста."),
        ("Спасибо тебе за то, что выслушала меня.", "Пожалуйста."),
        ("Я очень рад, у нас родился сын!", "Как хорошо это слышать!"),  # noqa: RUF001 - Russian
        ("У нас родилась дочка!", "Как хорошо это слышать!"),  # noqa: RUF001 - Russian
        ("Я так счастлива!", "Как хорошо это слышать!"),
        ("Меня взяли на работу!", "Как хорошо это слышать!"),
        ("Я наконец сдала экзамен!", "Как хорошо это слышать!"),
        ("Ура, каникулы!", "Как хорошо это слышать!"),  # noqa: RUF001 - Russian
        ("У меня завтра экзамен, я волнуюсь", "Слышу, что тебя это тревожит."),  # noqa: RUF001 - Russian
        ("Я очень переживаю за маму.", "Слышу, что тебя это тревожит."),
        ("Не знаю, как сказать детям.", "Мне жаль."),  # noqa: RUF001 - Russian
        ("I don't know how to tell the kids.", "I am sorry."),
        ("I don't know how to tell my mother about it.", "I am sorry."),
        ("I have no idea how I'll tell them.", "I am sorry."),
        ("I miss her so much.", "I am sorry."),
        ("I can't believe he's gone.", "I am sorry."),
        ("Nobody loves me.", "I am sorry."),
        ("I had a row with Tom yesterday, and I feel rotten.", "I am sorry."),
        ("We had another huge argument.", "I am sorry."),
        ("I’m feeling really drained.", "I am sorry."),
        ("I slept maybe four hours, Jonah has a fever again", "That sounds hard."),
        ("I couldn't sleep.", "That sounds hard."),
        ("Jonah's got a fever.", "That sounds hard."),
        ("I'm so happy, I got the promotion!", "That is good to hear."),
        ("I'm so happy", "That is good to hear."),
        ("I’m over the moon.", "That is good to hear."),
        ("I passed my driving test!", "That is good to hear."),
        ("She said yes!", "That is good to hear."),
        ("I'm a bit nervous about tomorrow.", "I hear that this worries you."),
        ("I am worried about my mother.", "I hear that this worries you."),
    ],
)
def test_what_moves_the_author_is_not_merely_noted(life: Life, said: str, start: str) -> None:
    life.listen("Well.", small=True)

    assert life.say(said).text.startswith(start)


@pytest.mark.parametrize(
    "said",
    [
        "Мой сын родился в 2015 году.",
        "Я родился в Казани.",
        "У нас родился сын Миша в 2015 году.",  # noqa: RUF001 - Russian
        "Я не волнуюсь.",
        "Я не рад этому.",
        "Я был бы рад поехать.",
        "Я боюсь пауков.",
        "Этот стол никому не нужен.",
        "Я никому не сказал про подарок.",
        "I don't know how to tell the time.",
        "I don't know how to tell you this in German.",
        "I don't know how to cook rice.",
        "I don't know how to tell my boss about the invoice.",
        "I miss the bus every day.",
        "Nobody needs a second printer.",
        "We had a row of seats for ourselves.",
        "I slept in a tent for four hours.",
        "The yellow fever jab is on Monday.",
        "I have a flu shot on Monday.",
        "The oven has a temperature of 200 degrees.",
        "I am very happy with my bank.",
        "I'm not so happy about the kitchen.",
        "I would be so happy to see Rome.",
        "I passed my driving test in 1999.",
        "I got the job at the bakery.",
        "I am afraid of spiders.",
        "I'm not worried about the exam.",
        "My brother is nervous about the exam.",
        "Меня взяли на работу в банк.",
        "Я поступила в институт в 1999 году.",
        "Радуга была красивая.",
        "Мама рада новой работе.",
        "Что выслушал суд, неизвестно.",
        "У меня завтра экзамен.",  # noqa: RUF001 - Russian
        "Спасибо, что купил хлеб и молоко",
        "Брат волнуется за экзамен.",
    ],
)
def test_a_plain_fact_is_noted(life: Life, said: str) -> None:
    life.listen("Well.", small=True)

    assert life.say(said).text.startswith(("Noted", "Записано"))


@pytest.mark.parametrize(
    ("said", "reply"),
    [
        ("hello", "Hello, Iris! It is good to hear from you."),
        ("hello", "Hello Iris."),
        ("ok", "All right, Iris."),
        ("Good night!", "Good night, Iris. Talk to you soon."),
    ],
)
def test_no_model_calls_the_author_by_the_beings_own_name(
    life: Life, said: str, reply: str
) -> None:
    for small in (True, False):
        life.listen(reply, small=small)

        assert "Iris" not in life.say(said).text


def test_only_who_is_spoken_to_is_addressed() -> None:
    assert addresses("Hello, Iris!", "Iris")
    assert not addresses("I am Iris.", "Iris")
    assert not addresses("You asked Iris about it.", "Iris")
    assert not addresses("Hello, Ada!", "Iris")
    assert not addresses("Hello!", "")


@pytest.mark.parametrize(
    ("said", "mood"),
    [
        ("Ich bin müde.", "strain"),
        ("Ich bin heute echt erschöpft", "strain"),
        ("Ich bin wütend!", "strain"),
        ("Ich bin glücklich.", "joy"),
        ("Ich freue mich!", "joy"),
        ("Mir geht es heute gut.", "joy"),
        ("I'm tired.", "strain"),
        ("I feel a bit sick today", "strain"),
        ("I'm angry.", "strain"),
        ("I am happy.", "joy"),
        ("I feel great today!", "joy"),
        ("Я устала", "strain"),
        ("Устал.", "strain"),
        ("Я сегодня не выспался.", "strain"),
        ("Мне сегодня хорошо!", "joy"),
        ("У меня отличное настроение", "joy"),  # noqa: RUF001 - Russian
        ("I'm not tired.", ""),
        ("Ich bin nicht müde.", ""),
        ("Я не устала.", ""),
        ("I'm tired of the old sofa.", ""),
        ("Ich bin krank geschrieben worden.", ""),
        ("Мне хорошо видно море.", ""),
        ("Tom is happy.", ""),
    ],
)
def test_a_feeling_that_is_plainly_said_is_known_for_one(said: str, mood: str) -> None:
    assert feeling_told(said) == mood


def test_exhaustion_is_met_with_sympathy() -> None:
    assert feeling_told("I'm exhausted") == "sorrow"
    assert not feeling_told("The battery is exhausted.")
