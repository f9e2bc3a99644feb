"""Ways of saying it: one built by the kernel from evidence alone, one by the model."""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import pairwise

from lumen.core.canon import JSON
from lumen.core.clock import Now
from lumen.core.data import Author, Memory
from lumen.core.errors import MindError
from lumen.core.exposure import Plain, Quote
from lumen.core.trust import Ability
from lumen.kernel.choice.completion import closed
from lumen.kernel.contour.capabilities import Mind, ModelReply
from lumen.kernel.contour.policy import Parameters
from lumen.kernel.contour.slots import Draft, Self, Slot, Stimulus
from lumen.kernel.contour.step import Skip, step
from lumen.kernel.identity.digest import MemoryText
from lumen.kernel.language.dates import day
from lumen.kernel.language.lexicon import lexicon
from lumen.kernel.language.pronouns import addressed
from lumen.kernel.language.reading import words
from lumen.kernel.language.relatives import told_of_another
from lumen.kernel.recall.evidence import Evidence
from lumen.kernel.steps.p1_evidence import EvidenceLedger
from lumen.kernel.steps.p1_perceive import Grounding, Ingested, Intake, Reality, Surface, whole
from lumen.kernel.steps.p2_orient import Budget, Chronos, Mode
from lumen.kernel.steps.p2_presence import Preface, Thoughts
from lumen.kernel.steps.p3_deliberate.grounded import (
    DraftContext,
    answers_all,
    grounded,
    is_gentle,
    rests_on,
    too_small,
)
from lumen.kernel.steps.p3_deliberate.plan import Plan
from lumen.kernel.steps.p3_deliberate.presence import Presence
from lumen.kernel.steps.p3_deliberate.said_as import said_as


@dataclass(frozen=True, slots=True)
class Drafting(Parameters):
    """How much a model is given, and how much it may say."""

    exchange: int  # characters of what was said and of what was answered
    tokens: int


@dataclass(frozen=True, slots=True)
class Drafts(Slot):
    """The ways of saying it that compete."""

    drafts: Plain[tuple[Draft, ...]] = ()
    trouble: Quote[str] = ""
    fix: Quote[str] = ""

    def said(self) -> str:
        """How many there are."""
        return f"{len(self.drafts)} drafts" + (f" ({self.trouble})" if self.trouble else "")

    def uses(self) -> tuple[int, ...]:
        """What any of them rests on."""
        return tuple(seq for draft in self.drafts for seq in draft.sources)


