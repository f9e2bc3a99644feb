"""What words mean on a calendar: two tables written by hand, and what holds whatever the words."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lumen.kernel.language.times.resolve import Prefer, Time, times

HERE = Path(__file__).parent


@dataclass(frozen=True)
class Row:
    text: str
    now: datetime
    prefer: Prefer
    expected: tuple[str, ...]


def rows() -> list[Row]:
    found = []
    now, prefer = datetime(2026, 11, 18, tzinfo=UTC), "-"
    for line in (HERE / "times_said.txt").read_text("utf-8").splitlines():
        if line.startswith("@ "):
            _, moment, zone, prefer = line.split()
            now = datetime.fromisoformat(moment).replace(tzinfo=ZoneInfo(zone))
        elif line and not line.startswith("#"):
            text, *expected = (part.strip() for part in line.split("|"))
            wanted: Prefer = "past" if prefer == "past" else "future" if prefer == "future" else ""
            found.append(Row(text, now, wanted, tuple(expected)))
    return found


ROWS = rows()
NO_TIMES = (HERE / "no_times.txt").read_text("utf-8").splitlines()


def more(found: Time) -> set[str]:
    every = found.every
    told = every and f"every={every.unit}*{every.count}:{''.join(map(str, every.weekdays))}"
    year = f"year={found.assumed_year}" if found.assumed_year else ""
    return {word for word in ("vague" if found.vague else "", year, found.open, told) if word}


@pytest.mark.parametrize("row", ROWS, ids=lambda row: f"{row.text} @ {row.now:%d.%m.%y}")
def test_words_mean_what_the_table_says(row: Row) -> None:
    start, end, grain, *rest = row.expected
    found = times(row.text, row.now, row.prefer)
    assert len(found) == 1, found
    (one,) = found
    zone = row.now.tzinfo
    for said, moment in ((start, one.start), (end, one.end)):
        wanted = datetime.fromisoformat(said)
        wanted = wanted if wanted.tzinfo else wanted.replace(tzinfo=zone)
        assert moment.astimezone(UTC) == wanted.astimezone(UTC), moment
        assert moment.replace(tzinfo=None) == wanted.replace(tzinfo=None)  # no hour the zone skips
    assert one.grain == grain
    assert more(one) == set(" ".join(rest).split())


@pytest.mark.parametrize("text", NO_TIMES)
def test_where_no_time_is_named_none_is_found(text: str) -> None:
    assert times(text, ROWS[0].now) == ()


def test_a_time_in_the_middle_of_a_text_is_found_where_it_stands() -> None:
    text = "Remind me every Monday at 9 to water them, and on Friday (around noon) to call Ben."
    found = times(text, ROWS[0].now)
    assert [text[slice(*t.at)] for t in found] == ["every Monday at 9", "on Friday", "noon"]


def test_what_is_far_from_any_word_of_time_costs_nothing_and_hides_none() -> None:
    filler = "so it goes with one thing and another, and a third, in 400 words or 5 " * 20
    text = f"{filler}. We met on 3 March. {filler} until next week"
    found = times(text, ROWS[0].now)
    assert [text[slice(*t.at)] for t in found] == ["on 3 March", "next week"]


def test_of_two_languages_the_one_that_says_more_is_read() -> None:
    now = ROWS[0].now
    (german,) = times("Treffen am 5/3/2027 im Büro, nicht morgen", now)[:1]
    (english,) = times("See you on 5/3/2027, not tomorrow", now)[:1]
    assert (german.start.month, english.start.month) == (3, 5)


@pytest.mark.parametrize(
    "text",
    [
        "on 31 February", "2026-13-01", "in 99999 years", "30 February 2027",
        "am 31. April", "31 апреля", "at 25:61", "from 5 March 2027 to 3 March 2027",
    ],
)  # fmt: skip
def test_what_no_calendar_has_is_no_time(text: str) -> None:
    assert times(text, ROWS[0].now) == ()


FIRST, LAST = (datetime.fromisoformat(day) for day in ("1990-01-01", "2098-12-31"))
MOMENTS = st.datetimes(FIRST, LAST)
ZONES = st.sampled_from(["Europe/Berlin", "America/New_York", "Asia/Kolkata", "UTC"])
SAID = st.sampled_from([row.text for row in ROWS])


@given(SAID, MOMENTS, ZONES, st.sampled_from(["", "Well, ", "И вот "]))
def test_whenever_it_is_said_a_time_ends_after_it_starts_and_stands_in_the_text(
    said: str, moment: datetime, zone: str, before: str
) -> None:
    text = before + said
    for one in times(text, moment.replace(tzinfo=ZoneInfo(zone))):
        start, stop = one.at
        assert 0 <= start < stop <= len(text)
        assert text[start:stop] == text[start:stop].strip()
        assert one.start.astimezone(UTC) < one.end.astimezone(UTC)


@given(st.text(max_size=80), MOMENTS)
def test_any_text_at_all_can_be_read(text: str, moment: datetime) -> None:
    for one in times(text, moment.replace(tzinfo=UTC)):
        assert one.start < one.end


@given(MOMENTS, ZONES, MOMENTS)
def test_a_time_written_out_in_full_is_read_back(
    moment: datetime, zone: str, now: datetime
) -> None:
    here = now.replace(tzinfo=ZoneInfo(zone))
    (read,) = times(f"at {moment.replace(tzinfo=UTC).isoformat()}", here)
    assert read.start == moment.replace(tzinfo=UTC)
    (again,) = times(read.start.isoformat(), here)
    assert again.start == read.start


RELATIVE = [
    "today",
    "yesterday",
    "in 10 days",
    "послезавтра",
    "vor zwei Wochen",
    "tomorrow at 9 am",
]


@given(st.sampled_from(RELATIVE), st.dates(date(1990, 1, 1), date(2098, 12, 31)), ZONES)
def test_a_day_later_what_is_relative_is_a_day_later(said: str, today: date, zone: str) -> None:
    days = [datetime.combine(today + timedelta(days=n), time(12), ZoneInfo(zone)) for n in (0, 1)]
    (one,), (other,) = (times(said, now) for now in days)
    assert other.start.replace(tzinfo=None) - one.start.replace(tzinfo=None) == timedelta(days=1)
