"""The stretch of time a question looks back over, and whether it asks to.

What the words mean on a calendar is for times to say; here a time becomes whole days and gets the
name a person would call it by. Times ahead and hours of the day are not looked back over.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import date, datetime, timedelta

from lumen.kernel.language.lexicon import LANGUAGES, lexicon
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
    language: str = "en"

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
                return _span(days, phrase, now)
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


def _span(days: _Days, phrase: Phrase, now: datetime) -> Span:
    first, after, label = days.first, days.after, days.label
    if phrase.open == "since" and after <= now.date():
        after, label = now.date() + DAY, _said(phrase, "span_since", when=days.bare)
    start, end = (calendar.midnight(day, now.tzinfo) for day in (first, after))
    return Span(start, end, label, _spoken_in(phrase))


def _spoken_in(phrase: Phrase) -> str:
    """The language in which the kernel speaks of a time that was named in this one."""
    return phrase.language if phrase.language in LANGUAGES else "en"


def _days(time: Time, today: date) -> _Days | None:
    """A time as whole days with a name; none if it lies ahead or is less than a day."""
    phrase = time.phrase
    ahead = phrase.count > 0 or phrase.rel == 1 or phrase.coming
    if phrase.unit in SMALL or phrase.every or ahead or phrase.open not in ("", "since"):
        return None
    if phrase.upto or phrase.last_day:
        first, last = (_date_said(d, phrase, today) for d in _first_and_last(time))
        return _whole_time(time, "", _said(phrase, "span_from_to", first=first, last=last))
    named = NAMED.get(phrase.way)
    days = named(phrase, time, today) if named else None
    if days and _spoken_in(phrase) != "en":  # there "since" needs another case
        return replace(days, bare=_date_said(days.first, phrase, today))
    return days


def _unit(phrase: Phrase, time: Time, today: date) -> _Days | None:
    """A whole day, week, month or year of the calendar, so many before this one."""
    if phrase.vague and phrase.way == "shift":  # "a few days ago" is no day
        return None
    unit, ago = phrase.unit, -phrase.count
    first, after = calendar.whole(unit, -ago, today)
    if unit == "weekend":
        first, after = time.start.date(), time.end.date()
        ago = int(after <= today)
    key = f"span_{unit}_{ago}" if ago < 2 else f"span_{unit}_ago"
    said = _said(phrase, key, count=str(ago))
    return _Days(first, after, said, said)


def _rolling(phrase: Phrase, time: Time, _: date) -> _Days:
    """The last so many days, weeks, months or years, today among them."""
    key = f"span_rolling_{phrase.unit}" if phrase.count < -1 else f"span_rolling_one_{phrase.unit}"
    return _whole_time(time, "span_in", _said(phrase, key, count=str(-phrase.count)))


def _date(phrase: Phrase, time: Time, today: date) -> _Days:
    return _whole_time(time, "span_on", _date_said(time.start.date(), phrase, today))


def _month(phrase: Phrase, time: Time, _: date) -> _Days:
    month = _said(phrase, "span_months").split("|")[time.start.month - 1]
    said = _said(phrase, "span_month_of_year", month=month, year=str(time.start.year))
    return _whole_time(time, "span_in", said)


def _season(phrase: Phrase, time: Time, _: date) -> _Days:
    said = _said(phrase, f"span_{phrase.season}", year=str(time.start.year))
    return _whole_time(time, "span_in", said)


def _year(phrase: Phrase, time: Time, _: date) -> _Days:
    return _whole_time(time, "span_in", _said(phrase, "span_year", year=str(phrase.year)))


def _weekday(phrase: Phrase, time: Time, today: date) -> _Days:
    """The last such day: asked on a Monday, "on Monday" is today."""
    day = time.start.date()
    said = _said(phrase, "span_weekdays").split("|")[day.weekday()]
    return _whole_time(time, "span_on", _date_said(day, phrase, today) if phrase.unit else said)


def _whole_time(time: Time, key: str, said: str) -> _Days:
    """The days a time lies in."""
    first, last = _first_and_last(time)
    label = _said(time.phrase, key, when=said) if key else said
    return _Days(first, last + DAY, label, said)


def _first_and_last(time: Time) -> tuple[date, date]:
    return time.start.date(), calendar.before(time.end).date()


def _date_said(day: date, phrase: Phrase, today: date) -> str:
    key = "span_date" if day.year == today.year else "span_date_of_year"
    month = _said(phrase, "months").split()[day.month - 1]
    return _said(phrase, key, day=str(day.day), month=month, year=str(day.year))


def _said(phrase: Phrase, key: str, /, **given: str) -> str:
    return lexicon().phrase(key, _spoken_in(phrase), **given)


NAMED: dict[str, Callable[[Phrase, Time, date], _Days | None]] = {
    "shift": _unit,
    "whole": _unit,
    "rolling": _rolling,
    "date": _date,
    "iso": _date,
    "month_day": _date,
    "nth_weekday": _date,
    "month": _month,
    "season": _season,
    "year": _year,
    "weekday": _weekday,
}
