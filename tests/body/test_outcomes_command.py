"""`lumen outcomes`: what became of its replies, as a table that lines up and as JSON."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lumen.body.cli.outcomes import trend_line
from lumen.core.canon import loads

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.body.conftest import Lumen, Ran

    Inside = Callable[..., Ran]


def test_what_became_of_replies_is_a_table_that_lines_up(talked: Lumen, inside: Inside) -> None:
    inside("chat", "-m", "That's wrong.")
    inside("chat", "-m", "ok thanks")
    told = loads(inside("outcomes", "--json").out)
    assert told[-1]["kind"] == "all"
    assert told[-1]["corrected"] >= 1
    assert told[-1]["accepted"] >= 1
    many = sum(told[-1][k] for k in ("accepted", "praised", "ignored", "asked_again", "corrected"))
    assert len(told[-1]["trend"]) == many
    shown = inside("outcomes").out.splitlines()
    at = shown[0].index("trend")
    assert all(line[at - 1] == " " and line[at] in "▁▂▃▄▅▆▇█" for line in shown[1:])
    traced = inside("trace").out
    assert "the reply to event" in traced
    assert "was accepted; predicted" in traced


def test_before_anything_was_closed_it_says_so(lumen: Lumen, inside: Inside) -> None:
    assert "No reply was closed yet" in inside("outcomes").out
    assert loads(inside("outcomes", "--json").out) == []


def test_a_trend_is_a_block_for_each_outcome() -> None:
    assert trend_line((0.0, 0.5, 1.0)) == "▁▅█"
