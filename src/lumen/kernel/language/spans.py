"""The stretch of time a question looks back over, and whether it asks to.

What the words mean on a calendar is for times to say; here a time becomes whole days and gets the
name a person would call it by. Times ahead and hours of the day are not looked back over.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import date, datetime, timedelta

from lumen.kernel.language.lexicon import lexicon
from lumen.kernel.language.reading import is_question, plainly, sentences
from lumen.kernel.language.times import calendar
from lumen.kernel.language.times.calendar import DAY
from lumen.kernel.language.times.phrase import Phrase
from lumen.kernel.language.times.phrases import phrases
from lumen.kernel.language.times.resolve import SMALL, Time, time_of

LONG = timedelta(days=31)
LONGEST_ASKED = 300  # characters of a sentence that may still be a plain question
LONGEST_NAME = 3  # words, a greeting among them
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


def span_of(question: str, now: datetime) -> Span | None:
    """The time a question names, seen from `now` in the author's zone."""
    asked = [question[a:b][:LONGEST_ASKED] for a, b in sentences(question)]
    order = sorted(asked, key=lambda s: (not _looks_back(s), not is_question(s)))
    for sentence in order:
        for phrase in phrases(sentence):
            if (time := time_of(phrase, now, past=True)) and (days := _days(time, now.date())):
                return _span(days, phrase.open == "since", now)
    return None


def asks_what_happened(question: str) -> bool:
    """Whether it asks to look back over a time, and not only about something in that time."""
    return any(_looks_back(question[a:b][:LONGEST_ASKED]) for a, b in sentences(question))


def _looks_back(sentence: str) -> bool:
    asks = lexicon().signals["looks_back"]
    return any(
        asks.fullmatch(_bare(f"{before} {after}"))
        for phrase in phrases(sentence)
        for before in _without_name(sentence[: phrase.start], first=True)
        for after in _without_name(sentence[phrase.stop :], first=False)
    )


def _bare(text: str) -> str:
    return " ".join(word for word in (w.strip(EDGES) for w in plainly(text).split()) if word)


def _without_name(text: str, *, first: bool) -> list[str]:
    """A text as it is, and without the one spoken to: "Iris, …" or "…, Iris"."""
    head, comma, tail = text.partition(",") if first else text.rpartition(",")
    name, rest = (head, tail) if first else (tail, head)
    return [text, rest] if comma and len(name.split()) <= LONGEST_NAME else [text]


def _span(days: _Days, since: bool, now: datetime) -> Span:
    first, after, label = days.first, days.after, days.label
    if since and after <= now.date():
        after, label = now.date() + DAY, _phrase("span_since", when=days.bare)
    return Span(calendar.midnight(first, now.tzinfo), calendar.midnight(after, now.tzinfo), label)


def _days(time: Time, today: date) -> _Days | None:
    """A time as whole days with a name; none if it lies ahead or is less than a day."""
    phrase = time.phrase
    ahead = phrase.count > 0 or phrase.rel == 1 or phrase.coming
    if phrase.unit in SMALL or phrase.every or ahead or phrase.open not in ("", "since"):
        return None
    if phrase.upto or phrase.last_day:
        first, last = time.start.date(), (time.end - DAY).date()
        said = _phrase("span_from_to", first=_said(first, today), last=_said(last, today))
        return _Days(first, last + DAY, said, said)
    named = NAMED.get(phrase.way)
    return named(phrase, time, today) if named else None


def _unit(phrase: Phrase, time: Time, today: date) -> _Days | None:
    """A whole day, week, month or year of the calendar, so many before this one."""
    if phrase.vague and phrase.way == "shift":  # "a few days ago" is no day
        return None
    unit, ago = phrase.unit, -phrase.count
    first, after = calendar.whole(unit, -ago, today)
    if unit == "weekend":
        first, after = time.start.date(), time.end.date()
        ago = int(after <= today)
    said = _phrase(f"span_{unit}_{ago}" if ago < 2 else f"span_{unit}_ago", count=str(ago))
    return _Days(first, after, said, said)


def _rolling(phrase: Phrase, time: Time, _: date) -> _Days:
    """The last so many days, weeks, months or years, today among them."""
    said = _phrase("span_rolling_one", unit=phrase.unit)
    if phrase.count < -1:
        said = _phrase(f"span_rolling_{phrase.unit}", count=str(-phrase.count))
    return _whole_time(time, "span_in", said)


def _date(_: Phrase, time: Time, today: date) -> _Days:
    return _whole_time(time, "span_on", _said(time.start.date(), today))


def _month(_: Phrase, time: Time, __: date) -> _Days:
    month, year = _month_name(time.start.date()), str(time.start.year)
    return _whole_time(time, "span_in", _phrase("span_month_of_year", month=month, year=year))


def _season(phrase: Phrase, time: Time, _: date) -> _Days:
    year = str(time.start.year)
    said = _phrase("span_season_of_year", season=phrase.season, year=year)
    return _whole_time(time, "span_in", said)


def _year(phrase: Phrase, time: Time, _: date) -> _Days:
    return _whole_time(time, "span_in", str(phrase.year))


def _weekday(phrase: Phrase, time: Time, today: date) -> _Days:
    """The last such day: asked on a Monday, "on Monday" is today."""
    day = time.start.date()
    said = lexicon().phrases["weekdays"].split()[day.weekday()]
    return _whole_time(time, "span_on", _said(day, today) if phrase.unit else said)


def _whole_time(time: Time, key: str, said: str) -> _Days:
    """The days a time lies in."""
    last = calendar.before(time.end).date()
    return _Days(time.start.date(), last + DAY, _phrase(key, when=said), said)


def _said(day: date, today: date) -> str:
    key = "span_date" if day.year == today.year else "span_date_of_year"
    return _phrase(key, day=str(day.day), month=_month_name(day), year=str(day.year))


def _month_name(day: date) -> str:
    return lexicon().phrases["months"].split()[day.month - 1]


def _phrase(key: str, /, **given: str) -> str:
    return lexicon().phrases[key].format(**given)


NAMED: dict[str, Callable[[Phrase, Time, date], _Days | None]] = {
    "shift": _unit,
    "whole": _unit,
    "rolling": _rolling,
    "date": _date,
    "iso": _date,
    "month_day": _date,
    "month": _month,
    "season": _season,
    "year": _year,
    "weekday": _weekday,
}
