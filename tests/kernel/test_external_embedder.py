"""The external embedder serves when it can, on the built-in scale; when it cannot, nobody is let down."""

from __future__ import annotations

import socket
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
import pytest
from tests.kernel.choosing import (
    FACTS,
    PARAPHRASES,
    built_in,
    choosing,
    external_of,
    settle,
    vectors_in,
)
from tests.kernel.conftest import said
from tests.serving import Answer, Served, Twisted, embedding, vectors
from tests.storing import tables

from lumen.core.data import EventType, Origin
from lumen.kernel.language.passages import Rows
from lumen.kernel.recall.external_embedder import (
    LESSON,
    LONGEST_REST_S,
    REST_S,
    ExternalEmbedder,
    anchor_texts,
)
from lumen.mind.e5 import E5
from lumen.soul.index.passages import CHOSEN

if TYPE_CHECKING:
    from tests.kernel.conftest import Life

pytestmark = pytest.mark.usefixtures("unturned")

QUESTION = PARAPHRASES[0][0]


def found(life: Life, question: str) -> list[tuple[int, float]]:
    return [(e.memory.seq, e.score) for e in life.recalls(question)]


def plainly(life: Life, question: str) -> list[tuple[int, float]]:
    return [(e.memory.seq, e.score) for e in built_in(life).evidence(question)]


def same(one: list[tuple[int, float]], other: list[tuple[int, float]]) -> bool:
    """Whether two findings are the same up to rounding."""
    return [s for s, _ in one] == [s for s, _ in other] and np.allclose(
        [x for _, x in one], [x for _, x in other], atol=2e-3
    )


@pytest.fixture
def twisted(embedder: E5) -> Callable[[list[str]], Answer]:
    """A server whose cosines lie between 0.8 and 1, in a space of its own."""
    return embedding(Twisted(embedder.embed))


def test_facts_are_found_by_another_embedder_with_scores_on_one_scale(
    life: Life, embedder: E5, twisted: Callable[[list[str]], Answer]
) -> None:
    told = life.tell(*FACTS)
    with choosing(life, twisted) as served:
        life.wonder()
        for question, fact in PARAPHRASES:
            best = found(life, question)
            assert best[0][0] == told[fact]
            assert same(best, plainly(life, question))
            assert served.texts[-1] == question
        assert life.kernel.recall.trouble() == ""
    asked, other = Twisted(embedder.embed)([QUESTION, FACTS[6]])
    assert float(asked @ other) > 0.7  # as it comes, anything would be a strong match


def test_what_it_finds_is_its_own_and_not_the_built_in_ones(life: Life, embedder: E5) -> None:
    """A server that takes one subject for another is believed."""

    def confused(texts: list[str]) -> Rows:
        swapped = [FACTS[6] if text == QUESTION else text for text in texts]
        return embedder.embed(swapped)

    told = life.tell(*FACTS)
    with choosing(life, embedding(confused)):
        life.wonder()
        spot = (told[6], 0, len(FACTS[6]))
        assert external_of(life).weighed(QUESTION, 1 << 60, {spot: 0.0}, 0)[spot] > 0.9
        assert dict(found(life, QUESTION))[told[6]] > dict(plainly(life, QUESTION))[told[6]] + 0.5


def test_cosines_go_to_the_passages_they_belong_to_in_whatever_order_these_come(
    life: Life, twisted: Callable[[list[str]], Answer]
) -> None:
    told = life.tell(*FACTS)
    with choosing(life, twisted):
        life.wonder()
        spots = [(seq, 0, len(text)) for seq, text in zip(told, FACTS, strict=True)]
        none = dict.fromkeys(spots, 9.0)
        one = external_of(life).weighed(QUESTION, 1 << 60, none, 0)
        assert one == external_of(life).weighed(
            QUESTION, 1 << 60, dict.fromkeys(spots[::-1], 9.0), 0
        )
        assert max(one, key=lambda spot: one[spot]) == spots[0]
        elsewhere = external_of(life).weighed(QUESTION, 1 << 60, {(9999, 0, 1): 9.0}, 0)
        assert elsewhere == {(9999, 0, 1): 9.0}
        assert none == dict.fromkeys(spots, 9.0)
        nearest = external_of(life).weighed(QUESTION, 1 << 60, {}, 2)
        assert nearest == {spot: one[spot] for spot in sorted(one, key=lambda s: -one[s])[:2]}
        assert spots[0] not in external_of(life).weighed(QUESTION, spots[0][0], {}, 9)


