"""Recall as one turn has it: everything before the turn's own first event, and nothing after.

A value that cannot be moved, so turns of one process that run at the same time each have their own
over the caches they share (search.py).
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from lumen.core.data import Memory
from lumen.kernel.language.passages import Rows
from lumen.kernel.language.spans import Span
from lumen.kernel.recall.evidence import Evidence
from lumen.kernel.recall.search import IndexedRecall
from lumen.kernel.recall.summary import Line, Noted

EVERYTHING = 1 << 60  # before this event: all there is


@dataclass(frozen=True, slots=True)
class RecallBefore:
    """What may be recalled in the turn that begins with an event: a turn does not recall itself."""

    recall: IndexedRecall
    before: int = EVERYTHING

    def recent(self) -> tuple[Memory, ...]:
        """The last two exchanges before this turn."""
        return self.recall.recent(self.before)

    def evidence(self, question: str) -> tuple[Evidence, ...]:
        """What the author said that bears on a question, best first."""
        return self.recall.evidence(question, self.before)

    def within(self, span: Span) -> list[Noted | Line]:
        """What the author said in a stretch of time."""
        return self.recall.within(span, self.before)

    def replaced(self) -> Memory | None:
        """The earlier statement that this turn's message openly revises."""
        return self.recall.replaced(self.before)

    def unproved(self) -> float:
        """How well the best evidence bears that was left out: nothing is, here."""
        return 0.0

    def statements(self) -> tuple[Memory, ...]:
        """What the author told, of themselves or others, and did not take back, the newest first."""
        return self.recall.statements(self.before)

    def is_private(self, seqs: Iterable[int]) -> bool:
        """Whether any of some memories must not leave."""
        return self.recall.is_private(seqs)

    def meaning(self, text: str) -> Rows:
        """The vector of a text, of the built-in embedder; the turn's own message has one already."""
        return self.recall.meaning(text, self.before)

    def likeness(self, texts: tuple[str, ...], to: str) -> tuple[float, ...]:
        """How near each text is in meaning to another."""
        return self.recall.likeness(texts, to)
