"""The pages, and the scripts that make some of them."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from types import ModuleType

import pytest

Script = Callable[[str], ModuleType]


@pytest.fixture(scope="session")
def turn_doc(script: Script) -> ModuleType:
    """tools/turn_doc.py."""
    return script("tools/turn_doc.py")


@pytest.fixture(scope="session")
def cli_doc(script: Script) -> ModuleType:
    """tools/cli_doc.py."""
    return script("tools/cli_doc.py")


@pytest.fixture(scope="session")
def settings_doc(script: Script) -> ModuleType:
    """tools/settings_doc.py."""
    return script("tools/settings_doc.py")


@pytest.fixture(scope="session")
def pages(root: Path) -> dict[Path, str]:
    """Every page a person may read, with its text."""
    found = [*root.glob("*.md"), *(root / "docs").rglob("*.md")]
    return {path: path.read_text("utf-8") for path in sorted(found)}


@pytest.fixture(autouse=True)
def _remembered(remembered: None) -> None:
    """No text is embedded twice."""
