"""START HERE: what a being does, in order.

A loop is a row of steps and what it may write. The order below is the order of execution; the
import fails, naming the step, when a step reads what no earlier one wrote or asks for a store its
loop is not granted. The full turn has 36 steps: the row grows here, under the names the steps
keep. Explore and reflection are rows of their own.
"""

from __future__ import annotations

from lumen.kernel.commit import GRANTS
from lumen.kernel.step import Beat, Loop
from lumen.kernel.steps import explore, p1_perceive, p3_deliberate, p4_act, p5_consolidate, reflect

ACTION = Loop(
    "action",
    GRANTS["action"],
    beats=(
        Beat(
            "think",
            (
                p1_perceive.ingest,
                p1_perceive.surface_parse,
                p1_perceive.reality_check,
                p3_deliberate.plan,
                p3_deliberate.drafts,
                p3_deliberate.metrics_engine,
            ),
        ),
        Beat("decide", (p3_deliberate.decide, p3_deliberate.lambda_select)),
        Beat("act", (p4_act.optional_tool_calls, p4_act.compose_final)),
        Beat("record", (p5_consolidate.post_eval,)),
    ),
)

EXPLORE = Loop(
    "explore",
    GRANTS["explore"],
    beats=(Beat("explore", (explore.explore, explore.investigate, explore.remember)),),
)

REFLECTION = Loop(
    "reflection",
    GRANTS["reflection"],
    beats=(
        Beat("review", (reflect.review,)),
        Beat("ask", (reflect.ask,)),
        Beat("evolve", (reflect.evolve,)),
    ),
)
