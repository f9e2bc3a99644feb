"""What lasts between turns beside memories and self, as steps read it: the records of the fold.

A step reads it through the `State` capability and proposes operations: `Change(store, "set" |
"append" | "average", NamedValue(…))` for values by name, `Change(store, "append", {…})` for lines. What
they come to is in soul/state/records.py.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from lumen.core.canon import JSON
from lumen.core.stores import Store
from lumen.soul.ports.queries import Queries
from lumen.soul.state.records import lines_of, values_of


@dataclass(frozen=True, slots=True)
class State:
    """What lasts beside memories and self, by the archive's word: read here, changed by `changes`."""

    kept: Callable[[str], str | None]  # the text in force of a file

    def last(self, name: str, store: Store = Store.STATE) -> JSON:
        """What was set under a name, or appended last; nothing when nothing was."""
        found = self._value(name, store)
        return (found[-1] if found else None) if isinstance(found, list) else found

    def all(self, name: str, store: Store = Store.STATE) -> tuple[JSON, ...]:
        """All that was appended under a name, the oldest first."""
        found = self._value(name, store)
        return tuple(found) if isinstance(found, list) else ()

    def average(self, name: str, store: Store = Store.STATE) -> float | None:
        """The moving average kept under a name."""
        found = self._value(name, store)
        number = isinstance(found, int | float) and not isinstance(found, bool)
        return float(found) if number else None

    def lines(self, store: Store) -> tuple[dict[str, JSON], ...]:
        """All that was added to a store of lines and is still kept, the oldest first."""
        return tuple(lines_of(self.kept(store.place.path)))

    def values(self, store: Store) -> dict[str, JSON]:
        """All that a store of values by name holds."""
        return values_of(self.kept(store.place.path))

    def _value(self, name: str, store: Store) -> JSON:
        return values_of(self.kept(store.place.path)).get(name)


def state_in_force(index: Queries) -> State:
    """What lasts, by the archive's word, for steps and for whoever looks at a being."""

    def kept(path: str) -> str | None:
        found = index.files.kept(path)
        return found.text if found else None

    return State(kept)
