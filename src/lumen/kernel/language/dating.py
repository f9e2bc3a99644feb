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
from lumen.kernel.language.times.resolve import Grain, Prefer, Time, times
from lumen.kernel.language.times.tense import has_happened, is_exclaimed, takes_back

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


def told_day(
    text: str, said: datetime, first: date, after: date, prefer: Prefer = ""
) -> date | None:
    """The day among some that a text told something of: not one that it takes back, or only exclaims over."""
    found = (time for time in times(text[:LONGEST], said, prefer) if _is_told(text, time, said))
    return next((day for time in found if (day := _day_within(time, first, after))), None)


def told_hour(text: str, said: datetime) -> str:
    """The hour of the day that a text told; empty: none, several, or none for sure."""
    clocked = [time for time in times(text[:LONGEST], said) if time.phrase.clock]
    sure = len(clocked) == 1 and not clocked[0].vague
    return f"{clocked[0].start:%H:%M}" if sure else ""


def told_ahead(text: str, said: datetime, now: datetime) -> bool:
    """Whether a text told of a day that had not passed: what corrects it tells of one ahead too."""
    return any(time.start.date() >= now.date() for time in times(text[:LONGEST], said))


def _is_told(text: str, time: Time, said: datetime) -> bool:
    if takes_back(text, time.phrase) or is_exclaimed(text, time.phrase):
        return False
    happened = time.start.date() == said.date() and has_happened(text, time.phrase)
    return not happened or time.every is not None  # "I gave it at 6" is nothing to do today


def _day_within(time: Time, first: date, after: date) -> date | None:
    """The day among some that a time names; of what comes every week, the first that is one of its days."""
    if time.every:
        days = (first + DAY * n for n in range((after - first).days))
        return next((d for d in days if d.weekday() in time.every.weekdays), None)
    day, sure = time.start.date(), not time.vague or _vague_by_hour(time)
    return day if time.grain in PLAIN_DAYS and sure and first <= day < after else None


def _vague_by_hour(time: Time) -> bool:
    """Whether only the half of the day is not sure: "on Sunday at 5"."""
    phrase = time.phrase
    named = phrase.clock is not None and phrase.of_a_day and phrase.rel is None
    return named and not phrase.vague


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


def days_meant(text: str, said: datetime, today: date, language: str, prefer: Prefer = "") -> str:
    """What a text's relative words meant on the day it was said, in brackets; empty: nothing to add."""
    found = [
        (text[slice(*t.at)], _spoken(t, today, language))
        for t in times(text[:LONGEST], said, prefer)
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
