"""`lumen reflect`: let it look back; what would change is shown before it happens."""

from __future__ import annotations

import asyncio
import textwrap
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from datetime import datetime

import click

from lumen.app.reflecting import SHOWN, Experience, Reflection, SelfChange, look_back, surprises
from lumen.app.words import counted
from lumen.body.cli.command import command
from lumen.body.cli.progress import Steps
from lumen.body.cli.render import data, tell
from lumen.body.cli.request import CommandRequest
from lumen.body.cli.terminal import lasting, note, note_fixes, say
from lumen.core.canon import JSON
from lumen.core.clock import SystemClock

WIDTH = 80
LONGEST_NAME = 28
REPORTED = ("summary", "triggers", "proposals", "conflicts", "applied")


@command("reflect")
@click.option("--dry-run", is_flag=True, help="Show what would change, and change nothing.")
def reflect(request: CommandRequest, dry_run: bool) -> ReflectionShown:
    """Let it look back and change what it values and wants; nothing else is done."""
    with request.opened() as kernel, Steps(SHOWN) as live:
        came = asyncio.run(look_back(kernel, dry_run=dry_run, step=live.step))
    return ReflectionShown(came, dry_run)


@dataclass(frozen=True, slots=True)
class ReflectionShown:
    """A reflection, and whether it was a dry run."""

    came: Reflection
    dry_run: bool

    @property
    def ok(self) -> bool:
        """Whether what was proposed is in force, where it was to be."""
        return self.came.applied or self.dry_run or not self.came.proposals


@data.register(ReflectionShown)
def _reflected_data(reflected: ReflectionShown) -> JSON:
    told = asdict(reflected.came)
    return {key: told[key] for key in REPORTED}


@tell.register(ReflectionShown)
def _tell_reflected(reflected: ReflectionShown, _request: CommandRequest) -> None:
    came = reflected.came
    say(happened(came.past, came.began, SystemClock().now()))
    for line in proposed(came.proposals):
        say(line)
    for line in came.conflicts:
        for part in textwrap.wrap(f"settled: {line}", WIDTH - 2, subsequent_indent="  "):
            say(f"  {part}")
    if came.trouble:
        note(f"the reflection model did not help: {came.trouble}")
    if not came.proposals:
        say("Nothing speaks for a change.")
    elif reflected.dry_run:
        say("Nothing was changed. Apply with: lumen reflect")
    elif not came.applied:
        note(f"Nothing was changed: {came.refused}.")
        note_fixes(["lumen self diff"])


def happened(past: Experience, began: str, now: datetime) -> str:
    """What went on since the last reflection, in one sentence; what there was none of is left out."""
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


def proposed(found: Sequence[SelfChange]) -> Iterator[str]:
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


def _name(p: SelfChange) -> str:
    name = "story" if p.kind == "story" else p.name
    return name if len(name) <= LONGEST_NAME else f"{name[: LONGEST_NAME - 1]}…"


def _move(p: SelfChange) -> str:
    if p.kind == "story":
        return "+"
    return f"{p.before:.2f} → gone" if p.status == "dropped" else f"{p.before:.2f} → {p.after:.2f}"


def _reasons(p: SelfChange) -> Iterator[str]:
    if p.text:
        yield p.text
    label = "event" if len(p.evidence) == 1 else "events"
    yield f"because {p.why} ({label} {', '.join(map(str, p.evidence))})"
    if p.of:
        yield f"replayed: {p.otherwise} of {p.of} past choices would have gone otherwise"
