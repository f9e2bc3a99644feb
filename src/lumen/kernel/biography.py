"""What the archive says of the being itself: when it began, what it did, since when it holds what.

Never a kernel memory: what it did is told in the words of its own memories.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from lumen.core.data import Held, Memory
from lumen.soul.history import all_kept, versions
from lumen.soul.index import Index
from lumen.soul.queries import answered, doings
from lumen.soul.selfhood import GOALS, VALUES, selfhood

FIRST = 1  # the event a being begins with


@dataclass(frozen=True, slots=True)
class ArchivedLife:
    """A life as its archive has it, over an index that is caught up."""

    index: Index

    def born(self) -> str:
        """The moment of the first event."""
        return self.index.time_of(FIRST)

    def answered(self) -> int:
        """How many messages of the author it has answered."""
        return answered(self.index)

    def did(self, most: int) -> tuple[Memory, ...]:
        """What it did beside answering, the newest first."""
        found = self.index.get(doings(self.index, most))
        return tuple(found[seq] for seq in sorted(found, reverse=True))

    def held_since(self) -> dict[str, str]:
        """Since when each value and goal has been held without a break, by its name."""
        paths = [p for p in all_kept(self.index) if p == VALUES or GOALS.fullmatch(p)]
        since: dict[str, str] = {}
        for path in paths:
            held: dict[str, str] = {}
            for kept in versions(self.index, path):
                now = _held(path, kept.text)
                held = {h.name: held.get(h.name, kept.timestamp) for h in now}
            since |= held
        return since


def _held(path: str, text: str | None) -> Sequence[Held]:
    """What one state of a file names; of one the author broke by hand, nothing."""
    if not text:
        return ()
    try:
        found = selfhood({path: text})
    except ValueError:
        return ()
    return (*found.values, *found.goals)
