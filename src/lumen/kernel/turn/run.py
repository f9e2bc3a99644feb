"""The runner: hands each step only what it reads, records each beat, commits through the gate.

The order is the loop's. A beat's changes and its kernel memory are one commit; the reply is
durable before anyone sees it. The chain's head is signed at both durable points, so that a turn
killed later leaves the author's words signed, and at the end.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable, Mapping
from contextlib import nullcontext, suppress
from dataclasses import dataclass, field, replace
from typing import Any

from lumen.core.canon import JSON
from lumen.core.chance import Draw, draw_from
from lumen.core.clock import Clock, Now, stamp
from lumen.core.data import BeingPaths, Change, Entry, NamedValue, kernel_entry
from lumen.core.errors import Damaged, LumenError
from lumen.core.exposure import quoted, trace
from lumen.core.payloads import CallPayload, StatePayload
from lumen.core.settings import Settings
from lumen.core.stores import Store
from lumen.hands.policy import SkillPolicies
from lumen.kernel.contour.capabilities import Hands, Mind
from lumen.kernel.contour.policy import DEPTHS
from lumen.kernel.contour.slots import OpenTurn, Self, Slot, Stimulus
from lumen.kernel.contour.state import State, state_in_force
from lumen.kernel.contour.step import Beat, Loop, Skip, Step
from lumen.kernel.gate.commit import Gate
from lumen.kernel.gate.edits import self_in_force
from lumen.kernel.gate.presence import LOOK_S, Pause, nobody_in_turn, when_free
from lumen.kernel.gate.recovery import hold
from lumen.kernel.identity.biography import Biography, life_of
from lumen.kernel.identity.digest import snapshot
from lumen.kernel.identity.mounts import Mounts
from lumen.kernel.identity.naming import author_name
from lumen.kernel.identity.provenance import provenance
from lumen.kernel.models.calls import Calls
from lumen.kernel.models.treasury import Caps
from lumen.kernel.privacy.confidential import Confidential
from lumen.kernel.recall.before import RecallBefore
from lumen.kernel.recall.evidence import Recall
from lumen.kernel.recall.search import IndexedRecall as RecallOver
from lumen.kernel.recall.verified import VerifiedRecall
from lumen.kernel.reflection.triggers import Thresholds
from lumen.kernel.turn.boot import boot
from lumen.kernel.turn.introduction import introduce
from lumen.kernel.turn.open_turn import open_turn
from lumen.kernel.turn.recorded import RecordedHands, RecordedMind
from lumen.mind.ask import Reach
from lumen.mind.substrate import ModelDescriptor
from lumen.soul.ports.queries import Queries

LESSON = 64  # memories given vectors at a time
FIRST_PAUSE_S, LONGEST_PAUSE_S = 2.0, 60.0  # for edits by hand; each is twice the one before


async def _at_once() -> None:
    """Nothing is waited for."""


@dataclass(frozen=True, slots=True)
class Watch:
    """What whoever started a turn wants to see of it."""

    step: Callable[[str], None] = lambda _: None
    reply: Callable[[str], None] = lambda _: None
    draft: Callable[[str], None] | None = None
    ready: Callable[[], Awaitable[None]] = _at_once  # awaited before each step


@dataclass(frozen=True, slots=True)
class EditsWait:
    """How long a turn waits for others to end so that an edit by hand is taken in, and from when on."""

    wait_s: float = FIRST_PAUSE_S
    rest_until: float = 0.0

    def after(self, due: float) -> EditsWait:
        """A wait that ended in vain: for as long again nobody waits, and then for longer."""
        return EditsWait(min(2 * self.wait_s, LONGEST_PAUSE_S), due + self.wait_s)


@dataclass(slots=True)
class Kernel:
    """An open being and all it takes to run a turn."""

    being: BeingPaths
    gate: Gate
    index: Queries
    recall: RecallOver
    reach: Reach
    clock: Clock
    self_: Self
    now: Callable[[], Now]
    policies: SkillPolicies = field(default_factory=SkillPolicies)
    caps: Caps = field(default_factory=Caps)
    settings: Settings = field(default_factory=Settings)  # lumen.toml, as steps read it
    thresholds: Thresholds = field(default_factory=Thresholds)
    autonomy: str = "full"  # what it may do unasked
    gone: Callable[[ModelDescriptor], None] = lambda _: None  # told of a model no longer offered
    strengthens: int = 20_000  # millionths a memory gains each time it is of use
    author_name: str = ""  # as lumen.toml has it; empty: as `self_` was handed over
    as_of: tuple[int, int] = (0, 0)  # the last change `self_` takes in; zeros: as handed over
    edits: EditsWait = field(default_factory=EditsWait)
    mounts: Mounts = field(default_factory=Mounts)
    opened: set[str] = field(default_factory=set)  # conversations whose opening is over
    reflecting: asyncio.Lock = field(default_factory=asyncio.Lock)  # one reflection at a time

    def __post_init__(self) -> None:
        self.author_name = self.author_name or self.self_.author_name

    def close(self) -> None:
        """Let go of models and files."""
        self.reach.close()
        self.recall.close()
        self.index.close()
        self.gate.close()


@dataclass(slots=True)
class Turn:
    """One run of a loop: the slots written so far and what the capabilities recorded."""

    kernel: Kernel
    stimulus: Stimulus
    mind: RecordedMind
    hands: RecordedHands
    state: State
    slots: dict[type, Any] = field(default_factory=dict)
    written: dict[str, Slot] = field(default_factory=dict)  # the same slots by their steps' names
    depth: str = DEPTHS[0]
    number: int = 0  # of this turn in its loop, where a step asks for that
    reply_event: int = 0
    opening: tuple[Change, ...] = ()  # what the opening of its conversation found out


async def run_loop(loop: Loop, turn: Turn, watch: Watch) -> OSError | None:
    """Run every beat of a loop in order.

    A watcher that is gone (a closed pipe) does not break the turn off; its error is handed back.
    """
    unheard: OSError | None = None
    turn.number = _turn_number(loop, turn.state)
    for number, beat in enumerate(loop.beats, 1):
        changes, record = await _run_beat(beat, turn, watch)
        changes += turn.opening if number == 1 else ()
        last = number == len(loop.beats)
        if last and turn.number:
            changes.append(_counted(f"turns.{loop.name}", turn.number))
        speaks = any(s.writes.speaks for s in beat.steps)
        await when_free(turn.kernel.gate)
        skills, turn.hands.entries = turn.hands.entries, []
        placed = turn.kernel.gate.commit(
            loop.name, changes, record, before=skills, durable=speaks, sign=speaks or last
        )
        if reply := _reply_of(beat, turn):
            kept = [c.value for c in changes if isinstance(c.value, Entry)]
            turn.reply_event = placed[len(skills) + [id(e) for e in kept].index(id(reply))].seq
            try:
                watch.reply(reply.description)
            except OSError as error:
                unheard = error
    turn.kernel.gate.repairs.extend(turn.kernel.index.repairs)
    turn.kernel.index.repairs.clear()
    return unheard


async def rehearse(loop: Loop, turn: Turn, watch: Watch) -> None:
    """Run a loop's steps up to the first that may change something; nothing is archived."""
    turn.number = _turn_number(loop, turn.state)
    for one in loop.steps():
        if one.stores:
            return
        watch.step(one.name)
        await watch.ready()
        await _run_step(one, turn)


