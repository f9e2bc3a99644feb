"""What each rule of the lexicon means: a piece of a time made of the words the rule took."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from lumen.kernel.language.times.phrase import Every, Phrase, WallClock
from lumen.kernel.language.times.rules import Captured, Token, Value
from lumen.kernel.language.times.words import TimeWords

HALF, QUARTER, HOUR, DAY = 30, 15, 60, 1440  # minutes
NOON = 12
WORKDAYS = (0, 1, 2, 3, 4)  # Monday to Friday


class TakenWords:
    """What a rule took, by kind."""

    def __init__(self, tokens: Sequence[Token], captured: Captured, words: TimeWords) -> None:
        self.words = words
        self.kinds = [(kind, tokens[at].kinds[kind]) for kind, at in captured if kind]
        self.plain = {tokens[at].word for _, at in captured}

    def all(self, kind: str) -> list[Value]:
        return [value for k, value in self.kinds if k == kind]

    def number(self, *kinds: str, default: int = 0) -> int:
        return next((v for k, v in self.kinds if k in kinds and isinstance(v, int)), default)

    def text(self, kind: str) -> str:
        return next((str(v) for k, v in self.kinds if k == kind), "")

    def has(self, kind: str) -> bool:
        return any(k == kind for k, _ in self.kinds)

    def rel(self) -> int | None:
        told = any(self.has(k) for k in ("REL", "PAST_REL", "COMING"))
        return self.number("REL", "PAST_REL", "COMING") if told else None

    def edge(self) -> int | None:
        return self.number("EDGE") if self.has("EDGE") else None

    def hour(self, nth: int = 0) -> WallClock:
        hours = [v for k, v in self.kinds if k == "HOUR" and isinstance(v, tuple)]
        return WallClock(hours[nth][0], sure=bool(hours[nth][1]))


Made = Callable[[TakenWords, Phrase], Phrase | None]


def _shift(sign: int) -> Made:
    def made(piece: TakenWords, one: Phrase) -> Phrase | None:
        count = sign * piece.number("COUNT", default=1)
        unit, vague = piece.text("UNIT"), piece.number("COUNT") == 3 and _is_some(piece)
        if unit == "fortnight":
            unit, count = "week", 2 * count
        return replace(one, way="shift", unit=unit, count=count, vague=vague) if count else None

    return made


def _shifted_by(one: Phrase, unit: str, count: int) -> Phrase:
    return replace(one, way="shift", unit=unit, count=count)


def _is_some(piece: TakenWords) -> bool:
    meanings = piece.words.small
    return any("SOME" in meanings.get(w.split()[-1], {}) for w in piece.plain)


def _date(piece: TakenWords, one: Phrase) -> Phrase | None:
    day, month = piece.number("ORD", "N", "DAY"), piece.number("MONTH", "SURE_MONTH")
    if not 1 <= day <= 31:
        return None
    days = [v for v in piece.all("DAY") if isinstance(v, int)]
    last = days[1] if len(days) > 1 else 0
    if last and last <= day:
        return None
    year = piece.number("YEAR", "CENTURY")
    return replace(one, way="date", day=day, month=month, year=year, last_day=last)


def _numeric(kind: str) -> Made:
    def made(piece: TakenWords, one: Phrase) -> Phrase | None:
        numbers = next(v for k, v in piece.kinds if k.startswith(kind) and isinstance(v, tuple))
        first, second, year = numbers
        month_first = kind == "SLASHED" and piece.words.month_first and first <= 12
        if second > 12 or month_first:
            first, second = second, first
        if not (1 <= first <= 31 and 1 <= second <= 12):
            return None
        either = kind == "SLASHED" and first <= 12 and first != second
        return replace(one, way="date", day=first, month=second, year=year, vague=either)

    return made


def _month_day(piece: TakenWords, one: Phrase) -> Phrase | None:
    day = piece.number("ORD", "N")
    return replace(one, way="month_day", day=day) if 1 <= day <= 31 else None


def _weekday(piece: TakenWords, one: Phrase) -> Phrase:
    day = piece.number("LONE_WEEKDAY", "SURE_WEEKDAY", "WEEKDAY")
    return replace(one, way="weekday", weekday=day, rel=piece.rel())


def _nth_weekday(piece: TakenWords, one: Phrase) -> Phrase:
    return replace(
        one,
        way="nth_weekday",
        count=piece.number("NTH"),
        weekday=piece.number("SURE_WEEKDAY", "WEEKDAY"),
        month=piece.number("MONTH"),
        year=piece.number("YEAR"),
    )


def _weekday_after(piece: TakenWords, one: Phrase) -> Phrase:
    """A week after the coming one: Thursday week."""
    day = piece.number("SURE_WEEKDAY", "WEEKDAY")
    return replace(one, way="weekday", weekday=day, coming=True, shifted=(1, "week"))


def _weekday_part(piece: TakenWords, one: Phrase) -> Phrase:
    day, part = piece.text("WEEKDAY_PART").split()
    return replace(one, way="weekday", weekday=int(day), part=part, rel=piece.rel())


def _coming(piece: TakenWords, one: Phrase) -> Phrase:
    if piece.has("WEEKDAY"):
        return replace(one, way="weekday", weekday=piece.number("WEEKDAY"), coming=True)
    unit = piece.text("PERIOD")
    return replace(one, way="whole", unit=unit, count=int(unit != "weekend"))


def _month(piece: TakenWords, one: Phrase) -> Phrase:
    rel = -1 if "last" in piece.plain else 1 if "next" in piece.plain else piece.rel()
    return replace(
        one,
        way="month",
        month=piece.number("MONTH", "SURE_MONTH", "LONE_MONTH"),
        year=piece.number("YEAR", "CENTURY"),
        rel=rel,
        edge=piece.edge(),
    )


def _season(piece: TakenWords, one: Phrase) -> Phrase:
    season = piece.text("SEASON") or piece.text("SEASON_IN")
    return replace(one, way="season", season=season, year=piece.number("CENTURY"), rel=piece.rel())


def _feast(piece: TakenWords, one: Phrase) -> Phrase:
    month, day = map(int, piece.text("FEAST").split("-"))
    return replace(one, way="date", day=day, month=month, year=piece.number("CENTURY"))


def _whole(piece: TakenWords, one: Phrase) -> Phrase:
    return replace(
        one,
        way="whole",
        unit=piece.text("PERIOD") or "day",
        count=piece.number("REL"),
        edge=piece.edge(),
    )


def _twice(piece: TakenWords, one: Phrase) -> Phrase:
    return replace(
        one, way="whole", unit=piece.text("PERIOD"), count=-2 if "last" in piece.plain else 2
    )


def _rolling(piece: TakenWords, one: Phrase) -> Phrase | None:
    count = piece.number("COUNT", default=1)
    rel = piece.rel()
    unit = piece.text("UNIT") or piece.text("PERIOD")
    if not count or not rel or unit == "weekend":
        return None
    if unit == "fortnight":
        unit, count = "week", 2 * count
    return replace(one, way="rolling", unit=unit, count=rel * count, vague=_is_some(piece))


def _shifted(piece: TakenWords, one: Phrase) -> Phrase:
    sign = piece.number("OFFSET", default=1)
    return replace(
        one,
        shifted=(sign * piece.number("COUNT", default=1), piece.text("UNIT") or "day"),
        loose=True,
    )


def _clock(piece: TakenWords, one: Phrase) -> Phrase | None:
    exact = next((v for k, v in piece.kinds if k in ("CLOCK", "DOTCLOCK")), None)
    if isinstance(exact, tuple):
        sure = exact[0] > 12 or exact[0] == 0 or bool(exact[2:] and exact[2])
        clock = WallClock(exact[0], exact[1], to_the_minute=True, sure=sure)
    else:
        minute = piece.number("N")
        clock = replace(piece.hour(), minute=minute, to_the_minute=piece.has("N"))
        if minute >= HOUR:
            return None
    half = piece.text("MERIDIEM")
    if half and not 1 <= clock.hour <= 12:
        return None
    if half:
        clock = replace(clock, hour=clock.hour % 12 + 12 * (half == "pm"), sure=True)
    return replace(one, clock=clock, part=piece.text("HOUR_PART"))


def _clocks(piece: TakenWords, one: Phrase) -> Phrase | None:
    told = [v for k, v in piece.kinds if k == "CLOCK" and isinstance(v, tuple)]
    if told:
        first, last = (WallClock(h[0], h[1], to_the_minute=True, sure=True) for h in told)
    else:
        first, last = piece.hour(0), piece.hour(1)
        late = piece.text("MERIDIEM") == "pm" or piece.text("HOUR_PART") in ("afternoon", "evening")
        if late and last.hour < 12:
            first = first if first.hour > last.hour else replace(first, hour=first.hour + 12)
            last = replace(last, hour=last.hour + 12)
        elif last.hour <= first.hour and last.hour + 12 < 24:
            last = replace(last, hour=last.hour + 12)
        first, last = replace(first, sure=True), replace(last, sure=True)
    later = (last.hour, last.minute) > (first.hour, first.minute)
    return replace(one, clock=first, last_clock=last) if later else None


def _minutes(sign: int, fixed: int = 0, *, into: bool = False) -> Made:
    """So many minutes past the hour or before it; `into`: the Russian third hour begins at two."""

    def made(piece: TakenWords, one: Phrase) -> Phrase | None:
        minutes = sign * (fixed or piece.number("N", default=QUARTER))
        hour = piece.number("ORD", "HALF_OF") or piece.hour().hour
        whole = (hour - into) * HOUR + minutes
        if not 0 < whole <= DAY or abs(minutes) >= HOUR:
            return None
        clock = WallClock(whole // HOUR % 24 or NOON, whole % HOUR, to_the_minute=True)
        return replace(one, clock=clock)

    return made


def _noon(piece: TakenWords, one: Phrase) -> Phrase:
    return replace(one, clock=WallClock(piece.number("NOON"), 0, to_the_minute=True, sure=True))


def _part(piece: TakenWords, one: Phrase) -> Phrase:
    part = piece.text("PART") or _part_named(piece)
    rel = piece.rel()
    if rel is None:
        return replace(one, part=part)
    return replace(one, way="shift", unit="day", count=rel, part=part)


def _part_named(piece: TakenWords) -> str:
    for word in piece.plain:
        if part := piece.words.small.get(word, {}).get("PART"):
            return str(part)
    return ""


def _every(piece: TakenWords, one: Phrase) -> Phrase | None:
    count = piece.number("COUNT", "OTHER", "ORD", default=1)
    if piece.has("WEEKDAY"):
        day = piece.number("WEEKDAY")
        return replace(one, way="weekday", weekday=day, every=Every("week", count, (day,)))
    if piece.has("PART"):
        return replace(one, part=piece.text("PART"), every=Every("day"))
    if piece.has("MONTH"):
        return replace(one, way="month", month=piece.number("MONTH"), every=Every("year"))
    unit = piece.text("UNIT") or piece.text("PERIOD")
    if unit == "weekend":
        return replace(one, way="weekday", weekday=5, every=Every("week", count, (5, 6)))
    if unit == "fortnight":
        unit, count = "week", 2 * count
    return replace(one, every=Every(unit, count)) if count else None


def _weekdays(piece: TakenWords, one: Phrase) -> Phrase:
    day = piece.number("WEEKDAYS")
    return replace(one, way="weekday", weekday=day, every=Every("week", 1, (day,)))


MADE: dict[str, Made] = {
    "iso": lambda taken, one: replace(one, way="iso", stamp=taken.text("ISO")),
    "dotted": _numeric("DOTTED"),
    "slashed": _numeric("SLASHED"),
    "day": lambda taken, one: _shifted_by(one, "day", taken.number("DAYWORD")),
    "tonight": lambda _, one: replace(_shifted_by(one, "day", 0), part="tonight"),
    "date": _date,
    "days": _date,
    "day_of_month": _month_day,
    "weekday": _weekday,
    "weekday_part": _weekday_part,
    "nth_weekday": _nth_weekday,
    "weekday_after": _weekday_after,
    "coming": _coming,
    "month": _month,
    "year": lambda taken, one: replace(one, way="year", year=taken.number("CENTURY")),
    "season": _season,
    "feast": _feast,
    "whole": _whole,
    "here": _whole,
    "weekend": lambda _, one: replace(one, way="whole", unit="weekend", vague=True),
    "week_twice": _twice,
    "rolling": _rolling,
    "ahead": _shift(1),
    "back": _shift(-1),
    "ahead_half": lambda taken, one: _shifted_by(one, "minute", taken.number("HALF")),
    "back_half": lambda taken, one: _shifted_by(one, "minute", -taken.number("HALF")),
    "shifted": _shifted,
    "clock": _clock,
    "clock_one": lambda taken, one: replace(one, clock=WallClock(1), part=taken.text("HOUR_PART")),
    "clocks": _clocks,
    "clock_half": _minutes(1, HALF),
    "clock_past": _minutes(1),
    "clock_to": _minutes(-1),
    "clock_before_half": _minutes(-1, HALF),
    "clock_quarter": _minutes(1, into=True),
    "clock_into": _minutes(1, into=True),
    "noon": _noon,
    "part": _part,
    "part_loose": lambda taken, one: replace(one, part=taken.text("PART"), loose=True),
    "greeting": lambda *_: None,
    "every": _every,
    "every_weekday": lambda _, one: replace(one, every=Every("week", 1, WORKDAYS)),
    "weekdays": _weekdays,
    "every_part": lambda taken, one: replace(one, part=taken.text("PARTS"), every=Every("day")),
    "often": lambda taken, one: replace(one, every=Every(taken.text("OFTEN")), loose=True),
}
