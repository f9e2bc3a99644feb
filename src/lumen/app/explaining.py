"""Where an answer, a claim, a value or a goal comes from; and what every step of a turn did."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from lumen.app.histories import History, history, named
from lumen.app.memories import Recollection, as_archived, recollection
from lumen.app.recalling import WeighedMemory, bearing_on
from lumen.core.canon import JSON
from lumen.core.data import Event
from lumen.core.errors import UsageError
from lumen.soul.ports.queries import Queries

if TYPE_CHECKING:
    from lumen.kernel.recall.evidence import Evidence

QUOTED = re.compile(r"[“«]([^“”«»]+)[”»]")
MOST_DIGITS = 18  # SQLite counts no further


@dataclass(frozen=True, slots=True)
class Explained:
    """What a reply rests on and how its words were chosen; `heard` is what it answers."""

    reply: str
    event: int
    sources: tuple[Recollection, ...]
    chosen: str
    heard: Recollection | None
    understood: str = ""  # what a follow-up was taken to ask, as a whole
    unheld: tuple[str, ...] = ()  # what it quotes as told, and no message says


@dataclass(frozen=True, slots=True)
class Claimed:
    """What the author stated that bears on a claim, each with how it was found, best first."""

    claim: str
    evidence: tuple[WeighedMemory, ...]


@dataclass(frozen=True, slots=True)
class TracedBeat:
    """One beat of a turn: what it came to, and what each of its steps read, wrote and took."""

    event: int
    said: str
    payload: dict[str, JSON]


@dataclass(frozen=True, slots=True)
class Traced:
    """A turn, beat by beat."""

    turn: str
    beats: tuple[TracedBeat, ...]


def why_of(
    index: Queries, what: str | None, evidence: Callable[[str], tuple[Evidence, ...]]
) -> Explained | Claimed | History:
    """Where the last answer comes from; or that of an event, a claim, a value or a goal.

    Raises:
        UsageError: there is no such answer.
    """
    if what is not None and not what.strip():  # as an unset variable is
        raise UsageError("nothing is asked for", fix="lumen why, of the last answer")
    if what and (held := named(index, what)):
        return history(index, held, checked=True)
    if what and not (what.isdecimal() and len(what) <= MOST_DIGITS):
        return Claimed(what, bearing_on(what, evidence(what)))
    return explain(index, int(what) if what else None)


def explain(index: Queries, event: int | None = None) -> Explained:
    """What the last reply, or that of an event's turn, rests on.

    Raises:
        UsageError: there is no such reply.
    """
    key = index.events.turn_of(event) if event is not None else index.events.last_turn()
    events = index.events.turn(key) if key else []
    reply = next((e for e in events if e.entry.situation == "replied"), None)
    if reply is None:
        if any(e.entry.situation == "erased" for e in events):
            raise UsageError(f"what event {event} said was forgotten", fix="lumen memory")
        if event is not None:
            raise UsageError(f"event {event} belongs to no answer", fix="lumen memory")
        raise UsageError("there is no answer to explain yet", fix='lumen chat -m "hello"')
    cited = reply.entry.payload.get("sources", ())
    sources = as_archived(index, lambda: index.memories.get(cited).values())
    heard = next((e.seq for e in events if e.entry.situation == "heard"), 0)
    said = next(iter(index.memories.get([heard]).values()), None)
    return Explained(
        reply=reply.entry.description,
        event=reply.seq,
        sources=tuple(map(recollection, sources)),
        chosen="; ".join(filter(None, (_told(events, "lambda_select", "notes"), _turned(events)))),
        heard=recollection(said) if said else None,
        understood=_told(events, "surface_parse", "understood"),
        unheld=tuple(_unsupported_quotes(index, reply.entry.description)) if sources else (),
    )


def _unsupported_quotes(index: Queries, reply: str) -> list[str]:
    """What a reply that rests on memories quotes, and nobody said: its voice may have changed it."""
    quoted = {" ".join(text.split()) for text in QUOTED.findall(reply)}
    if quoted:
        for message in index.memories.messages():
            told = " ".join(message.text.split())
            quoted = {text for text in quoted if text.strip("… ") not in told}
            if not quoted:
                break
    return sorted(quoted)


def _turned(events: list[Event]) -> str:
    """Why the inner dialogue had something else said than what won; empty where it had not."""
    kept = _told(events, "inner_dialogue", "verdict") in ("", "keep")
    return "" if kept else _told(events, "inner_dialogue", "because")


def _told(events: list[Event], step: str, field: str) -> str:
    """What a step of a turn told in a field: how the words were chosen, what was understood."""
    steps = (s for e in events for s in e.entry.payload.get("steps", ()) if s["step"] == step)
    return next((str(told) for s in steps if (told := s.get("wrote", {}).get(field))), "")


def trace_of(index: Queries, event: int | None = None) -> Traced:
    """What every step of the last turn, or of an event's turn, read, wrote and took.

    Raises:
        UsageError: there is no such turn.
    """
    key = index.events.turn_of(event) if event else index.events.last_turn()
    events = [e for e in (index.events.turn(key) if key else []) if "steps" in e.entry.payload]
    if not events:
        if event:
            raise UsageError(f"event {event} belongs to no turn", fix="lumen memory")
        raise UsageError("there is no turn to show yet", fix='lumen chat -m "hello"')
    beats = (TracedBeat(e.seq, e.entry.description, e.entry.payload) for e in events)
    return Traced(key, tuple(beats))
