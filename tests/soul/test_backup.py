"""Backing a being up and restoring it: whole, true to the byte, and never half there."""

from __future__ import annotations

import os
import tracemalloc
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from lumen.core.data import BeingPaths
from lumen.core.errors import Damaged, LumenError, Unproved, UsageError
from lumen.soul.backup.pack import Packed, Progress, Source, pack, unpack
from lumen.soul.checking.verify import verify
from lumen.soul.trust.keys import Keyring

if TYPE_CHECKING:
    from tests.soul.conftest import Home

CREATED = "2026-11-16T08:00:00.000Z"
PART_OF_IT = {
    "lumen.toml": b"[being]\n",
    "data/soul.md": b"# Ada\n",
    "data/values.json": b"[]\n",
    "data/goals/2026.json": b"[]\n",
    "data/.gitignore": b"memory/\n",
    "data/capsule.md": b"",
    "data/charter/rule/kindness/1.md": b"Be kind.",
    "data/state/decisions.jsonl": b"{}\n" * 500_000,  # more than is read at once
    "data/memory/2026/summary.md": b"A year.",
    "data/memory/quarantine/2026-11-14-9-abcd.torn": b'{"event_hash":"ab',
    "prompts/draft/system.md": b"Speak softly.",
    "skills/chat/main.py": b"print('hi')\n",
    "skills/chat/données/Öffne «это».txt": b"\0\xff",
    "files/notes on cities.md": b"Written for a goal.\n",
    "files/deep/er/photo.jpg": b"\xff\xd8" * 600_000,
    "outbox/2026-11-16.eml": b"Subject: hello\n",
    "granted by settings/x.csv": b"1,2\n",
    "notes.txt": b"The author's own.\n",
}
NOT_PART_OF_IT = [
    ".git/config",
    "data/index/soul.db",
    "data/memory/.turns",
    "data/.soul.md.77.new",
    "skills/chat/__pycache__/main.pyc",
    "skills/chat/.git/config",
    "files/.git/config",
]
SCRIPT = "from lumen.soul.backup.pack import *\nsource = Source(being, keyring, '')\n"


def silent(*_: object) -> None:
    """Nobody looks on."""


def backup(home: Home, name: str = "a.lumen", *, progress: Progress = silent) -> Packed:
    source = Source(home.being, home.keyring, "")
    return pack(source, home.root / name, created=CREATED, progress=progress)


def restore(home: Home, name: str = "a.lumen", *, host: str = "elsewhere") -> Packed:
    return unpack(home.root / name, home.root / "restored", Keyring(home.root / host))


def files(folder: Path) -> dict[str, tuple[bytes, int, int]]:
    """Every file's bytes, whether it may be run, and its time."""
    return {
        str(path.relative_to(folder)): (path.read_bytes(), path.stat().st_mode & 0o111, when(path))
        for path in folder.rglob("*")
        if path.is_file()
    }


def when(path: Path) -> int:
    return int(path.stat().st_mtime)


def there(home: Home) -> list[str]:
    return sorted(path.name for path in home.root.iterdir())


@pytest.fixture
def lived(home: Home) -> Home:
    """A being of two days with a file of every kind, and things that are no part of it."""
    writer = home.begin()
    home.say(writer, "one " * 5000, "two", sign=True)
    home.later(days=1)
    home.say(writer, "three", sign=True)
    writer.close()
    for name, data in {**PART_OF_IT, **dict.fromkeys(NOT_PART_OF_IT, b"not part of it")}.items():
        path = home.being.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
    (home.being.skills / "chat" / "main.py").chmod(0o755)
    os.utime(home.being.soul_md, (1_700_000_000, 1_700_000_000))
    return home


def test_a_being_comes_back_byte_for_byte(lived: Home) -> None:
    made = backup(lived)
    assert (made.count, made.verified, made.notes) == (4, True, ())
    assert (lived.root / "a.lumen").stat().st_mode & 0o777 == 0o600
    found = restore(lived)
    assert found == made
    want = files(lived.being.root)
    for name in (*NOT_PART_OF_IT, "data/memory/.lock"):
        assert want.pop(name)
    assert files(lived.root / "restored") == want
    assert PART_OF_IT.keys() < want.keys()
    assert (lived.root / "restored" / "data").stat().st_mode & 0o777 == 0o700
    assert verify(BeingPaths(lived.root / "restored"), lived.keyring).ok
    assert there(lived) == ["a.lumen", "being", "host", "restored"]


def test_the_key_is_not_in_it(lived: Home) -> None:
    made = backup(lived)
    restore(lived)
    secret = lived.keyring.key_file(made.soul).read_bytes()
    assert secret
    assert not any(secret in data for data, *_ in files(lived.root / "restored").values())


