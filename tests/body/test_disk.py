"""A disk that refuses, tears or changes: said plainly, and what was kept stays whole."""

from __future__ import annotations

from hashlib import sha256
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from pathlib import Path

    from tests.body.conftest import Lumen

pytestmark = pytest.mark.real_disk
# Root may read everything. Without these two capabilities its children go by the mode bits.
POWERLESS = (
    "import ctypes; libc = ctypes.CDLL(None); "
    "[libc.prctl(24, capability, 0, 0, 0) for capability in (1, 2)]"
)
READING = ("status", "memory", "why", "trace", "archive verify")


def full_at(size: int) -> str:
    """No file may grow past a size, as on a disk that has no more room."""
    limits = f"(resource.RLIMIT_FSIZE, ({size}, resource.RLIM_INFINITY))"
    return f"import resource; resource.setrlimit{limits}"


def state(folder: Path) -> dict[str, str]:
    found = [p for p in folder.rglob("*") if p.is_file()]
    return {str(p): sha256(p.read_bytes()).hexdigest() for p in found}


@pytest.mark.parametrize("command", [*READING, "chat -m hi"])
def test_an_archive_that_may_not_be_read_is_named(lumen: Lumen, command: str) -> None:
    lumen.segment().chmod(0)
    ran = lumen.run(*command.split(), prelude=POWERLESS)
    lumen.segment().chmod(0o644)
    assert (ran.code, ran.out) == (1, "")
    assert f"{lumen.segment()} cannot be used: Permission denied" in ran.err
    assert f"try: ls -ld {lumen.segment()}" in ran.err
    assert len(lumen.events()) == 1


@pytest.mark.parametrize("closed", ["", "data/memory", "lumen.toml"])
def test_a_part_that_may_not_be_read_is_named(lumen: Lumen, closed: str) -> None:
    path = lumen.being / closed
    mode = path.stat().st_mode
    path.chmod(0)
    ran = [lumen.run(*c.split(), prelude=POWERLESS) for c in ("status", "chat -m hi")]
    path.chmod(mode)
    for one in ran:
        assert one.code in (1, 2)
        assert str(path) in one.err
        assert "Permission denied" in one.err
        assert "went wrong inside" not in one.err


def test_a_self_file_that_may_not_be_read_is_named_by_status_and_by_a_turn(lumen: Lumen) -> None:
    path = lumen.being / "data" / "soul.md"
    path.chmod(0)
    status, chat = (lumen.run(*c.split(), prelude=POWERLESS) for c in ("status", "chat -m hi"))
    path.chmod(0o644)
    assert status.code == 0
    assert "What was in force stays in force" in status.err
    for one in (status, chat):
        assert "data/soul.md" in one.err
        assert "Permission denied" in one.err
        assert "went wrong inside" not in one.err


def test_lines_lost_from_the_newest_segment_come_back_from_the_ring(talked: Lumen) -> None:
    whole = talked.segment().read_bytes()
    lines = whole.splitlines(keepends=True)
    talked.segment().write_bytes(b"".join(lines[:-3]))
    assert talked.run("chat", "-m", "hello").code == 0
    assert talked.segment().read_bytes().startswith(whole)
    assert talked.verified()


def test_a_torn_last_line_is_reported_once_put_aside_and_the_talk_goes_on(talked: Lumen) -> None:
    whole = talked.segment().read_bytes()
    talked.segment().write_bytes(whole + b'{"event_hash":"ab')
    looking = talked.run("status")
    assert (looking.code, looking.err) == (0, "")
    assert "note: " in talked.run("archive", "verify").out
    ran = talked.run("chat", "-m", "And tea")
    assert ran.code == 0
    assert "An unfinished line of 17 bytes" in ran.err
    assert "quarantine/" in ran.err
    assert ran.out != ""
    kept = list((talked.being / "data" / "memory" / "quarantine").iterdir())
    assert [p.read_bytes() for p in kept] == [b'{"event_hash":"ab']
    assert talked.segment().read_bytes().startswith(whole)
    assert talked.heard()[-1] == "And tea"
    assert talked.run("chat", "-m", "And soup").err == ""
    assert talked.verified()


