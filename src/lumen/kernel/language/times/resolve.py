"""The times a text names, as moments: seen from now, in the zone of whoever speaks.

Seasons are those of the northern half; feasts that move with the moon are not known. Where a text
leaves a year or a day out, the nearest in the past or to come is taken: by what the caller wants,
else by the tense of its clause, else to come. What may as well mean another day is vague.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import date, datetime, time, timedelta
from enum import StrEnum
from typing import Literal

from lumen.kernel.language.times import calendar
from lumen.kernel.language.times.calendar import DAY, Days
from lumen.kernel.language.times.phrase import Every, Open, Phrase, WallClock
from lumen.kernel.language.times.phrases import phrases
from lumen.kernel.language.times.tense import is_past

Prefer = Literal["", "past", "future"]
MINUTE, HOUR = timedelta(minutes=1), timedelta(hours=1)
NOON = 12
EARLY = 6  # of an hour up to this, said alone, the one after noon is meant
SMALL = {"second": timedelta(seconds=1), "minute": MINUTE, "hour": HOUR}


class Grain(StrEnum):
    """How much time a name covers."""

    MOMENT = "moment"
    HOUR = "hour"
    PART = "part"
    DAY = "day"
    WEEK = "week"
    WEEKEND = "weekend"
    MONTH = "month"
    SEASON = "season"
    YEAR = "year"


@dataclass(frozen=True, slots=True)
class Time:
    """From `start` up to but not including `end`; of one that is open, the time that is named."""

    start: datetime
    end: datetime
    grain: Grain
    phrase: Phrase
    vague: bool = False
    assumed_year: int = 0  # 0: it was said, or none was needed

    @property
    def at(self) -> tuple[int, int]:
        """Where in the text it stands."""
        return self.phrase.start, self.phrase.stop

    @property
    def open(self) -> Open:
        """Whether it goes on from there, or ends there."""
        return self.phrase.open

    @property
    def every(self) -> Every | None:
        """How often it comes again; `start` is the first time."""
        return self.phrase.every


@dataclass(frozen=True, slots=True)
class _Named:
    """Whole days that a phrase names."""

    days: Days
    grain: Grain
    vague: bool = False
    assumed_year: int = 0


def times(text: str, now: datetime, prefer: Prefer = "") -> tuple[Time, ...]:
    """The times a text names, in its order; what no calendar has is left out."""
    found = (
        time_of(phrase, now, past=_looks_back(text, phrase, prefer)) for phrase in phrases(text)
    )
    return tuple(t for t in found if t)


def time_of(phrase: Phrase, now: datetime, *, past: bool) -> Time | None:
    """The time a phrase names, seen from now."""
    try:
        found = _time(phrase, now, past)
        return _ranged(phrase, found, now) if found and phrase.upto else found
    except (ValueError, OverflowError):  # beyond what a calendar holds
        return None


def _looks_back(text: str, phrase: Phrase, prefer: Prefer) -> bool:
    """Which way a missing year or day is looked for."""
    return prefer == "past" if prefer else is_past(text, phrase)


def _time(phrase: Phrase, now: datetime, past: bool) -> Time | None:
    if phrase.way == "iso":
        return _iso(phrase, now)
    if phrase.unit in SMALL and phrase.way in ("shift", "rolling"):
        return _small(phrase, now)
    named = _days(phrase, now, past)
    if named is None:
        return None
    if phrase.shifted and phrase.shifted[1] not in SMALL:
        first = calendar.moved(named.days[0], *phrase.shifted)
        named = replace(named, days=(first, first + DAY), grain=Grain.DAY)
    vague = named.vague or phrase.vague
    if phrase.clock or phrase.part:
        return _within(phrase, named, now, past)
    if phrase.edge is not None:
        named, vague = replace(named, days=_edge(named.days, phrase.edge)), True
    start, end = (calendar.midnight(day, now.tzinfo) for day in named.days)
    return Time(start, end, named.grain, phrase, vague, named.assumed_year)


def _iso(phrase: Phrase, now: datetime) -> Time | None:
    if len(phrase.stamp) == len("2026-11-18"):
        day = date.fromisoformat(phrase.stamp)
        found = replace(phrase, way="date", year=day.year, month=day.month, day=day.day)
        whole = _time(found, now, past=False)
        return replace(whole, phrase=phrase) if whole else None
    told = datetime.fromisoformat(phrase.stamp)
    if told.tzinfo is None:
        told = calendar.at(told.date(), told.time(), now.tzinfo)
    return Time(told, calendar.later(told, MINUTE), Grain.MOMENT, phrase)


def _small(phrase: Phrase, now: datetime) -> Time:
    """Seconds, minutes and hours from now."""
    then = calendar.later(now, phrase.count * SMALL[phrase.unit])
    if phrase.way == "rolling":
        return Time(min(then, now), max(then, now), Grain.HOUR, phrase, phrase.vague)
    return Time(then, calendar.later(then, MINUTE), Grain.MOMENT, phrase, phrase.vague)


def _days(phrase: Phrase, now: datetime, past: bool) -> _Named | None:
    today, unit, count = now.date(), phrase.unit, phrase.count
    match phrase.way:
        case "shift":
            named = _one_day(calendar.moved(today, count, unit))
        case "whole":
            count = _weekend(phrase, today, past) if unit == "weekend" else count
            named = _Named(calendar.whole(unit, count, today), Grain(unit))
        case "rolling":
            named = _Named(calendar.rolling(unit, count, today), Grain(unit))
        case "date" | "month_day":
            return _date(phrase, today, past)
        case "nth_weekday":
            return _nth_weekday(phrase, today, past)
        case "weekday":
            named = _weekday(phrase, today, past)
        case "month" | "season" | "year":
            named = _period(phrase, today, past)
        case _:
            named = _one_day(_first_workday(phrase, today))
    return named


def _one_day(day: date, assumed_year: int = 0, *, vague: bool = False) -> _Named:
    return _Named((day, day + DAY), Grain.DAY, vague, assumed_year)


def _first_workday(phrase: Phrase, today: date) -> date:
    """Today, or the first day on which something comes that does not come on all."""
    on = phrase.every.weekdays if phrase.every else ()
    week = (today + n * DAY for n in range(calendar.WEEK))
    return next((d for d in week if not on or d.weekday() in on), today)


def _weekend(phrase: Phrase, today: date, past: bool) -> int:
    """Which weekend; "the weekend" is the one before or the one to come."""
    return -1 if phrase.vague and past and today.weekday() < calendar.SATURDAY else phrase.count


def _date(phrase: Phrase, today: date, past: bool) -> _Named | None:
    if phrase.way == "month_day":
        day = calendar.monthly(phrase.day, today, past=past)
    elif phrase.year:
        day = calendar.calendar_day(phrase.year, phrase.month, phrase.day)
    else:
        day = calendar.yearly(phrase.month, phrase.day, today, past=past)
    if day is None:
        return None
    last = day.replace(day=phrase.last_day) if phrase.last_day else day
    missing = phrase.way == "date" and not phrase.year
    return _Named((day, last + DAY), Grain.DAY, assumed_year=day.year if missing else 0)


def _nth_weekday(phrase: Phrase, today: date, past: bool) -> _Named | None:
    """The second Monday of a month; without its year the last one or the next."""
    years = [phrase.year] if phrase.year else [today.year + n for n in (-1, 0, 1)]
    month = [calendar.nth(phrase.count, phrase.weekday or 0, phrase.month, y) for y in years]
    days = [d for d in month if d]
    if not phrase.year:
        days = [d for d in days if d <= today][-1:] if past else [d for d in days if d >= today]
    return _one_day(days[0], 0 if phrase.year else days[0].year) if days else None


def _weekday(phrase: Phrase, today: date, past: bool) -> _Named:
    """A weekday; "next Friday" is next week's, though some mean the one that comes first."""
    number = phrase.weekday or 0
    if phrase.unit == "week":
        monday, _ = calendar.whole("week", phrase.count, today)
        return _one_day(monday + number * DAY)
    if phrase.rel == 1:
        monday, _ = calendar.whole("week", 1, today)
        return _one_day(monday + number * DAY, vague=number > today.weekday())
    if phrase.rel == -1:
        day = calendar.weekday(number, today, past=True, with_today=False)
        return _one_day(day, vague=number < today.weekday())
    past = past and not phrase.coming and not phrase.every
    with_today = past or phrase.rel == 0 or phrase.every is not None
    return _one_day(calendar.weekday(number, today, past=past, with_today=with_today))