@step()
async def drafts(
    stimulus: Stimulus,
    ingested: Ingested,
    surface: Surface,
    reality: Reality,
    ledger: EvidenceLedger,
    plan: Plan,
    mode: Mode,
    preface: Preface,
    thoughts: Thoughts,
    chronos: Chronos,
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
    message = whole(ingested, surface)
    asked = replace(stimulus, text=message) if surface.understood else stimulus
    reality = chronos.on(reality)
    quoted = replace(grounding, quotes=1) if surface.limits.brief else grounding
    context = DraftContext(asked, surface, reality, self_, now, quoted)
    own = said_as(plan, grounded(context), context)
    own = ledger.beside(own, now, surface.language) if own else None
    done = closed(stimulus.text, self_.goals)
    settled = surface.modality == "task" or reality.told or is_gentle(surface, reality)
    settled = settled or answers_all(reality)
    if own and (done or settled):  # what cannot be done must not be promised, nor a day invented
        return Drafts(drafts=(own,))
    trusted = await mind.may(Ability.WORLD, "interface")
    if own and plan.way and not trusted:
        return Drafts(drafts=(own,))
    if not await mind.speaks(surface.language):
        silent = own or too_small(stimulus.text, surface, english=trusted)
        return Drafts(drafts=(silent,), trouble="the model does not speak this language")
    useful = [e for e in reality.evidence if e.score >= grounding.middling]
    useful = useful[: mode.budget.facts or grounding.facts]
    shown = {m.seq for m in reality.recent}  # what stands in the exchanges is not told twice
    presence = Presence(preface, thoughts, message, self_.author_name)
    slots = {
        "name": self_.name,
        "author_name": self_.author_name,
        "kind": _kind(surface),
        "personal": surface.modality == "question" and surface.personal,
        "guest": bool(stimulus.guest),
        "language": surface.language,
        "depth": mode.chosen,
        "paragraphs": mode.budget.asked,
        **presence.slots(),
        "way": plan.way,
        "message": ingested.excerpt,
        "facts": [
            MemoryText(f"{day(e.memory.timestamp, now)}: {_line(e.quote)}", e.memory.private)
            for e in useful
            if e.memory.seq not in shown
        ],
        "recent": exchanges(reality.recent, drafting.exchange),
    }
    heard = (message, ingested.excerpt, *(m.text[: intake.excerpt] for m in reality.recent))
    quotes = [e.quote for e in useful]
    tokens = mode.budget.tokens if trusted and mode.budget.tokens else drafting.tokens
    tokens += presence.tokens
    try:
        spoken = await mind.ask("drafts", slots, tokens)
    except MindError as error:
        return _unheard(own, stimulus.text, surface, error)
    trouble = _amiss(spoken, surface, heard, quotes)
    again = trusted and mode.budget.calls > 1 and (trouble or mode.chosen == "deep")
    more = await _another(mind, slots, tokens) if again else ()
    every = [one for one in (spoken, *more) if not _amiss(one, surface, heard, quotes)]
    if not every:
        unknown = Draft(lexicon().phrase("unknown", surface.language), "grounded")
        silent = own or (too_small(stimulus.text, surface) if spoken.small else unknown)
        return Drafts(drafts=(silent,), trouble=trouble)
    if spoken.small and not own:
        own = too_small(
            stimulus.text, surface
        )  # it speaks only where there is something to fall back on
    theirs = dict.fromkeys(_theirs(one, presence, useful, mode.budget) for one in every)
    return Drafts(drafts=(own, *theirs) if own else tuple(theirs))


def _unheard(own: Draft | None, text: str, surface: Surface, error: MindError) -> Drafts:
    """What is left where the model fails."""
    if not own and surface.about == "being" and surface.modality == "question":
        left = too_small(text, surface)
    elif own and surface.modality != "question":
        left = own
    else:
        left = _without_model(own, error.what, surface.language)
    return Drafts(drafts=(left,), trouble=error.what, fix=error.fix)


async def _another(mind: Mind, slots: dict[str, JSON], tokens: int) -> tuple[ModelReply, ...]:
    """A second way of saying it, from the other side; none where the model fails."""
    try:
        return (await mind.ask("drafts", {**slots, "depth": "against"}, tokens),)
    except MindError:
        return ()


def _theirs(
    spoken: ModelReply, presence: Presence, useful: list[Evidence], budget: Budget
) -> Draft:
    """A model's words as a draft, kept to what the turn may say."""
    text = spoken.text if spoken.small else addressed(spoken.text, [e.quote for e in useful])
    text = presence.within(text, budget)
    return Draft(
        text,
        "small model" if spoken.small else "model",
        rests_on(text, presence.message, useful),
        spoken.model,
        spoken.private,
        shown=tuple(e.memory.seq for e in useful),
    )


def _amiss(spoken: ModelReply, surface: Surface, heard: tuple[str, ...], notes: list[str]) -> str:
    """Why what a model said is no draft; empty: it is one. `heard` begins with what is asked."""
    asks = surface.modality in ("question", "task")
    if (spoken.copied and asks) or not says_anew(spoken.text, heard):
        return "it said nothing new"
    if asks and told_of_another(spoken.text, heard[0], notes):
        return "it gave for one what was told of another"
    return ""


def _kind(surface: Surface) -> str:
    """What a template goes by: a task is put as a question, a statement by its mood."""
    if surface.modality == "task":
        return "question"
    return surface.mood or "statement" if surface.modality == "statement" else surface.modality


def says_anew(text: str, said: tuple[str, ...]) -> bool:
    """Whether a text says anything, and anything that was not just said in the same words."""
    spoken = words(text)
    return any(c.isalnum() for c in text) and all(spoken != words(s) for s in said)


def exchanges(recent: tuple[Memory, ...], longest: int) -> list[dict[str, MemoryText]]:
    """Recent memories as pairs of what was said and what was answered."""
    pairs: list[dict[str, MemoryText]] = []
    for said, reply in pairwise(recent):
        if said.session_key == reply.session_key and reply.author is Author.SELF:
            pairs.append(
                {
                    "said": MemoryText(_line(said.text[:longest]), said.private),
                    "reply": MemoryText(_line(reply.text[:longest]), reply.private),
                }
            )
    return pairs


def _line(text: str) -> str:
    """A text in one line: several stand in one block, and none may begin a line of its own there."""
    return " ".join(text.split())


def _without_model(own: Draft | None, trouble: str, language: str) -> Draft:
    """Never empty, never invented: say that the model failed, and what is known all the same."""
    opening = lexicon().phrase("unreachable", language, trouble=trouble)
    if own is None:
        return Draft(opening + lexicon().phrase("nothing_known", language), "grounded")
    return replace(own, text=opening + own.text)