def test_recall_goes_on_with_the_built_in_set_while_the_other_is_made(
    life: Life, twisted: Callable[[list[str]], Answer]
) -> None:
    life.tell(*FACTS, *(f"I like dish number {n}." for n in range(2 * LESSON)))
    with choosing(life, twisted) as served:
        life.wonder()  # one lesson
        assert life.kernel.index.vectors.reindexed("far/a") == (LESSON, len(FACTS) + 2 * LESSON)
        while life.kernel.recall.learn_built_in(64):
            pass
        assert found(life, QUESTION) == plainly(life, QUESTION)
        assert QUESTION not in served.texts
        why = life.kernel.recall.trouble()
        assert why.startswith(f"reindexing with far/a: {LESSON} of {len(FACTS) + 2 * LESSON}")
        external_of(life).learn()
        assert found(life, QUESTION) == plainly(life, QUESTION)
        assert life.kernel.recall.trouble() == ""  # it was told
        assert QUESTION not in served.texts
        while external_of(life).learn():
            pass
        assert same(found(life, QUESTION), plainly(life, QUESTION))
        assert served.texts[-1] == QUESTION


def test_a_turn_learns_with_both_and_is_answered(
    life: Life, twisted: Callable[[list[str]], Answer]
) -> None:
    life.script({"when": "(?s).*", "say": ""})
    (sister,) = life.tell(FACTS[0])
    with choosing(life, twisted) as served:
        assert life.say(QUESTION).sources == (sister,)
        life.say("I like rice.")
        assert life.say(QUESTION).sources == (sister,)
        assert [t for t in served.texts if t == QUESTION] == [QUESTION] * 2  # asked, never a fact
        assert served.texts.count("I like rice.") == 2  # as what came, and as a memory
        assert life.kernel.recall.trouble() == ""


def test_only_passages_that_may_be_evidence_are_sent(
    life: Life, twisted: Callable[[list[str]], Answer]
) -> None:
    life.script({"when": "(?s).*", "say": "That is a fine thing to hear from you."})
    life.say("I like rice. Do you like rice? My dog eats rice too.")
    page = replace(said("A page about rice.", "told:1"), origin=Origin.TOOL)
    life.kernel.gate.record(replace(page, event_type=EventType.TOOL_RESULT))
    with choosing(life, twisted) as served:
        life.kernel.recall.learn()
        sent = [text for text in served.texts if text not in anchor_texts()]
        assert life.kernel.index.vectors.reindexed("far/a") == (2, 2)
    assert sorted(sent) == [
        "I like rice.",
        "I like rice. Do you like rice? My dog eats rice too.",
        "My dog eats rice too.",
    ]


def test_vectors_of_the_two_are_never_mixed_though_they_are_of_one_size(
    life: Life, embedder: E5
) -> None:
    """Turned in space, a vector of one is noise to the other: any mixture would show."""
    turned = Twisted(embedder.embed, share=1.0)
    life.tell(*FACTS[:4])
    with choosing(life, embedding(lambda texts: turned(texts)[:, :384])):
        life.wonder()
        assert same(found(life, QUESTION), plainly(life, QUESTION))
        life.tell(*FACTS[4:])
        life.wonder()
        for question, _ in PARAPHRASES:
            assert same(found(life, question), plainly(life, question))
        embedder = tables(life.kernel.index).row("SELECT id FROM embedders")[0]
        built_in = life.kernel.index.vectors.built_in(str(embedder)).after(0)
        one = [(p.seq, p.start, p.vector) for p in built_in]
        external = life.kernel.index.vectors.external("far/a", private=False)
        other = [(p.seq, p.start, p.vector) for p in external.after(0)]
        assert sorted(r[:2] for r in one) == sorted(r[:2] for r in other)
        for (_, _, a), (_, _, b) in zip(sorted(one), sorted(other), strict=True):
            assert abs(float(np.frombuffer(a, np.float32) @ np.frombuffer(b, np.float32))) < 0.3


BROKEN: dict[str, tuple[Callable[[list[str]], Answer], str]] = {
    "a fault": (lambda _: Answer(b"", 500), "500"),
    "no key": (lambda _: Answer(b"", 401), "wants a key"),
    "no model": (lambda _: Answer(b"", 404), "does not speak"),
    "no sense": (lambda _: Answer(b"<html>hello"), "vectors"),
    "no number": (lambda t: vectors([[0.0, 0.0]] * len(t)), "empty"),
    "one vector": (lambda t: vectors([[1.0, 2.0]] * len(t)), "hardly tells"),
    "too few": (lambda t: vectors([[1.0, 2.0]] * (len(t) - 1)), "vectors for"),
    "chance": (lambda t: vectors(chance(len(t))), "hardly tells"),
}


def chance(many: int) -> Rows:
    return np.random.default_rng(1).normal(size=(many, 64)).astype(np.float32)


@pytest.mark.parametrize("how", BROKEN)
def test_when_it_cannot_serve_the_built_in_one_does_and_why_is_told_once(
    life: Life, how: str
) -> None:
    answer, why = BROKEN[how]
    told = life.tell(*FACTS)
    with choosing(life, answer):
        life.wonder()
        assert found(life, QUESTION)[0][0] == told[0]
        assert found(life, QUESTION) == plainly(life, QUESTION)
        reason = life.kernel.recall.trouble()
        assert reason.startswith("recall goes on with the built-in embedder: ")
        assert why in reason
        assert how == "no model" or "far" in reason
        assert life.kernel.recall.trouble() == ""
        assert vectors_in(life, CHOSEN) == {}