def test_a_file_that_exists_is_left_as_it_is(lived: Home) -> None:
    file = lived.root / "a.lumen"
    file.write_bytes(b"mine")
    with pytest.raises(UsageError, match="exists already"):
        backup(lived)
    assert file.read_bytes() == b"mine"
    file.unlink()
    file.symlink_to("nowhere")
    with pytest.raises(UsageError, match="exists already"):
        backup(lived)
    assert there(lived) == ["a.lumen", "being", "host"]


@pytest.mark.parametrize("links", [True, False])
def test_a_file_that_appears_meanwhile_is_left_as_it_is(
    lived: Home, links: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    if not links:
        monkeypatch.setattr(os, "link", no_links)

    def interfere(step: str, *_: int) -> None:
        if step == "checking":
            (lived.root / "a.lumen").write_bytes(b"mine")

    with pytest.raises(UsageError, match="exists already"):
        backup(lived, progress=interfere)
    assert (lived.root / "a.lumen").read_bytes() == b"mine"
    assert there(lived) == ["a.lumen", "being", "host"]


def test_a_disk_without_hard_links_takes_a_backup(
    lived: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(os, "link", no_links)
    assert backup(lived) == restore(lived)
    assert there(lived) == ["a.lumen", "being", "host", "restored"]


def no_links(*_: object) -> None:
    raise PermissionError(1, "Operation not permitted")


def test_a_backup_is_not_put_inside_the_being_or_nowhere(lived: Home) -> None:
    (lived.root / "way-in").symlink_to(lived.being.data)
    for name in ("being/a.lumen", "being/data/a.lumen", "way-in/a.lumen"):
        with pytest.raises(UsageError, match="inside the being"):
            backup(lived, name)
    with pytest.raises(UsageError, match="is no folder"):
        backup(lived, "nowhere/a.lumen")
    with pytest.raises(UsageError, match="nothing can be written"):
        pack(Source(lived.being, lived.keyring, ""), Path("/proc/a.lumen"), created=CREATED)


def test_a_damaged_archive_is_named_and_backed_up_only_on_request(lived: Home) -> None:
    lived.newest().write_bytes(lived.newest().read_bytes().replace(b"three", b"thief"))
    with pytest.raises(Damaged, match="event 4 was changed"):
        backup(lived)
    assert there(lived) == ["being", "host"]
    source = Source(lived.being, lived.keyring, "")
    file, folder = lived.root / "a.lumen", lived.root / "restored"
    made = pack(source, file, created=CREATED, even_damaged=True)
    assert (made.verified, made.count) == (False, 3)
    with pytest.raises(Damaged, match="event 4 was changed"):
        unpack(file, folder, lived.keyring)
    assert there(lived) == ["a.lumen", "being", "host"]
    assert not unpack(file, folder, lived.keyring, even_damaged=True).verified
    assert (
        files(folder)[f"data/memory/2026/{lived.newest().name}"][0] == lived.newest().read_bytes()
    )


@pytest.mark.parametrize("spoiled", [b"", b"\0" * 900 + b"\n", b"{}\n"])
def test_an_archive_without_a_beginning_can_be_backed_up_on_request(
    lived: Home, spoiled: bytes
) -> None:
    first = min(lived.being.memory.rglob("2*.jsonl"))
    first.write_bytes(spoiled)
    source = Source(lived.being, lived.keyring, "")
    file, folder = lived.root / "a.lumen", lived.root / "restored"
    assert not pack(source, file, created=CREATED, even_damaged=True).verified
    assert not unpack(file, folder, lived.keyring, even_damaged=True).verified
    assert (folder / first.relative_to(lived.being.root)).read_bytes() == spoiled


@pytest.mark.real_disk
@pytest.mark.parametrize("size", [0, 1000, 16_000])
def test_a_full_disk_leaves_no_backup(lived: Home, size: int) -> None:
    script = (
        f"import resource; resource.setrlimit(resource.RLIMIT_FSIZE, ({size}, -1))\n"
        "try: pack(source, root / 'a.lumen', created='')\n"
        "except NoSpace: sys.exit(7)\n"
    )
    full = lived.run(SCRIPT + script)
    full.communicate()
    assert full.returncode == 7
    assert there(lived) == ["being", "host"]


@pytest.mark.real_disk
@pytest.mark.parametrize("size", [0, 1000, 16_000])
def test_a_full_disk_leaves_nothing_half_restored(lived: Home, size: int) -> None:
    backup(lived)
    script = (
        f"import resource; resource.setrlimit(resource.RLIMIT_FSIZE, ({size}, -1))\n"
        "try: unpack(root / 'a.lumen', root / 'deep' / 'down', keyring)\n"
        "except NoSpace: sys.exit(7)\n"
    )
    full = lived.run(SCRIPT + script)
    full.communicate()
    assert full.returncode == 7
    assert there(lived) == ["a.lumen", "being", "host"]


@pytest.mark.parametrize("step", ["reading", "packing", "checking"])
def test_killed_on_the_way_there_is_no_backup(lived: Home, step: str) -> None:
    killed = lived.run(
        SCRIPT + "def die(step, done, total):\n"
        "    if step == argv[0] and done: os.kill(os.getpid(), signal.SIGKILL)\n"
        "pack(source, root / 'a.lumen', created='', progress=die)\n",
        step,
    )
    killed.communicate()
    assert killed.returncode == -9
    assert [name for name in there(lived) if not name.startswith(".")] == ["being", "host"]
    assert backup(lived).verified


def test_killed_on_the_way_nothing_is_restored(lived: Home) -> None:
    backup(lived)
    killed = lived.run(
        SCRIPT + "die = lambda step, done, total: done and os.kill(os.getpid(), signal.SIGKILL)\n"
        "unpack(root / 'a.lumen', root / 'restored', keyring, progress=die)\n"
    )
    killed.communicate()
    assert killed.returncode == -9
    assert [name for name in there(lived) if not name.startswith(".")] == [
        "a.lumen",
        "being",
        "host",
    ]
    assert restore(lived).verified


def test_a_folder_that_holds_something_is_left_as_it_is(lived: Home) -> None:
    backup(lived)
    folder = lived.root / "restored"
    folder.mkdir()
    assert restore(lived).verified
    with pytest.raises(UsageError, match="holds something already") as refused:
        restore(lived)
    assert refused.value.fix.startswith("mv ")
    (lived.root / "a-file").touch()
    with pytest.raises(UsageError, match="is a file"):
        unpack(lived.root / "a.lumen", lived.root / "a-file", lived.keyring)
    with pytest.raises(UsageError, match="is no file"):
        unpack(lived.root / "b.lumen", lived.root / "b", lived.keyring)
    assert there(lived) == ["a-file", "a.lumen", "being", "host", "restored"]


def test_a_folder_filled_meanwhile_is_left_as_it_is(lived: Home) -> None:
    backup(lived)
    folder = lived.root / "restored"

    def interfere(*_: object) -> None:
        folder.mkdir(exist_ok=True)
        (folder / "mine").touch()

    with pytest.raises(UsageError, match="holds something already"):
        unpack(lived.root / "a.lumen", folder, lived.keyring, progress=interfere)
    assert [path.name for path in folder.iterdir()] == ["mine"]
    with pytest.raises(LumenError, match="cannot be replaced"):
        unpack(
            lived.root / "a.lumen",
            lived.root / "b",
            lived.keyring,
            progress=lambda *_: (lived.root / "b").touch(),
        )
    assert there(lived) == ["a.lumen", "b", "being", "host", "restored"]


def test_a_host_that_has_seen_more_says_so(lived: Home) -> None:
    made = backup(lived)
    assert restore(lived, host="host").seen is None
    writer = lived.writer()
    later = lived.say(writer, "four", sign=True)[-1]
    writer.close()
    again = unpack(lived.root / "a.lumen", lived.root / "again", lived.keyring)
    assert again.verified
    assert again.seen is not None
    assert (again.seen.seq, again.count) == (later.seq, made.count)
    assert (
        unpack(lived.root / "a.lumen", lived.root / "third", Keyring(lived.root / "x")).seen is None
    )


def test_a_host_that_has_seen_another_past_says_so(lived: Home) -> None:
    backup(lived, "early.lumen")
    elsewhere = lived.root / "elsewhere"
    unpack(lived.root / "early.lumen", elsewhere / "being", Keyring(elsewhere / "host"))
    other = type(lived)(elsewhere, lived.clock)
    writer = other.writer()
    other.say(writer, "a", "b", "c", sign=True)
    writer.close()
    backup(other)
    writer = lived.writer()
    seen = lived.say(writer, "z", sign=True)[-1]
    writer.close()
    with pytest.raises(Unproved, match="nothing in its archive vouches"):
        unpack(elsewhere / "a.lumen", lived.root / "restored", lived.keyring)
    found = unpack(elsewhere / "a.lumen", lived.root / "restored", lived.keyring, even_damaged=True)
    assert found.verified
    assert found.doubt
    assert found.seen is not None
    assert found.seen.seq == seen.seq < found.count


def test_a_large_being_takes_no_more_memory(lived: Home) -> None:
    with (lived.being.skills / "weights.bin").open("wb") as file:
        file.truncate(48 << 20)
    tracemalloc.start()
    try:
        made = backup(lived)
        restore(lived)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert made.size > 48 << 20
    assert peak < 8 << 20


def test_how_far_it_is_is_told_to_the_end(lived: Home) -> None:
    told: dict[str, list[int]] = {}

    def look_on(step: str, done: int, total: int) -> None:
        assert done <= total
        told.setdefault(step, []).append(total - done)

    backup(lived, progress=look_on)
    unpack(lived.root / "a.lumen", lived.root / "b", lived.keyring, progress=look_on)
    assert list(told) == ["reading", "packing", "checking", "restoring"]
    assert all(left[0] > left[-1] == 0 for left in told.values())
