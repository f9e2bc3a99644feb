"""The day a question names, and a day as a person says it."""

from __future__ import annotations

from calendar import monthrange
from datetime import UTC, date, datetime, time

from lumen.core.clock import Now, parse_stamp
from lumen.kernel.language.lexicon import lexicon
from lumen.kernel.language.times.phrases import phrases
from lumen.kernel.language.times.resolve import time_of

LEAP_YEAR = 2028  # any: without its year a day is one if some year has it


def day_named(sentence: str, today: date, *, past: bool = False) -> date | None:
    """The day a sentence names; of one that comes every year the next, or the last if `past`."""
    now = datetime.combine(today, time(12), UTC)  # whole days are the same in any zone
    found = sorted(phrases(sentence), key=lambda p: p.start - p.stop)
    days = (time_of(p, now, past=past) for p in found if p.of_a_day or p.way == "iso")
    return next((t.start.date() for t in days if t), None)


def days_there(sentence: str) -> int:
    """How many days the month has in which a sentence names one that it has not; 0: it names none."""
    for phrase in phrases(sentence):
        if phrase.way == "date" and phrase.month:
            most = monthrange(phrase.year or LEAP_YEAR, phrase.month)[1]
            if phrase.day > most:
                return most
    return 0


def day(timestamp: str, now: Now, language: str = "en") -> str:
    """A date as a person says it: Sunday 15 November, with the year when it is another."""
    moment = parse_stamp(timestamp).astimezone(now.zone)
    year = "" if moment.year == now.moment.astimezone(now.zone).year else f" {moment.year}"
    return spoken_day(moment, language) + year


def spoken_day(moment: date, language: str) -> str:
    """A day with its weekday, without its year."""
    lex = lexicon()
    return lex.phrase(
        "span_named",
        language,
        weekday=lex.phrase("weekdays", language).split()[moment.weekday()],
        day=str(moment.day),
        month=lex.phrase("months", language).split()[moment.month - 1],
    )
