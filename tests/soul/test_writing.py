"""Writing: one chain whatever the clock, the key and the other writers do."""

from __future__ import annotations

import os
from collections import UserDict
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from lumen.core.clock import ulid
from lumen.core.data import Author, BeingPaths
from lumen.core.errors import Busy, Damaged, Refused
from lumen.soul.archive import disk
from lumen.soul.archive.line import parse, read, read_at, tail
from lumen.soul.writing.self_files import BeingFiles

if TYPE_CHECKING:
    from collections.abc import ItemsView

    from tests.soul.conftest import Home

    from lumen.core.data import Event


DESCRIPTORS = Path("/proc/self/fd")

SOUL, GOALS = "data/soul.md", "data/goals/2026.json"


def events(home: Home) -> list[Event]:
    return [stored.event for stored in read(home.being.memory)]


def stamps(home: Home) -> list[str]:
    return [event.timestamp for event in events(home)]


def test_what_was_said_is_read_back_and_where_it_stands_is_told(home: Home) -> None:
    writer = home.begin()
    entry = replace(
        home.entry('naïve \u2028 \\ " \t 🙂', payload={"private": True, "n": [1, 2.5, None]}),
        model="scripted/echo",
        weight=0.25,
        agent_id="compiler",
    )
    (placed,) = writer.append([entry], durable=True)
    stored = list(read(home.being.memory))[-1]
    event = stored.event
    assert event.entry == entry
    assert (event.seq, event.event_hash, event.id, event.timestamp, event.soul) == placed
    assert (event.seq, event.parent_hash) == (2, events(home)[0].event_hash)
    raw = read_at(home.being.memory, stored.segment, stored.offset, stored.length)
    assert raw == home.lines()[-1]
    assert read_at(home.being.memory, "2001-01-01.jsonl", 0, 10) == b""


def test_an_append_puts_its_events_together_and_in_order(home: Home) -> None:
    writer = home.begin()
    placed = home.say(writer, *"abc")
    assert [p.seq for p in placed] == [2, 3, 4]
    assert [e.entry.description for e in events(home)[1:]] == ["a", "b", "c"]
    assert home.verify().ok


def test_an_archive_begins_once(home: Home) -> None:
    writer = home.begin()
    before = home.segments()
    with pytest.raises(Refused, match="begun already"):
        home.writer().begin(ulid(home.clock))
    assert home.segments() == before
    home.say(writer, "still here", sign=True)
    assert home.verify().ok


def test_each_day_has_its_segment_and_one_chain_runs_through_all(home: Home) -> None:
    writer = home.begin()
    for _ in range(3):
        home.later(days=1)
        home.say(writer, "another day")
    home.later(days=60)
    home.say(writer, "another year", sign=True)
    assert list(home.segments()) == [
        f"{day}.jsonl"
        for day in ("2026-11-14", "2026-11-15", "2026-11-16", "2026-11-17", "2027-01-16")
    ]
    assert home.verify().ok
    assert [e.seq for e in events(home)] == [1, 2, 3, 4, 5]


def test_reading_goes_on_from_any_place(home: Home) -> None:
    writer = home.begin()
    for _ in range(4):
        home.later(days=30)
        home.say(writer, "another", "month")
    stored = list(read(home.being.memory))
    assert stored[0].segment[:4] != stored[-1].segment[:4]
    for number, place in enumerate(stored, 1):
        after = (place.segment, place.offset + place.length)
        assert list(read(home.being.memory, after)) == stored[number:]


def test_a_clock_that_goes_back_does_not_take_the_archive_with_it(home: Home) -> None:
    writer = home.begin()
    home.later(days=2)
    home.say(writer, "on the sixteenth")
    home.later(days=-1)
    home.say(writer, "back on the fifteenth")
    home.say(home.writer(), "and so for a new writer", sign=True)
    assert stamps(home) == sorted(stamps(home))
    assert list(home.segments()) == ["2026-11-14.jsonl", "2026-11-16.jsonl"]
    assert stamps(home)[1] == stamps(home)[2] == stamps(home)[3]
    home.later(days=2)
    home.say(writer, "on the seventeenth", sign=True)
    assert list(home.segments())[-1] == "2026-11-17.jsonl"
    assert home.verify().ok


