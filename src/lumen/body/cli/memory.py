"""`lumen memory`, `lumen why` and `lumen trace`: what it remembers, and where a thing comes from."""

from __future__ import annotations

from functools import partial
from zoneinfo import ZoneInfo

import click

from lumen.app.explaining import MOST_DIGITS, Claimed, Explained, trace_of, why_of
from lumen.app.histories import History
from lumen.app.looking import looking
from lumen.app.memories import LISTED, Recollection, Wanted, evidence_of, remembered
from lumen.body.cli.common import (
    being_meant,
    local,
    note,
    one_line,
    say,
    shared,
    short_time,
    show,
    table,
)
from lumen.body.cli.histories import show_why
from lumen.core.canon import JSON, dumps
from lumen.core.data import Author


@click.command()
@click.argument("query", required=False)
@click.option("--author", type=click.Choice([a.value for a in Author]), help="Only this author's.")
@click.option("--date", "day", metavar="YYYY-MM-DD", help="Only of this day (UTC).")
@click.option(
    "--all", "everything", is_flag=True, help="All of them, the kernel's too; else the last 20."
)
@click.option(
    "--sort", type=click.Choice(["time", "weight"]), help="By time, or the heaviest first."
)
@shared
def memory(  # noqa: PLR0913 - one parameter an option
    query: str | None,
    author: str | None,
    day: str | None,
    everything: bool,
    sort: str | None,
    named: str | None,
    as_json: bool,
) -> None:
    """Look through what it remembers; QUERY searches by words and by meaning."""
    weighed = sort == "weight"
    limit = None if everything else LISTED
    wanted = Wanted(query or "", author, day, limit, kernel=everything, by_weight=weighed)
    with looking(being_meant(named), note) as look:
        found = remembered(look.index, wanted, partial(evidence_of, look.index, tell=note))
    if as_json:
        show(found)
        return
    if not found:
        say("Nothing found." if query or author or day else "Nothing is remembered yet.")
        return
    table(
        [
            (
                *([f"{m.weight:.3f}"] if weighed else []),
                *(str(m.event), short_time(m.timestamp, look.zone), _who(m), m.text),
            )
            for m in found
        ]
    )


@click.command()
@click.argument("what", required=False)
@shared
def why(what: str | None, named: str | None, as_json: bool) -> None:
    """Where the last answer comes from; or that of an event, a claim, a value or a goal."""
    with looking(being_meant(named), note) as look:
        found = why_of(look.index, what, partial(evidence_of, look.index, tell=note))
    if as_json:
        show(found.evidence if isinstance(found, Claimed) else found)
        return
    match found:
        case History():
            show_why(found, look.zone)
        case Claimed():
            _show_claim(found, look.zone)
        case Explained():
            show_reply(found, look.zone)


def show_reply(found: Explained, where: ZoneInfo) -> None:
    """Show what a reply rests on and what it was chosen over."""
    rows = [("said", one_line(found.reply, 100), f"event {found.event}")]
    for number, m in enumerate(found.sources):
        when = f"{local(m.timestamp, where):%A %d %B %Y at %H:%M}"
        label = "because" if number == 0 else ""
        rows.append(
            (label, f"you told me on {when}: “{one_line(m.text, 120)}”", f"event {m.event}")
        )
    if found.heard and not found.sources:
        said = one_line(found.heard.text, 100)
        rows.append(("because", f"you said just before: “{said}”", f"event {found.heard.event}"))
        rows.append(("", "nothing you told me earlier was used", ""))
    rows.append(("chosen", found.chosen, f"lumen trace {found.event}"))
    for label, text, place in rows:
        say(f"  {label:<9}{text}" + (f"   · {place}" if place else ""))


def _show_claim(found: Claimed, where: ZoneInfo) -> None:
    say(f"● {found.claim}")
    if not found.evidence:
        say("  └ you have not told me that")
    for e in found.evidence:
        when = f"{local(e.timestamp, where):%d %b %H:%M}"
        say(f"  └ {when}  you: “{one_line(e.quote, 100)}”   event {e.event} · {e.fit}")


@click.command()
@click.argument("event", required=False, type=click.IntRange(1, 10**MOST_DIGITS))
@shared
def trace(event: int | None, named: str | None, as_json: bool) -> None:
    """What every step of the last turn (or of EVENT's turn) read, wrote and took."""
    with looking(being_meant(named), note) as look:
        found = trace_of(look.index, event)
    if as_json:
        show([beat.payload for beat in found.beats])
        return
    for beat in found.beats:
        say(f"{beat.said}   · event {beat.event}")
        table(
            [
                (s["step"], f"{s['ms']:.1f} ms", one_line(_wrote(s), 200))
                for s in beat.payload["steps"]
            ],
            indent="  ",
        )
        for call in beat.payload.get("calls", ()):
            tokens = f"{call['prompt_tokens']} + {call['completion_tokens']} tokens"
            say(f"  model {call['model']}: {tokens}, {call['seconds']:.1f} s")


def _wrote(told: JSON) -> str:
    skipped = told.get("skipped")
    return f"skipped: {skipped}" if skipped else dumps(told["wrote"]).decode()


def _who(m: Recollection) -> str:
    return f"{m.author}{' (private)' if m.private else ''}"
