"""What could be done about a message or a goal: the kernel's own candidates, and a model's."""

from __future__ import annotations

from dataclasses import dataclass, replace

from lumen.core.canon import JSON
from lumen.core.clock import Now
from lumen.core.data import SelfItem
from lumen.core.errors import MindError
from lumen.core.exposure import Plain, Quote
from lumen.core.trust import Ability
from lumen.core.untrusted import Untrusted
from lumen.kernel.choice.candidates import (
    CREATE,
    Candidate,
    aligned,
    could_be_skill,
    for_goal,
    for_message,
)
from lumen.kernel.contour.capabilities import Hands, Mind
from lumen.kernel.contour.policy import Parameters
from lumen.kernel.contour.slots import Self, Slot, Stimulus
from lumen.kernel.contour.step import step
from lumen.kernel.identity.digest import MemoryText
from lumen.kernel.language.dates import day
from lumen.kernel.language.thresholds import in_force
from lumen.kernel.recall.evidence import Evidence, Recall
from lumen.kernel.steps.p1_perceive import Grounding, Ingested, Reality, Surface


@dataclass(frozen=True, slots=True)
class Planning(Parameters):
    """What bears on a goal, and how much a model may propose for it."""

    near_enough: float  # evidence from here on is about a goal
    candidates: int  # that a model may propose
    tokens: int


@dataclass(frozen=True, slots=True)
class Plan(Slot):
    """What could be done."""

    candidates: Plain[tuple[Candidate, ...]] = ()
    trouble: Quote[str] = ""  # what kept a model from helping, if anything did

    def said(self) -> str:
        """The candidates."""
        return ", ".join(f"{c.skill}.{c.action}" for c in self.candidates)


@dataclass(frozen=True, slots=True)
class Facing:
    """A goal that is pursued, and what is known for it."""

    goal: SelfItem
    self_: Self
    now: Now
    facts: tuple[Evidence, ...]
    skills: tuple[str, ...]  # beside the shipped ones, in words of their own


@step()
async def plan(
    stimulus: Stimulus,
    ingested: Ingested,
    surface: Surface,
    reality: Reality,
    self_: Self,
    now: Now,
    recall: Recall,
    mind: Mind,
    hands: Hands,
    planning: Planning,
    grounding: Grounding,
) -> Plan:
    """What could be done, what each would come to, and which values speak for it.

    For a goal a strong model proposes too; what it names must be there, or it stays a wish.
    """
    expected = {"question": "the answer is accepted", "statement": "the author goes on"}
    prediction = expected.get(surface.modality, "the conversation goes on")
    trouble = ""
    if stimulus.goal is None:
        found = for_message(ingested.excerpt, prediction, hands.can)
    else:
        proposes = await mind.may(Ability.JSON, "orchestrator")
        authors = await mind.may(Ability.SKILLS, "orchestrator")
        written = hands.brought("write_file", stimulus.goal.name)
        known = near(reality, planning)
        told = [f"{day(e.memory.timestamp, now)}: {e.quote}" for e in known]
        found = for_goal(stimulus.goal, [] if written else told, hands.can, authors=authors)
        if proposes and found[0].skill not in (CREATE, "note"):
            facing = Facing(
                stimulus.goal, self_, now, tuple(known[: grounding.facts]), hands.known()
            )
            proposed, trouble = await thought_up(facing, mind, planning)
            found = (*proposed, *found)
    weighed = aligned(found, self_.values, recall.likeness, **in_force("values"))
    likely = tuple(replace(c, likely=hands.likely(c.skill)) for c in weighed)
    return Plan(candidates=likely, trouble=trouble)


def near(reality: Reality, planning: Planning) -> list[Evidence]:
    """Evidence that is near enough to be about a goal.

    What is private stays in memory: a page can be read by any skill, and what a model is shown
    here can come back as the words of a search on the web.
    """
    least = planning.near_enough
    return [e for e in reality.evidence if e.score >= least and not e.memory.private]


async def thought_up(
    facing: Facing, mind: Mind, planning: Planning
) -> tuple[tuple[Candidate, ...], str]:
    """What a model proposes to do for a goal; nothing, and why, when it does not help.

    A proposal must name what could be a skill: nobody is there to be spoken to, and how skills
    are made is for the kernel to say.
    """
    from lumen.kernel.models.outputs import Thoughts

    self_ = facing.self_
    slots: dict[str, JSON] = {
        "name": self_.name,
        "author_name": self_.author_name,
        "goal": self_.for_prompt("goal", facing.goal.name),
        "values": [self_.for_prompt("value", name) for name, _ in self_.values],
        "skills": [Untrusted(line, "skill") for line in facing.skills],
        "facts": [
            MemoryText(f"{day(e.memory.timestamp, facing.now)}: {e.quote}", e.memory.private)
            for e in facing.facts
        ],
    }
    try:
        thoughts = await mind.ask_for(Thoughts, "orchestrator", "think", slots, planning.tokens)
    except MindError as error:
        return (), error.what
    found = tuple(
        Candidate(
            t.skill,
            t.action,
            t.prediction,
            t.input,
            tuple(t.values),
            tuple(t.against),
        )
        for t in thoughts.candidates[: planning.candidates]
        if could_be_skill(t.skill)
    )
    return found, ""
