"""`lumen run` and `lumen reflect`: what it does when nobody speaks, and what it changes in itself."""

from __future__ import annotations

import asyncio
import os
import signal
import textwrap
from collections import Counter
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from datetime import datetime
from math import isfinite
from types import FrameType
from typing import TYPE_CHECKING
from zoneinfo import ZoneInfo

import click

from lumen.app.contours import words_shown
from lumen.app.living import CycleResult, Scheduler
from lumen.app.reflecting import Reflection, SelfChange, look_back
from lumen.app.settings import zone
from lumen.app.skills import isolation_notes
from lumen.app.words import counted
from lumen.body.cli.command import command
from lumen.body.cli.progress import Steps
from lumen.body.cli.render import TextResult
from lumen.body.cli.request import CommandRequest
from lumen.body.cli.terminal import (
    columns,
    lasting,
    note,
    one_line,
    painted,
    print_json,
    say,
)
from lumen.core.clock import Clock, SystemClock
from lumen.core.errors import UsageError

if TYPE_CHECKING:
    from lumen.app.wiring import Kernel

BACKGROUND = 10  # how nice it is to everyone else on the machine
RESTS_S = 0.2  # the least it rests when there is nothing to do, however eager it is set
MARKS = {"action": "●", "explore": "?", "reflection": "◆"}
COLOURS = {"action": "cyan", "explore": "magenta", "reflection": "yellow"}
WIDTH = 80
LONGEST_NAME = 28
REPORTED = ("summary", "triggers", "proposals", "conflicts", "applied")


@command("run")
@click.option("--cycles", type=click.IntRange(min=1), help="Stop after so many cycles.")
@click.option("--every", type=click.FloatRange(min=0), help="Seconds between cycles.")
@click.option(
    "--autonomy",
    type=click.Choice(["full", "soft", "shadow"]),
    default="full",
    help="full: act; soft: nothing that leaves the machine; shadow: wonder and reflect only.",
)
def run(request: CommandRequest, cycles: int | None, every: float | None, autonomy: str) -> None:
    """Let it live: pursue goals and wonder, in turns, and reflect when there is cause."""
    if every is not None and not isfinite(every):
        raise UsageError(f"--every {every} is no number of seconds", fix="lumen run --every 60")
    settings = request.settings
    with suppress(OSError):
        os.nice(BACKGROUND)  # a conversation in another terminal comes first
    with request.opened() as kernel:
        kernel.autonomy = autonomy
        rounds = 1 if autonomy == "shadow" else 2
        shown = CycleDisplay(
            request.as_json,
            kernel.clock,
            zone(settings.timezone),
            words_shown(kernel.index),
            rounds,
        )
        for line in isolation_notes(kernel):
            shown.beside(f"Skills: {line}.")
        pause = settings.cycle_seconds if every is None else every
        whole = asyncio.run(_live(kernel, cycles, pause, shown))
    if not whole:
        note("stopped in the middle of a cycle; the archive says so")
        raise click.Abort
    shown.beside(f"Stopped after {counted(shown.cycles, 'cycle')}.")


@dataclass(slots=True)
class Stop:
    """Whether it is to stop: after this cycle when asked once, at once when asked again."""

    task: asyncio.Task[bool] | None
    event: asyncio.Event = field(default_factory=asyncio.Event)
    asked: int = 0

    @contextmanager
    def listening(self, loop: asyncio.AbstractEventLoop) -> Iterator[None]:
        """Count SIGINT and SIGTERM; plain handlers are called while a step blocks, too."""

        def hear(_number: int, _frame: FrameType | None) -> None:
            self.asked += 1
            loop.call_soon_threadsafe(self.event.set)
            if self.asked > 1 and self.task:
                loop.call_soon_threadsafe(self.task.cancel)

        before = {name: signal.signal(name, hear) for name in (signal.SIGINT, signal.SIGTERM)}
        try:
            yield
        finally:
            for name, handler in before.items():
                signal.signal(name, handler)


async def _live(kernel: Kernel, cycles: int | None, pause: float, shown: CycleDisplay) -> bool:
    """Cycle after cycle; false when the last one was broken off."""
    stop = Stop(asyncio.current_task())
    with stop.listening(asyncio.get_running_loop()):
        who = kernel.self_.name or "Lumen"
        shown.beside(f"{who} is at work. Ctrl-C stops it after this cycle.")
        try:
            await _cycles(kernel, cycles, pause, shown, stop)
        except asyncio.CancelledError:
            return False
    return True


async def _unless(stop: Stop, work: Awaitable[None]) -> None:
    """Wait for something, but no longer than until it is time to stop."""
    waits = asyncio.ensure_future(work)
    told = asyncio.create_task(stop.event.wait())
    try:
        await asyncio.wait({waits, told}, return_when=asyncio.FIRST_COMPLETED)
    finally:
        waits.cancel()
        told.cancel()


