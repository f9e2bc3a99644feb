"""`lumen prompts`: which words a model is told, where they come from, and whether they fit."""

from __future__ import annotations

import difflib
from pathlib import Path

import click

from lumen.app.settings import must_be
from lumen.body.cli.common import being_meant, counted, say, shared, show, table
from lumen.core.canon import JSON, sha256
from lumen.core.data import Being
from lumen.core.errors import UsageError
from lumen.kernel.capabilities import PROMPTS
from lumen.kernel.templates import TEMPLATES, Problem, Template, check, in_force, templates
from lumen.mind.render import find


@click.group()
def prompts() -> None:
    """The words a model is told: see them, compare them, check them."""


@prompts.command("list")
@shared
def list_prompts(named: str | None, as_json: bool) -> None:
    """Every template in force: for a plain and for a small model, shipped or this being's."""
    being = _being(named)
    found = in_force((being.prompts, PROMPTS))
    if as_json:
        show([_described(being, template) for template in found])
        return
    told = [_described(being, template) for template in found]
    sizes = [f"{one['characters']:,}" for one in told]
    widest = max(map(len, [*sizes, "chars"]))
    rows = [("step", "part", "model", "from", "sha256", "chars".rjust(widest), "file")]
    for one, size in zip(told, sizes, strict=True):
        labels = (one["step"], one["part"], one["variant"], one["from"], one["sha256"][:12])
        rows.append((*labels, size.rjust(widest), one["file"]))
    table(rows)


@prompts.command("show")
@click.argument("which", metavar="STEP[/PART]")
@click.option("--small", is_flag=True, help="What a small model is shown.")
@click.option("--slots", is_flag=True, help="Also what the templates of this step may use.")
@shared
def show_prompt(which: str, small: bool, slots: bool, named: str | None, as_json: bool) -> None:
    """The text in force, of a whole step or of one part of it."""
    being = _being(named)
    step, _, part = which.partition("/")
    _must_be_step(step)
    declared = TEMPLATES[step]
    parts = (part,) if part else declared.parts
    if part and part not in declared.parts:
        what = f"{step} has no part {part!r}; it has: {', '.join(declared.parts)}"
        raise UsageError(what, fix=f"lumen prompts show {step}/{declared.parts[0]}")
    found = [
        t
        for t in in_force((being.prompts, PROMPTS))
        if t.step == step and t.part in parts and t.small == small
    ]
    if not found:
        other = "" if small else " --small"
        kind = "small" if small else "plain"
        what = f"there is no {which} for a {kind} model"
        raise UsageError(what, fix=f"lumen prompts show {which}{other}")
    if as_json:
        texts = [{**_described(being, t), "text": _text(t.path)} for t in found]
        show({"templates": texts, "slots": _slots(step)})
        return
    for number, template in enumerate(found):
        if not part:
            origin = _described(being, template)["from"]
            say(f"{'' if number == 0 else chr(10)}── {template.name} · {origin}")
        say(_text(template.path).rstrip("\n"))
    if slots:
        say(f"\nWhat {step} may use ({declared.meaning}):")
        rows = [(s["name"], s["trust"], s["meaning"]) for s in _slots(step)]
        table(rows, indent="  ")


@prompts.command("diff")
@click.argument("step", required=False)
@shared
def diff_prompts(step: str | None, named: str | None, as_json: bool) -> None:
    """What this being's own templates say otherwise than the shipped ones, line by line."""
    being = _being(named)
    if step is not None:
        _must_be_step(step)
    own = [t for t in templates(being.prompts) if step in (None, t.step)]
    lines = [line for template in own for line in _difference(template)]
    if as_json:
        show({"overridden": [t.name for t in own], "diff": lines})
    elif not own:
        say(f"Nothing is overridden{f' in {step}' if step else ''}: the shipped templates hold.")
    elif not lines:
        say("Nothing differs: what is overridden says the same.")
    for line in () if as_json else lines:
        say(line)


@prompts.command("check")
@shared
def check_prompts(named: str | None, as_json: bool) -> None:
    """Whether every template can be used; names what is wrong by file and line."""
    being = _being(named)
    folders = (being.prompts, PROMPTS)
    problems = check(folders)
    count = sum(len(templates(folder)) for folder in folders if folder.is_dir())
    if as_json:
        told = [_problem(p) for p in problems]
        show({"ok": not problems, "templates": count, "problems": told})
    elif not problems:
        say(f"✓ {counted(count, 'template')}")
    for problem in () if as_json else problems:
        say(f"{problem.place()}: {problem.what}")
        say(f"  try: {problem.fix}")
    if problems:
        click.get_current_context().exit(2)


def _being(named: str | None) -> Being:
    being = being_meant(named)
    must_be(being)
    return being


def _must_be_step(step: str) -> None:
    if step not in TEMPLATES:
        raise UsageError(
            f"no step {step!r} has templates; these have: {', '.join(TEMPLATES)}",
            fix="lumen prompts list",
        )


def _described(being: Being, template: Template) -> dict[str, JSON]:
    return {
        "step": template.step,
        "part": template.part,
        "variant": "small" if template.small else "plain",
        "from": "this being" if template.path.is_relative_to(being.prompts) else "shipped",
        "file": template.name,
        "sha256": sha256(template.path.read_bytes()),
        "characters": len(_text(template.path)),
        "path": str(template.path),
    }


def _slots(step: str) -> list[dict[str, str]]:
    return [
        {
            "name": name,
            "trust": "untrusted" if given.untrusted else "plain",
            "meaning": given.meaning,
        }
        for name, given in TEMPLATES[step].slots.items()
    ]


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


def _problem(problem: Problem) -> dict[str, JSON]:
    return {
        "path": str(problem.path),
        "line": problem.line,
        "what": problem.what,
        "fix": problem.fix,
    }
