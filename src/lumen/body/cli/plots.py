"""Weights over time as block characters that fit a terminal of 80 columns, and each change in words.

Also what `lumen why` tells of a value or goal: the memory of each change and what that rests on.
"""

from __future__ import annotations

import textwrap
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from zoneinfo import ZoneInfo

import click

from lumen.app.histories import Changed, History
from lumen.app.memories import Recollection
from lumen.app.words import local, short_time
from lumen.body.cli.render import data, tell
from lumen.body.cli.request import CommandRequest
from lumen.body.cli.terminal import one_line, painted, say
from lumen.core.canon import JSON, printable
from lumen.core.clock import SystemClock, parse_stamp

HEIGHT = 3
BLOCKS = " ▁▂▃▄▅▆▇█"
MARKS = {"todo": "○", "working": "●", "done": "✓", "perpetual": "∞", "gone": "×"}
CHANGED = "┴"
LEFT = 5  # columns before the plot: a label and the axis
Paint = Callable[[str, str], str]  # some blocks, in the colour of how it stood
WIDTH = 80
COLOURS = {
    "active": "cyan",
    "deprecated": "bright_black",
    "todo": "yellow",
    "working": "cyan",
    "done": "green",
    "perpetual": "magenta",
}


def plain(text: str, _status: str) -> str:
    """No colour."""
    return text


def plot(
    points: Sequence[Changed], start: datetime, end: datetime, width: int, paint: Paint = plain
) -> Iterator[str]:
    """A weight between two moments: rows of blocks, an axis marked where it changed, the dates."""
    columns = max(10, width - LEFT)
    states = list(_states(points, start, end, columns))
    for row in range(HEIGHT):
        label = "1.0 ┤" if row == 0 else "    │"
        cells = [(_cell(p, HEIGHT - 1 - row), p.status if p else "") for p in states]
        yield (label + _painted(cells, paint)).rstrip()
    yield "0.0 └" + _axis(points, start, end, columns)
    yield " " * LEFT + _dates(start, end, columns)


def _states(
    points: Sequence[Changed], start: datetime, end: datetime, columns: int
) -> Iterator[Changed | None]:
    """How it stood at the end of each column; the last one is how it stands now."""
    moments = [parse_stamp(p.timestamp) for p in points]
    for column in range(1, columns + 1):
        until = end if column == columns else start + (end - start) * (column / columns)
        known = [p for p, moment in zip(points, moments, strict=True) if moment <= until]
        yield known[-1] if known else None


def _cell(point: Changed | None, level: int) -> str:
    """The part of a bar that lies in a row; any weight at all shows as a line."""
    if point is None or point.weight is None:
        return " "
    eighths = max(1, round(point.weight * HEIGHT * 8))
    return BLOCKS[max(0, min(8, eighths - 8 * level))]


def _painted(cells: Sequence[tuple[str, str]], paint: Paint) -> str:
    """Cells with runs of one colour painted together."""
    text, run, last = "", "", ""
    for cell, status in [*cells, ("", "\x00")]:
        if status != last:
            text += paint(run, last) if run.strip() else run
            run, last = "", status
        run += cell
    return text


def _axis(points: Sequence[Changed], start: datetime, end: datetime, columns: int) -> str:
    """The axis, with a mark in the column of each change: how a goal stood, or only that."""
    cells = ["─"] * columns
    span = (end - start) / timedelta(seconds=1)
    before = ""
    for point in points:
        passed = (parse_stamp(point.timestamp) - start) / timedelta(seconds=1)
        at = min(columns - 1, max(0, int(columns * passed / span) if span > 0 else 0))
        mark = MARKS.get(point.status) if point.status != before else None
        cells[at] = mark or (CHANGED if cells[at] == "─" else cells[at])
        before = point.status
    return "".join(cells)


