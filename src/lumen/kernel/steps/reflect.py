"""The reflection loop: review experience, ask whether one should want what one wants, evolve."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from lumen.core.canon import JSON, printable, sha256
from lumen.core.data import Author, Change, Entry, EventType, Origin
from lumen.core.errors import MindError
from lumen.core.exposure import Plain, Quote
from lumen.core.payloads import CyclePayload
from lumen.core.stores import Store
from lumen.core.trust import Ability
from lumen.kernel.contour.capabilities import Mind, Past
from lumen.kernel.contour.policy import Parameters
from lumen.kernel.contour.slots import Self, Slot, Slots, Stimulus
from lumen.kernel.contour.step import Skip, step
from lumen.kernel.identity.digest import MemoryText
from lumen.kernel.identity.provenance import STORY
from lumen.kernel.language.support import speaking
from lumen.kernel.recall.evidence import Recall
from lumen.kernel.reflection.evolve import (
    Experience,
    SelfChange,
    changed,
    one_line,
    proposals,
    settle,
)

if TYPE_CHECKING:
    from lumen.kernel.models.outputs import Proposed

TRUSTED = (Origin.AUTHOR, Origin.SELF)


@dataclass(frozen=True, slots=True)
class Reviewing(Parameters):
    """What counts when one looks back."""

    surprise: float  # from here on an outcome was one


@dataclass(frozen=True, slots=True)
class Review(Slot):
    """The experience since the last reflection."""

    experience: Experience = field(default_factory=Experience)
    summary: Plain[str] = ""
    triggers: Quote[str] = ""

    def said(self) -> str:
        """How much there was to review, and why."""
        return f"{self.summary}; because {self.triggers}"


@step()
async def review(past: Past, stimulus: Stimulus, reviewing: Reviewing) -> Review:
    """What happened since the last reflection, and what calls for one."""
    experience = past.experience()
    surprises = sum(abs(c.surprise) >= reviewing.surprise for c in experience.cycles)
    tensions = sum(len(c.conflicts) for c in experience.cycles)
    return Review(
        experience=experience,
        summary=(
            f"{len(experience.cycles)} cycles, {len(experience.memories)} memories, "
            f"{surprises} surprises, {tensions} tensions, "
            f"{len(experience.completed)} goals reached, {len(experience.stale)} not getting on"
        ),
        triggers=stimulus.text,
    )


@dataclass(frozen=True, slots=True)
class Questioning(Parameters):
    """How much a model is shown of experience, and how much it may say."""

    memories: int
    characters: int  # of each
    tokens: int


@dataclass(frozen=True, slots=True)
class Asked(Slot):
    """What might change, after contradictions were settled."""

    proposals: Plain[tuple[SelfChange, ...]] = ()
    conflicts: Quote[tuple[str, ...]] = ()
    trouble: Quote[str] = ""

    def said(self) -> str:
        """How many there are, and what contradicted."""
        told = f"{len(self.proposals)} proposals"
        return told + (f"; settled: {'; '.join(self.conflicts)}" if self.conflicts else "")


@step()
async def ask(
    review: Review, self_: Self, mind: Mind, recall: Recall, questioning: Questioning
) -> Asked:
    """How would the past have gone with other weights? The rules ask first, then a strong model."""
    past = review.experience
    found, trouble = proposals(past), ""
    if await mind.may(Ability.REFLECT, "reflection"):
        more, trouble = await imagined(review, self_, mind, questioning)
        found = [*found, *(founded(p, past, self_, recall) for p in more)]
    settled = settle(found, past)
    return Asked(proposals=settled.kept, conflicts=settled.conflicts, trouble=trouble)


def founded(one: SelfChange, past: Experience, self_: Self, recall: Recall) -> SelfChange:
    """What a model proposed, with those memories alone that say what they are cited for."""
    cited = [m for m in past.memories if m.seq in one.evidence and m.origin in TRUSTED]
    known = (self_.name, self_.author_name)
    speak = speaking(one.text or one.name, cited, known, recall.likeness)
    return replace(one, evidence=speak)


async def imagined(
    review: Review, self_: Self, mind: Mind, questioning: Questioning
) -> tuple[list[SelfChange], str]:
    """What a model would change, as far as it was shown a memory of that number."""
    from lumen.kernel.models.outputs import Proposals

    past = review.experience
    # The story and the names of goals open every prompt: nothing private may get into them.
    shown = [m for m in past.memories if m.origin in TRUSTED and not m.private]
    shown = shown[-questioning.memories :]
    slots: dict[str, object] = {
        "summary": review.summary,
        "memories": [
            MemoryText(f"{m.seq}: {m.text[: questioning.characters]}", m.private) for m in shown
        ],
        "values": [
            {"name": self_.for_prompt("value", v.name), "weight": v.weight} for v in past.values
        ],
        "goals": [
            {"name": self_.for_prompt("goal", g.name), "weight": g.weight, "status": g.status}
            for g in past.goals
        ],
    }
    try:
        answer = await mind.ask_for(Proposals, "reflection", "ask", slots, questioning.tokens)
    except MindError as error:
        return [], error.what
    known = {m.seq for m in shown}
    return [
        proposed_by(p, tuple(e for e in dict.fromkeys(p.evidence) if e in known), past)
        for p in answer.proposals
    ], ""


def proposed_by(said: Proposed, evidence: tuple[int, ...], past: Experience) -> SelfChange:
    """What a model said, as a proposal: of a value or goal there is, by whatever case it wrote."""
    story = said.kind == "story"
    held = {h.name.casefold(): h for h in (past.values if said.kind == "value" else past.goals)}
    meant = held.get(said.name.strip().casefold())
    name = said.name.strip()
    return SelfChange(
        said.kind,
        meant.name if meant and not story else name,
        meant.weight if meant and not story else 0.0,
        said.weight,
        one_line(printable(said.why)),
        evidence,
        status="" if story else said.status.strip(),
        text=name if story else "",
        by="model",
    )


@dataclass(frozen=True, slots=True)
class Evolved(Slot):
    """What did change."""

    many: Plain[int] = 0

    def said(self) -> str:
        """How much."""
        return f"{self.many} changes"

    def cycle(self, stimulus: Stimulus, slots: Slots) -> CyclePayload:
        """What a reflection came to."""
        return {"loop": "reflection", "progress": self.many > 0}


@step(Store.VALUES, Store.GOALS, Store.SOUL, Store.MEMORY)
async def evolve(asked: Asked, review: Review, stimulus: Stimulus) -> Evolved:
    """Apply what is left, each change with a memory of what set it off, what changed and why."""
    if not asked.proposals:
        raise Skip("nothing speaks for a change")
    past = review.experience
    changes: list[Change] = []
    story = [p.text for p in asked.proposals if p.kind == "story"]
    for one in asked.proposals:
        if one.kind != "story":
            changes.append(_changed(one, past))
        changes.append(Change(Store.MEMORY, "append", _change_entry(one, review, stimulus)))
    if story:
        changes.append(_story_change(past, story))
    return Evolved(many=len(asked.proposals), changes=tuple(changes))


def _changed(one: SelfChange, past: Experience) -> Change:
    """The change of one value or goal."""
    store = Store.VALUES if one.kind == "value" else Store.GOALS
    return Change(store, "drop" if one.status == "dropped" else "put", changed(one, past))


def _story_change(past: Experience, lines: list[str]) -> Change:
    was = past.soul or ""
    text = "\n\n".join(filter(None, [was.rstrip(), *lines])) + "\n"
    base = "" if past.soul is None else sha256(was.encode())
    return Change(Store.SOUL, "set", text, base=base)


def _change_entry(one: SelfChange, review: Review, stimulus: Stimulus) -> Entry:
    change: dict[str, JSON] = {
        "kind": one.kind,
        "name": one.name,
        "before": one.before,
        "after": one.after,
        "status": one.status,
        "text": one.text,
        "by": one.by,
        "otherwise": one.otherwise,
        "of": one.of,
    }
    private = {m.seq for m in review.experience.memories if m.private} & set(one.evidence)
    payload: dict[str, JSON] = {
        "trigger": review.triggers,
        "change": change,
        "sources": list(one.evidence),
    }
    return Entry(
        author=Author.SELF,
        event_type=EventType.REFLECTION_PROBE,
        origin=Origin.SELF,
        situation="evolved",
        description=in_words(one),
        session_key=stimulus.session_key,
        payload={**payload, "private": True} if private else payload,
    )


def in_words(one: SelfChange) -> str:
    """A change as the being tells it."""
    if one.kind == "story":
        return f"{STORY}{one.text} Because {one.why}."
    if one.status == "dropped":
        return f"I let go of the goal {one.name!r}, because {one.why}."
    if one.status and one.before:
        return f"I made {one.name!r} {one.status} ({one.after:.2f}), because {one.why}."
    if not one.before:
        new = "I now hold {} dear" if one.kind == "value" else "I set myself the goal {!r}"
        lasting = ", perpetual" if one.status == "perpetual" else ""
        return f"{new.format(one.name)} ({one.after:.2f}{lasting}), because {one.why}."
    return f"I moved {one.name} from {one.before:.2f} to {one.after:.2f}, because {one.why}."
