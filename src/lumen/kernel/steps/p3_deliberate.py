"""Deliberate: what could be done, ways of saying it, and how they score.

The weights of the axes are the contour's; the axes that need more than words and recall come
with the steps that supply them.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import pairwise

from lumen.core.data import Author, Memory
from lumen.core.errors import MindError
from lumen.kernel.grounded import bears, day, grounded
from lumen.kernel.lexicon import lexicon
from lumen.kernel.reading import names, numbers, stem, words
from lumen.kernel.slots import (
    Axes,
    Candidate,
    Choice,
    Contour,
    Draft,
    Drafts,
    Ingested,
    Metrics,
    Now,
    Plan,
    Reality,
    Self,
    Stimulus,
    Surface,
)
from lumen.kernel.step import Mind, Recall, Recalled, step

TALK_TOKENS = 48
FREE_WORDS = 3  # a small model may bring so many words of its own; more count as invention
FACTS = 3
SAID_BACK = 0.75  # how much of a statement a small model must take up to have understood it
DENIED = 0.2  # what is left of the truth of a draft that denies or misses what was told


@step()
async def plan(surface: Surface) -> Plan:
    """What could be done: for a conversation, say something through the chat skill."""
    expected = {"question": "the answer is accepted", "statement": "the author goes on"}
    prediction = expected.get(surface.modality, "the conversation goes on")
    return Plan(candidates=(Candidate("chat", "say", prediction),))


@step()
async def drafts(
    stimulus: Stimulus,
    ingested: Ingested,
    surface: Surface,
    reality: Reality,
    self_: Self,
    now: Now,
    contour: Contour,
    mind: Mind,
) -> Drafts:
    """One draft from evidence alone, one from the model; a model that fails leaves the first."""
    own = grounded(stimulus, surface, reality, self_, now, contour)
    if own and (surface.modality == "task" or reality.told):
        return Drafts(drafts=(own,))  # what cannot be done must not be promised, nor a day invented
    useful = [e for e in reality.evidence if e.score >= contour.middling][:FACTS]
    shown = {m.seq for m in reality.recent}  # what stands in the exchanges is not told twice
    slots = {
        "name": self_.name,
        "author_name": self_.author_name,
        "kind": _kind(surface),
        "message": ingested.excerpt,
        "facts": [
            Recalled(f"{day(e.memory.timestamp, now)}: {e.quote}", e.memory.private)
            for e in useful
            if e.memory.seq not in shown
        ],
        "recent": exchanges(reality.recent, contour.excerpt // 4),
    }
    try:
        spoken = await mind.ask("drafts", slots, TALK_TOKENS)
    except MindError as error:
        left = own if own and surface.modality != "question" else None
        drafts = (left or _without_model(own, error.what),)
        return Drafts(drafts=drafts, trouble=error.what, fix=error.fix)
    heard = (ingested.excerpt, *(m.text[: contour.excerpt] for m in reality.recent))
    parroted = spoken.copied and surface.modality in ("question", "task")
    if parroted or not says_anew(spoken.text, heard):
        silent = own or Draft(lexicon().phrases["unknown"], "grounded")
        return Drafts(drafts=(silent,), trouble="it said nothing new")
    sources = tuple(e.memory.seq for e in useful)
    kind = "small model" if spoken.small else "model"
    theirs = Draft(spoken.text.strip(), kind, sources, spoken.model, spoken.private)
    return Drafts(drafts=(own, theirs) if own else (theirs,))


def _kind(surface: Surface) -> str:
    """What a template goes by: a task is put as a question, a statement by its mood."""
    if surface.modality == "task":
        return "question"
    return surface.mood or "statement" if surface.modality == "statement" else surface.modality


def says_anew(text: str, said: tuple[str, ...]) -> bool:
    """Whether a text says anything, and anything that was not just said in the same words."""
    spoken = words(text)
    return any(c.isalnum() for c in text) and all(spoken != words(s) for s in said)


def exchanges(recent: tuple[Memory, ...], longest: int) -> list[dict[str, Recalled]]:
    """Recent memories as pairs of what was said and what was answered."""
    pairs: list[dict[str, Recalled]] = []
    for said, reply in pairwise(recent):
        if said.session_key == reply.session_key and reply.author is Author.SELF:
            pairs.append(
                {
                    "said": Recalled(said.text[:longest], said.private),
                    "reply": Recalled(reply.text[:longest], reply.private),
                }
            )
    return pairs


def _without_model(own: Draft | None, trouble: str) -> Draft:
    """Never empty, never invented: say that the model failed, and what is known all the same."""
    phrases = lexicon().phrases
    opening = phrases["unreachable"].format(trouble=trouble)
    if own is None:
        return Draft(opening + phrases["nothing_known"], "grounded")
    return replace(own, text=opening + own.text)


@step()
async def metrics_engine(
    ingested: Ingested,
    surface: Surface,
    reality: Reality,
    drafts: Drafts,
    self_: Self,
    recall: Recall,
    contour: Contour,
) -> Metrics:
    """Score every draft in code: truthful, to the point, its own voice; not servile, not cocksure."""
    texts = tuple(d.text for d in drafts.drafts)
    nearness = recall.likeness(texts, ingested.excerpt)
    told = " ".join(e.quote for e in reality.evidence[:FACTS])
    heard = (m.text[: contour.excerpt] for m in reality.recent if m.author is Author.EXTERNAL)
    around = " ".join([self_.name, self_.author_name, *heard])
    asks = surface.modality == "question"
    ground = Ground(
        message=ingested.excerpt,
        told=told,
        around=around,
        asks_memory=asks and (surface.personal or surface.identity or reality.familiar),
        beyond_small=bool(reality.replaces)
        or (asks and (surface.advice or bears(reality, contour))),
        statement=surface.modality == "statement",
        answered=reality.verdict == "strong" or surface.identity,
    )
    scores = [
        _axes(d, near, ground, contour) for d, near in zip(drafts.drafts, nearness, strict=True)
    ]
    return Metrics(scores=tuple(scores))


@dataclass(frozen=True, slots=True)
class Ground:
    """What a draft may lean on."""

    message: str
    told: str
    around: str
    asks_memory: bool
    beyond_small: bool  # what a small model must not be trusted with
    statement: bool
    answered: bool  # what is known answers the question


def _axes(draft: Draft, near: float, ground: Ground, contour: Contour) -> Axes:
    lex = lexicon()
    own = draft.kind == "grounded"
    truth = 1.0 if own else truthfulness(draft, ground)
    precision = 0.8 if own else max(0.0, min(1.0, 0.5 + near / 2))
    freedom = 0.2 if own else 0.8
    servility = 0.0 if own else min(1.0, 0.5 * len(lex.found("servility", draft.text)))
    cocksure = 0.0 if own else min(1.0, 0.25 * len(lex.found("overconfidence", draft.text)))
    total = (
        contour.truthfulness * truth
        + contour.precision * precision
        + contour.freedom * freedom
        - contour.servility * servility
        - contour.overconfidence * cocksure
    )
    return Axes(truth, precision, freedom, servility, cocksure, total)


def truthfulness(draft: Draft, ground: Ground) -> float:
    """How little a draft brings that nothing supports: invented names and figures weigh most.

    Asked about the author's life, what was told is the only truth: a draft must bring some of it,
    and whatever it adds counts against it. A small model is never believed there, nor when it
    gives advice: it puts true words into false sentences. Elsewhere it is held to its words.
    """
    asked, told = _stems(ground.message), _stems(ground.told)
    known = asked | told | _stems(ground.around)
    invented = [w for w in names(draft.text) | numbers(draft.text) if stem(w) not in known]
    strange = [w for w in words(draft.text) if stem(w) not in known]
    small = draft.kind == "small model"
    if small and (ground.asks_memory or ground.beyond_small):
        return DENIED / 2
    if small and ground.statement and len(asked & _stems(draft.text)) < SAID_BACK * len(asked):
        return DENIED  # it answers something, but not what was said
    if ground.asks_memory:
        hedged = lexicon().has("hedge", draft.text)
        right = not ground.answered if hedged else bool(_stems(draft.text) & (told - asked))
        return (1.0 if right else DENIED) / (1.0 + len(invented) + 0.25 * len(strange))
    loose = max(0, len(strange) - FREE_WORDS) if small else 0
    return 1.0 / (1.0 + len(invented) + 0.25 * loose)


def _stems(text: str) -> set[str]:
    return {stem(w) for w in words(text)}


@step()
async def lambda_select(drafts: Drafts, metrics: Metrics) -> Choice:
    """The draft with the highest Λ speaks; on a tie the more truthful one."""
    ranked = sorted(
        zip(drafts.drafts, metrics.scores, strict=True),
        key=lambda pair: (pair[1].total, pair[1].truthfulness, -pair[1].servility),
        reverse=True,
    )
    best, score = ranked[0]
    others = ", ".join(f"{d.kind} {s.total:.2f}" for d, s in ranked[1:])
    notes = f"{best.kind} draft, Λ {score.total:.2f}" + (f" over {others}" if others else "")
    return Choice(draft=best, total=score.total, notes=notes)
