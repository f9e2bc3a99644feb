"""What is private stays: an embedder elsewhere is given neither private memories nor private questions."""

from __future__ import annotations

import random  # noqa: TID251 - a seed makes it repeat
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

import numpy as np
import pytest
from tests.kernel.choosing import (
    FACTS,
    built_in,
    choosing,
    external_of,
    mark,
    reindexed_in_the_end,
    vectors_in,
)
from tests.serving import Answer, Twisted, embedding

from lumen.kernel.language.passages import passages
from lumen.kernel.recall.external_embedder import anchor_texts
from lumen.kernel.upkeep.background_indexing import Learner
from lumen.mind.e5 import E5
from lumen.mind.embed_http import HttpEmbedder
from lumen.soul.archive.locks import FileLocks
from lumen.soul.index.index import Index
from lumen.soul.index.passages import BUILT_IN, CHOSEN

if TYPE_CHECKING:
    from tests.kernel.conftest import Life
    from tests.sampling import Sampled

pytestmark = pytest.mark.usefixtures("unturned")

LOCKER = "My locker code is 4471."
QUESTION = "Where does my sister live?"
WORDS = ("lake", "tower", "violin", "garden", "ferry", "candle", "letter", "winter", "orange")


@pytest.fixture
def twisted(embedder: E5) -> Callable[[list[str]], Answer]:
    return embedding(Twisted(embedder.embed))


def learnt(life: Life) -> None:
    while life.kernel.recall.learn():
        pass


def made_up(draw: random.Random, number: int) -> str:
    """One to three sentences that nothing else says."""
    return " ".join(
        f"The {draw.choice(WORDS)} {draw.choice(WORDS)} {number}x{part} is mine."
        for part in range(draw.randint(1, 3))
    )


