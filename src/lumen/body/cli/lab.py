"""`lumen lab`: evaluations and benchmarks."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import click

from lumen.body.cli.common import note, say, shared, show
from lumen.core.errors import LumenError, UsageError


@click.group()
def lab() -> None:
    """Evaluations and benchmarks."""


@lab.command()
@click.option(
    "--set",
    "which",
    type=click.Choice(["dev", "dev2", "held"]),
    default="dev",
    help="Which set; of held nobody read a line while recall was built.",
)
@click.option("--model", default="", help="substrate/model for the interface role.")
@click.option("--verbose", is_flag=True, help="Show every answer.")
@shared
def facts(which: str, model: str, verbose: bool, named: str | None, as_json: bool) -> None:
    """Tell 230 messages to a new being, ask 45 questions in a second process, count."""
    from lumen.lab.facts import evaluate

    del named  # always a being of its own
    score = evaluate(which, model=model, progress=note)
    if as_json:
        show(score.as_json())
        return
    if verbose:
        for line in score.lines():
            say(line)
    say(score.summary())


@lab.command()
@click.option("--minutes", type=click.FloatRange(min=0), default=10.0, help="How long to talk.")
@click.option("--model", default="", help="substrate/model for the interface role.")
@shared
def together(minutes: float, model: str, named: str | None, as_json: bool) -> None:
    """How long a reply takes alone, and beside `lumen run`, in blocks that take turns."""
    from lumen.lab.together import measure

    del named  # always a being of its own
    found = measure(minutes, model=model, progress=note)
    if as_json:
        show(found.as_json())
    else:
        for line in found.lines():
            say(line)
    if not found.ok:
        raise LumenError("the archive of the measurement does not verify")


@lab.command()
@shared
def bench(named: str | None, as_json: bool) -> None:
    """Run the benchmarks of a checkout: ratios against peers, measured in one run."""
    del named
    root = Path(__file__).resolve().parents[4]
    if not (root / "bench" / "__main__.py").exists():
        raise UsageError("bench/ is not here", fix="run it from a checkout of the project")
    command = [sys.executable, "-m", "bench", *(["--json"] if as_json else [])]
    click.get_current_context().exit(subprocess.run(command, cwd=root, check=False).returncode)
