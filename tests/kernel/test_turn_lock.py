"""Who is in a turn is known whatever becomes of the file that says so."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from lumen.core.errors import Busy
from lumen.kernel import turns
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
