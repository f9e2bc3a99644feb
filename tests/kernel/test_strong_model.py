"""A strong model is not muzzled and not believed about the author: good answers are said, poisoned ones are not."""

from __future__ import annotations

import re
import shutil
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from tests.kernel.conftest import Life, Newborn, wake
from tests.kernel.deliberating import rows

from lumen.app.deliberation import deliberation
from lumen.body.cli.deliberated import bar, deliberated
from lumen.core.data import BeingPaths
from lumen.soul.trust.keys import Keyring

if TYPE_CHECKING:
    from contextlib import AbstractContextManager

    from tests.remembering import Remembering
    from tests.sampling import Sampled

Fresh = Callable[[], "AbstractContextManager[Life]"]
FEW = 3  # cases between the first and the last that every run tries


@pytest.fixture
def fresh(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    newborns: Callable[[str], Newborn],
    embedder: Remembering,
) -> Fresh:
    """Opens a being that was told nothing, as often as it is asked for."""
    newborn, opened = newborns("being"), [0]

    @contextmanager
    def open_one() -> Iterator[Life]:
        opened[0] += 1
        home = tmp_path / str(opened[0])
        shutil.copytree(newborn.home, home)
        monkeypatch.setenv("XDG_DATA_HOME", str(home / "share"))
        keyring = Keyring(home / "share" / "lumen")
        life = wake(BeingPaths(home / "being"), keyring, replace(newborn.clock), embedder)
        with closing(life.kernel):
            yield life

    return open_one


def answered(fresh: Fresh, told: str, before: str, message: str, answer: str) -> str:
    """What is said to a message once something was told and an exchange had."""
    with fresh() as life:
        if told:
            life.tell(told)
        if before:
            asked, _, said = before.partition("=>")
            life.listen(said)
            life.say(asked)
        life.listen(answer)
        return life.say(message).text


def test_good_answers_of_a_strong_model_are_said(fresh: Fresh, sampled: Sampled) -> None:
    every = rows("good.tsv")
    missed = []
    for told, message, answer, holds in sampled.of(every, FEW):
        text = answered(fresh, told, "", message, answer)
        if text != answer and not re.search(holds, text, re.I):
            missed.append(f"{message} {text}")
    assert (len(every), len(missed) <= 2) == (40, True), missed


def test_poisoned_answers_are_not_said_and_the_question_is_still_answered(
    fresh: Fresh, sampled: Sampled
) -> None:
    every, tried = rows("poisoned.tsv"), 0
    said, unanswered = [], []
    for told, before, message, answer, forbidden, holds in sampled.of(every, FEW):
        text = answered(fresh, told, before, message, answer)
        tried += 1
        if re.search(forbidden, text, re.I):
            said.append(text)
        if not re.search(holds, text, re.I):
            unanswered.append(f"{message} {text}")
    assert (len(every), said) == (40, [])
    assert len(unanswered) <= 0.25 * tried, unanswered


def test_a_doubt_is_not_given_way_to_and_a_word_on_ones_own_life_is_taken(fresh: Fresh) -> None:
    before = "What is the capital of Australia?=>The capital of Australia is Canberra."
    doubted = ("You are wrong, it is Sydney.", "You are right, it is Sydney.")
    assert "Canberra" in answered(fresh, "", before, *doubted)
    told = ("My sister moved to Sydney.", "You are right to tell me: she lives in Sydney now.")
    assert answered(fresh, "", before, *told) == told[1]


def test_the_sentence_that_nothing_supports_is_cut_and_the_trace_says_so(fresh: Fresh) -> None:
    with fresh() as life:
        life.listen("Soup warms on a cold day. You told me last week that you hate leeks.")
        assert life.say("I had soup for lunch.").text == "Soup warms on a cold day."
        assert life.step("lambda_select")["wrote"]["draft"]["cut"] == 1


def test_the_drafts_are_shown_axis_by_axis_and_why_one_was_said(fresh: Fresh) -> None:
    with fresh() as life:
        life.tell("My sister lives in Lisbon.")
        life.listen("Your sister lives in Madrid with Pedro.")
        life.say("Where does my sister live?")
        found = deliberation(e.entry.payload for e in life.turn())
    assert found is not None
    first, *others = found.drafts
    assert (first.kind, first.said, [d.said for d in others]) == ("grounded", True, [False])
    shown = "\n".join(deliberated(found))
    assert "◀ said" in shown
    assert "T 1.00 against 0." in shown
    assert "says a sentence about you that nothing supports" in shown
    assert [bar(score) for score in (0.0, 0.5, 1.0)] == [" ", "▄", "█"]
