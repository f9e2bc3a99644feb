"""The two scripts outside the package, loaded as modules."""

from __future__ import annotations

from collections.abc import Callable
from types import ModuleType

import pytest

Script = Callable[[str], ModuleType]


@pytest.fixture(scope="session")
def launcher(script: Script) -> ModuleType:
    """main.py."""
    return script("main.py")


@pytest.fixture(scope="session")
def pin(script: Script) -> ModuleType:
    """tools/pin.py."""
    return script("tools/pin.py")
