"""The explore loop: one question a cycle, about what is not known and might matter."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from itertools import islice

from lumen.core.canon import JSON
from lumen.core.data import Author, Change, Entry, EventType, Origin, Store
from lumen.core.errors import MindError
from lumen.core.untrusted import Untrusted
from lumen.kernel.evolve import Gap
from lumen.kernel.reading import words
from lumen.kernel.slots import Looked, Remembered, Self, Stimulus, Wondered
from lumen.kernel.step import Hands, Mind, Recall, Skip, Unknowns, step

QUESTION_TOKENS = 32
SAME = 0.9  # questions so near each other are one
SHOWN = 3
LONGEST_FOUND = 400
MOST_GAPS = 100  # gaps a cycle looks at: more than can have been asked about lately


@step()
async def explore(self_: Self, unknowns: Unknowns, recall: Recall, mind: Mind) -> Wondered:
    """One question, from a real gap, that was not asked lately; a strong model may put it better."""
    first = await fresh(unknowns, recall, 1)
    if not first:
        raise Skip("there is nothing new to wonder about")
    gap, trouble = first[0], ""
    if not gap.private and await mind.strong("scraper"):
        shown = [g for g in await fresh(unknowns, recall, 2 * SHOWN) if not g.private][:SHOWN]
        better, trouble = await phrased(shown, self_, mind)
        if words(better) and not repeats(better, unknowns.asked(), recall):
            gap = nearest(shown, better, recall)
    return Wondered(
        question=gap.question,
        words=gap.words,
        why=gap.why,
        sources=gap.sources,
        private=gap.private,
        trouble=trouble,
    )


async def fresh(unknowns: Unknowns, recall: Recall, many: int) -> list[Gap]:
    """The first gaps that were not asked about lately."""
    asked = unknowns.asked()
    found: list[Gap] = []
    for gap in islice(unknowns.gaps(), MOST_GAPS):
        await asyncio.sleep(0)  # whoever wants it to stop is heard between two of them
        if not repeats(gap.question, asked, recall):
            found.append(gap)
        if len(found) == many:
            break
    return found


def repeats(question: str, asked: tuple[str, ...], recall: Recall) -> bool:
    """Whether a question was asked lately, in these words or in others."""
    if not asked:
        return False
    own = set(words(question))
    if any(set(words(q)) == own for q in asked):
        return True
    return max(recall.likeness(asked, question)) >= SAME


def nearest(gaps: list[Gap], question: str, recall: Recall) -> Gap:
    """A question put better, with the reason and the sources of the gap it is about."""
    near = recall.likeness(tuple(g.question for g in gaps), question)
    about = gaps[near.index(max(near))]
    return replace(about, question=question, words=" ".join(words(question)[:8]))


async def phrased(gaps: list[Gap], self_: Self, mind: Mind) -> tuple[str, str]:
    """A question of a model's own about these gaps; nothing, and why, when it has none."""
    from lumen.kernel.outputs import Question

    slots: dict[str, object] = {
        "values": [self_.shown("value", name) for name, _ in self_.values],
        "goals": [self_.shown("goal", g.name) for g in self_.goals if g.status == "perpetual"],
        "gaps": [Untrusted(g.question, "memory") for g in gaps],
    }
    try:
        found = await mind.ask_for(Question, "scraper", "explore", slots, QUESTION_TOKENS)
    except MindError as error:
        return "", error.what
    return " ".join(found.question.split()), ""


@step()
async def investigate(wondered: Wondered, hands: Hands) -> Looked:
    """Look into it with a skill."""
    if not wondered.question:
        raise Skip("there is no question")
    private = wondered.private
    if why := hands.forbidden("search", private=private):
        return Looked(error=why)
    sought: JSON = {"words": wondered.words, "limit": SHOWN}
    done = await hands.use("search", "find", sought, private=private)
    results: JSON = done.output.get("results", []) if isinstance(done.output, dict) else []
    lines = [str(r.get("snippet", "")).strip() for r in results if isinstance(r, dict)]
    found = " · ".join(filter(None, lines))[:LONGEST_FOUND]
    return Looked(ran=True, ok=done.ok, text=found, error=done.error, found=len(lines))


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
