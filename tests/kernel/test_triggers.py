"""When to reflect: each trigger below, at and above its threshold, and what a trigger may see."""

from __future__ import annotations

from dataclasses import fields
from typing import TYPE_CHECKING, get_type_hints

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lumen.app.settings import must_be
from lumen.app.wiring import thresholds_of
from lumen.core.errors import BadSetting
from lumen.kernel.reflection.triggers import TRIGGERS, Cycle, Fired, Thresholds, fired

if TYPE_CHECKING:
    from tests.kernel.conftest import Life

LIMITS = Thresholds(delta=0.4, tension=0.6, stale_cycles=3, every_cycles=7)
CALM = Cycle(delta=0.4, conflicts=(("a", "b", 0.59),), since=6)


def names(cycle: Cycle, limits: Thresholds = LIMITS) -> list[str]:
    return [f.name for f in fired(cycle, limits)]


@pytest.mark.parametrize(
    ("cycle", "found"),
    [
        (Cycle(delta=0.39), []),
        (Cycle(delta=0.4), []),  # exceeds, and not merely reaches
        (Cycle(delta=0.41), ["surprise"]),
        (Cycle(delta=-0.41), ["surprise"]),
        (Cycle(delta=-0.4), []),
        (Cycle(conflicts=(("calm", "play", 0.59),)), []),
        (Cycle(conflicts=(("calm", "play", 0.6),)), ["tension"]),
        (Cycle(conflicts=(("calm", "play", 0.61),)), ["tension"]),
        (Cycle(completed=("sing",)), ["goal"]),
        (Cycle(stale=("sing",)), ["goal"]),
        (Cycle(since=6), []),
        (Cycle(since=7), ["periodic"]),
        (Cycle(since=8), ["periodic"]),
        (Cycle(asked=True), ["request"]),
        (Cycle(), []),
        (CALM, []),
    ],
)
def test_a_trigger_fires_from_its_threshold_on(cycle: Cycle, found: list[str]) -> None:
    assert names(cycle) == found


def test_all_that_fire_are_told_in_their_order_each_with_its_reason() -> None:
    cycle = Cycle(0.9, (("calm", "play", 0.7), ("a", "b", 0.1)), ("sing",), ("swim",), 7, True)
    assert fired(cycle, LIMITS) == (
        Fired("surprise", "an outcome was +0.90 off its prediction"),
        Fired("tension", "calm and play pulled apart"),
        Fired("goal", "'sing' was reached, 'swim' does not get on"),
        Fired("periodic", "7 cycles since the last reflection"),
        Fired("request", "the author asked for it"),
    )
    assert [name for name, _ in TRIGGERS] == names(cycle)


def test_of_a_thousand_goals_three_are_named() -> None:
    (only,) = fired(Cycle(stale=tuple(f"goal {n}" for n in range(1000))), LIMITS)
    assert only.why.endswith("'goal 2' does not get on and 997 more")
    assert len(only.why) < 120


def test_none_of_the_cycles_is_periodic_when_the_author_wants_none() -> None:
    assert names(Cycle(since=10**6), Thresholds(every_cycles=0)) == []


@given(st.floats(0, 1), st.floats(-1, 1), st.integers(1, 50), st.integers(0, 100))
def test_surprise_and_period_are_plain_comparisons(
    limit: float, off: float, every: int, since: int
) -> None:
    limits = Thresholds(delta=limit, every_cycles=every)
    expected = [("surprise", abs(off) > limit), ("periodic", since >= every)]
    assert names(Cycle(delta=off, since=since), limits) == [n for n, holds in expected if holds]


def test_only_numbers_and_names_go_in() -> None:
    hints = get_type_hints(Cycle)
    assert {f.name: str(hints[f.name]) for f in fields(Cycle)} == {
        "delta": "<class 'float'>",
        "conflicts": "tuple[tuple[str, str, float], ...]",
        "completed": "tuple[str, ...]",
        "stale": "tuple[str, ...]",
        "since": "<class 'int'>",
        "asked": "<class 'bool'>",
    }


def test_the_thresholds_are_the_authors_to_set(life: Life) -> None:
    assert thresholds_of(must_be(life.being)) == Thresholds()
    settings = life.being.settings
    own = settings.read_text("utf-8")
    for line, mine in (
        ("delta = 0.6", "delta = 0.25"),
        ("tension = 0.5", "tension = 0.9"),
        ("stale_cycles = 50", "stale_cycles = 4"),
        ("every_cycles = 25", "every_cycles = 0"),
    ):
        assert line in own
        own = own.replace(line, mine)
    settings.write_text(own, "utf-8")
    assert thresholds_of(must_be(life.being)) == Thresholds(0.25, 0.9, 4, 0)
    settings.write_text(own.replace("tension = 0.9", "patience = 3"), "utf-8")
    with pytest.raises(BadSetting, match=r"nobody knows \[reflection\] patience"):
        must_be(life.being)
