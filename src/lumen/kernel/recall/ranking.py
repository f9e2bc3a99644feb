"""What recall weighs evidence by: the numbers of its law, measured in docs/decisions/0004."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

from lumen.kernel.language.thresholds import thresholds


@dataclass(frozen=True, slots=True)
class Ranking:
    """What is added to the nearness of a passage, and from where on two texts share a subject."""

    near_from: float  # two words nearer than this count for the share by nearness
    met: float  # a plain word is met by one so near to it
    same_subject: float
    surely: float  # so near, a statement that says it changes something may mean the other
    alone: float  # so near, one shared word is enough where it says no more than "now" or "new"
    exact: float = 0.1  # for the share of the question's words that a passage holds
    near: float = 0.3  # for the same share by nearness of single words
    kind: float = 0.08  # for whether it holds the kind of answer asked for, or not
    thin: float = 0.1  # against one that says next to nothing the question did not
    of_sort: float = 0.5  # a word for what sort of thing is asked for is met by one so near
    seldom: float = 8  # memories that a word may stand in and still tell something


@cache
def ranking_for(embedder: str) -> Ranking:
    """The numbers that go with an embedder."""
    return Ranking(**thresholds(embedder, "ranking"))
