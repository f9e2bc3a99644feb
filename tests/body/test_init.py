"""`lumen init`: an empty self, laid out once and never over something else."""

from __future__ import annotations

import shutil
import subprocess
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from tests.body.conftest import Lumen


STARTS_WITH = ("calc", "chat", "note", "search", "write_file")


def tree(root: Path) -> dict[str, str]:
    """Every file and folder, with a hash of what it holds."""
    return {
        str(path.relative_to(root)): sha256(path.read_bytes()).hexdigest() if path.is_file() else ""
        for path in sorted(root.rglob("*"))
    }


def test_init_lays_out_an_empty_self(host: Lumen) -> None:
    ran = host.run("init", str(host.being))
    assert (ran.code, ran.err) == (0, "")
    assert f"A new being was born in {host.being}" in ran.out
    found = {name for name in tree(host.being) if not name.startswith(".git/")}
    day = host.segment().stem
    assert found == {
        ".git",
        "data/.gitignore",
        "data",
        "data/goals",
        f"data/goals/{day[:4]}.json",
        "data/heads.jsonl",
        "data/memory",
        "data/memory/.lock",
        f"data/memory/{day[:4]}",
        f"data/memory/{day[:4]}/{day}.jsonl",
        "data/soul.md",
        "data/values.json",
        "lumen.toml",
        "prompts",
        "prompts/README.md",
        "skills",
        *(f"skills/{name}" for name in STARTS_WITH),
        *(f"skills/{name}/main.py" for name in STARTS_WITH),
        *(f"skills/{name}/skill.toml" for name in STARTS_WITH),
    }
    data = host.being / "data"
    assert (data / "soul.md").read_bytes() == b""
    assert (data / "values.json").read_bytes() == b"[]\n"
    assert (data / "goals" / f"{day[:4]}.json").read_bytes() == b"[]\n"
    assert [e["situation"] for e in host.events()] == ["genesis"]
    assert host.verified()


def test_the_repository_is_there_and_nothing_is_committed_to_it(host: Lumen) -> None:
    host.run("init", str(host.being))

    def git(*arguments: str) -> subprocess.CompletedProcess[str]:
        command = ["git", "-C", str(host.being), *arguments]
        return subprocess.run(command, capture_output=True, text=True, check=False)

    assert git("rev-list", "--all", "--count").stdout.strip() == "0"
    offered = git("ls-files", "--others", "--exclude-standard").stdout.split()
    assert "data/soul.md" in offered
    assert "skills/chat/main.py" in offered
    assert [name for name in offered if name.startswith(("data/memory", "data/heads"))] == []


def test_a_second_init_is_refused_and_changes_not_one_byte(lumen: Lumen) -> None:
    lumen.run("chat", "-m", "I like rice")
    before = tree(lumen.home)
    ran = lumen.run("init", str(lumen.being))
    assert ran.code == 2
    assert f"{lumen.being} is a being already" in ran.err
    assert f"try: lumen --being {lumen.being} status" in ran.err
    assert tree(lumen.home) == before


@pytest.mark.parametrize("name", ["data", "skills", "prompts"])
def test_init_over_a_folder_of_that_name_is_refused(host: Lumen, name: str) -> None:
    theirs = host.being / name / "theirs.txt"
    theirs.parent.mkdir(parents=True)
    theirs.write_text("mine")
    before = tree(host.home)
    ran = host.run("init", str(host.being))
    assert ran.code == 2
    assert f"{host.being} holds {name} already" in ran.err
    assert "try: lumen init ANOTHER_FOLDER" in ran.err
    assert tree(host.home) == before


def test_init_leaves_other_files_of_the_folder_alone(host: Lumen) -> None:
    host.being.mkdir()
    (host.being / "notes.txt").write_text("mine")
    (host.being / ".gitignore").write_text("*.tmp\n")
    ran = host.run("init", str(host.being))
    assert ran.code == 0
    assert (host.being / "notes.txt").read_text() == "mine"
    assert (host.being / ".gitignore").read_text() == "*.tmp\n"
    assert host.run("status").code == 0


