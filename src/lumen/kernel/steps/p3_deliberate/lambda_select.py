"""Choose: B = M × A × P says what is done, then Λ says in which words."""

from __future__ import annotations

from dataclasses import dataclass, replace

from lumen.core.canon import JSON
from lumen.core.data import Change, SelfItem
from lumen.core.errors import MindError
from lumen.core.exposure import Plain, Quote
from lumen.core.stores import Store
from lumen.core.trust import Ability
from lumen.core.untrusted import Untrusted
from lumen.kernel.choice.candidates import CREATE, KEEP, Candidate, torn
from lumen.kernel.choice.score import Behaviour, behaviour, best, choice, gap
from lumen.kernel.contour.capabilities import Hands, Mind
from lumen.kernel.contour.policy import Parameters
from lumen.kernel.contour.slots import Draft, Self, Slot, Stimulus
from lumen.kernel.contour.step import step
from lumen.kernel.gate.revise import LEARN
from lumen.kernel.language.lexicon import lexicon
from lumen.kernel.reflection.triggers import Thresholds
from lumen.kernel.steps.p1_perceive import Surface
from lumen.kernel.steps.p3_deliberate.axes import Axes
from lumen.kernel.steps.p3_deliberate.drafts import Drafts
from lumen.kernel.steps.p3_deliberate.metrics_engine import Metrics
from lumen.kernel.steps.p3_deliberate.plan import Plan

ALWAYS = (
    CREATE,
    KEEP,
    "chat",
)  # the kernel's own tools; and words are shown even when the skill is gone

NO_DRAFT = Draft("", "none")


@dataclass(frozen=True, slots=True)
class Choosing(Parameters):
    """When values pull apart, and how much a model may say that breaks a tie."""

    close: float  # a candidate that scores so little less was passed up
    pairs: int  # of values that are told of
    tokens: int


@dataclass(frozen=True, slots=True)
class Selection(Slot):
    """What is done, by every candidate's B = M × A × P; and the draft that won, by its Λ."""

    scores: Plain[tuple[Behaviour, ...]] = ()
    chosen: Plain[int] = -1  # nothing is done
    why: Quote[str] = ""
    conflicts: Quote[tuple[tuple[str, str], ...]] = ()  # values that pull apart here
    allowed: Plain[tuple[bool, ...]] = ()  # which candidates may be taken without asking
    held: Quote[str] = ""  # why the best may not, where that is so
    tie: Quote[str] = ""  # who broke one
    draft: Plain[Draft] = NO_DRAFT
    total: Plain[float] = 0.0
    notes: Quote[str] = ""  # which draft won, and over what

    def said(self) -> str:
        """What won, with every score."""
        told = ", ".join(f"{s.total:.2f}" for s in self.scores)
        more = [*([f"B {told}"] if told else []), *filter(None, (self.tie, self.held))]
        done = f"{self.why} ({'; '.join(more)})" if more else self.why
        return "; ".join(filter(None, (done, self.notes)))


@step(Store.GOAL_GAP)
async def lambda_select(
    stimulus: Stimulus,
    plan: Plan,
    drafts: Drafts,
    metrics: Metrics,
    surface: Surface,
    self_: Self,
    mind: Mind,
    hands: Hands,
    limits: Thresholds,
    choosing: Choosing,
) -> Selection:
    """B = M × A × P chooses what is done, if it is wanted enough; then the draft with the highest Λ speaks.

    What is wanted most and cannot be done becomes a goal to learn it. Ties between actions go to a
    strong model, else to the order; between drafts to the more truthful one.
    """
    decided = await decide(stimulus, plan, self_, mind, hands, choosing)
    if decided.chosen >= 0 and stimulus.goal is not None:  # what comes of words is not known yet
        heavy = {name for name, weight in self_.values if weight >= limits.tension}
        pulled = torn(
            plan.candidates, decided.scores, decided.chosen, heavy, choosing.close, choosing.pairs
        )
        decided = replace(decided, conflicts=pulled)
    selected = spoken(decided, drafts, metrics)
    return unwilling(selected, plan, surface.language) if _held_back(selected, plan) else selected


def _held_back(decided: Selection, plan: Plan) -> bool:
    """Whether nothing is said to a message, as what bears on it weighs too little."""
    return decided.chosen < 0 and any(c.bears for c in plan.candidates) and bool(decided.scores)


def unwilling(decided: Selection, plan: Plan, language: str) -> Selection:
    """The one sentence that says which value holds it back, and how to change that."""
    lowest = min((b for c in plan.candidates for b in c.bears), key=lambda b: b.weight)
    said = lexicon().phrase(
        "held_back",
        language,
        value=lowest.value,
        weight=f"{lowest.weight:.2f}",
        quoted=lowest.value if lowest.value.isalnum() else f"'{lowest.value}'",
    )
    why = f"{decided.why}: {lowest.value} {lowest.weight:.2f} holds it back"
    return replace(decided, draft=Draft(said, "grounded"), why=why, notes=why)