def _dates(start: datetime, end: datetime, columns: int) -> str:
    """The moments at both ends and in the middle, as far as they differ."""
    days = (end - start).days
    shape = "%H:%M" if days < 1 else "%d %b" if days < 300 else "%b %Y"
    moments = [f"{m:{shape}}" for m in (start, start + (end - start) / 2, end)]
    first, middle, last = (m.lstrip("0") if days >= 1 else m for m in moments)
    if first == last:
        return f"{start:%d %b %H:%M}".lstrip("0")
    inner = middle if middle not in (first, last) else ""
    at = max(0, columns // 2 - len(first) - len(inner) // 2)
    text = f"{first}{'':<{at}}{inner}"
    return f"{text}{last:>{columns - len(text)}}"


@dataclass(frozen=True, slots=True)
class Histories:
    """Values or goals to be plotted, each with its changes in words below."""

    found: tuple[History, ...]


@data.register(Histories)
def _histories_data(plotted: Histories) -> JSON:
    return plotted.found


@tell.register(Histories)
def _plot_all(plotted: Histories, request: CommandRequest) -> None:
    if not plotted.found:
        say("none yet: they come of living")
        return
    where, now = request.zone, SystemClock().now()
    start = min(local(s.points[0].timestamp, where) for s in plotted.found)
    for number, one in enumerate(plotted.found):
        if number:
            say()
        for line in drawn(one, start, now.astimezone(where), where):
            click.echo(line)


def drawn(found: History, start: datetime, now: datetime, where: ZoneInfo) -> Iterator[str]:
    """A plot and its changes, line by line."""
    stands = standing(found)
    name = one_line(found.name, WIDTH - len(stands) - 2)
    yield f"{painted(name, bold=True)}{'':<{WIDTH - len(name) - len(stands)}}{stands}"
    yield from plot(found.points, start, now, WIDTH, _colour)
    wide = max(len(point.moved) for point in found.points) + 2
    room = WIDTH - 16 - wide
    for point in found.points:
        first = f"  {short_time(point.timestamp, where):>12}  {point.moved:<{wide}}"
        words = " ".join(in_words(point).split())
        for line in textwrap.wrap(printable(words), room):
            yield f"{first}{line}"
            first = " " * (WIDTH - room)


def in_words(point: Changed) -> str:
    """Why something changed, with the events to look at."""
    rests = f", rests on {', '.join(map(str, point.sources))}" if point.sources else ""
    set_off = f" · set off: {point.trigger}" if point.trigger else ""
    return f"{point.why}{set_off} · event {point.memory or point.seq}{rests}"


def standing(found: History) -> str:
    """How something stands, in two words."""
    return found.status if found.weight is None else f"{found.weight:.2f} {found.status}"


def _colour(text: str, status: str) -> str:
    return painted(text, COLOURS.get(status, "white"))


@tell.register(History)
def _tell_why(found: History, request: CommandRequest) -> None:
    """What a value or goal weighs, and each change with the memories it rests on, checked."""
    where = request.zone
    weighs = "no longer held" if found.weight is None else standing(found)
    say(f"● {found.name}   {found.kind} · {weighs}")
    for point in found.points:
        say(
            f"  └ {short_time(point.timestamp, where)}  {point.moved}"
            f"{'' if point.memory else f': {one_line(point.why, 100)}'}   {_checked(point, point.seq)}"
        )
        if point.memory:
            told = one_line(point.told, 160)
            say(f"      because   “{told}”   {_checked(point, point.memory)}")
        if point.trigger:
            say(f"      set off   {one_line(point.trigger, 160)}")
        for number, memory in enumerate(point.evidence):
            label = "rests on" if number == 0 else ""
            when, who = short_time(memory.timestamp, where), _who(memory)
            said = one_line(memory.text, 100)
            say(f"      {label:<9} {when}  {who}: “{said}”   {_checked(point, memory.event)}")


def _who(memory: Recollection) -> str:
    return "you" if memory.author == "external" else memory.author


def _checked(point: Changed, seq: int) -> str:
    holds = bool(point.chain and point.chain.get(str(seq)))
    return f"event {seq} {'✓ chain' if holds else '✗ chain: lumen archive verify'}"
