"""A line that was never finished is moved aside, kept to the byte, and told."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.sampling import examples

from lumen.core.canon import sha256
from lumen.core.clock import ulid
from lumen.core.data import Author
from lumen.core.errors import Damaged
from lumen.soul.archive.line import read, torn_end

if TYPE_CHECKING:
    from tests.soul.conftest import Home

    from lumen.core.data import Event

UNFINISHED = st.binary(min_size=1, max_size=9000).filter(lambda data: b"\n" not in data)


def tear(home: Home, data: bytes) -> None:
    """Leave bytes at the end, as a writer does that is killed in the middle of a line."""
    with home.newest().open("ab") as segment:
        segment.write(data)


def quarantined(home: Home) -> list[bytes]:
    return [p.read_bytes() for p in sorted((home.being.memory / "quarantine").iterdir())]


def repairs(home: Home) -> list[Event]:
    found = [stored.event for stored in read(home.being.memory)]
    return [event for event in found if event.entry.situation == "repair"]


@settings(max_examples=examples(25))
@given(UNFINISHED, st.booleans())
def test_any_unfinished_end_is_quarantined_with_exactly_its_bytes(
    lasting: Home, data: bytes, fresh: bool
) -> None:
    home = lasting
    writer = home.writer()
    home.say(writer, "finished", sign=True)
    before, known = home.lines(), len(repairs(home))
    tear(home, data)
    assert torn_end(home.being.memory) is not None
    # One that opens the archive anew, and one that had it open all along.
    mender = home.writer() if fresh else writer
    mender.recover()
    assert home.lines()[:-1] == before
    kept = home.being.memory / "quarantine" / repairs(home)[-1].entry.payload["file"]
    assert kept.read_bytes() == data
    assert len(repairs(home)) == known + 1
    assert repairs(home)[-1].entry.payload == {
        "segment": home.newest().name,
        "offset": sum(map(len, before)),
        "bytes": len(data),
        "sha256": sha256(data),
        "file": kept.name,
    }
    assert mender.repairs == [repairs(home)[-1].entry.description]
    assert f"{len(data)} bytes" in mender.repairs[0]
    assert home.verify().ok
    assert home.verify().notes == ()
    home.close()


def test_a_writer_at_work_mends_what_another_left_before_it_goes_on(home: Home) -> None:
    writer = home.begin()
    home.say(writer, "one")
    tear(home, b'{"event_hash":"00')
    placed = home.say(writer, "two", sign=True)
    assert [p.seq for p in placed] == [4]
    assert quarantined(home) == [b'{"event_hash":"00']
    home.say(writer, "three", sign=True)
    assert [e.seq for e in repairs(home)] == [3]
    assert home.verify().ok


def test_an_end_without_tears_needs_no_mending(home: Home) -> None:
    writer = home.begin()
    before = home.segments()
    writer.recover()
    assert (home.segments(), writer.repairs) == (before, [])
    assert not (home.being.memory / "quarantine").exists()


def test_a_line_torn_yesterday_is_mended_today(home: Home) -> None:
    writer = home.begin()
    home.say(writer, "yesterday", sign=True)
    tear(home, b"half a")
    home.later(days=1)
    home.say(home.writer(), "today", sign=True)
    assert list(home.segments()) == ["2026-11-14.jsonl", "2026-11-15.jsonl"]
    assert repairs(home)[0].timestamp.startswith("2026-11-15")
    assert repairs(home)[0].entry.payload["segment"] == "2026-11-14.jsonl"
    assert home.verify().ok
    assert home.verify().notes == ()


@pytest.mark.parametrize("opened", [True, False])
def test_a_day_that_holds_nothing_but_half_a_line_is_mended(home: Home, opened: bool) -> None:
    writer = home.begin()
    home.say(writer, "yesterday", sign=True)
    home.later(days=1)
    other = home.writer()
    if opened:  # it began the day, and what it wrote is no longer there
        home.say(other, "today")
        home.overwrite(home.newest(), b"half a")
    else:
        home.newest().with_name("2026-11-15.jsonl").write_bytes(b"half a")
    assert home.verify().notes == ("2026-11-15.jsonl ends in an unfinished line of 6 bytes",)
    home.say(other, "today", sign=True)
    assert quarantined(home) == [b"half a"]
    assert home.verify().ok
    assert home.verify().count == 4


def test_a_beginning_that_was_torn_is_begun_again(home: Home) -> None:
    home.being.memory.mkdir(parents=True)
    folder = home.being.memory / "2026"
    folder.mkdir()
    (folder / "2026-11-14.jsonl").write_bytes(b'{"event_hash":"')
    with pytest.raises(Damaged, match="lost its beginning"):
        home.writer().recover()
    writer = home.writer()
    assert writer.begin(ulid(home.clock)).seq == 1
    assert [e.seq for e in repairs(home)] == [2]
    assert quarantined(home) == [b'{"event_hash":"']
    assert home.verify().ok


def test_a_reader_does_not_see_a_line_before_it_is_finished(home: Home) -> None:
    writer = home.begin()
    home.say(writer, "one")
    finished = [stored.event.seq for stored in read(home.being.memory)]
    tear(home, home.lines()[-1][:-1])
    assert [stored.event.seq for stored in read(home.being.memory)] == finished == [1, 2]


def test_a_day_that_was_cut_off_before_another_is_not_read_past(home: Home) -> None:
    writer = home.begin()
    home.say(writer, "one")
    home.later(days=1)
    home.say(writer, "two")
    first = home.newest().with_name("2026-11-14.jsonl")
    home.overwrite(first, first.read_bytes()[:-20])
    with pytest.raises(Damaged, match="cannot be read"):
        list(read(home.being.memory))


def test_a_line_of_another_shape_is_said_to_be_unreadable(home: Home) -> None:
    writer = home.begin()
    good = home.lines()[0]
    for raw in (b"{}", b"[]", b"null", good.replace(b'"kernel"', b'"nobody"'), b'"x"'):
        home.overwrite(home.newest(), good + raw + b"\n")
        with pytest.raises(Damaged, match="cannot be read"):
            list(read(home.being.memory))
    home.overwrite(home.newest(), good.replace(b'"payload":{', b'"payload":[{')[:-2] + b"]}\n")
    with pytest.raises(Damaged, match="cannot be read"):
        list(read(home.being.memory))
    writer.close()


def test_who_says_something_is_read_as_it_was_written(home: Home) -> None:
    writer = home.begin()
    writer.append([home.entry("x", author) for author in Author], durable=True)
    found = [stored.event.entry.author for stored in read(home.being.memory)]
    assert found == [Author.KERNEL, *Author]
