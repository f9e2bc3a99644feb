"""What lies ahead in a stretch of days: what the author told of them, and what they asked to be reminded of."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date, timedelta

from lumen.kernel.answers.context import GROUNDED, AnswerContext, KernelAnswer
from lumen.kernel.answers.keeping import reminders
from lumen.kernel.language.dates import spoken_day
from lumen.kernel.language.dating import dated, told_day
from lumen.kernel.language.passages import quoted
from lumen.kernel.language.questions import requested
from lumen.kernel.language.reading import plainly

AHEAD = timedelta(days=7)  # what is "coming up", where no day is named
DAY = timedelta(days=1)
MOST = 12  # lines

HAVE_GOT = re.compile(r"(?:(?<=what)'ve|\bhave) i got\b")  # only looks like the past


@dataclass(frozen=True, slots=True, order=True)
class _Planned:
    """What is told of a day."""

    day: date
    event: int
    text: str


def agenda(asking: AnswerContext) -> KernelAnswer:
    """What was told of the days that are asked about, in their order; what is past of them is left out."""
    today = asking.here().date()
    first, after = _asked(asking, today)
    if after <= today:
        return KernelAnswer("", by=GROUNDED)  # recall looks back
    found = sorted(_planned(asking, max(first, today), after))[:MOST]
    span = _span(asking, first, after - DAY)
    if not found:
        return KernelAnswer(asking.phrase("agenda_none", span=span), by=GROUNDED)
    lines = [
        asking.phrase("agenda_item", date=spoken_day(one.day, asking.language), text=one.text)
        for one in found
    ]
    said = "\n".join([asking.phrase("agenda", span=span), *lines])
    return KernelAnswer(said, tuple(one.event for one in found if one.event), GROUNDED)


def _asked(asking: AnswerContext, today: date) -> tuple[date, date]:
    """The first day that is asked about, and the first one after."""
    text = HAVE_GOT.sub("do i have", plainly(asking.text))
    named = [d for d in dated(text, asking.here()) if not d.vague]
    if not named:
        return today, today + AHEAD
    return date.fromisoformat(named[-1].start), date.fromisoformat(named[-1].end)


def _planned(asking: AnswerContext, first: date, after: date) -> Iterator[_Planned]:
    if asking.state is not None:
        for one in reminders(asking.state, asking.now):
            if first <= one.at.date() < after:
                hour = f" ({one.at:%H:%M})" if one.to_the_hour else ""
                yield _Planned(one.at.date(), one.event, f"{one.what}{hour}")
    for memory in asking.recall.statements():
        if requested(memory.text)[0]:  # what was kept of it was told above
            continue
        day = told_day(memory.text, asking.moment(memory.timestamp), first, after)
        if day:
            quote = quoted(memory.text, 0, len(memory.text))
            yield _Planned(day, memory.seq, asking.phrase("agenda_quote", quote=quote))


def _span(asking: AnswerContext, first: date, last: date) -> str:
    said = [spoken_day(day, asking.language) for day in (first, last)]
    if first == last:
        return said[0]
    return asking.phrase("span_from_to", first=said[0], last=said[1])
