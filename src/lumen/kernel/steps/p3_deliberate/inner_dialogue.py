"""The winner against the runner-up, should something else be meant: kept, swapped, qualified, or asked back."""

from __future__ import annotations

from dataclasses import dataclass, fields, replace

from lumen.core.exposure import Plain
from lumen.kernel.choice.score import Behaviour
from lumen.kernel.contour.policy import Parameters
from lumen.kernel.contour.slots import Draft
from lumen.kernel.contour.step import Skip, step
from lumen.kernel.language.claims import KnownWords, read_reply
from lumen.kernel.language.lexicon import lexicon
from lumen.kernel.steps.p3_deliberate.axes import Axes, AxisWeights
from lumen.kernel.steps.p3_deliberate.counterfactual_probe import Alternative, Counterfactual
from lumen.kernel.steps.p3_deliberate.integration_fuser import Frame
from lumen.kernel.steps.p3_deliberate.lambda_select import NO_DRAFT, Selection, ranked
from lumen.kernel.steps.p3_deliberate.metrics_engine import Metrics
from lumen.kernel.steps.p3_deliberate.truth import BUILT


@dataclass(frozen=True, slots=True)
class Arguing(Parameters):
    """When another text takes the winner's place, a clause is added, or the author is asked."""

    swap: float  # how much more the other must come to, over both readings
    ask: float  # how likely the second reason must be beside the first
    doubtful: float  # a model's draft of so much truth
    sure: float  # and of less than this is qualified


@dataclass(frozen=True, slots=True)
class Settled(Selection):
    """The selection as it is said: it stands in for what lambda_select chose, which is archived there."""

    scores: tuple[Behaviour, ...] = ()
    chosen: int = -1
    why: str = ""
    conflicts: tuple[tuple[str, str], ...] = ()
    allowed: tuple[bool, ...] = ()
    held: str = ""
    tie: str = ""
    draft: Draft = NO_DRAFT
    total: float = 0.0
    notes: str = ""
    verdict: Plain[str] = ""  # keep, swap, qualify or ask
    because: Plain[str] = ""
    winner: Plain[float] = 0.0  # Λ over both readings
    runner_up: Plain[float] = 0.0

    def said(self) -> str:
        """What came of it, where that changed something."""
        return "" if self.verdict == "keep" else f"{self.verdict}: {self.because}"


@dataclass(frozen=True, slots=True)
class Argued:
    """What the dialogue came to."""

    verdict: str
    because: str
    draft: Draft
    winner: float = 0.0
    runner_up: float = 0.0


@step()
async def inner_dialogue(
    frame: Frame,
    probe: Counterfactual,
    metrics: Metrics,
    selection: Selection,
    weights: AxisWeights,
    arguing: Arguing,
) -> Settled:
    """Put the winner against the runner-up under the second reading; swap, qualify or ask where that is better."""
    if selection.draft is NO_DRAFT or len(metrics.scores) < 1 or selection.chosen < 0:
        raise Skip("nothing was drafted")
    if settles(selection.draft, frame):
        raise Skip("what is known settles it")
    argued = argue(frame, probe, metrics, weights, arguing)
    if argued.verdict == "keep" and not argued.runner_up:
        raise Skip(argued.because)
    kept = {f.name: getattr(selection, f.name) for f in fields(Selection)}
    kept |= {"draft": argued.draft, "changes": ()}
    return Settled(
        **kept,
        verdict=argued.verdict,
        because=argued.because,
        winner=argued.winner,
        runner_up=argued.runner_up,
    )


def settles(draft: Draft, frame: Frame) -> bool:
    """Whether a draft says plainly what was told, or that it was not: that is never turned into a question."""
    surface, reality = frame.context.surface, frame.context.reality
    if draft.kind not in BUILT:
        return False
    told = bool(draft.sources or reality.told) and reality.verdict == "strong"
    return told or (surface.modality == "question" and surface.personal)


def argue(
    frame: Frame, probe: Counterfactual, metrics: Metrics, weights: AxisWeights, arguing: Arguing
) -> Argued:
    """What comes of the winner and the runner-up, weighed by how likely each reading is."""
    (won, score), *behind = ranked(metrics)
    readings = dict(zip(probe.drafts, probe.alternatives, strict=True))
    if not behind or not frame.others:
        doubt = "nothing stands against it" if not behind else "it can hardly be meant otherwise"
        return _qualified(won, score, frame, arguing, doubt)
    other, others = behind[0]
    second = frame.others[0]
    first = frame.likeliest / (frame.likeliest + second.score)
    mine = over_both(score, readings.get(won), second.intent, first, weights)
    theirs = over_both(others, readings.get(other), second.intent, first, weights)
    believed = dict(zip(metrics.scored, metrics.believed, strict=True))
    reading = readings.get(other)
    asks_only = reading is not None and reading.speech == "ask back"  # beside an answer, not for it
    if theirs >= mine + arguing.swap and believed[other] and not asks_only:
        because = f"it may be meant to {second.intent}, and then the {other.kind} draft is better"
        return Argued("swap", because, other, mine, theirs)
    if (asks := _asks(won, frame, probe)) and second.score >= arguing.ask * frame.likeliest:
        because = f"it may as well be meant to {second.intent}, and nothing is known either way"
        return Argued("ask", because, asks, mine, theirs)
    kept = _qualified(won, score, frame, arguing, f"it holds if meant to {second.intent} too")
    return replace(kept, winner=mine, runner_up=theirs)


def over_both(
    score: Axes, reading: Alternative | None, second: str, first: float, weights: AxisWeights
) -> float:
    """Λ of a text over the two likeliest readings: what fits one of them fits the other less."""
    bound = weights.precision * score.precision + weights.integration * score.integration
    if reading is None or reading.fits <= 0 or reading.intent != second:
        return score.total
    whole = bound / reading.fits  # what it would come to were that what is meant
    return first * score.total + (1 - first) * (score.total + whole - bound)


def _asks(won: Draft, frame: Frame, probe: Counterfactual) -> Draft | None:
    """The question that the probe has, where the winner knows nothing and asks nothing itself."""
    said = {s.speech for s in read_reply(won.text, KnownWords(frame.context.message))}
    if won.sources or "unknowing" not in said or "question" in said:
        return None
    every = zip(probe.drafts, probe.alternatives, strict=True)
    question = next((d for d, a in every if a.speech == "ask back"), None)
    return replace(won, text=f"{won.text} {question.text}") if question else None


def _qualified(won: Draft, score: Axes, frame: Frame, arguing: Arguing, doubt: str) -> Argued:
    """The winner, with a clause where a model says more of the author than is certain."""
    if won.kind != "model" or not arguing.doubtful <= score.truthfulness < arguing.sure:
        return Argued("keep", doubt, won)
    clause = lexicon().phrase("qualified", frame.context.surface.language)
    because = f"not all of it is supported (T {score.truthfulness:.2f})"
    return Argued("qualify", because, replace(won, text=f"{won.text} {clause}"), 0.0, 0.0)
