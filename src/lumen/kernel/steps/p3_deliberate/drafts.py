"""Ways of saying it: one built by the kernel from evidence alone, one by the model."""

from __future__ import annotations

from dataclasses import dataclass, replace

from lumen.core.canon import JSON
from lumen.core.clock import Now
from lumen.core.errors import MindError
from lumen.core.exposure import Plain, Quote
from lumen.core.trust import Ability
from lumen.kernel.choice.completion import closed
from lumen.kernel.contour.capabilities import Mind
from lumen.kernel.contour.policy import Parameters
from lumen.kernel.contour.slots import Draft, Self, Slot, Stimulus
from lumen.kernel.contour.step import Skip, step
from lumen.kernel.language.lexicon import lexicon
from lumen.kernel.language.may_take import health_told
from lumen.kernel.language.reading import stems
from lumen.kernel.recall.evidence import Evidence
from lumen.kernel.steps.p1_perceive import Grounding, Intake, Surface, surface_of
from lumen.kernel.steps.p3_deliberate.draft_context import DraftContext
from lumen.kernel.steps.p3_deliberate.draft_prompt import amiss, another, model_draft, prompt_slots
from lumen.kernel.steps.p3_deliberate.grounded import (
    answers_all,
    grounded,
    is_gentle,
    too_small,
)
from lumen.kernel.steps.p3_deliberate.integration_fuser import Frame, TurnContext
from lumen.kernel.steps.p3_deliberate.met import listens_on
from lumen.kernel.steps.p3_deliberate.position import stands_by
from lumen.kernel.steps.p3_deliberate.said_as import said_as
from lumen.kernel.steps.p3_deliberate.truth import Ground, GroundLimits, ground_of, read_draft


@dataclass(frozen=True, slots=True)
class Drafting(Parameters):
    """How much a model is given, and how much it may say."""

    exchange: int  # characters of what was said and of what was answered
    tokens: int


@dataclass(frozen=True, slots=True)
class ModelTask:
    """What a model was asked, so that it can be asked for another way of saying it."""

    slots: dict[str, JSON]
    tokens: int
    useful: tuple[Evidence, ...]
    ground: Ground
    heard: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Drafts(Slot):
    """The ways of saying it that compete."""

    drafts: Plain[tuple[Draft, ...]] = ()
    trouble: Quote[str] = ""
    fix: Quote[str] = ""
    trusted: Plain[bool] = False  # the model may speak of the world
    calls: Plain[int] = 0  # of the model, so far
    task: ModelTask | None = None

    def said(self) -> str:
        """How many there are."""
        return f"{len(self.drafts)} drafts" + (f" ({self.trouble})" if self.trouble else "")

    def uses(self) -> tuple[int, ...]:
        """What any of them rests on."""
        return tuple(seq for draft in self.drafts for seq in draft.sources)


@step()
async def drafts(
    stimulus: Stimulus,
    frame: Frame,
    self_: Self,
    now: Now,
    mind: Mind,
    drafting: Drafting,
    grounding: Grounding,
    intake: Intake,
) -> Drafts:
    """One draft from evidence alone, one from the model; a model that fails leaves the first."""
    if stimulus.goal is not None:
        raise Skip("nobody spoke")
    context = frame.context if frame.context.message else bare(stimulus, self_)
    surface, reality = context.surface, context.reality
    own = built(stimulus, frame, context, self_, now, grounding)
    done = closed(stimulus.text, self_.goals)
    settled = (surface.modality == "task" and not context.plan.way) or bool(reality.told)
    settled = settled or is_gentle(surface, reality) or answers_all(reality)
    if own and (done or settled):  # what cannot be done must not be promised, nor a day invented
        return Drafts(drafts=(own,))
    trusted = await mind.may(Ability.WORLD, "interface")
    listens = surface.move or _listens(stimulus, context, self_, now, grounding)
    if own and (context.plan.way or listens) and not trusted:
        return Drafts(drafts=(own,))
    if not await mind.speaks(surface.language):
        silent = own or too_small(stimulus.text, surface, english=trusted)
        return Drafts(drafts=(silent,), trouble="the model does not speak this language")
    limits = GroundLimits(grounding.facts, intake.excerpt)
    ground = ground_of(replace(frame, context=context), self_, now, limits, trusted=trusted)
    useful = worth_showing(context, ground, grounding)
    useful = useful[: context.mode.budget.facts or grounding.facts]
    recent = (m.text[: intake.excerpt] for m in reality.recent)
    task = ModelTask(
        slots=prompt_slots(stimulus, context, self_, now, useful, drafting.exchange),
        tokens=((trusted and context.mode.budget.tokens) or drafting.tokens)
        + context.presence.tokens,
        useful=tuple(useful),
        ground=ground,
        heard=(context.message, context.excerpt, *recent),
    )
    return await heard(stimulus, context, task, own, mind)


