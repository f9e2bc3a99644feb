"""A folder to be a skill's, a way to call it, and the certainty that bubblewrap works here."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path

import pytest

from lumen.core.canon import JSON
from lumen.core.clock import SystemClock
from lumen.hands.isolation import Isolation, bwrap_trouble
from lumen.hands.run import Call, Limits, Result, Sandbox, run
from lumen.hands.skills import Skill

HEAD = "import json, os, signal, socket, sys, time\n"
ANSWER = "print(json.dumps({'ok': True}), flush=True)\n"


@pytest.fixture(scope="session")
def bwrap() -> Sandbox:
    """A box of bubblewrap's. Where it does not work nothing is shown, so nothing passes."""
    trouble = bwrap_trouble()
    assert not trouble, f"{trouble}; isolation cannot be tested without it"
    return Sandbox(Isolation.BWRAP)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Where a skill lies."""
    made = tmp_path / "skills" / "tried"
    made.mkdir(parents=True)
    return made


Ask = Callable[..., Result]


@pytest.fixture
def ask(folder: Path) -> Ask:
    """Runs a source as a skill's main.py."""

    def call(
        source: str, given: JSON = None, *, limits: Limits | None = None, box: Sandbox | None = None
    ) -> Result:
        (folder / "main.py").write_text(HEAD + source)
        asked = Call(Skill("tried", folder), "01TURN", "try", given)
        return asyncio.run(run(asked, limits or Limits(), SystemClock(), box or Sandbox()))

    return call
