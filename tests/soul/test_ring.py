"""What the segment lost in a power cut, the ring gives back: every line that was acknowledged."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lumen.core.errors import ArchiveError, NoSpace
from lumen.soul.archive.line import LOCK
from lumen.soul.archive.ring import HALF, SIZE, Hold, Ring
from lumen.soul.index.index import Index
from lumen.soul.writing.log import blank

if TYPE_CHECKING:
    from pathlib import Path

    from tests.sampling import Sampled
    from tests.soul.conftest import Home

pytestmark = pytest.mark.real_disk


def lock(home: Home) -> Path:
    return home.being.memory / LOCK


def cut(home: Home, at: int) -> bytes:
    """A power cut: of the newest segment only so many bytes reached the disk."""
    whole = home.newest().read_bytes()
    os.truncate(home.newest(), at)
    return whole


def restored(home: Home, whole: bytes) -> bool:
    """Whether every line is back, with at most one more that tells of it."""
    found = home.newest().read_bytes()
    told = found.removeprefix(whole)
    return found.startswith(whole) and (not told or b'"situation":"repair"' in told)


def watched(home: Home, monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """How much of the newest segment was on disk after each time it was flushed."""
    flushed = [0]
    real = os.fdatasync

    def flush(descriptor: int) -> None:
        real(descriptor)
        if home.newest().samefile(f"/proc/self/fd/{descriptor}"):
            flushed.append(os.fstat(descriptor).st_size)

    monkeypatch.setattr(os, "fdatasync", flush)
    return flushed


def opened(home: Home) -> list[str]:
    """What the next writer had to mend."""
    writer = home.writer()
    writer.recover()
    told = list(writer.repairs)
    writer.close()
    return told


@given(cut_at=st.floats(0, 1), torn=st.booleans())
def test_whatever_the_segment_lost_is_put_back_byte_for_byte(
    lasting: Home, cut_at: float, torn: bool
) -> None:
    writer = lasting.writer()
    lasting.say(writer, "one", "two", "three")
    writer.close()
    size = lasting.newest().stat().st_size
    at = size - int(min(size, HALF) * cut_at)
    whole = cut(lasting, at)
    if torn:
        with lasting.newest().open("ab") as file:
            file.write(b'{"event_hash":"')
    told = opened(lasting)

    lost = whole[at:].count(b"\n")
    assert restored(lasting, whole)
    assert any("put back at the end" in t for t in told) is (lost > 0)
    assert lasting.verify().ok
    following = lasting.writer()
    lasting.say(following, "and on")
    following.close()
    assert lasting.verify().ok


def test_the_repair_is_archived_with_the_next_line(home: Home) -> None:
    writer = home.begin()
    home.say(writer, "hello", "goodbye")
    writer.close()
    last = len(home.lines()[-1])
    cut(home, home.newest().stat().st_size - last)
    writer = home.writer()
    home.say(writer, "again")

    assert writer.repairs == [
        f"1 line was put back at the end of {home.newest().name}: cut off by a crash, or changed."
    ]
    assert b'"situation":"repair"' in home.lines()[-2]
    assert home.verify().ok


def test_a_first_line_that_was_lost_comes_back_too(home: Home) -> None:
    home.begin().close()
    whole = cut(home, 0)
    opened(home)
    assert restored(home, whole)


def test_the_lost_lines_of_a_new_day_are_put_back_there(home: Home) -> None:
    writer = home.begin()
    home.say(writer, "today")
    home.later(days=1)
    home.say(writer, "tomorrow")
    writer.close()
    whole = cut(home, 0)
    opened(home)
    assert restored(home, whole)
    assert home.verify().ok


@pytest.mark.parametrize("size", [HALF - 2000, HALF + 1, SIZE + 1])
def test_a_line_too_large_for_the_ring_is_on_disk_at_once(
    home: Home, monkeypatch: pytest.MonkeyPatch, size: int
) -> None:
    writer = home.begin()
    flushed = watched(home, monkeypatch)
    writer.append([home.entry("x" * size)], durable=False)
    home.say(writer, "a small one", "and another")
    writer.close()
    whole = home.newest().read_bytes()
    cut(home, flushed[-1])
    opened(home)
    assert restored(home, whole)


def test_before_the_ring_runs_round_the_segment_is_on_disk(
    home: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Cut back to what was flushed last, at any moment, nothing is lost."""
    writer = home.begin()
    flushed = watched(home, monkeypatch)
    for number in range(60):
        home.say(writer, f"{number} " + "x" * 9000)
    writer.close()
    assert len(flushed) > 3
    whole = home.newest().read_bytes()
    assert len(whole) > 2 * SIZE
    cut(home, flushed[-1])
    opened(home)
    assert restored(home, whole)