def test_a_damaged_last_line_stops_the_talk_before_anything_is_written(talked: Lumen) -> None:
    lines = talked.segment().read_bytes().splitlines(keepends=True)
    lines[-1] = lines[-1].replace(b'"origin":"kernel"', b'"origin":"author"')
    talked.segment().write_bytes(b"".join(lines))
    lock = talked.being / "data" / "memory" / ".lock"
    lock.write_bytes(bytes(lock.stat().st_size))  # its ring would put the line back
    before = state(talked.being / "data" / "memory")
    ran = talked.run("chat", "-m", "hello")
    assert (ran.code, ran.out) == (1, "")
    assert "was changed after it was written" in ran.err
    assert "try: lumen archive verify" in ran.err
    assert state(talked.being / "data" / "memory") == before
    checked = talked.run("archive", "verify")
    assert checked.code == 1
    assert f"✗ event {len(lines)}" in checked.out
    assert f"events 1 to {len(lines) - 1} are intact" in checked.out
    as_json = talked.run("archive", "verify", "--json")
    assert as_json.code == 1
    assert as_json.json()["problem"]["seq"] == len(lines)
    assert "✗ archive" in talked.run("doctor").out


def test_a_changed_word_in_the_middle_is_found_at_its_event(talked: Lumen) -> None:
    talked.segment().write_bytes(
        talked.segment().read_bytes().replace(b"in Lisbon", b"in London", 1)
    )
    checked = talked.run("archive", "verify")
    assert checked.code == 1
    assert "✗ event 2 " in checked.out
    assert "event 1 is intact" in checked.out


def test_a_full_disk_is_said_and_the_words_can_be_said_again(lumen: Lumen) -> None:
    # Long enough that the archive, and not a file of the index, meets the limit first.
    lumen.run("chat", "-m", "-", stdin=b"I like rice. " * 12_000)
    size = lumen.segment().stat().st_size
    before = lumen.segment().read_bytes()
    ran = lumen.run("chat", "-m", "My cat is Tom", prelude=full_at(size + 40))
    assert (ran.code, ran.out) == (1, "")
    assert "The disk is full" in ran.err
    assert "your message was not kept" in ran.err
    assert "try: make room, then say it again" in ran.err
    assert lumen.segment().read_bytes() == before
    assert lumen.verified()
    again = lumen.run("chat", "-m", "My cat is Tom")
    assert (again.code, again.err) == (0, "")
    assert "Tom" in again.out
    assert lumen.heard()[1:] == ["My cat is Tom"]
    assert lumen.verified()


def test_a_disk_that_fills_up_during_a_turn_keeps_the_words(lumen: Lumen) -> None:
    lumen.run("chat", "-m", "-", stdin=b"I like rice. " * 12_000)
    size = lumen.segment().stat().st_size
    ran = lumen.run("chat", "-m", "My cat is Tom", prelude=full_at(size + 1000))
    assert (ran.code, ran.out) == (1, "")
    assert "The disk is full" in ran.err
    heard = next(e for e in lumen.events() if e["description"] == "My cat is Tom")
    assert f"your message is kept, event {heard['seq']}, and not answered" in ran.err
    assert "say it again" not in ran.err
    assert lumen.heard()[1:] == ["My cat is Tom"]
    assert lumen.verified()
    later = lumen.run("chat", "-m", "What is my cat called?")
    assert "was never finished; its words are kept" in later.err
    assert "Tom" in later.out
    assert lumen.verified()


