"""`lumen init`: a new being."""

from __future__ import annotations

from pathlib import Path
from shlex import quote

import click

from lumen.app.settings import data_home
from lumen.body.cli.common import say, shared, show
from lumen.core.clock import SystemClock
from lumen.core.data import Being
from lumen.soul.keys import Keyring


@click.command()
@click.argument("folder", required=False, type=click.Path(path_type=Path))
@shared
def init(folder: Path | None, named: str | None, as_json: bool) -> None:
    """Make a new being in FOLDER (by default: here)."""
    from lumen.kernel.birth import init as scaffold

    root = folder or (Path(named) if named else Path.cwd())
    being = Being(root.expanduser().absolute())
    soul = scaffold(being, Keyring(data_home()), SystemClock())
    if as_json:
        show({"being": str(being.root), "soul": soul})
        return
    say(f"A new being was born in {being.root}")
    say(f"  talk to it: lumen --being {quote(str(being.root))} chat")
