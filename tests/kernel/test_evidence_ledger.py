"""What a message claims or needs: on whose word, what disagrees, what is missing; and what is kept of it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from lumen.core.canon import loads
from lumen.core.stores import Store
from lumen.kernel.upkeep.forget import carry_out, find, plan

if TYPE_CHECKING:
    from tests.kernel.conftest import Life

    from lumen.core.canon import JSON

EVASIVE = "That is a question for another day."
PORTO, LISBON = "My choir sings in Porto.", "My choir sings in Lisbon."


def kept(life: Life) -> list[JSON]:
    """The lines of the ledger, read from the disk."""
    path = life.being.root / Store.EVIDENCE_LEDGER.place.path
    return [loads(line) for line in path.read_bytes().splitlines()] if path.exists() else []


def account(life: Life) -> JSON:
    """What the newest turn accounts for."""
    return life.step("evidence_ledger_update")["wrote"]


@pytest.fixture
def evasive(life: Life) -> Life:
    """A being whose model says nothing to the point."""
    life.script({"when": ".", "say": EVASIVE})
    return life


def test_what_was_needed_and_never_told_is_kept_as_a_gap_once(evasive: Life) -> None:
    evasive.say("What is my shoe size?")
    assert (account(evasive)["verdict"], account(evasive)["gap"]) == ("missing", True)
    evasive.say("What is my shoe size?")
    (line,) = kept(evasive)
    assert (line["gaps"], line["verdict"]) == (["No data on shoe size"], "missing")
    assert line["claims"] == line["conflicts"] == []


def test_what_was_told_is_a_claim_with_its_source_and_needs_no_line(evasive: Life) -> None:
    (told,) = evasive.tell("My sister lives in Lisbon.")
    evasive.say("Where does my sister live?")
    assert account(evasive)["verdict"] == "supported"
    assert account(evasive)["claims"][0] == {"sources": [told], "confidence": "high"}
    assert kept(evasive) == []


def test_two_values_for_one_thing_are_both_said_and_kept_as_a_conflict(evasive: Life) -> None:
    old, new = evasive.tell(PORTO, LISBON, days=1)
    answered = evasive.say("Where does my choir sing?")
    assert account(evasive)["conflicts"] == [[new, old]]
    assert PORTO in answered.text
    assert LISBON in answered.text
    assert answered.text.endswith("These do not agree. Which holds?")
    assert sorted(answered.sources) == [old, new]
    (line,) = kept(evasive)
    assert line["conflicts"] == [f"event {new} and event {old} differ"]
    assert {c["text"] for c in line["claims"]} <= {PORTO, LISBON}


def test_what_openly_revises_another_is_no_conflict(evasive: Life) -> None:
    evasive.tell(PORTO, "Actually my choir sings in Lisbon now.", days=1)
    answered = evasive.say("Where does my choir sing?")
    assert account(evasive)["conflicts"] == []
    assert "do not agree" not in answered.text


@pytest.mark.parametrize(
    ("text", "confidence"),
    [
        ("My flight is on Friday.", "med"),
        ("I think my flight is on Friday.", "low"),
        ("My flight is on Friday, that is very important.", "high"),
    ],
)
def test_a_statement_is_as_sure_as_its_words(life: Life, text: str, confidence: str) -> None:
    life.say(text)
    (claim,) = account(life)["claims"]
    assert (claim["confidence"], account(life)["verdict"]) == (confidence, "told")


def test_a_private_question_leaves_no_line(evasive: Life) -> None:
    evasive.say("What is my shoe size?", private=True)
    assert account(evasive)["gap"]
    assert kept(evasive) == []


def test_what_is_forgotten_leaves_the_ledger(evasive: Life) -> None:
    evasive.say("What is my shoe size?")
    evasive.say("What is my blood type?")
    assert len(kept(evasive)) == 2
    gate = evasive.kernel.gate
    carry_out(gate, plan(gate, find(evasive.kernel.index, "shoe size")))
    assert [line["gaps"] for line in kept(evasive)] == [["No data on blood type"]]
