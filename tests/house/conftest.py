"""The two scripts outside the package, loaded as modules."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from types import ModuleType

import pytest


def load(path: Path) -> ModuleType:
    spec = importlib.util.spec_from_file_location(f"house_{path.stem}", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="session")
def launcher(root: Path) -> ModuleType:
    """main.py."""
    return load(root / "main.py")


@pytest.fixture(scope="session")
def pin(root: Path) -> ModuleType:
    """tools/pin.py."""
    return load(root / "tools" / "pin.py")