def test_writers_that_take_turns_and_roll_over_in_the_same_instant_keep_one_chain(
    home: Home,
) -> None:
    writers = [home.begin(), home.writer(), home.writer()]
    for number in range(60):
        home.later(hours=9)
        home.say(writers[number * 7 % 3], f"word {number}")
    home.say(writers[0], "the end", sign=True)
    assert [e.seq for e in events(home)] == list(range(1, 63))
    assert home.verify().ok


def test_a_lock_that_somebody_deleted_is_made_again_and_shared(home: Home) -> None:
    first, second = home.begin(), home.writer()
    home.say(first, "one")
    lock = home.being.memory / ".lock"
    lock.unlink()
    for number, writer in enumerate([second, first, second], 2):
        home.say(writer, f"{number}", sign=True)
        assert lock.exists()
        lock.unlink()
    assert home.verify().ok


def test_nothing_is_written_under_a_lock_that_somebody_replaced_meanwhile(home: Home) -> None:
    writer = home.begin()
    lock = home.being.memory / ".lock"
    before = home.segments()

    class Replacing(UserDict[str, bytes | None]):
        """Files during whose staging somebody puts another lock in place."""

        def items(self) -> ItemsView[str, bytes | None]:
            lock.rename(lock.with_name("taken"))
            lock.touch()
            return super().items()

    files = Replacing({"data/soul.md": b"# Me"})
    with pytest.raises(Busy, match="replaced while it was held"):
        writer.append([home.entry("with a file")], durable=True, files=files)
    with writer.locked():
        lock.unlink()
        with pytest.raises(Busy, match="replaced while it was held"):
            home.say(writer, "under a hold")
    assert home.segments() == before
    home.say(writer, "again", sign=True)
    assert home.verify().ok


def test_a_day_begun_within_one_tick_of_the_folders_time_is_seen(home: Home) -> None:
    first, second = home.begin(), home.writer()
    home.say(first, "one")
    folder = home.newest().parent
    before = folder.stat().st_mtime_ns
    home.later(days=1)
    home.say(second, "two")
    os.utime(folder, ns=(before, before))
    home.later(days=-1)
    home.say(first, "three", sign=True)
    assert [e.seq for e in events(home)] == [1, 2, 3, 4]
    assert home.verify().ok


@pytest.mark.parametrize(
    "name", ["2026-1\u0661-15.jsonl", "2027-01-01.jsonl", "2026-11-15.jsonl.bak", "notes.jsonl"]
)
def test_files_of_other_names_are_no_part_of_the_archive(home: Home, name: str) -> None:
    writer = home.begin()
    home.newest().with_name(name).write_bytes(b"{}\n")
    home.newest().parent.with_name("1999").touch()
    assert list(home.segments()) == ["2026-11-14.jsonl"]
    home.say(writer, "one", sign=True)
    assert home.verify().ok


def test_an_archive_put_in_place_of_another_is_continued_where_it_ends(home: Home) -> None:
    writer = home.begin()
    home.say(writer, "one", "two")
    kept = home.newest().read_bytes()
    home.say(writer, "three")
    fresh = home.newest().with_suffix(".new")
    fresh.write_bytes(kept)
    fresh.replace(home.newest())
    home.say(writer, "another three")
    assert [e.entry.description for e in events(home)][1:] == ["one", "two", "another three"]
    assert home.verify().ok


def test_a_segment_that_was_emptied_is_continued_from_the_day_before(home: Home) -> None:
    writer = home.begin()
    home.later(days=1)
    home.say(writer, "lost")
    home.overwrite(home.newest(), b"")
    home.say(writer, "said again")
    assert [e.seq for e in events(home)] == [1, 2]
    assert home.verify().ok