def test_what_the_disk_refused_does_not_come_back(
    home: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    writer = home.begin()
    home.say(writer, "kept")
    whole = home.newest().read_bytes()
    real = os.write
    monkeypatch.setattr(os, "write", lambda file, data: real(file, data[:10]))
    with pytest.raises(NoSpace):
        home.say(writer, "refused")
    monkeypatch.undo()
    writer.close()

    assert opened(home) == []
    assert home.newest().read_bytes() == whole


def test_a_line_the_ring_could_not_take_is_not_written_either(
    home: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    writer = home.begin()
    whole = home.newest().read_bytes()
    monkeypatch.setattr(Ring, "keep", lambda *_: False)
    with pytest.raises(NoSpace):
        home.say(writer, "refused")
    monkeypatch.undo()
    assert home.newest().read_bytes() == whole
    home.say(writer, "taken")
    assert home.verify().ok


def test_a_ring_that_was_deleted_is_made_again_and_the_segment_made_durable(home: Home) -> None:
    writer = home.begin()
    home.say(writer, "before")
    lock(home).unlink()
    home.say(writer, "after")
    assert lock(home).stat().st_size >= SIZE
    assert b"after" in lock(home).read_bytes()
    assert b"before" not in lock(home).read_bytes()
    assert home.verify().ok


def test_a_lock_in_the_place_of_the_ring_is_taken_in_its_stead(home: Home) -> None:
    writer = home.begin()
    home.say(writer, "before")
    lock(home).rename(lock(home).with_name(".old"))
    lock(home).touch()
    home.say(writer, "after")
    assert b"after" in lock(home).read_bytes()
    assert b"after" not in lock(home).with_name(".old").read_bytes()


def test_nothing_is_written_to_a_folder_that_was_moved_away(home: Home) -> None:
    writer = home.begin()
    home.say(writer, "before")
    aside = home.being.memory.rename(home.being.memory.with_name("aside"))
    with pytest.raises(ArchiveError, match="No such file"):
        home.say(writer, "after")
    assert not any(b"after" in p.read_bytes() for p in aside.rglob("*") if p.is_file())


def test_a_lock_file_of_an_earlier_version_gets_its_ring_and_keeps_its_count(home: Home) -> None:
    home.begin().close()
    lock(home).write_bytes(b"\0\0\0")
    writer = home.writer()
    home.say(writer, "hello")
    assert lock(home).stat().st_size == SIZE + 3


def test_what_is_blanked_out_is_not_in_the_ring(home: Home) -> None:
    writer = home.begin()
    (told,) = home.say(writer, "my number is 555 0123")
    index = Index(home.being)
    index.catch_up()
    place = index.events.place(told.seq)
    assert place is not None
    assert b"555 0123" in lock(home).read_bytes()
    with writer.locked():
        blank(home.being.memory, told.seq + 1, [place])
    assert b"555 0123" not in lock(home).read_bytes()
    cut(home, 0)
    opened(home)
    assert home.newest().read_bytes() == b""


def test_blanking_out_does_not_need_a_ring(home: Home) -> None:
    writer = home.begin()
    (told,) = home.say(writer, "my number is 555 0123")
    index = Index(home.being)
    index.catch_up()
    place = index.events.place(told.seq)
    assert place is not None
    with writer.locked():
        lock(home).unlink()
        blank(home.being.memory, told.seq + 1, [place])
    assert b"555 0123" not in home.newest().read_bytes()


def test_however_short_the_ring_was_cut_the_missing_event_is_named(
    home: Home, sampled: Sampled
) -> None:
    writer = home.begin()
    home.say(writer, "one", "two", "three", sign=True)
    writer.close()
    last = len(home.lines())
    cut(home, home.newest().stat().st_size - len(home.lines()[-1]))
    ring = lock(home).read_bytes()
    assert "puts them back" in _missing(home, last)
    for length in sampled.of(range(SIZE), 40):
        home.overwrite(lock(home), ring[:length])
        assert "puts them back" not in _missing(home, last)


def _missing(home: Home, seq: int) -> str:
    """What is said to heal that an event is missing."""
    problem = home.verify().problem
    assert problem is not None
    assert (problem.seq, problem.what.partition(":")[0]) == (seq, "is missing")
    return problem.fix


def test_lines_of_another_chain_are_not_taken_from_the_ring(home: Home) -> None:
    writer = home.begin()
    home.say(writer, "one")
    writer.close()
    size = home.newest().stat().st_size
    ring = bytearray(lock(home).read_bytes())
    first = home.lines()[0]
    cut(home, len(first))
    at = len(first)
    for spoilt in (at + 20, at + 300, size - 3):  # a hash, the header, the content
        data = bytearray(ring)
        data[spoilt] ^= 1
        lock(home).write_bytes(bytes(data))
        assert opened(home) == []
        assert home.newest().read_bytes() == first


@pytest.mark.parametrize("at", [0, 3000, 9000])
def test_a_stretch_inside_the_segment_that_was_never_written_is_filled(home: Home, at: int) -> None:
    """The file system may keep what came later and lose what came before it."""
    writer = home.begin()
    for number in range(30):
        home.say(writer, f"line {number} " + "x" * 300)
    writer.close()
    whole = home.newest().read_bytes()
    start = len(whole) - 16_000 + at
    data = bytearray(whole)
    data[start : start + 4096] = bytes(4096)
    home.newest().write_bytes(bytes(data))
    assert not home.verify().ok

    assert any("put back" in told for told in opened(home))
    assert restored(home, whole)
    assert home.verify().ok


def test_a_line_changed_by_hand_is_as_it_was_written_again(home: Home) -> None:
    writer = home.begin()
    home.say(writer, "one", "two")
    writer.close()
    whole = home.newest().read_bytes()
    for spoilt in (whole.replace(b'"one"', b'"own"'), whole.replace(b'"two"', b'"tow"')):
        home.newest().write_bytes(spoilt)
        assert not home.verify().ok
        assert any("or changed" in told for told in opened(home))
        assert restored(home, whole)
        assert home.verify().ok
        whole = home.newest().read_bytes()


def test_a_change_the_ring_does_not_know_is_left_for_verify_to_name(home: Home) -> None:
    writer = home.begin()
    home.say(writer, "one", "two")
    writer.close()
    lock(home).unlink()
    writer = home.writer()
    home.say(writer, "three")
    writer.close()
    data = home.newest().read_bytes()
    home.newest().write_bytes(data.replace(b'"one"', b'"own"'))
    assert opened(home) == []
    assert not home.verify().ok


def test_a_flush_that_fails_leaves_what_the_ring_holds(
    home: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    writer = home.begin()
    home.say(writer, "a" * 18_000)
    home.say(writer, "b" * 100_000)
    ring = lock(home).read_bytes()

    def fail(_descriptor: int) -> None:
        raise OSError(5, "Input/output error")

    monkeypatch.setattr(os, "fdatasync", fail)
    with pytest.raises(ArchiveError, match="cannot be written"):
        home.say(writer, "c" * 100_000)
    monkeypatch.undo()
    assert lock(home).read_bytes() == ring
    home.say(writer, "d")
    assert home.verify().ok


def test_a_ring_that_let_go_of_its_file_keeps_nothing_and_says_so(tmp_path: Path) -> None:
    ring = Ring(tmp_path)
    ring.take()
    ring.flush()
    ring.release()
    ring.close()
    with pytest.raises(OSError, match="its lock file is gone"):
        ring.flush()


def test_where_no_thread_of_this_process_holds_it_another_process_is_told(tmp_path: Path) -> None:
    ring = Ring(tmp_path)
    hold = Hold(ring)
    hold.take()
    assert "this very process" in hold.busy().what
    hold.let_go()
    assert "another process has held the archive" in hold.busy().what
    ring.close()
