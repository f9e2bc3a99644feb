"""The multilingual embedder that ships, where an author chose it: another language is no other subject."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from tests.kernel.choosing import FACTS, built_in, external_of

from lumen.kernel.recall.search import IndexedRecall
from lumen.mind.embed import Multilingual

if TYPE_CHECKING:
    from tests.kernel.conftest import Life

ASKED = (
    ("Где живёт моя сестра?", 0),
    ("Wogegen bin ich allergisch?", 1),
    ("Как зовут собаку?", 2),
    ("Welche Farbe hat unser Auto?", 4),
)


@pytest.fixture
def told(life: Life) -> list[int]:
    """What a being was told in English before its author chose the multilingual embedder."""
    seqs = life.tell(*FACTS)
    life.kernel.index.catch_up()
    while life.kernel.recall.learn():
        pass
    many = Multilingual()
    life.kernel.index.vectors.choose(many.id, private=many.local)
    life.kernel.recall = IndexedRecall(life.kernel.index, life.kernel.recall.embedder, many)
    return seqs


@pytest.mark.parametrize(("question", "fact"), ASKED)
def test_what_was_told_in_english_is_found_when_asked_in_another_language(
    life: Life, told: list[int], question: str, fact: int
) -> None:
    while life.kernel.recall.learn():
        pass
    assert life.recalls(question)[0].memory.seq == told[fact]


def test_while_its_set_is_made_words_and_the_built_in_vectors_serve(
    life: Life, told: list[int]
) -> None:
    before = [(e.memory.seq, e.score) for e in built_in(life).evidence("Where is my sister?")]
    assert before[0][0] == told[0]
    assert [(e.memory.seq, e.score) for e in life.recalls("Where is my sister?")] == before
    assert "reindexing with embedded/multilingual-e5-small: 0 of 7" in life.kernel.recall.trouble()
    assert external_of(life).learn() == len(FACTS)
    assert life.kernel.index.vectors.reindexed(Multilingual.id) == (7, 7)
