"""What a being begins with that a first chat makes: defaults, said to be so, and its author's to change."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from tests.kernel.conftest import BIRTH

from lumen.app.meeting import bear
from lumen.app.selves import add_item, drop_item, items_of, meaning, new_item, set_item
from lumen.core.data import BeingPaths
from lumen.core.errors import UsageError
from lumen.kernel.turn.run import adopt_edits
from lumen.soul.trust.keys import Keyring
from lumen.testing.clock import HandClock

if TYPE_CHECKING:
    from tests.kernel.conftest import Life

Open = Callable[[BeingPaths, Keyring, HandClock], "Life"]


@pytest.fixture
def begun(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, opened: Open) -> Life:
    """A being as a first chat makes it."""
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "share"))
    being, clock = BeingPaths(tmp_path / "being"), HandClock(BIRTH, step_ms=10, seed=1)
    bear(being, clock, with_defaults=True)
    life = opened(being, Keyring(tmp_path / "share" / "lumen"), clock)
    life.kernel.as_of = (-1, -1)
    adopt_edits(life.kernel)
    life.listen(small=True)
    return life


def test_it_holds_the_contours_values_contracts_and_invariants(begun: Life) -> None:
    index = begun.kernel.index
    assert [(v.name, v.weight) for v in items_of(index, "value")] == [
        ("coherence", 0.95),
        ("bond_loyalty", 0.95),
        ("autonomy", 0.9),
        ("curiosity", 0.85),
    ]
    contracts = items_of(index, "contract")
    assert [c.status for c in contracts] == ["style"] * 9 + ["invariant"] * 4
    assert all(meaning(c.name) for c in contracts)
    assert begun.kernel.self_.contracts == tuple(c.name for c in contracts)


def test_asked_what_it_values_it_says_since_when_and_that_these_are_defaults(begun: Life) -> None:
    told = begun.say("What do you value?").text
    assert told.startswith("What I hold dear: coherence (0.95), since Sunday 15 November")
    assert told.endswith(
        "I was born with them: they are defaults, and yours to change (lumen values)."
    )
    assert "it is a default" in begun.say("Why do you value curiosity?").text
    set_item(begun.kernel.gate, "value", "curiosity", 0.3)
    assert "With 3 of them I was born" in begun.say("What do you value?").text
    assert "по умолчанию" in begun.say("Что ты ценишь?").text


def test_an_empty_self_stays_empty(life: Life) -> None:
    assert items_of(life.kernel.index, "contract") == items_of(life.kernel.index, "value") == ()
    assert life.kernel.self_.keeps("anything")


def test_the_author_adds_and_drops_a_contract_and_the_next_turn_goes_by_it(begun: Life) -> None:
    gate = begun.kernel.gate
    add_item(gate, "contract", new_item("contract", "no_exclamation_marks"))
    drop_item(gate, "contract", "speak_plainly")
    begun.say("My brother sails.")
    held = begun.kernel.self_.contracts
    assert "no_exclamation_marks" in held
    assert "speak_plainly" not in held
    with pytest.raises(UsageError, match="there is a contract"):
        add_item(gate, "contract", new_item("contract", "no_exclamation_marks"))
    with pytest.raises(UsageError, match="there is no contract"):
        drop_item(gate, "contract", "speak_plainly")
