"""A disk that refuses: what was there stays, nothing is half written, and it goes on afterwards."""

from __future__ import annotations

import errno
import os
import resource
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from lumen.core.errors import ArchiveError, Busy, NoSpace
from lumen.soul.archive import disk
from lumen.soul.index.index import Index
from lumen.soul.writing.self_files import BeingFiles

if TYPE_CHECKING:
    from tests.soul.conftest import Home

pytestmark = pytest.mark.real_disk
FULL = """
import resource
def room(size):
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, resource.RLIM_INFINITY))
def tried(work):
    try:
        work()
    except LumenError as error:
        return type(error).__name__
    return "done"
writer = Writer(being, keyring, SystemClock())
"""
# Root may write everything, so the check is made as somebody else, who may not even read Python:
# all that is needed is loaded before.
SOMEBODY_ELSE = "if os.getuid() == 0: os.setgid(65534); os.setuid(65534)"


def output(home: Home, script: str, *arguments: object) -> list[str]:
    """What a process of its own printed."""
    process = home.run(script, *arguments)
    out, _ = process.communicate()
    assert process.returncode == 0
    return out.decode().splitlines()


@pytest.fixture
def open_home(home: Home) -> Iterator[Home]:
    """A being that others may look at: pytest's own folders are closed to them."""
    with tempfile.TemporaryDirectory(prefix="lumen-") as folder:
        Path(folder).chmod(0o755)
        home.root = Path(folder)
        yield home


@pytest.mark.parametrize("room", [0, 1, 100, 400])
def test_a_full_disk_keeps_what_was_there_and_takes_more_when_it_can(home: Home, room: int) -> None:
    home.clock.at = home.clock.at.replace(year=2099)  # so that both write to one segment
    home.say(home.begin(), "before", sign=True)
    before = home.newest().read_bytes()
    script = f"""{FULL}
segment = Path(argv[0])
writer.append([said("one")], durable=True)
size = segment.stat().st_size
room(size + {room})
print(tried(lambda: writer.append([said("x" * 5000), said("y")], durable=True)))
print(segment.stat().st_size - size)
print(tried(lambda: writer.append([said("z" * 5000)], durable=True, sign=True)))
print(segment.stat().st_size - size)
room(resource.RLIM_INFINITY)
print(tried(lambda: writer.append([said("two")], durable=True, sign=True)))
"""
    assert output(home, script, home.newest()) == ["NoSpace", "0", "NoSpace", "0", "done"]
    assert home.newest().read_bytes().startswith(before)
    report = home.verify()
    assert (report.ok, report.count, report.notes) == (True, 4, ())


def test_a_new_day_on_a_full_disk_is_begun_when_there_is_room(home: Home) -> None:
    home.say(home.begin(), "yesterday", sign=True)
    script = f"""{FULL}
room(0)
print(tried(lambda: writer.append([said("one")], durable=True)))
room(resource.RLIM_INFINITY)
print(tried(lambda: writer.append([said("two")], durable=True, sign=True)))
"""
    assert output(home, script) == ["NoSpace", "done"]
    assert home.verify().ok
    assert home.verify().count == 3


@pytest.mark.parametrize("opened", ["writer.recover()", ""])
def test_a_repair_that_found_no_room_is_archived_when_there_is_some(
    home: Home, opened: str
) -> None:
    home.clock.at = home.clock.at.replace(year=2099)
    home.begin()
    script = f"""{FULL}
writer.append([said("zero")], durable=True, sign=True)
writer = writer if "{opened}" else Writer(being, keyring, SystemClock())
{opened}
with Path(argv[0]).open("ab") as segment:
    segment.write(b"half a line")
room(Path(argv[0]).stat().st_size)
print(tried(lambda: writer.append([said("one")], durable=True)))
print(tried(lambda: writer.append([said("one")], durable=True)))
room(resource.RLIM_INFINITY)
print(tried(lambda: writer.append([said("two")], durable=True, sign=True)))
print(len(writer.repairs))
"""
    assert output(home, script, home.newest()) == ["NoSpace", "NoSpace", "done", "1"]
    situations = [line.split(b'"situation":"')[1].split(b'"')[0] for line in home.lines()]
    assert situations == [b"genesis", b"heard", b"repair", b"heard"]
    assert home.verify().ok


@contextmanager
def room(size: int) -> Iterator[None]:
    """No file may grow beyond this, as on a full disk."""
    unlimited = resource.RLIM_INFINITY
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, unlimited))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (unlimited, unlimited))


