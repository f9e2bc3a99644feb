"""A year in the author's own words, and the answer to what was told in some stretch of time.

Built by code from memories, no model: the same memories give the same bytes. Whoever calls leaves
private memories out; what is said about a topic, whatever its time, is recall's concern.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import date, datetime, timedelta, tzinfo
from typing import Literal

from lumen.core.canon import printable
from lumen.core.clock import parse_stamp
from lumen.kernel.language.dates import spoken_day
from lumen.kernel.language.lexicon import lexicon
from lumen.kernel.language.reading import WORD, is_question, modality, sentences
from lumen.kernel.language.spans import Span, asks_what_happened

MOST_A_MONTH = 12
MOST_TOLD = 6
LONGEST = 200
LOOKED_AT = 2000  # characters of a message; a line holds a tenth of them
SMALL_TALK = frozenset({"greeting", "farewell", "thanks", "acknowledgement"})
# The file's own words, read back below: a format, so they do not follow the author's language.
MONTHS = "January February March April May June July August September October November December"
MONTH = MONTHS.split()
UPTO = "Up to event {upto}. Every line names the event it comes from."
TITLE = re.compile(r"# (\d{4})")
LINE = re.compile(rf"- (\d{{1,2}}) ({'|'.join(m[:3] for m in MONTH)}) · (.+) \(event (\d+)\)")
MARKUP = re.compile(r"([\\`*_\[\]<>~|&$])")
MARKED = re.compile(r"\\([\\`*_\[\]<>~|&$])")


@dataclass(frozen=True, slots=True)
class Noted:
    """A memory to summarise: what the author said, or how the self changed."""

    seq: int
    timestamp: str
    text: str
    weight: int
    kind: Literal["said", "changed"] = "said"


@dataclass(frozen=True, slots=True)
class Line:
    """One line of a summary: when, the words, and the event they come from."""

    day: date
    quote: str
    event: int
    kind: Literal["said", "changed"] = "said"


@dataclass(slots=True)
class _Heaviest:
    """The heaviest few of a stream in event order; of those that say the same, the newest."""

    most: int
    lines: dict[bytes, tuple[tuple[int, int], Line]] = field(default_factory=dict)
    floor: tuple[int, int] = (0, 0)

    def wants(self, rank: tuple[int, int], key: bytes) -> bool:
        """Whether a line of this rank would be taken in."""
        return len(self.lines) < self.most or rank > self.floor or key in self.lines

    def take(self, rank: tuple[int, int], key: bytes, line: Line) -> None:
        """Take a line in; those that say the same rank as the first among them."""
        if key in self.lines:
            rank = max(rank, self.lines[key][0])
        elif len(self.lines) == self.most:
            del self.lines[min(self.lines, key=lambda k: self.lines[k][0])]
        self.lines[key] = (rank, line)
        self.floor = min(rank for rank, _ in self.lines.values())

    def in_order(self) -> list[Line]:
        """What was kept, by time."""
        return sorted((line for _, line in self.lines.values()), key=lambda line: line.event)


@dataclass(slots=True)
class _Month:
    messages: int = 0
    said: _Heaviest = field(default_factory=lambda: _Heaviest(MOST_A_MONTH))
    changed: _Heaviest = field(default_factory=lambda: _Heaviest(MOST_A_MONTH))


def summarise(year: int, noted: Iterable[Noted], zone: tzinfo, upto: int) -> str:
    """A year as markdown, month by month, from memories in the order of their events.

    Only the lines to be shown are held, so a year of a million events takes no more room.
    """
    months: dict[int, _Month] = {}
    for note in noted:
        day = _local(note.timestamp, zone).date()
        if day.year == year and note.seq <= upto:
            _enter(months.setdefault(day.month, _Month()), note, day)
    parts = [f"# {year}", UPTO.format(upto=upto)]
    for number in sorted(months):
        month = months[number]
        lines = sorted(month.said.in_order() + month.changed.in_order(), key=lambda li: li.event)
        many = "1 message" if month.messages == 1 else f"{month.messages} messages"
        parts += [f"## {MONTH[number - 1]}", f"{many}."]
        parts += ["\n".join(map(_written, lines))] if lines else []
    return "\n\n".join(parts) + "\n"


def read_summary(text: str) -> list[Line]:
    """The lines of a summary; whatever else stands in the file is passed over."""
    lines: list[Line] = []
    year = 0
    for row in text.split("\n"):
        title = TITLE.fullmatch(row)
        if title:
            year = int(title[1])
        found = LINE.fullmatch(row)
        line = _line(found, year) if found else None
        lines += [line] if line else []
    return lines


def within(lines: Iterable[Line], span: Span) -> list[Line]:
    """The lines whose day lies in a span."""
    first, last = span.start.date(), _last_day(span)
    return [line for line in lines if first <= line.day <= last]


def tell(span: Span, told: Iterable[Noted | Line], zone: tzinfo) -> tuple[str, tuple[int, ...]]:
    """What the author told in a span, quoted, with its dates; and the events cited.

    Memories are chosen by weight. Lines carry none: once there are any, those told of are spread
    evenly over the span.
    """
    lines, total = _selected(span, told, zone)

    def phrase(key: str, **given: str) -> str:
        spoken = lexicon().phrase(key, span.language, **given)
        return spoken[:1].upper() + spoken[1:]

    if not lines:
        return phrase("told_nothing", when=span.label), ()
    years = span.start.year != _last_day(span).year
    said = [phrase("told_then", when=span.label)]
    said += [
        phrase("told_item", date=_spoken(li.day, years, span.language), quote=li.quote)
        for li in lines
    ]
    if total > len(lines):
        said.append(lexicon().phrase("told_more", span.language, count=f"{total - len(lines):,}"))
    return "\n".join(said), tuple(line.event for line in lines)


def _selected(span: Span, told: Iterable[Noted | Line], zone: tzinfo) -> tuple[list[Line], int]:
    """The few to tell of, and how many different ones there are."""
    heaviest = _Heaviest(MOST_TOLD)
    different: set[bytes] = set()
    read: list[Line] = []
    for item in told:
        if isinstance(item, Line):
            read.append(item)
            continue
        at = _local(item.timestamp, zone)
        stated = _stated(item.text) if item.kind == "said" and span.start <= at < span.end else ""
        if stated:
            rank, key = (item.weight, item.seq), _same(item.text)
            different.add(key)
            if heaviest.wants(rank, key):
                heaviest.take(rank, key, Line(at.date(), _cut(stated), item.seq))
    lines = [line for line in within(read, span) if line.kind == "said"]
    total = len(lines) + len(different)
    lines = sorted(lines + heaviest.in_order(), key=lambda line: line.event)
    if len(lines) > MOST_TOLD:
        lines = [lines[i * (len(lines) - 1) // (MOST_TOLD - 1)] for i in range(MOST_TOLD)]
    return lines, total


def _enter(month: _Month, note: Noted, day: date) -> None:
    rank = (note.weight, note.seq)
    if note.kind == "changed":
        said = " ".join(printable(note.text[:LOOKED_AT]).split()).lstrip("“ ")
        key = note.seq.to_bytes(8, "big")
        if said and month.changed.wants(rank, key):
            month.changed.take(rank, key, Line(day, _cut(said), note.seq, "changed"))
        return
    month.messages += 1
    key = _same(note.text)
    if month.said.wants(rank, key):  # few are: what a message states is dear to read
        stated = _stated(note.text)
        if stated:
            month.said.take(rank, key, Line(day, _cut(stated), note.seq))


def _stated(text: str) -> str:
    """What a message states, in one line, its questions left out; empty when it states nothing."""
    text = printable(text[:LOOKED_AT])
    if modality(text) in SMALL_TALK or asks_what_happened(text):
        return ""
    said = ""
    gap = False
    for start, stop in sentences(text):
        asks = is_question(text[start:stop])
        if not asks:
            said += (" … " if said and gap else " ") + text[start:stop]
        gap = asks
    return " ".join(said.split()) if WORD.search(said) else ""


def _same(text: str) -> bytes:
    """A key that two texts share when they hold the same words in the same order."""
    words = " ".join(WORD.findall(text[:LOOKED_AT].lower()))
    return hashlib.sha256(words.encode()).digest()


def _cut(text: str) -> str:
    """At most a line's length, up to the end of a sentence, or else of a word."""
    if len(text) <= LONGEST:
        return text
    stops = [stop for _, stop in sentences(text) if LONGEST // 4 <= stop <= LONGEST]
    if stops:
        return text[: stops[-1]]
    space = text.rfind(" ", LONGEST // 2, LONGEST)
    return text[: space if space > 0 else LONGEST - 1] + "…"


def _written(line: Line) -> str:
    said = MARKUP.sub(r"\\\1", line.quote)
    said = f"“{said}”" if line.kind == "said" else said
    return f"- {line.day.day} {MONTH[line.day.month - 1][:3]} · {said} (event {line.event})"


def _line(found: re.Match[str], year: int) -> Line | None:
    number = next(i for i, name in enumerate(MONTH, 1) if name.startswith(found[2]))
    try:
        day = date(year, number, int(found[1]))
    except ValueError:
        return None  # written by another hand, or above the title
    said = MARKED.sub(r"\1", found[3])
    if len(said) > 2 and said[0] == "“" and said[-1] == "”":
        return Line(day, said[1:-1], int(found[4]))
    return Line(day, said, int(found[4]), "changed")


def _local(timestamp: str, zone: tzinfo) -> datetime:
    return parse_stamp(timestamp).astimezone(zone)


def _last_day(span: Span) -> date:
    return (span.end - timedelta(microseconds=1)).date()


def _spoken(day: date, year: bool, language: str) -> str:
    return spoken_day(day, language) + (f" {day.year}" if year else "")
