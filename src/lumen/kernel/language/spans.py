"""The stretch of time a question names, and whether it asks to look back over it.

The words stand in the lexicon; here is only what they mean on a calendar. Times ahead ("next
week"), hours of the day and feasts are not read: the answer is then that no time was named.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta

from lumen.kernel.language.lexicon import lexicon
from lumen.kernel.language.reading import is_question, sentences

LONG = timedelta(days=31)
LONGEST_ASKED = 300  # characters of a sentence that may still be a plain question
LONGEST_NAME = 3  # words, a greeting among them
DAY = timedelta(days=1)
EDGES = " \t,;:.!?…\"'“”‘’()"


@dataclass(frozen=True, slots=True)
class Span:
    """From `start` up to but not including `end`, and how a person would say it."""

    start: datetime
    end: datetime
    label: str

    @property
    def long(self) -> bool:
        """Whether it covers more than a month."""
        return self.end - self.start > LONG


@dataclass(frozen=True, slots=True)
class _Days:
    """Whole days from `first` up to `after`; how it is said alone, and behind "since"."""

    first: date
    after: date
    label: str
    bare: str


_Read = Callable[[re.Match[str], date], _Days | None]


def span_of(question: str, now: datetime) -> Span | None:
    """The time a question names, seen from `now` in the author's zone."""
    asked = [_plain(question[a:b]) for a, b in sentences(question)]
    order = sorted(asked, key=lambda s: (not _looks_back(s), not is_question(s)))
    for sentence in order:
        for name, found in _named(sentence):
            days = READ[name](found, now.date())
            if days:
                return _span(days, _is_since(sentence, found), now)
    return None


def asks_what_happened(question: str) -> bool:
    """Whether it asks to look back over a time, and not only about something in that time."""
    return any(_looks_back(_plain(question[a:b])) for a, b in sentences(question))


def _plain(text: str) -> str:
    return " ".join(text[:LONGEST_ASKED].lower().replace("’", "'").split())


def _looks_back(sentence: str) -> bool:
    asks = lexicon().signals["looks_back"]
    return any(
        asks.fullmatch(_bare(f"{before} {after}"))
        for _, found in _named(sentence)
        for before in _without_name(sentence[: _core(found)], first=True)
        for after in _without_name(sentence[found.end() :], first=False)
    )


def _bare(text: str) -> str:
    return " ".join(word for word in (w.strip(EDGES) for w in text.split()) if word)


def _without_name(text: str, *, first: bool) -> list[str]:
    """A text as it is, and without the one spoken to: "Iris, …" or "…, Iris"."""
    head, comma, tail = text.partition(",") if first else text.rpartition(",")
    name, rest = (head, tail) if first else (tail, head)
    return [text, rest] if comma and len(name.split()) <= LONGEST_NAME else [text]


def _named(sentence: str) -> list[tuple[str, re.Match[str]]]:
    """What may be times in a sentence, the first first."""
    signals = lexicon().signals
    found = [
        (_core(match), place, name, match)
        for place, name in enumerate(READ)
        for match in signals[name].finditer(sentence)
        if _is_time(match)
    ]
    return [(name, match) for _, _, name, match in sorted(found, key=lambda f: f[:2])]


def _core(match: re.Match[str]) -> int:
    """Where the time itself starts, behind its "in" or "on"."""
    return min(match.start(g) for g, said in match.groupdict().items() if said is not None)


def _is_time(match: re.Match[str]) -> bool:
    """Whether words that stand where a month, a weekday or a number would are one."""
    words = match.groupdict()
    counts = "count" in words  # there a month is a unit
    kinds = ("count",) if counts else ("month", "weekday")
    return all(_number(kind, words[kind]) is not None for kind in kinds if words.get(kind))


def _number(kind: str, word: str) -> int | None:
    """The number that a month, a weekday or a number word stands for."""
    if word.isdecimal():
        return int(word)
    found = lexicon().signals[kind].match(word)
    return int(found.lastgroup[1:]) if found and found.lastgroup else None


def _is_since(sentence: str, match: re.Match[str]) -> bool:
    return lexicon().signals["span_since"].search(sentence[: _core(match)]) is not None


def _span(days: _Days, since: bool, now: datetime) -> Span:
    if since and days.after <= now.date():
        tomorrow = now.date() + DAY
        label = _phrase("span_since", when=days.bare)
        return Span(_midnight(days.first, now), _midnight(tomorrow, now), label)
    return Span(_midnight(days.first, now), _midnight(days.after, now), days.label)


def _midnight(day: date, now: datetime) -> datetime:
    return datetime.combine(day, time(), now.tzinfo)