async def _cycles(
    kernel: Kernel, cycles: int | None, pause: float, shown: CycleDisplay, stop: Stop
) -> None:
    """Cycle after cycle, each shown as it is over, until it is time to stop."""
    scheduler = Scheduler(
        kernel, shown.watching, lambda: bool(stop.asked), lambda work: _unless(stop, work)
    )
    while True:
        went = None
        async for went in scheduler.cycle():
            shown.cycle(went)
            shown.note_repairs(kernel)
        if went is None or (cycles is not None and shown.cycles >= cycles):
            return
        await _unless(stop, asyncio.sleep(max(pause, RESTS_S * shown.resting)))


@dataclass(slots=True)
class CycleDisplay:
    """What whoever looks on has been shown: a line a cycle, and that it rests only once."""

    as_json: bool
    clock: Clock
    where: ZoneInfo
    words: Mapping[str, str]  # for the steps that run
    rounds: int = 2  # idle cycles in a row that mean there is nothing to do at all
    cycles: int = 0
    idle: dict[str, CycleResult] = field(default_factory=dict)
    resting: bool = False

    def beside(self, text: str) -> None:
        """Tell a person something that is no result."""
        if not self.as_json:
            note(text)

    def cycle(self, went: CycleResult) -> None:
        """A cycle is over."""
        self.cycles += went.loop != "reflection"
        if went.done:
            self.idle, self.resting = {}, False
            self._line(went)
            return
        new = self.idle.get(went.loop) != went
        self.idle[went.loop] = went
        if self.as_json and new:
            print_json(went)
        if not self.resting and len(self.idle) >= self.rounds:
            self.resting = True
            if not self.as_json:
                said = (": ".join(filter(None, (w.what, w.outcome))) for w in self.idle.values())
                say(f"{self._now()}  · rests      {'; '.join(said)}")

    def note_repairs(self, kernel: Kernel) -> None:
        """What a cycle had to put right, as every other command says it."""
        for line in kernel.gate.repairs:
            note(line)
        kernel.gate.repairs.clear()

    def _line(self, went: CycleResult) -> None:
        if self.as_json:
            print_json(went)
            return
        outcome = f" — {went.outcome}" if went.outcome else ""
        off = f"  {went.delta:+.2f}" if went.delta else ""
        text = one_line(went.what + outcome, max(20, columns() - 20 - len(off)))
        mark = painted(f"{MARKS.get(went.loop, '·')} {went.loop:<10}", COLOURS[went.loop])
        click.echo(
            f"{self._now()}  {mark} {text}{painted(off, 'red' if went.delta < 0 else 'green')}"
        )

    def _now(self) -> str:
        return f"{self.clock.now().astimezone(self.where):%H:%M}"

    @contextmanager
    def watching(self, loop: str) -> Iterator[Callable[[str], None]]:
        """Show the running step."""
        with Steps(self.words, loop) as live:
            yield live.step


@command("reflect")
@click.option("--dry-run", is_flag=True, help="Show what would change, and change nothing.")
def reflect(request: CommandRequest, dry_run: bool) -> TextResult:
    """Let it look back and change what it values and wants; nothing else is done."""
    with request.opened() as kernel, Steps(words_shown(kernel.index)) as live:
        came = asyncio.run(look_back(kernel, dry_run=dry_run, step=live.step))
    ok = came.applied or dry_run or not came.proposals
    beside = [f"the reflection model did not help: {came.trouble}"] if came.trouble else []
    if not ok:
        beside += [f"Nothing was changed: {came.refused}.", "  try: lumen self diff"]
    told = {name: getattr(came, name) for name in REPORTED}
    return TextResult(told, _reflected(came, dry_run=dry_run), "\n".join(beside), ok)


def _reflected(came: Reflection, *, dry_run: bool) -> Iterator[str]:
    yield happened(came, SystemClock().now())
    yield from proposed(came.proposals)
    for line in came.conflicts:
        for part in textwrap.wrap(f"settled: {line}", WIDTH - 2, subsequent_indent="  "):
            yield f"  {part}"
    if not came.proposals:
        yield "Nothing speaks for a change."
    elif dry_run:
        yield "Nothing was changed. Apply with: lumen reflect"


def happened(came: Reflection, now: datetime) -> str:
    """What went on since the last reflection, in one sentence; what there was none of is left out."""
    past, began = came.past, came.began
    pairs = Counter(tuple(sorted(pair)) for c in past.cycles for pair in c.conflicts)
    torn = ", ".join(f"{a} ↔ {b}{_times(n)}" for (a, b), n in pairs.most_common())
    parts = [
        _some(len(past.cycles), "cycle"),
        _some(came.surprises, "surprise"),
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
