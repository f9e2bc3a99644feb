"""The values or the goals of an open being: read like a tuple, changed as its author."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass

from lumen.app.histories import History, histories
from lumen.app.selves import add_item, close_goal, drop_item, items_of, new_item, set_item
from lumen.core.data import SelfItem
from lumen.kernel.gate.commit import Gate
from lumen.kernel.turn.run import Kernel
from lumen.soul.ports.queries import Queries


def holding(kernel: Kernel, kind: str) -> SelfItems:
    """The values or the goals of a being that is open for its author, and for nobody else."""
    kernel.index.catch_up()
    return SelfItems(kind, kernel.index, lambda: nullcontext(kernel.gate))


@dataclass(frozen=True, slots=True)
class SelfItems:
    """What a being holds of one kind, the heaviest first; `as_author` gives the gate to change it."""

    kind: str  # value or goal
    index: Queries
    as_author: Callable[[], AbstractContextManager[Gate]]

    def list(self) -> tuple[SelfItem, ...]:
        """All of them, as they stand now."""
        self.index.catch_up()
        return items_of(self.index, self.kind)

    def __iter__(self) -> Iterator[SelfItem]:
        return iter(self.list())

    def __len__(self) -> int:
        return len(self.list())

    def __getitem__(self, name: str) -> SelfItem:
        """The one of a name.

        Raises:
            KeyError: there is none.
        """
        for held in self.list():
            if held.name == name:
                return held
        raise KeyError(name)

    def history(self) -> tuple[History, ...]:
        """Every one that ever was, with each change and why it came."""
        self.index.catch_up()
        return histories(self.index, self.kind)

    def add(self, name: str, weight: float | None = None, status: str | None = None) -> SelfItem:
        """Add one; weighs 0.5 unless said otherwise."""
        with self.as_author() as gate:
            return add_item(gate, self.kind, new_item(self.kind, name, weight, status))

    def set(self, name: str, weight: float | None = None, status: str | None = None) -> SelfItem:
        """Change what one weighs, or how it stands."""
        with self.as_author() as gate:
            return set_item(gate, self.kind, name, weight, status)

    def drop(self, name: str) -> SelfItem:
        """Take one away."""
        with self.as_author() as gate:
            return drop_item(gate, self.kind, name)

    def done(self, name: str) -> SelfItem:
        """Say that a goal is reached."""
        with self.as_author() as gate:
            return close_goal(gate, name)
