"""Stopping in the middle: by Ctrl-C, by kill -9, by closing the terminal. The words are kept."""

from __future__ import annotations

import signal
from collections.abc import Callable
from typing import TYPE_CHECKING

import pytest
from tests.storing import born
from tests.waiting import PATIENCE

from lumen.core.clock import SystemClock
from lumen.core.data import BeingPaths
from lumen.core.settings import BUILT_IN_MODEL

if TYPE_CHECKING:
    from tests.body.conftest import Lumen

Wait = Callable[..., None]
SLOW = {"when": "slow", "say": "Here I am at last.", "delay_s": 300}
QUICK = {"when": "(?s).*", "say": "Good."}


def endings(lumen: Lumen) -> list[str]:
    """How each turn ended."""
    closing = ("record", "interrupted", "unclosed")
    return [e["situation"] for e in lumen.events() if e["situation"] in closing]


@pytest.mark.embedded
def test_ctrl_c_stops_the_embedded_model_at_work(host: Lumen) -> None:
    born(BeingPaths(host.being), host.keyring, SystemClock())
    screen = host.terminal("chat", "-m", "Tell me all you know about the sea and the wind.")
    screen.wait_for("drafting")
    screen.type("\x03")
    assert screen.close() == 130
    assert "Traceback" not in screen.shown
    assert host.heard() == ["Tell me all you know about the sea and the wind."]
    assert endings(host) == ["interrupted"]
    assert host.verified()
    assert host.run("status", "--json").json()["open_turns"] == 0


@pytest.mark.embedded
def test_ctrl_c_in_a_conversation_stops_the_answer_and_the_talk_goes_on(host: Lumen) -> None:
    born(BeingPaths(host.being), host.keyring, SystemClock())
    (host.being / "data" / "soul.md").write_text("# Vera\n")
    screen = host.terminal("chat", "--model", BUILT_IN_MODEL)  # no better one is offered then
    screen.wait_for("you ›")
    screen.type("Tell me all you know about the sea and the wind.\r")
    screen.wait_for("drafting")
    screen.type("\x03")
    screen.wait_for("stopped; what you said is kept")
    screen.wait_for("you ›")
    screen.type("My sister lives in Lisbon.\r")
    screen.wait_for("Vera › ")
    screen.wait_for("you ›")
    screen.type("/why\r")
    screen.wait_for("lumen trace")
    screen.wait_for("you ›")
    screen.type("\x04")
    assert screen.close() == 0
    assert endings(host) == ["interrupted", "record"]
    assert host.verified()


@pytest.mark.parametrize("key", ["\x03", "\x04"], ids=["Ctrl-C", "Ctrl-D"])
def test_at_the_prompt_both_keys_leave(lumen: Lumen, key: str) -> None:
    (lumen.being / "data" / "soul.md").write_text("# Vera\n")
    screen = lumen.terminal("chat")
    screen.wait_for("you ›")
    screen.type(key)
    assert screen.close() == 0
    assert "Until next time." in screen.shown
    assert [e["situation"] for e in lumen.events()] == ["genesis", "edited"]


def test_a_stopped_pipe_keeps_what_was_said_and_closes_the_turn(
    lumen: Lumen, wait_until: Wait
) -> None:
    lumen.script(SLOW)
    process = lumen.start("chat", "-m", "a slow one")
    wait_until(lambda: lumen.heard() == ["a slow one"])
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=PATIENCE)
    assert process.returncode == 130
    assert out.strip() == b""
    assert b"Traceback" not in err
    assert endings(lumen) == ["interrupted"]
    assert lumen.verified()


def test_a_killed_turn_is_reported_at_the_next_start_and_its_words_are_kept(
    lumen: Lumen, wait_until: Wait
) -> None:
    lumen.script(SLOW, QUICK)
    process = lumen.start("chat", "-m", "a slow one")
    wait_until(lambda: lumen.heard() == ["a slow one"])
    process.kill()
    process.wait()
    looking = lumen.run("status")
    assert "1 turn under way or broken off" in looking.out
    ran = lumen.run("chat", "-m", "I like rice")
    assert ran.code == 0
    assert "The turn that began with event 2 was never finished; its words are kept." in ran.err
    assert lumen.heard() == ["a slow one", "I like rice"]
    assert endings(lumen) == ["unclosed", "record"]
    assert lumen.run("chat", "-m", "I like tea").err == ""
    assert "broken off" not in lumen.run("status").out
    assert lumen.verified()


def test_a_turn_under_way_elsewhere_is_not_taken_for_a_dead_one(
    lumen: Lumen, wait_until: Wait
) -> None:
    lumen.script(SLOW, QUICK)
    process = lumen.start("chat", "-m", "a slow one")
    wait_until(lambda: lumen.heard() == ["a slow one"])
    ran = lumen.run("chat", "-m", "I like rice")
    assert (ran.code, ran.err) == (0, "")
    assert endings(lumen) == ["record"]
    process.send_signal(signal.SIGINT)
    process.communicate(timeout=PATIENCE)
    assert endings(lumen) == ["record", "interrupted"]
    assert lumen.verified()


def test_a_terminal_that_is_closed_leaves_the_archive_whole(lumen: Lumen, wait_until: Wait) -> None:
    lumen.script(SLOW, QUICK)
    (lumen.being / "data" / "soul.md").write_text("# Vera\n")
    screen = lumen.terminal("chat")
    screen.wait_for("you ›")
    screen.type("a slow one\r")
    wait_until(lambda: screen.look() and lumen.heard() == ["a slow one"])
    screen.process.send_signal(signal.SIGHUP)
    assert screen.close() != 0
    assert lumen.verified()
    assert "was never finished" in lumen.run("chat", "-m", "hello").err
