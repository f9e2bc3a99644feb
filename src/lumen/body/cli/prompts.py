"""`lumen prompts`: which words a model is told, where they come from, and whether they fit."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict

import click

from lumen.app import prompts as app
from lumen.app.prompts import PromptFile, PromptStep
from lumen.app.words import counted
from lumen.body.cli.command import command
from lumen.body.cli.render import Listed, TextResult, data
from lumen.body.cli.request import CommandRequest
from lumen.body.cli.terminal import lined_up
from lumen.core.canon import JSON


@click.group()
def prompts() -> None:
    """The words a model is told: see them, compare them, check them."""


@command("list", within=prompts, for_skills=True)
def list_prompts(request: CommandRequest) -> Listed[PromptFile]:
    """Every template in force: for a plain and for a small model, shipped or this being's."""
    found = app.prompts_of(request.existing)
    wide = max(len(f"{one.characters:,}") for one in found)

    def row(one: PromptFile) -> tuple[str, ...]:
        labels = (one.step, one.part, one.variant, one.origin, one.sha256[:12])
        return (*labels, f"{one.characters:,}".rjust(wide), one.file)

    titles = ("step", "part", "model", "from", "sha256", "chars".rjust(wide), "file")
    return Listed(found, row, titles)


@data.register(PromptFile)
def _prompt_data(one: PromptFile) -> dict[str, JSON]:
    """A template in a list: without its text, and with its origin as `from`."""
    told = asdict(one)
    del told["text"]
    return {("from" if key == "origin" else key): value for key, value in told.items()}


@command("show", within=prompts, for_skills=True)
@click.argument("which", metavar="STEP[/PART]")
@click.option("--small", is_flag=True, help="What a small model is shown.")
@click.option("--slots", is_flag=True, help="Also what the templates of this step may use.")
def show_prompt(request: CommandRequest, which: str, small: bool, slots: bool) -> TextResult:
    """The text in force, of a whole step or of one part of it."""
    found = app.prompts_for(request.existing, which, small=small)
    templates = [{**_prompt_data(one), "text": one.text} for one in found.templates]
    return TextResult({"templates": templates, "slots": found.slots}, _texts(found, slots=slots))


def _texts(found: PromptStep, *, slots: bool) -> Iterator[str]:
    for number, one in enumerate(found.templates):
        if not found.part:
            yield f"{'' if number == 0 else chr(10)}── {one.file} · {one.origin}"
        yield one.text.rstrip("\n")
    if slots:
        yield f"\nWhat {found.step} may use ({found.meaning}):"
        yield from lined_up([(s.name, s.trust, s.meaning) for s in found.slots], indent="  ")


@command("diff", within=prompts, for_skills=True)
@click.argument("step", required=False)
def diff_prompts(request: CommandRequest, step: str | None) -> TextResult:
    """What this being's own templates say otherwise than the shipped ones, line by line."""
    found = app.overridden(request.existing, step)
    same = "Nothing differs: what is overridden says the same."
    if not found.overridden:
        same = f"Nothing is overridden{f' in {step}' if step else ''}: the shipped templates hold."
    return TextResult(found, found.diff or same)


@command("check", within=prompts, for_skills=True, failing=2)
def check_prompts(request: CommandRequest) -> TextResult:
    """Whether every template can be used; names what is wrong by file and line."""
    found = app.check_prompts(request.existing)
    wrong = [f"{p.place}: {p.what}\n  try: {p.fix}" for p in found.problems]
    return TextResult(found, wrong or f"✓ {counted(found.templates, 'template')}")