def _turn_number(loop: Loop, state: State) -> int:
    """Which turn of its loop this is; 0 where no step asks for that, so nothing need be kept."""
    counts = any(one.policy.counts_turns for one in loop.steps())
    return int(state.last(f"turns.{loop.name}") or 0) + 1 if counts else 0


def _counted(name: str, number: int) -> Change:
    return Change(Store.STATE, "set", NamedValue(name, number))


def _reply_of(beat: Beat, turn: Turn) -> Entry | None:
    """The memory of what a beat says to the author."""
    replies = (turn.slots[one.writes].reply() for one in beat.steps)
    return next(filter(None, replies), None)


async def _run_beat(beat: Beat, turn: Turn, watch: Watch) -> tuple[list[Change], Entry]:
    changes: list[Change] = []
    steps: list[JSON] = []
    slots: list[Slot] = []
    said: list[str] = []
    for one in beat.steps:
        watch.step(one.name)
        await watch.ready()
        written, told = await _run_step(one, turn)
        changes += written.changes
        ran = "skipped" not in told
        said.append(written.said() if ran else "")  # an empty slot would tell of what was not
        if ran and one.policy.counts_turns:
            changes.append(_counted(f"ran.{one.name}", turn.number))
        steps.append(told)
        slots.append(written)
    payload: dict[str, JSON] = {"turn": turn.stimulus.session_key, "steps": steps}
    if turn.stimulus.private:
        payload["private"] = True
    if calls := turn.mind.calls.taken():
        payload["calls"] = calls
    for slot in slots:
        if cycle := slot.cycle(turn.stimulus, turn.slots):
            payload["cycle"] = cycle
    if used := {seq for slot in slots for seq in slot.uses()}:
        payload["uses"] = {"memories": sorted(used), "by": turn.kernel.strengthens}
    what = f"{beat.name.upper()}: {'; '.join(filter(None, said)) or 'nothing'}"
    return changes, kernel_entry(beat.name, what, turn.stimulus.session_key, payload)


