"""What would be said if something else were meant: by code where code can, by a model where there is room."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

from lumen.core.exposure import Plain
from lumen.kernel.contour.capabilities import Mind
from lumen.kernel.contour.policy import Parameters
from lumen.kernel.contour.slots import Draft, Slot
from lumen.kernel.contour.step import Skip, step
from lumen.kernel.language.claims import read_reply
from lumen.kernel.language.lexicon import lexicon
from lumen.kernel.language.reading import names, numbers
from lumen.kernel.steps.p1_intent import Hypothesis
from lumen.kernel.steps.p2_orient import Effort
from lumen.kernel.steps.p3_deliberate.draft_prompt import amiss, another, model_draft
from lumen.kernel.steps.p3_deliberate.drafts import Drafts
from lumen.kernel.steps.p3_deliberate.integration_fuser import Frame
from lumen.kernel.steps.p3_deliberate.position import stands_by
from lumen.kernel.steps.p3_deliberate.truth import Ground

SPOKEN: Mapping[str, str] = MappingProxyType(  # what kind of speech answers a reason
    {
        "know": "ask back",
        "keep": "ask back",
        "do": "ask back",
        "company": "company",
        "push": "disagree",
        "courtesy": "courtesy",
    }
)
MUCH = 1.5  # times as long is longer


@dataclass(frozen=True, slots=True)
class Probing(Parameters):
    """How many other readings are tried, how many texts may compete, and when a model is asked."""

    k: int
    candidates: int
    general: float  # how far words that fit any message of a kind fit this one
    close: float  # in work, how likely the second reason must be beside the first


@dataclass(frozen=True, slots=True)
class Alternative:
    """What would be said for another reason, and how that differs from the first draft."""

    intent: Plain[str]
    fits: Plain[float]  # how likely, beside the likeliest reason
    speech: Plain[str]
    differs: Plain[tuple[str, ...]] = ()


@dataclass(frozen=True, slots=True)
class Counterfactual(Slot):
    """The drafts under other readings, each with what it differs in."""

    drafts: Plain[tuple[Draft, ...]] = ()
    alternatives: Plain[tuple[Alternative, ...]] = ()
    calls: Plain[int] = 0  # of the model

    def said(self) -> str:
        """What was tried."""
        tried = [f"{a.speech} if meant to {a.intent}" for a in self.alternatives]
        return f"or {', '.join(tried)}" if tried else ""

    def uses(self) -> tuple[int, ...]:
        """What any of them rests on."""
        return tuple(seq for draft in self.drafts for seq in draft.sources)


@step()
async def counterfactual_probe(
    frame: Frame, effort: Effort, drafts: Drafts, mind: Mind, probing: Probing
) -> Counterfactual:
    """Draft it as if another reason were the right one, and say what would differ.

    A model in this process is asked once, unless thought is asked for: its second call is as long as the first.
    """
    if not drafts.drafts:
        raise Skip("there is nothing to compare with")
    room = probing.candidates - len(drafts.drafts)
    if drafts.task is None and drafts.calls == 0:
        raise Skip("code settles it")
    surface = frame.context.surface
    personal = surface.modality == "question" and surface.personal  # it is told or it is not
    rivals = () if personal else frame.others[: probing.k]
    found: list[tuple[Draft, Alternative]] = []
    calls = 0
    wished = effort.explicit == "deep" or not await mind.runs_here()
    if room > 0 and wished and _may_ask(frame, drafts, probing):
        told, calls = await _by_model(frame, drafts, mind)
        found += told
    for rival in rivals:
        if len(found) < room and (draft := by_code(rival, frame)):
            found.append((draft, _alternative(rival, frame, draft, drafts, probing.general)))
    if not found:
        raise Skip("no other reason is likely enough" if not rivals else "there is no room")
    return Counterfactual(
        drafts=tuple(draft for draft, _ in found),
        alternatives=tuple(alternative for _, alternative in found),
        calls=calls,
    )


def by_code(rival: Hypothesis, frame: Frame) -> Draft | None:
    """What the kernel itself would say for a reason; nothing where it has no words for that."""
    language = frame.context.surface.language
    if rival.intent == "push":
        held = stands_by(frame.before, language)
        return Draft(held.text, "probe") if held else None
    key = f"probe_{rival.intent}"
    if rival.intent == "company" and frame.comfort:
        key = "probe_comfort"
    return Draft(lexicon().phrase(key, language), "probe") if rival.intent in SPOKEN else None


def _may_ask(frame: Frame, drafts: Drafts, probing: Probing) -> bool:
    """Whether a model is asked once more: in deep thought, and in work that asks for judgement.

    There only where a second reason is close. How a thing is done, or what was told, has no other side.
    """
    budget, others, task = frame.context.mode.budget, frame.others, drafts.task
    if task is None or not drafts.trusted or drafts.calls >= budget.calls:
        return False
    if task.ground.asks_memory:
        return False
    close = bool(others) and _fits(others[0], frame) >= probing.close
    return frame.at_depth == "deep" or (frame.at_depth == "work" and frame.judgement and close)


async def _by_model(
    frame: Frame, drafts: Drafts, mind: Mind
) -> tuple[list[tuple[Draft, Alternative]], int]:
    task, context = drafts.task, frame.context
    if task is None:
        return [], 0
    rival = frame.others[0] if frame.others else Hypothesis(frame.intent, 1.0)
    meant = rival.intent if frame.others else ""
    spoken = await another(mind, {**task.slots, "meant": meant}, task.tokens)
    notes = [e.quote for e in task.useful]
    made = []
    for one in spoken:
        draft = model_draft(one, context, list(task.useful), task.ground)
        if not amiss(one, context.surface, task.heard, notes) and draft not in drafts.drafts:
            made.append((draft, _alternative(rival, frame, draft, drafts, 1.0)))
    return made, 1


def _fits(rival: Hypothesis, frame: Frame) -> float:
    """How likely a reason is beside the likeliest one; what a model says answers the message all the same."""
    return rival.score / frame.likeliest if frame.likeliest else 0.0


def _alternative(
    rival: Hypothesis, frame: Frame, draft: Draft, drafts: Drafts, general: float
) -> Alternative:
    modelled = draft.kind == "model"
    fits = 1.0 if modelled else min(1.0, general * _fits(rival, frame))
    speech = "answer" if modelled else SPOKEN[rival.intent]
    ground = drafts.task.ground if drafts.task else None
    return Alternative(rival.intent, fits, speech, differences(drafts.drafts[-1], draft, ground))


def differences(first: Draft, other: Draft, ground: Ground | None) -> tuple[str, ...]:
    """What one text has that another has not: questions, names and figures, length, what it rests on."""
    found = []
    if ground is not None:
        asks, told = (
            any(s.speech == "question" for s in read_reply(d.text, ground.known()))
            for d in (other, first)
        )
        if asks != told:
            found.append("it asks" if asks else "it does not ask")
    named = {t: names(d.text) | numbers(d.text) for t, d in (("one", first), ("other", other))}
    if more := named["other"] - named["one"]:
        found.append(f"it names {len(more)} that the first does not")
    if less := named["one"] - named["other"]:
        found.append(f"it leaves out {len(less)} that the first names")
    if set(first.sources) != set(other.sources):
        found.append("it rests on other memories")
    if len(other.text) > MUCH * len(first.text):
        found.append("it is longer")
    elif len(first.text) > MUCH * len(other.text):
        found.append("it is shorter")
    return tuple(found)
