"""How the drafts score, on every axis, each text that competes for itself."""

from __future__ import annotations

from dataclasses import dataclass

from lumen.core.clock import Now
from lumen.core.exposure import Plain
from lumen.kernel.contour.slots import Draft, Self, Slot
from lumen.kernel.contour.step import Skip, step
from lumen.kernel.recall.evidence import Recall
from lumen.kernel.steps.p1_perceive import Grounding, Intake
from lumen.kernel.steps.p3_deliberate.axes import Axes, AxisWeights, axes
from lumen.kernel.steps.p3_deliberate.counterfactual_probe import Counterfactual
from lumen.kernel.steps.p3_deliberate.drafts import Drafts
from lumen.kernel.steps.p3_deliberate.integration_fuser import Frame
from lumen.kernel.steps.p3_deliberate.truth import (
    BUILT,
    GroundLimits,
    believed,
    ground_of,
    read_draft,
)


@dataclass(frozen=True, slots=True)
class Metrics(Slot):
    """A score for each text that competes: the drafts in their order, and behind them the probe's."""

    scores: Plain[tuple[Axes, ...]] = ()
    believed: Plain[tuple[bool, ...]] = ()  # the others speak only where none of these is there
    scored: tuple[Draft, ...] = ()


@step()
async def metrics_engine(
    frame: Frame,
    drafts: Drafts,
    probe: Counterfactual,
    self_: Self,
    now: Now,
    recall: Recall,
    weights: AxisWeights,
    grounding: Grounding,
    intake: Intake,
) -> Metrics:
    """Score every draft in code on sixteen axes: twelve speak for it, four against."""
    if not drafts.drafts:
        raise Skip("there is nothing to score")
    every = (*drafts.drafts, *probe.drafts)
    limits = GroundLimits(grounding.facts, intake.excerpt)
    ground = ground_of(frame, self_, now, limits, trusted=drafts.trusted)
    measured = tuple(d.text for d in every if d.kind not in BUILT)  # the kernel's own are not
    near = (
        dict(zip(measured, recall.likeness(measured, ground.message), strict=True))
        if measured
        else {}
    )
    fits = [1.0] * len(drafts.drafts) + [a.fits for a in probe.alternatives]
    readings = [
        read_draft(d, ground, near.get(d.text, 0.0), fit)
        for d, fit in zip(every, fits, strict=True)
    ]
    scores = tuple(axes(read, ground, weights) for read in readings)
    truths = [score.truthfulness for score in scores]
    may_speak = believed(readings, truths, ground, weights.believable)
    return Metrics(scores=scores, believed=may_speak, scored=every)
