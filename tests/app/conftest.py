"""A being reached as a program reaches it: by `lumen.open`, on a host of its own."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

import lumen
from lumen.core.canon import JSON, dumps
from lumen.core.data import BeingPaths as Folder
from lumen.core.data import Event
from lumen.soul.archive.line import read


@pytest.fixture(autouse=True)
def _remembered(remembered: None) -> None:
    """No text is embedded twice."""


@pytest.fixture(scope="session")
def newborn(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A home that is only copied: a being was born there."""
    home = tmp_path_factory.mktemp("newborn")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_DATA_HOME", str(home / "share"))
        lumen.create(home / "ada")
    return home


@pytest.fixture
def home(newborn: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The being's folder; its model says nothing, so that the kernel answers."""
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "share"))
    monkeypatch.setenv("TZ", "Europe/Lisbon")
    monkeypatch.delenv("LUMEN_BEING", raising=False)
    shutil.copytree(newborn, tmp_path, dirs_exist_ok=True)
    script(tmp_path / "ada", {"when": "(?s).*", "say": ""})
    return tmp_path / "ada"


def script(folder: Path, *rules: JSON) -> None:
    """Let a script be the model."""
    path = folder.parent / f"{folder.name}.jsonl"
    path.write_bytes(b"\n".join(dumps(rule) for rule in rules))
    settings = folder / "lumen.toml"
    text = settings.read_text("utf-8").splitlines()
    lines = [f'interface = "scripted/{path}"' if t.startswith("interface =") else t for t in text]
    settings.write_text("\n".join(lines) + "\n", encoding="utf-8")


@pytest.fixture(name="script")
def _script(home: Path) -> Callable[..., None]:
    return lambda *rules: script(home, *rules)


@pytest.fixture
def events(home: Path) -> Callable[[], list[Event]]:
    """Every line of the archive, read from the disk."""
    return lambda: [stored.event for stored in read(Folder(home).memory)]
