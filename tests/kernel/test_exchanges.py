"""The last two exchanges in a prompt are talk: whatever else happened in between or beside it."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from tests.kernel.conftest import said
from tests.kernel.living import give, pursue, wonder

from lumen.core.data import Author, Entry, EventType, Origin, SelfItem

if TYPE_CHECKING:
    from tests.kernel.conftest import Life


def test_what_it_did_meanwhile_does_not_evict_the_talk(life: Life) -> None:
    listener = life.listen()
    for text in ("I washed the car.", "I rang Bruno."):
        life.say(text)
    give(life, goals=[SelfItem("find out about leeks", 0.6, "todo")])
    for _ in range(3):
        pursue(life)
        wonder(life)
    life.say("I am off to bed now.")

    shown = listener.prompts[-1].user
    assert "washed the car" in shown
    assert "rang Bruno" in shown


def test_two_conversations_at_once_are_still_exchanges(life: Life) -> None:
    """Another terminal's message and its answer lie around ours: neither pair falls apart."""
    listener = life.listen()
    other = "lumen:interface:other"
    life.tell("I painted the fence.")  # nobody ever answered that
    life.kernel.gate.record(said("I planted leeks.", other))
    life.say("I washed the car.")
    life.kernel.gate.record(answered("Leeks take their time.", other))
    life.say("I am off to bed now.")

    shown = listener.prompts[-1].user
    assert "leeks" in shown
    assert "Leeks take their time." in shown
    assert "washed the car" in shown


def answered(text: str, session_key: str) -> Entry:
    """A reply as the runner archives it."""
    heard = said(text, session_key)
    reply = EventType.ASSISTANT_MESSAGE
    return replace(
        heard, author=Author.SELF, origin=Origin.SELF, event_type=reply, situation="replied"
    )