def _back(match: re.Match[str], today: date) -> _Days | None:
    name = (match.lastgroup or "").rstrip("0123456789")
    return _unit(name, int((match.lastgroup or "")[len(name) :]), today)


def _ago(match: re.Match[str], today: date) -> _Days | None:
    count = _number("count", match["count"])
    return _unit(_unit_named(match), count, today) if count else None


def _unit(name: str, ago: int, today: date) -> _Days:
    """A whole day, week, month or year of the calendar, so many before this one."""
    key = f"span_{name}_{ago}" if ago < 2 else f"span_{name}_ago"
    label = _phrase(key, count=str(ago))
    monday = today - today.weekday() * DAY
    if name == "day":
        first, after = today - ago * DAY, today - (ago - 1) * DAY
    elif name == "week":
        first, after = monday - 7 * ago * DAY, monday - 7 * (ago - 1) * DAY
    elif name == "weekend":
        first, after = monday + (5 - 7 * ago) * DAY, monday + (7 - 7 * ago) * DAY
    elif name == "month":
        first = _month(today, -ago)
        after = _month(first, 1)
    else:
        first, after = date(today.year - ago, 1, 1), date(today.year - ago + 1, 1, 1)
    return _Days(first, after, label, label)


def _rolling(match: re.Match[str], today: date) -> _Days | None:
    """The last so many days, weeks, months or years, today among them."""
    count = _number("count", match["count"]) if match["count"] else 1
    if not count:
        return None
    name = _unit_named(match)
    if name in ("day", "week"):
        first = today - (count * (7 if name == "week" else 1) - 1) * DAY
    else:
        month = _month(today, -count * (12 if name == "year" else 1))
        first = min(month + (today.day - 1) * DAY, _month(month, 1) - DAY) + DAY
    said = _phrase("span_rolling_one", unit=name)
    if count > 1:
        said = _phrase(f"span_rolling_{name}", count=str(count))
    return _Days(first, today + DAY, _phrase("span_in", when=said), said)


def _date(match: re.Match[str], today: date) -> _Days | None:
    """One day; without its year the last such day that is not ahead, leap days too."""
    month, number = _number("month", match["month"]), int(match["day"])
    years = [int(match["year"])] if match["year"] else range(today.year, today.year - 9, -1)
    possible = (_day(year, month or 0, number) for year in years)
    day = next((d for d in possible if d and (match["year"] or d <= today)), None)
    if not day:
        return None
    key = "span_date" if day.year == today.year else "span_date_of_year"
    said = _phrase(key, day=str(day.day), month=_month_name(day), year=str(day.year))
    return _Days(day, day + DAY, _phrase("span_on", when=said), said)


def _month_named(match: re.Match[str], today: date) -> _Days | None:
    number = _number("month", match["month"]) or 1
    year = int(match["year"]) if match["year"] else today.year - (number > today.month)
    first = date(year, number, 1)
    said = _phrase("span_month_of_year", month=_month_name(first), year=str(year))
    return _Days(first, _month(first, 1), _phrase("span_in", when=said), said)


def _year_named(match: re.Match[str], _today: date) -> _Days | None:
    year = int(match["year"])
    said = str(year)
    return _Days(date(year, 1, 1), date(year + 1, 1, 1), _phrase("span_in", when=said), said)


def _weekday(match: re.Match[str], today: date) -> _Days | None:
    """The last such day: asked on a Monday, "on Monday" is today."""
    number = _number("weekday", match["weekday"]) or 0
    day = today - (today.weekday() - number) % 7 * DAY
    said = lexicon().phrases["weekdays"].split()[number]
    return _Days(day, day + DAY, _phrase("span_on", when=said), said)


def _unit_named(match: re.Match[str]) -> str:
    return next(unit for unit in ("day", "week", "month", "year") if match[unit])


def _month(day: date, ahead: int) -> date:
    """The first of the month so many ahead."""
    months = day.year * 12 + day.month - 1 + ahead
    return date(months // 12, months % 12 + 1, 1)


def _day(year: int, month: int, number: int) -> date | None:
    try:
        return date(year, month, number)
    except ValueError:
        return None


def _month_name(day: date) -> str:
    return lexicon().phrases["months"].split()[day.month - 1]


def _phrase(key: str, /, **given: str) -> str:
    return lexicon().phrases[key].format(**given)


READ: dict[str, _Read] = {
    "span_back": _back,
    "span_rolling": _rolling,
    "span_ago": _ago,
    "span_date": _date,
    "span_date_after": _date,
    "span_date_iso": _date,
    "span_month": _month_named,
    "span_month_year": _month_named,
    "span_year": _year_named,
    "span_weekday": _weekday,
}
