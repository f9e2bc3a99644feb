"""A being is born whole, is named in one archived change, and a crash in between is made good."""

from __future__ import annotations

import os
import tomllib
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from tests.storing import born

from lumen.core.canon import sha256
from lumen.core.clock import SystemClock
from lumen.core.data import Author, BeingPaths, kernel_entry
from lumen.core.errors import AlreadyABeing, LumenError, UsageError
from lumen.kernel.gate.birth import introduce
from lumen.kernel.gate.commit import Gate
from lumen.kernel.gate.edits import self_in_force
from lumen.kernel.gate.recovery import recover
from lumen.soul.checking.verify import verify
from lumen.soul.state.selfhood import Selfhood, selfhood
from lumen.soul.trust.keys import Keyring
from lumen.soul.writing.open import open_storage
from lumen.soul.writing.write import Writer

if TYPE_CHECKING:
    from tests.kernel.conftest import Life

TEXTS = {"soul": "data/soul.md", "settings": "lumen.toml"}
NAMES = ("Ada", 'Ada "the \\ Great"', "O'Brien \\1 \\g<0> \\n", "Zoë 日本 \U0001f600", "{soul} # x")


def self_of(life: Life) -> Selfhood:
    """Who it is: its files and the archive say the same."""
    life.kernel.index.catch_up()
    found = self_in_force(life.kernel.index)
    years = life.being.goals.glob("*.json")
    texts = {life.being.named(p): p.read_text("utf-8") for p in years}
    texts |= {
        life.being.named(p): p.read_text("utf-8") for p in (life.being.soul_md, life.being.values)
    }
    assert found == selfhood(texts)
    return found


def test_a_being_is_born_with_an_empty_self_and_a_signed_genesis(life: Life) -> None:
    being = life.being
    (genesis,) = life.events()
    settings = tomllib.loads(being.settings.read_text("utf-8"))

    assert genesis.entry.situation == "genesis"
    assert genesis.entry.payload["changes"] == [
        {"store": store, "operation": "set", "path": path, "base": "", "value": text}
        for store, path, text in (
            ("soul", "data/soul.md", ""),
            ("values", "data/values.json", "[]\n"),
            ("goals", "data/goals/2026.json", "[]\n"),
        )
    ]
    assert settings["being"]["soul"] == genesis.soul
    assert self_of(life).name == "Lumen"
    assert (being.goals / "2026.json").read_text() == "[]\n"
    assert (being.skills / "chat" / "main.py").is_file()
    assert "memory/" in (being.data / ".gitignore").read_text()
    assert being.data.stat().st_mode & 0o077 == 0
    assert (being.root / ".git").is_dir()
    assert not list(being.skills.rglob("__pycache__"))
    assert verify(being, life.keyring).ok


@pytest.mark.parametrize("author", NAMES)
@pytest.mark.parametrize("name", NAMES[1:3])
def test_names_of_any_letters_keep_the_files_readable(life: Life, name: str, author: str) -> None:
    being = life.being
    before = tomllib.loads(being.settings.read_text("utf-8"))
    introduce(life.kernel.gate, being, name, author, "Europe/Lisbon")

    after = tomllib.loads(being.settings.read_text("utf-8"))
    assert after["author"] == {"name": author, "timezone": "Europe/Lisbon"}
    assert {k: v for k, v in after.items() if k != "author"} == {
        k: v for k, v in before.items() if k != "author"
    }
    assert "# which model serves which role" in being.settings.read_text("utf-8")
    assert self_of(life).name == name
    assert being.soul_md.read_text("utf-8") == f"# {name}\n"


@pytest.mark.parametrize("end", ["\n", "\r\n", "\u2028", "\x0b", "\x85", " \x7f"])
def test_names_are_one_line_whatever_they_hold(life: Life, end: str) -> None:
    being = life.being
    introduce(life.kernel.gate, being, f"Iris{end}of the Sea", f"Ada{end}[roles]", "")

    settings = tomllib.loads(being.settings.read_text("utf-8"))
    assert settings["author"] == {"name": "Ada [roles]", "timezone": ""}
    assert settings["roles"]["interface"].startswith("embedded/")
    assert being.soul_md.read_text("utf-8") == "# Iris of the Sea\n"
    found = self_of(life)
    assert (found.name, found.narrative) == ("Iris of the Sea", "")


def test_both_files_are_archived_as_one_change_of_the_author(life: Life) -> None:
    being = life.being
    before = {p: sha256(p.read_bytes()) for p in (being.soul_md, being.settings)}
    introduce(life.kernel.gate, being, "Iris", "Ada", "Europe/Lisbon")

    last = life.events()[-1]
    assert (last.seq, last.entry.situation, last.entry.author) == (2, "introduced", Author.KERNEL)
    assert last.entry.session_key == "lumen:author"
    assert last.entry.description == "The author, Ada, named the being Iris."
    assert last.entry.payload["changes"] == [
        {
            "store": store,
            "operation": "set",
            "path": TEXTS[store],
            "base": before[path],
            "value": path.read_text("utf-8"),
        }
        for store, path in (("soul", being.soul_md), ("settings", being.settings))
    ]
    assert '"seq":2,' in being.heads.read_text().splitlines()[-1]
    assert verify(being, life.keyring).ok


