"""Days, weeks, months and hours of a calendar and a zone: pure arithmetic of dates.

A wall time that a zone skips in spring is the same moment an hour on; of one that it has twice in
autumn the first is meant.
"""

from __future__ import annotations

from calendar import monthrange
from datetime import UTC, date, datetime, time, timedelta, tzinfo

DAY = timedelta(days=1)
WEEK, YEAR_MONTHS = 7, 12
LEAP_GAP = 8  # years within which every day of the calendar comes again
SATURDAY = 5
SEASONS = {"spring": 3, "summer": 6, "autumn": 9, "winter": 12}  # of the northern half
SEASON_MONTHS = 3
PARTS = {
    "morning": (time(6), time(12)),
    "noon": (time(11), time(14)),
    "afternoon": (time(12), time(18)),
    "evening": (time(18), time(22)),
    "tonight": (time(18), time(0)),
    "night": (time(22), time(6)),
}

Days = tuple[date, date]  # from the first up to but not including the other


def at(day: date, clock: time, zone: tzinfo | None) -> datetime:
    """A wall time of a day, as a moment that the zone has."""
    wall = datetime.combine(day, clock, zone)
    return wall.astimezone(UTC).astimezone(zone)


def midnight(day: date, zone: tzinfo | None) -> datetime:
    """When a day begins."""
    return at(day, time(), zone)


def before(moment: datetime) -> datetime:
    """The last moment before another."""
    return later(moment, -datetime.resolution)


def later(moment: datetime, by: timedelta) -> datetime:
    """So much time on, whatever clocks do meanwhile."""
    return (moment.astimezone(UTC) + by).astimezone(moment.tzinfo)


def moved(day: date, count: int, unit: str) -> date:
    """So many days, weeks, months or years on; the last of a month where it is a shorter one."""
    if unit in ("day", "week"):
        return day + count * (WEEK if unit == "week" else 1) * DAY
    first = month_after(day, count * (YEAR_MONTHS if unit == "year" else 1))
    return first.replace(day=min(day.day, monthrange(first.year, first.month)[1]))


def month_after(day: date, count: int) -> date:
    """The first of the month so many on."""
    year, month = divmod(day.year * YEAR_MONTHS + day.month - 1 + count, YEAR_MONTHS)
    return date(year, month + 1, 1)


def whole(unit: str, count: int, today: date) -> Days:
    """A whole day, week, weekend, month or year of the calendar, so many after this one."""
    monday = today + (WEEK * count - today.weekday()) * DAY
    if unit == "day":
        return today + count * DAY, today + (count + 1) * DAY
    if unit == "week":
        return monday, monday + WEEK * DAY
    if unit == "weekend":
        return monday + SATURDAY * DAY, monday + WEEK * DAY
    if unit == "month":
        return month_after(today, count), month_after(today, count + 1)
    return date(today.year + count, 1, 1), date(today.year + count + 1, 1, 1)


def rolling(unit: str, count: int, today: date) -> Days:
    """The last so many days, weeks, months or years with today, or the next without it."""
    end = moved(today, count, unit)
    return (today + DAY, end + DAY) if count > 0 else (end + DAY, today + DAY)


def yearly(month: int, day: int, today: date, *, past: bool) -> date | None:
    """The next such day of a year that is not gone, or the last that is not ahead; leap days too."""
    years = (today.year + (-n if past else n) for n in range(LEAP_GAP + 1))
    days = (calendar_day(year, month, day) for year in years)
    return next((d for d in days if d and (d <= today if past else d >= today)), None)


def monthly(day: int, today: date, *, past: bool) -> date | None:
    """The next or last month's day of that number."""
    firsts = (month_after(today, -n if past else n) for n in range(3))
    days = (calendar_day(first.year, first.month, day) for first in firsts)
    return next((d for d in days if d and (d <= today if past else d >= today)), None)


def month_of(month: int, year: int) -> Days:
    """A month."""
    first = date(year, month, 1)
    return first, month_after(first, 1)


def season_of(season: str, year: int) -> Days:
    """A season; a winter is of the year in which it begins."""
    first = date(year, SEASONS[season], 1)
    return first, month_after(first, SEASON_MONTHS)


def calendar_day(year: int, month: int, day: int) -> date | None:
    """A day, where the calendar has it."""
    try:
        return date(year, month, day)
    except ValueError:
        return None


def weekday(number: int, today: date, *, past: bool, with_today: bool) -> date:
    """The nearest such weekday before or after today."""
    if past:
        gone = (today.weekday() - number) % WEEK
        return today - (gone if gone or with_today else WEEK) * DAY
    ahead = (number - today.weekday()) % WEEK
    return today + (ahead if ahead or with_today else WEEK) * DAY


def nth(count: int, weekday: int, month: int, year: int) -> date | None:
    """The second Monday of a month, or with -1 its last; none if there are not so many."""
    first, after = month_of(month, year)
    days = [d for n in range((after - first).days) if (d := first + n * DAY).weekday() == weekday]
    return days[count if count < 0 else count - 1] if abs(count) <= len(days) else None
