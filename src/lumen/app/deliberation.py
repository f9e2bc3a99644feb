"""Why these words: the drafts of a traced turn on every axis, and what the winner had over the next one.

Made of the numbers in the archive when somebody asks; no sentence of it is kept.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from lumen.core.canon import JSON
from lumen.kernel.steps.p3_deliberate.axes import AXES, PENALTIES, SYMBOLS, AxisWeights
from lumen.kernel.turn.loops import parameters

COLUMNS: Mapping[str, str] = SYMBOLS  # the axes, and what each is called in a table
TOLD = 3  # axes that are named in a reason


@dataclass(frozen=True, slots=True)
class ScoredDraft:
    """A draft as the archive has it: what kind, how long, how it scored, and whether it was said."""

    kind: str
    characters: int
    cut: int
    scores: Mapping[str, float]
    total: float
    unsupported: int
    said: bool


@dataclass(frozen=True, slots=True)
class Deliberation:
    """The drafts of a turn, best first, and why the first of them was said."""

    drafts: tuple[ScoredDraft, ...]
    reasons: tuple[str, ...]


def deliberation(payloads: Iterable[Mapping[str, JSON]]) -> Deliberation | None:
    """The deliberation in a turn's traces; nothing where none of its steps scored a draft."""
    told = {s["step"]: s.get("wrote", {}) for p in payloads for s in p.get("steps", ())}
    scores = told.get("metrics_engine", {}).get("scores", [])
    texts = [
        *told.get("drafts", {}).get("drafts", []),
        *told.get("counterfactual_probe", {}).get("drafts", []),
    ]
    if not scores or len(scores) != len(texts) or "integration" not in scores[0]:
        return None  # older traces have five axes, and no frame
    said = told.get("lambda_select", {}).get("draft", {})
    every = [_scored(text, score, text == said) for text, score in zip(texts, scores, strict=True)]
    ranked = tuple(sorted(every, key=lambda one: (not one.said, -one.total)))
    return Deliberation(ranked, tuple(_reasons(ranked, told)))


def _scored(text: Mapping[str, JSON], score: Mapping[str, JSON], said: bool) -> ScoredDraft:
    return ScoredDraft(
        kind=str(text.get("kind", "")),
        characters=int(text.get("characters", 0)),
        cut=int(text.get("cut", 0)),
        scores={name: float(score.get(name, 0.0)) for name in AXES},
        total=float(score.get("total", 0.0)),
        unsupported=int(score.get("unsupported", 0)),
        said=said,
    )


def _reasons(ranked: tuple[ScoredDraft, ...], told: Mapping[str, JSON]) -> Iterable[str]:
    won, *behind = ranked
    if behind:
        yield f"chosen over the {behind[0].kind} draft by {', '.join(lead(won, behind[0])) or 'its order'}"
    for other in behind:
        if other.unsupported:
            many = "a sentence" if other.unsupported == 1 else f"{other.unsupported} sentences"
            yield f"the {other.kind} draft says {many} about you that nothing supports"
    for one in ranked:
        if one.cut:
            many = "a sentence" if one.cut == 1 else f"{one.cut} sentences"
            yield f"{many} of the {one.kind} draft went, as nothing supports that"
    settled = told.get("inner_dialogue", {})
    if settled.get("verdict"):
        yield f"inner dialogue: {settled['verdict']}, as {settled['because']}"


def lead(won: ScoredDraft, other: ScoredDraft) -> list[str]:
    """The axes on which one draft is furthest ahead of another, each with both figures."""
    weights = parameters(AxisWeights)

    def ahead(name: str) -> float:
        sign = -1 if name in PENALTIES else 1
        return sign * float(getattr(weights, name)) * (won.scores[name] - other.scores[name])

    best = sorted(AXES, key=ahead, reverse=True)[:TOLD]
    return [
        f"{SYMBOLS[n]} {won.scores[n]:.2f} against {other.scores[n]:.2f}"
        for n in best
        if ahead(n) > 0
    ]


def rationale(axis: str, score: float) -> str:
    """What a figure on an axis says, in words."""
    name, meaning = SYMBOLS[axis], (AXES[axis].__doc__ or "").partition(": ")[2].rstrip(".")
    return f"{name} {score:.2f}: {meaning}"
