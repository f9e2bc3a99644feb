"""`lumen init`: a new being."""

from __future__ import annotations

from pathlib import Path
from shlex import quote

import click

from lumen.body.cli.command import command
from lumen.body.cli.render import ToldResult
from lumen.body.cli.request import CommandRequest
from lumen.core.data import BeingPaths


@command("init")
@click.argument("folder", required=False, type=click.Path(path_type=Path))
def init(request: CommandRequest, folder: Path | None) -> ToldResult:
    """Make a new being in FOLDER (by default: here)."""
    from lumen.app.meeting import bear

    named = Path(request.named) if request.named else Path.cwd()
    root = (folder or named).expanduser().absolute()
    made = {"being": str(root), "soul": bear(BeingPaths(root))}
    talk = f"  talk to it: lumen --being {quote(str(root))} chat"
    return ToldResult(made, [f"A new being was born in {root}", talk])
