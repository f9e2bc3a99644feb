"""Worry, weariness and thanks in one's own words are met as they are; what shall be left is left."""

# ruff: noqa: RUF001 - Russian

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from lumen.kernel.answers.known import subject
from lumen.kernel.language.feelings import feeling_told
from lumen.kernel.language.sums import sum_asked

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


@pytest.mark.parametrize(
    ("said", "sum_"),
    [
        ("If the repair costs 640 and I have 1500, what is left?", "1500 - 640"),
        ("I have 1500 and spend 640. What is left?", "1500 - 640"),
        ("If the repair costs 640 and the paint 200, what is left?", ""),
    ],
)
def test_what_one_has_may_be_told_behind_what_it_costs(said: str, sum_: str) -> None:
    found = sum_asked(said)
    assert (found.expression if found else "") == sum_


def test_a_name_without_its_apostrophe_is_said_back_with_it(life: Life) -> None:
    life.listen("Well.", small=True)
    assert life.say("my names rosa").text == "Noted: your name's rosa."
    assert life.say("the names are long").text == "Noted: the names are long."


def test_asked_whether_one_has_a_thing_nothing_else_is_quoted(life: Life) -> None:
    life.listen("Well.", small=True)
    for said in ("I feel like nobody listens to me", "My cat is called Mog"):
        life.say(said)
    dog = life.say("I never told you I had a dog, do I have a dog?").text
    assert "Mog" not in dog
    assert "nobody" not in dog
    assert life.say("Do I have a dog?").text.startswith("You have not told me that.")
    assert "Mog" in life.say("do I have a cat?").text
