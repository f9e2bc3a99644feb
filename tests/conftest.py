"""What every test may rely on: the checkout's root, and chance that repeats."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import settings

# The same examples every time, and none judged by how long it took: a red test stays red.
settings.register_profile("lumen", derandomize=True, deadline=None, database=None)
settings.load_profile("lumen")


@pytest.fixture(scope="session")
def root() -> Path:
    """The checkout."""
    return Path(__file__).resolve().parent.parent
