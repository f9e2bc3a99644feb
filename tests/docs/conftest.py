"""The pages, and the scripts that make some of them."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from types import ModuleType

import pytest


def load(path: Path) -> ModuleType:
    spec = importlib.util.spec_from_file_location(f"docs_{path.stem}", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="session")
def turn_doc(root: Path) -> ModuleType:
    """tools/turn_doc.py."""
    return load(root / "tools" / "turn_doc.py")


@pytest.fixture(scope="session")
def cli_doc(root: Path) -> ModuleType:
    """tools/cli_doc.py."""
    return load(root / "tools" / "cli_doc.py")


@pytest.fixture(scope="session")
def pages(root: Path) -> dict[Path, str]:
    """Every page a person may read, with its text."""
    found = [*root.glob("*.md"), *(root / "docs").rglob("*.md")]
    return {path: path.read_text("utf-8") for path in sorted(found)}
