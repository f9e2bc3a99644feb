"""Make the rows by which a message is told to be of a group, from the sentences in lexicon/intents.toml.

uv run python tools/prototypes.py    write src/lumen/kernel/language/lexicon/prototypes.json anew

Whoever changes a sentence there writes it anew.
"""

from __future__ import annotations

import json

import numpy as np

from lumen.core.canon import sha256
from lumen.kernel.language.passages import Embedder, Rows
from lumen.kernel.language.prototypes import ANCHORS, ROWS, groups
from lumen.mind.e5 import E5
from lumen.mind.minilm import MiniLM

RIDGE = (
    0.6  # how much a row is held back from fitting its sentences: with less, one sentence decides
)
DIGITS = 3


def rows(embedder: Embedder) -> Rows:
    """A row a group, and its offset: weighted ridge regression, so that a small group counts as much."""
    labels = np.array([n for n, group in enumerate(groups()) for _ in group.sentences])
    vectors = embedder.embed([text for group in groups() for text in group.sentences])
    mean = vectors.mean(0)
    given = np.hstack([vectors - mean, np.ones((len(vectors), 1), np.float32)])
    weight = (1 / np.bincount(labels))[labels]
    weighted = given * (weight / weight.mean())[:, None]
    held_back = RIDGE * np.eye(given.shape[1])
    held_back[-1, -1] = 1e-6  # the offset is free
    fitted = np.linalg.solve(
        given.T @ weighted + held_back, weighted.T @ np.eye(len(groups()))[labels]
    )
    offset = fitted[-1] - mean @ fitted[:-1]
    return np.hstack([fitted[:-1].T, offset[:, None]]).astype(np.float32)


def main() -> None:
    """Write the rows of both built-in embedders, and of which sentences they are."""
    told = {one.id: np.round(rows(one), DIGITS).tolist() for one in (E5(), MiniLM())}
    whole = {
        name: [[round(float(x), DIGITS) for x in row] for row in many]
        for name, many in told.items()
    }
    ROWS.write_text(
        json.dumps({"of": sha256(ANCHORS.read_bytes()), "rows": whole}, separators=(",", ":"))
        + "\n"
    )


if __name__ == "__main__":
    main()