def test_nothing_is_linked_to_a_line_that_was_changed(home: Home) -> None:
    writer = home.begin()
    home.say(writer, "one")
    data = home.newest().read_bytes()
    home.overwrite(home.newest(), data.replace(b'"seq":2', b'"seq":3'))
    (home.being.memory / ".lock").unlink()  # its ring would put the line back
    before = home.segments()
    with pytest.raises(Damaged, match="changed after it was written"):
        home.say(home.writer(), "two")
    assert home.segments() == before


def test_nothing_is_added_to_an_archive_that_lost_its_beginning(home: Home) -> None:
    writer = home.begin()
    home.say(writer, "one")
    home.newest().unlink()
    with pytest.raises(Damaged, match="lost its beginning"):
        home.say(writer, "two")
    assert tail(home.being.memory).seq == 0
    assert home.segments() == {}


def test_an_event_that_json_cannot_spell_is_refused_and_nothing_is_written(home: Home) -> None:
    writer = home.begin()
    before = home.segments()
    for entry in (home.entry("\ud800"), home.entry("x", payload={"n": 1 << 70})):
        with pytest.raises(Refused, match="cannot be stored"):
            writer.append([home.entry("fine"), entry], durable=True)
    assert home.segments() == before


def test_a_host_without_the_key_makes_one_and_says_so(home: Home) -> None:
    first = home.begin()
    soul = home.say(first, "hello", sign=True)[-1].soul
    home.keyring.key_file(soul).unlink()
    second = home.writer()
    placed = home.say(second, "from a new host", sign=True)
    assert [p.seq for p in placed] == [4]
    assert second.repairs == [
        "This host had no key for the being: a new one signs from here on, unvouched."
    ]
    added = events(home)[2]
    assert (added.entry.situation, added.entry.author) == ("key_added", Author.KERNEL)
    assert added.entry.payload["role"] == "host"
    report = home.verify()
    assert (report.ok, report.signed, report.unvouched, report.trusted) == (True, 2, 3, False)
    assert report.key == events(home)[0].entry.payload["public_key"]
    assert report.notes[0].startswith("unvouched from event 3: ")
    home.say(second, "again", sign=True)
    assert [e.entry.situation for e in events(home)].count("key_added") == 1
    assert home.verify().ok


def test_a_key_that_was_made_but_never_announced_does_not_sign(home: Home) -> None:
    writer = home.begin()
    soul = home.say(writer, "hello", sign=True)[-1].soul
    home.keyring.key_file(soul).unlink()
    home.keyring.create(soul)  # and then the process was killed
    assert not home.keyring.has_key(soul)
    home.say(home.writer(), "later", sign=True)
    assert home.verify().ok


def test_files_are_replaced_and_taken_away_in_the_commit_that_says_why(home: Home) -> None:
    writer = home.begin()
    soul, goals = home.being.soul_md, home.being.goals / "2026.json"
    for text in (b"# One\n", b"# Two\n"):
        writer.append([home.entry("named")], durable=True, files={SOUL: text, GOALS: b"[]\n"})
        assert (soul.read_bytes(), goals.read_bytes()) == (text, b"[]\n")
    (placed,) = writer.append([home.entry("gone")], durable=False, files={GOALS: None})
    assert placed.seq == 4
    assert not goals.exists()
    writer.append([home.entry("gone again")], durable=False, files={GOALS: None})
    assert [p.name for p in home.being.data.rglob("*") if p.name.endswith(".new")] == []
    assert [e.entry.description for e in events(home)][1:] == [
        "named",
        "named",
        "gone",
        "gone again",
    ]


