"""The turn that an author's message closes: the last exchange of its conversation, and what was expected of it."""

from __future__ import annotations

from lumen.core.data import Author, Event, Origin
from lumen.core.payloads import SpokenPayload
from lumen.kernel.contour.slots import OpenTurn, Stimulus
from lumen.kernel.recall.evidence import Recall
from lumen.soul.ports.queries import Queries


def open_turn(stimulus: Stimulus, recall: Recall, index: Queries) -> OpenTurn:
    """The last turn of a conversation in which the author spoke and was answered.

    A guest closes nothing, and what a guest was told is not for the author to close. Turns archived
    before their kind was kept cannot be closed either.
    """
    if stimulus.goal is not None or stimulus.guest:
        return OpenTurn()
    recent = recall.recent()[-2:]
    if len(recent) < 2:
        return OpenTurn()
    asked, reply = recent
    answered = asked.session_key == reply.session_key and reply.author is Author.SELF
    spoken = _spoken(index.events.turn(reply.session_key)) if answered else None
    if asked.origin is not Origin.AUTHOR or spoken is None:
        return OpenTurn()
    return OpenTurn(asked, reply, str(spoken["kind"]), float(spoken["likely"]))


def _spoken(events: list[Event]) -> SpokenPayload | None:
    """What the turn's own record says of its reply."""
    cycles = (e.entry.payload.get("cycle") for e in events if e.entry.author is Author.KERNEL)
    return next((cycle["spoken"] for cycle in cycles if cycle and "spoken" in cycle), None)
