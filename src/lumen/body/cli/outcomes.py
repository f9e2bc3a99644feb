"""`lumen outcomes`: what became of its replies, by what you said next."""

from __future__ import annotations

from collections.abc import Sequence

from lumen.app.outcomes import OutcomeCounts, outcomes_of
from lumen.body.cli.command import command
from lumen.body.cli.render import Listed
from lumen.body.cli.request import CommandRequest

BLOCKS = "▁▂▃▄▅▆▇█"
TITLES = (
    "reply",
    "accepted",
    "praised",
    "ignored",
    "asked again",
    "corrected",
    "predicted",
    "came",
    "trend",
)
NONE = "No reply was closed yet: the next message of a conversation closes the last turn."


@command("outcomes", for_skills=True)
def outcomes(request: CommandRequest) -> Listed[OutcomeCounts]:
    """What became of its replies, by kind, and how that agrees with what was expected."""
    with request.looking() as look:
        return Listed(outcomes_of(look.state), _row, TITLES, NONE)


def _row(one: OutcomeCounts) -> Sequence[str]:
    counts = (one.accepted, one.praised, one.ignored, one.asked_again, one.corrected)
    means = (f"{one.prediction:.2f}", f"{one.outcome:.2f}")
    return (one.kind.replace("_", " "), *map(str, counts), *means, trend_line(one.trend))


def trend_line(values: Sequence[float]) -> str:
    """What the last replies came to, a block each, the newest last."""
    most = len(BLOCKS) - 1
    return "".join(BLOCKS[round(max(0.0, min(1.0, value)) * most)] for value in values)
