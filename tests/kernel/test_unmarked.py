"""Questions typed without their mark, and statements that only open like one."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest

from lumen.kernel.language.reading import is_question

SAID = tomllib.loads(Path(__file__).with_name("unmarked.toml").read_text("utf-8"))
MOST_WRONG = 1  # of the sentences that were held, each way


@pytest.mark.parametrize("sentence", SAID["asks"]["seen"])
def test_a_question_without_its_mark_asks(sentence: str) -> None:
    assert is_question(sentence)


@pytest.mark.parametrize("sentence", SAID["tells"]["seen"])
def test_a_statement_that_opens_like_a_question_asks_nothing(sentence: str) -> None:
    assert not is_question(sentence)


def test_sentences_that_no_pattern_was_made_for_are_told_apart() -> None:
    missed = [s for s in SAID["asks"]["held"] if not is_question(s)]
    taken = [s for s in SAID["tells"]["held"] if is_question(s)]
    assert len(missed) <= MOST_WRONG, missed
    assert len(taken) <= MOST_WRONG, taken