def test_of_many_texts_none_that_is_private_is_ever_sent(
    life: Life, twisted: Callable[[list[str]], Answer], sampled: Sampled
) -> None:
    """Said privately, marked before, between lessons, and unmarked and marked again."""
    draw = random.Random(4)  # noqa: S311 - a seed makes it repeat
    many = sampled.rounds(60, 200)
    texts = [made_up(draw, number) for number in range(many)]
    seqs = dict(zip(life.tell(*texts), texts, strict=True))
    hidden = set(draw.sample(sorted(seqs), many * 2 // 5))
    mark(life, *hidden)
    ever_open = set(seqs) - hidden
    with choosing(life, twisted) as served:
        for _ in range(3):
            sent_before = len(served.texts)
            external_of(life).learn()
            now_hidden = set(draw.sample(sorted(ever_open), 5))
            now_open = set(draw.sample(sorted(hidden), 5))
            for seq in hidden:
                parts = {seqs[seq][a:b] for a, b in passages(seqs[seq])}
                assert not parts & set(served.texts[sent_before:])
            mark(life, *now_hidden)
            mark(life, *now_open, private=False)
            hidden = (hidden | now_hidden) - now_open
            ever_open |= now_open
        learnt(life)
        learnt(life)
        never = [seqs[seq] for seq in seqs if seq not in ever_open]
        assert len(never) > many // 5
        private = {text[a:b] for text in never for a, b in passages(text)}
        assert not private & set(served.texts)
        for seq in ever_open - hidden:
            assert seqs[seq] in served.texts
        own = set(anchor_texts()) | {t[a:b] for t in texts for a, b in passages(t)}
        assert set(served.texts) <= own  # single words, above all, are not sent
        assert len(vectors_in(life, BUILT_IN)) == many


def test_the_question_of_a_private_turn_is_not_sent_and_is_answered(
    life: Life, twisted: Callable[[list[str]], Answer]
) -> None:
    life.script({"when": "(?s).*", "say": ""})
    (sister,) = life.tell(FACTS[0])
    with choosing(life, twisted) as served:
        learnt(life)
        assert life.say(QUESTION, private=True).sources == (sister,)
        assert QUESTION not in served.texts
        assert life.kernel.recall.trouble() == ""
        life.say("What is my dog called?", private=True)
        life.say(LOCKER, private=True)
        learnt(life)
        assert life.say(QUESTION).sources == (sister,)
        told = set(served.texts) - set(anchor_texts())
        assert told == {FACTS[0], QUESTION}


def test_a_private_memory_is_found_by_the_built_in_embedder_beside_the_others(
    life: Life, twisted: Callable[[list[str]], Answer]
) -> None:
    life.script({"when": "(?s).*", "say": ""})
    life.tell(*FACTS)
    life.say(LOCKER, private=True)
    secret = life.turn()[0].seq
    with choosing(life, twisted) as served:
        learnt(life)
        mine = life.recalls("What is the code of my locker?")
        plain = built_in(life).evidence("What is the code of my locker?")
        assert mine[0].memory.seq == secret
        assert [e.memory.seq for e in mine] == [e.memory.seq for e in plain]
        np.testing.assert_allclose([e.score for e in mine], [e.score for e in plain], atol=2e-3)
        assert mine[0].score == plain[0].score
        assert served.texts[-1] == "What is the code of my locker?"
        assert secret not in vectors_in(life, CHOSEN)
        assert life.kernel.index.vectors.reindexed("far/a") == (len(FACTS), len(FACTS))


def test_one_on_this_machine_is_given_everything(
    life: Life, twisted: Callable[[list[str]], Answer]
) -> None:
    life.script({"when": "(?s).*", "say": ""})
    life.say(LOCKER, private=True)
    with choosing(life, twisted, local=True) as served:
        learnt(life)
        assert LOCKER in served.texts
        life.say("What is the code of my locker?", private=True)
        assert "What is the code of my locker?" in served.texts


def test_one_that_moved_off_this_machine_is_given_no_more_of_it(
    life: Life, twisted: Callable[[list[str]], Answer]
) -> None:
    life.script({"when": "(?s).*", "say": ""})
    with choosing(life, twisted, local=True):
        learnt(life)
    with choosing(life, twisted, local=False) as served:
        life.say(LOCKER, private=True)
        learnt(life)
        assert LOCKER not in served.texts


def test_what_is_marked_later_is_not_sent_to_the_next_one_and_unmarked_it_is(
    life: Life, twisted: Callable[[list[str]], Answer]
) -> None:
    sister, dog = life.tell(FACTS[0], FACTS[2])
    with choosing(life, twisted) as served:
        learnt(life)
        assert FACTS[0] in served.texts
        mark(life, sister)
        learnt(life)
        assert served.texts.count(FACTS[0]) == 1
        assert sorted(vectors_in(life, CHOSEN)) == [sister, dog]  # what it has, it keeps
    with choosing(life, twisted, "far/b") as served:
        learnt(life)
        assert FACTS[2] in served.texts
        assert FACTS[0] not in served.texts
        mark(life, sister, private=False)
        learnt(life)
        assert served.texts.count(FACTS[0]) == 1


def test_what_another_process_marks_between_two_lessons_is_heeded(
    life: Life, wake_again: Callable[[Life], Life], twisted: Callable[[list[str]], Answer]
) -> None:
    told = life.tell(*(f"My drawer number {n} holds a spoon." for n in range(100)))
    other = wake_again(life)
    with choosing(life, twisted) as served:
        external_of(life).learn()
        assert len(served.texts) < 130
        mark(other, told[0])
        learnt(life)
        assert "My drawer number 1 holds a spoon." in served.texts
        assert "My drawer number 0 holds a spoon." not in served.texts


def test_the_learner_in_the_background_keeps_it_too(
    life: Life, embedder: E5, twisted: Callable[[list[str]], Answer]
) -> None:
    told = life.tell(*FACTS)
    mark(life, told[1])
    life.kernel.index.catch_up()
    with choosing(life, twisted) as served:
        learner = Learner(
            FileLocks(life.being), partial(Index, life.being), embedder, external_of(life).embedder
        )
        learner.start()
        try:
            reindexed_in_the_end(life, 6)
        finally:
            learner.close()
        assert set(served.texts) - set(anchor_texts()) == {*FACTS} - {FACTS[1]}


def test_a_memory_marked_while_its_lesson_was_being_made_up_waits_for_another_day(
    life: Life, twisted: Callable[[list[str]], Answer]
) -> None:
    """It was asked for as open and read as private: it is left out, and stays in the queue."""
    (sister,) = life.tell(FACTS[0])
    life.kernel.index.catch_up()
    with choosing(life, twisted, local=True) as served:
        life.kernel.index.vectors.choose("far/a", private=True)
        external = external_of(life)
        embedder = external.embedder
        assert isinstance(embedder, HttpEmbedder)
        embedder.endpoint = replace(
            embedder.endpoint, local=False
        )  # but the set still hands out what is private
        mark(life, sister)
        assert external.learn() == 0
        assert FACTS[0] not in served.texts
        mark(life, sister, private=False)
        assert external.learn() == 1
        assert FACTS[0] in served.texts
