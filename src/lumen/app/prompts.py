"""Which words a model is told, where they come from, and whether they fit."""

from __future__ import annotations

import difflib
from dataclasses import dataclass
from pathlib import Path

from lumen.core.canon import sha256
from lumen.core.data import BeingPaths
from lumen.core.errors import BadSetting, UsageError
from lumen.kernel.models.templates import (
    TEMPLATES,
    Template,
    TemplateProblem,
    check,
    in_force,
    templates,
)
from lumen.kernel.turn.recorded import PROMPTS
from lumen.mind.render import find


@dataclass(frozen=True, slots=True)
class PromptFile:
    """A template in force: for which step and part, for which models, and whose it is."""

    step: str
    part: str
    variant: str  # plain, or small: for small models
    origin: str  # this being, or shipped
    file: str
    sha256: str
    characters: int
    path: str
    text: str


@dataclass(frozen=True, slots=True)
class PromptSlot:
    """What a template may use, what it means, and whether it may be somebody else's words."""

    name: str
    trust: str
    meaning: str


@dataclass(frozen=True, slots=True)
class PromptStep:
    """The templates of a step, or of one part of it; what they may use, and what the step is for."""

    step: str
    part: str
    meaning: str
    templates: tuple[PromptFile, ...]
    slots: tuple[PromptSlot, ...]


@dataclass(frozen=True, slots=True)
class PromptProblem:
    """What is wrong with a template, where, and what to do."""

    path: str
    line: int | None
    what: str
    fix: str
    place: str


@dataclass(frozen=True, slots=True)
class PromptCheck:
    """Whether every template can be used."""

    ok: bool
    templates: int
    problems: tuple[PromptProblem, ...]


@dataclass(frozen=True, slots=True)
class Overridden:
    """The templates a being has of its own, and what they say otherwise, line by line."""

    overridden: tuple[str, ...]
    diff: tuple[str, ...]


def refuse_bad_prompts(being: BeingPaths) -> None:
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


def prompts_of(being: BeingPaths) -> tuple[PromptFile, ...]:
    """Every template in force."""
    return tuple(_described(being, template) for template in in_force((being.prompts, PROMPTS)))


def prompts_for(being: BeingPaths, which: str, *, small: bool) -> PromptStep:
    """The templates of a step, or of STEP/PART.

    Raises:
        UsageError: there is no such step or part, or no template of it for such a model.
    """
    step, _, part = which.partition("/")
    must_be_step(step)
    declared = TEMPLATES[step]
    parts = (part,) if part else declared.parts
    if part and part not in declared.parts:
        what = f"{step} has no part {part!r}; it has: {', '.join(declared.parts)}"
        raise UsageError(what, fix=f"lumen prompts show {step}/{declared.parts[0]}")
    variant = "small" if small else "plain"
    found = tuple(
        p for p in prompts_of(being) if p.step == step and p.part in parts and p.variant == variant
    )
    if not found:
        other = "" if small else " --small"
        what = f"there is no {which} for a {variant} model"
        raise UsageError(what, fix=f"lumen prompts show {which}{other}")
    slots = (
        PromptSlot(name, "untrusted" if given.untrusted else "plain", given.meaning)
        for name, given in declared.slots.items()
    )
    return PromptStep(step, part, declared.meaning, found, tuple(slots))


def overridden(being: BeingPaths, step: str | None = None) -> Overridden:
    """What a being's own templates say otherwise than the shipped ones."""
    if step is not None:
        must_be_step(step)
    own = [t for t in templates(being.prompts) if step in (None, t.step)]
    lines = (line for template in own for line in _difference(template))
    return Overridden(tuple(t.name for t in own), tuple(lines))


def check_prompts(being: BeingPaths) -> PromptCheck:
    """Whether every template, the being's and the shipped, can be used."""
    folders = (being.prompts, PROMPTS)
    problems = tuple(map(_problem, check(folders)))
    count = sum(len(templates(folder)) for folder in folders if folder.is_dir())
    return PromptCheck(not problems, count, problems)


def must_be_step(step: str) -> None:
    """See that a step has templates.

    Raises:
        UsageError: none of that name has.
    """
    if step not in TEMPLATES:
        raise UsageError(
            f"no step {step!r} has templates; these have: {', '.join(TEMPLATES)}",
            fix="lumen prompts list",
        )


def _described(being: BeingPaths, template: Template) -> PromptFile:
    text = _text(template.path)
    return PromptFile(
        step=template.step,
        part=template.part,
        variant="small" if template.small else "plain",
        origin="this being" if template.path.is_relative_to(being.prompts) else "shipped",
        file=template.name,
        sha256=sha256(template.path.read_bytes()),
        characters=len(text),
        path=str(template.path),
        text=text,
    )


def _text(path: Path) -> str:
    """What a file says; where it is no text, something in its place, as `check` tells the rest."""
    return path.read_bytes().decode("utf-8", "replace")


def _difference(own: Template) -> list[str]:
    """Against what would be in force without it."""
    _, at = find((PROMPTS,), own.step, own.part, small=own.small)
    name, before = (at[1], _text(at[0])) if at else ("nothing", "")
    lines = difflib.unified_diff(
        before.splitlines(),
        _text(own.path).splitlines(),
        f"{name} (shipped)",
        f"{own.name} (this being)",
        lineterm="",
    )
    return list(lines)


def _problem(problem: TemplateProblem) -> PromptProblem:
    return PromptProblem(
        str(problem.path), problem.line, problem.what, problem.fix, problem.place()
    )
