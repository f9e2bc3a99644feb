"""How near single words are: by their vectors, and in Russian by how they begin.

The built-in embedder knows English; to it all Russian words look alike, so they are compared as
spelled: кошек and кошки are one word, дочь and кошки are not.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from lumen.kernel.language.lexicon import AnswerKind
from lumen.kernel.language.passages import Rows
from lumen.kernel.language.reading import CYRILLIC
from lumen.kernel.recall.ranking import RANKING

STEM, ENDING = 3, 2  # letters that must agree at least, and those that may differ at the end


def akin(one: str, other: str) -> bool:
    """Whether two Russian words are forms of one, as far as their beginnings tell."""
    least = max(STEM, min(len(one), len(other)) - ENDING)
    return one[:least] == other[:least]


def nearness(asked: Sequence[str], held: Sequence[str], cosines: Rows) -> Rows:
    """How near each asked word is to each held one."""
    near = np.array(cosines)
    for row, word in enumerate(asked):
        if CYRILLIC.match(word):
            near[row] = [float(akin(word, other)) for other in held]
    return near


def is_met(asked: Sequence[str], best: Rows, named: set[str], kind: AnswerKind | None) -> bool:
    """Whether half of what was asked about is spoken of: a shared name alone answers nothing,
    and neither does the word that only asks for one.
    """
    plain = [(w, float(n)) for w, n in zip(asked, best, strict=True) if w not in named]
    about = [n for w, n in plain if not _asks_only(w, kind)] or [n for _, n in plain]
    return sum(n >= RANKING.met for n in about) * 2 >= len(plain)


def is_foreign(asked: Sequence[str], best: Rows, kind: AnswerKind | None) -> bool:
    """Whether a Russian question is about nothing that a text speaks of: then no likeness counts."""
    about = [float(n) for w, n in zip(asked, best, strict=True) if not _asks_only(w, kind)]
    return any(map(CYRILLIC.match, asked)) and not any(n >= RANKING.met for n in about)


def _asks_only(word: str, kind: AnswerKind | None) -> bool:
    """Whether a word asks for a name and tells nothing of whose."""
    return kind is not None and kind.names and kind.asks.fullmatch(word) is not None
