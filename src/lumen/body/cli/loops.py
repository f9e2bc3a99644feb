"""`lumen run` and `lumen reflect`: what it does when nobody speaks, and changing its mind."""

from __future__ import annotations

import asyncio
import os
import signal
from collections.abc import AsyncIterator
from contextlib import suppress
from dataclasses import asdict
from typing import TYPE_CHECKING

import click

from lumen.body.cli.common import being_meant, note, say, shared, show
from lumen.body.config import must_be
from lumen.core.errors import LumenError

if TYPE_CHECKING:
    from lumen.kernel.cycle import Reflected, Went
    from lumen.kernel.evolve import Proposal
    from lumen.kernel.run import Kernel

BACKGROUND = 10  # how nice it is to everyone else on the machine


@click.command()
@click.option("--cycles", type=click.IntRange(min=1), help="Stop after so many cycles.")
@click.option("--every", type=click.FloatRange(min=0), help="Seconds between cycles.")
@click.option(
    "--autonomy",
    type=click.Choice(["full", "soft", "shadow"]),
    default="full",
    help="full: act; soft: nothing that leaves the machine; shadow: wonder and reflect only.",
)
@shared
def run(
    cycles: int | None, every: float | None, autonomy: str, named: str | None, as_json: bool
) -> None:
    """Let it live: pursue goals and wonder, in turns, and reflect when there is cause."""
    from lumen.body.app import opened

    being = being_meant(named)
    settings = must_be(being)
    with suppress(OSError):
        os.nice(BACKGROUND)  # a conversation in another terminal comes first
    with opened(being, note) as kernel:
        kernel.autonomy = autonomy
        pause = settings.cycle_seconds if every is None else every
        if not as_json:
            note(f"{kernel.self_.name or 'Lumen'} is at work. Ctrl-C stops it after this cycle.")
        asyncio.run(_live(kernel, cycles, pause, as_json=as_json))


async def _live(kernel: Kernel, cycles: int | None, pause: float, *, as_json: bool) -> None:
    stop = asyncio.Event()
    loop = asyncio.get_running_loop()
    for name in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(name, stop.set)
    done = 0
    async for went in cycled(kernel, stop):
        _shown(went, as_json=as_json)
        done += went.loop != "reflection"
        if stop.is_set() or (cycles is not None and done >= cycles):
            break
        if went.loop != "reflection":
            with suppress(TimeoutError):
                await asyncio.wait_for(stop.wait(), pause)
        if stop.is_set():
            break


async def cycled(kernel: Kernel, stop: asyncio.Event) -> AsyncIterator[Went]:
    """Action and explore in turns, each followed by a reflection when a trigger fires."""
    from lumen.kernel.cycle import Went, due, pursue, reflect, wonder
    from lumen.kernel.run import Watch
    from lumen.kernel.turns import yield_to_talk

    acts = True
    while not stop.is_set():
        await yield_to_talk(kernel.being)
        went = await (pursue if acts and kernel.autonomy != "shadow" else wonder)(kernel, Watch())
        yield went
        acts = not acts
        if went.done and (why := due(kernel)):
            await yield_to_talk(kernel.being)
            came = await reflect(kernel, why, Watch())
            changed = (
                f"{len(came.asked.proposals)} changes"
                if came.applied
                else came.refused or "nothing to change"
            )
            yield Went("reflection", "; ".join(f.why for f in why), changed)


def _shown(went: Went, *, as_json: bool) -> None:
    if as_json:
        show(asdict(went))
        return
    mark = "·" if went.done else " "
    delta = f"   {went.delta:+.2f}" if went.delta else ""
    say(
        f"{mark} {went.loop:<10} {went.what}"
        + (f" — {went.outcome}" if went.outcome else "")
        + delta
    )


@click.command()
@click.option("--dry-run", is_flag=True, help="Show what would change, and change nothing.")
@shared
def reflect(dry_run: bool, named: str | None, as_json: bool) -> None:
    """Let it look back and change what it values and wants; nothing else is done."""
    from lumen.body.app import opened
    from lumen.kernel.cycle import due
    from lumen.kernel.cycle import reflect as look_back
    from lumen.kernel.run import Watch

    being = being_meant(named)
    must_be(being)
    with opened(being, note) as kernel:
        why = due(kernel, asked=True)
        came = asyncio.run(look_back(kernel, why, Watch(), dry_run=dry_run))
    if as_json:
        show(
            {
                "summary": came.summary,
                "triggers": [asdict(f) for f in why],
                "proposals": [asdict(p) for p in came.asked.proposals],
                "conflicts": list(came.asked.conflicts),
                "applied": came.applied,
            }
        )
        return
    _told(came, dry_run=dry_run)


def _told(came: Reflected, *, dry_run: bool) -> None:
    say(f"Since the last reflection: {came.summary}.")
    for p in came.asked.proposals:
        _proposal(p)
    for line in came.asked.conflicts:
        say(f"  settled     {line}")
    if came.asked.trouble:
        note(f"the reflection model did not help: {came.asked.trouble}")
    if not came.asked.proposals:
        say("Nothing speaks for a change.")
    elif dry_run:
        say("Nothing was changed. Apply with: lumen reflect")
    elif not came.applied:
        raise LumenError(f"nothing was changed: {came.refused}", fix="lumen self diff")


def _proposal(p: Proposal) -> None:
    events = ", ".join(map(str, p.evidence))
    if p.kind == "story":
        say(f"  + {p.text}")
    elif p.status == "dropped":
        say(f"  {p.name:<12} {p.before:.2f} → let go")
    else:
        say(f"  {p.name:<12} {p.before:.2f} → {p.after:.2f}")
    say(f"  {'':<12} because {p.why} (events {events})")
    if p.of:
        say(f"  {'':<12} replayed: {p.otherwise} of {p.of} past choices would have gone otherwise")
