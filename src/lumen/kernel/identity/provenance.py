"""Who wrote each line of the self, and which memories it rests on.

The archive says it: the event that brought a line tells whether the author, a rule of the kernel or
a model wrote it, and the memory of that change names its evidence. What nobody can show to be the
author's is not taken for it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from lumen.core.data import Author, Event, Origin
from lumen.core.stores import is_self
from lumen.kernel.privacy.confidential import Confidential
from lumen.soul.ports.queries import Queries
from lumen.soul.state.selfhood import CONTRACTS, SOUL, VALUES

AUTHOR = "lumen:author"
REFLECTION = "lumen:reflection:"
EVOLVED = "evolved"  # the situation of such a memory
STORY = "I wrote into my story: "
KINDS = {SOUL: "story", VALUES: "value", CONTRACTS: "contract"}  # what a file of the self holds
RULES = ("value",)  # kinds whose names the kernel's own rules take from a fixed list


@dataclass(frozen=True, slots=True)
class LineOrigin:
    """A line of the story, or the name of a value or goal: who wrote it, and what it rests on."""

    kind: str  # story, value, contract or goal
    line: str
    seq: int
    by: str  # author, kernel or model
    rests: tuple[int, ...] = ()
    private: bool = False  # a memory it rests on must not leave

    @property
    def trusted(self) -> bool:
        """Whether it may stand in a prompt unmarked."""
        return self.by == "author" or (self.by == "kernel" and self.kind in RULES)


Provenance = Mapping[tuple[str, str], LineOrigin]


def provenance(index: Queries) -> dict[tuple[str, str], LineOrigin]:
    """Every line there ever was in the self, by kind and text; the index must be caught up."""
    told: dict[str, list[Event]] = {}
    found: dict[tuple[str, str], LineOrigin] = {}
    for path, line, seq, author, origin, session in index.files.lines_written():
        if not is_self(path):
            continue
        kind = KINDS.get(path, "goal")
        if seq == 1 or _authors(author, origin, session):
            found[kind, line] = LineOrigin(kind, line, seq, "author")
            continue
        if session not in told:
            told[session] = evolved_in(index, session) if session.startswith(REFLECTION) else []
        found[kind, line] = _proposed(index, LineOrigin(kind, line, seq, "model"), told[session])
    # Where nobody knows what a line rests on, its words tell.
    confidential = Confidential(index)
    return {
        key: replace(
            line, private=line.private or (line.by != "author" and confidential.tells(line.line))
        )
        for key, line in found.items()
    }


def _authors(author: str, origin: str, session: str) -> bool:
    """Whether an event that changed files is the author's doing."""
    by_hand = author == Author.EXTERNAL.value and origin == Origin.AUTHOR.value
    return by_hand or (author == Author.KERNEL.value and session == AUTHOR)


def evolved_in(index: Queries, session: str) -> list[Event]:
    """The memories that a reflection kept of what it changed, in order."""
    return [
        event
        for event in index.events.turn(session)
        if event.entry.author is Author.SELF and event.entry.situation == EVOLVED
    ]


def _proposed(index: Queries, line: LineOrigin, told: list[Event]) -> LineOrigin:
    """A line with what its own memory tells of it; one that was forgotten tells nothing."""
    for event in told:
        payload = event.entry.payload
        change = payload.get("change", {})
        if change.get("kind") == line.kind and _about(line, change, event.entry.description):
            rests = tuple(int(seq) for seq in payload.get("sources", ()))
            private = any(m.private for m in index.memories.get({*rests, event.seq}).values())
            by = "kernel" if change.get("by") == "kernel" else "model"
            return LineOrigin(line.kind, line.line, line.seq, by, rests, private)
    return line


def _about(line: LineOrigin, change: Mapping[str, object], said: str) -> bool:
    if line.kind != "story":
        return change.get("name") == line.line
    text = change.get("text")  # older changes tell of it in words only
    return text == line.line if text else said.startswith(f"{STORY}{line.line} Because")
