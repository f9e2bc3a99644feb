"""Whether a text tells of anything private: every private memory is known by its stretches and words.

A cache in the index, outside the fold, holds a number for each stretch of words and each uncommon word
the author said privately. A text is looked up by its own, so what that takes does not grow with the
memories. What the author has said openly too is no secret, and neither is what templates say.
"""

from __future__ import annotations

from functools import cache
from hashlib import blake2b
from pathlib import Path

from lumen.kernel.language.overlap import folded, runs, sequence
from lumen.mind.built_in import is_ordinary
from lumen.soul.ports.queries import Queries

PROMPTS = Path(__file__).parents[1] / "prompts"
SHORTEST = 4  # letters of a word that tells something by itself
LEAST_DIGITS = 5  # fewer are a year or a count


class Confidential:
    """What must not leave, over one index that is caught up."""

    def __init__(self, index: Queries) -> None:
        self._index = index

    def tells(self, text: str) -> bool:
        """Whether a text holds a stretch or a word that the author said in private only."""
        self._index.withheld.learn(lambda said: map(_number, _marks(said)))
        marks = {_number(mark): mark for mark in _marks(text)}
        return any(not self._open(marks[number]) for number in self._index.withheld.known(marks))

    def _open(self, mark: str) -> bool:
        """Whether the author said it openly as well."""
        texts = self._index.withheld.said_openly(mark.split())
        return any(f" {mark} " in f" {' '.join(sequence(text))} " for text in texts)


def _marks(text: str) -> set[str]:
    """Stretches that are no coincidence and words no dictionary has; what templates say aside."""
    said = set(sequence(text))
    strange = {w for w in said if len(w) >= SHORTEST and not is_ordinary(w)}
    telling = {w for w in strange if not w.isdigit() or len(w) >= LEAST_DIGITS}
    return (runs(text) | telling) - _shipped()


@cache
def _shipped() -> frozenset[str]:
    """What every prompt says by itself."""
    texts = [path.read_text("utf-8") for path in sorted(PROMPTS.rglob("*.md"))]
    return frozenset(
        {run for t in texts for run in runs(t)} | {w for t in texts for w in sequence(t)}
    )


def _number(mark: str) -> int:
    """A mark as it is kept: nobody reads words off it."""
    return int.from_bytes(blake2b(folded(mark).encode(), digest_size=8).digest(), signed=True)
