"""`lumen memory`, `lumen why` and `lumen trace`: what it remembers, and where a thing comes from."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from datetime import date
from typing import TYPE_CHECKING
from zoneinfo import ZoneInfo

import click

from lumen.app.settings import must_be, zone
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
from lumen.body.cli.histories import named as named_held
from lumen.body.cli.histories import why_held
from lumen.core.canon import JSON, dumps
from lumen.core.data import Author, Being, Event, Memory
from lumen.core.errors import UsageError
from lumen.soul.index import Index

if TYPE_CHECKING:
    from lumen.kernel.slots import Evidence

WELL = 0.64
MOST_HITS = 1000  # looked through before author and day are applied
MOST_DIGITS = 18  # SQLite counts no further


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
    if day is not None and not _is_date(day):
        raise UsageError(f"{day!r} is no date", fix="lumen memory --date 2026-11-15")
    being = being_meant(named)
    where = zone(must_be(being).timezone)
    index = _index(being)
    limit = None if everything else 20
    found = shown(
        index,
        lambda: (
            _search(index, query, author, day, limit or 1000)
            if query
            else index.memories(
                author=author,
                day=day,
                limit=limit,
                kernel=(everything and sort != "weight") or author == "kernel",
                by_weight=sort == "weight",
            )
        ),
    )
    if query and sort == "weight":
        found.sort(key=lambda m: (-m.weight, -m.seq))
    if as_json:
        show([memory_json(m) for m in found])
        return
    if not found:
        say("Nothing found." if query or author or day else "Nothing is remembered yet.")
        return
    weighed = sort == "weight"
    table(
        [
            (
                *([f"{m.weight / 1e6:.3f}"] if weighed else []),
                *(str(m.seq), short_time(m.timestamp, where), _who(m), m.text),
            )
            for m in found
        ]
    )


def _index(being: Being) -> Index:
    """The index, caught up; what had to be mended is told."""
    index = Index(being)
    index.catch_up()
    told = index.repairs
    if index.loose:
        from lumen.body.cli.status import strange

        told = [*told, *strange(index, must_be(being).soul)]
    for line in told:
        note(line)
    return index


def shown(index: Index, look: Callable[[], Iterable[Memory]]) -> list[Memory]:
    """Memories to show, each as the archive has it; an index that says otherwise is told of."""
    from lumen.kernel.proved import proved

    before = len(index.repairs)
    found = proved(index, look, lambda m: (m,))
    for line in index.repairs[before:]:
        note(line)
    return found


def _is_date(day: str) -> bool:
    try:
        return date.fromisoformat(day).isoformat() == day  # 20261115 is read too, but not stored
    except ValueError:
        return False


def _search(
    index: Index, query: str, author: str | None, day: str | None, limit: int
) -> list[Memory]:
    from lumen.kernel.reading import words

    by_words = [seq for seq, _ in index.search(words(query), MOST_HITS)]
    by_meaning = [e.memory.seq for e in evidence_for(index, query) if e.score >= 0.3]
    found = index.get(dict.fromkeys([*by_words, *by_meaning]))
    return [
        m
        for m in found.values()
        if (not author or m.author.value == author) and (not day or m.timestamp.startswith(day))
    ][:limit]


def evidence_for(index: Index, claim: str) -> tuple[Evidence, ...]:
    """What the author said that bears on a claim, as the archive has it."""
    from lumen.kernel.proved import of_evidence, proved

    before = len(index.repairs)
    found = proved(index, lambda: _evidence(index, claim), of_evidence)
    for line in index.repairs[before:]:
        note(line)
    return tuple(found)


def _evidence(index: Index, claim: str) -> tuple[Evidence, ...]:
    from lumen.kernel.recall import Recall
    from lumen.mind.embed import WhenNeeded

    recall = Recall(index, WhenNeeded())
    if recall.learn() and recall.learn():  # more than a handful is worth a word
        note("making memories findable by meaning …")
        while recall.learn():
            pass
    recall.at(1 << 60)
    return recall.evidence(claim)


def memory_json(m: Memory) -> JSON:
    """A memory as JSON."""
    return {
        "event": m.seq,
        "timestamp": m.timestamp,
        "author": m.author.value,
        "origin": m.origin.value,
        "type": m.event_type.value,
        "text": m.text,
        "private": m.private,
        "weight": m.weight / 1e6,
    }


@click.command()
@click.argument("what", required=False)
@shared
def why(what: str | None, named: str | None, as_json: bool) -> None:
    """Where the last answer comes from; or that of an event, a claim, a value or a goal."""
    being = being_meant(named)
    where = zone(must_be(being).timezone)
    index = _index(being)
    if what and (held := named_held(index, what)):
        why_held(index, held, where, as_json=as_json)
        return
    if what and not (what.isdecimal() and len(what) <= MOST_DIGITS):
        _why_claim(index, what, where, as_json)
        return
    key = index.turn_of(int(what)) if what else index.last_turn()
    events = index.turn(key) if key else []
    if not any(e.entry.situation == "replied" for e in events):
        if any(e.entry.situation == "erased" for e in events):
            raise UsageError(f"what event {what} said was forgotten", fix="lumen memory")
        if what:
            raise UsageError(f"event {what} belongs to no answer", fix="lumen memory")
        raise UsageError("there is no answer to explain yet", fix='lumen chat -m "hello"')
    explain(index, events, where, as_json)


def explain(index: Index, events: list[Event], where: ZoneInfo, as_json: bool) -> None:
    """Show what a reply rests on and what it was chosen over."""
    reply = next(e for e in events if e.entry.situation == "replied")
    decided = next((e for e in events if e.entry.situation == "decide"), None)
    cited = reply.entry.payload.get("sources", ())
    sources = shown(index, lambda: index.get(cited).values())
    notes = _chosen(decided) if decided else ""
    if as_json:
        told = [memory_json(m) for m in sources]
        show(
            {"reply": reply.entry.description, "event": reply.seq, "sources": told, "chosen": notes}
        )
        return
    rows = [("said", one_line(reply.entry.description, 100), f"event {reply.seq}")]
    for number, m in enumerate(sources):
        when = f"{local(m.timestamp, where):%A %d %B %Y at %H:%M}"
        label = "because" if number == 0 else ""
        rows.append((label, f"you told me on {when}: “{one_line(m.text, 120)}”", f"event {m.seq}"))
    heard = next((e for e in events if e.entry.situation == "heard"), None)
    if heard and not sources:
        said = one_line(heard.entry.description, 100)
        rows.append(("because", f"you said just before: “{said}”", f"event {heard.seq}"))
        rows.append(("", "nothing you told me earlier was used", ""))
    rows.append(("chosen", notes, f"lumen trace {reply.seq}"))
    for label, text, place in rows:
        say(f"  {label:<9}{text}" + (f"   · {place}" if place else ""))


def _chosen(decided: Event) -> str:
    """How the words were chosen, as the step that chose them told it."""
    steps = decided.entry.payload["steps"]
    told = [s["wrote"]["notes"] for s in steps if s["step"] == "lambda_select"]
    return str(told[0]) if told else ""


def _why_claim(index: Index, claim: str, where: ZoneInfo, as_json: bool) -> None:
    found = [e for e in evidence_for(index, claim) if e.score >= 0.45][:5]
    if as_json:
        show(
            [
                {**memory_json(e.memory), "score": round(e.score, 3), "fit": _fit(claim, e)}
                for e in found
            ]
        )
        return
    say(f"● {claim}")
    if not found:
        say("  └ you have not told me that")
    for e in found:
        when = f"{local(e.memory.timestamp, where):%d %b %H:%M}"
        fit = _fit(claim, e)
        say(f"  └ {when}  you: “{one_line(e.quote, 100)}”   event {e.memory.seq} · {fit}")


@click.command()
@click.argument("event", required=False, type=click.IntRange(1, 10**MOST_DIGITS))
@shared
def trace(event: int | None, named: str | None, as_json: bool) -> None:
    """What every step of the last turn (or of EVENT's turn) read, wrote and took."""
    being = being_meant(named)
    must_be(being)
    index = _index(being)
    key = index.turn_of(event) if event else index.last_turn()
    events = [e for e in (index.turn(key) if key else []) if "steps" in e.entry.payload]
    if not events:
        if event:
            raise UsageError(f"event {event} belongs to no turn", fix="lumen memory")
        raise UsageError("there is no turn to show yet", fix='lumen chat -m "hello"')
    if as_json:
        show([e.entry.payload for e in events])
        return
    for e in events:
        say(f"{e.entry.description}   · event {e.seq}")
        table(
            [
                (s["step"], f"{s['ms']:.1f} ms", one_line(_wrote(s), 200))
                for s in e.entry.payload["steps"]
            ],
            indent="  ",
        )
        for call in e.entry.payload.get("calls", ()):
            tokens = f"{call['prompt_tokens']} + {call['completion_tokens']} tokens"
            say(f"  model {call['model']}: {tokens}, {call['seconds']:.1f} s")


def _fit(claim: str, e: Evidence) -> str:
    """How well evidence supports a claim; nearness alone does not make Madrid of Lisbon."""
    from lumen.kernel.reading import lacks

    if lacks(claim, e.memory.text):
        return "does not say it"
    return "fits well" if e.score >= WELL else "fits loosely"


def _wrote(told: JSON) -> str:
    skipped = told.get("skipped")
    return f"skipped: {skipped}" if skipped else dumps(told["wrote"]).decode()


def _who(m: Memory) -> str:
    return f"{m.author.value}{' (private)' if m.private else ''}"
