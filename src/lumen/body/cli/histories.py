"""How values and goals came to weigh what they do: plots, and each change in words.

Also what `lumen why` tells of one of them: the memory of each change and what that rests on.
"""

from __future__ import annotations

import textwrap
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from zoneinfo import ZoneInfo

import click

from lumen.app.histories import Changed, History
from lumen.app.memories import Recollection
from lumen.app.words import local, short_time
from lumen.body.cli.plots import plot
from lumen.body.cli.render import data, tell
from lumen.body.cli.request import CommandRequest
from lumen.body.cli.terminal import one_line, painted, say
from lumen.core.canon import JSON, printable
from lumen.core.clock import SystemClock

WIDTH = 80
COLOURS = {
    "active": "cyan",
    "deprecated": "bright_black",
    "todo": "yellow",
    "working": "cyan",
    "done": "green",
    "perpetual": "magenta",
}


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
