"""Consolidate: compare what came of the action with what was expected of it."""

from __future__ import annotations

from dataclasses import replace

from lumen.core.data import Change, Held, Store
from lumen.core.errors import MindError
from lumen.kernel.completion import closed, reached, worked
from lumen.kernel.score import delta
from lumen.kernel.slots import (
    Acted,
    Candidate,
    Decision,
    Evaluation,
    Plan,
    Reply,
    Self,
    Stimulus,
)
from lumen.kernel.step import Hands, Mind, Recall, step

TELL_TOKENS = 32
WORTH_TELLING = 0.3  # a smaller surprise is none


@step(Store.GOAL_STATUS)
async def post_eval(
    stimulus: Stimulus,
    plan: Plan,
    decision: Decision,
    acted: Acted,
    reply: Reply,
    self_: Self,
    recall: Recall,
    mind: Mind,
    hands: Hands,
) -> Evaluation:
    """The signed difference between prediction and outcome, by code; a model only describes it."""
    if decision.chosen < 0 and stimulus.goal is not None:
        return Evaluation(outcome=f"nothing was done: {decision.why}")
    authors = stimulus.goal is None and not stimulus.guest
    if authors and (done := closed(stimulus.text, self_.goals)):
        return ended(done, reply)
    if decision.chosen < 0 or not acted.ran:
        return spoken(reply, plan.candidates[decision.chosen :][:1])
    chosen = plan.candidates[decision.chosen]
    outcome = came_of(acted)
    (nearness,) = recall.likeness((outcome,), chosen.prediction)
    off = delta(ok=worked(acted), likely=chosen.likely, distance=1.0 - max(0.0, nearness))
    goal = stimulus.goal
    over = bool(goal and worked(acted) and reached(goal, chosen, acted, hands.holds))
    return Evaluation(
        outcome=outcome,
        prediction=chosen.prediction,
        delta=off,
        progress=worked(acted),
        completed=(goal.name,) if goal and over else (),
        described=await described(chosen, outcome, off, mind) if goal else "",
        changes=moved(goal, done=over) if goal else (),
    )


def spoken(reply: Reply, expected: tuple[Candidate, ...]) -> Evaluation:
    """What came of words alone; nothing was expected of them where nothing could be done."""
    return Evaluation(
        outcome="said" if reply.delivered else f"the skill failed: {reply.error}",
        prediction=expected[0].prediction if expected else "",
        delta=0.0 if reply.delivered else -1.0,
        progress=reply.delivered,
    )


def came_of(acted: Acted) -> str:
    """The outcome in words."""
    if not acted.ok:
        return f"the skill failed: {acted.error}"
    return acted.text or "nothing was found"


def ended(goal: Held, reply: Reply) -> Evaluation:
    """A goal that the author says is done."""
    return replace(
        spoken(reply, ()), completed=(goal.name,), progress=True, changes=moved(goal, done=True)
    )


def moved(goal: Held, *, done: bool) -> tuple[Change, ...]:
    """A goal that was pursued is being worked on, and done when it is reached."""
    states = (["working"] if goal.status == "todo" else []) + (["done"] if done else [])
    return tuple(
        Change(Store.GOAL_STATUS, "move", Held(goal.name, goal.weight, state)) for state in states
    )


async def described(chosen: Candidate, outcome: str, off: float, mind: Mind) -> str:
    """A strong model's sentence on a surprise; it changes no number."""
    if abs(off) < WORTH_TELLING or not await mind.strong("orchestrator"):
        return ""
    from lumen.core.untrusted import Untrusted
    from lumen.kernel.outputs import Told

    slots: dict[str, object] = {
        "prediction": Untrusted(chosen.prediction, "plan"),
        "outcome": Untrusted(outcome, chosen.skill),
        "delta": f"{off:+.2f}",
    }
    try:
        return (await mind.ask_for(Told, "orchestrator", "record", slots, TELL_TOKENS)).text
    except MindError:
        return ""
