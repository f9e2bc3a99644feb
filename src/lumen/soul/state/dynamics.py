"""How weights move: up with use, down with time. Whole millionths, the same on every machine."""

from __future__ import annotations

from decimal import Decimal
from functools import lru_cache

from lumen.soul.state.records import WHOLE


def strengthened(weight: int, by: int) -> int:
    """A memory that was of use weighs more, up to the whole."""
    return min(WHOLE, weight + by)


@lru_cache(maxsize=4096)
def _left(days: int, half_life: int) -> int:
    """What is left of 10¹² after some days; decimal, because floats differ between machines."""
    return int(Decimal(2) ** (Decimal(-days) / Decimal(half_life)) * 10**12)


def faded(weight: int, days: int, half_life: int) -> int:
    """What is left of a weight after some days without use; never below nothing."""
    return weight * _left(days, half_life) // 10**12
