"""A question is drawn to what answers it, away from what only speaks of the same."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest

from lumen.kernel.recall.fusion import as_embedded
from lumen.kernel.recall.query_adapter import QueryAdapter, adapter_for

if TYPE_CHECKING:
    from lumen.mind.e5 import E5

ASKED = (
    (
        "Wie heißt mein Hund?",
        "Auf meinen Füßen liegt grad der Dackel, der Flocki.",
        "Der Hund schaut zu und bellt nicht mal.",
    ),
    (
        "What does my brother do for a living?",
        "My brother has been laying tiles for a firm in Hull since May.",
        "My brother and I talked about the living room again.",
    ),
    (
        "Чего боится мой сын?",
        "Сын наотрез отказывается заходить в лифт, аж трясётся.",
        "Сын сегодня опять допоздна сидел за уроками.",
    ),
    (
        "How old is my grandfather?",
        "Grandpa turned ninety-one on Sunday and danced.",
        "My grandfather is an old hand at chess.",
    ),
    (
        "Where does my sister work?",
        "Clara started at the harbour office in spring, my sister of all people.",
        "My sister says work is work.",
    ),
)


@pytest.mark.parametrize(("question", "answers", "speaks"), ASKED, ids=[q for q, _, _ in ASKED])
def test_a_question_is_nearer_to_what_answers_it_than_it_was(
    embedder: E5, question: str, answers: str, speaks: str
) -> None:
    adapter = adapter_for(embedder.id)
    assert adapter
    plain = embedder.embed([as_embedded(question, ())])[0]
    turned = adapter.turned(plain)
    assert float(np.linalg.norm(turned)) == pytest.approx(1, abs=1e-5)
    two = embedder.embed([answers, speaks])
    before, after = (float(np.diff(two @ one)[0]) for one in (plain, turned))
    assert after < before - 0.01


def test_without_directions_a_vector_is_as_it_was() -> None:
    one = np.array([0.6, 0.8], np.float32)
    none = QueryAdapter(np.zeros((2, 3, 2), np.float32))
    assert none.turned(one).tolist() == pytest.approx(one.tolist())
    assert adapter_for("somebody-elses") is None
