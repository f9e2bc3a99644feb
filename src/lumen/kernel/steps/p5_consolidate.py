"""Consolidate: compare what came of the action with what was expected of it."""

from __future__ import annotations

from dataclasses import dataclass, replace

from lumen.core.data import Change, SelfItem
from lumen.core.errors import MindError
from lumen.core.exposure import Plain, Quote
from lumen.core.payloads import CyclePayload, SpokenPayload
from lumen.core.stores import Store
from lumen.core.trust import Ability
from lumen.kernel.choice.candidates import Candidate
from lumen.kernel.choice.completion import closed, reached
from lumen.kernel.choice.score import delta
from lumen.kernel.contour.capabilities import Hands, Mind
from lumen.kernel.contour.policy import Parameters
from lumen.kernel.contour.slots import Self, Slot, Slots, Stimulus
from lumen.kernel.contour.step import step
from lumen.kernel.recall.evidence import Recall
from lumen.kernel.steps.p3_deliberate.lambda_select import Selection
from lumen.kernel.steps.p3_deliberate.plan import Plan
from lumen.kernel.steps.p4_act import Acted, Reply


@dataclass(frozen=True, slots=True)
class Comparing(Parameters):
    """When a surprise is worth a sentence."""

    worth_telling: float  # a smaller surprise is none
    tokens: int


@dataclass(frozen=True, slots=True)
class Evaluation(Slot):
    """What came of the action, against what was predicted."""

    outcome: Quote[str] = ""
    prediction: Quote[str] = ""
    delta: Plain[float] = 0.0
    progress: Plain[bool] = False
    completed: Quote[tuple[str, ...]] = ()
    described: Quote[str] = ""  # by a model, if one was there to

    def said(self) -> str:
        """Outcome and surprise."""
        if not self.prediction:
            return self.outcome
        return f"{self.outcome}; predicted: {self.prediction}; delta {self.delta:+.2f}"

    def cycle(self, stimulus: Stimulus, slots: Slots) -> CyclePayload:
        """What an action cycle came to."""
        plan, selection = slots[Plan], slots[Selection]
        acted, goal = slots[Acted], stimulus.goal
        done = selection.chosen >= 0
        ok = acted.worked() if acted.ran else slots[Reply].delivered
        cycle: CyclePayload = {
            "loop": "action",
            "goal": goal.name if goal else next(iter(self.completed), ""),
            "skill": plan.candidates[selection.chosen].skill if done else "",
            "ok": ok if done else True,
            "progress": self.progress,
            "completed": bool(self.completed),
            "delta": self.delta,
            "chosen": selection.chosen,
            "options": [
                {
                    "values": list(c.values),
                    "goal": goal.weight if goal else None,
                    "able": bool(s.ability),
                    "tries": stimulus.tries,
                    "allowed": allowed,
                    "prompted": c.prompted,
                }
                for c, s, allowed in zip(
                    plan.candidates, selection.scores, selection.allowed, strict=False
                )
            ],
            "conflicts": [list(pair) for pair in selection.conflicts],
        }
        if goal is None:
            cycle["spoken"] = spoken_as(plan, selection)
        return cycle


def spoken_as(plan: Plan, selection: Selection) -> SpokenPayload:
    """The kind of reply that was given, where it is one of speaking, and how likely it was taken up."""
    chosen = (
        plan.candidates[selection.chosen : selection.chosen + 1] if selection.chosen >= 0 else ()
    )
    for one in chosen:
        if one.skill == "chat":
            return {"kind": one.action, "likely": one.likely}
    return {"kind": plan.kind or "answer", "likely": plan.likely}


@step(Store.GOAL_STATUS)
async def post_eval(
    stimulus: Stimulus,
    plan: Plan,
    selection: Selection,
    acted: Acted,
    reply: Reply,
    self_: Self,
    recall: Recall,
    mind: Mind,
    hands: Hands,
    comparing: Comparing,
) -> Evaluation:
    """The signed difference between prediction and outcome, by code; a model only describes it."""
    if selection.chosen < 0 and stimulus.goal is not None:
        return Evaluation(outcome=f"nothing was done: {selection.why}")
    authors = stimulus.goal is None and not stimulus.guest
    if authors and (done := closed(stimulus.text, self_.goals)):
        return ended(done, reply)
    if selection.chosen < 0 or not acted.ran:
        return spoken(reply, plan.candidates[selection.chosen :][:1])
    chosen = plan.candidates[selection.chosen]
    outcome = came_of(acted)
    (nearness,) = recall.likeness((outcome,), chosen.prediction)
    off = delta(ok=acted.worked(), likely=chosen.likely, distance=1.0 - max(0.0, nearness))
    goal = stimulus.goal
    over = bool(goal and acted.worked() and reached(goal, chosen, acted.text, hands.holds))
    return Evaluation(
        outcome=outcome,
        prediction=chosen.prediction,
        delta=off,
        progress=acted.worked(),
        completed=(goal.name,) if goal and over else (),
        described=await described(chosen, outcome, off, mind, comparing) if goal else "",
        changes=moved(goal, done=over) if goal else (),
    )


def spoken(reply: Reply, expected: tuple[Candidate, ...]) -> Evaluation:
    """What came of words alone; nothing was expected of them where nothing could be done.

    Words that could not be delivered were not heard: that says nothing of the values that chose them, and
    whoever breaks the skill that says them must not move a value by it.
    """
    return Evaluation(
        outcome="said" if reply.delivered else f"the skill failed: {reply.error}",
        prediction=expected[0].prediction if expected else "",
        progress=reply.delivered,
    )


def came_of(acted: Acted) -> str:
    """The outcome in words."""
    if not acted.ok:
        return f"the skill failed: {acted.error}"
    return acted.text or "nothing was found"


def ended(goal: SelfItem, reply: Reply) -> Evaluation:
    """A goal that the author says is done."""
    return replace(
        spoken(reply, ()), completed=(goal.name,), progress=True, changes=moved(goal, done=True)
    )


def moved(goal: SelfItem, *, done: bool) -> tuple[Change, ...]:
    """A goal that was pursued is being worked on, and done when it is reached."""
    states = (["working"] if goal.status == "todo" else []) + (["done"] if done else [])
    return tuple(
        Change(Store.GOAL_STATUS, "move", SelfItem(goal.name, goal.weight, state))
        for state in states
    )


async def described(
    chosen: Candidate, outcome: str, off: float, mind: Mind, comparing: Comparing
) -> str:
    """A strong model's sentence on a surprise; it changes no number."""
    if abs(off) < comparing.worth_telling or not await mind.may(Ability.JSON, "orchestrator"):
        return ""
    from lumen.core.untrusted import Untrusted
    from lumen.kernel.models.outputs import Told

    slots: dict[str, object] = {
        "prediction": Untrusted(chosen.prediction, "plan"),
        "outcome": Untrusted(outcome, chosen.skill),
        "delta": f"{off:+.2f}",
    }
    try:
        return (await mind.ask_for(Told, "orchestrator", "record", slots, comparing.tokens)).text
    except MindError:
        return ""
