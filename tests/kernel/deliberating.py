"""Drafts and what they are held against, made of words alone: no being, no model, no vectors."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from zoneinfo import ZoneInfo

from lumen.core.clock import Now
from lumen.core.data import Author, EventType, Memory, Origin
from lumen.kernel.contour.slots import Draft, Self
from lumen.kernel.language.reading import names, words
from lumen.kernel.recall.evidence import Evidence
from lumen.kernel.steps.p1_intent import Hypothesis, Intents
from lumen.kernel.steps.p1_perceive import Reality, surface_of
from lumen.kernel.steps.p2_orient import Effort, Mode
from lumen.kernel.steps.p3_deliberate.axes import Axes, AxisWeights, axes
from lumen.kernel.steps.p3_deliberate.integration_fuser import (
    Frame,
    Fusing,
    TurnContext,
    frame_of,
)
from lumen.kernel.steps.p3_deliberate.metrics_engine import Metrics
from lumen.kernel.steps.p3_deliberate.truth import (
    Ground,
    GroundLimits,
    believed,
    ground_of,
    read_draft,
)
from lumen.kernel.turn.loops import parameters

FOLDER = Path(__file__).with_name("deliberate")
IRIS = Self(name="Iris", author_name="Ada")
NOW = Now(datetime(2026, 11, 18, 12, tzinfo=UTC), ZoneInfo("Europe/Lisbon"))
WEIGHTS = parameters(AxisWeights)
MEANT = Intents(hypotheses=(Hypothesis("know", 0.6), Hypothesis("company", 0.3)))
NEAR = 0.6  # in meaning, as a model's draft to what it answers


def rows(name: str, half: str = "") -> list[list[str]]:
    """A labelled set, a row a case; of one half where that is named."""
    lines = (FOLDER / name).read_text("utf-8").splitlines()
    found = [line.split("\t") for line in lines if not line.startswith("#")]
    return [row[1:] for row in found if not half or row[0] == half]


def memory(seq: int, text: str, author: Author = Author.EXTERNAL) -> Memory:
    """Something that was said on Sunday."""
    kind = EventType.AUTHOR_MESSAGE if author is Author.EXTERNAL else EventType.ASSISTANT_MESSAGE
    origin = Origin.AUTHOR if author is Author.EXTERNAL else Origin.SELF
    return Memory(seq, "2026-11-15T12:00:00.000Z", author, origin, kind, text, "lumen:interface:1")


def framed(
    message: str,
    told: str = "",
    before: tuple[str, str] | None = None,
    depth: str = "talk",
    intents: Intents = MEANT,
) -> Frame:
    """The frame of a message after what was told, and after an exchange."""
    said = before or ()
    recent = tuple(memory(10 + n, t, (Author.EXTERNAL, Author.SELF)[n]) for n, t in enumerate(said))
    reality = Reality(
        verdict="strong" if told else "none",
        evidence=(Evidence(memory(1, told), told, 0.9),) if told else (),
        recent=recent,
        familiar=bool(names(message) & set(words(told))),
    )
    context = TurnContext(message, message, surface_of(message, IRIS), reality)
    context = replace(context, mode=Mode(chosen=depth))
    return frame_of(context, intents, Effort(deep_enough=depth), parameters(Fusing))


def ground(frame: Frame, *, trusted: bool = True) -> Ground:
    """What a draft may lean on there."""
    return ground_of(frame, IRIS, NOW, GroundLimits(3, 1200), trusted=trusted)


def scored(
    text: str, held: Ground, kind: str = "model", near: float = NEAR, sources: tuple[int, ...] = ()
) -> Axes:
    """A text on every axis."""
    return axes(read_draft(Draft(text, kind, sources), held, near), held, WEIGHTS)


def compared(
    drafts: tuple[Draft, ...], held: Ground, near: float = NEAR, fits: tuple[float, ...] = ()
) -> Metrics:
    """Texts that compete; `fits` of the last ones is how likely what they answer is meant."""
    fit = (*(1.0 for _ in drafts[len(fits) :]), *fits)
    every = zip(drafts, fit, strict=True)
    readings = [read_draft(d, held, near, f) for d, f in every]
    scores = tuple(axes(read, held, WEIGHTS) for read in readings)
    truths = [score.truthfulness for score in scores]
    may_speak = believed(readings, truths, held, WEIGHTS.believable)
    return Metrics(scores=scores, believed=may_speak, scored=drafts)
