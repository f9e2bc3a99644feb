"""Calibration: two numbers take another embedder's cosines to the scale recall is tuned to."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.sampling import examples
from tests.serving import Twisted

from lumen.core.errors import BadAnswer
from lumen.kernel.language.passages import Rows
from lumen.kernel.recall.external_embedder import anchor_texts, anchors, fitted
from lumen.mind.e5 import E5


@pytest.fixture(scope="module")
def plain(embedder: E5) -> Rows:
    """The anchors as the built-in embedder has them."""
    return embedder.embed(anchor_texts())


def test_the_anchors_are_as_many_of_either_kind_and_the_built_in_one_tells_them_apart(
    plain: Rows,
) -> None:
    related, unrelated = anchors()
    assert len(related) == len(unrelated) == 12
    assert all(len(pair) == 2 for pair in related + unrelated)
    cosines = (plain[0::2] * plain[1::2]).sum(axis=1)
    assert cosines[:12].min() > 0.4
    assert cosines[12:].max() < 0.2


def test_the_built_in_one_is_on_its_own_scale(plain: Rows) -> None:
    fit = fitted("far/a", plain, plain)
    assert (fit.size, fit.scale, fit.shift) == (384, 1.0, 0.0)


@settings(max_examples=examples(15))
@given(st.floats(0.02, 1.0), st.integers(0, 9))
def test_any_linear_scale_is_taken_back_to_the_built_in_one(
    plain: Rows, share: float, seed: int
) -> None:
    fit = fitted("far/a", Twisted(lambda _: plain, seed, share)(anchor_texts()), plain)
    assert fit.size == 385
    assert fit.scale == pytest.approx(1 / share, rel=1e-3)
    assert fit.shift == pytest.approx(1 - 1 / share, abs=2e-3 / share)


def test_the_mean_of_either_kind_lands_on_the_built_in_one(plain: Rows) -> None:
    """Also when the scale is not linear: what is related is cubed here."""
    bent = np.concatenate([plain**3, plain], axis=1)
    bent /= np.linalg.norm(bent, axis=1, keepdims=True)
    fit = fitted("far/a", bent, plain)
    ours, theirs = ((r[0::2] * r[1::2]).sum(axis=1) for r in (plain, bent))
    for kind in (slice(0, 12), slice(12, 24)):
        there = fit.scale * theirs[kind].mean() + fit.shift
        assert there == pytest.approx(ours[kind].mean(), abs=1e-4)


def test_one_that_has_it_the_wrong_way_round_is_refused(plain: Rows) -> None:
    turned = plain.copy()
    turned[1::2] *= -1
    with pytest.raises(BadAnswer, match="far/a hardly tells"):
        fitted("far/a", turned, plain)


def test_one_that_says_the_same_of_everything_is_refused(plain: Rows) -> None:
    alike = np.tile(plain[:1], (len(plain), 1))
    with pytest.raises(BadAnswer, match=r"1\.00 and 1\.00"):
        fitted("far/a", alike, plain)


def test_chance_hardly_ever_passes_for_an_embedder(plain: Rows) -> None:
    texts, passed = anchor_texts(), 0
    for seed in range(300):
        noise = np.random.default_rng(seed).normal(size=(len(texts), 64))
        noise /= np.linalg.norm(noise, axis=1, keepdims=True)
        rows = np.array([noise[texts.index(text)] for text in texts], dtype=np.float32)
        try:
            fitted("far/a", rows, plain)
            passed += 1
        except BadAnswer:
            pass
    assert passed <= 3
