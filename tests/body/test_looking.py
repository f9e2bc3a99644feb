"""Looking at what is there: status, memory, why, trace; as text, as JSON, through a pipe."""

from __future__ import annotations

import os
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from lumen.core.canon import loads

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.body.conftest import Lumen, Ran

    Inside = Callable[..., Ran]


def test_every_command_prints_one_json_document(talked: Lumen, inside: Inside) -> None:
    printed = {
        command: inside(*command.split(), "--json")
        for command in (
            "status",
            "memory",
            "memory rice",
            "recall rice",
            "recall sister --explain --lane stated",
            "why",
            "why 2",
            "why rice",
            "trace",
            "trace 2",
            "archive verify",
        )
    }
    for command, ran in printed.items():
        assert (command, ran.code, ran.err) == (command, 0, "")
        assert len(ran.out.splitlines()) == 1
        assert loads(ran.out)
    status = printed["status"].json()
    assert status["memory"] == {"self": 3, "kernel": status["events"] - 6, "goal": 0, "external": 3}
    assert status["head"] == talked.events()[-1]["event_hash"]
    assert status["signed_up_to"] == status["events"]
    assert [s["text"] for s in printed["why"].json()["sources"]] == ["My sister lives in Lisbon."]
    assert [b["turn"] for b in printed["trace"].json()] == [talked.events()[-1]["session_key"]] * 4
    assert printed["archive verify"].json()["ok"] is True


def test_recall_tells_lane_paths_parts_and_neighbours(talked: Lumen, inside: Inside) -> None:
    asked = ("recall", "Where does my sister live?", "--explain")
    told = inside(*asked, "--lane", "stated").out
    first, how = told.splitlines()[:2]
    assert "stated: “My sister lives in Lisbon.”" in first
    assert "by text, meaning" in how
    assert "beside: " in told
    said = inside("recall", "my sister in Lisbon", "--lane", "said", "--json").json()
    assert {one["lane"] for one in said} == {"said"}
    assert "parts" not in said[0]
    assert inside("recall", "rice", "--as-of", "2001-01-01").out == "Nothing found.\n"
    assert inside("recall", "rice", "--lane", "dreams").code == 2


def test_chat_prints_one_json_document_for_each_reply(talked: Lumen) -> None:
    ran = talked.run("chat", "--json", stdin=b"I like tea.\nWhat do I like?\n")
    replies = [loads(line) for line in ran.out.splitlines()]
    told = {"reply", "event", "kind", "sources", "trouble", "fix", "heard", "lacking", "redacted"}
    assert len(replies) == 2
    assert all(told <= set(r) for r in replies)
    by_number = {e["seq"]: e for e in talked.events()}
    assert [by_number[r["event"]]["description"] for r in replies] == [r["reply"] for r in replies]
    one = talked.run("chat", "--json", "-m", "Where does my sister live?").json()
    assert one["sources"] == [2]


def test_memory_filters_by_author_day_and_words(talked: Lumen, inside: Inside) -> None:
    def listed(*arguments: str) -> list[str]:
        return [m["text"] for m in inside("memory", "--json", *arguments).json()]

    mine = ["My sister lives in Lisbon.", "I like rice.", "Where does my sister live?"]
    assert listed("--author", "external") == mine
    assert listed("--author", "goal") == []
    assert len(listed()) == 6  # the kernel's own are for --all
    assert len(listed("--author", "kernel")) == 19
    assert len(listed("--all")) == len(talked.events()) > 20
    assert listed("--all", "--author", "kernel")[0] == "A being begins."
    day = talked.segment().stem
    assert listed("--all", "--date", day) == listed("--all")
    assert listed("--date", "2001-01-01") == []
    assert listed("rice")[0] in ("I like rice.", "Noted: you like rice.")
    for author in ("external", "self"):
        found = inside("memory", "--json", "sister", "--author", author).json()
        assert {m["author"] for m in found} == {author}
    assert listed("sister", "--date", "2001-01-01") == []
    assert inside("memory", "--date", "2001-01-01").out == "Nothing found.\n"


