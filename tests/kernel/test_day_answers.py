"""Days ahead and back are reckoned by code: no model is asked what date it is in ten days."""

from __future__ import annotations

from datetime import date
from typing import TYPE_CHECKING

import pytest

from lumen.kernel.language.dates import day_named

if TYPE_CHECKING:
    from tests.kernel.conftest import Life

TODAY = date(2026, 11, 15)  # a Sunday


@pytest.mark.parametrize(
    ("asked", "answer"),
    [
        ("What is the 29th of February 2027?", "There is no such day: that month has only 28 days."),
        ("What day is 29 February 2027?", "There is no such day: that month has only 28 days."),
        ("How many days until 31 April?", "There is no such day: that month has only 30 days."),
        ("When is the 30th of February?", "There is no such day: that month has only 29 days."),
        ("Какой день недели 29 февраля 2027 года?", "Такого дня нет: в этом месяце дней только 28."),
        ("What is the 28th of February 2027?", "That is Sunday 28 February 2027."),
    ],
)  # fmt: skip
def test_a_day_that_no_calendar_has_is_said_to_be_none(life: Life, asked: str, answer: str) -> None:
    life.listen("That is a Monday.", small=True)
    assert life.say(asked).text == answer


@pytest.mark.parametrize(
    ("asked", "answer"),
    [
        ("What date is it in 10 days?", "That is Wednesday 25 November 2026."),
        ("what will the date be in two weeks", "That is Sunday 29 November 2026."),
        ("What day is tomorrow?", "That is Monday 16 November 2026."),
        ("What's tomorrow's date?", "That is Monday 16 November 2026."),
        ("What day of the week was it 10 days ago?", "That is Thursday 5 November 2026."),
        ("What day of the week is 1 January 2027?", "That is Friday 1 January 2027."),
        ("What date is Friday?", "That is Friday 20 November 2026."),
        ("What day was the 3rd of March?", "That is Tuesday 3 March 2026."),
        ("When is Christmas?", "That is Friday 25 December 2026."),
        ("How many days until Christmas?", "40 days until Friday 25 December 2026."),
        ("how many days are there until March 3rd", "108 days until Wednesday 3 March 2027."),
        ("How many days till tomorrow?", "A day until Monday 16 November 2026."),
        ("How many days since 1 November?", "14 days since Sunday 1 November 2026."),
        ("How many days until 15 November?", "That is today: Sunday 15 November 2026."),
        ("Какое число через 10 дней?", "Это среда, 25 ноября 2026 года."),
        ("Какое число будет через две недели?", "Это воскресенье, 29 ноября 2026 года."),
        ("Какой день недели был вчера?", "Это суббота, 14 ноября 2026 года."),
        ("Сколько дней до Нового года?", "47 дн.: пятница, 1 января 2027 года."),
        ("Сколько дней осталось до 8 марта?", "113 дн.: понедельник, 8 марта 2027 года."),
    ],
)
def test_a_day_ahead_or_back_is_reckoned(life: Life, asked: str, answer: str) -> None:
    life.listen("It is Monday 30 February.", small=True)
    answered = life.say(asked)

    assert (answered.text, answered.kind) == (answer, "kernel")


@pytest.mark.parametrize(
    "asked",
    [
        "How many days until my exam?",
        "What day is my exam in March?",
        "When is Anna's party on Friday?",
    ],
)
def test_a_day_of_the_authors_life_is_not_reckoned(life: Life, asked: str) -> None:
    life.listen("It is Monday.", small=True)

    assert life.say(asked).kind == "grounded"


@pytest.mark.parametrize(
    ("words", "today", "day"),
    [
        ("in a month", date(2026, 1, 31), date(2026, 2, 28)),
        ("in 3 months", date(2026, 11, 30), date(2027, 2, 28)),
        ("in 1 year", date(2028, 2, 29), date(2029, 2, 28)),
        ("29 february", date(2026, 11, 15), date(2028, 2, 29)),
        ("friday", date(2026, 11, 20), date(2026, 11, 27)),
        ("christmas eve", TODAY, date(2026, 12, 24)),
        ("30 february 2027", TODAY, None),
        ("in many days", TODAY, None),
        ("через месяц", TODAY, date(2026, 12, 15)),
        ("три года назад", TODAY, date(2023, 11, 15)),
    ],
)
def test_months_end_and_leap_years_are_minded(words: str, today: date, day: date | None) -> None:
    assert day_named(words, today) == day


def test_what_was_told_is_told_back_in_the_language_of_the_question(life: Life) -> None:
    life.listen("…", small=True)
    life.say("Я купил велосипед.")
    first, second = life.say("Что я говорил тебе сегодня?").text.splitlines()
    assert first.startswith("Сегодня ты говорил")
    assert second == "• воскресенье, 15 ноября: «Я купил велосипед.»"
    assert "марте 2026 года ты ничего" in life.say("Что я говорил тебе в марте?").text


def test_a_weekday_called_next_is_told_with_the_one_people_may_mean_too(life: Life) -> None:
    life.listen("…", small=True)
    assert life.say("What date is next Friday?").text == (
        "The coming one is Friday 20 November 2026, the one after that Friday 27 November 2026."
    )
