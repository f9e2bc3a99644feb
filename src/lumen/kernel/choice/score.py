"""B = M × A × P: what the being does, out of what it could do. Pure arithmetic, nothing else.

M is how much its values and the goal want an action, A whether it can, P how strongly it was
prompted. How a thing is said, once it is decided to say it, is a matter of Λ and not of this.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from lumen.core.exposure import Plain


@dataclass(frozen=True, slots=True)
class Law:
    """The numbers of B = M × A × P."""

    neutral: float = 0.5  # the mean of no values: an empty self still answers
    least: float = 0.2  # below this motivation an action is skipped
    halves: int = 3  # tries without progress after which a goal prompts half as strongly
    faint: float = 0.1  # a goal that prompts less is left to reflection
    tie: float = 1e-9
    success: float = 0.7  # of a surprise: whether it succeeded against how likely that was
    wording: float = 0.3  # and how far the outcome's words lie from the predicted ones


LAW = Law()


@dataclass(frozen=True, slots=True)
class Behaviour:
    """A candidate's score, and what it is made of."""

    motivation: Plain[float]
    ability: Plain[float]
    prompt: Plain[float]
    total: Plain[float]


def motivation(values: Sequence[float], goal: float | None) -> float:
    """The mean of the aligned values' weights, times the goal's; 1.0 when there is no goal."""
    mean = sum(values) / len(values) if values else LAW.neutral
    return mean * (1.0 if goal is None else goal)


def prompt(tries: int = 0) -> float:
    """1 for what was asked directly; a goal that resurfaces halves with every few vain tries."""
    return float(2.0 ** (-tries / LAW.halves))


def behaviour(
    values: Sequence[float],
    goal: float | None,
    *,
    able: bool,
    tries: int = 0,
    prompted: float = 1.0,
) -> Behaviour:
    """The score of one candidate; `prompted` is how strongly a message calls for it."""
    m, a, p = motivation(values, goal), 1.0 if able else 0.0, prompted * prompt(tries)
    return Behaviour(m, a, p, m * a * p)


def best(scores: Sequence[Behaviour]) -> tuple[int, ...]:
    """Which candidates score highest; several when they tie, none when none may be taken."""
    open_ = [i for i, s in enumerate(scores) if s.motivation >= LAW.least and s.ability]
    if not open_:
        return ()
    top = max(scores[i].total for i in open_)
    return tuple(i for i in open_ if scores[i].total >= top - LAW.tie)


def gap(scores: Sequence[Behaviour]) -> int | None:
    """The candidate that is wanted most and cannot be done; nothing when what is wanted can be."""
    wanted = [i for i, s in enumerate(scores) if s.motivation >= LAW.least]
    if not wanted:
        return None
    most = max(scores[i].motivation for i in wanted)
    first = [i for i in wanted if scores[i].motivation >= most - LAW.tie]
    return None if any(scores[i].ability for i in first) else first[0]


def choice(scores: Sequence[Behaviour], allowed: Sequence[bool]) -> tuple[int, ...]:
    """What may be done now: the best of all, where it is allowed; nothing when a gap comes first."""
    if gap(scores) is not None:
        return ()
    return tuple(i for i in best(scores) if allowed[i])


def expected(successes: int, failures: int) -> float:
    """How likely an action succeeds, by what came of it before."""
    return (successes + 1) / (successes + failures + 2)


def delta(*, ok: bool, likely: float, distance: float) -> float:
    """How far the outcome was from the prediction, signed: below 0 is worse than foreseen.

    `distance` is how far the outcome's words lie from the predicted ones (0: the same, 1:
    unrelated).
    """
    side = 1.0 if ok else -1.0
    far = max(0.0, min(1.0, distance))
    surprise = (1.0 if ok else 0.0) - likely
    return round(LAW.success * surprise + LAW.wording * side * far, 4)


def replayed(
    decisions: Sequence[Decision], weights: Mapping[str, float]
) -> tuple[int, tuple[int, ...]]:
    """How many past choices would have gone otherwise under other weights, and which."""
    changed = []
    for past in decisions:
        scores = [
            behaviour(
                [weights[v] for v in c.values if v in weights],
                c.goal,
                able=c.able,
                tries=c.tries,
                prompted=c.prompted,
            )
            for c in past.options
        ]
        top = choice(scores, [c.allowed for c in past.options])
        if past.chosen not in (top or (-1,)):
            changed.append(past.event)
    return len(changed), tuple(changed)


@dataclass(frozen=True, slots=True)
class Option:
    """What a candidate's score rested on, as the archive has it."""

    values: tuple[str, ...]
    goal: float | None
    able: bool
    tries: int
    allowed: bool = True  # unasked
    prompted: float = 1.0


@dataclass(frozen=True, slots=True)
class Decision:
    """A past choice among candidates; `chosen` is -1 when nothing was done."""

    event: int
    options: tuple[Option, ...]
    chosen: int
