"""How much of a large space a run tries: some of it by default, all of it with `--deep`.

What is tried is drawn by `--seed` and the test's own name, so the same seed tries the same again,
in whatever order and on however many workers the tests run.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path
from typing import Any, TypeVar

import pytest
from hypothesis import HealthCheck, core, settings

from lumen.core.chance import draw_from

T = TypeVar("T")
USUAL_EXAMPLES = 50
DEEP_EXAMPLES = 500
COSTLY = Path(__file__).with_name(
    "costly.txt"
)  # how many examples of each are tried, 0: with --deep only
ASTRAY = 3  # places that a state may be found from where it belongs


@dataclass(frozen=True, slots=True)
class Sampled:
    """What one test may draw from."""

    name: str
    seed: int
    deep: bool

    def of(self, every: Sequence[T], few: int) -> list[T]:
        """All of them with --deep; else the first, the last and `few` between, in their order."""
        between = range(1, len(every) - 1)
        if self.deep or few >= len(between):
            return list(every)
        drawn = draw_from(f"{self.seed}:{self.name}").sample(between, few)
        print(f"{len(drawn) + 2} of {len(every)} tried, drawn by --seed {self.seed}")  # noqa: T201
        return [every[at] for at in (0, *sorted(drawn), len(every) - 1)]

    def drawn(self, every: Sequence[T], few: int) -> list[T]:
        """So many of them, in their order; all with --deep."""
        if self.deep or few >= len(every):
            return list(every)
        found = draw_from(f"{self.seed}:{self.name}").sample(range(len(every)), few)
        return [every[at] for at in sorted(found)]

    def rounds(self, few: int, many: int) -> int:
        """How often to do what differs each time; a test that fails shows the seed."""
        often = many if self.deep else few
        print(f"{often} rounds, drawn by --seed {self.seed}")  # noqa: T201
        return often


def costly() -> dict[str, int]:
    """How many examples of each costly test are tried without --deep; 0: none of them."""
    lines = COSTLY.read_text(encoding="utf-8").splitlines()
    return {test: int(few) for few, test in (line.split() for line in lines)}


def left_out(items: Sequence[pytest.Item], seed: int) -> list[pytest.Item]:
    """The tests that only --deep has the time for: those marked so, and most examples of costly ones."""
    by_test: dict[str, list[pytest.Item]] = defaultdict(list)
    for item in items:
        by_test[item.nodeid.partition("[")[0]].append(item)
    few = costly()
    tried = {
        item
        for test, examples in by_test.items()
        for item in Sampled(test, seed, deep=False).drawn(examples, few.get(test, len(examples)))
        if not item.get_closest_marker("deep")
    }
    return [item for item in items if item not in tried]


def set_examples(seed: int, *, deep: bool) -> None:
    """Tell hypothesis what to draw; none of it is judged by how long it took.

    Without a seed of its own each test has the same examples every time: a red test stays red.
    """
    settings.register_profile(
        "lumen",
        derandomize=not seed,
        deadline=None,
        database=None,
        max_examples=DEEP_EXAMPLES if deep else USUAL_EXAMPLES,
        suppress_health_check=[HealthCheck.too_slow],  # which goes by the clock
    )
    settings.load_profile("lumen")
    if seed:
        core.global_force_seed = seed  # type: ignore[assignment] # what its own option sets


def examples(few: int) -> int:
    """A test's own number of examples, and so much more of them with --deep."""
    assert settings.default is not None
    return few * settings.default.max_examples // USUAL_EXAMPLES


def passed_through(found: list[Any], states: set[Any], sampled: Sampled) -> bool:
    """Whether these states came one after the other, each of them if every call was tried.

    A busy machine makes a call more or less than was counted, so neighbours may change places.
    """
    seen = {*found}
    in_order = all(one <= other for one, other in zip(found, found[ASTRAY:], strict=False))
    assert in_order, f"out of order: {[(state, len([*run])) for state, run in groupby(found)]}"
    assert seen <= states, f"never meant to be: {seen - states}"
    return seen == states or not sampled.deep
