"""`lumen reflect`: let it look back; what would change is shown before it happens."""

from __future__ import annotations

import asyncio
import textwrap
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from datetime import datetime
from typing import TYPE_CHECKING

import click

from lumen.app.settings import must_be
from lumen.body.cli.common import being_meant, counted, lasting, note, say, shared, show
from lumen.body.cli.live import LiveLine
from lumen.core.clock import SystemClock
from lumen.core.errors import LumenError

if TYPE_CHECKING:
    from lumen.app.reflecting import Experience, Proposal, Reflection

WIDTH = 80
LONGEST_NAME = 28
REPORTED = ("summary", "triggers", "proposals", "conflicts", "applied")


@click.command()
@click.option("--dry-run", is_flag=True, help="Show what would change, and change nothing.")
@shared
def reflect(dry_run: bool, named: str | None, as_json: bool) -> None:
    """Let it look back and change what it values and wants; nothing else is done."""
    from lumen.app.reflecting import SHOWN, look_back
    from lumen.body.cli.opening import opened

    being = being_meant(named)
    must_be(being)
    live = LiveLine(SHOWN)
    with opened(being, note) as kernel:
        try:
            came = asyncio.run(look_back(kernel, dry_run=dry_run, step=live.step))
        finally:
            live.clear()
    if as_json:
        told = asdict(came)
        show({key: told[key] for key in REPORTED})
        return
    say(happened(came.past, came.began, SystemClock().now()))
    _told(came, dry_run=dry_run)


def happened(past: Experience, began: str, now: datetime) -> str:
    """What went on since the last reflection, in one sentence; what there was none of is left out."""
    from lumen.app.reflecting import surprises

    pairs = Counter(tuple(sorted(pair)) for c in past.cycles for pair in c.conflicts)
    torn = ", ".join(f"{a} ↔ {b}{_times(n)}" for (a, b), n in pairs.most_common())
    parts = [
        _some(len(past.cycles), "cycle"),
        _some(surprises(past), "surprise"),
        f"{counted(pairs.total(), 'tension')} ({torn})" if pairs else "",
        f"{counted(len(past.completed), 'goal')} reached" if past.completed else "",
        f"{counted(len(past.closed), 'goal')} closed by you" if past.closed else "",
        f"{counted(len(past.stale), 'goal')} untouched" if past.stale else "",
    ]
    told = ", ".join(filter(None, parts))
    if not began:
        return f"Since it was born: {told or 'nothing happened'}."
    time = lasting(began, now)
    return f"Since the last reflection: {time}, {told or 'and nothing happened'}."


def _some(number: int, noun: str) -> str:
    return counted(number, noun) if number else ""


def _times(number: int) -> str:
    return f", {number} times" if number > 1 else ""


def _told(came: Reflection, *, dry_run: bool) -> None:
    for line in proposed(came.proposals):
        say(line)
    for line in came.conflicts:
        for part in textwrap.wrap(f"settled: {line}", WIDTH - 2, subsequent_indent="  "):
            say(f"  {part}")
    if came.trouble:
        note(f"the reflection model did not help: {came.trouble}")
    if not came.proposals:
        say("Nothing speaks for a change.")
    elif dry_run:
        say("Nothing was changed. Apply with: lumen reflect")
    elif not came.applied:
        raise LumenError(f"nothing was changed: {came.refused}", fix="lumen self diff")


def proposed(found: Sequence[Proposal]) -> Iterator[str]:
    """Proposals as a table: what, from where to where, and beside it why."""
    names = [_name(p) for p in found]
    wide = max(map(len, names), default=0)
    for name, p in zip(names, found, strict=True):
        indent = f"  {'':<{wide}}  {'':<11}   "
        first = f"  {name:<{wide}}  {_move(p):<11}   "
        for text in _reasons(p):
            for line in textwrap.wrap(text, WIDTH - len(indent)):
                yield f"{first}{line}"
                first = indent


def _name(p: Proposal) -> str:
    name = "story" if p.kind == "story" else p.name
    return name if len(name) <= LONGEST_NAME else f"{name[: LONGEST_NAME - 1]}…"


def _move(p: Proposal) -> str:
    if p.kind == "story":
        return "+"
    return f"{p.before:.2f} → gone" if p.status == "dropped" else f"{p.before:.2f} → {p.after:.2f}"


def _reasons(p: Proposal) -> Iterator[str]:
    if p.text:
        yield p.text
    label = "event" if len(p.evidence) == 1 else "events"
    yield f"because {p.why} ({label} {', '.join(map(str, p.evidence))})"
    if p.of:
        yield f"replayed: {p.otherwise} of {p.of} past choices would have gone otherwise"
