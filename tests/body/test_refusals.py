"""What cannot be done is said in a sentence, with what to try; a trace only for who asks for it."""

from __future__ import annotations

import json
import shlex
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.body.conftest import Lumen, Ran

    Inside = Callable[..., Ran]

COMMANDS = ("status", "memory", "why", "trace", "archive verify", "chat -m hi")


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ("memory ''", "What to look for is empty"),
        ("chat -m hi --model ''", "The model's name is empty"),
        ("sing", "No such command 'sing'"),
        ("--loud status", "No such option '--loud'"),
        ("status --loud", "No such option '--loud'"),
        ("chat hello", "unexpected extra argument (hello)"),
        (
            "values set honesty 0.8",
            "argument (0.8); what takes a value: --being, --status, --weight",
        ),
        ("memory --author nobody", "'nobody' is not one of"),
        ("memory --date bad", "'bad' is no date"),
        ("memory --date 2026-13-45", "'2026-13-45' is no date"),
        ("memory --date 20261115", "'20261115' is no date"),
        ("trace abc", "'abc' is not a whole number"),
        ("trace 0", "0 is not a whole number from 1 to 1,000"),
        ("trace 99999999999999999999", "is not a whole number from 1 to"),
        ("goals add sing --weight two", "'two' is not a number from 0 to 1"),
        ("goals add sing --weight 1.5", "1.5 is not a number from 0 to 1"),
        ("run --every soon", "'soon' is not a number of at least 0"),
        ("run --cycles 0", "0 is not a whole number of at least 1"),
        ("trace 4000", "Event 4000 belongs to no turn"),
        ("trace 1", "Event 1 belongs to no turn"),
        ("trace", "There is no turn to show yet"),
        ("why 4000", "Event 4000 belongs to no answer"),
        ("why 0", "Event 0 belongs to no answer"),
        ("why", "There is no answer to explain yet"),
        ("lab bench --loud", "No such option '--loud'"),
        ("lab bench everything", "'everything' is not one of 'archive'"),
        ("archive mend", "No such command 'mend'"),
        ("lab recall", "Missing option '--dataset'"),
        ("lab recall --dataset nowhere", "File 'nowhere' does not exist"),
        ("skills run calc nonexistent", "The skill calc has no action 'nonexistent'; it has"),
        ("models remove nope", "No model 'nope' is kept here"),
        ("init /proc/x", "/proc/x cannot be written: No such file or directory"),
        ("init /dev/null/x", "/dev/null/x cannot be written: Not a directory"),
        ("backup /proc/x", "Nothing can be written to /proc"),
    ],
)
def test_a_request_that_cannot_be_is_refused_with_two_says_what_to_try_and_changes_nothing(
    lumen: Lumen, inside: Inside, arguments: str, said: str
) -> None:
    kept = sorted(p.name for p in lumen.home.iterdir())
    ran = inside(*shlex.split(arguments))
    assert (ran.code, ran.out) == (2, "")
    assert said in ran.err
    assert "\n  try: " in ran.err
    assert "Traceback" not in ran.err
    as_json = inside(*shlex.split(arguments), "--json")
    assert (as_json.code, as_json.err) == (2, "")
    told = as_json.json()
    assert told["ok"] is False
    assert told["fix"]
    assert said.lower() in told["error"].lower()
    assert len(lumen.events()) == 1
    assert sorted(p.name for p in lumen.home.iterdir()) == kept


@pytest.mark.parametrize("command", COMMANDS)
def test_what_is_no_being_is_named_and_the_way_to_make_one(
    host: Lumen, inside: Inside, command: str
) -> None:
    nowhere, foreign, file = host.home / "nowhere", host.home / "foreign", host.home / "file"
    foreign.mkdir()
    (foreign / "notes.txt").write_text("mine")
    file.write_text("mine")
    missing = inside("--being", str(nowhere), *command.split())
    assert missing.err == f"{nowhere} does not exist.\n  try: lumen init {nowhere}\n"
    other = inside("--being", str(foreign), *command.split())
    assert f"{foreign} is not a being: it has no lumen.toml." in other.err
    assert f"try: lumen init {foreign}" in other.err
    no_folder = inside("--being", str(file), *command.split())
    assert f"{file} is a file, not a being." in no_folder.err
    assert [r.code for r in (missing, other, no_folder)] == [2, 2, 2]
    assert [p.name for p in foreign.iterdir()] == ["notes.txt"]
    assert not nowhere.exists()


@pytest.mark.parametrize(
    ("line", "value", "said"),
    [
        ("name = ", "name = ", "cannot be read: Invalid value (at line"),
        ("name = ", "name = 5", "[author] name must be a text, not 5"),
        ("\\[author\\]", "[[author]]", "[author] must be a table of lines like key = value"),
        ("timezone = ", 'timezone = "Mars/Base"', "'Mars/Base' is no time zone"),
        ("timezone = ", 'timezone = "../../etc/passwd"', "is no time zone"),
        ("timezone = ", 'timezone = "\\u0000"', "is no time zone"),
        ("seconds = 20", "seconds = true", "[skills] seconds must be a number above 0, not True"),
        ("seconds = 20", "seconds = -1", "[skills] seconds must be a number above 0, not -1"),
        ("seconds = 20", "seconds = nan", "[skills] seconds must be a number above 0, not nan"),
        ("interface = ", "interface = 3", "every role must be a text like substrate/model"),
        ("model = ", "model = 3", "[embedder] model must be a text, not 3"),
        (
            "model = ",
            'model = "nomic"',
            "[embedder] model: it must be substrate/model; 'nomic' has no",
        ),
        ("model = ", 'model = "My Box/x"', "[embedder] model: 'My Box' is no name of a substrate"),
        ("model = ", 'model = "ollama/ "', "[embedder] model: ' ' is no name of a model"),
        ("model = ", 'model = "ollama/"', "[embedder] model: '' is no name of a model"),
        ("model = ", 'model = "embedded/x"', "[embedder] model: embedded has no embedder 'x'"),
    ],
)
def test_a_wrong_setting_is_named_by_every_command(
    lumen: Lumen, inside: Inside, line: str, value: str, said: str
) -> None:
    lumen.set(line, value)
    for command in ("status", "chat -m hi"):
        ran = inside(*command.split())
        assert (ran.code, ran.out) == (2, "")
        assert said in ran.err
        assert str(lumen.being / "lumen.toml") in ran.err
        assert "Traceback" not in ran.err
    assert len(lumen.events()) == 1