def test_memory_is_a_table_a_person_can_read(talked: Lumen) -> None:
    ran = talked.run("memory", "--author", "external")
    rows = ran.out.splitlines()
    assert len(rows) == 3
    assert rows[0].startswith("2 ")
    assert rows[0].endswith("external  My sister lives in Lisbon.")
    talked.run("chat", "--private", "-m", "I snore")
    assert "external (private)  I snore" in talked.run("memory", "--author", "external").out
    screen = talked.terminal("memory", "--all")
    assert screen.close() == 0
    assert max(len(line) for line in screen.shown.splitlines()) <= 80


def test_why_tells_the_day_the_words_and_the_event(talked: Lumen, inside: Inside) -> None:
    told = next(e for e in talked.events() if e["author"] == "external")
    out = inside("why").out
    assert "you told me on " in out
    assert f"{told['timestamp'][:4]} at " in out
    assert "“My sister lives in Lisbon.”   · event 2" in out
    assert "lumen trace " in out
    earlier = inside("why", "2").out
    assert "said     Noted: your sister lives in Lisbon." in earlier
    assert "sister" not in inside("why", "10").out
    claim = inside("why", "my sister lives in Lisbon").out
    assert claim.startswith("● my sister lives in Lisbon\n  └ ")
    assert "event 2 · fits well" in claim
    explained = inside("recall", "my sister lives in Lisbon", "--lane", "stated", "--explain").out
    paths = next(line.strip() for line in explained.splitlines() if " by " in line)
    assert [line.strip() for line in claim.splitlines()][3] == paths, "told in the same words"
    found = inside("why", "my sister lives in Lisbon", "--json").json()[0]
    assert {"text", "meaning"} <= {*found["paths"]}
    assert found["neighbours"]
    assert found["lane"] == "stated"
    assert found["certainty"] > 0.64
    assert f"score {found['score']:.2f}, certainty {found['certainty']:.2f}" in claim
    unknown = inside("why", "the moon is made of cheese").out
    assert unknown == "● the moon is made of cheese\n  └ you have not told me that\n"


def test_a_claim_fits_well_only_where_all_of_it_was_said(lumen: Lumen, inside: Inside) -> None:
    for said in ("Pavel drives a taxi in Riga.", "Pavel is my oldest friend.", "Pavel likes jazz."):
        lumen.run("chat", "-m", said)
    for claim in ("Pavel drives a taxi", "Pavel is a taxi driver"):
        found = inside("why", claim, "--json").json()
        assert {e["text"]: e["fit"] for e in found}["Pavel drives a taxi in Riga."] == "fits well"
        assert [e["fit"] for e in found].count("fits well") == 1
    strange = inside("why", "Pavel is an astronaut", "--json").json()
    assert "fits well" not in [e["fit"] for e in strange]
    for claim in ("Pavel likes horses", "Pavel is an astronaut"):
        said = inside("why", claim).out
        assert "nothing you told me says that" in said
        assert "fits" not in said


def test_a_claim_with_another_name_or_number_is_not_what_was_said(
    lumen: Lumen, inside: Inside
) -> None:
    told = b"Ada lives in Lisbon.\nMy knee scan is on the 14th of March.\n"
    assert lumen.run("chat", stdin=told).code == 0
    for claim in (
        "Ada lives in Madrid",
        "Bob lives in Lisbon",
        "my knee scan is on the 15th of March",
        "my knee scan is on the 14th of April",
    ):
        out = inside("why", claim).out
        assert "does not say it" in out
        assert "fits" not in out.splitlines()[1]
    for claim in ("Ada lives in Lisbon", "ada lives in Lisbon", "my knee scan is on 14 March"):
        assert "does not say it" not in inside("why", claim).out.splitlines()[1]
    found = inside("why", "Ada lives in Madrid", "--json").json()
    assert found[0]["fit"] == "does not say it"


@pytest.mark.usefixtures("talked")
def test_trace_tells_what_every_step_did(inside: Inside) -> None:
    out = inside("trace").out
    for beat in ("THINK", "DECIDE", "ACT", "RECORD"):
        assert f"{beat}: " in out
    for step in ("ingest", "reality_check", "drafts", "lambda_select", "compose_final"):
        assert f"\n  {step} " in out
    assert "model scripted/" in out
    assert inside("trace", "2").out != out


