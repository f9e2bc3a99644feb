"""How values and goals came to weigh what they do: each change, why, and what that rests on."""

from __future__ import annotations

from dataclasses import dataclass

from lumen.app.memories import Recollection, recollection
from lumen.core.data import Event
from lumen.soul.ports.queries import Queries
from lumen.soul.state.fold import EDITED, PURSUES
from lumen.soul.state.selfhood import goals_of
from lumen.soul.state.weighed import GONE, Point, Series, moves, series, versions

AUTHOR = "lumen:author"  # the session of what the author did by hand: every such event has it


@dataclass(frozen=True, slots=True)
class Reason:
    """Why something changed: in words, by which memory, what set it off and what it rests on."""

    words: str
    memory: int = 0
    told: str = ""  # the memory, word for word
    trigger: str = ""
    sources: tuple[int, ...] = ()


def reason(index: Queries, found: Series, point: Point) -> Reason:
    """Why a value or goal changed in an event, as far as the archive says."""
    event = index.events.get(point.seq)
    if event is None:
        return Reason("nobody knows")
    if event.entry.situation == EDITED:
        return Reason("edited by the author")
    session = event.entry.session_key
    for other in [] if session == AUTHOR else index.events.turn(session):
        if told := _reason_of(other, found, point):
            return told
    if event.entry.situation == "decide":
        return Reason("it was wanted and could not be done yet")
    return Reason(event.entry.description)


def _reason_of(event: Event, found: Series, point: Point) -> Reason | None:
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


def all_series(index: Queries, kind: str) -> list[Series]:
    """Every value, or every goal, that ever was, with what it weighed."""
    return series(versions(index.files, kind))


def histories(
    index: Queries, kind: str, year: int | None = None, status: str | None = None
) -> tuple[History, ...]:
    """Every value, or every goal, that ever was, with the reason of each change."""
    return tuple(
        history(index, one)
        for one in all_series(index, kind)
        if (year is None or one.path == goals_of(year)) and status in (None, one.now.status)
    )


def named(index: Queries, claim: str) -> Series | None:
    """The value or goal whose name a claim is, those that are gone too."""
    sought = " ".join(claim.split()).casefold()
    found = [*all_series(index, "value"), *all_series(index, "goal")]
    same = [s for s in found if " ".join(s.name.split()).casefold() == sought]
    return min(same, key=lambda s: s.now.status == GONE, default=None)


@dataclass(frozen=True, slots=True)
class Changed:
    """One change of a value or goal: what it weighed and how it stood from then on, and why."""

    seq: int
    timestamp: str
    weight: float | None
    status: str
    moved: str  # in words: from where to where
    why: str
    memory: int
    told: str
    trigger: str
    sources: tuple[int, ...]
    evidence: tuple[Recollection, ...] = ()  # the sources, where they were asked for
    chain: dict[str, bool] | None = None  # and whether each event that is named holds


@dataclass(frozen=True, slots=True)
class History:
    """A value or goal, and every change it went through, the oldest first."""

    name: str
    kind: str
    path: str
    weight: float | None
    status: str
    points: tuple[Changed, ...]


def history(index: Queries, found: Series, *, checked: bool = False) -> History:
    """A series with the reason of each change; `checked` also looks up what the reasons rest on."""
    before = [None, *found.points[:-1]]
    steps = zip(before, found.points, strict=True)
    return History(
        name=found.name,
        kind=found.kind,
        path=found.path,
        weight=found.now.weight,
        status=found.now.status,
        points=tuple(_changed(index, found, step, checked=checked) for step in steps),
    )


def _changed(
    index: Queries, found: Series, step: tuple[Point | None, Point], *, checked: bool
) -> Changed:
    point = step[1]
    why = reason(index, found, point)
    events = [point.seq, *([why.memory] if why.memory else []), *why.sources]
    return Changed(
        seq=point.seq,
        timestamp=point.timestamp,
        weight=point.weight,
        status=point.status,
        moved=moves(*step),
        why=why.words,
        memory=why.memory,
        told=why.told,
        trigger=why.trigger,
        sources=why.sources,
        evidence=tuple(map(recollection, index.memories.get(why.sources).values()))
        if checked
        else (),
        chain={str(seq): index.events.holds(seq) for seq in events} if checked else None,
    )
