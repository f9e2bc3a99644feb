"""Asked whether somebody may eat, drink or take something, it judges nothing and minds all it was told of them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from lumen.kernel.language.may_take import health_told, may_take

if TYPE_CHECKING:
    from tests.kernel.conftest import Life


@pytest.fixture
def small(life: Life) -> Life:
    life.listen("What do you lean towards?", small=True)
    return life


@pytest.mark.parametrize(
    ("said", "who"),
    [
        ("Can I take amoxicillin?", "author"),
        ("can lena eat snickers?", "lena"),
        ("Is ibuprofen safe for my sister?", "sister"),
        ("Can we give Tom peanuts", "tom"),
        ("можно мне ибупрофен?", "author"),
        ("Darf ich Aspirin nehmen?", "author"),
        ("What did I eat on Monday?", ""),
    ],
)
def test_whom_it_is_asked_of_is_read_off_the_question(said: str, who: str) -> None:
    found = may_take(said)
    assert (found.who if found else "") == who


@pytest.mark.parametrize(
    ("told", "who"),
    [
        ("I'm allergic to penicillin", {"author"}),
        ("My sister Lena is allergic to nuts", {"sister", "lena"}),
        ("I think Tom has diabetes", {"tom"}),
        ("Tom and I are both vegetarian", {"tom", "author"}),
        ("she is allergic to peanuts", {"someone"}),
        ("у меня аллергия на орехи", {"author"}),  # noqa: RUF001 - Russian
    ],
)
def test_whose_health_a_sentence_tells_of(told: str, who: set[str]) -> None:
    ((_, owners),) = health_told(told)
    assert owners == who


def test_all_that_was_told_of_ones_health_is_minded_and_nobody_elses(small: Life) -> None:
    small.say("I'm allergic to penicillin")
    small.say("I take blood pressure pills every morning")
    small.say("My friend Lena comes on Sunday.")
    small.say("she is allergic to peanuts")

    mine = small.say("Can I take amoxicillin?").text
    assert "Sunday 15 November: “I'm allergic to penicillin”" in mine
    assert "blood pressure pills" in mine
    assert "doctor or a pharmacist" in mine
    assert "peanuts" not in mine
    assert "lean" not in mine

    hers = small.say("can lena eat snickers?").text
    assert "“she is allergic to peanuts”" in hers
    assert "penicillin" not in hers

    russian = small.say("можно мне ибупрофен?").text
    assert "penicillin" in russian
    assert "спроси врача" in russian


def test_where_nothing_was_told_that_is_no_leave_and_a_bus_is_no_medicine(small: Life) -> None:
    assert "doctor or a pharmacist" in small.say("Can I take amoxicillin?").text
    assert "pharmacist" not in small.say("Can I take the bus?").text