def worth_showing(context: TurnContext, ground: Ground, grounding: Grounding) -> list[Evidence]:
    """What was told that a model is shown: all that comes near where only that can answer.

    Else what speaks of the same, or to the author of somebody's health: a small model takes any other note for
    what it is asked about.
    """
    near = [e for e in context.reality.evidence if e.score >= grounding.middling]
    if ground.asks_memory or not ground.trusted:
        return near
    asked, own = stems(ground.message), context.surface.about == "author"
    return [e for e in near if stems(e.quote) & asked or (own and health_told(e.quote))]


def bare(stimulus: Stimulus, self_: Self) -> TurnContext:
    """What is known of a message where no frame was set: its words."""
    text = stimulus.text
    return TurnContext(message=text, excerpt=text, surface=surface_of(text, self_))


def _listens(
    stimulus: Stimulus, context: TurnContext, self_: Self, now: Now, grounding: Grounding
) -> bool:
    """Whether a message goes on with a sorrow: a small model says it back."""
    known = DraftContext(stimulus, context.surface, context.reality, self_, now, grounding)
    return context.reality.replaces is None and listens_on(known)


def built(
    stimulus: Stimulus,
    frame: Frame,
    context: TurnContext,
    self_: Self,
    now: Now,
    grounding: Grounding,
) -> Draft | None:
    """The draft that code makes of what is known; under doubt it stays with what was said."""
    surface = context.surface
    asked = replace(stimulus, text=context.message) if surface.understood else stimulus
    quoted = replace(grounding, quotes=1) if surface.limits.brief else grounding
    known = DraftContext(asked, surface, context.reality, self_, now, quoted)
    own = said_as(context.plan, grounded(known), known)
    if (
        frame.pressed
        and not context.plan.way
        and (own is None or not own.sources)
        and not context.reality.told
    ):
        return stands_by(frame.before, surface.language) or own
    return context.ledger.beside(own, now, surface.language) if own else None


async def heard(
    stimulus: Stimulus, context: TurnContext, task: ModelTask, own: Draft | None, mind: Mind
) -> Drafts:
    """What the model says beside what code could; where it says nothing of use, that alone."""
    surface, notes, trusted = context.surface, [e.quote for e in task.useful], task.ground.trusted
    try:
        spoken = await mind.ask("drafts", task.slots, task.tokens)
    except MindError as error:
        return _unheard(own, stimulus.text, surface, error)
    trouble = amiss(spoken, surface, task.heard, notes)
    needed = own is None or own.fallback  # else what code can say is at hand
    again = trusted and needed and context.mode.budget.calls > 1 and trouble
    more = await another(mind, task.slots, task.tokens) if again else ()
    calls = 1 + len(more)
    every = [one for one in (spoken, *more) if not amiss(one, surface, task.heard, notes)]
    unknown = Draft(lexicon().phrase("unknown", surface.language), "grounded")
    if not every:
        silent = own or (too_small(stimulus.text, surface) if spoken.small else unknown)
        return Drafts(drafts=(silent,), trouble=trouble, trusted=trusted, calls=calls)
    if spoken.small and not own:
        own = too_small(
            stimulus.text, surface
        )  # it speaks only where there is something to fall back on
    theirs = dict.fromkeys(
        model_draft(one, context, list(task.useful), task.ground) for one in every
    )
    readings = [read_draft(one, task.ground) for one in theirs]
    if own is None and all(r.hollow or (r.yields and task.ground.pressed) for r in readings):
        own = unknown
    return Drafts(
        drafts=(own, *theirs) if own else tuple(theirs), trusted=trusted, calls=calls, task=task
    )


def _unheard(own: Draft | None, text: str, surface: Surface, error: MindError) -> Drafts:
    """What is left where the model fails."""
    if not own and surface.about == "being" and surface.modality == "question":
        left = too_small(text, surface)
    elif own and surface.modality != "question":
        left = own
    else:
        left = _without_model(own, error.what, surface.language)
    return Drafts(drafts=(left,), trouble=error.what, fix=error.fix)


def _without_model(own: Draft | None, trouble: str, language: str) -> Draft:
    """Never empty, never invented: say that the model failed, and what is known all the same."""
    opening = lexicon().phrase("unreachable", language, trouble=trouble)
    if own is None:
        return Draft(opening + lexicon().phrase("nothing_known", language), "grounded")
    return replace(own, text=opening + own.text)
