"""When to reflect: five questions asked after every cycle, each answered by arithmetic.

Thresholds are the author's. Whoever reflects is told which of them fired, and why.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

NAMED = 3  # goals that are named; of the others it is said how many they are


@dataclass(frozen=True, slots=True)
class Thresholds:
    """From where on something is worth a second look; the author's to set."""

    delta: float = 0.6
    tension: float = 0.5  # what each of two values in conflict must weigh
    stale_cycles: int = 50  # turns of a conversation count too
    every_cycles: int = 25


@dataclass(frozen=True, slots=True)
class Cycle:
    """What a trigger may look at: numbers and names, no text that anyone spoke."""

    delta: float = 0.0
    # pairs of values the action set against each other, and what the lighter of the two weighs
    conflicts: tuple[tuple[str, str, float], ...] = ()
    completed: tuple[str, ...] = ()
    stale: tuple[str, ...] = ()  # goals that did not get on for longer than they may
    since: int = 0  # action cycles since the last reflection
    asked: bool = False


@dataclass(frozen=True, slots=True)
class Fired:
    """A trigger, and what set it off."""

    name: str
    why: str


def surprised(cycle: Cycle, limits: Thresholds) -> str:
    """The world was not as predicted."""
    far = abs(cycle.delta) > limits.delta
    return f"an outcome was {cycle.delta:+.2f} off its prediction" if far else ""


def torn(cycle: Cycle, limits: Thresholds) -> str:
    """An action spoke for one value and against another, and both weigh something."""
    pairs = ", ".join(f"{a} and {b}" for a, b, w in cycle.conflicts if w >= limits.tension)
    return f"{pairs} pulled apart" if pairs else ""


def goals_moved(cycle: Cycle, _limits: Thresholds) -> str:
    """A goal was reached, or does not get on."""
    said = [f"{name!r} was reached" for name in cycle.completed]
    said += [f"{name!r} does not get on" for name in cycle.stale]
    more = len(said) - NAMED
    return ", ".join(said[:NAMED]) + (f" and {more} more" if more > 0 else "")


def periodic(cycle: Cycle, limits: Thresholds) -> str:
    """It has been a while."""
    due = bool(limits.every_cycles) and cycle.since >= limits.every_cycles
    return f"{cycle.since} cycles since the last reflection" if due else ""


def requested(cycle: Cycle, _limits: Thresholds) -> str:
    """Somebody asked for it."""
    return "the author asked for it" if cycle.asked else ""


TRIGGERS: tuple[tuple[str, Callable[[Cycle, Thresholds], str]], ...] = (
    ("surprise", surprised),
    ("tension", torn),
    ("goal", goals_moved),
    ("periodic", periodic),
    ("request", requested),
)


def fired(cycle: Cycle, limits: Thresholds) -> tuple[Fired, ...]:
    """Every trigger that fires, in their order."""
    found = ((name, ask(cycle, limits)) for name, ask in TRIGGERS)
    return tuple(Fired(name, why) for name, why in found if why)