async def _run_step(one: Step, turn: Turn) -> tuple[Slot, dict[str, JSON]]:
    """Run a step on exactly what it reads, unless its policy rules it out; tell what it wrote."""
    clock = turn.kernel.clock
    began = clock.tick()
    told: dict[str, JSON] = {"step": one.name, "read": [t.__name__ for _, t in one.reads]}
    why = _ruled_out(one, turn)
    try:
        known = {**turn.slots, **one.given}
        given = {name: known[wanted] for name, wanted in one.reads}
        written = one.writes() if why else await one.run(**given)
    except Skip as reason:
        written, why = one.writes(), reason.what
    if why:
        told["skipped"] = why
    if undeclared := {c.store for c in written.changes} - one.stores:
        names = ", ".join(f"Store.{store.name}" for store in sorted(undeclared))
        raise LumenError(
            f"step {one.name} proposed a change to a store it did not declare: {names}",
            fix=f"name it where the step is made: @step({names})",
        )
    most = one.policy.max_per_turn
    if most is not None and len(written.changes) > most:
        told["held_back"] = len(written.changes) - most
        written = replace(written, changes=written.changes[:most])
    told["ms"] = round((clock.tick() - began) * 1000, 1)
    told["wrote"], told["quotes"] = trace(written), quoted(written)
    turn.slots[one.writes] = turn.written[one.name] = written
    for earlier in one.writes.__mro__[1:] if not why else ():
        if earlier in turn.slots:  # a slot that is a kind of an earlier one stands in for it
            turn.slots[earlier] = written
    turn.depth = written.depth() or turn.depth
    return written, told


def _ruled_out(one: Step, turn: Turn) -> str:
    """Why the policy of a step does not let it run now; empty when it does."""
    last = turn.state.last(f"ran.{one.name}") if one.policy.counts_turns else None
    return one.policy.rules_out(turn.depth, turn.number, last, turn.written)


def interrupted(
    kernel: Kernel, session_key: str, what: str, calls: list[CallPayload], error: BaseException
) -> None:
    """Archive that a turn was broken off, with the calls it had made; where that cannot be, as on a
    full disk, the next start closes it. Upon a damaged archive not a word is built.
    """
    if isinstance(error, Damaged):
        kernel.gate.log.stop(error)
    payload: StatePayload = {"calls": calls} if calls else {}
    with suppress(LumenError):
        kernel.gate.record(kernel_entry("interrupted", what, session_key, payload), sign=True)


def close_dead(kernel: Kernel) -> list[str]:
    """Archive, as unclosed, every turn whose process died; none is run again, and none is alive now.

    A self file that changed meanwhile may be the doing of a skill, so it waits for the author.
    """
    kernel.index.catch_up()
    said = []
    for session_key, seq in kernel.index.events.open_turns():
        what = f"The turn that began with event {seq} was never finished; its words are kept."
        said += [what, *hold(kernel.gate, kernel.index.events.time_of(seq))]
        kernel.gate.record(kernel_entry("unclosed", what, session_key, {"began": seq}))
    return said


