"""What is asked of it in talk is done or plainly not done: lists, reminders, goals, files, its name."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from lumen.kernel.language.keeping import list_followup
from lumen.kernel.language.requests import request

if TYPE_CHECKING:
    from tests.kernel.conftest import Life


@pytest.fixture
def small(life: Life) -> Life:
    life.listen("Noted, noted.", small=True)
    return life


@pytest.mark.parametrize(
    ("said", "kind"),
    [
        ("Add a goal: plan the trip to Georgia", "goal"),
        ("Добавь цель: съездить в Грузию", "goal"),
        ("My goal is to run ten miles", ""),
        ("Write x to a file called /etc/PWNED", "write"),
        ("Write 'buy oats' to a file called food.txt", ""),
        ("I wrote it to a file yesterday", ""),
        ("Call yourself Bob", "rename"),
        ("what did I ask you to remind me of?", "remind"),
    ],
)
def test_what_is_asked_for_is_told_from_what_is_told(said: str, kind: str) -> None:
    assert request(said) == kind


def test_a_list_that_was_just_shown_is_meant_and_no_other_talk() -> None:
    shown = ("what's on my shopping list?", "On your shopping list: milk, tape.")
    assert list_followup("take the milk off", *shown) == "take milk off my shopping list"
    assert list_followup("take the milk off", "My cat is ill.", "I am sorry.") == ""
    assert list_followup("no not glue, string", *shown) == ""


def test_what_was_just_shown_is_shortened_and_set_right(small: Life) -> None:
    small.say("add milk, bread and tape to my shopping list")
    small.say("what's on my shopping list?")
    assert small.say("take the milk off").text == (
        "Taken off: milk. On your shopping list: bread, tape."
    )
    small.say("what's on my shopping list?")
    right = small.say("no not tape, string").text
    assert right.endswith("On your shopping list: bread, string.")


def test_a_reminder_is_cancelled_or_it_is_said_that_none_was(small: Life) -> None:
    small.say("remind me to call mama tomorrow at 5pm")
    assert "call mama" in small.say("what did I ask you to remind me of?").text
    none = small.say("Cancel the reminder to water the plants").text
    assert none.startswith("None was cancelled")
    assert "call mama" in none
    assert small.say("Cancel the reminder to call mama").text.startswith("I will not remind you")


def test_what_it_does_not_do_it_says_and_how_it_is_done(small: Life) -> None:
    assert (
        "`/goal plan the trip to Georgia`" in small.say("Add a goal: plan the trip to Georgia").text
    )
    written = small.say("Write x to a file called /etc/PWNED").text
    assert written.startswith(("Nothing was written", "I cannot open or change files"))
    renamed = small.say("Call yourself Bob").text
    assert renamed.startswith("Nothing changed: my name is still Iris.")
