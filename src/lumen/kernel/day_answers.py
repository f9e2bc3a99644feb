"""Answers from the calendar: which day that is, and how many days lie between."""

from __future__ import annotations

from datetime import date

from lumen.kernel.asking import Answer, Asking
from lumen.kernel.asks import asked
from lumen.kernel.dates import day_named
from lumen.kernel.lexicon import lexicon


def which_day(asking: Asking) -> Answer:
    """The day that was named, as a date."""
    found = _named(asking)
    if found is None:
        return Answer(asking.phrase("unknown"))
    return Answer(asking.phrase("date_then", date=asking.full(found)))


def days_until(asking: Asking) -> Answer:
    """How many days it is until the day that was named comes."""
    return _apart(asking, _named(asking))


def days_since(asking: Asking) -> Answer:
    """How many days ago the day that was named was."""
    return _apart(asking, _named(asking, past=True))


def _apart(asking: Asking, found: date | None) -> Answer:
    if found is None:
        return Answer(asking.phrase("unknown"))
    apart = (found - asking.here().date()).days
    if not apart:
        return Answer(asking.phrase("days_none", date=asking.full(found)))
    key = "days_until" if apart > 0 else "days_since"
    said = asking.phrase(key, days=asking.days(abs(apart)), date=asking.full(found))
    return Answer(said[:1].upper() + said[1:])


def _named(asking: Asking, *, past: bool = False) -> date | None:
    _, found = asked(asking.text, asking.self_.name)
    if found is None:
        return None
    return day_named(found[0], asking.here().date(), past=past or lexicon().has("was", found[0]))
