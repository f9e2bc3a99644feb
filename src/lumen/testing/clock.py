"""A clock for tests: time passes when it is turned, and chance repeats where that is wanted."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from lumen.core.chance import draw_from
from lumen.core.clock import SystemClock

BEGINS = datetime(2026, 1, 1, 9, 0, tzinfo=UTC)


@dataclass(slots=True)
class HandClock:
    """A clock turned by hand; each look moves it on by `step_ms`, so that no two moments are one.

    With a `seed` chance repeats too, ids and all: then two beings of one host must not share it, or
    they would be taken for one.
    """

    at: datetime = BEGINS
    step_ms: int = 1
    seed: int | None = None
    draws: int = 0

    def now(self) -> datetime:
        """The moment it is turned to, in UTC."""
        seen, self.at = self.at, self.at + timedelta(milliseconds=self.step_ms)
        return seen

    def turn(self, **ahead: float) -> datetime:
        """Let time pass, by the words of `timedelta`: days, hours, minutes; returns the new moment."""
        self.at += timedelta(**ahead)
        return self.at

    def entropy(self, size: int) -> bytes:
        """Bytes nobody can guess; with a seed, the same ones in every run."""
        if self.seed is None:
            return SystemClock().entropy(size)
        self.draws += 1
        return draw_from(f"{self.seed}/{self.draws}").randbytes(size)

    def tick(self) -> float:
        """Nothing takes any time here."""
        return 0.0
