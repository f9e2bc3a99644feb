"""When a step runs and with which numbers: the same few rules for every step, typed.

Where the values come from is in contour/read.py; the runner applies them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

DEPTHS = ("talk", "work", "deep")  # how much a turn thinks; a turn begins with the first


@dataclass(frozen=True, slots=True)
class Parameters:
    """Thresholds and weights of a step's judgement; a subclass names them, skai.json gives them."""


@dataclass(frozen=True, slots=True)
class Condition:
    """A field of an earlier step's slot, and what it must be: one of these, or at least so much."""

    step: str
    field: str
    among: tuple[object, ...] = ()
    at_least: float | None = None

    def holds(self, slot: object) -> bool:
        """Whether a slot is as it must be."""
        value = getattr(slot, self.field)
        return value >= self.at_least if self.at_least is not None else value in self.among


@dataclass(frozen=True, slots=True)
class Policy:
    """When a step runs; what it may not do this turn is archived as skipped, with the reason."""

    enabled: bool = True
    depths: tuple[str, ...] = DEPTHS
    cooldown_turns: int = 0  # turns it rests after one in which it ran
    every_n_turns: int = 1
    max_per_turn: int | None = None  # changes it may propose; nothing: as many as it likes
    only_if: tuple[Condition, ...] = ()

    @property
    def counts_turns(self) -> bool:
        """Whether it has to be known in which turn the step ran last."""
        return self.cooldown_turns > 0 or self.every_n_turns > 1

    def rules_out(
        self, depth: str, turn: int, last: int | None, slots: Mapping[str, object]
    ) -> str:
        """Why the step may not run now; empty when it may.

        `turn` is this turn's number, `last` that of the one in which the step ran last, `slots`
        what earlier steps wrote, by the step's name.
        """
        if not self.enabled:
            return "not enabled"
        if depth not in self.depths:
            return f"depth {depth}"
        if turn % self.every_n_turns:
            return f"every {self.every_n_turns} turns: this is turn {turn}"
        ago = turn - last if last is not None else 0
        if 0 < ago <= self.cooldown_turns:
            return f"cooldown: ran {ago} turn{'' if ago == 1 else 's'} ago"
        unmet = (c for c in self.only_if if not c.holds(slots[c.step]))
        return next((f"only_if {c.step}.{c.field}" for c in unmet), "")
