"""Who is in a turn is known whatever becomes of the file that says so."""

from __future__ import annotations

import asyncio
import shutil
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from tests.waiting import PATIENCE

from lumen.core.errors import Busy
from lumen.hands.run import Limits
from lumen.hands.terms import Terms
from lumen.kernel import turns
from lumen.kernel.guard import Guard
from lumen.kernel.turns import in_turn, no_turn_meanwhile, nobody_in_turn

if TYPE_CHECKING:
    from tests.kernel.conftest import Life


def renamed(lock: Path) -> None:
    lock.rename(lock.with_name(".elsewhere"))


def replaced(lock: Path) -> None:
    shutil.copy(lock, lock.with_name(".copy"))
    lock.with_name(".copy").replace(lock)


@pytest.mark.parametrize("tamper", [renamed, replaced, Path.unlink])
def test_a_lock_that_was_moved_away_still_holds(
    life: Life, tamper: Callable[[Path], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(turns, "WAITS", 2)
    with in_turn(life.being):
        tamper(life.being.memory / ".turns")
        with nobody_in_turn(life.being) as alone:
            assert not alone
        with pytest.raises(Busy, match="a turn is under way"), no_turn_meanwhile(life.being):
            pass
    with no_turn_meanwhile(life.being):
        tamper(life.being.memory / ".turns")
        with nobody_in_turn(life.being) as alone:
            assert not alone
    with nobody_in_turn(life.being) as alone:
        assert alone


ASKS = f"""
import json, subprocess, sys
code = "import sys; from pathlib import Path; from lumen.core.data import Being\\n" \
    "from lumen.kernel.turns import nobody_in_turn\\n" \
    "with nobody_in_turn(Being(Path(sys.argv[1]))) as alone: print(alone)"
ran = subprocess.run([{sys.executable!r}, "-c", code, str(root)], capture_output=True, text=True)
print(json.dumps({{"ok": True, "output": ran.stdout.strip()}}))
"""


def test_whoever_a_skill_started_is_not_alone_though_nobody_is_in_a_turn(life: Life) -> None:
    life.skill("asks", ASKS)
    terms = Terms(Limits(seconds=PATIENCE), settings={"asks": {"isolation": "limits"}})
    guard = Guard(life.kernel.gate, terms, life.clock, "lumen:author")
    assert asyncio.run(guard.call("asks", "do", None)).output == "False"
    with nobody_in_turn(life.being) as alone:
        assert alone
