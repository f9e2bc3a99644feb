"""Chance as a thing that is passed in: a replay draws the same numbers again."""

from __future__ import annotations

import random

Draw = random.Random


def draw_from(seed: str) -> Draw:
    """Chance that can be drawn again: seeded by the turn's own id."""
    return random.Random(seed)
