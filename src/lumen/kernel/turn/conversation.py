"""A conversation's turn: the author's words in, what came of them out.

The words are durable before any thinking starts, and a turn that is broken off is closed as such.
How the steps are run is in run.py.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from lumen.core.canon import JSON, clean, loads, printable
from lumen.core.clock import ulid
from lumen.core.data import Author, Entry, EventType, Origin
from lumen.core.errors import Damaged, LumenError, NoSpace, UsageError
from lumen.kernel.contour.slots import Stimulus
from lumen.kernel.gate.presence import in_turn, talking, when_free
from lumen.kernel.steps.p1_perceive import Reality, Surface
from lumen.kernel.steps.p3_deliberate.drafts import Drafts
from lumen.kernel.steps.p3_deliberate.lambda_select import Selection
from lumen.kernel.steps.p4_act import Reply
from lumen.kernel.turn.loops import contour_in_force
from lumen.kernel.turn.run import (
    Kernel,
    Turn,
    Watch,
    begin,
    interrupted,
    opening,
    run_loop,
    take_in_edits,
)

LONGEST_MESSAGE = 4_000_000
UNDELIVERED = """My skill chat did not work, so my words are shown as they are ({error})
  try: lumen doctor"""
GUESSED, UNKNOWN = 0.7, 1.0  # what a stronger model could add to a guess, and to nothing


@dataclass(frozen=True, slots=True)
class IncomingMessage:
    """How a message came: what was said in one conversation is recalled as such.

    `speaker` names somebody other than the author: a guest, whose words are no evidence of the
    author's life. `key` tells a message from its repetition.
    """

    conversation: str = ""
    speaker: str = ""
    key: str = ""
    private: bool = False

    def entry(self, text: str, session_key: str) -> Entry:
        """The message as it is archived."""
        told: dict[str, JSON] = {
            "private": self.private,
            "conversation": self.conversation,
            "speaker": self.speaker,
            "key": self.key,
        }
        return Entry(
            author=Author.EXTERNAL,
            event_type=EventType.AUTHOR_MESSAGE,
            origin=Origin.GUEST if self.speaker else Origin.AUTHOR,
            situation="heard",
            description=text,
            session_key=session_key,
            payload={name: value for name, value in told.items() if value},
        )


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
    conversation: str = ""
    changes: tuple[str, ...] = ()  # what the being changed in itself afterwards, in words
    proposal: str = ""  # the stronger model it would like to ask: it waits in the approvals
    notices: tuple[str, ...] = ()  # what had to be repaired, in words for the author


async def converse(
    kernel: Kernel, text: str, *, private: bool, watch: Watch, spoken: IncomingMessage | None = None
) -> Said:
    """One turn of the action loop: the words are durable before any thinking starts.

    Raises:
        UsageError: there is nothing to answer, or too much; nothing was kept.
    """
    text = clean(text).strip()
    if not says_something(text):
        raise UsageError("the message is empty", fix='lumen chat -m "something to say"')
    if len(text) > LONGEST_MESSAGE:
        raise UsageError(
            f"the message has {len(text):,} characters; at most {LONGEST_MESSAGE:,} fit",
            fix="keep it in a file and tell me what it is about",
        )
    text, hidden = kernel.gate.redacted(text)
    session_key = f"lumen:interface:{ulid(kernel.clock)}"
    locks = kernel.gate.locks
    with _saying_what_is_kept(kernel, session_key):
        await take_in_edits(kernel)
        async with in_turn(locks), talking(locks):  # who waits for a pause talks not yet
            spoken = spoken or IncomingMessage(private=private)
            await when_free(kernel.gate)
            placed = kernel.gate.record(spoken.entry(text, session_key), sign=True)
            guest = bool(spoken.speaker)
            stimulus = Stimulus(text, placed.seq, session_key, spoken.private, guest=guest)
            turn: Turn | None = None
            try:
                turn = await begin(kernel, stimulus, watch)
                turn.opening = opening(kernel, spoken.conversation, turn.state)
                action = contour_in_force(kernel.index).loops["action"]
                unheard = await run_loop(action, turn, watch)
            except BaseException as error:
                why = error.what if isinstance(error, LumenError) else _plainly(error)
                calls = turn.mind.calls.taken() if turn else []
                interrupted(kernel, session_key, f"The turn ended early: {why}", calls, error)
                raise
    if unheard:
        raise unheard
    kernel.opened.add(spoken.conversation)
    reply: Reply = turn.slots[Reply]
    kept = reply.reply()
    unsaid = "" if reply.delivered else reply.error
    selected: Selection = turn.slots[Selection]
    drafts: Drafts = turn.slots[Drafts]
    return Said(
        text=reply.text,
        event=turn.reply_event,
        kind=selected.draft.kind,
        sources=tuple(kept.payload["sources"]) if kept else (),
        trouble=drafts.trouble,
        fix=drafts.fix,
        heard=stimulus.seq,
        lacking=lacking(turn.slots[Surface], turn.slots[Reality], selected),
        redacted=hidden,
        conversation=spoken.conversation,
        notices=(UNDELIVERED.format(error=unsaid),) if unsaid else (),
    )


@contextmanager
def _saying_what_is_kept(kernel: Kernel, session_key: str) -> Iterator[None]:
    """Where the archive refuses, say whether it has the message: no index may know it yet."""
    try:
        yield
    except (NoSpace, Damaged) as error:
        ours = (raw for raw in kernel.gate.log.lines() if session_key.encode() in raw)
        kept = next(ours, None)
        if kept is None:
            error.what += "; your message was not kept"
            raise
        error.what += f"; your message is kept, event {loads(kept)['seq']}, and not answered"
        error.fix = error.fix if isinstance(error, Damaged) else "make room, then ask again"
        raise


def says_something(text: str) -> bool:
    """Whether anything in a text can be seen: bells, colours, joiners and spaces alone say nothing."""
    return any(c.isprintable() and not c.isspace() for c in printable(clean(text)))


def lacking(surface: Surface, reality: Reality, selected: Selection) -> float:
    """How much a stronger model could add to what was just said; 0: nothing.

    About the author's own life no model knows more than what was told.
    """
    asks = surface.modality in ("question", "task")
    own_life = surface.personal or surface.identity or reality.familiar
    if not asks or own_life or reality.verdict == "strong":
        return 0.0
    return UNKNOWN if selected.draft.kind == "grounded" else GUESSED


def _plainly(error: BaseException) -> str:
    stopped = isinstance(error, asyncio.CancelledError | KeyboardInterrupt)
    return "stopped by the author" if stopped else f"{type(error).__name__}: {error}"


def tool_message(text: str) -> Entry:
    """Words that a skill put in where the author speaks: a tool's, and no evidence of anything.

    Raises:
        UsageError: there is nothing to keep, or too much.
    """
    text = clean(text).strip()
    if not says_something(text) or len(text) > LONGEST_MESSAGE:
        raise UsageError("what a skill said is empty, or too much", fix="lumen chat --help")
    return Entry(
        author=Author.SELF,
        event_type=EventType.WORLD_ACTION,
        origin=Origin.TOOL,
        situation="overheard",
        description=f"A skill said: {text}",
        session_key="lumen:skill",
    )
