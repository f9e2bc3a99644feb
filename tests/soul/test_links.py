"""The archive read as a chain: where it ends, and what was put behind an end once known."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lumen.soul.archive.line import Stored, Tail, tail
from lumen.soul.archive.links import (
    UNLINKED,
    LastApplied,
    LooseLine,
    follow,
    linked_lines,
    links_on,
)

if TYPE_CHECKING:
    from tests.soul.conftest import Home

    from lumen.soul.writing.write import Writer


def test_lines_are_read_up_to_the_first_that_does_not_follow_and_no_further(
    home: Home, writer: Writer
) -> None:
    home.live(writer, 2)
    whole, last = home.newest().read_bytes(), tail(home.being.memory)
    home.overwrite(home.newest(), whole + whole.splitlines(keepends=True)[-1] * 2)
    *lines, end = linked_lines(home.being.memory, LastApplied())
    assert [s.event.seq for s in lines if isinstance(s, Stored)] == [*range(1, last.seq + 1)]
    assert end == LooseLine(home.newest().name, len(whole), last.seq, UNLINKED)
    assert not links_on(home.being.memory, last)


def test_an_end_that_is_not_there_any_more_says_nothing_of_what_follows(
    home: Home, writer: Writer
) -> None:
    home.live(writer, 2)
    last = tail(home.being.memory)
    assert links_on(home.being.memory, last)
    assert links_on(home.being.memory, Tail())
    raw = home.newest().read_bytes()
    home.overwrite(home.newest(), raw[:-1] + b"\n" * 9)  # what is there is no line at all
    assert links_on(home.being.memory, last._replace(size=last.size + 4))
    home.newest().unlink()
    assert links_on(home.being.memory, last)


def test_what_others_appended_is_followed_to_its_end_and_nothing_else_is(
    home: Home, writer: Writer
) -> None:
    home.live(writer, 2)
    known = tail(home.being.memory)
    home.live(writer, 2)
    end, lines = tail(home.being.memory), home.lines()[known.seq :]
    assert follow(known, b"".join(lines)) == end
    assert follow(known, b"") is None
    for spoilt in (
        [*lines, b"{"],
        [*lines, lines[-1]],
        [lines[0], *lines],
        lines[1:],
        [b"garbage\n", *lines],
        [*lines, b"garbage\n"],
        [lines[0].replace(b'"seq":', b'"seq":1', 1), *lines[1:]],
        [*lines[:-1], lines[-1].replace(known.soul.encode(), b"0" * 26, 1)],
        [lines[0].replace(b'"weight":', b'"weight":1', 1), *lines[1:]],
    ):
        assert follow(known, b"".join(spoilt)) is None
    assert follow(known._replace(seq=known.seq - 1), b"".join(lines)) is None
    assert follow(known._replace(soul="0" * 26), b"".join(lines)) is None
