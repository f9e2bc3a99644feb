"""A message and its answer, and what follows an answer: reflection, a proposal, what to tell."""

from __future__ import annotations

from dataclasses import dataclass, replace

from lumen.core.canon import sha256
from lumen.core.clock import ulid
from lumen.core.errors import LumenError
from lumen.kernel.language.lexicon import lexicon
from lumen.kernel.steps.reflect import in_words
from lumen.kernel.turn.conversation import IncomingMessage as IncomingMessage
from lumen.kernel.turn.conversation import Said as Said
from lumen.kernel.turn.conversation import converse
from lumen.kernel.turn.cycle import reflect_if_due
from lumen.kernel.turn.escalate import propose
from lumen.kernel.turn.run import Kernel
from lumen.kernel.turn.run import Watch as Watch

KEY_DIGITS = 32


@dataclass(frozen=True, slots=True)
class StepStarted:
    """A step of the turn has begun."""

    name: str


@dataclass(frozen=True, slots=True)
class DraftText:
    """A piece of what a model drafts; what is said in the end may be something else."""

    text: str


@dataclass(frozen=True, slots=True)
class ReplyText:
    """The words that are said: durable, while the turn is not over yet."""

    text: str


Progress = StepStarted | DraftText | ReplyText | Said


async def answer(
    kernel: Kernel, text: str, watch: Watch, spoken: IncomingMessage | None = None
) -> Said:
    """One message and its answer; then reflection, where the turn gave cause to, and a proposal.

    A message whose key was answered before is given that answer again, and nothing is archived.

    Raises:
        LumenError: there is no answer. What goes wrong after one is told in its notices instead.
    """
    spoken = spoken or IncomingMessage()
    if spoken.key and (again := said_before(kernel, spoken)):
        watch.reply(again.text)
        return again
    answered = await converse(kernel, text, private=spoken.private, watch=watch, spoken=spoken)
    changes: tuple[str, ...] = ()
    proposal = ""
    notices = [*answered.notices]
    try:
        changes = await _look_back(kernel, answered, by_author=not spoken.speaker)
        if proposed := await propose(kernel, answered.heard, answered.lacking):
            proposal = proposed.model
    except LumenError as error:  # the answer stands, whatever became of this
        notices.append(error.what + (f"\n  try: {error.fix}" if error.fix else ""))
    recall = kernel.recall
    notices += [*kernel.gate.repairs, *filter(None, [recall.trouble(), recall.backlog()])]
    kernel.gate.repairs.clear()
    return replace(answered, changes=changes, proposal=proposal, notices=tuple(notices))


def said_before(kernel: Kernel, spoken: IncomingMessage) -> Said | None:
    """The answer that a message with this key was given, if there was one and it is not forgotten."""
    kernel.index.catch_up()
    turn = kernel.index.events.turn_answering(spoken.key)
    events = kernel.index.events.turn(turn) if turn else []
    reply = next((e for e in events if e.entry.situation == "replied"), None)
    if reply is None:
        return None
    heard = next((e for e in events if e.entry.situation == "heard"), None)
    told = reply.entry.payload
    return Said(
        text=reply.entry.description,
        event=reply.seq,
        kind=str(told.get("kind", "")),
        sources=tuple(told.get("sources", ())),
        heard=heard.seq if heard else 0,
        conversation=heard.entry.payload_text("conversation") if heard else "",
    )


async def _look_back(kernel: Kernel, answered: Said, *, by_author: bool) -> tuple[str, ...]:
    """Reflect when the turn gave cause to; says what was changed. Only the author may ask for it."""
    said = kernel.index.memories.get([answered.heard]).get(answered.heard)
    asked = bool(by_author and said and lexicon().has("self_examination", said.text))
    reflected = await reflect_if_due(kernel, Watch(), asked=asked)
    if reflected is None:
        return ()
    _, came = reflected
    return tuple(in_words(one) for one in came.asked.proposals) if came.applied else ()


def new_conversation(kernel: Kernel) -> str:
    """The name of a conversation that begins."""
    return ulid(kernel.clock)


def last_or_new_conversation(kernel: Kernel) -> str:
    """The conversation the author was in last; a new one where nothing was said yet."""
    kernel.index.catch_up()
    last = kernel.index.events.last_conversation()
    return new_conversation(kernel) if last is None else last


def key_of(key: str | None) -> str:
    """A key as it is archived: whatever it is, its hash is short and tells nothing."""
    return sha256(key.encode())[:KEY_DIGITS] if key else ""
