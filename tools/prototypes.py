"""Make the rows by which a text is told to be of a group: messages by lexicon/intents.toml, values by kinds.toml,
the feelings of statements by moods.toml, what they do in the talk by moves.toml.

uv run python tools/prototypes.py    write prototypes.json, kinds.json, moods.json and moves.json in src/lumen/kernel/language/lexicon anew

Whoever changes a sentence there writes them anew.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from lumen.core.canon import sha256
from lumen.kernel.choice.kinds import FILE, described
from lumen.kernel.language import feelings, moves
from lumen.kernel.language.passages import Embedder, Rows
from lumen.kernel.language.prototypes import ANCHORS, KIND_ROWS, ROWS, groups
from lumen.mind.e5 import E5
from lumen.mind.minilm import MiniLM

RIDGE = (
    0.6  # how much a row is held back from fitting its sentences: with less, one sentence decides
)
WORDS_RIDGE = 0.3  # of single words, which say less than sentences
MOODS_RIDGE = 1.5  # of feelings: plain remarks are of every kind, and no row may follow one of them
PLAIN_COUNTS = 2.0  # times as much as a feeling: most of what is told is plain
TOLD_COUNTS = (
    4.0  # times as much as a move: a fact that is met as a nod is worse than the other way round
)
DIGITS = 3


def rows(
    embedder: Embedder,
    sentences: Sequence[Sequence[str]],
    ridge: float = RIDGE,
    first_counts: float = 1.0,
) -> Rows:
    """A row a group, and its offset: weighted ridge regression, so that a small group counts as much.

    The first group may count more than the others.
    """
    labels = np.array([n for n, group in enumerate(sentences) for _ in group])
    vectors = embedder.embed([text for group in sentences for text in group])
    mean = vectors.mean(0)
    given = np.hstack([vectors - mean, np.ones((len(vectors), 1), np.float32)])
    weight = (1 / np.bincount(labels))[labels] * np.where(labels == 0, first_counts, 1.0)
    weighted = given * (weight / weight.mean())[:, None]
    held_back = ridge * np.eye(given.shape[1])
    held_back[-1, -1] = 1e-6  # the offset is free
    fitted = np.linalg.solve(
        given.T @ weighted + held_back, weighted.T @ np.eye(len(sentences))[labels]
    )
    offset = fitted[-1] - mean @ fitted[:-1]
    return np.hstack([fitted[:-1].T, offset[:, None]]).astype(np.float32)


def write(
    file: Path,
    anchors: Path,
    sentences: Sequence[Sequence[str]],
    ridge: float,
    first_counts: float = 1.0,
) -> None:
    """Write the rows of both built-in embedders, and of which sentences they are."""
    told = {one.id: rows(one, sentences, ridge, first_counts) for one in (E5(), MiniLM())}
    whole = {
        name: [[round(float(x), DIGITS) for x in row] for row in many]
        for name, many in told.items()
    }
    file.write_text(
        json.dumps({"of": sha256(anchors.read_bytes()), "rows": whole}, separators=(",", ":"))
        + "\n"
    )


def main() -> None:
    """Write every file."""
    write(ROWS, ANCHORS, [group.sentences for group in groups()], RIDGE)
    write(KIND_ROWS, FILE, list(described().values()), WORDS_RIDGE)
    write(
        feelings.ROWS, feelings.ANCHORS, list(feelings.moods().values()), MOODS_RIDGE, PLAIN_COUNTS
    )
    told = [group.sentences for group in moves.move_groups()]
    write(moves.ROWS, moves.ANCHORS, told, MOODS_RIDGE, TOLD_COUNTS)


if __name__ == "__main__":
    main()
