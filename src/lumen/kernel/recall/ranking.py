"""What recall weighs evidence by: the numbers of its law, measured in docs/decisions/0004."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Ranking:
    """What is added to the nearness of a passage, and from where on two texts share a subject."""

    exact: float = 0.1  # for the share of the question's words that a passage holds
    near: float = 0.3  # for the same share by nearness of single words
    near_from: float = 0.3  # two words nearer than this count for that
    met: float = 0.55  # a plain word is met by one so near to it
    kind: float = 0.08  # for whether it holds the kind of answer asked for, or not
    thin: float = 0.1  # against one that says next to nothing the question did not
    same_subject: float = 0.32
    surely: float = 0.4  # so near, one shared word is enough
    seldom: int = 8  # memories that a word may stand in and still tell something


RANKING = Ranking()
