"""What a query adapter learns, of vectors that are made up."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from lumen.lab.query_adapters import EmbeddedTalk, adapters_left_out, learnt_adapter

SIZE, MANY = 24, 60
Rows = NDArray[np.float32]
Table = NDArray[np.float64]


def talk(seed: int) -> EmbeddedTalk:
    """What answers a question is its vector with the numbers in another order; much else is nearer to it."""
    draw = np.random.default_rng(seed)
    asked = unit(draw.normal(size=(MANY, SIZE)))
    answers = unit(np.roll(asked, 5, axis=1) + asked * 0.2)
    others = unit(asked + draw.normal(size=(MANY, SIZE)) * 0.1)
    right = np.concatenate([np.eye(MANY, dtype=bool), np.zeros((MANY, MANY), bool)], axis=1)
    return EmbeddedTalk(str(seed), np.concatenate([answers, others]), asked, right, 1.0)


def unit(rows: Table) -> Rows:
    found: Rows = (rows / np.linalg.norm(rows, axis=1, keepdims=True)).astype(np.float32)
    return found


def first(one: EmbeddedTalk, asked: Rows) -> float:
    """How many questions have what answers them in front."""
    best = (asked @ one.said.T).argmax(axis=1)
    return float(one.right[np.arange(MANY), best].mean())


def test_questions_it_never_saw_are_turned_to_what_answers_them() -> None:
    seen, unseen = [talk(n) for n in range(8)], talk(99)
    adapter = learnt_adapter(seen)
    assert first(unseen, unseen.asked) < 0.1
    assert first(unseen, np.stack([adapter.turned(one) for one in unseen.asked])) > 0.6


def test_a_talk_has_no_say_in_its_own_adapter() -> None:
    talks = [talk(n) for n in range(3)]
    other = EmbeddedTalk("2", talks[2].said[::-1].copy(), talks[2].asked, talks[2].right, 1.0)
    before, after = (adapters_left_out([*talks[:2], last]) for last in (talks[2], other))
    assert np.array_equal(before["2"].directions, after["2"].directions)
    assert not np.allclose(before["0"].directions, after["0"].directions)
