"""`lumen contour`: which steps a being takes, when and by which numbers; give it another."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import groupby
from pathlib import Path

import click

from lumen.app import contours as app
from lumen.app.contours import ContourStep, ContourView
from lumen.app.words import counted
from lumen.body.cli.command import YES, agrees, command
from lumen.body.cli.render import TextResult
from lumen.body.cli.request import CommandRequest
from lumen.body.cli.terminal import lined_up, note
from lumen.core.canon import JSON
from lumen.core.errors import UsageError

FILE = click.argument("file", type=click.Path(path_type=Path))


@click.group()
def contour() -> None:
    """The steps of a turn as data: see them, check a file of yours, go by it."""


@command("show", within=contour, for_skills=True)
@click.option("--text", is_flag=True, help="The file itself, to change a copy of it.")
def show_contour(request: CommandRequest, text: bool) -> TextResult:
    """Every step in its order: when it runs and by which numbers."""
    with request.looking() as look:
        found = app.contour_shown(look.index)
        if text:
            return TextResult(found, app.contour_text(look.index).rstrip("\n"))
    if found.trouble:
        note(f"The contour you gave it cannot be used any more: {found.trouble}.")
        note("  try: lumen contour use --shipped")
    return TextResult(found, _lines(found))


def _lines(found: ContourView) -> Iterator[str]:
    yield f"{found.origin} · {counted(len(found.steps), 'step')} · sha256 {found.sha256[:16]}"
    for loop, steps in groupby(found.steps, key=lambda one: one.loop):
        yield f"\n{loop}"
        yield from lined_up([_row(one) for one in steps], indent="  ")


def _row(one: ContourStep) -> tuple[str, str, str]:
    told = {**one.policy, **one.parameters}
    return one.beat, one.step, _settings(told)


def _settings(told: Mapping[str, JSON]) -> str:
    return "  ".join(f"{name} {value}" for name, value in told.items())


@command("validate", within=contour, for_skills=True)
@FILE
def validate_contour(_request: CommandRequest, file: Path) -> TextResult:
    """Whether a being could go by a file; if not, where it is wrong."""
    found = app.validate(file)
    return TextResult(found, f"✓ {file}: {counted(len(found.steps), 'step')}")


@command("diff", within=contour, for_skills=True)
@click.argument("file", required=False, type=click.Path(path_type=Path))
def diff_contour(request: CommandRequest, file: Path | None) -> TextResult:
    """What the contour in force says otherwise than the shipped one; or FILE than that in force."""
    with request.looking() as look:
        found = app.contour_diff(look.index, file)
    same = "It is what is in force." if file else "The shipped contour is in force."
    return TextResult({"diff": found}, found or same)


@command("use", within=contour)
@click.argument("file", required=False, type=click.Path(path_type=Path))
@click.option("--shipped", is_flag=True, help="Go back to the one that comes with Lumen.")
@YES
def use_contour(
    request: CommandRequest, file: Path | None, shipped: bool, yes: bool
) -> TextResult | None:
    """Let it go by FILE from its next turn on; archived, and yours alone to do."""
    if (file is None) != shipped:
        raise UsageError("say which contour: a file, or --shipped", fix="lumen contour use FILE")
    if file is not None:
        app.validate(file)
    named = "--shipped" if file is None else str(file)
    if not agrees(f"Go by {named}?", yes=yes, fix=f"lumen contour use {named} --yes"):
        return None
    with request.as_author() as kernel:
        found = app.use_contour(kernel.gate, file)
    return TextResult(
        found, f"It goes by {'the shipped contour' if shipped else file} from now on."
    )
