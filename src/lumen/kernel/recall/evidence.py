"""What can be remembered, as steps ask for it: the author's words that bear on a question."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Protocol

from lumen.core.canon import JSON
from lumen.core.data import Memory
from lumen.kernel.language.spans import Span
from lumen.kernel.recall.summary import Line, Noted


@dataclass(frozen=True, slots=True)
class Evidence:
    """Something the author said that bears on the question."""

    memory: Memory
    quote: str
    score: float
    fits: bool | None = None  # does it hold the kind of answer asked for; None: cannot tell
    replaces: Memory | None = None

    def cited(self) -> JSON:
        """As a trace names it: by its event, never by its words."""
        told = {"event": self.memory.seq, "score": round(self.score, 4)}
        return told | ({"replaces": self.replaces.seq} if self.replaces else {})


class Recall(Protocol):
    """What a step may remember: never a kernel memory."""

    def recent(self) -> tuple[Memory, ...]:
        """The last two exchanges before this turn."""
        ...

    def evidence(self, question: str) -> tuple[Evidence, ...]:
        """What the author said that bears on a question, best first."""
        ...

    def within(self, span: Span) -> list[Noted | Line]:
        """What the author said in a stretch of time."""
        ...

    def is_private(self, seqs: Iterable[int]) -> bool:
        """Whether any of some memories must not leave."""
        ...

    def replaced(self) -> Memory | None:
        """The earlier statement that this turn's message openly revises."""
        ...

    def is_foreign(self, question: str) -> bool:
        """Whether some of what was told is in letters that a question has none of."""
        ...

    def likeness(self, texts: tuple[str, ...], to: str) -> tuple[float, ...]:
        """How near each text is in meaning to another, from -1 to 1."""
        ...

    def statements(self) -> tuple[Memory, ...]:
        """What the author said of themselves and did not take back, the newest first."""
        ...
