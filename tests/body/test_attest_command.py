"""`lumen attest`: a signed answer that nobody can pass off for another."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from tests.body.conftest import Lumen, Ran

from lumen.core.canon import dumps, loads

if TYPE_CHECKING:
    from lumen.core.canon import JSON

Inside = Callable[..., Ran]
ASKED = "who are you, 17 November?\n«два»"


def stated(lumen: Lumen, inside: Inside, **changed: JSON) -> Path:
    """A statement in a file, as it was made or changed."""
    ran = inside("attest", "--challenge", ASKED)
    assert ran.code == 0
    path = lumen.home / "statement.json"
    path.write_bytes(dumps({**loads(ran.out), **changed}))
    return path


def test_a_challenge_is_answered_with_soul_head_key_and_time(talked: Lumen, inside: Inside) -> None:
    ran = inside("attest", "--challenge", ASKED)
    told, last = loads(ran.out), talked.events()[-1]
    assert (told["soul"], told["challenge"]) == (last["soul"], ASKED)
    assert (told["seq"], told["event_hash"]) == (last["seq"], last["event_hash"])
    assert told["key"] == talked.keyring.host_public(last["soul"])
    assert f"signed with this host's key {told['key'][:16]}, which counts" in ran.err
    as_json = inside("attest", "--challenge", ASKED, "--json").json()
    assert (as_json["counts"], as_json["statement"]["challenge"]) == (True, ASKED)


def test_a_true_answer_is_found_true_here_and_where_there_is_no_being(
    talked: Lumen, inside: Inside
) -> None:
    path = stated(talked, inside)
    here = inside("attest", "--check", str(path), "--challenge", ASKED)
    assert (here.code, "so it stands in" in here.out) == (0, True)
    assert inside("chat", "-m", "I like tea.").code == 0
    assert inside("attest", "--check", str(path), "--json").json()["ok"] is True
    nowhere = talked.env(LUMEN_BEING=str(talked.home / "nowhere"), XDG_DATA_HOME="/nowhere")
    there = inside("attest", "--check", str(path), env=nowhere)
    assert (there.code, "no being is here to compare it with" in there.out) == (0, True)
    key = loads(path.read_bytes())["key"]
    assert inside("attest", "--check", str(path), "--key", key[:16], env=nowhere).code == 0
    assert inside("attest", "--check", str(path), "--key", "0" * 16, env=nowhere).code == 1


def test_the_program_in_the_docs_comes_to_the_same(
    talked: Lumen, inside: Inside, root: Path
) -> None:
    page = (root / "docs" / "formats.md").read_text("utf-8")
    program = talked.home / "attest.py"
    program.write_text(page.partition("### attest.py")[2].split("```")[1].removeprefix("python"))

    def judged(path: Path, challenge: str = ASKED) -> int:
        command = [sys.executable, str(program), str(path), challenge, str(talked.being)]
        return subprocess.run(command, capture_output=True, check=False).returncode

    assert judged(stated(talked, inside)) == 0
    assert judged(stated(talked, inside), "another") == 1
    for changed in ({"seq": 3}, {"event_hash": "0" * 64}, {"created": "x"}, {"key": "0" * 64}):
        assert judged(stated(talked, inside, **changed)) == 1


@pytest.mark.parametrize(
    "changed",
    [
        {"soul": "0" * 26},
        {"seq": 3},
        {"event_hash": "0" * 64},
        {"challenge": "another"},
        {"created": "2026-11-17T00:00:00.000Z"},
        {"key": "0" * 64},
        {"signature": "0" * 128},
    ],
)
def test_an_answer_that_was_changed_is_found_out(
    talked: Lumen, inside: Inside, changed: JSON
) -> None:
    ran = inside("attest", "--check", str(stated(talked, inside, **changed)))
    assert (ran.code, ran.out) == (1, "✗ the statement is not what its key signed.\n")


def test_an_answer_to_another_challenge_is_none(talked: Lumen, inside: Inside) -> None:
    path = stated(talked, inside)
    ran = inside("attest", "--check", str(path), "--challenge", "something else")
    assert (ran.code, "answers another challenge" in ran.out) == (1, True)


def test_a_head_is_no_answer_and_an_answer_no_head(talked: Lumen, inside: Inside) -> None:
    told = loads(stated(talked, inside).read_bytes())
    head = loads((talked.being / "data" / "heads.jsonl").read_bytes().splitlines()[-1])
    assert head["event_hash"] == told["event_hash"]
    path = stated(talked, inside, signature=head["signature"])
    assert inside("attest", "--check", str(path)).code == 1
    heads = talked.being / "data" / "heads.jsonl"
    forged = {**head, "signature": told["signature"]}
    heads.write_bytes(heads.read_bytes() + dumps(forged) + b"\n")
    assert inside("archive", "verify").code == 1


def test_a_key_nobody_vouched_for_is_told_and_does_not_pass_here(
    talked: Lumen, inside: Inside
) -> None:
    env = talked.env(XDG_DATA_HOME=str(talked.home / "other"))
    assert talked.run("chat", "-m", "I like tea.", env=env).code == 0
    ran = inside("attest", "--challenge", ASKED, env=env)
    assert "which nobody has vouched for" in ran.err
    path = talked.home / "strange.json"
    path.write_text(ran.out)
    found = inside("attest", "--check", str(path), env=env)
    assert (found.code, "nobody has vouched for" in found.out) == (1, True)


@pytest.mark.parametrize(
    ("arguments", "why"),
    [
        ((), "nothing to answer"),
        (("--challenge", ""), "the challenge is empty"),
        (("--challenge", "x" * 1001), "longer than 1,000"),
        (("--challenge", "x", "--key", "ab"), "--key goes with --check"),
        (("--check", "/nowhere"), "cannot be read"),
        (("--check", "being/lumen.toml"), "no statement"),
        (("--check", "script.jsonl"), "no statement"),
        (("--challenge", "x", "--being", "/nowhere"), "does not exist"),
    ],
)
def test_what_cannot_be_is_refused(
    lumen: Lumen, inside: Inside, arguments: tuple[str, ...], why: str
) -> None:
    before = lumen.events()
    ran = inside("attest", *arguments)
    assert (ran.code, ran.out) == (2, "")
    assert why in ran.err.lower()
    assert lumen.events() == before


def test_no_answer_is_given_for_an_archive_that_does_not_verify(
    talked: Lumen, inside: Inside
) -> None:
    segment = talked.segment()
    segment.write_bytes(segment.read_bytes().replace(b"rice", b"mice"))
    ran = inside("attest", "--challenge", ASKED)
    assert (ran.code, ran.out) == (1, "")
    assert "does not verify" in ran.err
