"""What only a checkout has: bench/, which measures Lumen beside others."""

from __future__ import annotations

import sys
from importlib import import_module
from pathlib import Path
from types import ModuleType

from lumen.core.errors import UsageError

ROOT = Path(__file__).resolve().parents[3]


def root() -> Path:
    """The checkout that this Lumen runs from.

    Raises:
        UsageError: it does not run from one.
    """
    if not (ROOT / "bench" / "__main__.py").exists():
        raise UsageError("bench/ is not here", fix="run it from a checkout of the project")
    return ROOT


def bench(module: str) -> ModuleType:
    """A module of bench/, for a command that is asked for what it does."""
    if (place := str(root())) not in sys.path:
        sys.path.append(place)
    return import_module(f"bench.{module}")
