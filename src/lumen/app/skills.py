"""What a being can do: its skills, who made each, what it touches, how it is held; try and switch them."""

from __future__ import annotations

import ast
import re
import shlex
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from lumen.app.settings import Settings
from lumen.app.skill_changes import approved_in
from lumen.core.canon import JSON, dumps
from lumen.core.data import BeingPaths, kernel_entry
from lumen.core.errors import LumenError, SkillError, Unapproved, UsageError
from lumen.hands.author import accept as accept_as_authors
from lumen.hands.author import switch
from lumen.hands.effects import DeclaredEffects, Example, effects_of
from lumen.hands.policy import (
    Approves,
    SkillPolicies,
    changed,
    grant,
    in_force,
    isolation_for,
    nobody,
)
from lumen.hands.skills import (
    Maker,
    Skill,
    authored,
    came_with_lumen,
    discover,
    find,
    is_name,
    made_by,
    shipped,
    source_hash,
)
from lumen.hands.skills import named as skill_named
from lumen.hands.trial import Trial

if TYPE_CHECKING:
    from lumen.kernel.gate.guard import Guard
    from lumen.kernel.turn.run import Kernel
    from lumen.soul.ports.queries import Queries

AUTHOR = "lumen:author"
TEMPLATE = Path(__file__).with_name("template")
ACTIONS = re.compile(r"^Actions[^\S\n]*\n((?:[^\S\n]+\S.*\n?)+)", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class SkillState:
    """A skill: whether it is ready, who made it, what it touches, how it is held and why."""

    name: str
    ready: bool
    state: str
    maker: str
    effects: str
    declared: dict[str, JSON]
    description: str
    isolation: str
    why: str


@dataclass(frozen=True, slots=True)
class SkillDetails:
    """What a skill says of itself, and exactly which files that is about."""

    skill: SkillState
    sha256: str
    mark: dict[str, JSON] | None  # who wrote it, where a model did
    help: str
    trouble: str = ""


@dataclass(frozen=True, slots=True)
class SkillRun:
    """What a call to a skill came to."""

    name: str
    ok: bool
    output: JSON
    error: str | None


@dataclass(frozen=True, slots=True)
class Tried:
    """What the example of a skill came to."""

    name: str
    ok: bool
    why: str
    tried: bool


def skills_of(being: BeingPaths, settings: Settings, index: Queries) -> tuple[SkillState, ...]:
    """Every skill of a being."""
    from lumen.app.wiring import skill_policies

    found, policies = discover(being.skills), skill_policies(settings)
    plain = (Maker.SHIPPED, Maker.AUTHOR)
    approves = nobody if all(made_by(s) in plain for s in found) else approved_in(index)
    return tuple(_state_of(skill, being, policies, approves) for skill in found)


def known_skill(being: BeingPaths, name: str) -> Skill:
    """A skill by its name.

    Raises:
        UsageError: there is none.
    """
    try:
        return skill_named(being.skills, name)
    except SkillError as error:
        raise UsageError(error.what, fix=error.fix) from error


async def details(kernel: Kernel, settings: Settings, name: str) -> SkillDetails:
    """What a skill says of itself, asked as it would be held; one that must not run is not asked."""
    being = kernel.being
    skill = known_skill(being, name)
    state = next(s for s in skills_of(being, settings, kernel.index) if s.name == name)
    said, trouble = "", ""
    try:
        said = await _guard(kernel).help(skill)
    except SkillError as error:
        trouble = error.what
    return SkillDetails(state, source_hash(skill), authored(skill), said, trouble)


def must_be_runnable(being: BeingPaths, name: str) -> None:
    """See that there is a skill of a name that can run.

    Raises:
        UsageError: there is none.
    """
    try:
        find(being.skills, name)
    except SkillError as error:
        raise UsageError(error.what, fix=error.fix) from error


def call_like(being: BeingPaths, name: str, action: str) -> str:
    """A call to a skill as the author types it: the example it declares, if it does."""
    try:
        example = effects_of(known_skill(being, name)).example
    except SkillError:
        example = None
    example = example or Example(action, {"text": "hello"})
    words = ("lumen", "skills", "run", name, example.action, "--input")
    return shlex.join((*words, dumps(example.input).decode()))


async def run_skill(kernel: Kernel, name: str, action: str, given: JSON) -> SkillRun:
    """Call a skill as the author; the call and how it went are archived.

    Raises:
        UsageError: there is no such skill, or it lists its actions and this is none; nothing was archived.
    """
    from lumen.kernel.turn.recorded import RecordedHands

    must_be_runnable(kernel.being, name)
    await _must_have_action(kernel, name, action)
    hands = RecordedHands(kernel.gate, AUTHOR, kernel.clock, kernel.policies)
    done = await hands.use(name, action, given)
    what = f"The author ran {name}.{action}."
    beat = kernel_entry("skill_run", what, AUTHOR, {"skill": name, "action": action})
    kernel.gate.commit("author", [], beat, before=hands.entries, durable=True, sign=True)
    return SkillRun(name, done.ok, done.output, done.error or None)


async def _must_have_action(kernel: Kernel, name: str, action: str) -> None:
    """See that a skill whose help lists actions lists this one; the call says what else is wrong."""
    try:
        said = await _guard(kernel).help(find(kernel.being.skills, name))
    except SkillError:
        return
    listed = ACTIONS.search(said)
    actions = re.findall(r"^\s+(\w+)", listed[1], re.MULTILINE) if listed else []
    if actions and action not in actions:
        what = f"the skill {name} has no action {action!r}; it has {', '.join(actions)}"
        raise UsageError(what, fix=f"lumen skills show {name}")


def to_test(being: BeingPaths, name: str | None) -> list[Skill]:
    """The skill of a name, or all that are switched on."""
    if name is not None:
        return [known_skill(being, name)]
    return [s for s in discover(being.skills) if _on(s)]


async def test_skill(kernel: Kernel, skill: Skill) -> Tried:
    """Run the example a skill declares, held as the skill would be."""
    try:
        trial = await _guard(kernel).test(skill)
    except LumenError as error:
        trial = Trial(ok=False, why=error.what, tried=False)
    return Tried(skill.name, trial.ok, trial.why, trial.tried)


def new_skill(being: BeingPaths, name: str) -> Path:
    """Make a skill to fill in; returns its folder.

    Raises:
        UsageError: the name is none, or is taken.
    """
    if not is_name(name):
        what = f"{name!r} is no name for a skill: small letters, digits and _, at most 40"
        raise UsageError(what, fix="lumen skills new weather")
    folder = being.skills / name
    try:
        folder.mkdir(parents=True)
    except FileExistsError as error:
        raise UsageError(f"{folder} is there already", fix=f"lumen skills show {name}") from error
    ours = shipped() / name  # a being of an older version may lack it
    for source in sorted((ours if ours.is_dir() else TEMPLATE).glob("*.*")):
        text = source.read_text("utf-8").replace("NAME", name)
        (folder / source.name).write_text(text, "utf-8")
    return folder


def must_be_decidable(being: BeingPaths, name: str, what: str) -> Skill:
    """A skill about which the author may decide something.

    Raises:
        UsageError: there is none, or nothing to decide.
    """
    skill = known_skill(being, name)
    maker = made_by(skill)
    if what == "accepted" and maker in (Maker.SHIPPED, Maker.AUTHOR):
        whose = "is as it came with Lumen" if maker is Maker.SHIPPED else "is yours already"
        nothing = f"the skill {name} {whose}: no model wrote it, so there is nothing to accept"
        raise UsageError(nothing, fix="lumen skills")
    return skill


def decide_skill(kernel: Kernel, soul: str, name: str, what: str) -> str:
    """Let a skill be enabled, disabled or accepted, as the author; says so in words."""
    skill = must_be_decidable(kernel.being, name, what)
    if what == "accepted":
        _say_yes(kernel, skill, soul)
        accept_as_authors(skill)
    else:
        switch(skill, on=what == "enabled")
    payload: dict[str, JSON] = {"skill": name, "decided": what, "sha256": source_hash(skill)}
    said = f"The author {what} the skill {name}."
    kernel.gate.record(kernel_entry("skill_decided", said, AUTHOR, payload))
    return said


def _say_yes(kernel: Kernel, skill: Skill, soul: str) -> None:
    """The author's signature under exactly these files: taken for one's own, they may run anywhere."""
    from lumen.kernel.gate.approvals import decide
    from lumen.kernel.gate.proposals import skill_of, skill_proposal

    sha256, mark = source_hash(skill), authored(skill) or {}
    by = str(mark.get("by", "another hand" if came_with_lumen(skill.name) else "a model"))
    kernel.index.catch_up()
    known = skill_of(kernel.index, skill.name, sha256)
    if known is None:
        asked = skill_proposal(skill.name, sha256, by, "the author takes it for their own", AUTHOR)
        kernel.gate.record(asked)
        kernel.index.catch_up()
        known = skill_of(kernel.index, skill.name, sha256)
    if known is not None:
        decide(kernel.gate, soul, known.seq, allow=True)


def _guard(kernel: Kernel) -> Guard:
    from lumen.kernel.gate.guard import Guard

    return Guard(kernel.gate, kernel.policies, kernel.clock, AUTHOR)


def _on(skill: Skill) -> bool:
    return skill.ready and not skill.disabled


def _state_of(
    skill: Skill, being: BeingPaths, policies: SkillPolicies, approves: Approves
) -> SkillState:
    maker = made_by(skill)
    trouble = ""
    refused = changed(skill, maker, approves)
    if maker is Maker.CHANGED and not refused:
        maker = Maker.AUTHOR
    isolation, why = isolation_for(skill.name, maker, policies)
    effects = DeclaredEffects()
    try:
        effects = effects_of(skill)
        given = grant(skill, being.root, policies, approves)
        isolation, why = given.box.isolation, given.why
    except Unapproved:
        trouble = "waits: lumen approvals"
    except SkillError as error:
        trouble = error.what.removeprefix(f"The skill {skill.name} ")
    trouble = trouble or _flaw(skill)
    return SkillState(
        name=skill.name,
        ready=_on(skill) and not trouble and maker is not Maker.CHANGED,
        state=_state(skill, maker, trouble),
        maker=_maker(skill, maker),
        effects=effects.in_words(),
        declared={**asdict(effects), "example": effects.example is not None},
        description=effects.description,
        isolation=isolation.value,
        why=why,
    )


def _maker(skill: Skill, maker: Maker) -> str:
    if maker is not Maker.CHANGED:
        return maker.value
    return Maker.SHIPPED.value if came_with_lumen(skill.name) else Maker.MODEL.value


def _flaw(skill: Skill) -> str:
    """Where its main.py is no Python: it would end at its first line whatever it was asked."""
    try:
        ast.parse(skill.entry.read_bytes() if skill.ready else b"")
    except (SyntaxError, ValueError, RecursionError, OSError) as error:
        line = getattr(error, "lineno", None)
        return "main.py is no Python" + (f": line {line}" if line else "")
    return ""


def _state(skill: Skill, maker: Maker, trouble: str) -> str:
    if not skill.ready:
        return "has no main.py"
    if skill.disabled:
        return "disabled"
    if maker is Maker.CHANGED:
        return "changed: lumen skills accept"
    return trouble or "ready"


def isolation_notes(kernel: Kernel) -> tuple[str, ...]:
    """Under which isolation skills run on this host, and why: a sentence for each thing to know."""
    return in_force(kernel.policies)
