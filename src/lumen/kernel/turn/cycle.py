"""One cycle at a time of what a being does unasked: pursue a goal, wonder, reflect.

Each is a loop run by the same runner as a conversation. What there is to do is read off the index;
when nothing is worth doing, nothing is done and nothing is written.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from lumen.core.clock import ulid
from lumen.core.data import Author, Entry, EventType, Origin, SelfItem
from lumen.core.errors import LumenError, Refused
from lumen.kernel.choice.candidates import needed, wanted_skill
from lumen.kernel.choice.completion import OPEN, named_file
from lumen.kernel.choice.score import LAW, prompt
from lumen.kernel.contour.capabilities import Past as PastLife
from lumen.kernel.contour.capabilities import Unknowns
from lumen.kernel.contour.slots import Stimulus
from lumen.kernel.gate.presence import in_turn, when_free
from lumen.kernel.gate.revise import LEARN
from lumen.kernel.recall.before import RecallBefore
from lumen.kernel.reflection.experience import ArchivedExperience
from lumen.kernel.reflection.triggers import Cycle, Fired, fired
from lumen.kernel.steps.explore import Exploring, Looked, Wondered, fresh
from lumen.kernel.steps.p3_deliberate.lambda_select import Selection
from lumen.kernel.steps.p3_deliberate.plan import Plan
from lumen.kernel.steps.p4_act import Acted
from lumen.kernel.steps.p5_consolidate import Evaluation
from lumen.kernel.steps.reflect import Asked, Evolved, Review
from lumen.kernel.turn.loops import contour_in_force, parameters
from lumen.kernel.turn.run import (
    Kernel,
    Turn,
    Watch,
    adopt_edits,
    begin,
    interrupted,
    rehearse,
    run_loop,
    take_in_edits,
)
from lumen.soul.state.fold import PURSUES


@dataclass(frozen=True, slots=True)
class CycleResult:
    """What a cycle came to, in words for whoever watches; `done`: something was done."""

    loop: str
    what: str
    outcome: str = ""
    delta: float = 0.0
    done: bool = True


@dataclass(frozen=True, slots=True)
class ReflectionOutcome:
    """What a reflection came to, or would come to."""

    summary: str
    asked: Asked
    applied: bool
    refused: str = ""  # why the changes could not be made


def next_goal(kernel: Kernel) -> tuple[SelfItem, int] | None:
    """The goal that prompts most: its weight, less the more often it was pursued in vain.

    One that waits for a skill comes behind all others: the skill has to be learnt first. One that
    waits for the author's word rests until the author says something.
    """
    heard = kernel.index.cycles.last_external()
    open_ = [g for g in kernel.self_.goals if g.status in OPEN and not _rests(kernel, g, heard)]
    if not open_:
        return None
    names = {g.name for g in open_}
    tries = {g.name: kernel.index.cycles.vain_tries(g.name) for g in open_}

    def prompts(goal: SelfItem) -> tuple[bool, float, bool]:
        waits = LEARN + needed(goal.name) in names and not wanted_skill(goal.name)
        return not waits, goal.weight * prompt(tries[goal.name]), goal.status == "working"

    goal = max(open_, key=prompts)
    return (goal, tries[goal.name]) if prompt(tries[goal.name]) >= LAW.faint else None


def _rests(kernel: Kernel, goal: SelfItem, heard: int) -> bool:
    """Whether all there was to do about a goal is done: to go on would be to do it again.

    What a skill says it did is done once, and is no check: it rests until the author closes the goal.
    """
    ability = "" if wanted_skill(goal.name) else needed(goal.name)
    if ability and kernel.index.cycles.brought(ability, goal.name):
        return True
    if named_file(goal.name) or not kernel.index.cycles.brought("write_file", goal.name):
        return False
    return kernel.index.cycles.last_pursued(goal.name) > heard


async def pursue(kernel: Kernel, watch: Watch) -> CycleResult:
    """One action cycle for the goal that prompts most."""
    await take_in_edits(kernel)
    found = next_goal(kernel)
    if found is None:
        open_ = any(g.status in OPEN for g in kernel.self_.goals)
        return CycleResult("action", "no goal gets on" if open_ else "no goal is open", done=False)
    goal, tries = found
    session_key = f"lumen:orchestrator:{ulid(kernel.clock)}"
    private = ("goal", goal.name) in kernel.self_.private
    entry = Entry(
        author=Author.GOAL,
        event_type=EventType.SYSTEM_EVENT,
        origin=Origin.SELF,
        situation=PURSUES,
        description=goal.name,
        session_key=session_key,
        payload={"private": True} if private else {},
        agent_id="orchestrator",
    )
    async with in_turn(kernel.gate.locks):
        await when_free(kernel.gate)
        placed = kernel.gate.record(entry)
        stimulus = Stimulus(goal.name, placed.seq, session_key, private, goal=goal, tries=tries)
        try:
            turn = await _run(kernel, "action", stimulus, watch)
        except Refused as error:  # archived by the gate; somebody else changed the goal, perhaps
            return CycleResult("action", goal.name, error.what, done=False)
    selection: Selection = turn.slots[Selection]
    came: Evaluation = turn.slots[Evaluation]
    plan: Plan = turn.slots[Plan]
    adopt_edits(kernel)
    if selection.chosen < 0:
        return CycleResult("action", goal.name, selection.why, done=bool(selection.changes))
    skill = plan.candidates[selection.chosen].skill
    told = (_outcome(turn.slots[Acted]), _standing(goal, skill, came), selection.held)
    outcome = " · ".join(filter(None, told))
    return CycleResult("action", f"{goal.name} → {skill}", outcome, came.delta)


async def wonder(kernel: Kernel, watch: Watch) -> CycleResult:
    """One explore cycle."""
    await take_in_edits(kernel)
    experience = ArchivedExperience(kernel.index)
    kernel.index.catch_up()
    exploring = parameters(Exploring, contour_in_force(kernel.index))
    if not await fresh(experience, RecallBefore(kernel.recall), 1, exploring):
        return CycleResult("explore", "there is nothing new to wonder about", done=False)
    stimulus = Stimulus(
        "", kernel.index.events.last_head()[0] + 1, f"lumen:scraper:{ulid(kernel.clock)}"
    )
    async with in_turn(kernel.gate.locks):
        turn = await _run(kernel, "explore", stimulus, watch, {Unknowns: experience})
    wondered: Wondered = turn.slots[Wondered]
    looked: Looked = turn.slots[Looked]
    shown = "(private)" if wondered.private else wondered.question
    found = f"found {looked.found}" if looked.found else "found nothing"
    return CycleResult("explore", shown, found if looked.ok else looked.error)


def _outcome(acted: Acted) -> str:
    """What an action came to, in a word or two: that a skill did not fail is no success."""
    if not acted.ok:
        return acted.error
    return "ok" if acted.found else "found nothing"


def _standing(goal: SelfItem, skill: str, came: Evaluation) -> str:
    """How the goal stands now, where there is something to say about that."""
    if came.completed:
        return "reached"
    worked = skill in ("write_file", needed(goal.name)) and came.progress
    return "the goal is done when you say so" if worked else ""


def due(kernel: Kernel, *, asked: bool = False) -> tuple[Fired, ...]:
    """Which triggers call for a reflection now, after the last cycle."""
    kernel.index.catch_up()
    limits, weights = kernel.thresholds, dict(kernel.self_.values)
    start = kernel.index.cycles.last("reflection")
    many = kernel.index.cycles.many_since(start)
    past = kernel.index.cycles.since(start, 1)
    # A reflection that has looked at them is enough for as long as they may lie there.
    stale = (
        ArchivedExperience(kernel.index, limits.stale_cycles).stale()
        if many >= limits.stale_cycles
        else ()
    )
    heard = ArchivedExperience(kernel.index).last_answer(past[0].seq) if past else 0.0
    cycle = Cycle(
        delta=max(past[0].delta, heard, key=abs) if past else 0.0,
        conflicts=tuple(
            (str(a), str(b), min(weights.get(a, 0.0), weights.get(b, 0.0)))
            for p in past
            for a, b in p.conflicts
        ),
        completed=tuple(p.goal for p in past if p.completed),
        stale=tuple(name for name, _ in stale),
        since=many,
        asked=asked,
    )
    return fired(cycle, limits)


async def reflect_if_due(
    kernel: Kernel, watch: Watch, *, asked: bool = False
) -> tuple[tuple[Fired, ...], ReflectionOutcome] | None:
    """Reflect where a trigger calls for it, and say which did; one that another turn began counts."""
    async with kernel.reflecting:
        why = due(kernel, asked=asked)
        return (why, await _reflect(kernel, why, watch)) if why else None


async def reflect(
    kernel: Kernel, why: tuple[Fired, ...], watch: Watch, *, dry_run: bool = False
) -> ReflectionOutcome:
    """The reflection loop; a dry run asks the same and changes nothing."""
    async with kernel.reflecting:
        return await _reflect(kernel, why, watch, dry_run=dry_run)


async def _reflect(
    kernel: Kernel, why: tuple[Fired, ...], watch: Watch, *, dry_run: bool = False
) -> ReflectionOutcome:
    await take_in_edits(kernel)
    kernel.index.catch_up()
    experience = ArchivedExperience(kernel.index, kernel.thresholds.stale_cycles)
    triggers = "; ".join(f.why for f in why) or "it was asked for"
    session_key = f"lumen:reflection:{ulid(kernel.clock)}"
    stimulus = Stimulus(triggers, kernel.index.events.last_head()[0] + 1, session_key)
    if dry_run:
        return await _imagined(kernel, experience, stimulus, watch)
    turn = await begin(kernel, stimulus, watch, {PastLife: experience})
    refused = ""
    async with in_turn(kernel.gate.locks):
        try:
            await _through(kernel, "reflection", turn, watch)
        except Refused as error:  # archived by the gate; an edit by hand waits, perhaps
            refused = error.what
    adopt_edits(kernel)
    review: Review = turn.slots[Review]
    applied = not refused and turn.slots[Evolved].many > 0
    return ReflectionOutcome(review.summary, turn.slots[Asked], applied, refused)


async def _imagined(
    kernel: Kernel, experience: ArchivedExperience, stimulus: Stimulus, watch: Watch
) -> ReflectionOutcome:
    turn = await begin(kernel, stimulus, watch, {PastLife: experience})
    try:
        await rehearse(contour_in_force(kernel.index).loops["reflection"], turn, watch)
    finally:
        turn.mind.calls.settle()
    return ReflectionOutcome(turn.slots[Review].summary, turn.slots[Asked], applied=False)


async def _run(
    kernel: Kernel,
    loop: str,
    stimulus: Stimulus,
    watch: Watch,
    more: Mapping[type, object] | None = None,
) -> Turn:
    turn = await begin(kernel, stimulus, watch, more)
    await _through(kernel, loop, turn, watch)
    return turn


async def _through(kernel: Kernel, loop: str, turn: Turn, watch: Watch) -> None:
    """Run a loop; that it was broken off is archived, with the calls it had made."""
    try:
        await run_loop(contour_in_force(kernel.index).loops[loop], turn, watch)
    except BaseException as error:
        why = error.what if isinstance(error, LumenError) else type(error).__name__
        what = f"The cycle ended early: {why}"
        interrupted(kernel, turn.stimulus.session_key, what, turn.mind.calls.taken(), error)
        raise
