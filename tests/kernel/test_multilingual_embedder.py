"""The built-in embedder reads many languages; and a being that has vectors of the one before makes them anew."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import pytest
from tests.kernel.choosing import FACTS
from tests.waiting import wait_until

from lumen.kernel.recall.search import IndexedRecall
from lumen.kernel.upkeep.background_indexing import Learner
from lumen.mind.e5 import E5
from lumen.mind.minilm import MiniLM
from lumen.soul.archive.locks import FileLocks
from lumen.soul.index.index import Index

if TYPE_CHECKING:
    from tests.kernel.conftest import Life

ASKED = (
    ("Где живёт моя сестра?", 0),
    ("Wogegen bin ich allergisch?", 1),
    ("Как зовут собаку?", 2),
    ("Welche Farbe hat unser Auto?", 4),
)
MEANT = "Which medicine can't I take?"  # shares no word with what answers it


@pytest.fixture(scope="module")
def minilm() -> MiniLM:
    return MiniLM()


@pytest.fixture
def old(life: Life, minilm: MiniLM, embedder: E5) -> list[int]:
    """What a being was told whose vectors are MiniLM's, opened with the embedder of today."""
    told = life.tell(*FACTS)
    life.kernel.index.catch_up()
    before = IndexedRecall(life.kernel.index, minilm)
    while before.learn():
        pass
    assert life.kernel.index.vectors.progress() == (7, 7)
    life.kernel.recall = IndexedRecall(life.kernel.index, embedder)
    return told


@pytest.mark.parametrize(("question", "fact"), ASKED)
def test_what_was_told_in_english_is_found_when_asked_in_another_language(
    life: Life, question: str, fact: int
) -> None:
    told = life.tell(*FACTS)
    life.kernel.index.catch_up()
    while life.kernel.recall.learn():
        pass
    assert life.recalls(question)[0].memory.seq == told[fact]


def test_a_being_with_vectors_of_the_embedder_before_is_found_in_by_words_at_once(
    life: Life, old: list[int]
) -> None:
    vectors = life.kernel.index.vectors
    assert vectors.progress(E5.id) == (0, 7), "none of the old ones counts"
    assert life.recalls("Where is my sister?")[0].memory.seq == old[0]
    done, of = vectors.progress(E5.id)
    assert 0 < done < of == 7, "what the words found was learnt, and nothing else"


def test_and_by_meaning_when_it_was_learnt_anew_as_if_there_had_been_no_other(
    life: Life, old: list[int], embedder: E5, minilm: MiniLM
) -> None:
    while life.kernel.recall.learn():
        pass
    found = life.recalls(MEANT)
    assert found[0].memory.seq == old[1]
    kept = life.kernel.index.vectors.built_in(embedder.id).passages_of(old)
    rows = embedder.embed([FACTS[old.index(p.seq)][p.start : p.stop] for p in kept])
    assert [p.vector for p in kept] == [row.tobytes() for row in rows]
    late = IndexedRecall(life.kernel.index, minilm)  # as a process of the version before would
    late.learn()
    life.kernel.recall = IndexedRecall(life.kernel.index, embedder)
    while life.kernel.recall.learn():
        pass
    assert [(e.memory.seq, e.score) for e in life.recalls(MEANT)] == [
        (e.memory.seq, e.score) for e in found
    ]


def test_it_is_learnt_anew_in_the_background_while_recall_goes_on(
    life: Life, old: list[int], embedder: E5
) -> None:
    learner = Learner(FileLocks(life.being), partial(Index, life.being), embedder)
    learner.start()
    try:
        assert life.recalls("Where is my sister?")[0].memory.seq == old[0]
        wait_until(lambda: life.kernel.index.vectors.progress(E5.id) == (7, 7))
    finally:
        learner.close()
    assert life.recalls(MEANT)[0].memory.seq == old[1]
