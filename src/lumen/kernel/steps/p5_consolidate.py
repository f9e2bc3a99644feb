"""Consolidate: compare what came of the action with what was expected of it."""

from __future__ import annotations

from lumen.core.data import Change, Held, Store
from lumen.core.errors import MindError
from lumen.kernel.score import delta
from lumen.kernel.slots import Acted, Candidate, Decision, Evaluation, Plan, Reply, Stimulus
from lumen.kernel.step import Mind, Recall, step

TELL_TOKENS = 32
WORTH_TELLING = 0.3  # a smaller surprise is none


@step(Store.GOAL_STATUS)
async def post_eval(
    stimulus: Stimulus,
    plan: Plan,
    decision: Decision,
    acted: Acted,
    reply: Reply,
    recall: Recall,
    mind: Mind,
) -> Evaluation:
    """The signed difference between prediction and outcome, by code; a model only describes it."""
    if decision.chosen < 0 and stimulus.goal is not None:
        return Evaluation(outcome=f"nothing was done: {decision.why}")
    chosen = plan.candidates[decision.chosen]
    if not acted.ran:
        outcome = "said" if reply.delivered else f"the skill failed: {reply.error}"
        off = 0.0 if reply.delivered else -1.0
        return Evaluation(
            outcome=outcome, prediction=chosen.prediction, delta=off, progress=reply.delivered
        )
    outcome = came_of(acted)
    (nearness,) = recall.likeness((outcome,), chosen.prediction)
    off = delta(ok=worked(acted), likely=chosen.likely, distance=1.0 - max(0.0, nearness))
    reached = worked(acted) and chosen.completes
    return Evaluation(
        outcome=outcome,
        prediction=chosen.prediction,
        delta=off,
        progress=worked(acted),
        completed=(stimulus.goal.name,) if stimulus.goal and reached else (),
        described=await described(chosen, outcome, off, mind) if stimulus.goal else "",
        changes=moved(stimulus.goal, reached=reached) if stimulus.goal else (),
    )


def worked(acted: Acted) -> bool:
    """Whether an action brought anything: a search that finds nothing did not."""
    return acted.ok and acted.found > 0


def came_of(acted: Acted) -> str:
    """The outcome in words."""
    if not acted.ok:
        return f"the skill failed: {acted.error}"
    return acted.text or "nothing was found"


def moved(goal: Held, *, reached: bool) -> tuple[Change, ...]:
    """A goal that was pursued is being worked on, and done when it is reached."""
    states = (["working"] if goal.status == "todo" else []) + (["done"] if reached else [])
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
