"""Make the rows by which a text is told to be of a group: messages by lexicon/intents.toml, values by kinds.toml,
the feelings of statements by moods.toml, what they do in the talk by moves.toml, what is asked of the being by asked.toml.

uv run python tools/prototypes.py    write prototypes.json, kinds.json, moods.json, moves.json and asked.json in
                                     src/lumen/kernel/language/lexicon anew; a minute or two

Whoever changes a sentence there writes them anew.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from lumen.core.canon import sha256
from lumen.kernel.choice.kinds import FILE, described
from lumen.kernel.language import asked_of_it, feelings, moves
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
ASKED_DIGITS = 2  # of rows that are probabilities once raised: the third digit changes none of them
STIFF = 3e-4  # how much a row of what is asked is held back, and how much it has to do with a vector of length 1
SCALE = 10.0
ROUNDS = 300  # of gradient descent: with 600 not one sentence of the tests is judged otherwise
PLAIN_ASKS = 4.0  # times as much as a kind: most of what is asked is not asked of the being
Fitted = Callable[[Embedder, Sequence[Sequence[str]]], Rows]


def likely_rows(embedder: Embedder, sentences: Sequence[Sequence[str]]) -> Rows:
    """A row a group and its offset: softmax regression, whose shares can be trusted as probabilities.

    Ridge rows tell few groups apart well; of fifty kinds they name half as many for the same few plain sentences
    that are taken for one.
    """
    labels = np.array([n for n, group in enumerate(sentences) for _ in group])
    vectors = embedder.embed([text for group in sentences for text in group])
    mean = vectors.mean(0)
    given = np.hstack([SCALE * (vectors - mean), np.ones((len(vectors), 1), np.float32)])
    weight = (1 / np.sqrt(np.bincount(labels)))[labels] * np.where(labels == 0, PLAIN_ASKS, 1.0)
    fitted = _descended(given, np.eye(len(sentences))[labels], weight / weight.sum())
    slopes = SCALE * fitted[:-1]
    offset = fitted[-1] - mean @ slopes
    return np.hstack([slopes.T, offset[:, None]]).astype(np.float32)


def _descended(
    given: NDArray[np.float64], wanted: NDArray[np.float64], weight: NDArray[np.float64]
) -> NDArray[np.float64]:
    """What fits best by Nesterov's descent; the offsets are free."""
    weighted = given * weight[:, None]
    step = 1 / (0.5 * np.linalg.eigvalsh(weighted.T @ given)[-1] + STIFF)
    free = np.full((given.shape[1], 1), STIFF)
    free[-1] = 0
    found = ahead = np.zeros((given.shape[1], wanted.shape[1]))
    pace = 1.0
    for _ in range(ROUNDS):
        scores = given @ ahead
        likely = np.exp(scores - scores.max(1, keepdims=True))
        likely /= likely.sum(1, keepdims=True)
        better = ahead - step * (weighted.T @ (likely - wanted) + free * ahead)
        faster = (1 + np.sqrt(1 + 4 * pace * pace)) / 2
        found, ahead, pace = better, better + (pace - 1) / faster * (better - found), faster
    return found


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
    fitted: Fitted,
    digits: int = DIGITS,
) -> None:
    """Write the rows of both built-in embedders, and of which sentences they are."""
    told = {one.id: fitted(one, sentences) for one in (E5(), MiniLM())}
    whole = {
        name: [[round(float(x), digits) for x in row] for row in many]
        for name, many in told.items()
    }
    file.write_text(
        json.dumps({"of": sha256(anchors.read_bytes()), "rows": whole}, separators=(",", ":"))
        + "\n"
    )


def ridged(ridge: float, first_counts: float = 1.0) -> Fitted:
    """How rows are made that are held back so far."""
    return lambda embedder, sentences: rows(embedder, sentences, ridge, first_counts)


def main() -> None:
    """Write every file."""
    write(ROWS, ANCHORS, [group.sentences for group in groups()], ridged(RIDGE))
    write(KIND_ROWS, FILE, list(described().values()), ridged(WORDS_RIDGE))
    moods = list(feelings.moods().values())
    write(feelings.ROWS, feelings.ANCHORS, moods, ridged(MOODS_RIDGE, PLAIN_COUNTS))
    told = [group.sentences for group in moves.move_groups()]
    write(moves.ROWS, moves.ANCHORS, told, ridged(MOODS_RIDGE, TOLD_COUNTS))
    asked = asked_of_it.labelled()
    write(asked_of_it.ROWS, asked_of_it.ANCHORS, asked, likely_rows, ASKED_DIGITS)


if __name__ == "__main__":
    main()
