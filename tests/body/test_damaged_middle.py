"""Damage in the middle of what this host signed: refused, and nothing is moved or blamed on a skill."""

from __future__ import annotations

import shutil
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from tests.body.conftest import Lumen, Ran

    Inside = Callable[..., Ran]

TOLD, ASKED, OTHER = b"My sister lives", "Where does my sister live?", "Do I like rice?"
Lines = list[bytes]
Damage = Callable[[Lines, int], Lines]


def swapped(after: int) -> Damage:
    """Two neighbours have changed places: the last line stands where it stood."""

    def swap(lines: Lines, told: int) -> Lines:
        at = told + after
        return [*lines[:at], lines[at + 1], lines[at], *lines[at + 2 :]]

    return swap


def garbled(lines: Lines, told: int) -> Lines:
    """The line that answers is no line any more, and just as long."""
    return [*lines[:told], b"x" * (len(lines[told]) - 1) + b"\n", *lines[told + 1 :]]


def renumbered(lines: Lines, told: int) -> Lines:
    """One byte of the line's own header is another."""
    changed = lines[told].replace(b'"seq":', b'"seq" ', 1)
    return [*lines[:told], changed, *lines[told + 1 :]]


SEEN: dict[str, Damage] = {
    "swapped with the line before": swapped(-1),
    "swapped with the line behind": swapped(0),
    "no line": garbled,
    "a changed byte": renumbered,
}
DAMAGES: dict[str, Damage] = {
    **SEEN,
    "swapped further on": swapped(5),
    "deleted": lambda lines, told: [*lines[:told], *lines[told + 1 :]],
}


def damage(lumen: Lumen, how: str) -> None:
    """Spoil the archive where the ring, which could put lines back, does not reach any more."""
    segment = lumen.segment()
    lines = segment.read_bytes().splitlines(keepends=True)
    told = next(at for at, line in enumerate(lines) if TOLD in line)
    segment.write_bytes(b"".join(DAMAGES[how](lines, told)))
    lock = lumen.being / "data" / "memory" / ".lock"
    lock.write_bytes(bytes(lock.stat().st_size))


def others(lumen: Lumen) -> dict[Path, bytes]:
    """Every file of the being but its index, its lock and what only ever grows."""
    data = lumen.being / "data"
    grows = {lumen.segment(), data / "heads.jsonl", data / "memory" / ".lock"}
    files = [p for p in lumen.being.rglob("*") if p.is_file() and p not in grows]
    return {p: p.read_bytes() for p in files if not p.is_relative_to(data / "index")}


@pytest.mark.parametrize("indexed", [True, False])
@pytest.mark.parametrize("how", DAMAGES)
def test_damage_to_what_this_host_signed_moves_nothing_and_blames_no_skill(
    talked: Lumen, inside: Inside, how: str, indexed: bool
) -> None:
    damage(talked, how)
    if not indexed:
        shutil.rmtree(talked.being / "data" / "index")
    heads, spoiled = talked.being / "data" / "heads.jsonl", talked.segment().read_bytes()
    signed, rest = heads.read_bytes(), others(talked)
    ran = [inside("chat", "-m", question) for question in (ASKED, OTHER, ASKED)]
    assert talked.segment().read_bytes().startswith(spoiled)
    assert heads.read_bytes().startswith(signed)
    assert others(talked) == rest
    for said in ran:
        assert "The skill" not in said.err
        assert "not told me" not in said.out
        if said.code:
            assert (said.code, said.out) == (1, "")
            assert "try: lumen archive verify" in said.err
    if how in SEEN or not indexed:
        assert [said.code for said in ran] == [1, 1, 1]
    assert inside("archive", "verify").code == 1


@pytest.mark.parametrize("how", SEEN)
def test_upon_a_damaged_archive_nothing_is_built_but_the_message_that_came_upon_it(
    talked: Lumen, inside: Inside, how: str
) -> None:
    damage(talked, how)
    spoiled = talked.segment().read_bytes()
    seq = len(spoiled.splitlines()) + 1
    ran = inside("chat", "-m", ASKED)
    assert f"; your message is kept, event {seq}, and not answered.\n" in ran.err
    kept = talked.segment().read_bytes()
    (heard,) = kept[len(spoiled) :].splitlines()
    assert ASKED.encode() in heard
    again = inside("chat", "-m", ASKED)
    assert "; your message was not kept.\n" in again.err
    assert talked.segment().read_bytes() == kept


def of_another_version(index: Path) -> None:
    with closing(sqlite3.connect(index / "soul.db")) as db:
        db.execute("PRAGMA user_version = 1")


@pytest.mark.parametrize("unusable", [shutil.rmtree, of_another_version])
@pytest.mark.parametrize("how", DAMAGES)
def test_where_the_index_has_to_be_made_again_damage_is_met_before_the_message_which_is_told(
    talked: Lumen, inside: Inside, how: str, unusable: Callable[[Path], None]
) -> None:
    damage(talked, how)
    unusable(talked.being / "data" / "index")
    spoiled = talked.segment().read_bytes()
    ran = inside("chat", "-m", ASKED)
    assert (ran.code, ran.out) == (1, "")
    assert ran.err.count("; your message was not kept.\n") == 1
    assert talked.segment().read_bytes() == spoiled


@pytest.mark.parametrize("how", DAMAGES)
def test_a_life_comes_upon_damage_that_nobody_asks_about_and_tells_of_it_once(
    talked: Lumen, inside: Inside, how: str
) -> None:
    assert "try: lumen archive verify" not in inside("run", "--cycles", "2", "--every", "0").err
    damage(talked, how)
    ran = inside("run", "--cycles", "3", "--every", "0")
    assert ran.err.count("try: lumen archive verify") == 1


@pytest.mark.parametrize("indexed", [True, False])
def test_what_is_not_as_it_was_written_is_not_quoted_and_not_denied_and_the_rest_is_answered(
    talked: Lumen, inside: Inside, indexed: bool
) -> None:
    lines = talked.segment().read_bytes().splitlines(keepends=True)
    forged = [line.replace(b"lives in Lisbon", b"lives in Madrid") for line in lines]
    talked.segment().write_bytes(b"".join(forged))
    lock = talked.being / "data" / "memory" / ".lock"
    lock.write_bytes(bytes(lock.stat().st_size))
    if not indexed:
        shutil.rmtree(talked.being / "data" / "index")
    for _ in range(2):
        said = inside("chat", "-m", ASKED)
        assert said.code == 0
        assert said.out.startswith("You told me something about that, and its line in the archive")
        assert "lumen archive verify" in said.out
        assert "Madrid" not in said.out
    assert "I like rice." in inside("chat", "-m", OTHER).out
    assert "You have not told me that." in inside("chat", "-m", "What is my cat called?").out
