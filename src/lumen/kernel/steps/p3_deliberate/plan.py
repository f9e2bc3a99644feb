"""What could be done about a message or a goal: the kernel's own candidates, and a model's."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from lumen.core.canon import JSON
from lumen.core.clock import Now
from lumen.core.data import Author, SelfItem
from lumen.core.errors import MindError
from lumen.core.exposure import Plain, Quote
from lumen.core.stores import Store
from lumen.core.trust import Ability
from lumen.core.untrusted import Untrusted
from lumen.kernel.choice.acceptance import acceptance
from lumen.kernel.choice.bearing import BearingLaw, borne
from lumen.kernel.choice.candidates import (
    CREATE,
    KEEP,
    Candidate,
    aligned,
    asks_for,
    could_be_skill,
    for_goal,
    sum_candidate,
)
from lumen.kernel.choice.completion import closed
from lumen.kernel.choice.kinds import Fitting, fitting_kinds, spoken_candidates
from lumen.kernel.choice.score import behaviour, best
from lumen.kernel.contour.capabilities import Hands, Mind
from lumen.kernel.contour.policy import Parameters
from lumen.kernel.contour.slots import Self, Slot, Stimulus
from lumen.kernel.contour.state import State
from lumen.kernel.contour.step import step
from lumen.kernel.identity.digest import MemoryText
from lumen.kernel.language.dates import day
from lumen.kernel.language.markers import marked
from lumen.kernel.language.pronouns import tells_of_being
from lumen.kernel.language.reading import asks_how
from lumen.kernel.language.thresholds import in_force
from lumen.kernel.recall.evidence import Evidence, Recall
from lumen.kernel.steps.p1_evidence import differ
from lumen.kernel.steps.p1_intent import Intents
from lumen.kernel.steps.p1_perceive import Grounding, Ingested, Reality, Surface, whole
from lumen.kernel.steps.p3_deliberate.position import holds_position

WANTS = ("promise", "untruth", "approval")  # markers of a wish that is not for the truth
COURTESY = ("farewell", "thanks", "acknowledgement")
ASKS_OF_IT = ("question", "task")


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
    kind: Plain[str] = ""  # the kind of reply that is wanted most: drafts are of that one
    usual: Plain[str] = ""  # and the one that a message of its sort calls for
    because: Plain[str] = ""  # what makes others fit
    likely: Plain[float] = 0.5  # how likely the author takes up a reply of that kind
    trouble: Quote[str] = ""  # what kept a model from helping, if anything did

    def said(self) -> str:
        """The candidates."""
        return ", ".join(f"{c.skill}.{c.action}" for c in self.candidates)

    @property
    def way(self) -> str:
        """The kind of reply, where it is another than usual."""
        return self.kind if self.kind != self.usual else ""


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
    intents: Intents,
    self_: Self,
    now: Now,
    recall: Recall,
    state: State,
    mind: Mind,
    hands: Hands,
    planning: Planning,
    grounding: Grounding,
) -> Plan:
    """What could be done, what each would come to, and which values speak for it.

    For a goal a strong model proposes too; what it names must be there, or it stays a wish.
    """
    if stimulus.goal is None:
        message = whole(ingested, surface)
        reading = fitting(message, surface, reality, intents, self_)
        found = replies(message, reading, reality, self_, recall, hands)
        return foreseen(found, state.lines(Store.OUTCOMES))
    trouble = ""
    proposes = await mind.may(Ability.JSON, "orchestrator")
    authors = await mind.may(Ability.SKILLS, "orchestrator")
    written = hands.brought("write_file", stimulus.goal.name)
    known = near(reality, planning)
    told = [f"{day(e.memory.timestamp, now)}: {e.quote}" for e in known]
    own = for_goal(stimulus.goal, [] if written else told, hands.can, authors=authors)
    if proposes and own[0].skill not in (CREATE, "note"):
        facing = Facing(stimulus.goal, self_, now, tuple(known[: grounding.facts]), hands.known())
        proposed, trouble = await thought_up(facing, mind, planning)
        named = stimulus.goal.name  # an ability that only the model names is none to learn
        own = (*(c for c in proposed if hands.can(c.skill) or asks_for(named, c.skill)), *own)
    weighed = aligned(own, self_.values, recall.likeness, **in_force("values"))
    likely = tuple(replace(c, likely=hands.likely(c.skill)) for c in weighed)
    return Plan(candidates=likely, trouble=trouble)


def fitting(
    text: str, surface: Surface, reality: Reality, intents: Intents, self_: Self
) -> Fitting:
    """What was read off a message that says which kinds of reply fit it."""
    asks = surface.modality in ASKS_OF_IT
    wants = next((w for w in WANTS if marked(w, text)), "")
    memory = surface.modality == "question" and (
        (surface.personal and surface.about == "author")
        or surface.identity
        or reality.familiar
        or reality.verdict == "strong"
    )
    settled = bool(reality.told or reality.parts) or reality.gently
    ends = surface.modality in COURTESY or (bool(surface.move) and not wants)
    ends = ends or closed(text, self_.goals) is not None
    told = [e.memory for e in reality.evidence if not (asks or reality.replaces)]
    return Fitting(
        modality=surface.modality,
        owed=settled or ends or (memory and not wants),
        hurts=surface.weighs and not asks,
        advice=surface.advice and not asks_how(text),
        pushed=intents.top == "push"
        and holds_position(_said_last(reality))
        and not _tells_of_life(surface, reality),
        contradicts=any(differ(replace(old, text=text), old) for old in told),
        wants=wants,
        to_keep=intents.top == "keep",
        just_asked=_asked_last(reality),
        taken_in=reality.replaces is not None or tells_of_being(text),
    )


def _tells_of_life(surface: Surface, reality: Reality) -> bool:
    """Whether nobody knows better than the author: of their life, and whom they told of; nor is a task a doubt."""
    told = surface.modality == "statement" and reality.familiar
    return surface.their_life or told or surface.modality == "task"


def _asked_last(reality: Reality) -> bool:
    """Whether the being's last word was a question."""
    return _said_last(reality).rstrip().endswith("?")


