"""Choosing another embedder, forgetting, rebuilding, learning in the background and in two processes."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pytest
from tests.forking import start_program
from tests.kernel.choosing import (
    FACTS,
    PARAPHRASES,
    built_in,
    choosing,
    external_of,
    reindexed_in_the_end,
    settle,
    vectors_in,
)
from tests.serving import Answer, Twisted, embedding, serving
from tests.storing import tables

from lumen.kernel.gate.recovery import erase
from lumen.kernel.recall.external_embedder import anchor_texts
from lumen.kernel.recall.search import IndexedRecall
from lumen.kernel.upkeep.background_indexing import Learner
from lumen.kernel.upkeep.forget import find, plan
from lumen.kernel.upkeep.maintain import learn, reindex
from lumen.mind.e5 import E5
from lumen.soul.archive.locks import FileLocks
from lumen.soul.index.index import Index
from lumen.soul.index.passages import BUILT_IN, CHOSEN

if TYPE_CHECKING:
    from tests.kernel.conftest import Life

pytestmark = pytest.mark.usefixtures("unturned")

QUESTION = PARAPHRASES[0][0]
BEGUN = "SELECT id, scale FROM embedders WHERE number = 1"


@pytest.fixture
def twisted(embedder: E5) -> Callable[[list[str]], Answer]:
    return embedding(Twisted(embedder.embed))


def learnt(life: Life) -> None:
    life.kernel.index.catch_up()
    while life.kernel.recall.learn():
        pass


def kept_by(life: Life, name: str) -> list[bytes]:
    return [p.vector for p in life.kernel.index.vectors.external(name, private=False).after(0)]


def built_in_rows(life: Life) -> list[object]:
    return tables(life.kernel.index).rows("SELECT * FROM passages WHERE embedder = 0 ORDER BY id")


def best(life: Life) -> list[tuple[int, float]]:
    return [(e.memory.seq, e.score) for e in life.recalls(QUESTION)]


def test_from_one_to_another_and_back_to_the_built_in_one(life: Life, embedder: E5) -> None:
    told = life.tell(*FACTS)
    learnt(life)
    before = built_in_rows(life)
    plain = best(life)
    first, second = (embedding(Twisted(embedder.embed, n, 0.2 + n / 2)) for n in (0, 1))
    with serving(first) as a, serving(second) as b:
        settle(life, a, "far/a")
        assert best(life) == plain
        learnt(life)
        by_a = kept_by(life, "far/a")
        assert len(by_a) == len(FACTS)
        assert best(life)[0][0] == told[0]

        settle(life, b, "far/b")
        assert vectors_in(life, CHOSEN) == {}
        assert best(life) == plain
        assert life.kernel.recall.trouble().startswith("reindexing with far/b: 0 of 7")
        assert life.kernel.index.vectors.reindexed("far/b") == (0, len(FACTS))
        learnt(life)
        by_b = kept_by(life, "far/b")
        assert len(by_b) == len(FACTS)
        assert not set(by_a) & set(by_b)
        np.testing.assert_allclose([x for _, x in best(life)], [x for _, x in plain], atol=5e-3)
        assert a.texts.count(FACTS[0]) == b.texts.count(FACTS[0]) == 1

        life.kernel.index.vectors.choose("")
        life.kernel.recall.close()
        life.kernel.recall = IndexedRecall(life.kernel.index, embedder)
        assert vectors_in(life, CHOSEN) == {}
        asked = len(a.sent) + len(b.sent)
        assert best(life) == plain
        assert len(a.sent) + len(b.sent) == asked
    assert built_in_rows(life) == before


def test_a_process_with_the_embedder_of_before_stands_aside_and_sends_nothing(
    life: Life, wake_again: Callable[[Life], Life], twisted: Callable[[list[str]], Answer]
) -> None:
    """Otherwise the two would drop each other's work in turn, and pay for it."""
    life.tell(*FACTS)
    other = wake_again(life)
    with serving(twisted) as a, serving(twisted) as b:
        settle(life, a, "far/a")
        learnt(life)
        sent = len(a.sent)
        settle(other, b, "far/b")
        learnt(other)
        life.tell("I like rice.")
        learnt(life)
        assert best(life)[0] == pytest.approx((best(other)[0][0], best(other)[0][1]), abs=5e-3)
        assert "another embedder was chosen meanwhile" in life.kernel.recall.trouble()
        assert len(a.sent) == sent
        learnt(other)
        assert len(vectors_in(life, CHOSEN)) == len(FACTS) + 1
        life.kernel.recall.close()
        other.kernel.recall.close()


def test_what_is_forgotten_is_in_no_set_and_is_found_by_none(
    life: Life, twisted: Callable[[list[str]], Answer]
) -> None:
    sister, *others = life.tell(*FACTS)
    with choosing(life, twisted):
        learnt(life)
        assert best(life)[0][0] == sister
        found = plan(life.kernel.gate, find(life.kernel.index, str(sister)))
        erase(life.kernel.gate, found.erasure, "The author had something forgotten.")
        assert sorted(vectors_in(life, BUILT_IN)) == others
        assert sorted(vectors_in(life, CHOSEN)) == others
        assert sister not in dict(best(life))
        life.tell("My brother lives in Porto.")  # as many as before, and not the same
        learnt(life)
        plain = built_in(life).evidence(QUESTION)
        assert [s for s, _ in best(life)] == [e.memory.seq for e in plain]
        np.testing.assert_allclose([x for _, x in best(life)], [e.score for e in plain], atol=2e-3)


