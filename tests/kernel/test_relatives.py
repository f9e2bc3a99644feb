"""What was told of one is not given for another, whoever says it; names that are not known are left alone."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

import pytest
from tests.kernel.living import QUIET, strong

from lumen.kernel.language.relatives import opens_with_another, told_of_another
from lumen.kernel.turn.conversation import IncomingMessage, converse

if TYPE_CHECKING:
    from tests.kernel.conftest import Life

AUNT = "My aunt lives in Ghent."


@pytest.mark.parametrize(
    ("reply", "question", "notes"),
    [
        ("Your cousin lives in Ghent.", "Where does my cousin live?", [AUNT]),
        ("Ghent.", "Where does my cousin live?", [AUNT, "My cousin is called Tom."]),
        ("Deine Mutter wohnt in Rom.", "Wo wohnt meine Mutter?", ["Mein Vater wohnt in Rom."]),
        ("Твоя сестра живёт в Твери.", "Где живёт моя сестра?", ["Мой брат живёт в Твери."]),
    ],
)
def test_what_notes_say_of_somebody_else_alone_is_told_of_another(
    reply: str, question: str, notes: list[str]
) -> None:
    assert told_of_another(reply, question, notes)


@pytest.mark.parametrize(
    ("reply", "question", "notes"),
    [
        ("Your aunt lives in Ghent.", "Where does my aunt live?", [AUNT]),
        ("Your aunt does, in Ghent.", "Where does my cousin live?", [AUNT]),
        ("You have not told me that.", "Where does my cousin live?", [AUNT]),
        ("In Porto.", "Where does my sister live?", ["Anna lives in Porto."]),
        ("Your mum lives in Rome.", "Where does my mum live?", ["My mother lives in Rome."]),
        ("In Rome.", "Where do my parents live?", ["My mother lives in Rome."]),
        ("In Rome.", "Where does my son live?", ["My son and my wife live in Rome."]),
        ("In Ghent.", "Who lives in Belgium?", [AUNT]),
    ],
)
def test_what_a_note_says_of_the_one_asked_about_or_of_nobody_known_is_not(
    reply: str, question: str, notes: list[str]
) -> None:
    assert not told_of_another(reply, question, notes)


def test_a_model_that_gives_the_aunts_home_for_the_cousins_is_not_heard(life: Life) -> None:
    strong(life, ("interface",), words="Your cousin lives in Ghent.")
    told, asked = (
        asyncio.run(
            converse(life.kernel, text, private=False, watch=QUIET, spoken=IncomingMessage())
        )
        for text in (AUNT, "Where does my cousin live?")
    )
    assert told.text
    assert "your cousin lives in Ghent" not in asked.text
    assert asked.kind == "grounded"


@pytest.mark.parametrize(
    ("told", "question", "another"),
    [
        (AUNT, "Where does my cousin live?", True),
        ("Моя сестра живёт в Казани.", "Где живёт мой дедушка?", True),
        ("Mein Vater wohnt in Rom.", "Wo wohnt meine Mutter?", True),
        (AUNT, "Where does my aunt live?", False),
        (AUNT, "Where does Tom live?", False),
        ("Tom moved to Ghent with my aunt.", "Where does my cousin live?", False),
        ("My aunt lives with my cousin.", "Where does my cousin live?", False),
    ],
)
def test_a_text_that_opens_with_somebody_else_tells_nothing_of_the_one_asked_about(
    told: str, question: str, another: bool
) -> None:
    assert opens_with_another(told, question) is another


def test_what_was_told_of_one_is_not_quoted_for_another(life: Life) -> None:
    life.listen("Ghent.", small=True)
    life.tell(AUNT)

    assert "Ghent" not in life.say("Where does my cousin live?").text
    assert "Ghent" in life.say("Where does my aunt live?").text
