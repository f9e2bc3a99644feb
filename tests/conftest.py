"""What every test may rely on: the checkout's root, chance that repeats, servers to talk to."""

from __future__ import annotations

import importlib.util
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType

import pytest
from hypothesis import settings
from tests.peers import LlamaServer, Wire

# The same examples every time, and none judged by how long it took: a red test stays red.
settings.register_profile("lumen", derandomize=True, deadline=None, database=None)
settings.load_profile("lumen")


@pytest.fixture(scope="session")
def root() -> Path:
    """The checkout."""
    return Path(__file__).resolve().parent.parent


@pytest.fixture(scope="session")
def script(root: Path) -> Callable[[str], ModuleType]:
    """Loads a script that stands outside the package, by its path in the checkout."""

    def load(path: str) -> ModuleType:
        name = path.removesuffix(".py").replace("/", "_")
        spec = importlib.util.spec_from_file_location(f"script_{name}", root / path)
        assert spec is not None
        assert spec.loader is not None
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        return module

    return load


@pytest.fixture(scope="session")
def llama() -> Iterator[LlamaServer]:
    """A real server of a real model, started once."""
    with LlamaServer() as server:
        yield server


@pytest.fixture
def wire() -> Iterator[Wire]:
    """A server that says what the test tells it to."""
    with Wire() as server:
        yield server
