"""A question's vector, turned towards the statements that answer such questions.

To an embedder a question is near to what speaks of the same, also where that answers nothing. What was learnt of
questions and the statements that answer them turns the question alone: what is stored stays as it is. An adapter
is data, by embedder (adapters/), made by lab/query_adapters.py.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np

from lumen.kernel.language.passages import Rows

FOLDER = Path(__file__).with_name("adapters")


@dataclass(frozen=True, slots=True)
class QueryAdapter:
    """What a vector shares with each of some directions is added to it along another: q + (q · from) to."""

    directions: Rows  # those that are looked for, and those that are added: (2, rank, numbers)

    def turned(self, question: Rows) -> Rows:
        """The vector that statements are compared with, of length 1."""
        looked_for, added = self.directions
        # vecdot stays in its thread, which a product by @ does not
        moved = question + np.vecdot(added.T, np.vecdot(looked_for, question))
        turned: Rows = (moved / np.linalg.norm(moved)).astype(np.float32)
        return turned


def adapter_file(embedder: str) -> Path:
    """Where the adapter of an embedder is kept."""
    return FOLDER / f"{embedder}.npy"


@cache
def adapter_for(embedder: str) -> QueryAdapter | None:
    """The adapter learnt with an embedder; None: its questions are compared as they are."""
    file = adapter_file(embedder)
    return QueryAdapter(np.load(file).astype(np.float32)) if file.is_file() else None
