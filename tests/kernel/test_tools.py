"""Tools in talk: called where they are needed enough, at most two, and none unasked that cannot be taken back."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from lumen.core.canon import JSON
from lumen.kernel.choice.tools import (
    EXPLICIT,
    LOW_CONFIDENCE,
    MISSING_FACTS,
    REPEATED,
    InstalledTool,
    asked_in_words,
    input_for,
    is_named,
    need,
)
from lumen.kernel.steps.p4_affordance import Affording
from lumen.kernel.turn import loops

if TYPE_CHECKING:
    from tests.kernel.conftest import Life

DICE = InstalledTool("dice", "roll", {"sides": 6}, "dice: rolls a die")
TIDES = InstalledTool("tides", "when", {"place": "Bremen"}, "tides: says when the tide is high")
PROGRAM = """
if "--help" in sys.argv:
    print("tides: tells at what time the tide is high or low at a place by the sea")
else:
    call = json.load(sys.stdin)
    said = {"text": "High water in " + call["input"]["place"] + " at noon."}
    print(json.dumps({"ok": True, "output": said, "error": None}))
"""
DECLARED = """
description = "Tells when the tide is high."
reads = []
writes = []
network = false
irreversible = %s

[example]
action = "when"
input = {place = "Bremen"}
holds = {}
"""


def affording() -> Affording:
    """The shipped numbers."""
    return loops.parameters(Affording)


@pytest.mark.parametrize(
    ("features", "called"),
    [
        ((EXPLICIT,), True),
        ((LOW_CONFIDENCE, MISSING_FACTS), False),
        ((LOW_CONFIDENCE, MISSING_FACTS, REPEATED), True),
        ((MISSING_FACTS, REPEATED), False),
        ((), False),
    ],
)
def test_a_tool_is_called_from_the_threshold_on(features: tuple[str, ...], called: bool) -> None:
    law = affording()
    assert law.threshold == 0.62
    assert (need(features, law.weights()) >= law.threshold) is called


@pytest.mark.parametrize(
    ("text", "asked"),
    [
        ("Search my files for the lease.", ("search", "find", {"words": "the lease", "limit": 3})),
        ("Suche in meinen Notizen nach Miete", ("search", "find", {"words": "Miete", "limit": 3})),
        ("Поищи в моих файлах договор", ("search", "find", {"words": "договор", "limit": 3})),
        (
            'Write "Buy oats" to a file called food.txt.',
            ("write_file", "write", {"path": "food.txt", "text": "Buy oats\n", "unique": True}),
        ),
        ("I searched my files for the lease.", None),
        ("My files are a mess.", None),
    ],
)
def test_a_tool_is_asked_for_in_so_many_words(text: str, asked: object) -> None:
    assert asked_in_words(text) == asked


@pytest.mark.parametrize(
    ("tool", "text", "given"),
    [
        (DICE, "Roll a die with 20 sides", {"sides": 20}),
        (DICE, "Roll a die", {"sides": 6}),
        (TIDES, "When is high tide in Cuxhaven?", {"place": "Cuxhaven"}),
        (InstalledTool("two", "do", {"a": 1, "b": 2}, ""), "do it", None),
        (InstalledTool("none", "do", {}, ""), "do it", {}),
    ],
)
def test_a_skill_is_given_what_its_example_shows(
    tool: InstalledTool, text: str, given: JSON
) -> None:
    assert input_for(tool, text) == given


def test_a_skill_is_named_by_the_words_of_its_name() -> None:
    assert is_named(DICE, "Use the dice, please.")
    assert not is_named(DICE, "Candice is here.")


def test_files_are_searched_when_asked_and_when_a_fact_is_missed_again(life: Life) -> None:
    life.listen("I would not know.", small=True)
    files = life.being.root / "files"
    files.mkdir(exist_ok=True)
    (files / "notes.txt").write_text("My locker number is 417.\n", "utf-8")
    first = life.say("What is my locker number?").text
    again = life.say("What is my locker number?").text
    assert "417" not in first
    assert again.startswith("You have not told me that.")  # what would help was said the first time
    assert "In your files I found: My locker number is 417." in again
    assert "locker number is 417" in life.say("Search my files for the locker number.").text


def test_a_file_is_written_only_when_asked_for(life: Life) -> None:
    life.listen("Fine.", small=True)
    life.say("I should write more.")
    assert not list(life.being.root.glob("files/**/*.txt"))
    said = life.say('Write "Buy oats" to a file called food.txt.').text
    assert said == "Written: food.txt, in the folder files."
    assert (life.being.root / "files" / "food.txt").read_text("utf-8") == "Buy oats\n"


@pytest.mark.parametrize(("irreversible", "by_help"), [("false", True), ("true", False)])
def test_an_installed_skill_answers_by_its_help_and_one_that_cannot_be_taken_back_by_its_name_alone(
    life: Life, irreversible: str, by_help: bool
) -> None:
    life.listen("I would not know.", small=True)
    life.skill("tides", PROGRAM)
    (life.being.skills / "tides" / "skill.toml").write_text(DECLARED % irreversible, "utf-8")
    said = life.say("At what time is the tide high in Cuxhaven?").text
    assert ("High water in Cuxhaven at noon." in said) is by_help
    named = life.say("Please ask the skill tides about Cuxhaven, will you?").text
    assert "My skill tides says: High water in Cuxhaven at noon." in named
    assert "tides" not in life.say("Who wrote Faust?").text
