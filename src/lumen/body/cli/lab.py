"""`lumen lab`: evaluations and benchmarks."""

from __future__ import annotations

import subprocess
import sys
from math import inf
from pathlib import Path

import click

from lumen.body.cli.command import command
from lumen.body.cli.render import TextResult, show
from lumen.body.cli.request import CommandRequest
from lumen.body.cli.terminal import note
from lumen.core.canon import JSON
from lumen.core.errors import LumenError, UsageError

ANSWERED = ("dev", "dev2", "held")  # sets whose answers are read; of the others what was found
FOUND = (
    *(f"{name}_{half}" for name in ("ru", "de", "mixed", "said") for half in ("dev", "held")),
    *(f"{name}_dev3" for name in ("en", "ru", "de", "mixed")),
)
# modules of bench/, in the order in which they run
BENCHES = ("archive", "startup", "calls", "skills", "growth", "million", "memories", "recall")
MODEL = click.option("--model", default="", help="substrate/model for the interface role.")


@click.group()
def lab() -> None:
    """Evaluations and benchmarks."""


@command("facts", within=lab)
@click.option(
    "--set",
    "which",
    type=click.Choice([*ANSWERED, *FOUND]),
    default="dev",
    help="Which set; of those held nobody read a line while recall was built.",
)
@MODEL
@click.option("--verbose", is_flag=True, help="Show every answer.")
def facts(_request: CommandRequest, which: str, model: str, verbose: bool) -> TextResult:
    """Tell some 200 messages to a new being, ask what was told, count.

    Of dev, dev2 and held the answers of a second process are read. Of the others, in Russian, German and
    several languages, and of what it said itself, what was found and how surely: no model has a say in that.
    """
    from lumen.lab.facts import Score, evaluate
    from lumen.lab.facts_found import FoundScore, find

    if which in FOUND and model:
        raise UsageError(f"no model has a say in {which}", fix=f"lumen lab facts --set {which}")
    score: Score | FoundScore = (
        find(which, note) if which in FOUND else evaluate(which, model=model, progress=note)
    )
    return TextResult(score.as_json(), [*(score.lines() if verbose else ()), score.summary()])


@command("talk", within=lab)
@click.option(
    "--set",
    "which",
    default="all",
    metavar="NAME",
    help="all, dev, held, en_dev, en_held, ru_dev, ru_held, or a file .toml of the same shape.",
)
@MODEL
@click.option(
    "--scene", "scenes", multiple=True, help="Only this scene; may be given several times."
)
@click.option(
    "--show", "shown", is_flag=True, help="Show each reply of the dev half, its grade and why."
)
def talk(
    _request: CommandRequest, which: str, model: str, scenes: tuple[str, ...], shown: bool
) -> TextResult:
    """Hold everyday conversations with new beings, grade each reply by its rule, count.

    Exit code 1: the bar for models of this class is not met. Of the held half only totals are told.
    """
    from lumen.lab.talk import evaluate

    score = evaluate(which, model=model, scenes=scenes, progress=note)
    words = [*(score.lines() if shown else ()), *score.table()]
    return TextResult(score.as_json(), words, ok=score.ok)


@command("recall", within=lab)
@click.option(
    "--dataset",
    "files",
    multiple=True,
    required=True,
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="A file of LoCoMo or BEAM; may be given several times.",
)
@click.option("--pooled", is_flag=True, help="Also with all conversations in one being.")
@click.option(
    "--leave-one-out", is_flag=True, help="By weights that never saw the conversation asked about."
)
@click.option(
    "--vectors", type=click.Path(file_okay=False, path_type=Path), help="Where vectors are kept."
)
@click.option(
    "--learn", type=click.Path(dir_okay=False, path_type=Path), help="Write weights learnt on all."
)
@click.option("--most", type=click.IntRange(1), help="Conversations of each file; else all.")
@click.option(
    "--peers",
    default="",
    metavar="NAMES",
    help="Ask other engines too: all, or some of fts5, embedding, chroma, lancedb, mem0, langgraph, tantivy, "
    "with commas between. Each is installed once, under ~/.cache/lumen-lab.",
)
@click.option(
    "--plot",
    type=click.Path(dir_okay=False, path_type=Path),
    help="Draw hit@5 beside the time a question takes, as SVG.",
)
def recall(_request: CommandRequest, files: tuple[Path, ...], **how: JSON) -> TextResult:
    """Tell long conversations to new beings, ask what was said, count; plain BM25 beside it."""
    from lumen.lab.recall_report import RecallRun, lines, run

    found = run(RecallRun(files, **how), note)
    return TextResult(found, lines(found))


@command("trust", within=lab)
@click.argument("model", metavar="SUBSTRATE/MODEL")
@click.option("--verbose", is_flag=True, help="Show every question and answer.")
def trust(request: CommandRequest, model: str, verbose: bool) -> TextResult:
    """Ask MODEL what shows what it may be trusted with; kept, and heeded from then on."""
    import asyncio

    from lumen.app.models import must_be_assignable
    from lumen.lab.trust import lines, measured

    must_be_assignable(request.settings, "interface", model)
    with request.opened() as kernel:
        found = asyncio.run(measured(kernel, model, note if verbose else lambda _: None))
    return TextResult(found, lines(found))


@command("together", within=lab)
@click.option("--minutes", type=click.FloatRange(min=0), default=10.0, help="How long to talk.")
@MODEL
def together(request: CommandRequest, minutes: float, model: str) -> None:
    """How long a reply takes alone, and beside `lumen run`, in blocks that take turns."""
    from lumen.lab.together import measure

    if not 0 < minutes < inf:
        what = f"--minutes {minutes:g} is no time to talk for"
        raise UsageError(what, fix="lumen lab together --minutes 10")
    found = measure(minutes, model=model, progress=note)
    show(TextResult(found.as_json(), found.lines()), request)
    if not found.ok:
        raise LumenError("the archive of the measurement does not verify")


@command("bench", within=lab)
@click.argument("names", nargs=-1, type=click.Choice(BENCHES))
def bench(request: CommandRequest, names: tuple[str, ...]) -> None:
    """Run the benchmarks of a checkout, or those named: ratios against peers, measured in one run."""
    from lumen.lab.checkout import root

    command = [sys.executable, "-m", "bench", *names, *(["--json"] if request.as_json else [])]
    click.get_current_context().exit(subprocess.run(command, cwd=root(), check=False).returncode)
