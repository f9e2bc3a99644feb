"""What experience suggests to change about the self: pure rules, bounded, and what would follow.

A rule proposes with the memories that speak for it; a strong model may propose too. Contradictions
are settled by evidence, no weight moves further than a step, and every proposal is replayed over
past decisions before anyone believes in it. Carrying it out is the reflection loop's, through the
gate.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from lumen.core.data import Memory, SelfItem
from lumen.core.exposure import Cite, Plain, Quote
from lumen.kernel.choice.score import LAW, Decision, replayed
from lumen.kernel.gate.revise import asks_for_skill
from lumen.kernel.language.wording import LONGEST_STORY, flaw

# what a value or a goal may become, beside weighing more or less
STATES = {"value": ("active", "deprecated"), "goal": ("dropped", "perpetual", "todo")}
BEGINS = {"value": ("", "active"), "goal": ("", "todo", "perpetual")}  # and what a new one may be


@dataclass(frozen=True, slots=True)
class Bounds:
    """How far a reflection may go, and what must have happened first."""

    step: float = 0.1  # how far a weight may move
    changes: int = 5
    sure: int = 2  # how often something must have happened before it means anything
    full: int = 3  # and how often before it counts for a whole step
    telling: float = 0.3  # a mean surprise from here on says something about the values behind it
    answers: int = 5  # replies in the author's own words before being truthful is a habit
    finds: int = 3  # explorations that found something before being curious is one
    faint: float = 0.05  # a value that came down to this is no longer held


BOUNDS = Bounds()


@dataclass(frozen=True, slots=True)
class PastCycle:
    """A past cycle as reflection may see it: numbers, names, and the memory it is known by."""

    memory: int
    delta: float
    values: tuple[str, ...]
    conflicts: tuple[tuple[str, str], ...]
    answered: float = 0.0  # how far what the author said next was from what was expected of a reply

    @property
    def surprise(self) -> float:
        """How far it came out from what was foreseen, by its own outcome or by the author's next words."""
        return max(self.delta, self.answered, key=abs)


@dataclass(frozen=True, slots=True)
class Experience:
    """All that happened since the last reflection. No kernel memory is in it, nor can be."""

    since: int = 0
    memories: tuple[Memory, ...] = ()
    cycles: tuple[PastCycle, ...] = ()
    decisions: tuple[Decision, ...] = ()
    completed: tuple[tuple[str, int], ...] = ()  # goals, and the memory of pursuing them
    closed: tuple[tuple[str, int], ...] = ()  # goals the author called done, and their words
    stale: tuple[tuple[str, int], ...] = ()
    grounded: tuple[int, ...] = ()  # replies that rested on what was told
    found: tuple[int, ...] = ()  # explorations that came to something
    values: tuple[SelfItem, ...] = ()
    goals: tuple[SelfItem, ...] = ()
    soul: str | None = None  # the text of soul.md; nothing: there is no such file


@dataclass(frozen=True, slots=True)
class SelfChange:
    """One change of self: what, from where to where, why, and what speaks for it."""

    kind: Plain[str]  # value, goal or story
    name: Quote[str]
    before: Plain[float]
    after: Plain[float]
    why: Quote[str]
    evidence: Cite[tuple[int, ...]]
    status: Quote[str] = (
        ""  # what it becomes, beside its weight; a goal that is let go is "dropped"
    )
    text: str = ""  # the new line of the story
    by: Plain[str] = "kernel"
    otherwise: Plain[int] = 0  # how many past choices would have gone otherwise
    of: Plain[int] = 0

    @property
    def direction(self) -> int:
        """Up, down or neither."""
        if self.status in ("dropped", "deprecated"):
            return -1
        return (self.after > self.before) - (self.after < self.before)


@dataclass(frozen=True, slots=True)
class SettledChanges:
    """What is left after contradictions were settled, and how each was."""

    kept: tuple[SelfChange, ...] = ()
    conflicts: tuple[str, ...] = ()


def proposals(past: Experience) -> list[SelfChange]:
    """What the kernel's own rules make of experience."""
    return [*_values(past), *_habits(past), *_goals(past), *_story(past)]