@pytest.mark.parametrize("more", [0, 100, 1000])
def test_lost_lines_that_find_no_room_to_be_put_back_are_waited_for(home: Home, more: int) -> None:
    home.say(home.begin(), "one", "two", "three", sign=True)
    whole = home.newest().read_bytes()
    first = whole.index(b"\n") + 1
    home.overwrite(home.newest(), whole[:first])  # as a power cut does
    writer = home.writer()
    for _ in range(2):
        with room(first + more), pytest.raises(NoSpace):
            home.say(writer, "too soon")
    home.say(writer, "four", sign=True)
    assert len(writer.repairs) == 1
    assert home.newest().read_bytes().startswith(whole)
    assert len(home.lines()) == 6
    assert not any(b"too soon" in line for line in home.lines())
    assert home.verify().ok


def test_a_key_that_found_no_room_to_be_announced_signs_nothing(home: Home) -> None:
    home.clock.at = home.clock.at.replace(year=2099)
    soul = home.say(home.begin(), "before", sign=True)[-1].soul
    home.keyring.key_file(soul).unlink()
    script = f"""{FULL}
room(Path(argv[0]).stat().st_size)
print(tried(lambda: writer.append([said("one")], durable=True)))
print(keyring.has_key(argv[1]))
room(resource.RLIM_INFINITY)
other = Writer(being, keyring, SystemClock())
print(tried(lambda: other.append([said("two")], durable=True, sign=True)))
print(tried(lambda: writer.append([said("three")], durable=True, sign=True)))
"""
    assert output(home, script, home.newest(), soul) == ["NoSpace", "False", "done", "done"]
    report = home.verify()
    assert (report.ok, report.count, report.signed, report.unvouched) == (True, 5, 2, 3)


def test_a_file_that_finds_no_room_stays_as_it_was(home: Home) -> None:
    home.begin()
    BeingFiles(home.being).put("data/soul.md", b"# Mine\n")
    script = f"""{FULL}
from lumen.soul.writing.self_files import BeingFiles
room(100)
print(tried(lambda: BeingFiles(being).put("data/soul.md", b"# Theirs\\n" * 100)))
print(sorted(p.name for p in being.data.iterdir() if p.is_file()))
room(resource.RLIM_INFINITY)
"""
    assert output(home, script) == ["NoSpace", "['heads.jsonl', 'soul.md']"]
    assert home.being.soul_md.read_text("utf-8") == "# Mine\n"


def test_a_commit_that_finds_no_room_leaves_its_files_alone(home: Home) -> None:
    home.clock.at = home.clock.at.replace(year=2099)
    home.begin()
    home.being.soul_md.write_text("# Mine\n", "utf-8")
    script = f"""{FULL}
change = {{"data/soul.md": b"# Theirs\\n"}}
writer.recover()
room(Path(argv[0]).stat().st_size)
print(tried(lambda: writer.append([said("named")], durable=True, files=change)))
print(sorted(p.name for p in being.data.iterdir() if p.is_file()), being.soul_md.read_text())
room(resource.RLIM_INFINITY)
print(tried(lambda: writer.append([said("named")], durable=True, files=change)))
print(sorted(p.name for p in being.data.iterdir() if p.is_file()), being.soul_md.read_text())
"""
    there = "['heads.jsonl', 'soul.md']"
    assert output(home, script, home.newest()) == [
        "NoSpace", f"{there} # Mine", "", "done", f"{there} # Theirs", "",
    ]  # fmt: skip


def test_a_file_that_cannot_be_replaced_is_said_to_be_archived(home: Home) -> None:
    home.begin()
    home.being.soul_md.mkdir()
    for data in (b"# Mine\n", None):
        with pytest.raises(ArchiveError, match="could not be replaced: Is a directory"):
            BeingFiles(home.being).put("data/soul.md", data)
    assert [p.name for p in home.being.data.iterdir() if p.name.endswith(".new")] == []


def test_a_head_that_finds_no_room_is_said_and_signed_later(home: Home) -> None:
    writer = home.begin()
    for _ in range(5):
        home.say(writer, "before", sign=True)
    script = f"""{FULL}
writer.append([said("one")], durable=True)
room(being.heads.stat().st_size + 10)
print(tried(lambda: writer.append([said("two")], durable=True, sign=True)))
room(resource.RLIM_INFINITY)
print(tried(lambda: writer.append([said("three")], durable=True, sign=True)))
print(writer.repairs)
"""
    mended = ["An unfinished line was cut from heads.jsonl."]
    assert output(home, script) == ["NoSpace", "done", str(mended)]
    report = home.verify()
    assert (report.ok, report.count, report.signed, report.notes) == (True, 9, 9, ())