def test_an_archive_that_was_cut_short_is_told_at_the_next_start(talked: Lumen) -> None:
    lines = talked.segment().read_bytes().splitlines(keepends=True)
    talked.segment().write_bytes(b"".join(lines[:-3]))
    (talked.being / "data" / "memory" / ".lock").unlink()  # or its ring brings them back
    ran = talked.run("chat", "-m", "hello")
    seen, left = len(lines), len(lines) - 3
    assert (ran.code, ran.out) == (1, "")
    assert f"This archive ends at event {left} (head " in ran.err
    assert f"this host has seen it up to event {seen} (head " in ran.err
    assert talked.run("archive", "verify").code == 1


def test_a_being_moved_without_its_key_gets_a_new_one_and_says_so(talked: Lumen) -> None:
    talked.keyring.key_file(talked.events()[0]["soul"]).unlink()
    ran = talked.run("chat", "-m", "hello")
    assert ran.code == 0
    assert "This host had no key for the being: a new one signs from here on" in ran.err
    assert talked.run("chat", "-m", "hello").err == ""
    assert talked.verified()


@pytest.mark.parametrize("whose", ["a stranger's", "the author's"])
def test_another_key_in_the_place_of_the_hosts_is_set_aside_and_a_new_one_signs(
    talked: Lumen, whose: str
) -> None:
    (key,) = (talked.home / "share" / "lumen" / "keys").glob("*.key")
    (author,) = (talked.home / "share" / "lumen" / "author").glob("*.key")
    other = "7" * 64 if whose == "a stranger's" else author.read_text("ascii")
    key.write_text(other, "ascii")
    ran = talked.run("chat", "-m", "I like tea.")
    assert ran.code == 0
    assert "is none that this archive names, and is kept aside in" in ran.err
    assert "This host had no key for the being: a new one signs from here on" in ran.err
    (aside,) = key.parent.glob("*.retired")
    assert (aside.read_text("ascii"), key.read_text("ascii") == other) == (other, False)
    assert talked.situations("key_added") == ["key_added"]
    assert talked.run("chat", "-m", "I like bread.").err == ""
    assert talked.verified()


@pytest.mark.parametrize("heads", [b"", b"this is no head\n"])
def test_lost_signatures_are_shown_and_made_again(talked: Lumen, heads: bytes) -> None:
    path = talked.being / "data" / "heads.jsonl"
    path.write_bytes(heads)
    assert "signed up to event 0" in talked.run("status").out
    path.unlink()
    assert "signed up to event 0" in talked.run("status").out
    assert "lacks one by the key the being was born with" in talked.run("archive", "verify").out
    assert talked.run("chat", "-m", "hello").code == 0
    assert "signed up to" not in talked.run("status").out
    assert talked.verified()


def test_a_garbled_index_is_made_anew_from_the_archive(talked: Lumen) -> None:
    for command in ("memory", "status"):
        index = talked.being / "data" / "index" / "soul.db"
        index.write_bytes(b"this is no database" * 100)
        ran = talked.run(command, "--json")
        assert ran.code == 0
        assert "The index was rebuilt from the archive: it was damaged." in ran.err
        again = talked.run(command, "--json")
        assert (again.err, again.out) == ("", ran.out)


def test_an_output_that_takes_no_more_is_told(host: Lumen) -> None:
    elsewhere = "os.dup2(os.open('out', os.O_CREAT | os.O_WRONLY), 1)"
    ran = host.run("--help", prelude=f"{full_at(100)}; {elsewhere}")
    assert ran.code != 0
    assert ran.err.startswith("The system refused: File too large.\n")
    assert "Traceback" not in ran.err


def test_a_skill_that_may_not_be_read_is_named_by_status(lumen: Lumen) -> None:
    path = lumen.being / "skills" / "chat" / "main.py"
    path.chmod(0)
    ran = lumen.run("status", prelude=POWERLESS)
    path.chmod(0o644)
    assert ran.code == 0
    assert f"{path} cannot be read: Permission denied." in ran.err
