"""Which time a question names, on a calendar, and whether it asks to look back over it."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lumen.kernel.language.spans import asks_what_happened, span_of

BERLIN = ZoneInfo("Europe/Berlin")
WEDNESDAY = datetime(2026, 11, 18, 14, 30, tzinfo=BERLIN)
LOOKS_BACK = [
    "what did I tell you today?",
    "what have we talked about this week",
    "what happened last month",
    "summarise this year",
    "Sum up 2025.",
    "what do you remember of 2025?",
    "how was my year?",
    "How has my week been?",
    "how did my week go?",
    "So how was 2025?",
    "What did I say yesterday?",
    "Iris, what did I tell you last night?",
    "Hey Iris, what did I tell you today?",
    "What did I tell you today, Iris?",
    "Hi! What have I told you since Monday?",
    "what did we discuss on Monday?",
    "What did I tell you on November 15th, 2025?",
    "What have I been up to the last three days?",
    "what happened to me over the past month?",
    "Recap the past year",
    "give me a summary of October 2025",
    "my year in review",
    "2025 in review",
    "tell me about last week",
    "can you look back on last year for me?",
    "remind me what I told you this morning",
    "did I tell you anything today?",
    "what was last week like?",
    "what have I said since the start of the year?",
    "everything I’ve told you in 2024",
    "Yesterday was awful. What did I tell you last week?",
]
NAMES_A_TIME = [
    "what am I doing today?",
    "when did I move last year?",
    "what did I tell you about my sister yesterday?",
    "how are you today?",
    "how is it going this week?",
    "what day is it today?",
    "what did I eat yesterday?",
    "what do we do today?",
    "what did you say yesterday?",
    "what's the weather today?",
    "Where was I in 2019?",
    "how old was I in 2020?",
    "who came to dinner last week?",
    "remind me to call mum today",
    "tell me a joke about last year",
    "My week in Rome, the one I told you about today, was dull.",
]
NAMES_NONE = [
    "",
    "what happened?",
    "Summarise this article for me",
    "I live in flat 2025",
    "this may be wrong",
    "what did I say on 31 February?",
    "what did I say on 2026-13-01?",
    "what about next week?",
    "tell me about marvellous people",
    "what happened 0 days ago?",
    "what did I say a few days ago?",
    "what did I say an hour ago?",
    "what happened until Friday?",
    "what happened long days ago?",
    "what did I do in the last 0 days?",
]
SPANS = [
    ("today", "today", date(2026, 11, 18), 1),
    ("this morning", "today", date(2026, 11, 18), 1),
    ("this evening", "today", date(2026, 11, 18), 1),
    ("yesterday", "yesterday", date(2026, 11, 17), 1),
    ("last night", "yesterday", date(2026, 11, 17), 1),
    ("the day before yesterday", "2 days ago", date(2026, 11, 16), 1),
    ("this week", "this week", date(2026, 11, 16), 7),
    ("last week", "last week", date(2026, 11, 9), 7),
    ("two weeks ago", "2 weeks ago", date(2026, 11, 2), 7),
    ("this weekend", "this weekend", date(2026, 11, 21), 2),
    ("at the weekend", "last weekend", date(2026, 11, 14), 2),
    ("this month", "this month", date(2026, 11, 1), 30),
    ("last month", "last month", date(2026, 10, 1), 31),
    ("11 months ago", "11 months ago", date(2025, 12, 1), 31),
    ("this year", "this year", date(2026, 1, 1), 365),
    ("last year", "last year", date(2025, 1, 1), 365),
    ("2 years ago", "2 years ago", date(2024, 1, 1), 366),
    ("in the last 3 days", "in the last 3 days", date(2026, 11, 16), 3),
    ("over the past few days", "in the last 3 days", date(2026, 11, 16), 3),
    ("the last couple of weeks", "in the last 2 weeks", date(2026, 11, 5), 14),
    ("the past week", "in the past week", date(2026, 11, 12), 7),
    ("in the past month", "in the past month", date(2026, 10, 19), 31),
    ("the last nine months", "in the last 9 months", date(2026, 2, 19), 273),
    ("in October", "in October 2026", date(2026, 10, 1), 31),
    ("in Sept", "in September 2026", date(2026, 9, 1), 30),
    ("in december", "in December 2025", date(2025, 12, 1), 31),
    ("last May", "in May 2026", date(2026, 5, 1), 31),
    ("in November", "in November 2026", date(2026, 11, 1), 30),
    ("in October 2024", "in October 2024", date(2024, 10, 1), 31),
    ("October of 2024", "in October 2024", date(2024, 10, 1), 31),
    ("in 2025", "in 2025", date(2025, 1, 1), 365),
    ("on 15 November", "on 15 November", date(2026, 11, 15), 1),
    ("on the 3rd of December", "on 3 December 2025", date(2025, 12, 3), 1),
    ("on November 15th, 2025", "on 15 November 2025", date(2025, 11, 15), 1),
    ("on 29 February", "on 29 February 2024", date(2024, 2, 29), 1),
    ("on 2026-10-03", "on 3 October", date(2026, 10, 3), 1),
    ("last summer", "in the summer of 2026", date(2026, 6, 1), 92),
    ("between 3 and 5 March", "from 3 March to 5 March", date(2026, 3, 3), 3),
    ("from Monday to Wednesday", "from 16 November to 18 November", date(2026, 11, 16), 3),
    ("on the 3rd", "on 3 November", date(2026, 11, 3), 1),
    ("on Monday", "on Monday", date(2026, 11, 16), 1),
    ("on Wednesday", "on Wednesday", date(2026, 11, 18), 1),
    ("last Thursday", "on Thursday", date(2026, 11, 12), 1),
    ("since Monday", "since Monday", date(2026, 11, 16), 3),
    ("since yesterday", "since yesterday", date(2026, 11, 17), 2),
    ("since last week", "since last week", date(2026, 11, 9), 10),
    ("since October 2025", "since October 2025", date(2025, 10, 1), 414),
    ("since last October", "since October 2026", date(2026, 10, 1), 49),
    ("since the start of the year", "this year", date(2026, 1, 1), 365),
]

OTHER_LANGUAGES = [
    [part.strip() for part in line.split("|")]
    for line in Path(__file__).with_name("looking_back.txt").read_text("utf-8").splitlines()
    if not line.startswith("#")
]


@pytest.mark.parametrize("row", OTHER_LANGUAGES, ids=lambda row: row[0])
def test_one_may_look_back_in_russian_and_german(row: list[str]) -> None:
    question, *expected = row
    assert asks_what_happened(question) == bool(expected)
    if expected:
        span = span_of(question, WEDNESDAY)
        assert span is not None
        days = (span.end.date() - span.start.date()).days
        assert [span.label, f"{span.start:%Y-%m-%d}", str(days)] == expected


@pytest.mark.parametrize(("said", "label", "first", "days"), SPANS)
def test_words_for_a_time_become_days_and_a_label(
    said: str, label: str, first: date, days: int
) -> None:
    for question in (f"What did I tell you {said}?", f"  what HAPPENED\n {said.upper()} again?"):
        span = span_of(question, WEDNESDAY)
        assert span is not None
        assert (span.label, span.start.date()) == (label, first)
        assert span.end - span.start == timedelta(days=days)
        assert span.start.utcoffset() is not None
        assert (span.start.hour, span.end.hour, span.start.tzinfo) == (0, 0, BERLIN)
        assert span.long == (days > 31)


@pytest.mark.parametrize("question", LOOKS_BACK)
def test_a_question_that_looks_back_is_known_and_has_its_time(question: str) -> None:
    assert asks_what_happened(question)
    assert span_of(question, WEDNESDAY) is not None


@pytest.mark.parametrize("question", NAMES_A_TIME)
def test_a_question_that_only_names_a_time_does_not_look_back(question: str) -> None:
    assert not asks_what_happened(question)
    assert span_of(question, WEDNESDAY) is not None


@pytest.mark.parametrize("text", NAMES_NONE)
def test_where_no_time_is_named_there_is_none(text: str) -> None:
    assert span_of(text, WEDNESDAY) is None


def test_the_sentence_that_looks_back_names_the_time_and_not_the_one_before_it() -> None:
    span = span_of("Yesterday was awful. What did I tell you last week?", WEDNESDAY)
    assert span is not None
    assert span.label == "last week"


def test_a_day_is_the_authors_day_and_not_the_one_in_utc() -> None:
    late = datetime(2026, 11, 18, 23, 30, tzinfo=UTC)
    here = span_of("what did I tell you today?", late.astimezone(BERLIN))
    assert here is not None
    assert here.start.astimezone(UTC) == datetime(2026, 11, 18, 23, tzinfo=UTC)


def test_a_day_of_twenty_five_hours_is_one_day() -> None:
    span = span_of("on 25 October", WEDNESDAY)
    assert span is not None
    assert span.end.astimezone(UTC) - span.start.astimezone(UTC) == timedelta(hours=25)


def test_a_very_long_sentence_is_read_at_its_start_only() -> None:
    assert span_of("what did I tell you " * 50_000 + "today?", WEDNESDAY) is None
    assert not asks_what_happened("what " * 100_000)


@given(
    st.sampled_from([said for said, *_ in SPANS]),
    st.dates(date(1990, 1, 1), date(2098, 12, 31)),
)
def test_whatever_the_day_a_named_time_has_begun_or_lies_in_this_week(
    said: str, today: date
) -> None:
    now = datetime(today.year, today.month, today.day, 23, 59, tzinfo=BERLIN)
    span = span_of(f"What did I tell you {said}?", now)
    if span is not None and not any(c.isdigit() for c in said):
        assert span.start < span.end
        assert span.start.date() < today + timedelta(days=7)
        assert span_of(f"What did I tell you {said}?", now) == span
