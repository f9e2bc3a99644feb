"""The first minutes: no key, no service, no network; a being is born and remembers."""

from __future__ import annotations

import os
import tomllib
from typing import TYPE_CHECKING

import pytest
from tests.storing import born

from lumen.core.clock import SystemClock
from lumen.core.data import BeingPaths

if TYPE_CHECKING:
    from tests.body.conftest import Lumen

NO_NETWORK = """
import sys
def refuse(event, arguments):
    if event in ("socket.connect", "socket.getaddrinfo", "socket.sendto", "urllib.Request"):
        sys.stderr.write(f"reached for the network: {event} {arguments}")
        raise PermissionError(event)
sys.addaudithook(refuse)
"""


@pytest.mark.embedded
def test_what_was_told_is_known_to_a_second_process_and_its_source_is_shown(host: Lumen) -> None:
    born(BeingPaths(host.being), host.keyring, SystemClock())
    guard = host.home / "guard"
    guard.mkdir()
    (guard / "sitecustomize.py").write_text(NO_NETWORK)
    alone = host.env(PYTHONPATH=os.pathsep.join([str(guard), os.environ.get("PYTHONPATH", "")]))
    told = host.run("chat", "-m", "My sister lives in Lisbon.", env=alone)
    assert told.code == 0
    assert "Lisbon" in told.out
    asked = host.run("chat", "-m", "Where does my sister live?", env=alone)
    assert (asked.code, asked.err) == (0, "")
    assert "Lisbon" in asked.out

    event = next(e for e in host.events() if e["author"] == "external")
    why = host.run("why")
    assert "My sister lives in Lisbon." in why.out
    assert f"· event {event['seq']}\n" in why.out
    assert f"{event['timestamp'][:4]} at " in why.out
    as_json = host.run("why", "--json").json()
    assert [s["event"] for s in as_json["sources"]] == [event["seq"]]
    assert as_json["sources"][0]["timestamp"] == event["timestamp"]
    calls = [c for e in host.events() for c in e["payload"].get("calls", ())]
    assert {c["model"] for c in calls} == {"embedded/SmolLM2-135M-Instruct"}


@pytest.mark.embedded
def test_a_first_chat_by_pipe_makes_the_default_being_says_where_and_asks_nothing(
    host: Lumen,
) -> None:
    env = host.env(LUMEN_BEING="")
    default = host.home / "share" / "lumen" / "default"
    nothing = host.run("chat", "-m", " ", env=env)
    assert nothing.code == 2
    assert not default.exists()
    ran = host.run("chat", "-m", "hello", env=env)
    assert ran.code == 0
    assert f"A new being was born in {default}" in ran.err
    assert "born" not in ran.out
    assert "call you" not in ran.said
    assert (default / "data" / "soul.md").read_bytes() == b""
    assert len(ran.out.splitlines()) == 1
    again = host.run("status", env=env)
    assert (again.code, again.err) == (0, "")
    assert str(default) in again.out


def test_the_first_meeting_asks_two_questions_and_keeps_the_answers(lumen: Lumen) -> None:
    screen = lumen.terminal("chat")
    screen.wait_for("What shall I call you? [friend] ›")
    screen.type('Ana \\ "Q"\r')
    screen.wait_for("And what is my name? [Lumen] ›")
    screen.type("Vera\r")
    screen.wait_for("Vera is listening.")
    screen.wait_for("you ›")
    screen.type("hello\r")
    screen.wait_for("Vera › ")
    screen.wait_for("you ›")
    screen.type("\x04")
    assert screen.close() == 0
    assert (lumen.being / "data" / "soul.md").read_text("utf-8") == "# Vera\n"
    author = tomllib.loads((lumen.being / "lumen.toml").read_text("utf-8"))["author"]
    assert author == {"name": 'Ana \\ "Q"', "timezone": "Europe/Lisbon"}
    kept = next(e for e in lumen.events() if e["situation"] == "introduced")
    assert kept["author"] == "kernel"
    assert kept["description"] == 'The author, Ana \\ "Q", named the being Vera.'
    changed = {c["store"]: c["value"] for c in kept["payload"]["changes"]}
    assert changed["soul"] == "# Vera\n"
    assert "Ana" in changed["settings"]
    status = lumen.run("status")
    assert status.out.startswith("Vera ")
    assert lumen.run("status", "--json").json()["author"] == 'Ana \\ "Q"'
    assert lumen.verified()


