"""A weekday or an hour lies before or ahead by the tense of the clause it stands in."""

# ruff: noqa: RUF001 - Russian

from __future__ import annotations

from datetime import date, datetime, timedelta
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest

from lumen.kernel.language.dating import days_meant, told_ahead, told_day, told_hour
from lumen.kernel.language.times.resolve import times

TABLE = Path(__file__).with_name("tenses.txt")
WEDNESDAY = datetime(2026, 11, 18, 14, 30, tzinfo=ZoneInfo("Europe/Berlin"))
FIRST, AFTER = date(2026, 11, 18), date(2026, 12, 19)


def rows() -> list[tuple[str, str]]:
    """The table, a row a sentence."""
    lines = TABLE.read_text("utf-8").splitlines()
    told = (line.rpartition(" | ") for line in lines if not line.startswith("#"))
    return [(text, days) for text, _, days in told]


@pytest.mark.parametrize(("text", "days"), rows(), ids=lambda one: f"{one}"[:60])
def test_a_day_lies_where_the_verb_of_its_own_clause_puts_it(text: str, days: str) -> None:
    assert " ".join(f"{t.start:%m-%d}" for t in times(text, WEDNESDAY)) == days


@pytest.mark.parametrize(
    ("text", "day"),
    [
        ("The competition is on Sunday, not on Saturday", "11-22"),
        ("It is not on Saturday but on Sunday", "11-22"),
        ("We meet on Sunday instead of Saturday", "11-22"),
        ("I'd rather Friday than Saturday", "11-20"),
        ("Lunch isn't on Friday", "-"),
        ("The shop does not open until Friday", "11-20"),
        ("День рождения не 29 ноября, а 28 ноября", "11-28"),
        ("Встреча в пятницу вместо четверга", "11-20"),
        ("Das Fest ist nicht am Samstag, sondern am Sonntag", "11-22"),
        ("Wir treffen uns am Freitag statt am Samstag", "11-20"),
    ],
)
def test_what_a_sentence_takes_back_is_no_day_of_it(text: str, day: str) -> None:
    found = told_day(text, WEDNESDAY, FIRST, AFTER)
    assert (f"{found:%m-%d}" if found else "-") == day


@pytest.mark.parametrize(
    "text",
    [
        "ugh mondays. the printer ate my report again",
        "I hate mondays",
        "Mondays are the worst!",
        "ugh, monday again",
        "ох, опять понедельник",
        "Ненавижу понедельник",
        "Schon wieder Montag!",
        "Ich hasse Montag",
        "I gave him ibuprofen at 6am",
        "I saw Ana today",
        "Дала ему нурофен в 6 утра",
        "Сегодня я был у врача",
        "Heute war ich beim Arzt",
    ],
)
def test_what_has_happened_or_is_only_exclaimed_over_is_nothing_ahead(text: str) -> None:
    assert told_day(text, WEDNESDAY, FIRST, AFTER) is None


@pytest.mark.parametrize(
    ("text", "day"),
    [
        ("yoga mondays and thursdays at 7", "11-23"),
        ("Kids have judo Tuesdays", "11-24"),
        ("Mondays are for choir", "11-23"),
        ("I have the dentist today at 5pm", "11-18"),
        ("По вторникам у Пети шахматы", "11-24"),
        ("Montags gehe ich schwimmen", "11-23"),
    ],
)
def test_what_comes_every_week_and_what_is_ahead_today_is_told(text: str, day: str) -> None:
    assert f"{told_day(text, WEDNESDAY, FIRST, AFTER):%m-%d}" == day


def test_an_hour_that_was_is_the_last_one_before_now() -> None:
    (morning,) = times("I woke up at 6", WEDNESDAY)
    evening = WEDNESDAY + timedelta(hours=6)
    (later,) = times("I got home at 6", evening)
    assert (morning.start.hour, later.start.hour) == (6, 18)
    assert morning.start.date() == later.start.date() == FIRST


def test_what_corrects_a_day_ahead_is_ahead() -> None:
    old, new = "The recital is on Friday.", "Sorry, it was Thursday."
    assert told_ahead(old, WEDNESDAY, WEDNESDAY)
    assert told_day(new, WEDNESDAY, FIRST, AFTER) is None
    assert told_day(new, WEDNESDAY, FIRST, AFTER, "future") == date(2026, 11, 19)
    assert "19 November" in days_meant("It was Thursday.", WEDNESDAY, FIRST, "en", "future")
    assert told_hour("The recital is on Friday at 10.", WEDNESDAY) == "10:00"
    assert not any(told_hour(t, WEDNESDAY) for t in (old, "On Friday at 5.", "At 10 and at 11."))
