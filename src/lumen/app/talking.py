"""A message and its answer, and what follows an answer: reflection, a proposal, what to tell."""

from __future__ import annotations

from dataclasses import dataclass

from lumen.core.data import Being
from lumen.core.errors import BadSetting, LumenError
from lumen.kernel.cycle import due, reflect
from lumen.kernel.escalate import propose
from lumen.kernel.lexicon import lexicon
from lumen.kernel.run import Answered, Kernel, converse
from lumen.kernel.run import Watch as Watch
from lumen.kernel.steps.reflect import in_words
from lumen.kernel.templates import check


@dataclass(frozen=True, slots=True)
class Step:
    """A step of the turn has begun."""

    name: str


@dataclass(frozen=True, slots=True)
class Draft:
    """A piece of what a model drafts; what is said in the end may be something else."""

    text: str


@dataclass(frozen=True, slots=True)
class Reply:
    """The words that are said: durable, while the turn is not over yet."""

    text: str


@dataclass(frozen=True, slots=True)
class Said:
    """An answer: its words, the event that keeps them, what they rest on, and what followed."""

    text: str
    event: int
    kind: str
    sources: tuple[int, ...]
    trouble: str = ""  # what kept the model from helping, if anything did
    fix: str = ""  # and what to try
    heard: int = 0  # the event that keeps what was said
    lacking: float = 0.0  # how much a stronger model could have added
    redacted: int = 0  # secrets that were taken out of the message before anything kept it
    changes: tuple[str, ...] = ()  # what the being changed in itself afterwards, in words
    proposal: str = ""  # the stronger model it would like to ask: it waits in the approvals
    notices: tuple[str, ...] = ()  # what had to be mended, in words for the author


Progress = Step | Draft | Reply | Said


def refuse_bad_prompts(being: Being) -> None:
    """Stop before a turn when one of the being's own templates could not be used.

    Raises:
        BadSetting: the first problem, and how many there are; the shipped templates are not looked at again.
    """
    problems = check([being.prompts])
    if problems:
        first, *rest = problems
        more = f"; and {len(rest)} problem{'s' if len(rest) > 1 else ''} more" if rest else ""
        fix = "lumen prompts check" if rest else first.fix
        raise BadSetting(f"{first.place()}: {first.what}{more}", fix=fix)


async def answer(kernel: Kernel, text: str, watch: Watch, *, private: bool = False) -> Said:
    """One message and its answer; then reflection, where the turn gave cause to, and a proposal.

    Raises:
        LumenError: there is no answer. What goes wrong after one is told in its notices instead.
    """
    answered = await converse(kernel, text, private=private, watch=watch)
    changes: tuple[str, ...] = ()
    proposal = ""
    notices: list[str] = []
    try:
        changes = await _look_back(kernel, answered)
        if proposed := await propose(kernel, answered.heard, answered.lacking):
            proposal = proposed.model
    except LumenError as error:  # the answer stands, whatever became of this
        notices.append(error.what + (f"\n  try: {error.fix}" if error.fix else ""))
    notices += [*kernel.gate.repairs, *filter(None, [kernel.recall.trouble()])]
    kernel.gate.repairs.clear()
    return Said(
        text=answered.text,
        event=answered.event,
        kind=answered.kind,
        sources=answered.sources,
        trouble=answered.trouble,
        fix=answered.fix,
        heard=answered.heard,
        lacking=answered.lacking,
        redacted=answered.redacted,
        changes=changes,
        proposal=proposal,
        notices=tuple(notices),
    )


async def _look_back(kernel: Kernel, answered: Answered) -> tuple[str, ...]:
    """Reflect when the turn gave cause to; says what was changed."""
    said = kernel.index.get([answered.heard]).get(answered.heard)
    asked = bool(said and lexicon().has("self_examination", said.text))
    why = due(kernel, asked=asked)
    if not why:
        return ()
    came = await reflect(kernel, why, Watch())
    return tuple(in_words(one) for one in came.asked.proposals) if came.applied else ()
