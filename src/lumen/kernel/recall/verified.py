"""Recall whose every word is looked up in the archive before it may be said.

The index is a file that anybody can edit. What it hands out is compared with the stored line, whose
hashes must hold; an index that says otherwise is made again from the archive, once, and what still
does not hold is left out. The author is told of both. Summaries are files of their own.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import TypeVar

from lumen.core.data import Memory
from lumen.core.errors import Damaged
from lumen.kernel.language.spans import Span
from lumen.kernel.recall.evidence import Evidence, Recall
from lumen.kernel.recall.summary import Line, Noted
from lumen.soul.ports.queries import Queries

Item = TypeVar("Item")


@dataclass(slots=True)
class VerifiedRecall:
    """Recall over an index that is not taken at its word."""

    recall: Recall
    index: Queries
    _held: set[tuple[int, str]] = field(default_factory=set)  # what was found to be so

    def recent(self) -> tuple[Memory, ...]:
        """The last two exchanges before this turn."""
        return tuple(self._checked(self.recall.recent, lambda m: (m,)))

    def evidence(self, question: str) -> tuple[Evidence, ...]:
        """What the author said that bears on a question, best first."""
        return tuple(self._checked(lambda: self.recall.evidence(question), of_evidence))

    def within(self, span: Span) -> list[Noted | Line]:
        """What the author said in a stretch of time."""
        return self._checked(lambda: self.recall.within(span), self._of_noted)

    def replaced(self) -> Memory | None:
        """The earlier statement that this turn's message openly revises."""

        def look() -> tuple[Memory, ...]:
            found = self.recall.replaced()
            return (found,) if found else ()

        return next(iter(self._checked(look, lambda m: (m,))), None)

    def is_foreign(self, question: str) -> bool:
        """Whether some of what was told is in letters that a question has none of."""
        return self.recall.is_foreign(question)

    def statements(self) -> tuple[Memory, ...]:
        """What the author said of themselves and did not take back, the newest first."""
        return tuple(self._checked(self.recall.statements, lambda m: (m,)))

    def is_private(self, seqs: Iterable[int]) -> bool:
        """Whether any of some memories must not leave."""
        return self.recall.is_private(seqs)

    def likeness(self, texts: tuple[str, ...], to: str) -> tuple[float, ...]:
        """How near each text is in meaning to another."""
        return self.recall.likeness(texts, to)

    def _checked(
        self, look: Callable[[], Iterable[Item]], cited: Callable[[Item], Iterable[Memory]]
    ) -> list[Item]:
        return proved(self.index, look, cited, self._holds)

    def _holds(self, memory: Memory) -> bool:
        key = (memory.seq, memory.text)
        if key not in self._held and self.index.events.says(memory):
            self._held.add(key)
        return key in self._held

    def _of_noted(self, item: Noted | Line) -> Iterable[Memory]:
        if isinstance(item, Line):
            return ()
        known = self.index.memories.get([item.seq]).get(item.seq)
        return (known,) if known else ()


def proved(
    index: Queries,
    look: Callable[[], Iterable[Item]],
    cited: Callable[[Item], Iterable[Memory]],
    holds: Callable[[Memory], bool] | None = None,
) -> list[Item]:
    """What a look into the index finds, as far as the archive says the same.

    Raises:
        Damaged: read anew, the archive ends before a line that does not follow; what it says of
            anything cannot be told then.
    """

    def so(item: Item) -> bool:
        return all(holds(m) if holds else index.events.says(m) for m in cited(item))

    found = list(look())
    if all(map(so, found)):
        return found
    index.distrust()
    if index.loose:
        raise Damaged(str(index.loose), fix="lumen archive verify")
    found = list(look())
    kept = [item for item in found if so(item)]
    if len(kept) < len(found):
        index.repairs.append("Some of what I know does not hold: lumen archive verify")
    return kept


def of_evidence(item: Evidence) -> Iterable[Memory]:
    """The memories that a piece of evidence shows: quoted, replaced, and beside it."""
    beside = item.found.neighbours if item.found else ()
    return (item.memory, *((item.replaces,) if item.replaces else ()), *beside)
