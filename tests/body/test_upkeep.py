"""`lumen maintain`, `lumen rebuild`, `archive verify --deep`: upkeep, and everything made again."""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING

import apsw

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from tests.body.conftest import Lumen, Ran

    Inside = Callable[..., Ran]


def summary(lumen: Lumen) -> Path:
    (found,) = (lumen.being / "data" / "memory").glob("*/summary.md")
    return found


def test_maintain_sums_up_once_and_says_what_it_did(talked: Lumen, inside: Inside) -> None:
    first = inside("maintain")
    assert first.code == 0
    assert "summary.md" in first.out
    assert "My sister lives in Lisbon." in summary(talked).read_text("utf-8")
    events = len(talked.events())
    again = inside("maintain", "--json").json()
    assert (again["summaries"], again["learnt"]) == ([], 0)
    assert len(talked.events()) == events
    assert "My sister lives in Lisbon." in inside("chat", "-m", "What did I tell you today?").out
    assert inside("archive", "verify", "--deep").code == 0


def test_memory_by_weight_lists_the_heaviest_first(talked: Lumen, inside: Inside) -> None:
    listed = inside("memory", "--sort", "weight", "--json").json()
    assert listed[0]["text"] == "My sister lives in Lisbon."
    rows = inside("memory", "--sort", "weight").out.splitlines()
    assert rows[0].startswith("0.520 ")
    assert rows[0].endswith("My sister lives in Lisbon.")
    assert rows[1].startswith("0.500 ")
    assert len(rows) == len([e for e in talked.events() if e["author"] != "kernel"])
    assert inside("memory", "sister", "--sort", "weight").out.startswith("0.520 ")


def test_rebuild_makes_every_file_again_byte_for_byte(talked: Lumen, inside: Inside) -> None:
    data = talked.being / "data"
    (data / "soul.md").write_text("# Vera\r\n\n🦜 no end", "utf-8")
    (data / "goals" / "2031.json").write_text("[ ]", "utf-8")
    inside("self", "accept")
    inside("maintain")
    found = [data / "soul.md", data / "values.json", *(data / "goals").glob("*"), summary(talked)]
    before = {path: path.read_bytes() for path in found}
    memories = inside("memory", "--all", "--json").out
    for path in before:
        path.unlink()
    shutil.rmtree(data / "index")

    ran = inside("rebuild")

    assert (ran.code, ran.out) == (0, f"Rebuilt from {len(talked.events())} events.\n")
    assert {path: path.read_bytes() for path in before} == before
    assert inside("memory", "--all", "--json").out == memories
    assert inside("archive", "verify", "--deep").code == 0


def test_a_tampered_row_is_named_and_mended(talked: Lumen, inside: Inside) -> None:
    db = apsw.Connection(str(talked.being / "data" / "index" / "soul.db"))
    db.execute("UPDATE events SET text = 'I like mice.' WHERE text = 'I like rice.'")
    db.close()
    checked = inside("archive", "verify", "--deep")
    assert checked.code == 1
    assert "✗ table events is not what the archive says.\n  try: lumen rebuild" in checked.out
    assert inside("archive", "verify").code == 0
    assert inside("rebuild").code == 0
    assert inside("archive", "verify", "--deep").code == 0


def test_a_tampered_file_is_named_and_mended(talked: Lumen, inside: Inside) -> None:
    inside("maintain")
    before = summary(talked).read_bytes()
    summary(talked).write_bytes(before.replace(b"Lisbon", b"London"))
    checked = inside("archive", "verify", "--deep", "--json")
    assert checked.code == 1
    (problem,) = checked.json()["compared"]["problems"]
    assert "summary.md is not what the archive says" in problem
    mended = inside("rebuild")
    assert "summary.md is now as event" in mended.err
    assert summary(talked).read_bytes() == before
    assert inside("archive", "verify", "--deep").code == 0


def test_an_edit_that_waits_is_a_note_and_no_problem(talked: Lumen, inside: Inside) -> None:
    (talked.being / "data" / "soul.md").write_text("# Vera\n")
    checked = inside("archive", "verify", "--deep")
    assert checked.code == 0
    assert "note: data/soul.md was edited by hand and is not adopted yet" in checked.out


def test_after_the_index_is_lost_words_are_found_at_once_and_meaning_follows(
    talked: Lumen, wait_until: Callable[..., None]
) -> None:
    said = "".join(f"I like dish number {n}.\n" for n in range(9))
    assert talked.run("chat", stdin=said.encode()).code == 0
    (talked.being / "data" / "soul.md").write_text("# Vera\n")
    shutil.rmtree(talked.being / "data" / "index")
    waiting = talked.run("status")
    assert "memories can be found by meaning so far" in waiting.out
    screen = talked.terminal("chat")
    screen.wait_for("you ›")
    screen.type("/memory Lisbon\r")
    screen.wait_for("My sister lives in Lisbon.")

    def learnt() -> bool:
        screen.look()
        told = talked.run("status", "--json").json()["recallable"]
        return bool(told["done"] == told["of"])

    wait_until(learnt)
    screen.wait_for("you ›")
    screen.type("\x04")
    assert screen.close() == 0
    assert "by meaning so far" not in talked.run("status").out


def test_nothing_is_made_from_an_archive_that_does_not_verify(
    talked: Lumen, inside: Inside
) -> None:
    (segment,) = (talked.being / "data" / "memory").glob("*/*.jsonl")
    segment.write_bytes(segment.read_bytes().replace(b"Lisbon", b"Dublin", 1))
    ran = inside("rebuild")
    assert ran.code == 1
    assert "was changed after it was written" in ran.err
    assert "try: lumen archive verify" in ran.err


def test_settings_that_are_gone_are_written_again_from_the_archive(
    talked: Lumen, inside: Inside
) -> None:
    settings = talked.being / "lumen.toml"
    before = settings.read_bytes()
    settings.unlink()
    for command in (("chat", "-m", "hello"), ("archive", "verify"), ("doctor",)):
        lost = inside(*command)
        assert lost.code > 0
        assert "has lost its lumen.toml" in lost.said
        assert "lumen rebuild" in lost.said
    assert "rebuild" in talked.run("init", str(talked.being)).err
    made = inside("rebuild")
    assert (made.code, "lumen.toml was gone" in made.err) == (0, True)
    assert b"soul = " in settings.read_bytes()
    assert settings.read_bytes().splitlines()[:4] == before.splitlines()[:4]
    assert inside("chat", "-m", "hello").code == 0
    assert inside("archive", "verify").code == 0


def test_settings_that_name_another_soul_or_none_are_told_before_anything_is_written(
    talked: Lumen, inside: Inside
) -> None:
    settings = talked.being / "lumen.toml"
    whole = settings.read_text("utf-8")
    events, soul = talked.events(), talked.events()[0]["soul"]
    for text in ("", whole.replace(soul, "01M7M8FKQCB1EAZD4PT4W3WBK7")):
        settings.write_text(text, "utf-8")
        for command in (("chat", "-m", "hello"), ("status",), ("archive", "verify"), ("doctor",)):
            told = inside(*command)
            assert told.code > 0
            assert f"the archive is that of {soul}" in told.said
            assert f'soul = "{soul}"' in told.said
    assert talked.events() == events
    settings.write_text(whole, "utf-8")
    assert inside("chat", "-m", "hello").code == 0


def test_a_folder_that_keeps_nothing_is_no_place_for_a_being(inside: Inside) -> None:
    told = inside("--being", "/proc", "status")
    assert (told.code, "lumen init /proc" in told.err) == (2, False)
    assert "lumen init ANOTHER_FOLDER" in told.err