def _values(past: Experience) -> Iterable[SelfChange]:
    weights = {v.name: v.weight for v in past.values if v.status == "active"}
    for (winner, loser), (times, evidence) in _tensions(past, weights).items():
        by = BOUNDS.step * min(1.0, times / BOUNDS.full)
        why = f"{winner} and {loser} pulled apart {_times(times)}, and {winner} served better"
        yield SelfChange("value", winner, weights[winner], weights[winner] + by, why, evidence)
        yield SelfChange("value", loser, weights[loser], weights[loser] - by, why, evidence)
    for name, weight in weights.items():
        touched = [c for c in past.cycles if name in c.values]
        mean = sum(c.delta for c in touched) / len(touched) if touched else 0.0
        if len(touched) >= BOUNDS.sure and abs(mean) >= BOUNDS.telling:
            side = "better" if mean > 0 else "worse"
            why = f"what I did for {name} came out {side} than foreseen {_times(len(touched))}"
            after = weight + (BOUNDS.step if mean > 0 else -BOUNDS.step) / 2
            yield SelfChange("value", name, weight, after, why, tuple(c.memory for c in touched))


def _tensions(
    past: Experience, weights: Mapping[str, float]
) -> dict[tuple[str, str], tuple[int, tuple[int, ...]]]:
    """Pairs of values that pulled apart, the one that served better first."""
    seen: dict[frozenset[str], list[int]] = {}
    for cycle in past.cycles:
        for pair in cycle.conflicts:
            if set(pair) <= weights.keys():
                seen.setdefault(frozenset(pair), []).append(cycle.memory)
    found = {}
    for both, events in seen.items():
        one, other = sorted(both, key=lambda v: (-_served(past, v), -weights[v], v))
        found[one, other] = (len(events), tuple(dict.fromkeys(events)))
    return found


def _served(past: Experience, value: str) -> float:
    deltas = [c.delta for c in past.cycles if value in c.values]
    return sum(deltas) / len(deltas) if deltas else 0.0


def _habits(past: Experience) -> Iterable[SelfChange]:
    """A self without values finds out what it lives by."""
    known = {v.name for v in past.values}
    for name, events, least, why in (
        ("honesty", past.grounded, BOUNDS.answers, "I answered in words that were told to me"),
        ("curiosity", past.found, BOUNDS.finds, "I wondered and found something"),
    ):
        if name not in known and len(events) >= least:
            yield SelfChange(
                "value", name, 0.0, 0.5, f"{why} {_times(len(events))}", events[:least]
            )


def _goals(past: Experience) -> Iterable[SelfChange]:
    weights = {g.name: g.weight for g in past.goals if g.status in ("todo", "working")}
    for name, memory in past.stale:
        if name not in weights or not memory:
            continue
        after = weights[name] - BOUNDS.step
        status = "dropped" if after < LAW.least else ""
        why = f"{name!r} does not get on"
        yield SelfChange("goal", name, weights[name], after, why, (memory,), status)


def _story(past: Experience) -> Iterable[SelfChange]:
    for name, memory in past.completed:
        line = f"I reached a goal: {one_line(name)}."
        if memory:
            yield SelfChange("story", name, 0.0, 0.0, f"{name!r} was reached", (memory,), text=line)
    for name, memory in past.closed:  # no deed of its own
        line = f"The author closed the goal: {one_line(name)}."
        why = f"the author closed {name!r}"
        yield SelfChange("story", name, 0.0, 0.0, why, (memory,), text=line)


def one_line(text: str) -> str:
    """A text as one line of the story: no heading, no line of its own making."""
    return " ".join(text.split()).lstrip("#> -")


def bounded(proposal: SelfChange, *, new: bool) -> SelfChange:
    """A weight moves by a step at most, and stays between 0 and 1; what is new starts in the middle."""
    if proposal.kind == "story":
        return proposal
    if new:
        start = round(max(0.0, min(proposal.after, 0.5)), 3)
        begins = proposal.status if proposal.status == "perpetual" else ""
        return replace(proposal, before=0.0, after=start, status=begins)
    before = proposal.before
    after = max(before - BOUNDS.step, min(before + BOUNDS.step, proposal.after))
    after = round(max(0.0, min(1.0, after)), 3)
    if abs(after - before) > BOUNDS.step + 1e-9:  # it was rounded away from where it was
        after = round(after + (0.001 if after < before else -0.001), 3)
    faint = proposal.kind == "value" and after <= BOUNDS.faint and after < before
    return replace(proposal, after=after, status="deprecated" if faint else proposal.status)


