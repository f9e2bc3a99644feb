"""`lumen maintain` and `lumen rebuild`: upkeep between turns, and everything made anew."""

from __future__ import annotations

import click

from lumen.app.settings import must_be
from lumen.body.cli.common import Bar, being_meant, counted, note, say, shared, show


@click.command()
@shared
def maintain(named: str | None, as_json: bool) -> None:
    """Let unused memories fade, sum up the years, make memories findable by meaning."""
    from lumen.app.upkeep import maintain as keep_up
    from lumen.body.cli.opening import opened

    being = being_meant(named)
    settings = must_be(being)
    bar = Bar("maintaining")
    with opened(being, note) as kernel:
        try:
            done = keep_up(kernel, settings, bar.told)
        finally:
            bar.clear()
    if as_json:
        show(done)
        return
    again = done.reindexed
    say(f"weights    {done.weights}")
    say(f"summaries  {', '.join(done.summaries) or 'nothing new'}")
    say(f"recall     {counted(done.learnt, 'memory')} learnt, all can be found by meaning")
    if again.embedder:
        say(f"reindexed  {again.done:,} of {again.of:,} with {again.embedder}")
    if again.trouble:
        note(again.trouble)


@click.command()
@shared
def rebuild(named: str | None, as_json: bool) -> None:
    """Make every table and every file again from the archive; vectors are kept."""
    from lumen.app.upkeep import bring_settings_back, make_again, must_be_sound
    from lumen.body.cli.opening import as_author

    being = being_meant(named)
    must_be_sound(being)
    told = bring_settings_back(being)
    bar = Bar("rebuilding")
    try:
        with as_author(being, told.append) as kernel:
            events, said = make_again(kernel, bar)
            told += said
    finally:
        bar.clear()
    if as_json:
        show({"events": events, "said": told})
        return
    for line in told:
        note(line)
    say(f"Rebuilt from {counted(events, 'event')}.")