async def decide(
    stimulus: Stimulus, plan: Plan, self_: Self, mind: Mind, hands: Hands, choosing: Choosing
) -> Selection:
    """What is done: the best of what is wanted enough and allowed, or nothing, and why."""
    weights = dict(self_.values)
    goal = stimulus.goal
    scores = tuple(
        behaviour(
            [weights[v] for v in c.values],
            goal.weight if goal else None,
            able=c.skill in ALWAYS or hands.can(c.skill),
            tries=stimulus.tries,
            prompted=c.prompted,
        )
        for c in plan.candidates
    )
    # What is to be created may be there already, and wait for the author.
    about = [c.action if c.skill == CREATE else c.skill for c in plan.candidates]
    forbids = ["" if goal is None else hands.forbidden(name) for name in about]
    decided = Selection(scores=scores, allowed=tuple(not why for why in forbids))
    blocked = gap(scores)
    if blocked is not None:
        return _learn_first(decided, plan.candidates[blocked], blocked, forbids[blocked], self_)
    held = next((forbids[i] for i in best(scores) if forbids[i]), "")
    top = choice(scores, decided.allowed)
    if not top:
        return replace(decided, why=held or "nothing is wanted enough")
    first = (top[0], "")
    chosen, broken = first if len(top) == 1 else await tie(plan, top, mind, goal, choosing.tokens)
    won = plan.candidates[chosen]
    return replace(decided, chosen=chosen, why=f"{won.skill}.{won.action}", held=held, tie=broken)


def _learn_first(
    decided: Selection, wanted: Candidate, blocked: int, forbidden: str, self_: Self
) -> Selection:
    """What cannot be done becomes a goal, once; not what the author has switched off."""
    name = f"{LEARN}{wanted.skill}"
    if forbidden or any(g.name == name for g in self_.goals):
        return replace(decided, why=forbidden or f"I cannot {wanted.skill} yet")
    new = SelfItem(name, round(decided.scores[blocked].motivation, 3), "todo")
    return replace(
        decided,
        why=f"I cannot {wanted.skill} yet: {name!r} is a goal now",
        changes=(Change(Store.GOAL_GAP, "add", new),),
    )


async def tie(
    plan: Plan, top: tuple[int, ...], mind: Mind, goal: SelfItem | None, tokens: int
) -> tuple[int, str]:
    """A strong model breaks a tie; without one, or when it names none of them, the first wins.

    The first wins in a conversation too: nobody waits there for a second model.
    """
    first = top[0], f"the first of {len(top)} that tie"
    if goal is None or not await mind.may(Ability.JSON, "orchestrator"):
        return first
    from lumen.kernel.models.outputs import Verdict

    options = [
        Untrusted(f"{plan.candidates[i].skill}: {plan.candidates[i].prediction}", "plan")
        for i in top
    ]
    slots: dict[str, JSON] = {"options": options}
    try:
        verdict = await mind.ask_for(Verdict, "orchestrator", "decide", slots, tokens)
    except MindError as error:
        return top[0], f"{first[1]}: {error.what}"
    if not 1 <= verdict.number <= len(top):
        return top[0], f"{first[1]}: the model named none of them"
    return top[verdict.number - 1], f"the model broke a tie of {len(top)}"


def spoken(decided: Selection, drafts: Drafts, metrics: Metrics) -> Selection:
    """The same with the draft that speaks: the highest Λ, on a tie the more truthful one."""
    if not drafts.drafts:
        return decided
    if decided.chosen < 0:
        unwilling = Draft(lexicon().phrases["unwilling"], "grounded")
        return replace(decided, draft=unwilling, notes=decided.why)
    if not metrics.scores:
        first = drafts.drafts[0]
        return replace(decided, draft=first, notes=f"{first.kind} draft, not scored")
    (won, score), *behind = ranked(metrics)
    others = ", ".join(f"{d.kind} {s.total:.2f}" for d, s in behind)
    notes = f"{won.kind} draft, Λ {score.total:.2f}" + (f" over {others}" if others else "")
    return replace(decided, draft=won, total=score.total, notes=notes)


def ranked(metrics: Metrics) -> list[tuple[Draft, Axes]]:
    """The texts that compete, best first: what may be believed, then by Λ, T and the lower SSS.

    No charm outweighs what nothing supports: Λ is compared under the contracts.
    """
    every = zip(metrics.scored, metrics.scores, metrics.believed, strict=True)
    best = sorted(
        every,
        key=lambda one: (one[2], one[1].total, one[1].truthfulness, -one[1].servility),
        reverse=True,
    )
    return [(draft, score) for draft, score, _ in best]