async def take_in_edits(kernel: Kernel) -> None:
    """The same at the beginning of a turn, also where turns never pause: then this one asks for it.

    Turns that would begin wait then for those under way, though not for long: if these go on, so
    does this one, and the next pause that is asked for may last twice as long. It comes in the end.
    """
    if adopt_edits(kernel) or time.monotonic() < kernel.edits.rest_until:
        return
    due = time.monotonic() + kernel.edits.wait_s
    with Pause(kernel.gate.locks) as pause:
        while kernel.gate.is_edited():
            if pause.has_come():
                adopt_edits(kernel, alone=True)
                break
            if time.monotonic() > due:
                kernel.edits = kernel.edits.after(due)
                return
            await asyncio.sleep(LOOK_S)
        else:
            adopt_edits(kernel)  # somebody else took it in
    kernel.edits = EditsWait()


def adopt_edits(kernel: Kernel, *, alone: bool = False) -> bool:
    """Take in what the author changed by hand, unless a turn elsewhere may be running a skill.

    `alone` says that the caller has seen to that. Returns whether it could be done.
    """
    with nullcontext(True) if alone else nobody_in_turn(kernel.gate.locks) as nobody:
        if nobody:
            kernel.gate.repairs.extend([*close_dead(kernel), *kernel.gate.adopt()])
    kernel.index.catch_up()
    # a forgetting changes the past
    latest = (kernel.index.files.last_change(), kernel.index.memories.reread())
    if kernel.as_of != (0, 0) and latest != kernel.as_of:
        known = provenance(kernel.index)
        kernel.self_ = snapshot(self_in_force(kernel.index), kernel.self_.author_name, known)
    kernel.as_of = latest
    return nobody


async def begin(
    kernel: Kernel, stimulus: Stimulus, watch: Watch, more: Mapping[type, object] | None = None
) -> Turn:
    """A turn about to run: `more` are capabilities that only its loop has."""
    watch.step("recall")
    kernel.index.catch_up()
    kernel.recall.learn(LESSON)  # the newest; what is older is learnt in the background
    called = author_name(kernel.index, kernel.author_name)
    self_ = kernel.self_ = replace(kernel.self_, author_name=called)
    calls = calls_for(kernel, stimulus.session_key, private=stimulus.private)
    hidden = stimulus.private or stimulus.guest or bool(stimulus.goal)
    said = kernel.mounts.says(stimulus.text, stamp(kernel.clock.now()), private=hidden)
    await introduce(kernel, calls, mounted=said)
    calls.on_text = watch.draft
    mind = RecordedMind(calls)
    hands = RecordedHands(
        kernel.gate,
        stimulus.session_key,
        kernel.clock,
        kernel.policies,
        stimulus.private,
        kernel.autonomy,
    )
    state = state_in_force(kernel.index)
    recall = VerifiedRecall(RecallBefore(kernel.recall, stimulus.seq), kernel.index)
    turn = Turn(kernel, stimulus, mind, hands, state)
    turn.slots = {
        Stimulus: stimulus,
        Self: self_,
        Settings: kernel.settings,
        Thresholds: kernel.thresholds,
        Now: kernel.now(),
        Draw: draw_from(stimulus.session_key),
        Mind: mind,
        Hands: hands,
        State: state,
        Recall: recall,
        OpenTurn: open_turn(stimulus, recall, kernel.index),
        Biography: await life_of(kernel.index, kernel.reach, kernel.being.skills),
        **(more or {}),
    }
    return turn


def opening(kernel: Kernel, conversation: str, state: State) -> tuple[Change, ...]:
    """What is noted when a conversation opens, or goes on in another process; else nothing."""
    kernel.gate.repairs.extend(kernel.mounts.failed)
    kernel.mounts.failed.clear()
    if conversation in kernel.opened:
        return ()
    return boot(kernel.being.skills, state, kernel.clock.now())


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
