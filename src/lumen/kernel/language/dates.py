"""The day a question names, reckoned from today: in 10 days, tomorrow, 3 March, Christmas.

Pure: words and a date in, a date out. The words stand in the lexicon.
"""

from __future__ import annotations

import re
from calendar import monthrange
from datetime import date, timedelta

from lumen.core.clock import Now, parse_stamp
from lumen.kernel.language.lexicon import lexicon
from lumen.kernel.language.reading import plainly

YEAR_MONTHS, WEEK = 12, 7
LEAP_YEAR = 2028  # any: without its year a day is one if some year has it
LEAP_GAP = 8  # years within which every day of the calendar comes again
PREFIX = 3  # letters that tell months and weekdays apart, in whatever case they stand


def day_named(sentence: str, today: date, *, past: bool = False) -> date | None:
    """The day a sentence names; of one that comes every year the next, or the last if `past`."""
    plain = plainly(sentence)
    found = [
        (m.end() - m.start(), way, m)
        for way, p in lexicon().dates.items()
        for m in p.finditer(plain)
    ]
    for _, way, match in sorted(found, key=lambda f: -f[0]):
        if (day := _day(way, match, today, past=past)) is not None:
            return day
    return None


def days_there(sentence: str) -> int:
    """How many days the month has in which a sentence names one that it has not; 0: it names none."""
    plain = plainly(sentence)
    for pattern in lexicon().dates.values():
        for found in pattern.finditer(plain):
            given = {k: v for k, v in found.groupdict().items() if v}
            if "in" not in given:
                continue
            month, year = _place("months", given["in"]) + 1, int(given.get("ad", LEAP_YEAR))
            most = monthrange(year, month)[1] if year else 0
            if int(given["of"]) > most:
                return most
    return 0


def _day(way: str, found: re.Match[str], today: date, *, past: bool) -> date | None:
    given = {k: v for k, v in found.groupdict().items() if v}
    if "fixed" in given:
        return _fixed(lexicon().days[given["fixed"]], today, past=past)
    if weekday := given.get("weekday"):
        ahead = (_place("weekdays", weekday) - today.weekday() - 1) % WEEK + 1
        return today + timedelta(days=ahead - WEEK if past else ahead)
    if "in" in given:
        month = _place("months", given["in"]) + 1
        if "ad" in given:
            return _calendar(int(given["ad"]), month, int(given["of"]))
        return _yearly(month, int(given["of"]), today, past=past)
    count = _count(given.get("count", "1"))
    signed = -count if count and way.startswith("back") else count
    return None if signed is None else _moved(today, signed, given)


def _fixed(told: str, today: date, *, past: bool) -> date | None:
    """So many days from today, or a day that comes every year."""
    month, _, of = told.rpartition("-") if not told.startswith("-") else ("", "", told)
    if not month:
        return today + timedelta(days=int(told))
    return _yearly(int(month), int(of), today, past=past)


def _moved(today: date, count: int, unit: dict[str, str]) -> date | None:
    """So many days, weeks, months or years on; the last of a month where it is a shorter one."""
    try:
        if "day" in unit or "week" in unit:
            return today + timedelta(days=count * (WEEK if "week" in unit else 1))
        months = today.year * YEAR_MONTHS + today.month - 1
        months += count * (YEAR_MONTHS if "year" in unit else 1)
        year, month = divmod(months, YEAR_MONTHS)
        return date(year, month + 1, min(today.day, monthrange(year, month + 1)[1]))
    except (ValueError, OverflowError):  # beyond what a calendar holds
        return None


def _yearly(month: int, of: int, today: date, *, past: bool) -> date | None:
    years = range(LEAP_GAP + 1)
    days = [_calendar(today.year + (-n if past else n), month, of) for n in years]
    return next((d for d in days if d and (d <= today if past else d >= today)), None)


def _calendar(year: int, month: int, of: int) -> date | None:
    try:
        return date(year, month, of)
    except ValueError:
        return None


def _count(word: str) -> int | None:
    """A number in figures or as a word; "a" is one."""
    if word.isdecimal():
        return int(word)
    if word in ("a", "an"):
        return 1
    told = lexicon().sums.get(word, "")
    return int(told) if told.isdecimal() else None


def _place(key: str, word: str) -> int:
    """Which month or weekday a word is, by how it begins in any of the languages."""
    for spoken in lexicon().spoken.values():
        begins = [name[:PREFIX].lower() for name in spoken[key].split()]
        if word[:PREFIX] in begins:
            return begins.index(word[:PREFIX])
    raise ValueError(f"{word!r} is no part of {key}")


def day(timestamp: str, now: Now, language: str = "en") -> str:
    """A date as a person says it: Sunday 15 November, with the year when it is another."""
    moment = parse_stamp(timestamp).astimezone(now.zone)
    year = "" if moment.year == now.moment.astimezone(now.zone).year else f" {moment.year}"
    lex = lexicon()
    weekday = lex.phrase("weekdays", language).split()[moment.weekday()]
    month = lex.phrase("months", language).split()[moment.month - 1]
    return f"{weekday}{',' if language == 'ru' else ''} {moment.day} {month}{year}"