def test_settings_that_are_no_text_are_refused(lumen: Lumen) -> None:
    (lumen.being / "lumen.toml").write_bytes(b"\xff\xfe")
    ran = lumen.run("status")
    assert ran.code == 2
    assert "lumen.toml cannot be read: it is not text in UTF-8." in ran.err
    assert "move it away: lumen rebuild" in ran.err


@pytest.mark.parametrize(
    ("model", "said"),
    [
        ("noslash", "Role interface: 'noslash' has no slash."),
        ("Emb edded/x", "is no name of a substrate"),
        ("nope/x", "'nope' is no substrate"),
        ("embedded/other", "has no model 'other'"),
        ("scripted/nowhere.jsonl", "the script nowhere.jsonl cannot be read"),
    ],
)
def test_a_model_that_is_not_there_is_named(lumen: Lumen, model: str, said: str) -> None:
    lumen.speak_with(model)
    ran = lumen.run("chat", "-m", "What do I like to eat?")
    assert said.lower() in ran.said.lower()
    assert "Traceback" not in ran.said
    assert lumen.verified()


def test_a_name_that_is_no_text_is_named_all_the_same(host: Lumen) -> None:
    text, as_json = (host.run("status", "--being", b"/na\xffme", *o) for o in ((), ("--json",)))
    assert (text.code, as_json.code) == (2, 2)
    assert "/na?me does not exist." in text.err
    assert json.loads(as_json.out)["error"] == "/na\udcffme does not exist"


def test_a_problem_in_a_conversation_is_told_and_the_talk_goes_on(lumen: Lumen) -> None:
    (lumen.being / "data" / "soul.md").write_text("# Vera\n")
    template = lumen.being / "prompts" / "drafts" / "prompt.md"
    template.parent.mkdir()
    screen = lumen.terminal("chat")
    screen.wait_for("you ›")
    template.write_text("{{ nonsense }}")
    screen.type("I like rice.\r")
    screen.wait_for("uses nonsense, which this step does not give")
    screen.wait_for("try: it gives: ")
    screen.wait_for("you ›")
    template.unlink()
    screen.type("I like tea.\r")
    screen.wait_for("Vera › Noted: you like tea.")
    screen.wait_for("you ›")
    screen.type("\x04")
    assert screen.close() == 0
    assert lumen.heard() == ["I like rice.", "I like tea."]
    assert lumen.verified()


def test_a_being_that_lost_its_memory_starts_no_second_one(lumen: Lumen, inside: Inside) -> None:
    lumen.segment().unlink()
    for command in COMMANDS:
        ran = inside(*command.split())
        assert ran.code == 2
        assert f"has lost its memory: {lumen.being}/data/memory holds no events" in ran.err
        assert "try: put data/memory back from a backup" in ran.err
    assert lumen.events() == []


def test_debug_shows_a_trace_and_the_sentence(lumen: Lumen) -> None:
    plain = lumen.run("why")
    for arguments in (("why", "--debug"), ("--debug", "why")):
        ran = lumen.run(*arguments)
        assert ran.err.startswith(plain.err)
        assert "Traceback (most recent call last)" in ran.err
    by_environment = lumen.run("why", env=lumen.env(LUMEN_DEBUG="1"))
    assert "Traceback (most recent call last)" in by_environment.err


def test_without_a_command_and_with_help_the_commands_are_listed(inside: Inside) -> None:
    for arguments, code in (((), 2), (("--help",), 0), (("-h",), 0)):
        ran = inside(*arguments)
        assert ran.code == code
        assert "Talk with your being." in ran.said
    assert inside("--version").out.startswith("lumen, version ")
    for command in ("init", "chat", "status", "memory", "why", "trace", "archive", "doctor", "lab"):
        assert inside(command, "--help").out.startswith("Usage: ")


@pytest.mark.parametrize(
    ("arguments", "fix"),
    [
        ("--json --bogus", "lumen status --json"),
        ("--bogus --json", "lumen --help"),
        ("bogus --json", "lumen --help"),
        ("status --json --bogus", "lumen status --help"),
        ("goals --status x --json", "lumen goals --help"),
        ("skills accept --json", "lumen skills accept --help"),
        ("archive --json verify", "lumen status --json"),
    ],
)
def test_a_misused_command_says_in_json_too_what_to_try(
    inside: Inside, arguments: str, fix: str
) -> None:
    ran = inside(*arguments.split())
    assert (ran.code, ran.err) == (2, "")
    assert (ran.json()["ok"], ran.json()["fix"]) == (False, fix)
    assert inside(*fix.split()[1:]).out


def test_words_that_find_no_room_say_so(lumen: Lumen) -> None:
    with Path("/dev/full").open("w") as full:
        ran = subprocess.run(
            [sys.executable, "-m", "lumen", "status"],
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
            env=lumen.env(),
            check=False,
        )
    assert ran.returncode == 1
    assert "cannot be written: No space left on device" in ran.stderr
    assert "free some space" in ran.stderr
