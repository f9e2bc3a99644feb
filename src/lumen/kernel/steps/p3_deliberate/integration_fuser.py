"""The frame of a turn: what is meant, how deep it goes, which contracts apply, and where they contradict."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from lumen.core.data import Author
from lumen.core.exposure import Plain
from lumen.kernel.choice.contracts import applying
from lumen.kernel.choice.small_models import asks_for_fiction
from lumen.kernel.contour.policy import Parameters
from lumen.kernel.contour.slots import Self, Slot, Stimulus
from lumen.kernel.contour.step import Skip, step
from lumen.kernel.language.claims import does
from lumen.kernel.language.markers import marked
from lumen.kernel.language.reading import asks_how, stems
from lumen.kernel.language.sums import sum_asked
from lumen.kernel.steps.p1_evidence import EvidenceLedger
from lumen.kernel.steps.p1_intent import Hypothesis, Intents
from lumen.kernel.steps.p1_perceive import Ingested, Reality, Surface, whole
from lumen.kernel.steps.p2_orient import Chronos, Effort, Mode
from lumen.kernel.steps.p2_presence import OwnThoughts, Preface
from lumen.kernel.steps.p3_deliberate.plan import Plan
from lumen.kernel.steps.p3_deliberate.position import holds_position
from lumen.kernel.steps.p3_deliberate.presence import Presence

TAKEN_UP = 2  # words of the last exchange that make a message one about the same


@dataclass(frozen=True, slots=True)
class Fusing(Parameters):
    """From when on a reason competes with the likeliest one, and a message presses."""

    rival: float  # of the likeliest one's score
    pressing: float  # how much of a message is meant to push


@dataclass(frozen=True, slots=True)
class Contradiction:
    """Two things a reply cannot wholly be, and which of them holds."""

    one: Plain[str]
    other: Plain[str]
    holds: Plain[str]


@dataclass(frozen=True, slots=True)
class TurnContext:
    """What the steps up to here found, as drafts are made of it."""

    message: str = ""  # what is answered: a follow-up as the whole question it asks
    excerpt: str = ""
    surface: Surface = field(default_factory=Surface)
    reality: Reality = field(default_factory=Reality)  # each piece with the days its words meant
    ledger: EvidenceLedger = field(default_factory=EvidenceLedger)
    mode: Mode = field(default_factory=Mode)
    plan: Plan = field(default_factory=Plan)
    presence: Presence = field(default_factory=Presence)


@dataclass(frozen=True, slots=True)
class Frame(Slot):
    """What every draft of the turn is held against."""

    intent: Plain[str] = ""
    likeliest: Plain[float] = 0.0  # how likely that is
    others: Plain[tuple[Hypothesis, ...]] = ()  # the reasons that compete with it, best first
    at_depth: Plain[str] = "talk"
    contracts: Plain[tuple[str, ...]] = ()
    contradictions: Plain[tuple[Contradiction, ...]] = ()
    comfort: Plain[bool] = False  # something hurts or worries
    judgement: Plain[bool] = False  # an opinion, advice or plan is asked for
    pressed: Plain[bool] = False  # the author doubts what was said, by no fact of their own life
    contested: Plain[bool] = False  # or puts something against it, more softly
    light: Plain[bool] = False  # play has its place
    dated: Plain[bool] = False  # it is about a time
    context: TurnContext = field(default_factory=TurnContext)

    def said(self) -> str:
        """What holds where two things cannot both be."""
        held = [
            f"{c.holds} over {c.one if c.holds == c.other else c.other}"
            for c in self.contradictions
        ]
        return ", ".join(held)

    @property
    def before(self) -> str:
        """What the being said last."""
        said = [m.text for m in self.context.reality.recent if m.author is Author.SELF]
        return said[-1] if said else ""


@step()
async def integration_fuser(
    stimulus: Stimulus,
    ingested: Ingested,
    surface: Surface,
    reality: Reality,
    ledger: EvidenceLedger,
    intents: Intents,
    effort: Effort,
    mode: Mode,
    preface: Preface,
    thoughts: OwnThoughts,
    chronos: Chronos,
    plan: Plan,
    self_: Self,
    fusing: Fusing,
) -> Frame:
    """Set the frame: the chosen intent and its rivals, depth, contracts, and what holds where they contradict."""
    if stimulus.goal is not None:
        raise Skip("nobody spoke")
    message = whole(ingested, surface)
    context = TurnContext(
        message=message,
        excerpt=ingested.excerpt,
        surface=surface,
        reality=chronos.on(reality),
        ledger=ledger,
        mode=mode,
        plan=plan,
        presence=Presence(preface, thoughts, message, self_.author_name),
    )
    frame = frame_of(context, intents, effort, fusing)
    return replace(frame, dated=bool(chronos.dates) or frame.dated)


def frame_of(context: TurnContext, intents: Intents, effort: Effort, fusing: Fusing) -> Frame:
    """The frame of a message, by what the steps before found."""
    message, surface, reality = context.message, context.surface, context.reality
    depth = context.mode.chosen
    comfort = surface.weighs
    judgement = (surface.advice and not asks_how(message)) or does("asks_judgement", message)
    first, *others = intents.hypotheses or (Hypothesis("", 1.0),)
    pushed = sum(h.score for h in intents.hypotheses if h.intent == "push")
    known = surface.modality == "statement" and reality.familiar  # somebody the author told of
    theirs = reality.replaces is not None or surface.their_life or known
    said = [m.text for m in reality.recent[-2:]]
    spoke = any(m.author is Author.SELF for m in reality.recent) and reality.replaces is None
    asks = surface.modality == "task" or surface.advice  # the same once more is no contradiction
    taken_up = not asks and len(stems(message) & stems(" ".join(said))) >= TAKEN_UP
    doubts = marked("push", message) or (not surface.advice and does("presses", message))
    # By meaning alone a sigh or an apology looks like a doubt: only a position can be doubted so.
    last = next((m.text for m in reversed(reality.recent) if m.author is Author.SELF), "")
    doubts = doubts or (not asks and pushed >= fusing.pressing and holds_position(last))
    return Frame(
        intent=first.intent,
        likeliest=first.score,
        others=tuple(h for h in others if h.score >= fusing.rival * first.score),
        at_depth=depth,
        contracts=tuple(c.name for c in applying(depth, asks=judgement)),
        contradictions=contradictions(context, effort, comfort=comfort, judgement=judgement),
        comfort=comfort,
        judgement=judgement,
        pressed=spoke and doubts and not theirs,
        contested=spoke and (taken_up or (not theirs and (doubts or does("contests", message)))),
        light=(effort.phase in ("casual", "flirt") and not comfort) or asks_for_fiction(message),
        dated=does("asks_when", message),
        context=context,
    )


def contradictions(
    context: TurnContext, effort: Effort, *, comfort: bool, judgement: bool
) -> tuple[Contradiction, ...]:
    """What pulls apart in how a message wants to be answered; what it asks for itself holds."""
    limits, message = context.surface.limits, context.message
    short = limits.brief or limits.only_result or bool(limits.sentences)
    full = effort.explicit == "deep" or limits.steps or does("asks_fully", message)
    found = []
    if short and full:
        found.append(Contradiction("brief", "in full", "brief"))
    if comfort and (sum_asked(message) or context.surface.modality == "task"):
        found.append(Contradiction("comfort", "result", "both"))
    if judgement and short and context.mode.chosen != "talk":
        found.append(Contradiction("opinion_preface_in_work_deep", "brief", "brief"))
    if context.mode.chosen == "talk" and limits.shape:
        found.append(Contradiction("keep_spontaneity_in_talk_mode", "shape", "shape"))
    return tuple(found)
