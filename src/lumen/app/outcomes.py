"""What became of replies, by what the author said next: counts and means by kind of reply, and a trend."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean

from lumen.core.canon import JSON
from lumen.core.stores import Store
from lumen.kernel.contour.state import State
from lumen.kernel.language.outcomes import OUTCOMES

TREND = 32  # outcomes that the trend shows, the newest last
ALL = "all"


@dataclass(frozen=True, slots=True)
class OutcomeCounts:
    """What became of replies of one kind; `trend` is what the last of them counted, the newest last."""

    kind: str
    accepted: int
    praised: int
    ignored: int
    asked_again: int
    corrected: int
    prediction: float
    outcome: float
    trend: tuple[float, ...]


def outcomes_of(state: State) -> tuple[OutcomeCounts, ...]:
    """By kind of reply, the most frequent first, and all of them together at the end."""
    lines = state.lines(Store.OUTCOMES)
    kinds = [kind for kind, _ in Counter(str(one["kind"]) for one in lines).most_common()]
    found = [_counts(kind, [one for one in lines if one["kind"] == kind]) for kind in kinds]
    return (*found, _counts(ALL, lines)) if found else ()


def _counts(kind: str, lines: Sequence[Mapping[str, JSON]]) -> OutcomeCounts:
    came = Counter(str(one["outcome"]) for one in lines)
    values = [float(one["value"]) for one in lines]
    return OutcomeCounts(
        kind=kind,
        **{outcome: came[outcome] for outcome in OUTCOMES},
        prediction=round(fmean(float(one["prediction"]) for one in lines), 4),
        outcome=round(fmean(values), 4),
        trend=tuple(values[-TREND:]),
    )
