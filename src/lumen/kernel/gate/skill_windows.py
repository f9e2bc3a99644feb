"""Skills that run at the same time are watched against one memory of how everything stood.

A second skill that begins while a first runs must not take what the first has changed already for how
things were: what is put back when it ends is what stood before either of them. Which of them did it
cannot be told, so all that ran are held to account. What turns of this process wrote through the gate
meanwhile is archived, and is nobody's meddling.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Before:
    """How everything stood when a skill began."""

    files: Mapping[str, bytes]
    heads: bytes
    last: int  # event
    last_hash: str


@dataclass(eq=False, slots=True)
class Window:
    """One skill at work, and what was changed meanwhile that is none of its business."""

    name: str
    meddled: list[str] = field(default_factory=list)


@dataclass(slots=True)
class Windows:
    """The skills at work through one gate; `look` puts back, now, what any of them has changed."""

    open: list[Window] = field(default_factory=list)
    before: Before | None = None
    look: Callable[[], None] = lambda: None

    @property
    def names(self) -> str:
        """Who is at work."""
        return " or ".join(dict.fromkeys(one.name for one in self.open))

    def changed(self, paths: list[str]) -> None:
        """Hold every skill at work to account for what was put back."""
        for one in self.open:
            one.meddled += paths
