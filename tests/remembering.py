"""The shipped embedder, which works out once in a run what many tests tell their beings."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from lumen.mind.embed import MAX_CHARS, Matrix, MiniLM


class Remembering(MiniLM):
    """Gives the rows the real one gave: the same text has the same vector, whatever stands beside."""

    def __init__(self) -> None:
        super().__init__()
        self._rows: dict[str, Matrix] = {}

    def embed(self, texts: Sequence[str]) -> Matrix:
        """One row of length 1 for each text."""
        read = [text[:MAX_CHARS] for text in texts]
        new = [text for text in dict.fromkeys(read) if text not in self._rows]
        self._rows |= dict(zip(new, super().embed(new), strict=True))
        rows = [self._rows[text] for text in read]
        return np.stack(rows) if rows else super().embed([])
