"""Telling a question, a task and a statement apart, with and without the mark."""

from __future__ import annotations

import pytest

from lumen.kernel.language.asking import where_moved
from lumen.kernel.language.reading import is_question, modality


@pytest.mark.parametrize(
    "text",
    [
        "how old is bolt",
        "where does my sister live again",
        "what's my cat called",
        "so what is next",
        "which street are we moving to",
        "what time does the train leave",
        "do you remember my name",
    ],
)
def test_a_question_needs_no_mark(text: str) -> None:
    assert is_question(text)


@pytest.mark.parametrize(
    "text",
    [
        "What a day.",
        "When I was young I lived in Paris.",
        "How I love the rain!",
        "What I did was stupid. I am sorry.",
        "Where I come from, it rains.",
        "Who knows.",
    ],
)
def test_a_statement_that_opens_like_a_question_is_none(text: str) -> None:
    assert not is_question(text)


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("tell me a joke", "task"),
        ("Forget what I said about my dog.", "task"),
        ("explain tides", "task"),
        ("I forget everything these days.", "statement"),
        ("Remind me where my sister lives", "question"),
    ],
)
def test_what_asks_for_something_to_be_done_is_a_task(text: str, kind: str) -> None:
    assert modality(text) == kind


@pytest.mark.parametrize(
    ("asked", "instead"),
    [
        ("Where does Tom live?", "Where did Tom move to?"),
        ("Where does my brother live now?", "Where did my brother move to?"),
        ("Wo wohnt Inge?", "Wohin ist Inge gezogen?"),
        ("Где живёт Оля?", "Куда переехал Оля?"),
        ("Where do I live?", ""),
        ("Where do you live?", ""),
        ("Where did Tom live?", ""),
    ],
)
def test_where_somebody_lives_may_be_told_by_where_they_moved(asked: str, instead: str) -> None:
    assert where_moved(asked) == instead
