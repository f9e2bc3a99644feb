"""`lumen init`, `doctor`, `maintain` and `rebuild`: a being is born, looked over, kept up, made anew."""

from __future__ import annotations

import asyncio
from pathlib import Path
from shlex import quote

import click

from lumen.app.doctor import Examined, examine
from lumen.app.settings import find_being
from lumen.app.upkeep import Maintained, bring_settings_back, make_again, must_be_sound
from lumen.app.upkeep import maintain as keep_up
from lumen.app.words import counted
from lumen.body.cli.command import command
from lumen.body.cli.progress import Bar
from lumen.body.cli.render import TextResult, tell
from lumen.body.cli.request import CommandRequest
from lumen.body.cli.terminal import block, note, say
from lumen.core.data import BeingPaths
from lumen.core.errors import UsageError

MARKS = {"ok": "✓", "warn": "!", "bad": "✗"}


@command("init")
@click.argument("folder", required=False)
def init(request: CommandRequest, folder: str | None) -> TextResult:
    """Make a new being in FOLDER (by default: here)."""
    from lumen.app.meeting import bear

    for given in (folder, request.named):
        if given is not None and not given.strip():  # as an unset variable is
            raise UsageError("the folder's name is empty", fix="lumen init FOLDER")
    root = Path(folder or request.named or Path.cwd()).expanduser().absolute()
    made = {"being": str(root), "soul": bear(BeingPaths(root))}
    talk = f"  talk to it: lumen --being {quote(str(root))} chat"
    return TextResult(made, [f"A new being was born in {root}", talk])


@command("doctor", for_skills=True)
def doctor(request: CommandRequest) -> Examined:
    """Look at the installation and the being; exit code 1 when something is broken."""
    being, by_default = find_being(request.named)
    return asyncio.run(examine(being, by_default=by_default))


@tell.register(Examined)
def _tell_examined(examined: Examined, _request: CommandRequest) -> None:
    width = max(len(f.what) for f in examined.findings)
    for f in examined.findings:
        say(f"{MARKS[f.state]} {f.what:<{width}}  {f.detail}")
        if f.fix:
            say(f"  {'':<{width}}  try: {f.fix}")


@command("maintain")
def maintain(request: CommandRequest) -> Maintained:
    """Let unused memories fade, sum up the years, make memories findable by meaning."""
    settings = request.settings
    with request.opened() as kernel, Bar("maintaining") as bar:
        return keep_up(kernel, settings, bar.report)


@tell.register(Maintained)
def _tell_maintained(done: Maintained, _request: CommandRequest) -> None:
    again = done.reindexed
    rows = [
        ("weights", done.weights),
        ("summaries", ", ".join(done.summaries) or "nothing new"),
        ("recall", f"{counted(done.learnt, 'memory')} learnt, all can be found by meaning"),
    ]
    if again.embedder:
        rows.append(("reindexed", f"{again.done:,} of {again.of:,} with {again.embedder}"))
    block(rows, gap=2)
    if again.trouble:
        note(again.trouble)


@command("rebuild")
def rebuild(request: CommandRequest) -> TextResult:
    """Make every table and every file again from the archive; vectors are kept."""
    must_be_sound(request.being)
    told = bring_settings_back(request.being)
    with Bar("rebuilding") as bar, request.as_author(told.append) as kernel:
        events, said = make_again(kernel, bar)
        told += said
    if not request.as_json:
        for line in told:
            note(line)
    return TextResult({"events": events, "said": told}, f"Rebuilt from {counted(events, 'event')}.")
