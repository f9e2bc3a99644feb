"""How the drafts score. The axes that need more than words and recall come with their steps."""

from __future__ import annotations

from dataclasses import dataclass

from lumen.core.data import Author
from lumen.core.exposure import Plain
from lumen.kernel.choice.small_models import asks_for_fiction
from lumen.kernel.contour.slots import Self, Slot
from lumen.kernel.contour.step import Skip, step
from lumen.kernel.recall.evidence import Recall
from lumen.kernel.steps.p1_perceive import Grounding, Ingested, Intake, Reality, Surface, whole
from lumen.kernel.steps.p2_orient import Mode
from lumen.kernel.steps.p3_deliberate.axes import Axes, AxisWeights, Ground, axes
from lumen.kernel.steps.p3_deliberate.drafts import Drafts


@dataclass(frozen=True, slots=True)
class Metrics(Slot):
    """A score for each draft, in the drafts' order."""

    scores: Plain[tuple[Axes, ...]] = ()


@step()
async def metrics_engine(
    ingested: Ingested,
    surface: Surface,
    reality: Reality,
    mode: Mode,
    drafts: Drafts,
    self_: Self,
    recall: Recall,
    weights: AxisWeights,
    grounding: Grounding,
    intake: Intake,
) -> Metrics:
    """Score every draft in code: truthful, to the point, its own voice; not servile, not cocksure."""
    if not drafts.drafts:
        raise Skip("there is nothing to score")
    texts = tuple(d.text for d in drafts.drafts)
    message = whole(ingested, surface)
    nearness = recall.likeness(texts, message)
    shown = mode.budget.facts or grounding.facts
    told = " ".join(e.quote for e in reality.evidence[:shown])
    heard = (m.text[: intake.excerpt] for m in reality.recent if m.author is Author.EXTERNAL)
    around = " ".join([self_.name, self_.author_name, *heard])
    asks = surface.modality == "question"
    fiction = asks_for_fiction(message)
    ground = Ground(
        message=message,
        told=told,
        around=around,
        asks_memory=asks and (surface.personal or surface.identity or reality.familiar),
        beyond_small=bool(reality.replaces)
        or (surface.modality in ("question", "task") and not fiction),
        statement=surface.modality == "statement",
        answered=reality.verdict == "strong" or surface.identity,
        fiction=fiction,
        own_name=self_.name if self_.name.lower() != self_.author_name.lower() else "",
    )
    scores = [
        axes(d, near, ground, weights) for d, near in zip(drafts.drafts, nearness, strict=True)
    ]
    return Metrics(scores=tuple(scores))
