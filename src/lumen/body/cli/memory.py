"""`lumen memory`, `recall`, `why`, `trace`, `forget` and `private`: what it remembers, whence, and what must go."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict
from datetime import datetime
from functools import partial
from zoneinfo import ZoneInfo

import click

from lumen.app.deliberation import deliberation
from lumen.app.explaining import MOST_DIGITS, Claimed, Explained, TracedBeat, trace_of, why_of
from lumen.app.forgetting import Forgotten, ToForget, must_be_author, plan_forgetting
from lumen.app.forgetting import forget as erase
from lumen.app.histories import History
from lumen.app.memories import LISTED, MemoryFilter, Recollection, evidence_of, remembered
from lumen.app.privacy import mark
from lumen.app.recalling import LANES, NOT_SAID, RecalledMemory, RecallFilter
from lumen.app.recalling import LISTED as RECALLED
from lumen.app.recalling import recall as find
from lumen.app.wiring import Kernel
from lumen.app.words import counted, local, short_time
from lumen.body.cli import plots as plots  # registers how a history is told
from lumen.body.cli.command import YES, agrees, command
from lumen.body.cli.deliberated import deliberated
from lumen.body.cli.passphrase import signing
from lumen.body.cli.progress import Bar
from lumen.body.cli.render import Listed, TextResult, data, tell
from lumen.body.cli.request import CommandRequest
from lumen.body.cli.terminal import lined_up, note, one_line, say, table
from lumen.core.canon import JSON, dumps
from lumen.core.data import Author
from lumen.core.errors import UsageError

SHOWN = 30
SHOWN_PARTS = 6


@command("memory", for_skills=True)
@click.argument("query", required=False)
@click.option("--author", type=click.Choice([a.value for a in Author]), help="Only this author's.")
@click.option("--date", "day", metavar="YYYY-MM-DD", help="Only of this day (UTC).")
@click.option(
    "--all", "kernel", is_flag=True, help="All of them, the kernel's too; else the last 20."
)
@click.option(
    "--sort", type=click.Choice(["time", "weight"]), help="By time, or the heaviest first."
)
def memory(
    request: CommandRequest, query: str | None, sort: str | None, **asked: JSON
) -> Listed[Recollection]:
    """Look through what it remembers; QUERY searches by words and by meaning."""
    if query is not None and not query.strip():  # as an unset variable is
        raise UsageError("what to look for is empty", fix='lumen memory "sister", or lumen memory')
    weighed = sort == "weight"
    asked["query"] = query or ""
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


class Day(click.DateTime):
    """A day; one that is none is answered in words."""

    def convert(
        self, value: object, param: click.Parameter | None, ctx: click.Context | None
    ) -> datetime:
        """Read it, or say how a day is written."""
        try:
            return super().convert(value, param, ctx)
        except click.BadParameter:
            self.fail(f"{one_line(str(value), 40)!r} is no day, as 2026-03-09 is", param, ctx)


@command("recall", for_skills=True)
@click.argument("query")
@click.option("--lane", type=click.Choice(LANES), help="Only what is of one lane.")
@click.option(
    "--as-of",
    type=Day(["%Y-%m-%d"]),
    metavar="YYYY-MM-DD",
    help="Only what is of that day or earlier.",
)
@click.option("--limit", type=click.IntRange(1, 200), default=RECALLED, help="How many at most.")
@click.option("--explain", is_flag=True, help="What each score is made of, and the neighbours.")
def recall(
    request: CommandRequest,
    query: str,
    lane: str | None,
    as_of: datetime | None,
    limit: int,
    explain: bool,
) -> TextResult:
    """What was said or found that bears on QUERY, best first, each with its lane.

    Lanes: stated (by you: the only evidence about you), asked (by you), said (by it), found (by its
    tools), guest (by somebody else).
    """
    if not query.strip():
        raise UsageError("nothing is asked for", fix='lumen recall "Where do I live?"')
    wanted = RecallFilter(lane, as_of.date() if as_of else None, limit, explain)
    with request.looking() as look:
        found = find(look.index, query, wanted, note)
        lines = [line for one in found for line in _recalled_lines(one, look.zone)]
    return TextResult([_recalled_data(one) for one in found], lines or ["Nothing found."])


def _recalled_lines(one: RecalledMemory, zone: ZoneInfo) -> list[str]:
    who = f"{one.lane}{f' ({one.speaker})' if one.speaker else ''}"
    when = f"{local(one.timestamp, zone):%d %b %Y}"
    lines = [f"{one.score:7.2f}  {when}  {who}: “{one_line(one.quote, 100)}”   event {one.event}"]
    return [*lines, *(f"         {line}" for line in how_found(one) if one.parts)]


def how_found(one: RecalledMemory) -> Iterator[str]:
    """By which paths, what its score is made of, what it revises, and what was said beside it."""
    told = [f"{name} {part:+.2f}" for name, part in [*one.parts.items()][:SHOWN_PARTS]]
    yield f"by {', '.join(one.paths)} · {', '.join(told)}"
    if one.revised_by:
        yield f"revised by event {one.revised_by}"
    if one.replaces:
        yield f"revises event {one.replaces}"
    for m in one.neighbours:
        yield f"beside: “{one_line(m.text, 80)}”   event {m.event}"


def _recalled_data(one: RecalledMemory) -> JSON:
    told = asdict(one)
    return (
        told if one.parts else {k: v for k, v in told.items() if k not in ("parts", "neighbours")}
    )


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
    if found.understood:
        rows.append(("asked", f"understood as: {one_line(found.understood, 100)}", ""))
    for number, m in enumerate(found.sources):
        when = f"{local(m.timestamp, request.zone):%A %d %B %Y at %H:%M}"
        label = "because" if number == 0 else ""
        who = "I said" if m.author == "self" else "you told me"
        said = f"{who} on {when}: “{one_line(m.text, 120)}”"
        rows.append((label, said, f"event {m.event}"))
    if found.heard and not found.sources:
        said = f"you said just before: “{one_line(found.heard.text, 100)}”"
        rows.append(("because", said, f"event {found.heard.event}"))
        rows.append(("", "nothing you told me earlier was used", ""))
    for quote in found.unheld:
        said = f"no message of yours says “{one_line(quote, 100)}”: what carried the words changed them"
        rows.append(("", said, "lumen skills show chat"))
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
        for line in (f"score {e.score:.2f}, certainty {e.certainty:.2f}", *how_found(e)):
            say(f"      {line}")


@command("trace", for_skills=True)
@click.argument("event", required=False, type=click.IntRange(1, 10**MOST_DIGITS))
def trace(request: CommandRequest, event: int | None) -> TextResult:
    """What every step of the last turn (or of EVENT's turn) read, wrote and took."""
    with request.looking() as look:
        beats = trace_of(look.index, event).beats
    return TextResult([beat.payload for beat in beats], _traced(beats))


def _traced(beats: Sequence[TracedBeat]) -> Iterator[str]:
    for beat in beats:
        yield f"{beat.said}   · event {beat.event}"
        steps = beat.payload["steps"]
        rows = [(s["step"], f"{s['ms']:.1f} ms", one_line(_wrote(s), 200)) for s in steps]
        yield from lined_up(rows, indent="  ")
        for call in beat.payload.get("calls", ()):
            yield f"  model {call['model']}: {_came_to(call)}, {call['seconds']:.1f} s"
    if found := deliberation(beat.payload for beat in beats):
        yield "Why these words"
        yield from deliberated(found)


def _came_to(call: JSON) -> str:
    if call.get("outcome", "ok") != "ok":  # older lines tell of answers only
        return f"no answer ({call['outcome']})"
    return f"{call['prompt_tokens']} + {call['completion_tokens']} tokens"


def _wrote(told: JSON) -> str:
    skipped, held_back = told.get("skipped"), told.get("held_back")
    wrote = f"skipped: {skipped}" if skipped else dumps(told["wrote"]).decode()
    return f"held back {held_back} of its changes; {wrote}" if held_back else wrote


@command("forget")
@click.argument("what")
@YES
@click.option("--own-files", is_flag=True, help="Take it out of files of yours too.")
@click.option("--dry-run", is_flag=True, help="Show what would go, and change nothing.")
@signing
def forget(
    request: CommandRequest, what: str, yes: bool, own_files: bool, dry_run: bool
) -> TextResult:
    """Erase WHAT (an event's number, its id, or words it contains) and all that quotes it.

    Files and skills the being made are cleaned or go with it; files of yours are named, and changed
    with --own-files only. Where any of it is left in the end, that is said, with exit code 1.
    """
    with request.opened() as kernel:
        found = planned(kernel, what, request, own_files=own_files)
        return _outcome(found) if dry_run else forget_planned(kernel, found, yes=yes)


def planned(
    kernel: Kernel, what: str, request: CommandRequest, *, own_files: bool = False
) -> ToForget:
    """Look for all that would go, and show it."""
    with Bar("looking for what quotes it") as bar:
        found = plan_forgetting(kernel, what, own_files=own_files, progress=bar)
    if not request.as_json:
        _preview(found, request)
    return found


def forget_planned(kernel: Kernel, found: ToForget, *, yes: bool = False) -> TextResult:
    """Ask, erase it, and look whether it is gone."""
    must_be_author(kernel)
    question = f"Erase {counted(len(found.goes), 'event')} for good?"
    if not agrees(question, yes=yes, fix=f"lumen forget {found.what!r} --yes"):
        return _outcome(found)
    if found.yours and not yes and click.confirm("Take it out of your own files too?", err=True):
        found = plan_forgetting(kernel, found.what, own_files=True)
    return _outcome(found, erase(kernel, found))


def _outcome(found: ToForget, gone: Forgotten | None = None) -> TextResult:
    """What was to be forgotten and, unless that was only looked at, what came of it."""
    told = {
        "erased": gone.erased if gone else [],
        "goes": [{"event": g.seq, "why": g.why} for g in found.goes],
        "files": list(found.files),
        "yours": list(found.yours),
        "mentions": found.mentions,
        "beyond": found.beyond,
        "left": gone.left if gone else [],
    }
    if gone is None:
        return TextResult(told, ())
    done, many = "Erased" if gone.left else "Forgotten", counted(gone.goes, "event")
    lines = [
        f"{done}: {many}. Event {gone.event} says that, and nothing of what they said.",
        f"Out of reach: {'; '.join(gone.beyond)}.",
    ]
    left = f"It is not gone: {', '.join(gone.left)} still holds it.\n  try: edit or delete what is named, "
    left += "or lumen forget WORDS --own-files"
    ok = not gone.left  # nobody may take for forgotten what is left somewhere
    return TextResult({**told, "event": gone.event}, lines, "" if ok else left, ok)


def _preview(found: ToForget, request: CommandRequest) -> None:
    where = request.zone
    goes = found.goes[:SHOWN]
    table([(str(g.seq), short_time(g.timestamp, where), g.who, g.why, g.text) for g in goes])
    if len(found.goes) > SHOWN:
        say(f"… and {counted(len(found.goes) - SHOWN, 'more event')}")
    stays = "is yours and stays as it is; --own-files takes out of it"
    for files, loses in ((found.files, "loses"), (found.yours, stays)):
        for path, lines in files.items():
            say(f"{path} {loses}:")
            for line in lines:
                say(f"  - {one_line(line, 100)}")
    if found.mentions:
        which = ", ".join(map(str, found.mentions[:SHOWN]))
        say(f"What you said in event {which} names the same things, and stays unless you forget it")


@command("private")
@click.argument("events", nargs=-1, required=True, type=click.IntRange(1, 10**15))
@click.option("--off", is_flag=True, help="No longer private.")
def private(request: CommandRequest, events: tuple[int, ...], off: bool) -> TextResult:
    """Mark memories, by EVENT number, that must never leave for a model that is not local."""
    with request.as_author() as kernel:
        marked = mark(kernel, events, private=not off)
    lines = [f"{counted(len(events), 'memory')}: {'no longer ' if off else ''}private"]
    if marked.lines:
        lines.append(
            "Kept from models that are not on this machine too, as it rests on private memories:"
        )
    return TextResult(marked, [*lines, *(f"  - {one_line(line, 100)}" for line in marked.lines)])
