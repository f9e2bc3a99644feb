"""Consolidate: compare what came of the action with what was expected of it."""

from __future__ import annotations

from lumen.kernel.slots import Evaluation, Plan, Reply
from lumen.kernel.step import step


@step()
async def post_eval(plan: Plan, reply: Reply) -> Evaluation:
    """The signed difference between prediction and outcome, by what the skill declared."""
    outcome = "said" if reply.delivered else f"the skill failed: {reply.error}"
    return Evaluation(
        outcome=outcome,
        prediction=plan.candidates[0].prediction,
        delta=0.0 if reply.delivered else -1.0,
    )