def test_when_nobody_listens_a_turn_is_answered_all_the_same(life: Life) -> None:
    life.script({"when": "(?s).*", "say": ""})
    (sister,) = life.tell(FACTS[0])
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        nobody = Served(lambda _: Answer(b""), f"http://127.0.0.1:{taken.getsockname()[1]}/v1")
        settle(life, nobody)
        assert life.say(QUESTION).sources == (sister,)
    assert "cannot be reached" in life.kernel.recall.trouble()


def test_one_that_breaks_when_its_set_is_complete_is_told_of_again(
    life: Life, twisted: Callable[[list[str]], Answer]
) -> None:
    life.tell(*FACTS)
    moment = [0.0]
    with choosing(life, twisted) as served:
        external_of(life)._tick = lambda: moment[0]
        life.wonder()
        for _ in range(2):
            served.answer = lambda _: Answer(b"", 503)
            assert found(life, QUESTION) == plainly(life, QUESTION)
            assert "503" in life.kernel.recall.trouble()
            moment[0] += LONGEST_REST_S
            served.answer = twisted
            assert same(found(life, QUESTION), plainly(life, QUESTION))
            assert life.kernel.recall.trouble() == ""


def test_vectors_of_another_size_than_the_set_are_refused(
    life: Life, embedder: E5, twisted: Callable[[list[str]], Answer]
) -> None:
    life.tell(*FACTS)
    with choosing(life, twisted) as served:
        life.wonder()
        served.answer = embedding(embedder.embed)
        settle(life, served)  # as after a restart: the embedder itself remembers no size
        assert found(life, QUESTION) == plainly(life, QUESTION)
        assert "vectors of 384 numbers now; it was 385" in life.kernel.recall.trouble()


class Asked:
    """An embedder in this process that fails, and counts how often it was asked."""

    id = "far/a"
    local = True

    def __init__(self, rows: Callable[[int], Rows]) -> None:
        self.times = 0
        self.rows = rows

    def embed(self, texts: Sequence[str]) -> Rows:
        """Say whatever it says."""
        self.times += 1
        return self.rows(len(texts))

    def close(self) -> None:
        """Nothing is held."""


@pytest.mark.parametrize(
    "rows",
    [
        lambda n: np.full((n, 4), np.nan, np.float32),
        lambda n: np.zeros((n, 4), np.float32),
        lambda n: np.ones((n, 4), np.float32),  # not of length 1
        lambda n: np.zeros((n, 0), np.float32),
        lambda n: np.ones(n, np.float32),
        lambda n: np.eye(n + 1, 4, dtype=np.float32),
    ],
)
def test_rows_that_are_none_are_refused_whoever_made_them(
    life: Life, embedder: E5, rows: Callable[[int], Rows]
) -> None:
    life.tell(*FACTS)
    external = ExternalEmbedder(life.kernel.index, Asked(rows), embedder)
    assert external.learn() == 0
    assert "far/a gave" in external.trouble()
    assert vectors_in(life, CHOSEN) == {}


def test_after_a_failure_it_is_left_alone_for_longer_and_longer(life: Life, embedder: E5) -> None:
    life.tell(*FACTS)
    moment = [1000.0]
    broken = Asked(lambda n: np.zeros((n, 4), np.float32))
    external = ExternalEmbedder(life.kernel.index, broken, embedder, lambda: moment[0])
    external.learn()
    rests = []
    for times in range(1, 9):
        began = moment[0]
        while broken.times == times:
            moment[0] += REST_S / 2
            assert external.learn() == 0
            external.weighed(QUESTION, 1 << 60, {}, 9)  # nor is it asked anything else
        rests.append(moment[0] - began)
    assert rests[:3] == [REST_S, 2 * REST_S, 4 * REST_S]
    assert rests[-2:] == [LONGEST_REST_S, LONGEST_REST_S]


def test_a_server_that_asks_for_patience_gets_it(life: Life) -> None:
    life.tell(*FACTS)
    moment = [0.0]
    with choosing(life, lambda _: Answer(b"", 429, {"retry-after": "200"})) as served:
        external_of(life)._tick = lambda: moment[0]
        for at, asked in ((0, 1), (199, 1), (200, 2), (1_000_000, 3)):
            moment[0] = at
            assert external_of(life).learn() == 0
            assert len(served.sent) == asked
        served.answer = lambda _: Answer(b"", 429, {"retry-after": "999999999"})
        moment[0] = 2_000_000
        external_of(life).learn()
        moment[0] += LONGEST_REST_S
        external_of(life).learn()
        assert len(served.sent) == 5  # nobody is put off for ever
