"""`lumen memory`, `lumen why` and `lumen trace`: what it remembers, and where a thing comes from."""

from __future__ import annotations

from functools import partial

import click

from lumen.app.explaining import MOST_DIGITS, Claimed, Explained, Traced, trace_of, why_of
from lumen.app.histories import History
from lumen.app.memories import LISTED, NOT_SAID, MemoryFilter, Recollection, evidence_of, remembered
from lumen.app.words import local, short_time
from lumen.body.cli import histories as histories  # registers how a history is told
from lumen.body.cli.command import command
from lumen.body.cli.render import Listed, data, tell
from lumen.body.cli.request import CommandRequest
from lumen.body.cli.terminal import note, one_line, say, table
from lumen.core.canon import JSON, dumps
from lumen.core.data import Author


@command("memory", for_skills=True)
@click.argument("query", default="")
@click.option("--author", type=click.Choice([a.value for a in Author]), help="Only this author's.")
@click.option("--date", "day", metavar="YYYY-MM-DD", help="Only of this day (UTC).")
@click.option(
    "--all", "kernel", is_flag=True, help="All of them, the kernel's too; else the last 20."
)
@click.option(
    "--sort", type=click.Choice(["time", "weight"]), help="By time, or the heaviest first."
)
def memory(request: CommandRequest, sort: str | None, **asked: JSON) -> Listed[Recollection]:
    """Look through what it remembers; QUERY searches by words and by meaning."""
    weighed = sort == "weight"
    wanted = MemoryFilter(**asked, limit=None if asked["kernel"] else LISTED, by_weight=weighed)
    with request.looking() as look:
        found = remembered(look.index, wanted, partial(evidence_of, look.index, tell=note))
        where = look.zone

    def row(m: Recollection) -> tuple[str, ...]:
        who = f"{m.author}{' (private)' if m.private else ''}"
        plain = (str(m.event), short_time(m.timestamp, where), who, m.text)
        return (f"{m.weight:.3f}", *plain) if weighed else plain

    sought = wanted.query or wanted.author or wanted.day
    return Listed(found, row, none="Nothing found." if sought else "Nothing is remembered yet.")


@command("why", for_skills=True)
@click.argument("what", required=False)
def why(request: CommandRequest, what: str | None) -> Explained | Claimed | History:
    """Where the last answer comes from; or that of an event, a claim, a value or a goal."""
    with request.looking() as look:
        return why_of(look.index, what, partial(evidence_of, look.index, tell=note))


@tell.register(Explained)
def tell_reply(found: Explained, request: CommandRequest) -> None:
    """Tell what a reply rests on and what it was chosen over."""
    rows = [("said", one_line(found.reply, 100), f"event {found.event}")]
    for number, m in enumerate(found.sources):
        when = f"{local(m.timestamp, request.zone):%A %d %B %Y at %H:%M}"
        label = "because" if number == 0 else ""
        said = f"you told me on {when}: “{one_line(m.text, 120)}”"
        rows.append((label, said, f"event {m.event}"))
    if found.heard and not found.sources:
        said = f"you said just before: “{one_line(found.heard.text, 100)}”"
        rows.append(("because", said, f"event {found.heard.event}"))
        rows.append(("", "nothing you told me earlier was used", ""))
    rows.append(("chosen", found.chosen, f"lumen trace {found.event}"))
    for label, text, place in rows:
        say(f"  {label:<9}{text}" + (f"   · {place}" if place else ""))


@data.register(Claimed)
def _claim_data(found: Claimed) -> JSON:
    return found.evidence


@tell.register(Claimed)
def _tell_claim(found: Claimed, request: CommandRequest) -> None:
    say(f"● {found.claim}")
    if not found.evidence:
        say("  └ you have not told me that")
    elif all(e.fit == NOT_SAID for e in found.evidence):
        say("  └ nothing you told me says that; the nearest:")
    for e in found.evidence:
        when = f"{local(e.timestamp, request.zone):%d %b %H:%M}"
        say(f"  └ {when}  you: “{one_line(e.quote, 100)}”   event {e.event} · {e.fit}")


@command("trace", for_skills=True)
@click.argument("event", required=False, type=click.IntRange(1, 10**MOST_DIGITS))
def trace(request: CommandRequest, event: int | None) -> Traced:
    """What every step of the last turn (or of EVENT's turn) read, wrote and took."""
    with request.looking() as look:
        return trace_of(look.index, event)


@data.register(Traced)
def _trace_data(found: Traced) -> JSON:
    return [beat.payload for beat in found.beats]


@tell.register(Traced)
def _tell_trace(found: Traced, _request: CommandRequest) -> None:
    for beat in found.beats:
        say(f"{beat.said}   · event {beat.event}")
        steps = beat.payload["steps"]
        rows = [(s["step"], f"{s['ms']:.1f} ms", one_line(_wrote(s), 200)) for s in steps]
        table(rows, indent="  ")
        for call in beat.payload.get("calls", ()):
            tokens = f"{call['prompt_tokens']} + {call['completion_tokens']} tokens"
            say(f"  model {call['model']}: {tokens}, {call['seconds']:.1f} s")


def _wrote(told: JSON) -> str:
    skipped = told.get("skipped")
    return f"skipped: {skipped}" if skipped else dumps(told["wrote"]).decode()
