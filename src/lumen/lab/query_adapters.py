"""How a query adapter is learnt: questions are drawn to what answers them, away from all else that was said there.

A softmax over the cosines of a question with every message of its conversation; the loss is -ln of the share that falls to any that
answers. The whole matrix is learnt, held to what it was before, and cut to its strongest directions.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from lumen.kernel.language.passages import Embedder
from lumen.kernel.language.reading import words
from lumen.kernel.recall.fusion import as_embedded
from lumen.kernel.recall.query_adapter import QueryAdapter
from lumen.lab.recall_data import LabConversation
from lumen.lab.recall_weights import Vector, lowest

RANK = 32
SHARPNESS, RIDGE, STEPS = 20.0, 0.05, 40
SHARES = {"locomo": 1.0, "beam": 5.0}  # how much a question of a set counts
OTHERS = 8.0  # sets of lab facts: a dozen questions or two each
Rows = NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class EmbeddedTalk:
    """A conversation as vectors: what was said, what is asked, and what answers what."""

    name: str
    said: Rows
    asked: Rows
    right: NDArray[np.bool_]
    share: float


def embedded(one: LabConversation, embedder: Embedder) -> EmbeddedTalk:
    """The vectors of a conversation, its questions as recall has them embedded."""
    speakers = {word for m in one.messages for word in words(m.speaker or "")}
    asked = [as_embedded(q.text, speakers & {*words(q.text)}) for q in one.questions]
    right = np.zeros((len(asked), len(one.messages)), bool)
    for n, question in enumerate(one.questions):
        right[n, sorted(question.gold)] = True
    return EmbeddedTalk(
        one.name,
        embedder.embed([m.text for m in one.messages]),
        embedder.embed(asked),
        right,
        SHARES.get(one.dataset, OTHERS),
    )


def learnt_adapter(talks: Sequence[EmbeddedTalk]) -> QueryAdapter:
    """The adapter that these questions ask for."""
    size = talks[0].said.shape[1]
    whole = sum(len(t.asked) * t.share for t in talks)

    def loss(at: Vector) -> tuple[float, Vector]:
        moved = at.reshape(size, size).astype(np.float32)
        turning, total, slope = np.eye(size, dtype=np.float32) + moved, 0.0, np.zeros((size, size))
        for t in talks:
            score = SHARPNESS * (t.asked @ turning @ t.said.T)
            share = np.exp(score - score.max(axis=1, keepdims=True))
            share /= share.sum(axis=1, keepdims=True)
            hit = share * t.right
            hits = np.maximum(hit.sum(axis=1, keepdims=True), 1e-12)
            total -= t.share * float(np.log(hits).sum())
            slope += t.share * SHARPNESS * (t.asked.T @ ((share - hit / hits) @ t.said))
        pull: Vector = slope / whole + 2 * RIDGE * at.reshape(size, size)
        return total / whole + RIDGE * float(at @ at), pull.ravel()

    moved = lowest(loss, np.zeros(size * size), STEPS).reshape(size, size)
    left, strength, right = np.linalg.svd(moved)
    strong = np.sqrt(strength[:RANK, None])
    return QueryAdapter(
        np.stack([left[:, :RANK].T * strong, right[:RANK] * strong]).astype(np.float32)
    )


def adapters_left_out(talks: Sequence[EmbeddedTalk]) -> Mapping[str, QueryAdapter]:
    """For each conversation an adapter that never saw it."""
    return {one.name: learnt_adapter([t for t in talks if t is not one]) for one in talks}
