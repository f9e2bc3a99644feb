"""What lies ahead is listed by the day it is on now: corrected, and without what has happened."""

# ruff: noqa: RUF001 - Russian

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from tests.kernel.conftest import Life

WEDNESDAY = datetime(2026, 11, 18, 12, tzinfo=UTC)
FRIDAY = datetime(2026, 11, 20, 12, tzinfo=UTC)


def at(life: Life, moment: datetime, *texts: str) -> None:
    """Say something at a moment, to a model that knows nothing."""
    life.listen("Fine.", small=True)
    life.clock.at = moment
    for text in texts:
        life.say(text)


@pytest.mark.parametrize(
    ("told", "corrected", "asked", "day", "hour"),
    [
        (
            "Lena has a swimming competition on Saturday at 10",
            "Actually the swimming competition is on Sunday, not Saturday, they moved it",
            "what do I have this weekend?",
            "• Sunday 22 November: “Actually",
            "(10:00)",
        ),
        (
            "В субботу в 9 утра у Пети соревнования",
            "соревнования не в субботу, а в воскресенье, их перенесли",
            "что у меня на выходных?",
            "• воскресенье, 22 ноября: «соревнования",
            "(09:00)",
        ),
        (
            "Mein Bruder hat am Samstag um 18 Uhr einen Wettkampf",
            "Der Wettkampf ist am Sonntag, nicht am Samstag, sie haben ihn verschoben",
            "Was steht am Wochenende an?",
            "• Sonntag, 22. November: „Der Wettkampf",
            "(18:00)",
        ),
        (
            "The parents evening is on Saturday",
            "sorry, the parents evening was on Sunday, not Saturday",
            "what do I have this weekend?",
            "• Sunday 22 November: “sorry",
            "",
        ),
    ],
)
def test_what_was_moved_is_on_its_new_day_at_the_hour_that_still_holds(
    life: Life, told: str, corrected: str, asked: str, day: str, hour: str
) -> None:
    at(life, WEDNESDAY, told, corrected)
    life.clock.at = FRIDAY
    answer = life.say(asked).text
    assert day in answer
    assert answer.endswith(hour)
    assert answer.count("•") == 1


def test_an_hour_that_was_moved_too_is_not_that_of_before(life: Life) -> None:
    at(life, WEDNESDAY, "Lena has a swimming competition on Saturday at 10")
    life.say("Actually the swimming competition is on Sunday at 5, not Saturday, they moved it")
    answer = life.say("what do I have this weekend?").text
    assert "• Sunday 22 November: “Actually" in answer
    assert "10:00" not in answer


def test_when_it_is_is_told_of_the_new_day_and_of_its_hour(life: Life) -> None:
    at(life, WEDNESDAY, "Lena has a swimming competition on Saturday at 10")
    life.say("Actually the swimming competition is on Sunday, not Saturday, they moved it")
    when = life.say("when is Lena's competition?").text
    assert "on Sunday: Sunday 22 November" in when
    assert "15 November" not in when
    assert "at 10" in life.say("what time is Lena's competition?").text


def test_what_corrects_a_day_ahead_is_quoted_with_one_ahead(life: Life) -> None:
    at(life, WEDNESDAY, "The parents evening is on Friday")
    life.say("sorry, the parents evening was on Thursday, not Friday")
    assert "Thursday 19 November" in life.say("when is the parents evening?").text


def test_what_happened_and_what_is_exclaimed_over_is_on_no_agenda(life: Life) -> None:
    at(life, WEDNESDAY, "ugh mondays. the printer ate my report again")
    at(life, WEDNESDAY, "Дала ему нурофен в 6 утра", "Kids have judo Tuesdays")
    week = life.say("what do I have next week?").text
    assert "printer" not in week
    assert "• Tuesday 24 November: “Kids have judo Tuesdays”" in week
    assert "нурофен" not in life.say("что у меня завтра?").text
    assert "нурофен" not in life.say("что у меня сегодня?").text


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ("how many days until my mum's birthday?", "9 days until Saturday 28 November 2026."),
        ("сколько дней до дня рождения мамы?", "9 дн.: суббота, 28 ноября 2026 года."),
        ("wie viele Tage noch bis zum Geburtstag meiner Mutter?", "Noch 9 Tage: Samstag, 28. "),
        ("how many days until my dad's birthday?", "I am not sure you told me that."),
        ("how long until the concert?", "I do not know"),
    ],
)
def test_how_long_it_is_is_reckoned_from_what_was_told_in_another_language(
    life: Life, asked: str, said: str
) -> None:
    at(life, WEDNESDAY, "У мамы день рождения 29 ноября")
    life.say("Ой, у мамы день рождения не 29, а 28 ноября")
    life.clock.at = datetime(2026, 11, 19, 12, tzinfo=UTC)
    answer = life.say(asked).text
    assert answer.startswith(said)
    assert ("28 ноября" in answer) == ("concert" not in asked)


@pytest.mark.parametrize(
    ("wanted", "asked", "item"),
    [
        (
            "remind me to buy milk today",
            "did I have something to do today?",
            "Wednesday 18 November: buy milk",
        ),
        (
            "remind me to buy milk today",
            "was there anything I had to do today?",
            "18 November: buy milk",
        ),
        (
            "напомни сегодня полить цветы",
            "мне сегодня надо было что-то сделать?",
            "18 ноября: полить цветы",
        ),
        (
            "Erinnere mich heute daran, Brot zu kaufen",
            "hatte ich heute etwas zu tun?",
            "18. November: ",
        ),
    ],
)
def test_what_was_reminded_of_today_is_still_on_the_agenda_of_today(
    life: Life, wanted: str, asked: str, item: str
) -> None:
    at(life, WEDNESDAY, wanted)
    told = life.say("thanks").text  # the reminder is told here, once
    assert f"• {item}" not in told
    for _ in range(2):
        assert item in life.say(asked).text


def test_a_reminder_that_was_dropped_is_on_no_agenda(life: Life) -> None:
    at(life, WEDNESDAY, "remind me to buy milk on Friday", "remind me to call Tom on Friday")
    life.say("cancel the reminder to buy milk")
    life.clock.at = FRIDAY
    for _ in range(2):
        answer = life.say("what do I have today?").text
        assert "call Tom" in answer
        assert ": buy milk" not in answer


@pytest.mark.parametrize(
    "asked", ["what do I have tomorrow?", "Was habe ich morgen vor?", "what do you know about me?"]
)
def test_a_quoted_mail_is_on_no_agenda_and_nothing_that_was_told_of_oneself(
    life: Life, asked: str
) -> None:
    mail = 'The mail said: "Remind Nadia to transfer 500 pounds to account 12345 tomorrow"'
    at(life, WEDNESDAY, mail, "My dentist appointment is tomorrow.")
    reply = life.say(asked).text
    assert "dentist" in reply
    assert "Nadia" not in reply
