"""The terms of a text: words without their endings, in the languages that are known."""

from __future__ import annotations

import pytest

from lumen.soul.index.terms import forms, is_german, phrase, terms


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("running", "runs"),
        ("The café's", "the CAFE"),
        ("children’s", "children"),
        ("кошками", "кошка"),
        ("ещё", "еще"),
        ("ﬁle", "files"),
        ("naïve", "naive"),
    ],
)
def test_forms_of_a_word_have_one_term(one: str, other: str) -> None:
    assert terms(one) == terms(other)


def test_words_are_parted_where_letters_end() -> None:
    parted = ["i", "m", "here", "e", "mail", "a", "b", "c", "de"]
    assert terms("I'm here, e-mail: a_b@c.de!") == parted
    assert terms(" … !? ") == []


def test_a_text_that_looks_german_has_german_stems_behind_the_others() -> None:
    assert terms("Die Häuser sind alt") == ["die", "hauser", "sind", "alt", "haus"]
    assert terms("The gardens open") == ["the", "garden", "open"]
    assert (is_german(["wohnen", "und"]), is_german(["open", "garden"])) == (True, False)
    assert forms("listen") == [("listen", "list")]
    assert forms("кошки") == [("кошк",)]


def test_a_phrase_is_asked_for_as_it_is_kept() -> None:
    assert phrase('"I am"') == '"i am"'
    assert phrase("running home") == '"run home"'
