"""Which tools a turn needs, once it is decided what is said: within a budget, and none that was not allowed."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from lumen.core.exposure import Plain
from lumen.core.stores import Store
from lumen.kernel.choice.tools import (
    EXPLICIT,
    LOW_CONFIDENCE,
    MISSING_FACTS,
    REPEATED,
    InstalledTool,
    ToolCall,
    asked_in_words,
    input_for,
    is_named,
    need,
)
from lumen.kernel.contour.capabilities import Hands
from lumen.kernel.contour.policy import Parameters
from lumen.kernel.contour.slots import Slot, Stimulus
from lumen.kernel.contour.state import State
from lumen.kernel.contour.step import Skip, step
from lumen.kernel.recall.evidence import Recall
from lumen.kernel.steps.p1_evidence import EvidenceLedger
from lumen.kernel.steps.p1_perceive import Ingested, Reality, Surface, whole
from lumen.kernel.steps.p3_deliberate.lambda_select import Selection
from lumen.kernel.steps.p3_deliberate.plan import Plan

ASKS = ("question", "task")
FIRST_LINES = 400  # characters of a skill's help by which it is matched


@dataclass(frozen=True, slots=True)
class Affording(Parameters):
    """From where on a tool is called, how many in a turn, and what each feature counts."""

    threshold: float
    calls: int
    low_confidence: float
    missing_facts: float
    repeat_attempts: float
    explicit_request: float
    near: float  # so near to a skill's help, a message asks for what it does

    def weights(self) -> dict[str, float]:
        """What each feature counts."""
        return {
            LOW_CONFIDENCE: self.low_confidence,
            MISSING_FACTS: self.missing_facts,
            REPEATED: self.repeat_attempts,
            EXPLICIT: self.explicit_request,
        }


@dataclass(frozen=True, slots=True)
class Affordance(Slot):
    """The tools that are called, and those that fell short or may not be."""

    calls: Plain[tuple[ToolCall, ...]] = ()
    passed: Plain[tuple[ToolCall, ...]] = ()

    def said(self) -> str:
        """What is called, and how much it is needed."""
        return ", ".join(f"{c.skill} needed {c.need:.2f}" for c in self.calls)


@step()
async def tool_affordance(
    stimulus: Stimulus,
    ingested: Ingested,
    surface: Surface,
    reality: Reality,
    ledger: EvidenceLedger,
    plan: Plan,
    selection: Selection,
    state: State,
    recall: Recall,
    hands: Hands,
    affording: Affording,
) -> Affordance:
    """Call a tool where its need reaches the threshold: asked for, or facts are missing again and again."""
    if stimulus.goal is not None or selection.chosen < 0:
        raise Skip("nobody asked for anything" if stimulus.goal else selection.why)
    if reality.told or plan.candidates[selection.chosen].skill != "chat":
        raise Skip("it is done or answered already")
    text = whole(ingested, surface)
    wanted = _of_words(text, hands, affording)
    if surface.modality in ASKS and not wanted:
        wanted = [*_of_skills(text, await hands.tools(), recall, affording)]
    if not wanted and ledger.gap and not stimulus.guest:
        wanted = [_looked_up(surface, reality, state, affording)]
    may = [c for c in wanted if c.need >= affording.threshold and _allowed(c, hands)]
    calls = tuple(may[: affording.calls])
    return Affordance(calls=calls, passed=tuple(c for c in wanted if c not in calls))


def _of_words(text: str, hands: Hands, affording: Affording) -> list[ToolCall]:
    """The shipped tool that is asked for in so many words."""
    found = asked_in_words(text)
    if found is None or not hands.can(found[0]):
        return []
    skill, action, given = found
    return [ToolCall(skill, action, need((EXPLICIT,), affording.weights()), (EXPLICIT,), given)]


def _of_skills(
    text: str, tools: tuple[InstalledTool, ...], recall: Recall, affording: Affording
) -> Iterator[ToolCall]:
    """The installed skills that a message names, or that say of themselves that they do what it asks for."""
    for tool in tools:
        given = input_for(tool, text)
        if given is None:
            continue
        named = is_named(tool, text)
        (near,) = (1.0,) if named else recall.likeness((tool.help[:FIRST_LINES],), text)
        if near >= affording.near:
            features = (EXPLICIT,) if named else (EXPLICIT, LOW_CONFIDENCE)
            score = need(features, affording.weights())
            yield ToolCall(tool.name, tool.action, score, features, given)


def _looked_up(surface: Surface, reality: Reality, state: State, affording: Affording) -> ToolCall:
    """A look into the author's files for what was never told: worth it once it was asked in vain before."""
    gap = [f"No data on {surface.topic}"]
    before = any(line.get("gaps") == gap for line in state.lines(Store.EVIDENCE_LEDGER))
    features = (
        *((LOW_CONFIDENCE,) if reality.verdict in ("none", "weak") else ()),
        MISSING_FACTS,
        *((REPEATED,) if before else ()),
    )
    score = need(features, affording.weights())
    return ToolCall("search", "find", score, features, {"words": surface.topic, "limit": 3})


def _allowed(call: ToolCall, hands: Hands) -> bool:
    """Whether a tool may be called: unasked, or matched by its help alone, none that cannot be taken back."""
    by_name = call.features == (EXPLICIT,)
    return hands.can(call.skill) and (by_name or not hands.forbidden(call.skill))
