"""What a conversation looks like on a terminal of 80 columns."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from lumen.body.cli import terminal
from lumen.core.canon import loads

if TYPE_CHECKING:
    from tests.body.conftest import Lumen

TOLD = "My daughter Lena starts at the new school by the river on Monday and she is a bit nervous."


def test_a_long_reply_ends_its_lines_between_words_and_stands_beside_the_name(lumen: Lumen) -> None:
    screen = lumen.terminal("chat")
    screen.wait_for("What shall I call you?")
    screen.type("Ana\r")
    screen.wait_for("And what is my name?")
    screen.type("\r")
    screen.wait_for("you ›")
    screen.type(f"{TOLD}\r")
    screen.wait_for("Lumen › ")
    screen.wait_for("nervous.")
    reply = screen.shown[screen.shown.rindex("Lumen › ") :].partition("nervous.")[0]
    first, *more = reply.split("\r\n")

    assert first.split()[-1] in TOLD.split()  # no word is torn
    assert len(more) == 1
    assert len(more[0]) - len(more[0].lstrip()) == len("Lumen › ")


@pytest.mark.parametrize(
    ("wide", "shown"),
    [
        (40, "Lumen › one two three four five six\n        seven\n\n        • eight"),
        (24, "Lumen › one two three four five six seven\n\n• eight"),  # too narrow to read
        (terminal.ENDLESS, "Lumen › one two three four five six seven\n\n• eight"),  # a pipe
    ],
)
def test_lines_are_as_long_as_there_is_room(
    monkeypatch: pytest.MonkeyPatch, wide: int, shown: str
) -> None:
    monkeypatch.setattr(terminal, "columns", lambda: wide)
    assert terminal.beside("Lumen › ", "one two three four five six seven\n\n• eight") == shown


def test_an_address_is_not_torn(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(terminal, "columns", lambda: 40)
    address = "/srv/" + "a" * 60
    assert address in terminal.beside("Lumen › ", f"It is in {address} now.")


def test_with_json_what_a_command_says_is_a_line_of_json_too(lumen: Lumen) -> None:
    said = b"/private on\nI like rice.\n/private off\nI like tea.\n/nothing\n/memory rice\n"
    ran = lumen.run("chat", "--json", stdin=said)
    first, rice, after, tea, memory = map(loads, ran.out.splitlines())
    private = {
        e["description"]: e["payload"].get("private", False)
        for e in lumen.events()
        if e["event_type"] == "author_message"
    }

    assert first == {"command": "/private", "said": "private from here on"}
    assert after["said"] == "no longer private"
    assert "there is no /nothing" in ran.err
    assert "I like rice." in memory["said"]
    assert rice["reply"]
    assert tea["reply"]
    assert private == {"I like rice.": True, "I like tea.": False}
