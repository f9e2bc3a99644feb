"""The multilingual embedder: what its file says, in any language."""

from __future__ import annotations

import numpy as np
import pytest

from lumen.mind.e5 import E5
from lumen.mind.encoder import SIZE

SAID = (
    "My sister lives in Lisbon.",
    "Моя сестра живёт в Лиссабоне.",
    "Meine Schwester wohnt in Lissabon.",
)
ASKED = ("Where does my sister live?", "Где живёт моя сестра?", "Wo wohnt meine Schwester?")
OTHER = ("The engine needs oil.", "Двигателю нужно масло.", "Der Motor braucht Öl.")
# What the engine that the file was made for gives for some of these, each behind "query: ".
OF_THE_ENGINE = (
    (0.9538, 0.9402, 0.7717, 0.7862, 0.7580),
    (0.9241, 0.7697, 0.7827, 0.7844),
    (0.7618, 0.7919, 0.7922),
    (0.7921, 0.7406),
    (0.8171,),
)


@pytest.fixture(scope="module")
def e5() -> E5:
    return E5()


def test_vectors_are_those_of_the_engine_the_file_was_made_for() -> None:
    texts = (*SAID, OTHER[0], "ﬁne ½ １２３  twice   spaced", "你好，世界")  # noqa: RUF001
    rows = E5(centre=None).embed([f"query: {text}" for text in texts])
    for n, known in enumerate(OF_THE_ENGINE):
        assert (rows[n] @ rows[n + 1 :].T).tolist() == pytest.approx(known, abs=1.5e-3)


def test_a_text_is_cut_into_the_likeliest_pieces() -> None:
    cut = E5()._unigram.cut
    assert cut("My sister lives in Lisbon.") == [2646, 114015, 60742, 23, 230991, 5]
    assert cut("  My\tsister\nlives  in Lisbon. ") == cut("My sister lives in Lisbon.")
    assert cut("") == []
    assert min(cut("<s></s>")) > 3, "what stands for the end of a text is no text"
    assert cut("\U0010fffd") == [6, 3], "what no piece holds is one unknown character"


def test_what_means_the_same_is_near_in_any_two_languages_and_another_subject_far(e5: E5) -> None:
    said, asked, other = e5.embed(SAID), e5.embed(ASKED), e5.embed(OTHER)
    assert (said @ said.T).min() > 0.75
    assert (asked @ said.T).min() > 0.5
    assert (asked @ other.T).max() < 0.2
    assert (said @ other.T).max() < 0.2


def test_rows_come_in_the_order_of_the_texts(e5: E5) -> None:
    texts = [f"{'long ' * (number % 7 * 9)}text number {number}" for number in range(40)]
    rows = e5.embed(texts)
    for number in (0, 6, 31, 39):
        alone = e5.embed([texts[number]])[0]
        assert int(np.argmax(rows @ alone)) == number
        assert float(rows[number] @ alone) > 0.99999


def test_no_texts_give_no_rows(e5: E5) -> None:
    rows = e5.embed([])
    assert (rows.shape, rows.dtype.name) == ((0, SIZE), "float32")


@pytest.mark.parametrize("text", ["", " ", "\0", "\ud800", "🜁" * 10, "x" * 1_000_000])
def test_every_text_gives_a_finite_vector_of_length_one(e5: E5, text: str) -> None:
    (row,) = e5.embed([text])
    assert float(np.linalg.norm(row)) == pytest.approx(1.0, abs=1e-5)


def test_the_first_256_tokens_count_and_nothing_after_them(e5: E5) -> None:
    sea, rest = "the sea was calm ", "volcanoes melt iron "
    short, long, mixed, cut = e5.embed(
        [sea * 80, sea * 80 + rest * 40_000, sea * 40 + rest * 10, sea * 40]
    )
    assert float(short @ long) > 0.99999
    assert float(mixed @ cut) < 0.98
