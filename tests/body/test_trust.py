"""What must hold after something went wrong: witnesses, readers that leave, private words."""

from __future__ import annotations

import subprocess
import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tests.body.conftest import Lumen


def test_a_cut_archive_takes_no_word_until_the_author_accepts_it(talked: Lumen) -> None:
    lines = talked.segment().read_bytes().splitlines(keepends=True)
    talked.segment().write_bytes(b"".join(lines[:-3]))
    (talked.being / "data" / "memory" / ".lock").unlink()
    heads = talked.being / "data" / "heads.jsonl"
    heads.write_bytes(b"".join(heads.read_bytes().splitlines(keepends=True)[:-1]))
    assert talked.run("archive", "verify").code == 1

    for _ in range(2):
        refused = talked.run("chat", "-m", "hello")
        assert (refused.code, refused.out) == (1, "")
        assert "restored from an older copy" in refused.err
    assert len(talked.events()) == len(lines) - 3
    assert talked.run("archive", "verify").code == 1

    unnamed = talked.run("archive", "accept-rollback", "--yes")  # its end is not signed any more
    assert unnamed.code == 2
    head = unnamed.err.split()[-1]
    assert talked.run("archive", "accept-rollback", "--yes", "--head", head).code == 0
    assert talked.run("chat", "-m", "hello").code == 0
    assert talked.run("archive", "verify").code == 0


def test_a_turn_whose_reader_leaves_is_finished_all_the_same(lumen: Lumen) -> None:
    command = f"{sys.executable} -m lumen chat -m 'I like rice.' | true"
    subprocess.run(["sh", "-c", command], env=lumen.env(), check=True, capture_output=True)
    later = lumen.run("chat", "-m", "hello")

    assert "never finished" not in later.err
    assert [e["situation"] for e in lumen.events()].count("record") == 2
    assert lumen.verified()


def test_private_words_stand_in_lines_marked_private_and_in_no_trace(lumen: Lumen) -> None:
    lumen.run("chat", "--private", "-m", "My locker code is Zanzibarium.")
    asked = lumen.run("chat", "-m", "What is my locker code?")
    assert "Zanzibarium" in asked.out

    holding = [e for e in lumen.events() if "Zanzibarium" in str(e)]
    assert {e["situation"] for e in holding} <= {"heard", "replied", "skill"}
    assert all(e["payload"].get("private") for e in holding if e["situation"] != "skill")
    first = holding[0]["session_key"]
    assert all(e["payload"].get("private") for e in lumen.events() if e["session_key"] == first)


def test_a_message_of_marks_only_does_not_break_the_questions_after_it(lumen: Lumen) -> None:
    lumen.speak_with("embedded/SmolLM2-135M-Instruct")
    lumen.run("chat", "-m", ">>>")
    asked = lumen.run("chat", "-m", "What is the capital of France?")

    assert asked.code == 0
    assert asked.out.strip()


def test_a_zone_that_has_no_name_is_kept_as_one_that_has(lumen: Lumen) -> None:
    terminal = lumen.terminal("chat", TZ="CET-1CEST")
    terminal.wait_for("What shall I call you?")
    terminal.type("Ada\r")
    terminal.wait_for("And what is my name?")
    terminal.type("\r")
    terminal.wait_for("is listening")
    terminal.type("/quit\r")
    terminal.close()

    assert lumen.run("status", env=lumen.env(TZ="CET-1CEST")).code == 0
