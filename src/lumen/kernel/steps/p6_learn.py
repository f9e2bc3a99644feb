"""Learn: the author's next message says what became of the last reply, and that is kept."""

from __future__ import annotations

from dataclasses import dataclass, replace

from lumen.core.canon import JSON
from lumen.core.clock import Now, parse_stamp
from lumen.core.data import Change, Memory
from lumen.core.exposure import Plain
from lumen.core.stores import Store
from lumen.kernel.contour.policy import Parameters
from lumen.kernel.contour.slots import OpenTurn, Slot, Stimulus
from lumen.kernel.contour.state import State
from lumen.kernel.contour.step import Skip, step
from lumen.kernel.language.outcomes import NextMessage, OutcomeKind, outcome_of
from lumen.kernel.recall.evidence import Recall

LATELY = 32  # lines in which a turn that is closed already is looked for


@dataclass(frozen=True, slots=True)
class OutcomeValues(Parameters):
    """What each outcome counts. Praise counts as being accepted does: who counts applause learns to please."""

    accepted: float
    ignored: float
    asked_again: float
    corrected: float

    def of(self, outcome: OutcomeKind) -> float:
        """What one outcome counts."""
        return self.accepted if outcome == "praised" else float(getattr(self, outcome))


@dataclass(frozen=True, slots=True)
class ClosedTurn(Slot):
    """What became of the last reply, against what was expected of it; numbers and names alone."""

    closes: Plain[int] = 0  # the event of the message that was answered
    kind: Plain[str] = ""  # of reply
    outcome: Plain[str] = ""
    value: Plain[float] = 0.0
    prediction: Plain[float] = 0.0
    delta: Plain[float] = 0.0

    def said(self) -> str:
        """The outcome and how far it was from what was expected."""
        return (
            f"the reply to event {self.closes} was {self.outcome.replace('_', ' ')}; "
            f"predicted {self.prediction:.2f}, delta {self.delta:+.2f}"
        )


@step(Store.OUTCOMES)
async def outcome_log(
    stimulus: Stimulus,
    last: OpenTurn,
    recall: Recall,
    state: State,
    now: Now,
    values: OutcomeValues,
) -> ClosedTurn:
    """Close the last turn of the conversation by the author's words alone."""
    if stimulus.goal is not None or stimulus.guest:
        raise Skip("nobody spoke" if stimulus.goal else "a guest closes nothing")
    if last.asked is None or last.reply is None:
        raise Skip("no turn of this conversation is open")
    closes = last.asked.seq
    if any(one.get("turn") == closes for one in state.lines(Store.OUTCOMES)[-LATELY:]):
        raise Skip("the last turn is closed already")
    later = now.moment - parse_stamp(last.reply.timestamp)
    said = NextMessage(last.asked.text, last.reply.text, stimulus.text, later)
    outcome = outcome_of(said, lambda one, other: recall.likeness((one,), other)[0])
    value = values.of(outcome)
    closed = ClosedTurn(
        closes=closes,
        kind=last.kind,
        outcome=outcome,
        value=value,
        prediction=last.likely,
        delta=round(value - last.likely, 4),
    )
    line = outcome_line(closed, last.reply, stimulus, now)
    return replace(closed, changes=(Change(Store.OUTCOMES, "append", line),))


def outcome_line(
    closed: ClosedTurn, reply: Memory, stimulus: Stimulus, now: Now
) -> dict[str, JSON]:
    """An outcome as it is kept: no word of anybody, and the events that it is forgotten with."""
    return {
        "turn": closed.closes,
        "rests_on": [closed.closes, reply.seq, stimulus.seq],
        "date": now.moment.astimezone(now.zone).date().isoformat(),
        "kind": closed.kind,
        "outcome": closed.outcome,
        "value": closed.value,
        "prediction": closed.prediction,
        "delta": closed.delta,
    }
