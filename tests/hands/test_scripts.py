"""How a skill's main.py is started, with packages of its own or without; and help kept at hand."""

from __future__ import annotations

import asyncio
import os
import sys
import zipfile
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING

import pytest

from lumen.core.errors import SkillError
from lumen.hands.isolation import Isolation
from lumen.hands.run import Sandbox
from lumen.hands.script import command_of, find_uv, packages, uv_cache
from lumen.hands.skills import Skill, describe

if TYPE_CHECKING:
    from tests.hands.conftest import Ask

BLOCK = '# /// script\n# requires-python = ">=3.11"\n# dependencies = [\n#   "click",\n# ]\n# ///\n'
SAYS = "import json, sys\nprint(json.dumps({'ok': True, 'output': sys.argv}))\n"


@pytest.mark.parametrize(
    ("source", "found"),
    [
        ("", ()),
        (BLOCK, ("click",)),
        ("import os\n" + BLOCK + "x = 1\n", ("click",)),
        ("# /// script\n# dependencies = []\n# ///\n", ()),
        ('# /// script\n# requires-python = ">=3.11"\n# ///\n', ()),
        ('x = """\n  # /// script\n"""', ()),
    ],
)
def test_packages_are_read_from_the_scripts_own_metadata(
    source: str, found: tuple[str, ...]
) -> None:
    assert packages(source) == found


@pytest.mark.parametrize(
    "source",
    [
        BLOCK + "\n" + BLOCK,
        "# /// script\n# [[[\n# ///\n",
        "# /// script\n# dependencies = 1\n# ///\n",
    ],
)
def test_metadata_that_is_none_is_named(source: str) -> None:
    with pytest.raises(SkillError, match="script metadata"):
        packages(source)


def test_a_script_with_packages_runs_through_uv_and_its_cache_is_elsewhere(
    ask: Ask, folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    stand_in = tmp_path / "uv"
    stand_in.write_text(f'#!/bin/sh\nexec {sys.executable} {tmp_path}/told.py "$@"\n')
    stand_in.chmod(0o755)
    (tmp_path / "told.py").write_text(SAYS)
    monkeypatch.setenv("UV", str(stand_in))
    monkeypatch.setenv("UV_CACHE_DIR", str(tmp_path / "cache"))
    asked = ask(BLOCK)
    assert asked.ok, asked.error
    words = asked.output[1:]
    assert words[0] == "run"
    assert words[-2:] == ["--script", str(folder / "main.py")]
    assert words[words.index("--cache-dir") + 1] == str(tmp_path / "cache")
    assert ask("print(json.dumps({'ok': True, 'output': 'ours'}))").output == "ours"


def wheel_in(folder: Path) -> Path:
    """A package of one line, as an index would hand it out."""
    at = folder / "tiny-1.0-py3-none-any.whl"
    told = "tiny-1.0.dist-info"
    with zipfile.ZipFile(at, "w") as wheel:
        wheel.writestr("tiny.py", "WORD = 'from a package'\n")
        wheel.writestr(f"{told}/METADATA", "Metadata-Version: 2.1\nName: tiny\nVersion: 1.0\n")
        tags = "Wheel-Version: 1.0\nGenerator: lumen\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
        wheel.writestr(f"{told}/WHEEL", tags)
        wheel.writestr(f"{told}/RECORD", "")
    return at


def test_the_real_uv_brings_packages_or_says_which_it_cannot(
    ask: Ask,
    folder: Path,
    tmp_path: Path,
    script: Callable[[str], ModuleType],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    uv = script("main.py").find_uv()
    assert uv is not None, "no uv here: run python3 main.py test"
    monkeypatch.setenv("UV", uv)
    monkeypatch.setenv("UV_CACHE_DIR", str(tmp_path / "cache"))
    needs = BLOCK.replace("click", f"tiny @ file://{wheel_in(tmp_path)}")
    uses = "import json, tiny\nprint(json.dumps({'ok': True, 'output': tiny.WORD}))\n"
    found = ask(needs + uses)
    assert (found.output, found.error) == ("from a package", "")
    assert sorted(p.name for p in folder.iterdir()) == ["main.py"]
    missing = ask(BLOCK.replace("click", f"gone @ file://{tmp_path}/gone-1.0-py3-none-any.whl"))
    assert not missing.ok
    assert "crashed with exit code" in missing.error
    assert "gone" in missing.stderr


def test_without_uv_or_inside_bubblewrap_packages_are_refused_clearly(
    ask: Ask, folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("UV", raising=False)
    monkeypatch.setenv("PATH", str(tmp_path))
    assert find_uv() == ""
    assert ask(BLOCK).error == (
        "The skill tried asks for packages, and there is no uv to bring them."
    )
    with pytest.raises(SkillError, match="cannot bring into bubblewrap"):
        command_of(folder / "main.py", Sandbox(Isolation.BWRAP))


def test_the_cache_is_where_uv_usually_keeps_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("UV_CACHE_DIR", raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", "/somewhere")
    assert uv_cache() == Path("/somewhere/uv")
    monkeypatch.setenv("XDG_CACHE_HOME", "relative")
    assert uv_cache() == Path.home() / ".cache" / "uv"


def counting(folder: Path, said: str = "helps") -> Skill:
    """A skill that counts, outside its folder, how often it was asked for help."""
    source = f"open({str(folder.parent / 'asked')!r}, 'a').write('x'); print({said!r})"
    (folder / "main.py").write_text(source)
    return Skill("tried", folder)


def asked(folder: Path) -> int:
    return len((folder.parent / "asked").read_text())


def test_help_is_asked_for_once_for_the_same_files(folder: Path) -> None:
    skill = counting(folder)
    assert [asyncio.run(describe(skill)) for _ in range(3)] == ["helps"] * 3
    assert asked(folder) == 1
    (folder / "other.py").write_text("")
    assert asyncio.run(describe(skill)) == "helps"
    assert asked(folder) == 2


@pytest.mark.parametrize("kept", ["whole", "deleted", "garbage", "unwritable"])
def test_help_outlives_the_process_in_a_file_that_may_go(
    folder: Path, tmp_path: Path, kept: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "index" / "help.json"
    if kept != "unwritable":
        file.parent.mkdir()
    skill = counting(folder, f"helps {kept}")
    assert asyncio.run(describe(skill, kept=file)) == f"helps {kept}"
    monkeypatch.setattr("lumen.hands.skills._known_help", {})
    if kept == "deleted":
        file.unlink()
    elif kept == "garbage":
        file.write_bytes(os.urandom(99))
    assert asyncio.run(describe(skill, kept=file)) == f"helps {kept}"
    assert asked(folder) == (1 if kept == "whole" else 2)
