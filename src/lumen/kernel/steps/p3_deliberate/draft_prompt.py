"""What a model is given to draft from, and what becomes of its words before they count as a draft."""

from __future__ import annotations

import re
from itertools import pairwise

from lumen.core.canon import JSON
from lumen.core.clock import Now
from lumen.core.data import Author, Memory
from lumen.core.errors import MindError
from lumen.core.untrusted import holds_mark
from lumen.kernel.contour.capabilities import Mind, ModelReply
from lumen.kernel.contour.slots import Draft, Self, Stimulus
from lumen.kernel.identity.digest import MemoryText
from lumen.kernel.language.claims import KnownWords, left_by, read_reply, unposed
from lumen.kernel.language.dates import day
from lumen.kernel.language.pronouns import addressed, of_the_author
from lumen.kernel.language.reading import QUOTED, stems, words
from lumen.kernel.language.relatives import told_of_another
from lumen.kernel.recall.evidence import Evidence
from lumen.kernel.steps.p1_perceive import Surface
from lumen.kernel.steps.p3_deliberate.grounded import rests_on
from lumen.kernel.steps.p3_deliberate.integration_fuser import TurnContext
from lumen.kernel.steps.p3_deliberate.truth import Ground

NOTE_HEAD = re.compile(r"^(?:On )?[A-Z][a-z]+day \d{1,2} [A-Z][a-z]+(?: \d{4})?: (?=\S)", re.M)
BRITISH = re.compile(r"(?<=\w\w)our")  # a favourite is a favorite
SAYS_SOMETHING = ("plain", "author", "recollection", "advice", "unknowing", "agreement")


def prompt_slots(
    stimulus: Stimulus,
    context: TurnContext,
    self_: Self,
    now: Now,
    useful: list[Evidence],
    exchange: int,
) -> dict[str, JSON]:
    """What the templates of a draft are filled with."""
    surface, reality = context.surface, context.reality
    # What is to be done with quoted words needs no conversation: a small model goes on with that instead.
    by_itself = surface.modality == "task" and QUOTED.search(context.message) is not None
    shown = {m.seq for m in reality.recent}  # what stands in the exchanges is not told twice
    return {
        "name": self_.name,
        "author_name": self_.author_name,
        "kind": _kind(surface),
        "personal": surface.modality == "question" and surface.personal,
        "guest": bool(stimulus.guest),
        "language": surface.language,
        "depth": context.mode.chosen,
        "meant": "",
        "paragraphs": context.mode.budget.asked,
        **context.presence.slots(),
        "way": context.plan.way,
        "message": context.excerpt,
        "facts": [
            MemoryText(f"{day(e.memory.timestamp, now)}: {_line(e.quote)}", e.memory.private)
            for e in useful
            if e.memory.seq not in shown
        ],
        "recent": [] if by_itself else exchanges(reality.recent, exchange),
    }


async def another(mind: Mind, slots: dict[str, JSON], tokens: int) -> tuple[ModelReply, ...]:
    """A second way of saying it, from the other side; none where the model fails."""
    try:
        return (await mind.ask("drafts", {**slots, "depth": "against"}, tokens),)
    except MindError:
        return ()


def model_draft(
    spoken: ModelReply, context: TurnContext, useful: list[Evidence], ground: Ground
) -> Draft:
    """A model's words as a draft, kept to what the turn may say and to what something supports.

    Sentences about the author that nothing supports, and praise, are cut; where nothing would be left
    the words stay as they are, to be scored for what they are.
    """
    quotes = [e.quote for e in useful]
    text = spoken.text if spoken.small else _addressed(spoken.text, quotes, ground)
    text, cut = (text, 0) if spoken.small or ground.fiction else _supported(text, ground)
    text = context.presence.within(text, context.mode.budget)
    return Draft(
        text,
        "small model" if spoken.small else "model",
        rests_on(text, context.message, useful),
        spoken.model,
        spoken.private,
        shown=tuple(e.memory.seq for e in useful),
        cut=cut,
    )


def _addressed(text: str, quotes: list[str], ground: Ground) -> str:
    """A reply in which what the author told of themselves is said to them, without the head of a note."""
    said = addressed(NOTE_HEAD.sub("", text), quotes, ground.message if ground.asks_memory else "")
    asks = (
        ground.frame.context.surface.modality == "question"
    )  # what is written for them is theirs to say
    return of_the_author(said, ground.message) if asks else said


def _supported(text: str, ground: Ground) -> tuple[str, int]:
    left, cut = left_by(text, ground.known())
    asked = ground.asks_memory or ground.beyond_small
    enough = (*SAYS_SOMETHING, *(() if asked else ("question",)))
    every = read_reply(left, ground.known())
    said = (one.speech for one in every if any(c.isalnum() for c in one.text))
    return (unposed(left), cut) if any(speech in enough for speech in said) else (text, 0)


def amiss(spoken: ModelReply, surface: Surface, heard: tuple[str, ...], notes: list[str]) -> str:
    """Why what a model said is no draft; empty: it is one. `heard` begins with what is asked."""
    asks = surface.modality in ("question", "task")
    if holds_mark(spoken.text):
        return "it repeated what it was shown"
    if (spoken.copied and asks) or not says_anew(spoken.text, heard):
        return "it said nothing new"
    if asks and told_of_another(spoken.text, heard[0], notes):
        return "it gave for one what was told of another"
    if asks:
        alone = surface.about != "being" and _speaks_of_itself(spoken.text, heard[0])
        return "it said what it is, and no answer" if alone else ""
    return _untaken(spoken.text, heard[0])


def _untaken(text: str, message: str) -> str:
    """Why a reply does not take in what was told; empty: it does."""
    if _declines(text, message):
        return "it was told something, and said only that it does not know"
    return "it asked for what it was told" if _asks_what_was_told(text, message) else ""


def _asks_what_was_told(text: str, message: str) -> bool:
    """Whether a reply is one question that names nothing but what it was just told: "What is your favourite tea?"."""
    said = read_reply(text, KnownWords(message))
    asked, told = (stems(BRITISH.sub("or", one)) for one in (text, message))
    return [one.speech for one in said] == ["question"] and len(asked) > 1 and asked <= told


def _speaks_of_itself(text: str, message: str) -> bool:
    """Whether every sentence of a reply is of what it is or cannot do."""
    return {one.speech for one in read_reply(text, KnownWords(message))} == {"disclaimer"}


def _declines(text: str, message: str) -> bool:
    """Whether a reply says no more than that it does not know, was not told or cannot help."""
    said = {one.speech for one in read_reply(text, KnownWords(message))}
    return bool(said & {"unknowing", "disclaimer"}) and said <= {
        "unknowing",
        "disclaimer",
        "courtesy",
    }


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
