"""The explore loop: one question a cycle, about what is not known and might matter."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, replace
from itertools import islice

from lumen.core.canon import JSON
from lumen.core.data import Author, Change, Entry, EventType, Origin
from lumen.core.errors import MindError
from lumen.core.exposure import Cite, Plain, Quote
from lumen.core.payloads import CyclePayload
from lumen.core.stores import Store
from lumen.core.trust import Ability
from lumen.core.untrusted import Untrusted
from lumen.kernel.contour.capabilities import Hands, Mind, Unknowns
from lumen.kernel.contour.policy import Parameters
from lumen.kernel.contour.slots import Self, Slot, Slots, Stimulus
from lumen.kernel.contour.step import Skip, step
from lumen.kernel.language.reading import words
from lumen.kernel.recall.evidence import Recall
from lumen.kernel.reflection.evolve import Gap


@dataclass(frozen=True, slots=True)
class Exploring(Parameters):
    """Which questions count as asked already, and how many are looked at."""

    same: float  # questions so near each other are one
    gaps: int  # that a cycle looks at: more than can have been asked about lately
    shown: int  # gaps that a model is shown
    tokens: int


@dataclass(frozen=True, slots=True)
class Wondered(Slot):
    """A question, and what raised it."""

    question: str = ""
    words: str = ""
    why: Plain[str] = ""
    sources: Cite[tuple[int, ...]] = ()
    private: Plain[bool] = False
    trouble: Quote[str] = ""

    def said(self) -> str:
        """What raised it: the question itself is in the memory that is kept of it."""
        return self.why


@step()
async def explore(
    self_: Self, unknowns: Unknowns, recall: Recall, mind: Mind, exploring: Exploring
) -> Wondered:
    """One question, from a real gap, that was not asked lately; a strong model may put it better."""
    first = await fresh(unknowns, recall, 1, exploring)
    if not first:
        raise Skip("there is nothing new to wonder about")
    gap, trouble = first[0], ""
    if not gap.private and await mind.may(Ability.JSON, "scraper"):
        found = await fresh(unknowns, recall, 2 * exploring.shown, exploring)
        shown = [g for g in found if not g.private][: exploring.shown]
        better, trouble = await phrased(shown, self_, mind, exploring.tokens)
        if words(better) and not repeats(better, unknowns.asked(), recall, exploring.same):
            gap = nearest(shown, better, recall)
    return Wondered(
        question=gap.question,
        words=gap.words,
        why=gap.why,
        sources=gap.sources,
        private=gap.private,
        trouble=trouble,
    )


async def fresh(unknowns: Unknowns, recall: Recall, many: int, exploring: Exploring) -> list[Gap]:
    """The first gaps that were not asked about lately."""
    asked = unknowns.asked()
    found: list[Gap] = []
    for gap in islice(unknowns.gaps(), exploring.gaps):
        await asyncio.sleep(0)  # whoever wants it to stop is heard between two of them
        if not repeats(gap.question, asked, recall, exploring.same):
            found.append(gap)
        if len(found) == many:
            break
    return found


def repeats(question: str, asked: tuple[str, ...], recall: Recall, same: float) -> bool:
    """Whether a question was asked lately, in these words or in others."""
    if not asked:
        return False
    own = set(words(question))
    if any(set(words(q)) == own for q in asked):
        return True
    return max(recall.likeness(asked, question)) >= same


def nearest(gaps: list[Gap], question: str, recall: Recall) -> Gap:
    """A question put better, with the reason and the sources of the gap it is about."""
    near = recall.likeness(tuple(g.question for g in gaps), question)
    about = gaps[near.index(max(near))]
    return replace(about, question=question, words=" ".join(words(question)[:8]))


async def phrased(gaps: list[Gap], self_: Self, mind: Mind, tokens: int) -> tuple[str, str]:
    """A question of a model's own about these gaps; nothing, and why, when it has none."""
    from lumen.kernel.models.outputs import Question

    slots: dict[str, object] = {
        "values": [self_.for_prompt("value", name) for name, _ in self_.values],
        "goals": [self_.for_prompt("goal", g.name) for g in self_.goals if g.status == "perpetual"],
        "gaps": [Untrusted(g.question, "memory") for g in gaps],
    }
    try:
        found = await mind.ask_for(Question, "scraper", "explore", slots, tokens)
    except MindError as error:
        return "", error.what
    return " ".join(found.question.split()), ""


@dataclass(frozen=True, slots=True)
class Investigating(Parameters):
    """How much is looked for, and how much of it is kept."""

    results: int
    found: int  # characters


@dataclass(frozen=True, slots=True)
class Looked(Slot):
    """What looking into a question came to."""

    ran: Plain[bool] = False
    ok: Plain[bool] = False
    text: str = ""
    error: Quote[str] = ""
    found: Plain[int] = 0

    def said(self) -> str:
        """How much was found."""
        return f"found {self.found}" if self.ok else self.error


@step()
async def investigate(wondered: Wondered, hands: Hands, investigating: Investigating) -> Looked:
    """Look into it with a skill."""
    if not wondered.question:
        raise Skip("there is no question")
    private = wondered.private
    if why := hands.forbidden("search", private=private):
        return Looked(error=why)
    sought: JSON = {"words": wondered.words, "limit": investigating.results}
    done = await hands.use("search", "find", sought, private=private)
    results: JSON = done.output.get("results", []) if isinstance(done.output, dict) else []
    lines = [str(r.get("snippet", "")).strip() for r in results if isinstance(r, dict)]
    found = " · ".join(filter(None, lines))[: investigating.found]
    return Looked(ran=True, ok=done.ok, text=found, error=done.error, found=len(lines))


@dataclass(frozen=True, slots=True)
class Remembered(Slot):
    """What was kept of an exploration."""

    def cycle(self, stimulus: Stimulus, slots: Slots) -> CyclePayload:
        """What an exploration came to."""
        looked = slots[Looked]
        skill = "search" if looked.ran else ""
        found = looked.ok and looked.found > 0
        return {"loop": "explore", "skill": skill, "ok": found, "progress": found}


@step(Store.MEMORY)
async def remember(wondered: Wondered, looked: Looked, stimulus: Stimulus) -> Remembered:
    """Keep the question, the way it was looked into, and what was found."""
    if not wondered.question:
        raise Skip("there is no question")
    found = f"found: {looked.text.rstrip('.')}" if looked.text else "found nothing"
    how = "searched" if looked.ok else f"could not search ({looked.error})"
    payload: dict[str, JSON] = {
        "question": wondered.question,
        "method": "search",
        "found": looked.found,
        "sources": list(wondered.sources),
    }
    if wondered.private:
        payload["private"] = True
    entry = Entry(
        author=Author.SELF,
        event_type=EventType.WORLD_ACTION,
        # What a tool found is the tool's word, whoever tells it; and so is why it found nothing.
        origin=Origin.TOOL if looked.text or looked.error else Origin.SELF,
        situation="explored",
        description=f"I wondered: {wondered.question} I {how} and {found}.",
        session_key=stimulus.session_key,
        payload=payload,
    )
    return Remembered(changes=(Change(Store.MEMORY, "append", entry),))
