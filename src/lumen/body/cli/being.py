"""`lumen init`: a new being."""

from __future__ import annotations

from pathlib import Path
from shlex import quote

import click

from lumen.body.cli.common import say, shared, show
from lumen.core.data import Being


@click.command()
@click.argument("folder", required=False, type=click.Path(path_type=Path))
@shared
def init(folder: Path | None, named: str | None, as_json: bool) -> None:
    """Make a new being in FOLDER (by default: here)."""
    from lumen.app.meeting import bear

    root = (folder or (Path(named) if named else Path.cwd())).expanduser().absolute()
    soul = bear(Being(root))
    if as_json:
        show({"being": str(root), "soul": soul})
        return
    say(f"A new being was born in {root}")
    say(f"  talk to it: lumen --being {quote(str(root))} chat")
