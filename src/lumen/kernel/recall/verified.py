"""Recall whose every word is looked up in the archive before it may be said.

The index is a file that anybody can edit. What it hands out is compared with the stored line, whose
hashes must hold; an index that says otherwise is made again from the archive, once, and what still
does not hold is left out. The author is told of both. Summaries are files of their own.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from typing import TypeVar

from lumen.core.data import Memory
from lumen.core.errors import Damaged
from lumen.kernel.language.passages import Rows
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
    _unproved: float = 0.0

    def recent(self) -> tuple[Memory, ...]:
        """The last two exchanges before this turn."""
        return tuple(self._checked(self.recall.recent, lambda m: (m,)))

    def evidence(self, question: str) -> tuple[Evidence, ...]:
        """What the author said that bears on a question, best first."""
        found: list[Evidence] = []

        def look() -> list[Evidence]:
            found[:] = self.recall.evidence(question)
            return found

        kept = self._checked(look, of_evidence)
        if len(kept) < len(found):
            kept = [_alone(e) for e in found if all(map(self._holds, _quoted(e)))]
            left = {e.memory.seq for e in found} - {e.memory.seq for e in kept}
            self._unproved = max((e.score for e in found if e.memory.seq in left), default=0.0)
        return tuple(kept)

    def within(self, span: Span) -> list[Noted | Line]:
        """What the author said in a stretch of time."""
        return self._checked(lambda: self.recall.within(span), self._of_noted)

    def replaced(self) -> Memory | None:
        """The earlier statement that this turn's message openly revises."""

        def look() -> tuple[Memory, ...]:
            found = self.recall.replaced()
            return (found,) if found else ()

        return next(iter(self._checked(look, lambda m: (m,))), None)

    def unproved(self) -> float:
        """How well the best evidence bears that was left out, as its line is not what was written."""
        return self._unproved

    def statements(self) -> tuple[Memory, ...]:
        """What the author told, of themselves or others, and did not take back, the newest first."""
        return tuple(self._checked(self.recall.statements, lambda m: (m,)))

    def is_private(self, seqs: Iterable[int]) -> bool:
        """Whether any of some memories must not leave."""
        return self.recall.is_private(seqs)

    def meaning(self, text: str) -> Rows:
        """The vector of a text, of the built-in embedder."""
        return self.recall.meaning(text)

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
        return all(map(holds or index.events.says, cited(item)))

    found = list(look())
    false = [
        m.seq for item in found if not so(item) for m in cited(item) if not index.events.says(m)
    ]
    if not false:
        return found
    if not all(map(index.events.is_altered, false)):
        index.distrust()
        if index.loose:
            raise Damaged(str(index.loose), fix="lumen archive verify")
        found = list(look())
    kept = [item for item in found if so(item)]
    if len(kept) < len(found):
        index.repairs.append("Some of what I know does not hold: lumen archive verify")
    return kept


def _quoted(item: Evidence) -> Iterable[Memory]:
    return (item.memory, item.replaces) if item.replaces else (item.memory,)


def _alone(item: Evidence) -> Evidence:
    """Evidence without what stands beside it, which may not hold."""
    return replace(item, found=replace(item.found, neighbours=())) if item.found else item


def of_evidence(item: Evidence) -> Iterable[Memory]:
    """The memories that a piece of evidence shows: quoted, replaced, and beside it."""
    beside = item.found.neighbours if item.found else ()
    return (*_quoted(item), *beside)
