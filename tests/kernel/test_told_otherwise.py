"""What is over is not told as current, nothing unrelated is offered, and both halves of a message are answered."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from tests.kernel.conftest import Life


@pytest.fixture
def small(life: Life) -> Life:
    life.listen("You were born in Madrid.", small=True)
    return life


@pytest.mark.parametrize(
    ("told", "gone", "asked", "says"),
    [
        (
            "We have a Skoda.",
            "We don't have the Skoda any more.",
            "What car do I have?",
            "you told me that it is gone: “{}”",
        ),
        (
            "My car is a blue Skoda.",
            "I sold the Skoda.",
            "What car do I have?",
            "you told me that it is gone: “{}”",
        ),
        (
            "У меня машина Шкода.",  # noqa: RUF001 - Russian
            "Я продал Шкоду.",
            "Какая у меня машина?",  # noqa: RUF001 - Russian
            "что этого больше нет: «{}»",
        ),
        (
            "Mein Auto ist ein Skoda.",
            "Ich habe den Skoda verkauft.",
            "Was für ein Auto habe ich?",
            "dass es das nicht mehr gibt: „{}“",
        ),
    ],
)
def test_what_is_gone_is_told_with_the_sentence_that_says_so(
    small: Life, told: str, gone: str, asked: str, says: str
) -> None:
    first, then = small.tell(told, gone)
    answered = small.say(asked)

    assert told in answered.text
    assert says.format(gone) in answered.text
    assert answered.text.count(gone) == 1
    assert answered.sources == (first, then)


def test_a_thing_that_is_gone_says_nothing_of_whose_it_was_or_where(small: Life) -> None:
    small.tell(
        "My sister lives in Porto.", "I sold my sister's bike.", "I sold the house in Porto."
    )

    assert "gone" not in small.say("Where does my sister live?").text


@pytest.mark.parametrize(
    ("told", "asked", "untold"),
    [
        ("У меня синяя машина.", "Какой мой любимый цвет?", "у себя я этого не нахожу"),  # noqa: RUF001
        ("I have a blue car.", "What is my favourite colour?", "You have not told me that."),
        ("Ich habe ein blaues Auto.", "Was ist meine Lieblingsfarbe?", "nicht gesagt"),
    ],
)
def test_a_favourite_never_told_is_not_guessed_from_what_something_is_like(
    small: Life, told: str, asked: str, untold: str
) -> None:
    small.tell(told)
    answered = small.say(asked)

    assert untold in answered.text
    assert told not in answered.text


@pytest.mark.parametrize(
    ("told", "asked"),
    [
        ("My favourite colour is teal.", "What is my favourite colour?"),
        ("Больше всего я люблю синий цвет.", "Какой мой любимый цвет?"),
        ("Meine Lieblingsfarbe ist Blau.", "Was ist meine Lieblingsfarbe?"),
    ],
)
def test_a_favourite_that_was_told_is_found(small: Life, told: str, asked: str) -> None:
    small.tell(told)

    assert told in small.say(asked).text


@pytest.mark.parametrize(
    ("asked", "value"),
    [
        ("What is 12 euros 50 times 3?", "= 37.50 euros"),
        ("What is 12,50 € times 3?", "= 37.50 €"),
        ("Was ist 12 Euro 50 mal 3?", "= 37.50 Euro"),
        ("Сколько будет 12 рублей 50 копеек умножить на 3?", "= 37.50 рублей"),
        ("What is 12 euros times 3?", "= 36 euros"),
    ],
)
def test_money_is_reckoned_as_people_say_it(small: Life, asked: str, value: str) -> None:
    assert small.say(asked).text.endswith(value)


@pytest.mark.parametrize(
    ("said", "reply"),
    [
        ("Thanks, you're a star. Good night!", "You are welcome. Good night, Ada."),
        ("Danke, du bist ein Schatz. Gute Nacht!", "Gern geschehen. Gute Nacht, Ada."),
        ("Спасибо, ты чудо. Спокойной ночи!", "Пожалуйста. Спокойной ночи, Ada."),
    ],
)
def test_thanks_and_a_farewell_are_answered_as_both_and_tell_nothing(
    small: Life, said: str, reply: str
) -> None:
    assert small.say(said).text == reply
    assert "told me nothing about yourself" in small.say("What do you know about me?").text


@pytest.mark.parametrize(
    ("told", "asked", "value"),
    [
        (
            "My sister lives in Porto.",
            "What is 7 times 8, and where does my sister live?",
            "7 times 8 = 56",
        ),
        ("My sister lives in Porto.", "Where does my sister live? And what is 7*8?", "7*8 = 56"),
        (
            "Meine Schwester wohnt in Porto.",
            "Was ist 7 mal 8, und wo wohnt meine Schwester?",
            "7 mal 8 = 56",
        ),
        (
            "Моя сестра живёт в Порту.",
            "Сколько будет 7 умножить на 8, и где живёт моя сестра?",
            "7 умножить на 8 = 56",
        ),
    ],
)
def test_a_sum_beside_another_question_leaves_both_answered(
    small: Life, told: str, asked: str, value: str
) -> None:
    (seq,) = small.tell(told)
    answered = small.say(asked)

    assert answered.text.startswith(f"{value}\n")
    assert told in answered.text
    assert answered.sources == (seq,)


def test_where_somebody_moved_tells_where_they_live_and_nothing_of_others(small: Life) -> None:
    told = "My brother Tom moved to Canada in May."
    small.say(told)
    assert small.say("Where does Tom live?").text.startswith("You told me on")
    assert not small.say("Where does Anna live?").text.startswith("You told me on")