def test_a_new_name_keeps_the_story(life: Life) -> None:
    being = life.being
    being.soul_md.write_text("# Old\n\nBorn by the sea.\n\n\n")
    life.kernel.gate.adopt()
    introduce(life.kernel.gate, being, "New", "Ada", "")
    assert being.soul_md.read_text() == "# New\n\nBorn by the sea.\n"

    being.soul_md.write_text("Only a story.\n")
    life.kernel.gate.adopt()
    introduce(life.kernel.gate, being, "Newer", "Ada", "")
    assert being.soul_md.read_text() == "# Newer\nOnly a story.\n"


def archived_only(life: Life, **texts: str) -> None:
    """The archive has the changes; the process died before the files were replaced."""
    files = {TEXTS[store]: text.encode() for store, text in texts.items()}
    before = {life.being.at(path): life.being.at(path).read_bytes() for path in files}
    changes = [
        {
            "store": store,
            "operation": "set",
            "path": TEXTS[store],
            "base": sha256(before[life.being.at(TEXTS[store])]),
            "value": text,
        }
        for store, text in texts.items()
    ]
    writer = Writer(life.being, life.keyring, life.clock)
    entry = kernel_entry("introduced", "A change.", "lumen:author", {"changes": changes})
    writer.append([entry], durable=True, files=files)
    writer.close()
    for path, old in before.items():
        assert path.read_bytes() != old
        path.write_bytes(old)
        os.utime(path, (0, 0))


def recovered(life: Life) -> list[str]:
    """What a process that opens the being next has to mend."""
    storage = open_storage(life.being, life.keyring, life.clock)
    gate = Gate(life.being, life.keyring, life.clock, storage)
    try:
        recover(gate)
        return gate.repairs
    finally:
        gate.index.close()
        gate.close()


def test_a_change_that_was_archived_only_is_finished_by_the_next_process(life: Life) -> None:
    being = life.being
    settings = being.settings.read_text("utf-8").replace("friend", "Ada")
    archived_only(life, soul="# Iris\n", settings=settings)

    assert recovered(life) == [
        "data/soul.md was left behind and is now as event 2 left it.",
        "lumen.toml was left behind and is now as event 2 left it.",
    ]
    assert being.soul_md.read_text() == "# Iris\n"
    assert being.settings.read_text("utf-8") == settings
    assert recovered(life) == []


def test_a_file_that_the_author_changed_since_is_left_as_it_is(life: Life) -> None:
    being = life.being
    archived_only(life, soul="# Iris\n")
    being.soul_md.write_text("# Mine\n")

    assert recovered(life) == []
    assert being.soul_md.read_text() == "# Mine\n"


def test_a_being_is_not_laid_over_another(life: Life) -> None:
    before = life.being.settings.read_bytes()
    with pytest.raises(AlreadyABeing, match="is a being already"):
        born(life.being, life.keyring, SystemClock())

    assert life.being.settings.read_bytes() == before
    assert len(life.events()) == 1


def test_a_being_is_not_laid_over_other_files(tmp_path: Path) -> None:
    keyring = Keyring(tmp_path / "share")
    taken = tmp_path / "taken"
    (taken / "prompts").mkdir(parents=True)
    (taken / "data").mkdir()
    with pytest.raises(AlreadyABeing, match="holds data, prompts already"):
        born(BeingPaths(taken), keyring, SystemClock())
    file = tmp_path / "file"
    file.write_text("words")
    with pytest.raises(UsageError, match="is a file, not a folder"):
        born(BeingPaths(file), keyring, SystemClock())
    with pytest.raises(UsageError, match="is not in UTF-8"):
        born(BeingPaths(tmp_path / "\udcff"), keyring, SystemClock())

    assert sorted(p.name for p in tmp_path.iterdir()) == ["file", "taken"]


def test_a_folder_with_other_things_in_it_may_become_a_being(tmp_path: Path) -> None:
    being = BeingPaths(tmp_path / "home")
    (being.root / ".git").mkdir(parents=True)
    (being.root / "notes.txt").write_text("mine")
    born(being, Keyring(tmp_path / "share"), SystemClock())

    assert (being.root / "notes.txt").read_text() == "mine"
    assert list((being.root / ".git").iterdir()) == []


def test_a_birth_that_fails_says_what_to_clear_away(tmp_path: Path) -> None:
    being = BeingPaths(tmp_path / "being")
    keys = tmp_path / "share"
    keys.write_text("a file where the folder of keys should be")
    with pytest.raises(LumenError) as failed:
        born(being, Keyring(keys), SystemClock())

    assert f"rm -r {being.data} {being.skills} {being.prompts}" in failed.value.fix
    assert not being.settings.exists()


def test_a_birth_that_fails_at_once_leaves_nothing_to_clear_away(tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.write_text("words")
    with pytest.raises(LumenError) as failed:
        born(BeingPaths(file / "being"), Keyring(tmp_path / "share"), SystemClock())

    assert "rm -r" not in failed.value.fix
