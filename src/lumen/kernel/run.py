"""The runner: hands each step only what it reads, records each beat, commits through the gate.

The order is the loop's. A beat's changes and its kernel memory are one commit; the reply is
durable before anyone sees it. The chain's head is signed at both durable points, so that a turn
killed later leaves the author's words signed, and at the end.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from contextlib import nullcontext, suppress
from dataclasses import dataclass, field, replace
from typing import Any

from lumen.core.canon import JSON, clean
from lumen.core.clock import Clock, Draw, draw_from, ulid
from lumen.core.data import Author, Being, Change, Entry, EventType, Origin, kernel_entry
from lumen.core.errors import LumenError, MindError, UsageError
from lumen.hands.terms import Terms
from lumen.kernel.biography import life_of
from lumen.kernel.calls import Calls
from lumen.kernel.capabilities import PROMPTS, RecordedHands, RecordedMind
from lumen.kernel.closing import CYCLES
from lumen.kernel.commit import Gate
from lumen.kernel.confidential import Confidential
from lumen.kernel.edits import self_in_force
from lumen.kernel.hearing import Spoken
from lumen.kernel.identity import digest, snapshot
from lumen.kernel.loops import ACTION
from lumen.kernel.mend import hold
from lumen.kernel.naming import author_name
from lumen.kernel.proved import Proved
from lumen.kernel.provenance import provenance
from lumen.kernel.recall import Recall as RecallOver
from lumen.kernel.slots import (
    Choice,
    Contour,
    Drafts,
    Now,
    Reality,
    Reply,
    Self,
    Slot,
    Stimulus,
    Surface,
    trace,
)
from lumen.kernel.step import Beat, Biography, Hands, Loop, Mind, Recall, Skip, Step
from lumen.kernel.treasury import Caps, gap
from lumen.kernel.triggers import Thresholds
from lumen.kernel.turns import in_turn, nobody_in_turn, talking
from lumen.mind.ask import Reach
from lumen.mind.substrate import ModelDescriptor
from lumen.soul.history import last_change
from lumen.soul.index import Index

LONGEST_MESSAGE = 4_000_000
LESSON = 64  # memories given vectors at a time


@dataclass(frozen=True, slots=True)
class Watch:
    """What whoever started a turn wants to see of it."""

    step: Callable[[str], None] = lambda _: None
    reply: Callable[[str], None] = lambda _: None
    draft: Callable[[str], None] | None = None


@dataclass(slots=True)
class Kernel:
    """An open being and all it takes to run a turn."""

    being: Being
    gate: Gate
    index: Index
    recall: RecallOver
    reach: Reach
    clock: Clock
    self_: Self
    now: Callable[[], Now]
    contour: Contour = field(default_factory=Contour)
    terms: Terms = field(default_factory=Terms)
    caps: Caps = field(default_factory=Caps)
    thresholds: Thresholds = field(default_factory=Thresholds)
    autonomy: str = "full"  # what it may do unasked
    gone: Callable[[ModelDescriptor], None] = lambda _: None  # told of a model no longer offered
    strengthens: int = 20_000  # millionths a memory gains each time it is of use
    author_name: str = ""  # as lumen.toml has it; empty: as `self_` was handed over
    as_of: tuple[int, int] = (0, 0)  # the last change `self_` takes in; zeros: as handed over

    def __post_init__(self) -> None:
        self.author_name = self.author_name or self.self_.author_name

    def close(self) -> None:
        """Let go of models and files."""
        self.reach.close()
        self.recall.close()
        self.index.close()
        self.gate.close()


@dataclass(frozen=True, slots=True)
class Answered:
    """What a turn came to: the words, the event that keeps them, and what they rest on."""

    text: str
    event: int
    kind: str
    sources: tuple[int, ...]
    trouble: str  # what kept the model from helping, if anything did
    fix: str  # and what to try
    heard: int = 0  # the event that keeps what was said
    lacking: float = 0.0  # how much a stronger model could have added
    redacted: int = 0  # secrets that were taken out of the message before anything kept it


@dataclass(slots=True)
class Turn:
    """One run of a loop: the slots written so far and what the capabilities recorded."""

    kernel: Kernel
    stimulus: Stimulus
    mind: RecordedMind
    hands: RecordedHands
    slots: dict[type, Any] = field(default_factory=dict)
    reply_event: int = 0


async def converse(
    kernel: Kernel, text: str, *, private: bool, watch: Watch, spoken: Spoken | None = None
) -> Answered:
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
    adopt_edits(kernel)
    with talking(kernel.being), in_turn(kernel.being):
        spoken = spoken or Spoken(private=private)
        placed = kernel.gate.record(spoken.entry(text, session_key), sign=True)
        guest = bool(spoken.speaker)
        stimulus = Stimulus(text, placed.seq, session_key, spoken.private, guest=guest)
        turn: Turn | None = None
        try:
            turn = await begin(kernel, stimulus, watch)
            unheard = await run_loop(ACTION, turn, watch)
        except BaseException as error:
            why = error.what if isinstance(error, LumenError) else _plainly(error)
            calls = turn.mind.calls.taken() if turn else []
            payload: dict[str, JSON] = {"calls": calls} if calls else {}
            entry = kernel_entry(
                "interrupted", f"The turn ended early: {why}", session_key, payload
            )
            with suppress(LumenError):  # a full disk: the next start closes the turn
                kernel.gate.record(entry, sign=True)
            raise
    if unheard:
        raise unheard
    reply: Reply = turn.slots[Reply]
    chosen: Choice = turn.slots[Choice]
    drafts: Drafts = turn.slots[Drafts]
    return Answered(
        text=reply.text,
        event=turn.reply_event,
        kind=chosen.draft.kind,
        sources=chosen.draft.sources,
        trouble=drafts.trouble,
        fix=drafts.fix,
        heard=stimulus.seq,
        lacking=gap(turn.slots[Surface], turn.slots[Reality], chosen),
        redacted=hidden,
    )


def says_something(text: str) -> bool:
    """Whether anything in a text can be seen: bells, joiners and spaces alone say nothing."""
    return any(c.isprintable() and not c.isspace() for c in clean(text))


async def run_loop(loop: Loop, turn: Turn, watch: Watch) -> OSError | None:
    """Run every beat of a loop in order.

    A watcher that is gone (a closed pipe) does not break the turn off; its error is handed back.
    """
    unheard: OSError | None = None
    for number, beat in enumerate(loop.beats, 1):
        changes, record = await _run_beat(beat, turn, watch)
        last = number == len(loop.beats)
        acts = any(s.writes is Reply for s in beat.steps)
        skills = turn.hands.entries
        turn.hands.entries = []
        placed = turn.kernel.gate.commit(
            loop.name, changes, record, before=skills, durable=acts, sign=acts or last
        )
        if acts and turn.slots[Reply].changes:
            turn.reply_event = placed[-2].seq  # the last one is the beat's own memory
            try:
                watch.reply(turn.slots[Reply].text)
            except OSError as error:
                unheard = error
    turn.kernel.gate.repairs.extend(turn.kernel.index.repairs)
    turn.kernel.index.repairs.clear()
    return unheard


def _plainly(error: BaseException) -> str:
    stopped = isinstance(error, asyncio.CancelledError | KeyboardInterrupt)
    return "stopped by the author" if stopped else f"{type(error).__name__}: {error}"


async def _run_beat(beat: Beat, turn: Turn, watch: Watch) -> tuple[list[Change], Entry]:
    changes: list[Change] = []
    steps: list[JSON] = []
    said: list[str] = []
    for one in beat.steps:
        watch.step(one.name)
        written, told = await _run_step(one, turn)
        turn.slots[one.writes] = written
        changes += written.changes
        steps.append(told)
        said += [written.said()] if written.said() else []
    payload: dict[str, JSON] = {"turn": turn.stimulus.session_key, "steps": steps}
    if turn.stimulus.private:
        payload["private"] = True
    if calls := turn.mind.calls.taken():
        payload["calls"] = calls
    if closing := CYCLES.get(beat.name):
        payload["cycle"] = closing(turn.stimulus, turn.slots)
    used = {seq for d in turn.slots.get(Drafts, Drafts()).drafts for seq in d.sources}
    if used and beat.name == "think":
        payload["uses"] = {"memories": sorted(used), "by": turn.kernel.strengthens}
    entry = kernel_entry(
        beat.name,
        f"{beat.name.upper()}: {'; '.join(said) or 'nothing'}",
        turn.stimulus.session_key,
        payload,
    )
    return changes, entry


async def _run_step(one: Step, turn: Turn) -> tuple[Slot, JSON]:
    """Run a step on exactly what it reads; tell what it wrote and how long it took."""
    clock = turn.kernel.clock
    began = clock.tick()
    told: dict[str, JSON] = {"step": one.name, "read": [t.__name__ for _, t in one.reads]}
    given = {name: turn.slots[wanted] for name, wanted in one.reads}
    try:
        written = await one.run(**given)
    except Skip as reason:
        written = one.writes()
        told["skipped"] = reason.what
    if written.changes:
        allowed = {c.store for c in written.changes} <= one.stores
        if not allowed:
            raise LumenError(f"step {one.name} proposed a change to a store it did not declare")
    told["ms"] = round((clock.tick() - began) * 1000, 1)
    told["wrote"] = trace(written)
    return written, told


def close_dead_turns(kernel: Kernel) -> list[str]:
    """Archive, as unclosed, every turn whose process died; none is run again.

    A self file that changed meanwhile may be the doing of a skill, so it waits for the author.
    """
    with nobody_in_turn(kernel.being) as alone:
        return _close_dead(kernel) if alone else []


def _close_dead(kernel: Kernel) -> list[str]:
    kernel.index.catch_up()
    said = []
    for session_key, seq in kernel.index.open_turns():
        what = f"The turn that began with event {seq} was never finished; its words are kept."
        said += [what, *hold(kernel.gate, kernel.index.time_of(seq))]
        kernel.gate.record(kernel_entry("unclosed", what, session_key, {"began": seq}))
    return said


def adopt_edits(kernel: Kernel, *, alone: bool = False) -> None:
    """Take in what the author changed by hand, unless a turn elsewhere may be running a skill.

    `alone` says that the caller has seen to that.
    """
    with nullcontext(True) if alone else nobody_in_turn(kernel.being) as nobody:
        if nobody:
            kernel.gate.repairs.extend([*_close_dead(kernel), *kernel.gate.adopt()])
    kernel.index.catch_up()
    latest = last_change(kernel.index), kernel.index.reread()  # a forgetting changes the past
    if kernel.as_of != (0, 0) and latest != kernel.as_of:
        known = provenance(kernel.index)
        kernel.self_ = snapshot(self_in_force(kernel.index), kernel.self_.author_name, known)
    kernel.as_of = latest


async def begin(
    kernel: Kernel, stimulus: Stimulus, watch: Watch, more: Mapping[type, object] | None = None
) -> Turn:
    """A turn about to run: `more` are capabilities that only its loop has."""
    watch.step("recall")
    kernel.index.catch_up()
    kernel.recall.at(stimulus.seq)
    kernel.recall.learn(LESSON)  # the newest; what is older is learnt in the background
    called = author_name(kernel.index, kernel.author_name)
    self_ = kernel.self_ = replace(kernel.self_, author_name=called)
    calls = calls_for(kernel, stimulus.session_key, private=stimulus.private)
    await introduce(kernel, calls)
    calls.on_text = watch.draft
    mind = RecordedMind(calls)
    hands = RecordedHands(
        kernel.gate,
        stimulus.session_key,
        kernel.clock,
        kernel.terms,
        stimulus.private,
        kernel.autonomy,
    )
    turn = Turn(kernel, stimulus, mind, hands)
    turn.slots = {
        Stimulus: stimulus,
        Self: self_,
        Contour: replace(kernel.contour, tension=kernel.thresholds.tension),
        Now: kernel.now(),
        Draw: draw_from(stimulus.session_key),
        Mind: mind,
        Hands: hands,
        Recall: Proved(kernel.recall, kernel.index),
        Biography: await life_of(kernel.index, kernel.reach, kernel.being.skills),
        **(more or {}),
    }
    return turn


def calls_for(kernel: Kernel, session_key: str, *, private: bool = False) -> Calls:
    """Metered calls to the models of a being."""
    return Calls(
        reach=kernel.reach,
        gate=kernel.gate,
        caps=kernel.caps,
        session_key=session_key,
        private=private,
        gone=kernel.gone,
        confidential=Confidential(kernel.index),
    )


async def introduce(kernel: Kernel, calls: Calls, role: str = "interface") -> None:
    """Let calls open with who the being is, and leave out of it what must not leave."""
    calls.digest = await identity(kernel, role)
    calls.away = await identity(kernel, role, local=False) if kernel.self_.private else None


async def identity(kernel: Kernel, role: str = "interface", *, local: bool = True) -> str:
    """The identity text; a model that cannot be reached is told of later, when it is asked."""
    try:
        small = (await kernel.reach.model(role)).small
    except MindError:
        small = False
    return digest((kernel.being.prompts, PROMPTS), kernel.self_, small=small, local=local)


def overheard(text: str) -> Entry:
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
