"""`lumen maintain` and `lumen rebuild`: upkeep between turns, and everything made anew."""

from __future__ import annotations

from lumen.app.upkeep import Maintained, bring_settings_back, make_again, must_be_sound
from lumen.app.upkeep import maintain as keep_up
from lumen.app.words import counted
from lumen.body.cli.command import command
from lumen.body.cli.progress import Bar
from lumen.body.cli.render import ToldResult, tell
from lumen.body.cli.request import CommandRequest
from lumen.body.cli.terminal import block, note


@command("maintain")
def maintain(request: CommandRequest) -> Maintained:
    """Let unused memories fade, sum up the years, make memories findable by meaning."""
    settings = request.settings
    with request.opened() as kernel, Bar("maintaining") as bar:
        return keep_up(kernel, settings, bar.told)


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
def rebuild(request: CommandRequest) -> ToldResult:
    """Make every table and every file again from the archive; vectors are kept."""
    must_be_sound(request.being)
    told = bring_settings_back(request.being)
    with Bar("rebuilding") as bar, request.as_author(told.append) as kernel:
        events, said = make_again(kernel, bar)
        told += said
    if not request.as_json:
        for line in told:
            note(line)
    return ToldResult({"events": events, "said": told}, f"Rebuilt from {counted(events, 'event')}.")
