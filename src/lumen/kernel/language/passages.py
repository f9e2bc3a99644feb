"""What of a memory is given vectors, and how a passage of it is quoted."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from lumen.core.data import Author, EventType, Memory, Origin
from lumen.kernel.language.reading import sentences, unframed

MOST_SENTENCES = 32
STRETCH, MOST_STRETCHES = 400, 8  # characters of a stretch, and stretches of a text
LONGEST_QUOTE = 280
Rows = NDArray[np.float32]
Spot = tuple[int, int, int]  # a memory's number, and where a passage of it begins and ends


class Embedder(Protocol):
    """What recall asks of mind: texts to unit vectors."""

    @property
    def id(self) -> str:
        """Which embedder; vectors of two are never mixed."""
        ...

    def embed(self, texts: Sequence[str]) -> Rows:
        """One unit row per text."""
        ...


def is_evidence(memory: Memory) -> bool:
    """Whether a memory is the author's own word. Only that may ground an answer."""
    return (
        memory.author is Author.EXTERNAL
        and memory.origin is Origin.AUTHOR
        and memory.event_type is EventType.AUTHOR_MESSAGE
    )


def passages(text: str) -> list[tuple[int, int]]:
    """The whole text, and each of its sentences when there are several."""
    spans = sentences(text[: 64 * 1024])[:MOST_SENTENCES]
    whole = (0, len(text))
    return [whole, *spans] if len(spans) > 1 else [whole]


def stretches(text: str) -> list[tuple[int, int]]:
    """The text in stretches of whole sentences, as long as an embedder reads well; the first few."""
    found: list[tuple[int, int]] = []
    for start, stop in sentences(text[: 2 * STRETCH * MOST_STRETCHES]):
        if found and stop - found[-1][0] <= STRETCH:
            found[-1] = (found[-1][0], stop)
        else:
            found += [(a, min(a + STRETCH, stop)) for a in range(start, stop, STRETCH)]
        if len(found) > MOST_STRETCHES:
            break
    return found[:MOST_STRETCHES] or [(0, len(text))]


def quoted(text: str, start: int, stop: int, *, alone: bool = False) -> str:
    """A passage as it is quoted: short messages whole, long ones around the passage; or it alone."""
    if alone:
        text, start, stop = text[start:stop], 0, stop - start
    if len(text) <= LONGEST_QUOTE:
        return " ".join(unframed(text).split())
    # Only what can be quoted is looked at: in a long text every sentence would be, for a line of it.
    left = max(0, start - 2 * LONGEST_QUOTE)
    near = sentences(text[left : start + 4 * LONGEST_QUOTE])
    spans = [(left + a, left + b) for a, b in near if a or not left]
    first = last = next((n for n, (_, b) in enumerate(spans) if b > start), len(spans) - 1)
    while True:
        if last + 1 < len(spans) and spans[last + 1][1] - spans[first][0] <= LONGEST_QUOTE:
            last += 1
        elif first and spans[last][1] - spans[first - 1][0] <= LONGEST_QUOTE:
            first -= 1
        else:
            break
    piece = " ".join(unframed(text[spans[first][0] : spans[last][1]]).split())
    return piece if len(piece) <= LONGEST_QUOTE else piece[: LONGEST_QUOTE - 1] + "…"
