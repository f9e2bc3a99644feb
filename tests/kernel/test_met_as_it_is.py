"""Worry, weariness and thanks in one's own words are met as they are; what shall be left is left."""

# ruff: noqa: RUF001 - Russian

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from lumen.kernel.answers.known import subject
from lumen.kernel.language.feelings import feeling_told

if TYPE_CHECKING:
    from tests.kernel.conftest import Life


@pytest.mark.parametrize(
    ("said", "start"),
    [
        ("I feel like nobody listens to me", "I am sorry."),
        ("My cholesterol is 6.1 and it scares me", "I hear that this worries you."),
        ("Меня беспокоит мама, у неё давление 170", "Слышу, что тебя это тревожит."),
        ("Привет. Не спала всю ночь, у Мики температура 39", "Звучит тяжело."),
        ("feel a bit flat tonight", "That sounds hard."),
        ("everything feels pointless at work lately", "That sounds hard."),
        ("спасибо, ты меня успокоила", "Пожалуйста."),
        ("I'm fine. really. just leave it", "All right."),
        ("hiya, so tired today", "Hello, Ada. That sounds hard."),
        ("hiya", "Well."),
    ],
)
def test_it_is_met_as_what_it_is(life: Life, said: str, start: str) -> None:
    life.listen("Well.", small=True)
    assert life.say(said).text.startswith(start)


@pytest.mark.parametrize(
    ("said", "feeling"),
    [
        ("It scares me", "worry"),
        ("It doesn't scare me", ""),
        ("Меня это не беспокоит", ""),
        ("у Мики температура 36", ""),
    ],
)
def test_what_is_denied_or_in_order_is_no_worry(said: str, feeling: str) -> None:
    assert feeling_told(said) == feeling


def test_what_is_known_leaves_out_requests_moods_and_what_is_private(life: Life) -> None:
    life.listen("Well.", small=True)
    life.say("My brother Tom lives in Leeds.")
    life.say("My cholesterol scares me")
    life.say("remind me to call mama tomorrow at 5pm")
    life.say("I have a secret crush on Paul.", private=True)
    told = life.say("What do you know about me?").text
    assert "Leeds" in told
    assert not any(word in told for word in ("scares", "remind me", "Paul"))
    assert "Paul" in life.say("What do you know about me?", private=True).text


def test_a_competition_that_was_moved_is_no_home() -> None:
    assert subject("I moved to Leeds") == "home"
    assert subject("Our chess competition moved to Friday.") != "home"
