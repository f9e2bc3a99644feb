"""What could be done about a message or a goal, as far as code can tell. Pure: names and texts.

A strong model may propose more; these are what a being has without one. Abilities it lacks are
named too: that is how it finds out what it would have to learn.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence, Set
from dataclasses import dataclass, replace

from lumen.core.canon import JSON, sha256
from lumen.core.data import SelfItem
from lumen.core.exposure import Plain, Quote
from lumen.hands.skills import is_name
from lumen.kernel.choice.score import Behaviour
from lumen.kernel.gate.revise import LEARN
from lumen.kernel.language.lexicon import lexicon
from lumen.kernel.language.reading import stems, words
from lumen.kernel.language.sums import sum_asked, sum_beside

CREATE = "create_skill"  # not a program: the kernel's own tool for making one
KEEP = "keep"  # nor is this: what is put on a list, or to be said on a day
_SLUG = re.compile(r"[\W_]+")
_WANTED = re.compile(re.escape(LEARN) + r"([a-z][a-z0-9_]*)")
LONGEST_SLUG = 48

Likeness = Callable[[tuple[str, ...], str], tuple[float, ...]]


@dataclass(frozen=True, slots=True)
class Bearing:
    """A value that bears on a candidate: how near it is, to the kind or to the message, and its weight."""

    value: Quote[str]
    to: Plain[str]
    near: Plain[float]
    weight: Plain[float]


@dataclass(frozen=True, slots=True)
class Candidate:
    """An action that could be taken: a skill, what it would do, and what should come of it."""

    skill: Quote[str]
    action: Quote[str]
    prediction: Quote[str]
    input: JSON = None
    values: Quote[tuple[str, ...]] = ()  # values it is in line with
    against: Quote[tuple[str, ...]] = ()  # and such as it offends
    likely: Plain[float] = 0.5  # how likely it succeeds, by what came of it before
    completes: Plain[bool] = False  # by the kernel: when it succeeds, the goal is reached
    prompted: Plain[float] = 1.0  # how strongly the message calls for it
    bears: Plain[tuple[Bearing, ...]] = ()  # why each of its values speaks for it


def could_be_skill(name: str) -> bool:
    """Whether a model may propose it for a goal: a skill's name, and none the kernel uses itself."""
    return is_name(name) and name not in (CREATE, KEEP, "chat")


def wanted_skill(goal: str) -> str:
    """The skill a goal is about learning; empty when it is about something else."""
    found = _WANTED.fullmatch(goal)
    return found[1] if found else ""


def needed(goal: str) -> str:
    """The ability a goal asks for, by the words that name it."""
    named = (a for a, signal in lexicon().abilities.items() if signal.search(goal.lower()))
    return next(named, "")


def asks_for(goal: str, skill: str) -> bool:
    """Whether a goal itself names an ability: what only a model says that it takes is nothing to learn."""
    return needed(goal) == skill or wanted_skill(goal) == skill or bool(stems(goal) & stems(skill))


def sum_candidate(text: str, can: Callable[[str], bool]) -> Candidate | None:
    """To reckon, where a message asks for that and there is a skill for it."""
    beside = sum_beside(text)
    asked = beside[0] if beside else sum_asked(text)
    if asked and can("calc"):
        given: JSON = {"expression": asked.expression, "said": asked.said}
        if asked.unit:
            given = {**given, "unit": asked.unit}
        return Candidate("calc", "work_out", f"{asked.expression} has a value", given)
    return None


def for_goal(
    goal: SelfItem, told: Sequence[str], can: Callable[[str], bool], *, authors: bool
) -> tuple[Candidate, ...]:
    """What could be done for a goal: learn what it needs, look for it, write it down.

    `told` are the author's own sentences that bear on it, with their dates, none where a page of
    them was written; `authors` is whether a model is there that can write a skill.
    """
    skill = wanted_skill(goal.name)
    if skill:
        return (_learn(skill, can, authors=authors),)
    ability = needed(goal.name)
    if ability:  # nothing else would serve it
        return (Candidate(ability, "do", f"{goal.name}: done", {"goal": goal.name}),)
    about = " ".join(words(goal.name)[:8])
    look = Candidate("search", "find", f"something about {about} is found", {"words": about})
    if goal.status == "todo" or not told:
        return (look,)
    write = Candidate(
        "write_file",
        "write",
        f"a page about {about} is written",
        {"path": f"{slug(goal.name)}.md", "text": page(goal.name, told), "unique": True},
    )
    return (write, look)


def _learn(skill: str, can: Callable[[str], bool], *, authors: bool) -> Candidate:
    if can(skill):
        note = f"I have the skill {skill} now."
        return Candidate("note", "keep", note, {"text": note}, completes=True)
    if authors:
        expected = f"the skill {skill} works"
        return Candidate(CREATE, skill, expected, {"name": skill}, completes=True)
    if not can("note"):
        return Candidate(skill, "do", f"the skill {skill} works")
    note = f"I lack the skill {skill}. `lumen skills new {skill}` makes one to fill in."
    return Candidate("note", "keep", note, {"text": note})


def slug(text: str) -> str:
    """A text as a file's name, in whatever script; of one without letters, the hash is left."""
    whole = _SLUG.sub("-", text.lower()).strip("-")
    mark = sha256(text.encode())[:8]
    if len(whole) > LONGEST_SLUG:  # what was cut off may be all that tells two goals apart
        return f"{whole[: LONGEST_SLUG - len(mark) - 1].strip('-')}-{mark}"
    return whole or f"page-{mark}"


def page(title: str, told: Sequence[str]) -> str:
    """What was told, as a page: the author's words and their dates, nothing added."""
    return "\n".join([f"# {title}", "", *(f"- {line}" for line in told), ""])


def aligned(
    candidates: tuple[Candidate, ...],
    values: Sequence[tuple[str, float]],
    likeness: Likeness,
    *,
    near: float,
    claimed: float,
) -> tuple[Candidate, ...]:
    """Candidates with the values that really are the being's and bear on them, by meaning.

    What a model claims counts only for values there are, and only where it is not far-fetched:
    `near` is how near a value must lie by itself, `claimed` how near where a model names it.
    """
    if not values:
        return tuple(replace(c, values=(), against=()) for c in candidates)
    names_ = tuple(name for name, _ in values)
    found = []
    for c in candidates:
        said = f"{c.action} {c.prediction}"
        nearness = dict(zip(names_, likeness(names_, said), strict=True))
        for_ = [n for n in names_ if nearness[n] >= (claimed if n in c.values else near)]
        against = [n for n in names_ if n in c.against and n not in for_]
        found.append(replace(c, values=tuple(for_), against=tuple(against)))
    return tuple(found)


def torn(
    candidates: tuple[Candidate, ...],
    scores: tuple[Behaviour, ...],
    chosen: int,
    heavy: Set[str],
    close: float,
    most: int,
) -> tuple[tuple[str, str], ...]:
    """Pairs of `heavy` values that pull apart: one the choice serves, one it offends or passes up.

    Passed up is what speaks for a candidate that came in close behind, and not for the chosen one.
    """
    mine = candidates[chosen]
    passed = [
        v
        for c, s in zip(candidates, scores, strict=True)
        if scores[chosen].total - s.total <= close and s.ability
        for v in c.values
        if v not in mine.values
    ]
    lost = dict.fromkeys([*mine.against, *passed])
    pairs = [(a, b) for a in mine.values for b in lost if {a, b} <= heavy]
    return tuple(pairs[:most])
