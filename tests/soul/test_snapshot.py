"""What a backup holds of a being that others write to, and what it cannot hold."""

from __future__ import annotations

import fcntl
import os
import select
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from lumen.core.data import Author, BeingPaths
from lumen.core.errors import Busy, UsageError
from lumen.soul.archive.line import CONTENT_HASH
from lumen.soul.backup.pack import Packed, Progress, Source, pack, unpack
from lumen.soul.trust.keys import Keyring

if TYPE_CHECKING:
    from tests.soul.conftest import Home

ERASED = b',"salt":"","situation":"erased","description":"","payload":{"erased_by":'
LARGE = 2 << 20  # more than is read at once


def silent(*_: object) -> None:
    """Nobody looks on."""


def backup(home: Home, name: str = "a.lumen", *, progress: Progress = silent) -> Packed:
    source = Source(home.being, home.keyring, "")
    return pack(source, home.root / name, created="", progress=progress)


def restore(home: Home) -> BeingPaths:
    """A restored copy."""
    folder = home.root / "restored"
    assert unpack(home.root / "a.lumen", folder, Keyring(home.root / "elsewhere")).verified
    return BeingPaths(folder)


def there(home: Home) -> list[str]:
    return sorted(path.name for path in home.root.iterdir())


@pytest.fixture
def lived(home: Home) -> Home:
    """A being of two days with a skill, a large file of state and a soul."""
    writer = home.begin()
    home.say(writer, "one", "two", sign=True)
    home.later(days=1)
    home.say(writer, "three", sign=True)
    writer.close()
    for name, text in {
        "lumen.toml": "[being]\n",
        "data/soul.md": "# Ada\n",
        "data/state/decisions.jsonl": "{}" * (LARGE // 2),
        "prompts/README.md": "",
        "skills/chat/main.py": "print('hi')\n",
    }.items():
        path = home.being.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")
    return home


def test_a_backup_taken_while_others_write_verifies_and_they_are_not_held_up(lived: Home) -> None:
    talk = lived.run(
        "import select\nwriter = Writer(being, keyring, SystemClock())\n"
        "while not select.select([0], [], [], 0)[0]:\n"
        "    at = writer.append([said('x' * 3000), said('y')], durable=False, sign=True)[-1]\n"
        "    print(at.seq, flush=True)\n"
    )
    assert talk.stdout is not None
    ends = []
    for number in range(4):
        told = int(talk.stdout.readline())
        made = backup(lived, f"{number}.lumen")
        assert made.verified
        assert made.count >= told
        ends.append(made.count)
    out, _ = talk.communicate(b"stop\n")
    assert talk.returncode == 0
    assert ends == sorted(set(ends))
    assert int(out.split()[-1]) > ends[-1]
    for number, end in enumerate(ends):
        found = unpack(lived.root / f"{number}.lumen", lived.root / f"r{number}", lived.keyring)
        assert (found.count, found.verified) == (end, True)
        assert found.seen is not None
        before = b"".join(lived.segments().values())
        after = b"".join(
            p.read_bytes() for p in sorted((lived.root / f"r{number}").rglob("2*.jsonl"))
        )
        assert before.startswith(after)


def test_a_snapshot_waits_for_a_line_that_is_being_written(lived: Home) -> None:
    with (lived.being.memory / ".lock").open("rb") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        looking = lived.run(
            "from lumen.soul.backup.snapshot import snapshot\nprint('ready', flush=True)\n"
            "print(snapshot(being, with_end=True).end.seq, flush=True)\n"
        )
        assert looking.stdout is not None
        assert looking.stdout.readline() == b"ready\n"
        assert not select.select([looking.stdout], [], [], 0.2)[0]
    assert looking.communicate()[0] == b"4\n"


def test_an_unfinished_line_is_left_out_and_said(lived: Home) -> None:
    whole, heads = lived.newest().read_bytes(), lived.being.heads.read_bytes()
    lived.newest().write_bytes(whole + b'{"event_hash":"ab')
    lived.being.heads.write_bytes(heads + b'{"soul"')
    made = backup(lived)
    assert "unfinished line" in made.notes[0]
    being = restore(lived)
    assert (being.memory / "2026" / lived.newest().name).read_bytes() == whole
    assert being.heads.read_bytes() == heads


def test_a_file_that_changes_under_the_copy_is_copied_again(lived: Home) -> None:
    state = lived.being.data / "state" / "decisions.jsonl"
    texts = [b"x" * LARGE, b"y" * LARGE]

    def change(step: str, done: int, _total: int) -> None:
        if step == "packing" and not done and texts:
            state.write_bytes(texts.pop())

    backup(lived, progress=change)
    assert (restore(lived).data / "state" / "decisions.jsonl").read_bytes() == b"x" * LARGE


def test_a_file_that_shrinks_under_the_copy_is_copied_again(lived: Home) -> None:
    state = lived.being.data / "state" / "decisions.jsonl"
    backup(lived, progress=lambda *_: lived.overwrite(state, b"{}\n"))
    assert (restore(lived).data / "state" / "decisions.jsonl").read_bytes() == b"{}\n"


def test_a_file_that_goes_under_the_copy_is_not_in_it(lived: Home) -> None:
    state = lived.being.data / "state" / "decisions.jsonl"

    def remove(step: str, *_: int) -> None:
        if step == "packing":
            state.unlink(missing_ok=True)

    backup(lived, progress=remove)
    assert not (restore(lived).data / "state").exists()


def test_a_file_that_never_rests_is_given_up_on(lived: Home) -> None:
    script = lived.being.skills / "chat" / "main.py"
    numbers = iter(range(100, 200))

    def rewrite(step: str, done: int, _total: int) -> None:
        if step == "packing" and not done:
            script.write_bytes(b"%d" % next(numbers))

    with pytest.raises(Busy, match="changed under the copy"):
        backup(lived, progress=rewrite)
    assert there(lived) == ["being", "host"]


@pytest.mark.parametrize("step", ["reading", "packing", "checking"])
def test_a_text_that_is_forgotten_under_the_copy_is_not_in_it(lived: Home, step: str) -> None:
    segment = min(lived.being.memory.rglob("2*.jsonl"))
    line = segment.read_bytes().splitlines(keepends=True)[2]
    cut = line.index(CONTENT_HASH) + len(CONTENT_HASH) + 65

    def forget(now: str, done: int, _total: int) -> None:
        if now != step or done or b'"two"' not in segment.read_bytes():
            return
        named = {"seq": 3, "event_hash": line[15:79].decode()}
        word = lived.entry("Forgotten.", Author.KERNEL, "erasure", {"erases": [named]})
        writer = lived.writer()
        by = writer.append([word], durable=True, sign=True, signer=lived.author)[-1].seq
        writer.close()
        start = ERASED + b"%d}" % by
        stub = line[:cut] + start + b" " * (len(line) - cut - 2 - len(start)) + b"}\n"
        lived.overwrite(segment, segment.read_bytes().replace(line, stub))

    made = backup(lived, progress=forget)
    kept = (restore(lived).root / segment.relative_to(lived.being.root)).read_bytes()
    late = step == "checking"  # by then it is packed: forgetting reaches no backup that exists
    assert (b'"two"' in kept, made.count) == (late, 4 if late else 5)
    assert lived.verify().ok


def test_an_archive_that_is_spoiled_under_the_copy_is_no_backup(lived: Home) -> None:
    spoiled = lived.newest().read_bytes().replace(b"three", b"thief")
    with pytest.raises(Busy):
        backup(lived, progress=lambda *_: lived.overwrite(lived.newest(), spoiled))
    assert there(lived) == ["being", "host"]


def test_a_link_inside_the_being_is_stored_as_what_it_points_to(lived: Home) -> None:
    (lived.being.prompts / "more").symlink_to(lived.being.skills / "chat")
    (lived.being.prompts / "soul.md").symlink_to("../data/soul.md")
    backup(lived)
    prompts = restore(lived).prompts
    assert (prompts / "soul.md").read_bytes() == b"# Ada\n"
    assert (prompts / "more" / "main.py").read_bytes() == b"print('hi')\n"
    assert not (prompts / "soul.md").is_symlink()
    assert not (prompts / "more").is_symlink()


def test_what_a_tool_keeps_in_the_folder_is_left_out_and_said(lived: Home) -> None:
    for name in (".git/config", ".env", ".venv/bin/python"):
        (lived.being.root / name).parent.mkdir(parents=True, exist_ok=True)
        (lived.being.root / name).touch()
    assert backup(lived).notes == (
        ".env is not in the backup: its name begins with a dot",
        ".venv is not in the backup: its name begins with a dot",
    )
    assert not any(path.name.startswith(".") for path in restore(lived).root.iterdir())


def test_a_file_that_would_run_as_its_owner_comes_back_as_a_plain_one(lived: Home) -> None:
    left = lived.being.root / "files" / "shell"
    left.parent.mkdir()
    left.touch()
    left.chmod(0o6755)
    backup(lived)
    assert (restore(lived).root / "files" / "shell").stat().st_mode & 0o7777 == 0o755


def point_outside(path: Path) -> None:
    path.symlink_to("/etc/hostname")


def point_nowhere(path: Path) -> None:
    path.symlink_to("nowhere")


def point_at_itself(path: Path) -> None:
    path.symlink_to(path.name)


def point_upwards(path: Path) -> None:
    path.symlink_to("..")


def make_pipe(path: Path) -> None:
    os.mkfifo(path)


def name_in_bytes(path: Path) -> None:
    Path(os.fsdecode(os.fsencode(path) + b"\xff")).touch()


@pytest.mark.parametrize(
    ("make", "why"),
    [
        (point_outside, "outside the being"),
        (point_nowhere, "link to nothing"),
        (point_at_itself, "link to nothing"),
        (point_upwards, "link to a folder it is in"),
        (make_pipe, "neither a file nor a folder"),
        (name_in_bytes, "not in UTF-8"),
    ],
)
@pytest.mark.parametrize("where", ["skills/chat/odd", "data/odd", "files/odd"])
def test_what_a_backup_cannot_hold_is_named(
    lived: Home, make: Callable[[Path], None], why: str, where: str
) -> None:
    (lived.being.root / where).parent.mkdir(exist_ok=True)
    make(lived.being.root / where)
    with pytest.raises(UsageError, match=why) as refused:
        backup(lived)
    assert "odd" in refused.value.what
    assert there(lived) == ["being", "host"]
