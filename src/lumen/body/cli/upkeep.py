"""`lumen maintain` and `lumen rebuild`: upkeep between turns, and everything made anew."""

from __future__ import annotations

import click

from lumen.app.settings import data_home, must_be, zone
from lumen.body.cli.common import Bar, being_meant, counted, note, say, shared, show
from lumen.core.canon import JSON
from lumen.core.errors import Damaged
from lumen.soul.keys import Keyring
from lumen.soul.verify import verify


@click.command()
@shared
def maintain(named: str | None, as_json: bool) -> None:
    """Let unused memories fade, sum up the years, make memories findable by meaning."""
    from lumen.body.cli.opening import open_kernel
    from lumen.kernel.maintain import fade, learn, reindex, summaries

    being = being_meant(named)
    settings = must_be(being)
    kernel, mended = open_kernel(being, settings)
    for line in mended:
        note(line)
    bar = Bar("maintaining")
    try:
        faded = fade(kernel.gate, settings.half_life_days)
        written = summaries(kernel.gate, zone(settings.timezone))
        learnt = learn(kernel.index, kernel.recall, bar.told)
        chosen = kernel.recall.chosen
        done, of = reindex(kernel.index, chosen, bar.told) if chosen else (0, 0)
        trouble = kernel.recall.trouble()
    finally:
        bar.clear()
        kernel.close()
    name = settings.chosen_embedder
    if as_json:
        again: JSON = {"embedder": name, "done": done, "of": of, "trouble": trouble}
        show({"weights": faded, "summaries": written, "learnt": learnt, "reindexed": again})
        return
    say(f"weights    {faded}")
    say(f"summaries  {', '.join(written) or 'nothing new'}")
    say(f"recall     {counted(learnt, 'memory')} learnt, all can be found by meaning")
    if name:
        say(f"reindexed  {done:,} of {of:,} with {name}")
    if trouble:
        note(trouble)


@click.command()
@shared
def rebuild(named: str | None, as_json: bool) -> None:
    """Make every table and every file again from the archive; vectors are kept."""
    from lumen.body.cli.opening import as_author
    from lumen.kernel.mend import rebuild as make_again

    being = being_meant(named)
    report = verify(being, Keyring(data_home()), soul=must_be(being).soul)
    if report.problem and "witness" not in report.problem.what:
        raise Damaged(
            f"event {report.problem.seq} {report.problem.what}: nothing is made from such an archive",
            fix="lumen archive verify",
        )
    told: list[str] = []
    bar = Bar("rebuilding")
    try:
        with as_author(being, told.append) as kernel:
            told += make_again(kernel.gate, bar)
            events = kernel.index.last_head()[0]
    finally:
        bar.clear()
    if as_json:
        show({"events": events, "said": told})
        return
    for line in told:
        note(line)
    say(f"Rebuilt from {counted(events, 'event')}.")