def test_verify_with_a_key_says_no_before_it_says_anything_else(
    talked: Lumen, inside: Inside
) -> None:
    key = inside("archive", "verify", "--json").json()["key"]
    assert inside("archive", "verify", "--key", key[:16].upper()).out.startswith("✓ ok")
    for wrong in ("zz", "abc", "zz" * 16, key + "0"):
        ran = inside("archive", "verify", "--key", wrong)
        assert (ran.code, ran.out) == (2, "")
        assert "try: " in ran.err
    other = inside("archive", "verify", "--key", "0" * 64)
    assert other.code == 1
    assert other.out.startswith(f"✗ it is not the key {'0' * 64} that signed this archive")
    assert "✓" not in other.out
    assert talked.verified()


def test_what_is_piped_holds_no_escape_codes(talked: Lumen) -> None:
    for command in ("status", "memory", "why", "trace", "archive verify", "chat -m hi", "sing"):
        ran = talked.run(*command.split())
        assert ran.said
        assert "\x1b" not in ran.said


def test_no_color_keeps_a_terminal_plain(talked: Lumen) -> None:
    for command in ("status", "memory", "doctor"):
        screen = talked.terminal(command, NO_COLOR="1")
        assert screen.close() == 0
        assert screen.shown
        assert "\x1b" not in screen.shown


@pytest.mark.parametrize(
    "command", ["memory --all", "memory --json", "trace", "status", "chat -m hi", "--help"]
)
def test_a_pipe_that_closes_early_ends_a_command_quietly(talked: Lumen, command: str) -> None:
    reading, writing = os.pipe()
    os.close(reading)
    ran = subprocess.run(
        [sys.executable, "-m", "lumen", *command.split()],
        env=talked.env(),
        stdout=writing,
        stderr=subprocess.PIPE,
        check=False,
    )
    os.close(writing)
    assert ran.returncode == 141
    assert ran.stderr == b""
    assert talked.verified()


def test_a_command_that_does_not_exist_is_no_message_in_a_pipe_either(lumen: Lumen) -> None:
    said = b"/bogus\nI like rice.\n/Bogus-2 now\n/memory\n/etc/hosts lists my machines.\n"
    ran = lumen.run("chat", stdin=said)
    assert ran.code == 0
    assert lumen.heard() == ["I like rice.", "/etc/hosts lists my machines."]
    assert "there is no /bogus: not kept" in ran.err
    assert "there is no /Bogus-2: not kept" in ran.err
    assert "bogus" not in ran.out.lower()
    assert "external  I like rice." in ran.out


def test_in_a_conversation_commands_answer_without_a_turn(lumen: Lumen) -> None:
    (lumen.being / "data" / "soul.md").write_text("# Vera\n")
    screen = lumen.terminal("chat")

    def press(keys: str, shown: str) -> None:
        screen.wait_for("you ›")
        screen.type(keys + "\r")
        screen.wait_for(shown)

    press("/why", "nothing was said yet")
    press("/memory", "external  The author edited data/soul.md.")
    press("I like rice.", "Vera › Noted: you like rice.")
    press("/why", "lumen trace")
    press("/why I like rice", "by text, meaning")
    press("/memory", "external  I like rice.")
    press("/memory rice", "external  I like rice.")
    press("/memory snow", "nothing found")
    press("/sing", "there is no /sing")
    press("/help", "where the last answer comes from")
    press("/etc/hosts lists my machines.", "Vera › ")
    screen.wait_for("you ›")
    screen.type("/private\r")
    screen.wait_for("private from here on")
    screen.wait_for("you (private) ›")
    screen.type("I snore\x1b\rloudly\r")
    screen.wait_for("Vera › ")
    screen.wait_for("you (private) ›")
    screen.type("/private\r")
    screen.wait_for("no longer private")
    screen.wait_for("you ›")
    screen.type("/quit\r")
    assert screen.close() == 0
    assert lumen.heard() == ["I like rice.", "/etc/hosts lists my machines.", "I snore\nloudly"]
    turns = [e for e in lumen.events() if e["event_type"].endswith("_message")]
    assert [e["payload"].get("private") for e in turns] == [None, None, None, None, True, True]
