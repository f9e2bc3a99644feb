"""The skill every being starts with, over the real protocol."""

from __future__ import annotations

import asyncio
import json
import runpy
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from lumen.core.canon import JSON, printable
from lumen.core.clock import SystemClock
from lumen.hands.run import Call, Limits, Result, run
from lumen.hands.skills import describe, find, shipped

CHAT = find(shipped(), "chat")


def ask(said: JSON, action: str = "say") -> Result:
    return asyncio.run(run(Call(CHAT, "01TURN", action, said), Limits(), SystemClock()))


PLAIN: Callable[[str], str] = runpy.run_path(str(CHAT.entry))["plain"]


@pytest.mark.parametrize("to", [None, "Ada"])
def test_words_are_delivered(to: str | None) -> None:
    result = ask({"text": "Good morning, Ada.\n\tжизнь \U0001f331", "to": to})
    assert (result.ok, result.error, result.stderr) == (True, "", "")
    assert result.output == {"text": "Good morning, Ada.\n\tжизнь \U0001f331"}


def test_to_may_be_left_out() -> None:
    assert ask({"text": "hello"}).ok


def test_words_cannot_steer_a_terminal() -> None:
    text = "\x1b]0;title\x07a\x1b[31mb\x9b2Jc\x00\x08\x7fd\x1bPq\x1b\\e\u202ef\r\n\tg \n "
    assert ask({"text": text}).output == {"text": "abcdef\n\tg"}


@pytest.mark.parametrize("text", ["", "  \n\t", "\x1b[2J", "\x00"])
def test_saying_nothing_is_an_error(text: str) -> None:
    result = ask({"text": text, "to": None})
    assert (result.ok, result.output) == (False, None)
    assert result.error == "there is nothing to say: the text is empty"


@pytest.mark.parametrize("said", [None, "hello", [], {}, {"text": None}, {"text": 7}])
def test_a_wrong_input_is_answered_with_the_right_one(said: JSON) -> None:
    result = ask(said)
    assert not result.ok
    assert result.error == 'input must be {"text": "the words", "to": null}'


def test_a_wrong_addressee_is_refused() -> None:
    assert ask({"text": "hello", "to": 7}).error == '"to" must be a name or null'


def test_another_action_is_refused() -> None:
    assert ask({"text": "hello"}, "shout").error == 'the only action is "say"'


@pytest.mark.parametrize("typed", [b"", b"hello", b"\xff\xfe", b"[" * 100_000])
def test_a_call_that_is_no_json_is_answered_all_the_same(typed: bytes) -> None:
    done = subprocess.run([sys.executable, "-I", CHAT.entry], input=typed, capture_output=True)
    answer = json.loads(done.stdout)
    assert (answer["ok"], answer["output"], done.returncode, done.stderr) == (False, None, 0, b"")
    assert answer["error"].startswith("the call is no JSON: ")


def test_help_states_capabilities_input_and_output() -> None:
    text = asyncio.run(describe(CHAT))
    assert text.isascii()
    for word in ("Actions", "say", "Input", '"text"', '"to"', "Output", '"ok"', '"error"'):
        assert word in text


def test_the_call_shown_in_help_works() -> None:
    lines = asyncio.run(describe(CHAT)).splitlines()
    call = json.loads(next(line for line in lines if '"action"' in line))
    assert ask(call["input"], call["action"]).output == {"text": "..."}


def test_arguments_are_refused() -> None:
    done = subprocess.run([sys.executable, CHAT.entry, "hello"], capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (1, "")
    assert "--help" in done.stderr


def test_the_skill_stands_alone() -> None:
    lines = Path(CHAT.entry).read_text().splitlines()
    imports = [line for line in lines if line.startswith(("import", "from"))]
    assert imports == ["import json", "import re", "import sys"]


STEERING = "\x1b\x9b[]P\\\x07;m0 \u202e\ud800\udfff"


@given(st.text(st.sampled_from(STEERING) | st.characters(), max_size=40))
@example("a\ud800b")
def test_what_is_left_of_any_text_is_printable_and_settled(text: str) -> None:
    words = PLAIN(text)
    assert printable(words) == words
    assert PLAIN(words) == words
    assert words.encode().decode() == words


@given(st.text(st.characters(categories=["L", "N", "P", "Zs"], exclude_characters="\u2028")))
def test_ordinary_words_are_left_as_they_are(text: str) -> None:
    assert PLAIN(text + ".") == text + "."
