"""What an answer by code alone is made of, and what comes of it."""

from __future__ import annotations

import datetime as calendar
from dataclasses import dataclass
from datetime import datetime, time

from lumen.core.clock import Now, parse_stamp, stamp
from lumen.core.data import Change
from lumen.kernel.contour.slots import Self
from lumen.kernel.contour.state import State
from lumen.kernel.identity.biography import Biography
from lumen.kernel.language.dates import day
from lumen.kernel.language.lexicon import lexicon
from lumen.kernel.language.spans import Span, span_of
from lumen.kernel.recall.evidence import Recall

KERNEL, GROUNDED = "kernel", "grounded"  # kinds of drafts
NOON = 12


@dataclass(frozen=True, slots=True)
class KernelAnswer:
    """The words, what they rest on, and what kind of draft they make."""

    text: str
    sources: tuple[int, ...] = ()
    by: str = KERNEL
    act: str = ""  # what it does beside answering: list, remind
    keeps: tuple[Change, ...] = ()


def moments(span: Span | None) -> tuple[str, str] | None:
    """Where a time begins and ends, as the archive has it."""
    return (stamp(span.start), stamp(span.end)) if span else None


@dataclass(frozen=True, slots=True)
class AnswerContext:
    """All that an answer may be made of."""

    text: str
    language: str
    self_: Self
    now: Now
    biography: Biography
    recall: Recall
    state: State | None = None  # where lists and reminders are kept; nothing: none may be
    event: int = 0  # of the message

    def phrase(self, key: str, /, **given: str) -> str:
        """A phrase in the language of the question; what holds of every answer need not be given."""
        here = self.here()
        known = {
            "name": self.self_.name,
            "author": self.self_.author_name,
            "time": f"{here:%H:%M}",
            "date": self.day(here),
            "year": str(here.year),
            "path": self.biography.place,
        }
        return lexicon().phrase(key, self.language, **{**known, **given})

    def here(self) -> datetime:
        """The moment of the turn where the author is."""
        return self.now.moment.astimezone(self.now.zone)

    def span(self) -> Span | None:
        """The time that is asked about, if any is: a day, a week, while the author was away."""
        recent = self.recall.recent()
        if named := span_of(self.text, self.here()):
            return named
        if not recent or not lexicon().has("away", self.text):
            return None
        return Span(
            self.moment(recent[-1].timestamp), self.here(), self.phrase("while_away"), self.language
        )

    def moment(self, timestamp: str) -> datetime:
        """A moment of the archive where the author is."""
        return parse_stamp(timestamp).astimezone(self.now.zone)

    def day(self, moment: datetime) -> str:
        """A day as a person says it, with the year when it is another."""
        return day(stamp(moment), self.now, self.language)

    def date(self, moment: datetime) -> str:
        """The same without the day of the week: since, from and so on stand before it."""
        if self.language == "en":
            return self.day(moment)
        month = self.phrase("months").split()[moment.month - 1]
        return self.phrase("span_date", day=str(moment.day), month=month)

    def full(self, found: calendar.date) -> str:
        """A day of the calendar with its year, whichever it is."""
        noon = datetime.combine(found, time(NOON), self.now.zone)
        year = f" {found.year}" if found.year == self.here().year else ""
        return self.day(noon) + year

    def days(self, count: int) -> str:
        """So many days, as a person says it."""
        told = {0: self.phrase("no_day"), 1: self.phrase("one_day")}
        return told.get(count, self.phrase("days", count=str(count)))