def test_after_a_rebuild_nothing_is_sent_again(
    life: Life, twisted: Callable[[list[str]], Answer]
) -> None:
    life.tell(*FACTS)
    with choosing(life, twisted) as served:
        learnt(life)
        before, sent = best(life), len(served.texts)
        life.kernel.index.rebuild()
        learnt(life)
        assert best(life) == before
        assert served.texts[sent:] == [QUESTION]
        assert life.kernel.recall.trouble() == ""


def test_an_index_that_was_lost_is_filled_again_by_both(
    life: Life, twisted: Callable[[list[str]], Answer]
) -> None:
    life.tell(*FACTS)
    with choosing(life, twisted) as served:
        learnt(life)
        before = best(life)
        for path in life.being.index.parent.glob("soul.db*"):
            path.unlink()
        (rice,) = life.tell("I like rice.")
        learnt(life)
        assert best(life)[0] == pytest.approx(before[0], abs=5e-3)
        assert served.texts.count(FACTS[0]) == 2
        spot = (rice, 0, 12)
        assert external_of(life).weighed(QUESTION, 1 << 60, {spot: 9.0}, 0)[spot] < 1


def test_two_processes_make_one_set(life: Life, twisted: Callable[[list[str]], Answer]) -> None:
    told = life.tell(*(f"My drawer number {n} holds spoon number {n}." for n in range(150)))
    program = Path(__file__).with_name("two_learners.py").read_text("utf-8")
    with choosing(life, twisted) as served:
        both = [start_program(program, str(life.being.root), served.url) for _ in range(2)]
        said = [process.communicate()[0].split(maxsplit=1) for process in both]
        assert [process.returncode for process in both] == [0, 0]
        assert [rest for _, *rest in said] == [[], []]
        assert vectors_in(life, CHOSEN) == dict.fromkeys(told, 1)
        assert vectors_in(life, BUILT_IN) == dict.fromkeys(told, 1)
        life.kernel.index.catch_up()
        assert external_of(life).learn() == 0
        assert life.kernel.index.vectors.reindexed("far/a") == (150, 150)
        plain = [e.memory.seq for e in built_in(life).evidence("Where is spoon number 7?")]
        assert [e.memory.seq for e in life.recalls("Where is spoon number 7?")] == (plain)


def test_the_learner_finishes_the_set_while_nobody_asks(
    life: Life, embedder: E5, twisted: Callable[[list[str]], Answer]
) -> None:
    life.tell(*FACTS, *(f"I like dish number {n}." for n in range(80)))
    life.kernel.index.catch_up()
    many = len(FACTS) + 80
    with choosing(life, twisted) as served:
        learner = Learner(
            FileLocks(life.being), partial(Index, life.being), embedder, external_of(life).embedder
        )
        learner.start()
        try:
            reindexed_in_the_end(life, many)
        finally:
            learner.close()
        assert len(set(served.texts) - set(anchor_texts())) == many
        best(life)
        assert served.texts[-1] == QUESTION


def test_maintain_finishes_the_set_and_tells_how_far_it_is(
    life: Life, twisted: Callable[[list[str]], Answer]
) -> None:
    life.tell(*FACTS, *(f"I like dish number {n}." for n in range(100)))
    life.kernel.index.catch_up()
    told: list[tuple[str, int, int]] = []
    with choosing(life, twisted):
        assert learn(life.kernel.index, life.kernel.recall, lambda *_: None) == 107
        done = reindex(life.kernel.index, external_of(life), lambda *x: told.append(x))
        assert done == (107, 107)
        assert told == [("reindexing with far/a", 64, 107), ("reindexing with far/a", 107, 107)]
        assert life.kernel.recall.trouble() == ""


def test_maintain_stops_where_the_embedder_does_and_goes_on_from_there(
    life: Life, twisted: Callable[[list[str]], Answer]
) -> None:
    life.tell(*FACTS, *(f"I like dish number {n}." for n in range(100)))
    life.kernel.index.catch_up()

    with choosing(life, twisted) as served:
        served.answer = lambda texts: twisted(texts) if len(served.sent) < 3 else Answer(b"", 503)
        assert reindex(life.kernel.index, external_of(life), lambda *_: None) == (64, 107)
        assert "503" in life.kernel.recall.trouble()
        served.answer = twisted
        settle(life, served)
        assert reindex(life.kernel.index, external_of(life), lambda *_: None) == (107, 107)
        assert served.texts.count(FACTS[0]) == 2  # the lesson that failed was asked for again


def test_a_choice_that_changes_while_the_anchors_are_out_ends_in_no_set(
    life: Life, wake_again: Callable[[Life], Life], twisted: Callable[[list[str]], Answer]
) -> None:
    life.tell(*FACTS)
    other = wake_again(life)

    def meanwhile(texts: list[str]) -> Answer:
        other.kernel.index.vectors.choose("far/b")
        return twisted(texts)

    with choosing(life, meanwhile) as served:
        assert external_of(life).learn() == 0
        assert "another embedder was chosen meanwhile" in life.kernel.recall.trouble()
        assert tables(life.kernel.index).rows(BEGUN) == [("far/b", None)]
        assert len(served.sent) == 1
