"""The author adds, sets and drops goals and values: by command and in a chat, and each is archived."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from tests.body.conftest import Lumen, Ran

Inside = Callable[..., Ran]


def test_a_goal_is_added_set_and_dropped_by_command(lumen: Lumen, inside: Inside) -> None:
    ran = inside("goals", "add", "write a poem", "--weight", "0.7")
    assert (ran.code, ran.out) == (0, "Added: write a poem   0.70  todo\n")
    assert inside("goals", "set", "write a poem", "--weight", "0.9").code == 0
    assert inside("goals", "set", "write a poem", "--status", "working", "--json").json() == {
        "name": "write a poem",
        "weight": 0.9,
        "status": "working",
    }
    assert inside("goals").out == "write a poem  0.90  working\n"
    assert inside("goals", "drop", "write a poem").out == "Dropped: write a poem\n"
    assert "none yet" in inside("goals").out
    assert lumen.situations("author") == ["author"] * 4
    assert lumen.verified()


def test_a_value_is_set_and_dropped_by_command_and_why_tells_who_did(
    lumen: Lumen, inside: Inside
) -> None:
    assert inside("values", "set", "honesty", "--weight", "0.9").code == 0
    assert inside("values", "set", "honesty", "--weight", "0.4").code == 0
    assert inside("values").out == "honesty  0.40  active\n"
    assert "The author set the value 'honesty'" in inside("why", "honesty").out
    assert inside("values", "drop", "honesty").code == 0
    assert inside("undo", "--yes").code == 0
    assert inside("values").out == "honesty  0.40  active\n"


@pytest.mark.parametrize(
    ("arguments", "why"),
    [
        (("goals", "set", "sing", "--weight", "0.5"), "There is no goal 'sing'"),
        (("goals", "drop", "sing"), "There is no goal 'sing'"),
        (("values", "drop", "honesty"), "There is no value 'honesty'"),
        (("goals", "add", " "), "name"),
        (("goals", "add", "sing", "--weight", "2"), "2.0 is not a number from 0 to 1"),
        (("values", "set", "honesty", "--status", "todo"), "'todo' is not one of"),
    ],
)
def test_what_cannot_be_is_refused_with_two_and_nothing_is_archived(
    lumen: Lumen, inside: Inside, arguments: tuple[str, ...], why: str
) -> None:
    before = len(lumen.events())
    ran = inside(*arguments)
    assert ran.code == 2
    assert why in ran.said
    assert len(lumen.events()) == before


def test_a_goal_that_is_there_is_not_added_again(lumen: Lumen, inside: Inside) -> None:
    inside("goals", "add", "write a poem", "--weight", "0.7")
    ran = inside("goals", "add", "write a poem")
    assert ran.code == 2
    assert "try: lumen goals set 'write a poem'" in ran.err
    assert inside("goals", "--json").json()[0]["weight"] == 0.7


def test_a_chat_sets_goals_and_values_by_command(lumen: Lumen) -> None:
    said = b"/goal write a poem 0.8\n/value honesty 0.9\n/goal\n/value\n/goal drop write a poem\n"
    ran = lumen.run("chat", stdin=said)
    assert ran.code == 0, ran.said
    assert "write a poem  0.80  todo" in ran.out
    assert "honesty  0.90  active" in ran.out
    assert "Dropped: write a poem" in ran.out
    assert lumen.situations("author") == ["author"] * 3
    assert lumen.heard() == []


def test_a_chat_is_one_conversation_and_a_message_goes_on_with_the_last(lumen: Lumen) -> None:
    assert lumen.run("chat", stdin=b"I like tea.\nI like rice.\n").code == 0
    assert lumen.run("chat", "-m", "I like bread.").code == 0
    assert lumen.run("chat", stdin=b"I like soup.\n").code == 0
    said = [e for e in lumen.events() if e["event_type"] == "author_message"]
    one, two, three, other = (e["payload"]["conversation"] for e in said)
    assert one == two == three != other