def test_a_file_that_is_staged_in_vain_is_taken_away_again(home: Home) -> None:
    writer = home.begin()
    home.being.soul_md.write_text("# Mine\n", "utf-8")
    home.overwrite(home.newest(), home.newest().read_bytes().replace(b'"seq":1', b'"seq":2'))
    before = {p: p.read_bytes() for p in home.root.rglob("*") if p.is_file()}
    other = home.writer()
    with pytest.raises(Damaged, match="changed after it was written"):
        other.append([home.entry("named")], durable=True, files={SOUL: b"# Theirs\n"})
    assert {p: p.read_bytes() for p in home.root.rglob("*") if p.is_file()} == before
    writer.close()


def test_whoever_holds_the_archive_writes_and_everyone_else_waits(
    home: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    first, second = home.begin(), home.writer()
    monkeypatch.setattr(disk, "PATIENCE_S", 0.02)
    with first.locked():
        home.say(first, "one")
        with first.locked(), pytest.raises(Busy):
            home.say(second, "too soon")
        home.say(first, "two")
        with pytest.raises(Busy):
            home.say(second, "still too soon")
    home.say(second, "three", sign=True)
    assert [e.entry.description for e in events(home)][1:] == ["one", "two", "three"]
    assert home.verify().ok


def test_a_hold_is_let_go_when_what_was_done_under_it_fails(home: Home) -> None:
    first, second = home.begin(), home.writer()
    with pytest.raises(Refused, match="cannot be stored"), first.locked():
        home.say(first, "\ud800")
    home.say(second, "free", sign=True)
    assert home.verify().ok


def test_a_beginning_says_what_the_first_files_are(home: Home) -> None:
    home.being.memory.mkdir(parents=True)
    change = {"store": "soul", "operation": "set", "path": "data/soul.md", "base": "", "value": "#"}
    home.writer().begin(ulid(home.clock), [change])
    assert events(home)[0].entry.payload["changes"] == [change]
    assert home.verify().ok


def test_bytes_that_are_set_aside_can_be_looked_at(home: Home) -> None:
    home.begin()
    files = BeingFiles(home.being)
    kept = files.set_aside("soul.md-1234", b"what was found")
    assert kept == "data/quarantine/soul.md-1234"
    assert files.read(files.set_aside("soul.md-1234", b"found again")) == b"found again"


def test_a_file_is_set_whole_or_taken_away(home: Home) -> None:
    home.begin()
    path = home.being.goals / "2026.json"
    BeingFiles(home.being).put(GOALS, b"[]\n")
    assert path.read_bytes() == b"[]\n"
    BeingFiles(home.being).put(GOALS, None)
    assert list(home.being.goals.iterdir()) == []


def test_scaffolding_leaves_what_is_there(tmp_path: Path) -> None:
    being = BeingPaths(tmp_path / "being")
    BeingFiles(being).scaffold({SOUL: "", GOALS: "[]\n"})
    being.soul_md.write_text("# Mine\n", "utf-8")
    BeingFiles(being).scaffold({SOUL: "", "data/values.json": "[]\n"})
    assert being.soul_md.read_text("utf-8") == "# Mine\n"
    assert being.values.read_text("utf-8") == "[]\n"


def test_a_line_longer_than_any_block_is_found_again(home: Home) -> None:
    writer = home.begin()
    for size in (3_000, 5_000, 70_000, 1_500_000):
        home.say(writer, "x" * size)
        end = tail(home.being.memory)
        line = home.lines()[-1]
        assert (end.seq, end.event_hash.encode()) == (parse(line).seq, line[15:79])
    home.say(home.writer(), "and on", sign=True)
    assert home.verify().ok


def descriptors(home: Home) -> int:
    """How many files of a being this process has open."""
    return sum(str(one.resolve()).startswith(str(home.root)) for one in DESCRIPTORS.iterdir())


def test_a_closed_writer_opens_again_by_itself(home: Home) -> None:
    writer = home.begin()
    before = descriptors(home)
    writer.close()
    writer.close()
    assert (before, descriptors(home)) == (5, 0)
    home.say(writer, "once more", sign=True)
    assert home.verify().ok
