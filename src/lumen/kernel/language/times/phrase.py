"""A time as words name it, before any calendar: what was said of it, and what was not."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Way = Literal[
    "",
    "shift",
    "whole",
    "rolling",
    "date",
    "month",
    "year",
    "weekday",
    "nth_weekday",
    "season",
    "month_day",
    "iso",
]
Open = Literal["", "since", "until", "before", "after"]
OF_A_DAY = frozenset({"date", "weekday", "nth_weekday", "month_day"})


@dataclass(frozen=True, slots=True)
class WallClock:
    """An hour and a minute; `sure` where no other half of the day can be meant."""

    hour: int
    minute: int = 0
    to_the_minute: bool = False
    sure: bool = False


@dataclass(frozen=True, slots=True)
class Every:
    """How often: every so many units, on these weekdays (Monday is 0)."""

    unit: str
    count: int = 1
    weekdays: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Phrase:
    """Words that name a time; what they do not say is 0, empty or None."""

    start: int
    stop: int
    way: Way = ""
    unit: str = ""
    count: int = 0
    rel: int | None = None  # last, this, next
    coming: bool = False
    year: int = 0
    month: int = 0
    day: int = 0
    last_day: int = 0
    weekday: int | None = None
    season: str = ""
    clock: WallClock | None = None
    last_clock: WallClock | None = None
    part: str = ""
    stamp: str = ""
    open: Open = ""
    edge: int | None = None  # the start, middle or end of it
    shifted: tuple[int, str] | None = None
    every: Every | None = None
    upto: Phrase | None = None
    vague: bool = False
    loose: bool = False  # names a time only beside another piece
    language: str = ""

    @property
    def of_a_day(self) -> bool:
        """Whether it names days, to which an hour can be added."""
        shifted = self.way == "shift" and self.unit not in ("second", "minute", "hour")
        return shifted or self.way in OF_A_DAY or (self.way == "" and self.every is not None)
