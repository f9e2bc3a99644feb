"""How values and goals came to weigh what they do: plots, and each change in words.

Also what `lumen why` tells of one of them: the memory of each change and what that rests on.
"""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from datetime import datetime
from zoneinfo import ZoneInfo

import click

from lumen.body.cli.common import coloured, local, one_line, say, short_time, show
from lumen.body.cli.plots import plain, plot
from lumen.core.canon import JSON, printable
from lumen.core.data import Event, Memory
from lumen.soul.fold import EDITED, PURSUES
from lumen.soul.index import Index
from lumen.soul.proof import holds
from lumen.soul.weighed import GONE, Point, Series, moves, series, versions

WIDTH = 80
COLOURS = {
    "active": "cyan",
    "deprecated": "bright_black",
    "todo": "yellow",
    "working": "cyan",
    "done": "green",
    "perpetual": "magenta",
}
AUTHOR = "lumen:author"  # the session of what the author did by hand: every such event has it


@dataclass(frozen=True, slots=True)
class Reason:
    """Why something changed: in words, by which memory, what set it off and what it rests on."""

    words: str
    memory: int = 0
    told: str = ""  # the memory, word for word
    trigger: str = ""
    sources: tuple[int, ...] = ()


def reason(index: Index, found: Series, point: Point) -> Reason:
    """Why a value or goal changed in an event, as far as the archive says."""
    event = index.event(point.seq)
    if event is None:
        return Reason("nobody knows")
    if event.entry.situation == EDITED:
        return Reason("edited by the author")
    session = event.entry.session_key
    for other in [] if session == AUTHOR else index.turn(session):
        if told := _told(other, found, point):
            return told
    if event.entry.situation == "decide":
        return Reason("it was wanted and could not be done yet")
    return Reason(event.entry.description)


def _told(event: Event, found: Series, point: Point) -> Reason | None:
    """The reason an event gives, when it is about this change."""
    payload = event.entry.payload
    if event.entry.situation == PURSUES and found.kind == "goal":
        words = {"done": "it was reached", "working": "it was pursued"}.get(point.status, "")
        return Reason(words, event.seq, event.entry.description) if words else None
    change = payload.get("change") if event.entry.situation == "evolved" else None
    if not change or (change["kind"], change["name"]) != (found.kind, found.name):
        return None
    text = event.entry.description
    because = text.partition(", because ")[2].rstrip(".") or text
    return Reason(
        because, event.seq, text, str(payload.get("trigger", "")), tuple(payload.get("sources", ()))
    )


def histories(index: Index, kind: str) -> list[Series]:
    """Every value, or every goal, that ever was."""
    return series(versions(index, kind))


def named(index: Index, claim: str) -> Series | None:
    """The value or goal whose name a claim is, those that are gone too."""
    sought = " ".join(claim.split()).casefold()
    found = [*histories(index, "value"), *histories(index, "goal")]
    same = [s for s in found if " ".join(s.name.split()).casefold() == sought]
    return min(same, key=lambda s: s.now.status == GONE, default=None)


def show_histories(
    index: Index, found: Sequence[Series], where: ZoneInfo, now: datetime, *, as_json: bool
) -> None:
    """Print a plot of each, with its changes in words below; or the series."""
    if as_json:
        show([as_series(index, s) for s in found])
        return
    if not found:
        say("none yet: they come of living")
        return
    start = min(local(s.points[0].timestamp, where) for s in found)
    for number, one in enumerate(found):
        if number:
            say()
        for line in drawn(index, one, start, now.astimezone(where), where):
            click.echo(line)


def as_series(index: Index, found: Series) -> JSON:
    """A series as JSON, with the reason of each change."""
    return {
        "name": found.name,
        "kind": found.kind,
        "path": found.path,
        "weight": found.now.weight,
        "status": found.now.status,
        "points": [{**asdict(p), **_reason_json(reason(index, found, p))} for p in found.points],
    }


def _reason_json(why: Reason) -> dict[str, JSON]:
    told = asdict(why)
    return {"why": told.pop("words"), **told}


def drawn(
    index: Index, found: Series, start: datetime, now: datetime, where: ZoneInfo
) -> Iterator[str]:
    """A plot and its changes, line by line."""
    stands = standing(found.now)
    name = one_line(found.name, WIDTH - len(stands) - 2)
    on = coloured()
    yield f"{click.style(name, bold=True) if on else name}{'':<{WIDTH - len(name) - len(stands)}}{stands}"
    paint = _colour if on else plain
    yield from plot(found.points, start, now, WIDTH, paint)
    pairs = list(zip([None, *found.points[:-1]], found.points, strict=True))
    wide = max(len(moves(*pair)) for pair in pairs) + 2
    room = WIDTH - 16 - wide
    for before, point in pairs:
        first = f"  {short_time(point.timestamp, where):>12}  {moves(before, point):<{wide}}"
        words = " ".join(in_words(reason(index, found, point), point).split())
        for line in textwrap.wrap(printable(words), room):
            yield f"{first}{line}"
            first = " " * (WIDTH - room)


def in_words(why: Reason, point: Point) -> str:
    """Why something changed, with the events to look at."""
    rests = f", rests on {', '.join(map(str, why.sources))}" if why.sources else ""
    set_off = f" · set off: {why.trigger}" if why.trigger else ""
    return f"{why.words}{set_off} · event {why.memory or point.seq}{rests}"


def standing(point: Point) -> str:
    """How something stands, in two words."""
    return GONE if point.weight is None else f"{point.weight:.2f} {point.status}"


def _colour(text: str, status: str) -> str:
    return click.style(text, fg=COLOURS.get(status, "white"))


def why_held(index: Index, found: Series, where: ZoneInfo, *, as_json: bool) -> None:
    """What a value or goal weighs, and each change with the memories it rests on, checked."""
    if as_json:
        show(_why_json(index, found))
        return
    weighs = "no longer held" if found.now.weight is None else standing(found.now)
    say(f"● {found.name}   {found.kind} · {weighs}")
    before: Point | None = None
    for point in found.points:
        why = reason(index, found, point)
        say(
            f"  └ {short_time(point.timestamp, where)}  {moves(before, point)}"
            f"{'' if why.memory else f': {one_line(why.words, 100)}'}   {_checked(index, point.seq)}"
        )
        if why.memory:
            say(f"      because   “{one_line(why.told, 160)}”   {_checked(index, why.memory)}")
        if why.trigger:
            say(f"      set off   {one_line(why.trigger, 160)}")
        for number, memory in enumerate(_sources(index, why)):
            label = "rests on" if number == 0 else ""
            when, who = short_time(memory.timestamp, where), _who(memory)
            said = one_line(memory.text, 100)
            say(f"      {label:<9} {when}  {who}: “{said}”   {_checked(index, memory.seq)}")
        before = point


def _sources(index: Index, why: Reason) -> list[Memory]:
    return list(index.get(why.sources).values())


def _who(memory: Memory) -> str:
    return "you" if memory.author.value == "external" else memory.author.value


def _checked(index: Index, seq: int) -> str:
    return f"event {seq} {'✓ chain' if holds(index, seq) else '✗ chain: lumen archive verify'}"


def _why_json(index: Index, found: Series) -> JSON:
    told = as_series(index, found)
    for point in told["points"]:
        events = [point["seq"], *([point["memory"]] if point["memory"] else []), *point["sources"]]
        point["chain"] = {str(seq): holds(index, seq) for seq in events}
    return told