def test_enter_takes_the_defaults_and_they_are_asked_only_once(lumen: Lumen) -> None:
    screen = lumen.terminal("chat")
    screen.wait_for("[friend] ›")
    screen.type("\r")
    screen.wait_for("[Lumen] ›")
    screen.type("\r")
    screen.wait_for("Lumen is listening.")
    screen.wait_for("you ›")
    screen.type("\x04")
    assert screen.close() == 0
    assert (lumen.being / "data" / "soul.md").read_text("utf-8") == "# Lumen\n"
    screen = lumen.terminal("chat")
    screen.wait_for("you ›")
    screen.type("\x04")
    assert screen.close() == 0
    assert "call you" not in screen.shown


def test_leaving_before_the_questions_are_answered_changes_nothing(lumen: Lumen) -> None:
    screen = lumen.terminal("chat")
    screen.wait_for("[friend] ›")
    screen.type("\x04")
    assert screen.close() == 130
    assert "Traceback" not in screen.shown
    assert (lumen.being / "data" / "soul.md").read_bytes() == b""
    assert len(lumen.events()) == 1


def test_a_command_is_no_name_and_neither_is_what_nobody_can_be_called(lumen: Lumen) -> None:
    screen = lumen.terminal("chat")
    screen.wait_for("[friend] ›")
    for typed, said in (
        ("/help", "press Enter for the one in brackets"),
        ("/why", "/why is a command, not a name"),
        ("x" * 500, "at most 40 characters"),
        ("Ma\x16\x07ria", "nothing unprintable"),
        ("?!", "a name has letters"),
    ):
        screen.type(f"{typed}\r")
        screen.wait_for(said)
        screen.wait_for("[friend] ›")
    screen.type("call me Max\r")
    screen.wait_for("[Lumen] ›")
    screen.type("/help\r")
    screen.wait_for("in brackets")
    screen.wait_for("[Lumen] ›")
    screen.type("   \r")
    screen.wait_for("Lumen is listening.")
    screen.wait_for("you ›")
    screen.type("\x04")
    assert screen.close() == 0
    author = tomllib.loads((lumen.being / "lumen.toml").read_text("utf-8"))["author"]
    assert author["name"] == "Max"


def test_a_question_is_no_name_and_is_answered_after_the_meeting(lumen: Lumen) -> None:
    screen = lumen.terminal("chat")
    screen.wait_for("[friend] ›")
    screen.type("What time is it?\r")
    screen.wait_for("I will answer that in a moment.")
    screen.wait_for("[friend] ›")
    screen.type("Max\r")
    screen.wait_for("[Lumen] ›")
    screen.type("\r")
    screen.wait_for("Lumen is listening.")
    screen.wait_for("you › What time is it?")
    screen.wait_for("Lumen › It is ")
    screen.wait_for("you ›")
    screen.type("\x04")
    assert screen.close() == 0
    author = tomllib.loads((lumen.being / "lumen.toml").read_text("utf-8"))["author"]
    assert author["name"] == "Max"
    heard = [e["description"] for e in lumen.events() if e["author"] == "external"]
    assert heard == ["What time is it?"]


def test_quit_leaves_the_first_questions_too(lumen: Lumen) -> None:
    screen = lumen.terminal("chat")
    screen.wait_for("[friend] ›")
    screen.type("/quit\r")
    assert screen.close() == 0
    assert (lumen.being / "data" / "soul.md").read_bytes() == b""
    assert len(lumen.events()) == 1