def test_a_being_that_may_not_be_written_is_left_alone_and_can_still_be_checked(
    open_home: Home,
) -> None:
    home = open_home
    home.say(home.begin(), "before", sign=True)
    (home.root / "host").chmod(0o755)
    (home.root / "host" / "witness").chmod(0o755)
    (home.root / "host" / "keys").chmod(0o755)
    for path in home.root.rglob("*"):
        path.chmod(0o555 if path.is_dir() else 0o444)
    before = home.segments()
    script = f"""{FULL}
from lumen.soul.checking.verify import verify
from lumen.soul.writing.log import blank
from lumen.soul.writing.self_files import BeingFiles
print(verify(being, keyring).ok)
{SOMEBODY_ELSE}
for work in (
    lambda: writer.append([said("one")], durable=True, sign=True),
    writer.recover,
    lambda: BeingFiles(being).put("data/soul.md", b""),
    lambda: BeingFiles(being).set_aside("soul.md", b""),
    lambda: blank(being.memory, 3, [("2026-11-14.jsonl", 0, 10)]),
    lambda: BeingFiles(being).scaffold({{"data/values.json": ""}}),
):
    try:
        work()
    except ArchiveError as error:
        print(str(error).rpartition(": ")[2], bool(error.fix))
print(Index(being).catch_up() > 0)
print(verify(being, keyring).ok)
"""
    try:
        assert output(home, script) == ["True", *["Permission denied True"] * 6, "True", "True"]
    finally:
        for path in home.root.rglob("*"):
            path.chmod(0o755)
    assert home.segments() == before
    assert not home.being.soul_md.exists()


def test_a_lock_that_is_never_let_go_is_waited_for_only_so_long(
    home: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    writer = home.begin()
    holder = home.run(
        "import fcntl\nlock = open(being.memory / '.lock', 'rb')\n"
        "fcntl.flock(lock, fcntl.LOCK_EX)\nprint('held', flush=True)\nsys.stdin.read()\n"
    )
    assert holder.stdout is not None
    assert holder.stdout.readline() == b"held\n"
    monkeypatch.setattr(disk, "PATIENCE_S", 0.02)
    before = home.segments()
    with pytest.raises(Busy, match=rf"process {holder.pid} \(.*python.*\) has held") as caught:
        home.say(writer, "hello")
    assert "end it" in caught.value.fix
    assert not writer.hold.is_free()
    assert home.segments() == before
    holder.communicate()
    home.say(writer, "hello", sign=True)
    assert home.verify().ok


def test_a_file_in_the_way_is_said(home: Home) -> None:
    writer = home.begin()
    home.being.goals.touch()
    with pytest.raises(ArchiveError, match="cannot be written"):
        BeingFiles(home.being).put("data/goals/2026.json", b"[]\n")
    home.being.quarantine.touch()  # which makes way: it is no folder, so it keeps nothing
    assert BeingFiles(home.being).set_aside("soul.md", b"") == "data/quarantine/soul.md"
    (home.being.quarantine / "values.json").mkdir()
    with pytest.raises(ArchiveError, match="cannot be written"):
        BeingFiles(home.being).set_aside("values.json", b"")
    with pytest.raises(ArchiveError, match="cannot be written"):
        BeingFiles(home.being).scaffold({"data/goals/2026.json": "[]\n"})
    (home.being.memory / "2027").touch()
    home.later(days=60)
    with pytest.raises(ArchiveError, match="cannot be written"):
        home.say(writer, "a new year")
    (home.being.memory / "2027").unlink()
    with home.newest().open("ab") as segment:
        segment.write(b"half a line")
    (home.being.memory / "quarantine").touch()
    with pytest.raises(ArchiveError, match="cannot be written"):
        home.say(writer, "a new year")
    assert home.newest().read_bytes().endswith(b"half a line")
    (home.being.memory / "quarantine").unlink()
    home.being.heads.unlink()
    home.being.heads.mkdir()
    with pytest.raises(ArchiveError, match="Is a directory"):
        home.say(writer, "a new year", sign=True)
    home.being.heads.rmdir()
    home.say(writer, "a newer one", sign=True)
    assert home.verify().ok
    assert [line.count(b"new") for line in home.lines()] == [0, 0, 1, 1]


def test_a_folder_that_cannot_hold_the_index_is_said(home: Home) -> None:
    home.begin()
    home.being.index.parent.touch()
    with pytest.raises(ArchiveError, match=r"soul\.db cannot be written"):
        Index(home.being).catch_up()


def test_a_disk_that_fails_to_flush_is_said(home: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    writer = home.begin()

    def broken(_: int) -> None:
        raise OSError(errno.EIO, "Input/output error")

    with monkeypatch.context() as patch:
        patch.setattr(os, "fdatasync", broken)
        with pytest.raises(ArchiveError, match="Input/output error"):
            home.say(writer, "hello")
    home.say(writer, "hello again", sign=True)
    assert home.verify().ok


def test_an_archive_whose_folder_is_gone_is_said(home: Home) -> None:
    with pytest.raises(ArchiveError, match="No such file or directory"):
        home.writer().recover()


def test_a_copy_without_a_lock_file_can_be_checked(home: Home) -> None:
    home.begin()
    (home.being.memory / ".lock").unlink()
    assert home.verify().ok
