"""Calls of models, and what they come to."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class ModelCall:
    """A call to a model: announced before it was made, told of when it was over, or both.

    Tokens are what it is taken to have used, `None` while that is not known; the announcement's
    count then stands for them. Money is in millionths of a dollar; `None`: nobody knows the price.
    """

    at: int
    id: str
    moment: str
    role: str
    step: str
    model: str
    local: bool
    set_aside: int
    escalated: bool
    outcome: str = ""
    tokens: int | None = None
    prompt: int | None = None
    completion: int | None = None
    cached: int = 0
    ms: int = 0
    micros: int | None = None


@dataclass(frozen=True, slots=True)
class Spent:
    """What some calls come to. `unpriced` are those whose price nobody knows."""

    calls: int = 0
    tokens: int = 0
    micros: int = 0
    unpriced: int = 0

    def __add__(self, other: Spent) -> Spent:
        """Both together."""
        return Spent(
            self.calls + other.calls,
            self.tokens + other.tokens,
            self.micros + other.micros,
            self.unpriced + other.unpriced,
        )
