"""What the archive says of the being itself: when it began, what it did, since when it holds what.

Never a kernel memory: what it did is told in the words of its own memories.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import islice
from pathlib import Path

from lumen.core.data import EventType, Memory
from lumen.core.errors import MindError
from lumen.core.model_calls import Spent
from lumen.hands.skills import discover
from lumen.kernel.identity.provenance import EVOLVED, evolved_in
from lumen.kernel.language.passages import is_evidence
from lumen.mind.ask import Reach
from lumen.mind.substrate import ModelDescriptor
from lumen.soul.ports.queries import Queries
from lumen.soul.state.weighed import series, versions

LATEST = "~"  # behind every timestamp
LOOKED_AT = 500  # events among which a reason, or what failed, is looked for
WRITTEN = "write_file.write: done"
ERASURE = "erasure"  # the situation of an event that erases others
FAILING = ("skill", "refused", "interrupted", "unclosed")  # situations of what may have failed
REFLECTED = "evolve"  # the situation of the event that ends a reflection
FIRST = 1  # the event a being begins with


@dataclass(frozen=True, slots=True)
class Biography:
    """A life as its archive has it, over an index that is caught up."""

    _index: Queries
    model: ModelDescriptor | None = None  # that phrases its words, if it can be reached
    skills: tuple[str, ...] = ()  # that are there and not switched off

    @property
    def place(self) -> str:
        """The folder of the archive."""
        return self._index.place

    def born(self) -> str:
        """The moment of the first event."""
        return self._index.events.time_of(FIRST)

    def answered_count(self) -> int:
        """How many messages of the author it has answered."""
        return self._index.memories.answered_count()

    def did(self, most: int, during: tuple[str, str] | None = None) -> tuple[Memory, ...]:
        """What it did beside answering, the newest first; or of that what it did between two moments."""
        found = self._index.memories.get(self._index.memories.doings(most, during=during))
        return tuple(found[seq] for seq in sorted(found, reverse=True))

    def failed(self, most: int, during: tuple[str, str] | None = None) -> list[tuple[str, str]]:
        """What came to nothing last and when: skills that failed, what was refused or broken off.

        Or what did between two moments. What is private is not among it.
        """
        start, end = during or ("", LATEST)
        found: list[tuple[str, str]] = []
        kept = self._index.events.of_kernel(FAILING, newest_first=True)
        for event in kept if during else islice(kept, LOOKED_AT):
            told = event.entry
            if event.timestamp < start:
                break
            if event.timestamp >= end:
                continue
            if told.situation == "skill" and told.payload.get("ok") is not False:
                continue
            if told.description and not told.payload.get("private"):
                found.append((told.description, event.timestamp))
            if len(found) == most:
                break
        return found

    def held_since(self) -> dict[str, str]:
        """Since when each value and goal has been held without a break, by its name."""
        values, goals = (series(versions(self._index.files, kind)) for kind in ("value", "goal"))
        since: dict[str, str] = {}
        for one in sorted((*values, *goals), key=lambda s: s.path):
            gone = [n for n, point in enumerate(one.points, 1) if point.weight is None]
            start = max(gone, default=0)
            if start < len(one.points):
                since[one.name] = one.points[start].timestamp
        return since

    def defaults(self) -> frozenset[str]:
        """The values it was born with and that nobody has touched since."""
        told = series(versions(self._index.files, "value"))
        return frozenset(s.name for s in told if [p.seq for p in s.points] == [FIRST])

    def reason(self, value: str) -> tuple[str, tuple[int, ...]]:
        """What reflection gave as the reason for a value last, and the memories it rests on."""
        for seq in self._index.memories.doings(LOOKED_AT, EVOLVED):
            event = self._index.events.get(seq)
            change = event.entry.payload.get("change", {}) if event else {}
            if event and (change.get("kind"), change.get("name")) == ("value", value):
                because = event.entry.description.partition(", because ")[2].rstrip(".")
                return because, tuple(map(int, event.entry.payload.get("sources", ())))
        return "", ()

    def changed(self, most: int) -> tuple[Memory, ...]:
        """What reflection changed of the self, the newest first."""
        found = self._index.memories.get(self._index.memories.doings(most, EVOLVED))
        return tuple(found[seq] for seq in sorted(found, reverse=True))

    def reflected(self) -> tuple[int, str]:
        """How often it looked back, whatever came of it, and when it did so last."""
        moments = [event.timestamp for event in self._index.events.of_kernel((REFLECTED,))]
        return len(moments), max(moments, default="")

    def taken_back(self) -> dict[int, str]:
        """When the author took back what reflection changed, by the number of the change's memory."""
        found: dict[int, tuple[int, str]] = {}
        for event in self._index.events.of_kernel(("undone", "restored")):
            then, payload = (event.seq, event.timestamp), event.entry.payload
            undone = self._index.events.get(int(payload.get("undoes", 0)))
            if undone:
                kept = evolved_in(self._index, undone.entry.session_key)
                found |= {one.seq: then for one in kept}
            elif point := int(payload.get("restores", 0)):
                since = (
                    s for s in self._index.memories.doings(LOOKED_AT, EVOLVED) if s < event.seq
                )
                found = {seq: back for seq, back in found.items() if back[0] <= point}
                found |= {seq: then for seq in since if seq >= point}
        return {seq: when for seq, (_, when) in found.items()}

    def replaced_count(self) -> int:
        """How many statements the author replaced by later ones."""
        return self._index.vectors.replaced_count()

    def sizes(self) -> tuple[int, int]:
        """How many bytes the archive takes, and all that is kept beside it."""
        return self._index.sizes()

    def forgotten(self) -> tuple[int, str]:
        """How many events the author had it erase, and when that was last."""
        count, last = 0, ""
        for event in self._index.events.of_kernel((ERASURE,)):
            erased = event.entry.payload.get("erases")
            count += len(erased) if isinstance(erased, list) else 0
            last = event.timestamp
        return count, last

    def first_said(self) -> Memory | None:
        """The oldest message of the author that was not forgotten."""
        return next(filter(is_evidence, self._index.memories.messages()), None)

    def wrote(self, most: int) -> list[tuple[str, str]]:
        """The files it wrote last and when, each once; what is private is not among them."""
        found: dict[str, str] = {}
        for event in self._index.events.of_kernel(("skill",), WRITTEN, newest_first=True):
            told = event.entry.payload.get("wrote")
            if isinstance(told, dict) and not event.entry.payload.get("private"):
                found.setdefault(str(told.get("path", "")), event.timestamp)
            if len(found) == most:
                break
        return list(found.items())

    def ground(self, reply: int) -> tuple[str, str, tuple[Memory, ...]]:
        """What an answer of its own was: its kind, the model, and the memories it rests on."""
        event = self._index.events.get(reply)
        if event is None:
            return "", "", ()
        told = self._index.memories.get(map(int, event.entry.payload.get("sources", ())))
        kind, model = event.entry.payload.get("kind", ""), event.entry.model or ""
        return str(kind), model, tuple(told[seq] for seq in sorted(told))

    def sent(self) -> tuple[int, str, str]:
        """How many calls went to models elsewhere; of the last one the moment and the model."""
        away = [c for c in self._index.ledger.calls() if not c.local]
        return (len(away), away[0].moment, away[0].model) if away else (0, "", "")

    def spent(self) -> Spent:
        """What all calls to models came to."""
        return sum(self._index.ledger.by_day_and_role("").values(), Spent())

    def message_count(self) -> int:
        """How many messages the author sent."""
        return self._index.events.tally(EventType.AUTHOR_MESSAGE)


async def life_of(index: Queries, reach: Reach, skills: Path) -> Biography:
    """What code can tell of a being: its archive, the model it speaks with, its skills."""
    try:
        model = await reach.model("interface")
    except MindError:
        model = None
    ready = (s.name for s in discover(skills) if s.ready and not s.disabled)
    return Biography(index, model, tuple(ready))