def settle(found: Sequence[SelfChange], past: Experience) -> SettledChanges:
    """One proposal for each thing: what more memories speak for stays, and why is said."""
    known = {("value", v.name) for v in past.values} | {("goal", g.name) for g in past.goals}
    kept: dict[tuple[str, str], SelfChange] = {}
    conflicts: list[str] = []
    for one in found:
        new = (one.kind, one.name) not in known
        if why := _unfit(one, past, new=new):
            conflicts.append(why)
            continue
        fitted = bounded(replace(one, evidence=tuple(dict.fromkeys(one.evidence))), new=new)
        key = (one.kind, one.text or one.name)
        other = kept.get(key)
        kept[key] = fitted
        if other is not None:
            kept[key], why = _stronger(other, fitted)
            conflicts += [why] if why else []
    moved = [p for p in kept.values() if p.text or p.after != p.before or _turns(p, past)]
    return SettledChanges(
        tuple(_with_replay(p, past) for p in moved[: BOUNDS.changes]), tuple(conflicts)
    )


def _unfit(one: SelfChange, past: Experience, *, new: bool) -> str:
    """What keeps a proposal from being looked at; empty when nothing does."""
    if not one.evidence:
        return f"nothing speaks for a change of {one.name!r}"
    if one.kind == "story":
        if not one.text or one.text in (past.soul or ""):
            return f"it stands in the story already: {one.text}"
        why = flaw(one.text, LONGEST_STORY)
        return f"{one.text!r} is no line for a story: {why}" if why else ""
    why = flaw(one.name) if new else ""
    if why:
        return f"{one.name!r} is no name for a {one.kind}: {why}"
    to_do = {g.name for g in past.goals if g.status != "done"}
    if one.kind == "goal" and asks_for_skill(one.name) and one.name not in to_do:
        return "a goal to learn a skill comes from a missing ability or from the author"
    return _unfit_status(one, new=new)


def _unfit_status(one: SelfChange, *, new: bool) -> str:
    """Why a value or a goal cannot become what is proposed: it is refused, never made another."""
    if new and one.status in STATES[one.kind] and one.status not in BEGINS[one.kind]:
        return f"there is no {one.kind} {one.name!r}"
    if one.status and one.status not in STATES[one.kind]:
        return f"no reflection makes a {one.kind} {one.status!r}: {one.name!r} stays as it is"
    return ""


def _stronger(one: SelfChange, other: SelfChange) -> tuple[SelfChange, str]:
    """Of two proposals about one thing, the one that stays, and why where they contradict."""
    if one.direction == other.direction:
        return max(one, other, key=lambda p: (len(p.evidence), abs(p.after - p.before))), ""
    stays = other if len(other.evidence) > len(one.evidence) else one
    why = (
        f"{one.name}: {one.why}, yet {other.why}; "
        f"{len(stays.evidence)} memories speak for the one that stays"
    )
    return stays, why


def _turns(proposal: SelfChange, past: Experience) -> bool:
    """Whether a proposal makes something else of a value or a goal than it is."""
    return _after(proposal, past) != _after(replace(proposal, status=""), past)


def _after(proposal: SelfChange, past: Experience) -> str:
    """What a value or a goal is once a proposal is carried out; what it does not say stays."""
    values = proposal.kind == "value"
    held = past.values if values else past.goals
    stands = {h.name: h.status for h in held}.get(proposal.name, "active" if values else "todo")
    return proposal.status or stands


def changed(proposal: SelfChange, past: Experience) -> SelfItem:
    """A value or a goal as a proposal makes it."""
    return SelfItem(proposal.name, proposal.after, _after(proposal, past))


def _with_replay(proposal: SelfChange, past: Experience) -> SelfChange:
    """What the past would have been under the proposed weight, by the archived scores."""
    if proposal.kind != "value":
        return proposal
    held = {v.name: v for v in past.values} | {proposal.name: changed(proposal, past)}
    weights = {v.name: v.weight for v in held.values() if v.status == "active"}
    otherwise, _ = replayed(past.decisions, weights)
    return replace(proposal, otherwise=otherwise, of=len(past.decisions))


def _times(many: int) -> str:
    return "once" if many == 1 else "twice" if many == 2 else f"{many} times"


@dataclass(frozen=True, slots=True)
class Gap:
    """Something that is not known and might matter."""

    question: str
    words: str
    why: str
    sources: tuple[int, ...] = field(default=())
    private: bool = False
