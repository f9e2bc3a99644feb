"""`lumen prompts`: which words a model is told, where they come from, and whether they fit."""

from __future__ import annotations

from dataclasses import asdict

import click

from lumen.app import prompts as app
from lumen.app.settings import must_be
from lumen.body.cli.common import being_meant, counted, say, shared, show, table
from lumen.core.canon import JSON
from lumen.core.data import Being


@click.group()
def prompts() -> None:
    """The words a model is told: see them, compare them, check them."""


@prompts.command("list")
@shared
def list_prompts(named: str | None, as_json: bool) -> None:
    """Every template in force: for a plain and for a small model, shipped or this being's."""
    found = app.prompts_of(_being(named))
    if as_json:
        show([_described(one) for one in found])
        return
    sizes = [f"{one.characters:,}" for one in found]
    widest = max(map(len, [*sizes, "chars"]))
    rows = [("step", "part", "model", "from", "sha256", "chars".rjust(widest), "file")]
    for one, size in zip(found, sizes, strict=True):
        labels = (one.step, one.part, one.variant, one.origin, one.sha256[:12])
        rows.append((*labels, size.rjust(widest), one.file))
    table(rows)


@prompts.command("show")
@click.argument("which", metavar="STEP[/PART]")
@click.option("--small", is_flag=True, help="What a small model is shown.")
@click.option("--slots", is_flag=True, help="Also what the templates of this step may use.")
@shared
def show_prompt(which: str, small: bool, slots: bool, named: str | None, as_json: bool) -> None:
    """The text in force, of a whole step or of one part of it."""
    found, meaning = app.prompts_for(_being(named), which, small=small)
    step, _, part = which.partition("/")
    if as_json:
        texts = [{**_described(one), "text": one.text} for one in found]
        show({"templates": texts, "slots": app.slots_of(step)})
        return
    for number, one in enumerate(found):
        if not part:
            say(f"{'' if number == 0 else chr(10)}── {one.file} · {one.origin}")
        say(one.text.rstrip("\n"))
    if slots:
        say(f"\nWhat {step} may use ({meaning}):")
        table([(s.name, s.trust, s.meaning) for s in app.slots_of(step)], indent="  ")


@prompts.command("diff")
@click.argument("step", required=False)
@shared
def diff_prompts(step: str | None, named: str | None, as_json: bool) -> None:
    """What this being's own templates say otherwise than the shipped ones, line by line."""
    found = app.overridden(_being(named), step)
    if as_json:
        show(found)
    elif not found.overridden:
        say(f"Nothing is overridden{f' in {step}' if step else ''}: the shipped templates hold.")
    elif not found.diff:
        say("Nothing differs: what is overridden says the same.")
    for line in () if as_json else found.diff:
        say(line)


@prompts.command("check")
@shared
def check_prompts(named: str | None, as_json: bool) -> None:
    """Whether every template can be used; names what is wrong by file and line."""
    found = app.check_prompts(_being(named))
    if as_json:
        told = [{k: v for k, v in asdict(p).items() if k != "place"} for p in found.problems]
        show({"ok": found.ok, "templates": found.templates, "problems": told})
    elif found.ok:
        say(f"✓ {counted(found.templates, 'template')}")
    for problem in () if as_json else found.problems:
        say(f"{problem.place}: {problem.what}")
        say(f"  try: {problem.fix}")
    if not found.ok:
        click.get_current_context().exit(2)


def _being(named: str | None) -> Being:
    being = being_meant(named)
    must_be(being)
    return being


def _described(one: app.PromptFile) -> dict[str, JSON]:
    """A template in a list: without its text, and with its origin as `from`."""
    told = asdict(one)
    del told["text"]
    return {("from" if key == "origin" else key): value for key, value in told.items()}
