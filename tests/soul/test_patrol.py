"""The archive checked a stretch at a time: all of it is come to, and what was changed is met."""

from __future__ import annotations

import shutil
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from lumen.core.canon import loads
from lumen.soul.archive.line import segments
from lumen.soul.checking.patrol import check_next

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.soul.conftest import Home

    from lumen.soul.archive.chain import ArchiveProblem

STRETCH = 2000  # bytes: a few lines
ROUNDS = 40  # more than it takes to come round twice
Lines = list[bytes]


@pytest.fixture
def long(home: Home) -> Home:
    """A being of three days, one of them with a line longer than a stretch."""
    writer = home.begin()
    for day in range(3):
        home.say(writer, *(f"Fact {day}-{n}." for n in range(8)), sign=True)
        home.say(writer, "long " * 1000, sign=True)
        home.later(days=1)
    writer.close()
    home.being.index.parent.mkdir(exist_ok=True)
    return home


def patrol(home: Home, rounds: int = ROUNDS) -> list[ArchiveProblem]:
    return [p for _ in range(rounds) if (p := check_next(home.being, STRETCH))]


def position(home: Home) -> int:
    seq: int = loads(home.being.index.with_name("checked.json").read_bytes())["seq"]
    return seq


def test_it_comes_to_every_line_and_begins_anew(long: Home) -> None:
    last, seen = len(long.lines()), []
    for _ in range(ROUNDS):
        assert check_next(long.being, STRETCH) is None
        seen.append(position(long))
    assert seen[: seen.index(0)] == sorted(set(seen[: seen.index(0)]))
    assert seen[seen.index(0) - 1] == last
    assert seen.count(last) >= 2


def swapped(lines: Lines) -> Lines:
    return [*lines[:3], lines[4], lines[3], *lines[5:]]


def reworded(lines: Lines) -> Lines:
    return [line.replace(b"Fact 1-3.", b"Fact 1-4.") for line in lines]


DAMAGES: dict[str, Callable[[Lines], Lines]] = {
    "swapped": swapped,
    "reworded": reworded,
    "deleted": lambda lines: lines[:3] + lines[4:],
    "the last of the day deleted": lambda lines: lines[:-1],
    "the first of the day deleted": lambda lines: lines[1:],
    "no line": lambda lines: [*lines[:3], b"x\n", *lines[4:]],
    "cut off": lambda lines: [*lines[:-1], lines[-1][:-1]],
}


@pytest.mark.parametrize("before", range(0, 16, 3))
@pytest.mark.parametrize("how", DAMAGES)
def test_damage_in_the_middle_is_met_wherever_it_was_last(
    long: Home, how: str, before: int
) -> None:
    assert patrol(long, before) == []
    day = segments(long.being.memory)[1]
    day.write_bytes(b"".join(DAMAGES[how](day.read_bytes().splitlines(keepends=True))))
    assert patrol(long) != []
    assert len({p.seq for p in patrol(long, 3)}) == 1  # and stays there


@pytest.mark.parametrize(
    "kept", [b"", b"[]", b'{"seq":3}', b'{"seq":"x","segment":5}', b'{"seq":9,"offset":-9}']
)
def test_where_it_was_last_is_no_matter_of_trust(long: Home, kept: bytes) -> None:
    long.being.index.with_name("checked.json").write_bytes(kept)
    assert patrol(long) == []


def test_an_archive_that_went_another_way_is_checked_from_its_beginning(long: Home) -> None:
    other = replace(long, root=long.root.with_name("other"), opened=[])
    shutil.copytree(long.root, other.root)
    for home, said in ((long, "One."), (other, "This is what the other copy went on with.")):
        home.say(home.writer(), *[said] * 4, sign=True)
        home.close()
    while check_next(long.being, STRETCH) is None and position(long) < len(long.lines()):
        pass
    shutil.rmtree(long.being.memory)
    shutil.copytree(other.being.memory, long.being.memory)
    assert patrol(long) == []
