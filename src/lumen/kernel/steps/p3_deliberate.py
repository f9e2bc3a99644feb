"""Deliberate: what could be done, ways of saying it, and how they score.

The weights of the axes are the contour's; the axes that need more than words and recall come
with the steps that supply them.
"""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

from lumen.core.canon import JSON
from lumen.core.data import Author, Change, Held, Memory, Store
from lumen.core.errors import MindError
from lumen.core.untrusted import Untrusted
from lumen.kernel.axes import Ground, axes
from lumen.kernel.candidates import (
    CREATE,
    aligned,
    could_be_skill,
    for_goal,
    for_message,
    torn,
)
from lumen.kernel.completion import closed
from lumen.kernel.grounded import day, grounded, rests_on, too_small
from lumen.kernel.identity import Recalled
from lumen.kernel.lexicon import lexicon
from lumen.kernel.reading import words
from lumen.kernel.revise import LEARN
from lumen.kernel.score import behaviour, best, choice, gap
from lumen.kernel.slots import (
    Candidate,
    Choice,
    Contour,
    Decision,
    Draft,
    Drafts,
    Evidence,
    Ingested,
    Metrics,
    Now,
    Plan,
    Reality,
    Self,
    Stimulus,
    Surface,
)
from lumen.kernel.small import asks_for_fiction
from lumen.kernel.step import Hands, Mind, Recall, Skip, step

TALK_TOKENS = 48
THOUGHT_TOKENS = 120
VERDICT_TOKENS = 16
MOST_CANDIDATES = 3
ALWAYS = (CREATE, "chat")  # the kernel's own tool; and words are shown even when the skill is gone
NEAR_ENOUGH = 0.35  # evidence from here on is about a goal
FACTS = 3
SMALL_SPEAKS = "en"  # a small model makes no sentences in any other language


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
        authors = await mind.strong("orchestrator")
        written = hands.brought("write_file", stimulus.goal.name)
        facts = [] if written else near(reality)
        told = [f"{day(e.memory.timestamp, now)}: {e.quote}" for e in facts]
        found = for_goal(stimulus.goal, told, hands.can, authors=authors)
        if authors and found[0].skill not in (CREATE, "note"):
            known = hands.known()
            proposed, trouble = await thought_up(stimulus.goal, self_, reality, mind, now, known)
            found = (*proposed, *found)
    return Plan(
        candidates=tuple(
            replace(c, likely=hands.likely(c.skill))
            for c in aligned(found, self_.values, recall.likeness)
        ),
        trouble=trouble,
    )


def near(reality: Reality) -> list[Evidence]:
    """Evidence that is near enough to be about a goal.

    What is private stays in memory: a page can be read by any skill, and what a model is shown
    here can come back as the words of a search on the web.
    """
    return [e for e in reality.evidence if e.score >= NEAR_ENOUGH and not e.memory.private]


async def thought_up(
    goal: Held, self_: Self, reality: Reality, mind: Mind, now: Now, known: tuple[str, ...]
) -> tuple[tuple[Candidate, ...], str]:
    """What a model proposes to do for a goal; nothing, and why, when it does not help.

    `known` are the skills there are beside the shipped ones, in words of their own. A proposal
    must name what could be a skill: nobody is there to be spoken to, and how skills are made is
    for the kernel to say.
    """
    from lumen.kernel.outputs import Thoughts

    slots: dict[str, JSON] = {
        "name": self_.name,
        "author_name": self_.author_name,
        "goal": self_.shown("goal", goal.name),
        "values": [self_.shown("value", name) for name, _ in self_.values],
        "skills": [Untrusted(line, "skill") for line in known],
        "facts": [
            Recalled(f"{day(e.memory.timestamp, now)}: {e.quote}", e.memory.private)
            for e in near(reality)[:FACTS]
        ],
    }
    try:
        thoughts = await mind.ask_for(Thoughts, "orchestrator", "think", slots, THOUGHT_TOKENS)
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
        for t in thoughts.candidates[:MOST_CANDIDATES]
        if could_be_skill(t.skill)
    )
    return found, ""


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
    if stimulus.goal is not None:
        raise Skip("nobody spoke")
    own = grounded(stimulus, surface, reality, self_, now, contour)
    settled = surface.modality == "task" or reality.told or closed(stimulus.text, self_.goals)
    if own and settled:  # what cannot be done must not be promised, nor a day invented
        return Drafts(drafts=(own,))
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
    foreign = spoken.small and surface.language != SMALL_SPEAKS
    if foreign or parroted or not says_anew(spoken.text, heard):
        unknown = Draft(lexicon().phrases["unknown"], "grounded")
        silent = own or (too_small(surface) if spoken.small else unknown)
        trouble = "it speaks another language" if foreign else "it said nothing new"
        return Drafts(drafts=(silent,), trouble=trouble)
    kind = "small model" if spoken.small else "model"
    theirs = Draft(
        spoken.text.strip(),
        kind,
        rests_on(spoken.text, ingested.excerpt, useful),
        spoken.model,
        spoken.private,
        shown=tuple(e.memory.seq for e in useful),
    )
    if spoken.small and not own:
        own = too_small(surface)  # it speaks only where there is something to fall back on
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
    if not drafts.drafts:
        raise Skip("there is nothing to score")
    texts = tuple(d.text for d in drafts.drafts)
    nearness = recall.likeness(texts, ingested.excerpt)
    told = " ".join(e.quote for e in reality.evidence[:FACTS])
    heard = (m.text[: contour.excerpt] for m in reality.recent if m.author is Author.EXTERNAL)
    around = " ".join([self_.name, self_.author_name, *heard])
    asks = surface.modality == "question"
    fiction = asks_for_fiction(ingested.excerpt)
    ground = Ground(
        message=ingested.excerpt,
        told=told,
        around=around,
        asks_memory=asks and (surface.personal or surface.identity or reality.familiar),
        beyond_small=bool(reality.replaces)
        or (surface.modality in ("question", "task") and not fiction),
        statement=surface.modality == "statement",
        answered=reality.verdict == "strong" or surface.identity,
        fiction=fiction,
    )
    scores = [
        axes(d, near, ground, contour) for d, near in zip(drafts.drafts, nearness, strict=True)
    ]
    return Metrics(scores=tuple(scores))