def _period(phrase: Phrase, today: date, past: bool) -> _Named:
    """A month, a season or a year; without it the nearest that has begun, or that is not over."""
    grain = Grain(phrase.way)
    if phrase.year:
        return _Named(_of_year(phrase, phrase.year), grain)
    years = [_of_year(phrase, today.year + n) for n in (-2, -1, 0, 1, 2)]
    if phrase.rel == 0:
        days = next((d for d in years if d[0] <= today < d[1]), _of_year(phrase, today.year))
    elif phrase.rel == 1:
        days = next(d for d in years if d[0] > today)
    elif past or phrase.rel == -1:
        over = phrase.rel == -1
        days = [d for d in years if (d[1] if over else d[0]) <= today][-1]
    else:
        days = next(d for d in years if d[1] > today)
    return _Named(days, grain, assumed_year=days[0].year)


def _of_year(phrase: Phrase, year: int) -> Days:
    if phrase.way == "year":
        return date(year, 1, 1), date(year + 1, 1, 1)
    if phrase.way == "month":
        return calendar.month_of(phrase.month, year)
    return calendar.season_of(phrase.season, year)


def _edge(days: Days, edge: int) -> Days:
    """The first, middle or last third of some days."""
    first, after = days
    third = max(1, (after - first).days // 3)
    if edge < 0:
        return first, first + third * DAY
    return (after - third * DAY, after) if edge else (first + third * DAY, after - third * DAY)


def _within(phrase: Phrase, named: _Named, now: datetime, past: bool) -> Time:
    """An hour or a part of the day that is named."""
    day, zone = named.days[0], now.tzinfo
    vague = named.vague or phrase.vague
    if phrase.clock is None:
        first, last = calendar.PARTS[phrase.part]

        def part(day: date) -> tuple[datetime, datetime]:
            return calendar.at(day, first, zone), calendar.at(
                day + DAY * (last <= first), last, zone
            )

        start, end = part(_nearest(phrase, day, part, now, past))
        return Time(start, end, Grain.PART, phrase, vague, named.assumed_year)
    clock = _half_of_day(phrase.clock, phrase.part)
    if past and not (phrase.way or phrase.part or clock.sure) and clock.hour > now.hour:
        clock = replace(clock, hour=clock.hour % NOON)  # of an hour that was, the last one
    vague = vague or (not phrase.part and clock.hour != phrase.clock.hour)
    last_clock = phrase.last_clock

    def hour(day: date) -> tuple[datetime, datetime]:
        start = calendar.at(day, time(clock.hour, clock.minute), zone)
        if last_clock:
            return start, calendar.at(day, time(last_clock.hour, last_clock.minute), zone)
        return start, calendar.later(start, MINUTE if clock.to_the_minute else HOUR)

    start, end = hour(_nearest(phrase, day, hour, now, past))
    grain = Grain.MOMENT if clock.to_the_minute and not last_clock else Grain.HOUR
    return Time(start, end, grain, phrase, vague, named.assumed_year)


def _half_of_day(clock: WallClock, part: str) -> WallClock:
    """An hour as the part of the day makes it, or as people mean it who say none."""
    hour = clock.hour
    if clock.sure or not hour:
        return clock
    if part in ("", "noon"):
        after_noon = hour <= (EARLY if not part else 3)
    elif part == "night":
        return replace(clock, hour=hour % 12 + 12 * (EARLY < hour < 12))
    else:
        after_noon = part != "morning" and hour < 12
    return replace(clock, hour=hour + 12 * after_noon)


def _nearest(
    phrase: Phrase,
    day: date,
    on: Callable[[date], tuple[datetime, datetime]],
    now: datetime,
    past: bool,
) -> date:
    """The day that is named; where none is, the one on which an hour was last or comes next."""
    if phrase.way or (phrase.every and phrase.every.weekdays):
        return day
    if past and not phrase.every:
        return day - DAY * (on(day)[0] > now)
    return day + DAY * (on(day)[not phrase.clock] <= now)


def _ranged(phrase: Phrase, first: Time, now: datetime) -> Time | None:
    """From one time to the end of another."""
    last = phrase.upto
    if last is None:
        return first
    if last.year and not phrase.year and phrase.way == last.way:
        again = _time(replace(phrase, year=last.year), now, past=False)
        first = replace(again, phrase=phrase) if again else first
    seen = now if last.way in ("shift", "whole", "rolling") else first.start
    end = _time(last, seen, past=False)
    if end is None or end.start < first.start or end.end <= first.start:
        return None
    return replace(first, end=end.start if last.clock else end.end)
