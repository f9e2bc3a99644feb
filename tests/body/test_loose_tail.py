"""Garbage or an old line at the end of the archive: told, refused, cut off by a command."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from lumen.core.canon import loads
from lumen.core.clock import SystemClock
from lumen.core.data import Author, BeingPaths, Entry, EventType, Origin
from lumen.soul.trust.keys import Keyring
from lumen.soul.writing.write import Writer

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from tests.body.conftest import Lumen, Ran

    Inside = Callable[..., Ran]


@pytest.mark.parametrize("copied", [True, False])
def test_what_was_put_behind_the_end_is_told_refused_and_cut_off(
    talked: Lumen, inside: Inside, copied: bool
) -> None:
    whole = talked.segment().read_bytes()
    last = len(talked.events())
    behind = whole.splitlines(keepends=True)[4] if copied else b"garbage not json\n"
    talked.segment().write_bytes(whole + behind)
    refused = inside("chat", "-m", "hello")
    assert (refused.code, refused.out) == (1, "")
    assert f"What follows event {last} (" in refused.err
    assert "lumen archive cut-tail" in refused.err
    for command in (("status",), ("memory", "--all")):
        shown = inside(*command)
        assert (shown.code, f"What follows event {last} (" in shown.err) == (0, True)
        assert "lumen archive cut-tail" in shown.err
    told = inside("archive", "verify")
    assert (told.code, "is no event of this being" in told.out) == (1, True)
    assert "try: lumen archive cut-tail" in told.out
    assert "Lisbon" in inside("memory").out
    assert inside("archive", "accept-tail", "--yes").code == 2
    assert talked.segment().read_bytes() == whole + behind

    assert inside("archive", "cut-tail", "--yes").code == 0
    (aside,) = (talked.being / "data" / "memory" / "quarantine").iterdir()
    assert aside.read_bytes() == behind
    assert inside("chat", "-m", "hello").err == ""
    assert inside("archive", "verify", "--deep").code == 0
    assert (inside("status").err, inside("memory").err) == ("", "")


def test_words_forged_behind_the_end_are_shown_by_no_command_without_saying_so(
    talked: Lumen, inside: Inside, tmp_path: Path
) -> None:
    forged = Entry(
        author=Author.EXTERNAL,
        event_type=EventType.AUTHOR_MESSAGE,
        origin=Origin.AUTHOR,
        situation="heard",
        description="My dog is called Satan.",
        session_key="lumen:interface:forged",
    )
    stranger = Writer(BeingPaths(talked.being), Keyring(tmp_path / "stranger"), SystemClock())
    last = len(talked.events())
    stranger.append([forged], durable=True)
    stranger.close()
    for command in (("memory", "dog"), ("recall", "dog"), ("why", "Satan"), ("status",)):
        shown = inside(*command)
        said = f"Events {last + 1} to {last + 2} of this archive were not written"
        assert said in shown.err, command
        assert "lumen archive cut-tail" in shown.err


def test_heads_that_went_missing_are_told_of_at_the_next_start_alone(
    talked: Lumen, inside: Inside
) -> None:
    (talked.being / "data" / "heads.jsonl").unlink()
    last = len(talked.events())
    said = f"heads.jsonl was missing or empty; signed again at event {last + 1}."
    assert said in inside("chat", "-m", "hello").err
    assert inside("chat", "-m", "hello").err == ""


def test_heads_that_were_cut_back_are_found_and_the_next_start_says_that_it_signed_again(
    talked: Lumen, inside: Inside
) -> None:
    heads = talked.being / "data" / "heads.jsonl"
    heads.write_bytes(b"".join(heads.read_bytes().splitlines(keepends=True)[:2]))
    first = loads(heads.read_bytes().splitlines()[-1])["seq"] + 1
    told = inside("archive", "verify")
    assert told.code == 1
    assert f"event {first} and those after it have no head: heads.jsonl lacks" in told.out
    assert "try: find out who cut it" in told.out
    assert f"event {first} and those after it have no head" in inside("doctor").out
    said = f"heads.jsonl lacked the heads from event {first} on; signed again at event "
    assert said in inside("chat", "-m", "hello").err
    assert inside("archive", "verify").code == 0


def test_a_deep_look_says_what_it_had_to_make_again(talked: Lumen, inside: Inside) -> None:
    (talked.being / "data" / "index" / "soul.db").write_bytes(b"no database at all")
    found = inside("archive", "verify", "--deep")
    assert "  repaired: The index was rebuilt from the archive: " in found.out
    assert "tables and files are what the archive says" in found.out
    assert "repaired:" not in inside("archive", "verify", "--deep").out


@pytest.mark.parametrize("cut", [True, False])
def test_lines_that_the_next_start_puts_back_are_told_as_such(
    talked: Lumen, inside: Inside, cut: bool
) -> None:
    whole = talked.segment().read_bytes()
    lines = whole.splitlines(keepends=True)
    talked.segment().write_bytes(b"".join(lines[:-2] if cut else [*lines[:-3], *lines[-2:]]))
    told = inside("archive", "verify")
    assert (told.code, "this host has the" in told.out) == (1, True)
    assert "try: lumen chat" in told.out
    assert inside("chat", "-m", "hello").code == 0
    assert talked.segment().read_bytes().startswith(whole)
    assert inside("archive", "verify").code == 0


@pytest.mark.parametrize("altered", [True, False])
def test_a_spoiled_head_is_told_by_a_chat_and_healed_by_what_verify_says(
    talked: Lumen, inside: Inside, altered: bool
) -> None:
    heads = talked.being / "data" / "heads.jsonl"
    lines = heads.read_bytes().splitlines(keepends=True)
    last = lines[-1].replace(b'"seq":', b'"seq":1', 1)
    spoiled = [*lines[:-1], last] if altered else [*lines, b"garbage\n"]
    heads.write_bytes(b"".join(spoiled))
    told = inside("archive", "verify")
    assert told.code == 1
    assert f"delete line {len(spoiled)} of data/heads.jsonl" in told.out
    assert "heads.jsonl ends in a line that is no head" in inside("chat", "-m", "hello").err
    now = heads.read_bytes().splitlines(keepends=True)
    heads.write_bytes(b"".join([*now[: len(spoiled) - 1], *now[len(spoiled) :]]))
    assert inside("archive", "verify").code == 0
    assert inside("chat", "-m", "hello").err == ""


def test_where_a_line_is_lost_for_good_verify_says_what_is_left_to_do(
    talked: Lumen, inside: Inside
) -> None:
    lines = talked.segment().read_bytes().splitlines(keepends=True)
    talked.segment().write_bytes(b"".join([*lines[:3], *lines[4:]]))
    (talked.being / "data" / "memory" / ".lock").unlink()
    told = inside("archive", "verify").out
    assert "event 4 (" in told
    assert "try: lumen restore-backup" in told
    assert "without a backup nothing can be built on this archive" in told