def _said_last(reality: Reality) -> str:
    """The being's last words, if any."""
    return next((m.text for m in reversed(reality.recent) if m.author is Author.SELF), "")


def replies(
    text: str, reading: Fitting, reality: Reality, self_: Self, recall: Recall, hands: Hands
) -> Plan:
    """The kinds of reply that fit, each with the values that bear on it; and the one wanted most.

    What is owed (memory, time, a sum, its own state) is answered whatever it holds dear.
    """
    reckon = sum_candidate(text, hands.can)
    if reality.keeps:
        kept = Candidate(KEEP, reality.act, reality.told)
        return Plan(candidates=_borne((kept,), text, self_, recall), kind="act", usual="act")
    found = spoken_candidates(fitting_kinds(replace(reading, owed=reading.owed or bool(reckon))))
    if reckon or reading.owed:
        every = (replace(reckon, likely=hands.likely("calc")), *found) if reckon else found
        return Plan(candidates=every, kind=found[0].action, usual=found[0].action)
    weighed = _borne(found, text, self_, recall)
    weights = dict(self_.values)
    scores = [
        behaviour([weights[v] for v in c.values], None, able=True, prompted=c.prompted)
        for c in weighed
    ]
    top = best(scores)
    kind = weighed[top[0]].action if top else ""
    return Plan(candidates=weighed, kind=kind, usual=found[0].action, because=_because(reading))


def foreseen(found: Plan, outcomes: Sequence[Mapping[str, JSON]]) -> Plan:
    """Ways of replying, each with how likely the author takes it up, by what came of its kind before."""
    told = tuple(
        replace(c, likely=acceptance(outcomes, c.action)) if c.skill == "chat" else c
        for c in found.candidates
    )
    return replace(found, candidates=told, likely=acceptance(outcomes, found.kind))


def _borne(
    found: tuple[Candidate, ...], text: str, self_: Self, recall: Recall
) -> tuple[Candidate, ...]:
    """Candidates with the values that bear on them."""
    return borne(found, self_.values, text, recall, BearingLaw(**in_force("bearing")))


def _because(reading: Fitting) -> str:
    """What makes more than the usual kind fit, the strongest first."""
    given = {
        "contradicts": reading.contradicts,
        reading.wants: bool(reading.wants),
        "pushed": reading.pushed,
        "hurts": reading.hurts,
        "advice": reading.advice,
        "greets": reading.modality == "greeting",
    }
    return next((why for why, holds in given.items() if holds), "")


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
