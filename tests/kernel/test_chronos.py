"""Relative words of time as days: in the trace of a message, and beside what is quoted later."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING
from zoneinfo import ZoneInfo

import pytest

from lumen.kernel.language.dating import dated, days_meant, undated

if TYPE_CHECKING:
    from tests.kernel.conftest import Life

TABLE = Path(__file__).with_name("chronos.txt")
BERLIN = ZoneInfo("Europe/Berlin")
SUNDAY = datetime(2026, 11, 15, 12, tzinfo=BERLIN)
EVASIVE = "That is a question for another day."


def rows() -> list[tuple[str, datetime, str, str, str]]:
    """The table, a row a sentence, with the moment it is said at."""
    found, now = [], SUNDAY
    for line in TABLE.read_text("utf-8").splitlines():
        if line.startswith("@ "):
            _, moment, zone = line.split()
            now = datetime.fromisoformat(moment).replace(tzinfo=ZoneInfo(zone))
        elif line and not line.startswith("#"):
            text, start, end, marker = (part.strip() for part in line.split("|"))
            found.append((text, now, start, end, marker))
    return found


@pytest.mark.parametrize(
    ("text", "now", "start", "end", "marker"), rows(), ids=lambda one: f"{one}"[:60]
)
def test_words_of_time_are_days_on_the_timeline_as_the_table_says(
    text: str, now: datetime, start: str, end: str, marker: str
) -> None:
    days = [(d.start, d.end, d.marker) for d in dated(text, now)]
    sides = [("-", "-", u.marker) for u in undated(text, now)]
    assert [*days, *sides] == [(start, end, marker)]


def test_the_table_has_a_hundred_and_twenty_rows_in_two_languages() -> None:
    texts = [row[0] for row in rows()]
    assert len(texts) >= 120
    assert sum(text.isascii() for text in texts) <= len(texts) - 40


def test_what_belongs_to_a_day_is_not_told_without_it() -> None:
    said = "I was there a while ago, on 4 May 2020."
    assert [u.words for u in undated(said, SUNDAY)] == ["a while ago"]
    assert undated("I was ill a week ago.", SUNDAY) == ()


@pytest.mark.parametrize(
    ("text", "days"),
    [
        ("My exam is tomorrow.", "(tomorrow: Monday 16 November)"),
        ("I saw Ana yesterday and leave in three days.", "both"),
        ("The party is next week.", "(next week: from Monday 16 November to Sunday 22 November)"),
        ("My exam is today.", ""),
        ("My exam is on 14 March.", ""),
        ("I swim every Tuesday.", ""),
        ("He comes in a few days.", ""),
        ("Nothing of the kind.", ""),
    ],
)
def test_relative_words_mean_days_and_others_need_none(text: str, days: str) -> None:
    found = days_meant(text, SUNDAY, SUNDAY.date(), "en")
    if days == "both":
        days = "(yesterday: Saturday 14 November; in three days: Wednesday 18 November)"
    assert found == days


def test_a_day_of_another_year_has_its_year_and_other_languages_their_words() -> None:
    later = SUNDAY.date() + timedelta(days=400)
    assert days_meant("My exam is tomorrow.", SUNDAY, later, "en").endswith("16 November 2026)")
    assert days_meant("Экзамен завтра.", SUNDAY, SUNDAY.date(), "ru").startswith("(завтра: ")
    assert "16" in days_meant("Die Prüfung ist morgen.", SUNDAY, SUNDAY.date(), "de")


def test_days_are_those_of_the_authors_zone() -> None:
    late = datetime(2026, 11, 15, 23, 30, tzinfo=UTC)
    (here,), (there,) = (
        dated("See you tomorrow.", late.astimezone(zone)) for zone in (BERLIN, ZoneInfo("UTC"))
    )
    assert (here.start, there.start) == ("2026-11-17", "2026-11-16")
    assert (here.end, here.grain, here.marker) == ("2026-11-18", "day", "future")


def test_the_days_of_a_message_are_in_its_trace_with_their_place_on_the_timeline(
    life: Life,
) -> None:
    life.say("I saw Ana yesterday, and today I leave; the exam is tomorrow.")
    found = life.step("chronos_mesh")
    assert [(d["words"], d["start"], d["marker"]) for d in found["wrote"]["dates"]] == [
        ("yesterday", "2026-11-14", "past"),
        ("today", "2026-11-15", "present"),
        ("tomorrow", "2026-11-16", "future"),
    ]
    assert found["quotes"] == ["dates.words"]


def test_what_was_told_of_tomorrow_is_quoted_later_with_its_day(life: Life) -> None:
    life.script({"when": ".", "say": EVASIVE})
    life.tell("My exam is tomorrow.", "My choir sings in Porto.")
    life.clock.at += timedelta(days=3)
    assert life.say("When is my exam?").text == (
        "You told me on Sunday 15 November: “My exam is tomorrow.” (tomorrow: Monday 16 November)"
    )
    assert "(" not in life.say("Where does my choir sing?").text
