"""What is private stays out of what the loops propose, even where the model is on this machine."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.kernel.living import give, pursue, reflect, strong, thought

from lumen.core.data import SelfItem

if TYPE_CHECKING:
    from tests.kernel.conftest import Life

QUIETLY = "My friend Marcus moved to Lisbon and works in a clinic there."
OPEN = "The tram in Lisbon is always full."


def test_a_model_that_thinks_up_actions_is_shown_nothing_private(life: Life) -> None:
    life.script({"when": ".", "fail": "asleep"})
    life.say(QUIETLY, private=True)
    life.say(OPEN)
    oracle = strong(life, Thoughts={"candidates": [thought("search")]})
    give(life, goals=[SelfItem("travel notes about Lisbon", 0.9, "working")])
    pursue(life)
    assert "tram" in oracle.shown()
    assert "Marcus" not in oracle.shown()


def test_a_model_that_reflects_is_shown_nothing_private(life: Life) -> None:
    life.script({"when": ".", "fail": "asleep"})
    life.say(QUIETLY, private=True)
    life.say(OPEN)
    oracle = strong(life, Proposals={"proposals": []})
    reflect(life)
    assert "tram" in oracle.shown()
    assert "Marcus" not in oracle.shown()