def test_init_uses_the_current_folder_or_the_being_named(host: Lumen) -> None:
    away = {**host.env(), "XDG_DATA_HOME": str(host.home.parent / f"{host.home.name}-share")}
    assert host.run("init", env=away).code == 0
    assert (host.home / "lumen.toml").is_file()
    other = host.home.parent / f"{host.home.name}-other"
    assert host.run("--being", str(other), "init", env=away).code == 0
    assert (other / "lumen.toml").is_file()


@pytest.mark.parametrize("arguments", [("init", ""), ("init", " "), ("--being", "", "init")])
def test_a_folder_with_an_empty_name_is_not_the_one_you_are_in(
    host: Lumen, arguments: tuple[str, ...]
) -> None:
    ran = host.run(*arguments)
    assert (ran.code, ran.out) == (2, "")
    assert "try: lumen init FOLDER" in ran.err
    assert tree(host.home) == {}


@pytest.mark.parametrize("folder", [".", "share", "share/lumen", "share/lumen/keys/new"])
def test_no_being_is_made_around_or_among_the_keys(lumen: Lumen, folder: str) -> None:
    before = tree(lumen.home)
    ran = lumen.run("init", folder)
    assert (ran.code, ran.out) == (2, "")
    assert "keys" in ran.err
    assert "try: lumen init ANOTHER_FOLDER" in ran.err
    assert tree(lumen.home) == before


def test_no_being_is_made_inside_or_around_another(host: Lumen) -> None:
    deep = host.home / "theirs" / "deep"
    assert host.run("init", str(deep)).code == 0
    before = tree(host.home)
    inside = host.run("init", str(deep / "data" / "another"))
    assert inside.code == 2
    assert f"lies inside another being, {deep}" in inside.err
    around = host.run("init", str(host.home / "theirs"))
    assert around.code == 2
    assert f"is around another being, {deep}" in around.err
    assert tree(host.home) == before


def test_init_tells_in_json_what_was_made(host: Lumen) -> None:
    made = host.run("init", str(host.being), "--json").json()
    assert made == {"being": str(host.being), "soul": host.events()[0]["soul"]}
    refused = host.run("init", str(host.being), "--json")
    assert refused.code == 2
    assert refused.json()["ok"] is False


def test_what_to_type_next_is_quoted_for_the_shell(host: Lumen) -> None:
    folder = host.home / "my being"
    missing = host.run("--being", str(folder), "status")
    assert f"try: lumen init '{folder}'\n" in missing.err
    assert f"lumen --being '{folder}' chat\n" in host.run("init", str(folder)).out
    assert f"try: lumen --being '{folder}' status\n" in host.run("init", str(folder)).err


def test_init_on_a_file_says_so(host: Lumen) -> None:
    host.being.write_text("I am a file")
    ran = host.run("init", str(host.being))
    assert (ran.code, ran.out) == (2, "")
    assert "is a file, not a folder" in ran.err
    under = host.run("init", str(host.being / "deeper"))
    assert under.code == 2
    assert "Not a directory" in under.err
    assert "went wrong inside" not in under.err


def test_init_into_a_folder_whose_name_is_no_text_is_refused(host: Lumen) -> None:
    ran = host.run("init", b"na\xffme")
    assert ran.code == 2
    assert r"na\udcffme' is not in UTF-8" in ran.err
    assert list(host.home.glob("na*")) == []


def test_init_on_a_full_disk_says_what_to_clear_away_and_then_works(host: Lumen) -> None:
    ran = host.run(
        "init",
        str(host.being),
        prelude="import resource; resource.setrlimit(resource.RLIMIT_FSIZE, (20, 20))",
    )
    assert ran.code == 1
    assert "The disk is full" in ran.err
    command = ran.err.split("clear away what was begun first: ")[1].split()
    assert command[:2] == ["rm", "-r"]
    begun = [Path(word) for word in command[2:]]
    assert begun
    assert all(path.is_relative_to(host.being) for path in begun)  # never run what a text says
    for path in begun:
        shutil.rmtree(path) if path.is_dir() else path.unlink()
    assert host.run("init", str(host.being)).code == 0
    assert host.verified()
