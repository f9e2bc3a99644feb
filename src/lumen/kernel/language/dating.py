"""The days that relative words of time meant when they were said: "tomorrow", read later, is another day."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, datetime, timedelta
from typing import Literal

from lumen.core.exposure import Plain, Quote
from lumen.kernel.language.dates import spoken_day
from lumen.kernel.language.lexicon import lexicon
from lumen.kernel.language.markers import markers
from lumen.kernel.language.times import calendar
from lumen.kernel.language.times.resolve import Grain, Time, times

Marker = Literal["past", "present", "future"]
RELATIVE = frozenset({"shift", "whole", "weekday"})  # ways of naming a time that begin at now
OF_DAYS = frozenset({Grain.DAY, Grain.PART, Grain.HOUR, Grain.WEEK, Grain.WEEKEND})
PLAIN_DAYS = frozenset({Grain.DAY, Grain.PART, Grain.HOUR, Grain.MOMENT})
DAY = timedelta(days=1)
LONGEST = 2000  # characters in which times are looked for


@dataclass(frozen=True, slots=True)
class DatedWords:
    """Words that name a time, the days they mean, and where these lie on the timeline."""

    words: Quote[str]
    start: Plain[str]
    end: Plain[str]  # the first day after
    grain: Plain[str]
    marker: Plain[Marker]
    vague: Plain[bool] = False


def dated(text: str, now: datetime) -> tuple[DatedWords, ...]:
    """The times a text names, as days of the calendar seen from now."""
    found = (t for t in times(text[:LONGEST], now) if not t.every)
    return tuple(
        DatedWords(
            words=text[slice(*t.at)],
            start=t.start.date().isoformat(),
            end=_after(t).isoformat(),
            grain=t.grain.value,
            marker=_marker(t, now),
            vague=t.vague,
        )
        for t in found
    )


def told_day(text: str, said: datetime, first: date, after: date) -> date | None:
    """The day among some that a text named when it was said."""
    named = times(text[:LONGEST], said)
    return next((day for time in named if (day := _day_within(time, first, after))), None)


def _day_within(time: Time, first: date, after: date) -> date | None:
    """The day among some that a time names; of what comes every week, the first that is one of its days."""
    if time.every:
        days = (first + DAY * n for n in range((after - first).days))
        return next((d for d in days if d.weekday() in time.every.weekdays), None)
    day = time.start.date()
    return day if time.grain in PLAIN_DAYS and not time.vague and first <= day < after else None


@dataclass(frozen=True, slots=True)
class UndatedWords:
    """Words that name no day, only a side of now: recently, later."""

    words: Quote[str]
    marker: Plain[Marker]


def undated(text: str, now: datetime) -> tuple[UndatedWords, ...]:
    """The words of a text that lie on the timeline without a day; not those that belong to one."""
    found = times(text[:LONGEST], now)
    rest = "".join(" " if any(_holds(t, at) for t in found) else c for at, c in enumerate(text))
    sides: tuple[tuple[str, Marker], ...] = (("past_once", "past"), ("future_once", "future"))
    return tuple(UndatedWords(w, side) for name, side in sides for w in markers(name, rest))


def _holds(time: Time, at: int) -> bool:
    return time.at[0] <= at < time.at[1]


def days_meant(text: str, said: datetime, today: date, language: str) -> str:
    """What a text's relative words meant on the day it was said, in brackets; empty: nothing to add."""
    found = [
        (text[slice(*t.at)], _spoken(t, today, language))
        for t in times(text[:LONGEST], said)
        if _is_relative(t, said)
    ]
    phrase = lexicon().phrase
    each = [phrase("day_meant", language, words=w, date=d) for w, d in dict.fromkeys(found)]
    return f"({'; '.join(each)})" if each else ""


def _is_relative(time: Time, said: datetime) -> bool:
    """Whether a time is named by its distance, surely, and is not just the day it was said on."""
    phrase = time.phrase
    plain = phrase.way in RELATIVE and time.grain in OF_DAYS and not (time.vague or time.every)
    of_days = phrase.unit not in ("second", "minute", "hour")
    same = time.start.date() == said.date() and _after(time) - said.date() <= timedelta(days=1)
    return plain and of_days and not same


def _after(time: Time) -> date:
    return calendar.before(time.end).date() + calendar.DAY


def _marker(time: Time, now: datetime) -> Marker:
    """Where a time lies: today is the present, whatever hour of it is meant."""
    if _after(time) <= now.date():
        return "past"
    return "future" if time.start.date() > now.date() else "present"


def _spoken(time: Time, today: date, language: str) -> str:
    first, last = time.start.date(), _after(time) - calendar.DAY
    days = (first,) if first == last else (first, last)
    # A weekday says little of a day in another year.
    named = [spoken_day(d, language) + (f" {d.year}" if d.year != today.year else "") for d in days]
    if len(named) == 1:
        return named[0]
    return lexicon().phrase("span_from_to", language, first=named[0], last=named[1])