@step(Store.GOAL_GAP)
async def decide(
    stimulus: Stimulus, plan: Plan, self_: Self, contour: Contour, mind: Mind, hands: Hands
) -> Decision:
    """B = M × A × P for every candidate; the highest is done, if it is wanted enough.

    What is wanted most and cannot be done becomes a goal to learn it. Ties go to a strong model,
    else to the order.
    """
    weights = dict(self_.values)
    goal = stimulus.goal
    scores = tuple(
        behaviour(
            [weights[v] for v in c.values],
            goal.weight if goal else None,
            able=c.skill in ALWAYS or hands.can(c.skill),
            tries=stimulus.tries,
        )
        for c in plan.candidates
    )
    # What is to be created may be there already, and wait for the author.
    about = [c.action if c.skill == CREATE else c.skill for c in plan.candidates]
    forbids = ["" if goal is None else hands.forbidden(name) for name in about]
    decision = Decision(scores=scores, allowed=tuple(not why for why in forbids))
    blocked = gap(scores)
    if blocked is not None:
        return _learn_first(decision, plan.candidates[blocked], blocked, forbids[blocked], self_)
    held = next((forbids[i] for i in best(scores) if forbids[i]), "")
    top = choice(scores, decision.allowed)
    if not top:
        return replace(decision, why=held or "nothing is wanted enough")
    chosen, broken = (top[0], "") if len(top) == 1 else await tie(plan, top, mind, goal)
    return replace(
        decision,
        chosen=chosen,
        why=f"{plan.candidates[chosen].skill}.{plan.candidates[chosen].action}",
        conflicts=torn(plan.candidates, scores, chosen, weights, contour.tension),
        held=held,
        tie=broken,
    )


def _learn_first(
    decision: Decision, wanted: Candidate, blocked: int, forbidden: str, self_: Self
) -> Decision:
    """What cannot be done becomes a goal, once; not what the author has switched off."""
    name = f"{LEARN}{wanted.skill}"
    if forbidden or any(g.name == name for g in self_.goals):
        return replace(decision, why=forbidden or f"I cannot {wanted.skill} yet")
    new = Held(name, round(decision.scores[blocked].motivation, 3), "todo")
    return replace(
        decision,
        why=f"I cannot {wanted.skill} yet: {name!r} is a goal now",
        changes=(Change(Store.GOAL_GAP, "add", new),),
    )


async def tie(plan: Plan, top: tuple[int, ...], mind: Mind, goal: Held | None) -> tuple[int, str]:
    """A strong model breaks a tie; without one, or when it names none of them, the first wins.

    The first wins in a conversation too: nobody waits there for a second model.
    """
    first = top[0], f"the first of {len(top)} that tie"
    if goal is None or not await mind.strong("orchestrator"):
        return first
    from lumen.kernel.outputs import Verdict

    options = [
        Untrusted(f"{plan.candidates[i].skill}: {plan.candidates[i].prediction}", "plan")
        for i in top
    ]
    slots: dict[str, JSON] = {"options": options}
    try:
        verdict = await mind.ask_for(Verdict, "orchestrator", "decide", slots, VERDICT_TOKENS)
    except MindError as error:
        return top[0], f"{first[1]}: {error.what}"
    if not 1 <= verdict.number <= len(top):
        return top[0], f"{first[1]}: the model named none of them"
    return top[verdict.number - 1], f"the model broke a tie of {len(top)}"


@step()
async def lambda_select(decision: Decision, drafts: Drafts, metrics: Metrics) -> Choice:
    """The draft with the highest Λ speaks; on a tie the more truthful one."""
    if not drafts.drafts:
        raise Skip("nobody spoke")
    if decision.chosen < 0:
        unwilling = Draft(lexicon().phrases["unwilling"], "grounded")
        return Choice(draft=unwilling, notes=decision.why)
    ranked = sorted(
        zip(drafts.drafts, metrics.scores, strict=True),
        key=lambda pair: (pair[1].total, pair[1].truthfulness, -pair[1].servility),
        reverse=True,
    )
    best, score = ranked[0]
    others = ", ".join(f"{d.kind} {s.total:.2f}" for d, s in ranked[1:])
    notes = f"{best.kind} draft, Λ {score.total:.2f}" + (f" over {others}" if others else "")
    return Choice(draft=best, total=score.total, notes=notes)
