"""What lies ahead in a stretch of days: what the author told of them, and what they asked to be reminded of."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date, timedelta

from lumen.core.data import Memory
from lumen.kernel.answers.context import GROUNDED, AnswerContext, KernelAnswer
from lumen.kernel.answers.keeping import reminders, told_already
from lumen.kernel.language.dates import spoken_day
from lumen.kernel.language.dating import dated, told_ahead, told_day, told_hour
from lumen.kernel.language.lexicon import lexicon
from lumen.kernel.language.passages import quoted
from lumen.kernel.language.questions import requested
from lumen.kernel.language.reading import own_words, plainly
from lumen.kernel.language.times.phrases import names_hour
from lumen.kernel.language.times.resolve import Prefer

AHEAD = timedelta(days=7)  # what is "coming up", where no day is named
DAY = timedelta(days=1)
MOST = 12  # lines
SIDES: tuple[Prefer, Prefer] = ("", "future")  # by the tense, and as what corrects a day ahead

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
    named = [d for d in dated(text, asking.here()) if not d.vague or d.grain == "weekend"]
    if not named:
        return today, today + AHEAD
    return date.fromisoformat(named[-1].start), date.fromisoformat(named[-1].end)


def _planned(asking: AnswerContext, first: date, after: date) -> Iterator[_Planned]:
    """What was asked to be reminded of, told already or not, and what was told of those days."""
    known = asking.recall.statements()
    if asking.state is not None:
        held = reminders(asking.state, asking.now)
        told = told_already(known, {one.event for one in held}, asking.here())
        for one in (*held, *told):
            if first <= one.at.date() < after:
                hour = f" ({one.at:%H:%M})" if one.to_the_hour else ""
                yield _Planned(one.at.date(), one.event, f"{one.what}{hour}")
    for memory in known:
        if not requested(memory.text)[0]:  # what was kept of it was told above
            yield from _told(asking, memory, first, after)


def _told(asking: AnswerContext, memory: Memory, first: date, after: date) -> Iterator[_Planned]:
    """A statement on the day it tells of, with the hour of what it took the place of, where it names none."""
    text, said = memory.text, asking.moment(memory.timestamp)
    own = own_words(text)  # a day that only a quoted mail names is none of the author's
    day, ahead = (told_day(own, said, first, after, side) for side in SIDES)
    old = _corrected(asking, memory) if day or ahead else None
    if old and told_ahead(old.text, asking.moment(old.timestamp), said):
        day = ahead
    if day:
        quote = asking.phrase("agenda_quote", quote=quoted(text, 0, len(text)))
        hour = told_hour(old.text, said) if old and not names_hour(text) else ""
        yield _Planned(day, memory.seq, f"{quote} ({hour})" if hour else quote)


def _corrected(asking: AnswerContext, memory: Memory) -> Memory | None:
    """What a statement took the place of, where it says that it does."""
    if not lexicon().has("revision", memory.text):
        return None
    found = asking.recall.evidence(memory.text)
    return next((e.replaces for e in found if e.memory.seq == memory.seq), None)


def _span(asking: AnswerContext, first: date, last: date) -> str:
    said = [spoken_day(day, asking.language) for day in (first, last)]
    if first == last:
        return said[0]
    return asking.phrase("span_from_to", first=said[0], last=said[1])
