"""Asked about one person, one thing or one time, it tells of that and of nothing else."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING

import pytest
from tests.kernel.living import give, pursue

from lumen.core.data import SelfItem

if TYPE_CHECKING:
    from tests.kernel.conftest import Life


@pytest.fixture
def small(life: Life) -> Life:
    life.listen("You were born in Madrid.", small=True)
    return life


def test_asked_what_it_knows_of_one_thing_it_tells_of_that_and_of_nothing_else(small: Life) -> None:
    small.tell(
        "piet from next door borrowed my drill",
        "my daughter Fien turns 5 on 3 december",
        "I like rice.",
    )
    piet = small.say("what do you remember about piet").text
    assert "drill" in piet
    assert "rice" not in piet
    assert "Fien" in small.say("what do you know about my daughter").text
    small.tell("тёще 64 кстати")
    assert "тёще 64" in small.say("сколько лет тёще").text


def test_what_it_did_is_told_from_the_archive_with_dates(small: Life) -> None:
    assert small.say("What have you been doing?").text == (
        "I have done nothing on my own yet.\n"
        "Since Sunday 15 November I have answered 0 of your messages."
    )
    give(small, {}, [SelfItem("travel notes about Lisbon", 0.8, "todo")])
    pursue(small)
    did = small.say("What have you been doing this week?")

    lines = did.text.splitlines()
    assert lines[0] == "What I did this week, the newest first:"
    assert (
        "• Sunday 15 November: For the goal “travel notes about Lisbon” I used search" in did.text
    )
    assert did.sources
    whole = small.say("What have you been doing?").text.splitlines()
    assert whole[0] == "What I did, the newest first:"
    assert whole[-1] == "Since Sunday 15 November I have answered 2 of your messages."


def test_what_it_did_is_told_of_the_day_that_is_asked_about(small: Life) -> None:
    give(small, {}, [SelfItem("travel notes about Lisbon", 0.8, "todo")])
    pursue(small)
    small.clock.at += timedelta(days=1)
    small.say("I like rice.")
    assert small.say("did you do anything while i was away").text.startswith(
        "On my own I did nothing since we last talked."
    )
    assert small.say("what did you do today").text == "On my own I did nothing today."
    assert "travel notes" in small.say("what did you do on sunday").text
    assert "travel notes" in small.say("что ты делал в воскресенье?").text
    assert (
        small.say("Was hast du heute gemacht?").text == "Von mir aus habe ich heute nichts getan."
    )
    pursue(small)
    away = small.say("did you do anything while I was away?").text
    assert away.startswith("What I did since we last talked, the newest first:")


@pytest.mark.parametrize(
    ("question", "no"),
    [
        ("did you call the dentist for me", "No: my archive has no such deed of mine"),
        ("Have you sent the email to Anna?", "No: my archive has no such deed of mine"),
        ("ты звонил врачу", "Нет: в моём архиве нет такого моего дела"),
        ("Hast du den Arzt angerufen?", "Nein: Mein Archiv kennt keine solche Tat von mir"),
    ],
)
def test_whether_it_did_a_thing_is_answered_by_its_archive(
    small: Life, question: str, no: str
) -> None:
    give(small, {}, [SelfItem("travel notes about Lisbon", 0.8, "todo")])
    pursue(small)
    assert small.say(question).text.startswith(no)
    did = small.say("did you find anything about lisbon").text
    assert "For the goal “travel notes about Lisbon” I used search" in did


def test_what_it_knows_or_feels_is_no_deed(small: Life) -> None:
    for question in ("did you sleep well?", "did you know that Nina has a cat?"):
        assert "no such deed" not in small.say(question).text
