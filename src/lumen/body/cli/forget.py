"""`lumen forget` and `lumen private`: what is to be gone, and what must not leave this machine."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING
from zoneinfo import ZoneInfo

import click

from lumen.app.settings import must_be, zone
from lumen.body.cli.common import (
    Bar,
    asked,
    being_meant,
    counted,
    note,
    one_line,
    say,
    shared,
    short_time,
    show,
    table,
)
from lumen.body.cli.passphrase import signing
from lumen.core.data import Author, Memory, kernel_entry
from lumen.core.errors import LumenError, UsageError
from lumen.soul.archive import read

if TYPE_CHECKING:
    from lumen.kernel.forget import Plan
    from lumen.kernel.run import Kernel

SHOWN = 30


@click.command()
@click.argument("what")
@click.option("--yes", is_flag=True, help="Do not ask.")
@click.option("--own-files", is_flag=True, help="Take it out of files of yours too.")
@click.option("--dry-run", is_flag=True, help="Show what would go, and change nothing.")
@shared
@signing
def forget(
    what: str, yes: bool, own_files: bool, dry_run: bool, named: str | None, as_json: bool
) -> None:
    """Erase WHAT (an event's number, its id, or words it contains) and all that quotes it.

    Files and skills the being made are cleaned or go with it; files of yours are named, and changed
    with --own-files only. Where any of it is left in the end, that is said, with exit code 1.
    """
    from lumen.body.cli.opening import opened

    being = being_meant(named)
    where = zone(must_be(being).timezone)
    wish = Wish(yes=yes or dry_run, quiet=as_json, dry_run=dry_run, own_files=own_files)
    with opened(being, note) as kernel:
        gone = forget_in(kernel, what, where, wish)
    if as_json:
        show(gone)
    must_be_gone(gone)


@dataclass(frozen=True, slots=True)
class Wish:
    """How somebody wants something forgotten."""

    yes: bool = False
    quiet: bool = False
    dry_run: bool = False
    own_files: bool = False


def forget_in(
    kernel: Kernel, what: str, where: ZoneInfo, wish: Wish | None = None
) -> dict[str, object]:
    """Show what would go, ask, erase it, and look whether it is gone; returns what was done."""
    from lumen.kernel.forget import carry_out, find, plan
    from lumen.kernel.keys import must_be_author
    from lumen.kernel.loose import remains
    from lumen.kernel.turns import no_turn_meanwhile

    wish, index = wish or Wish(), kernel.index
    index.catch_up()
    bar = Bar("looking for what quotes it")
    sought = replace(find(index, what), own_files=wish.own_files)
    found = plan(kernel.being, index, sought, bar)
    bar.clear()
    if not wish.quiet:
        _preview(found, where)
    result: dict[str, object] = {
        "erased": [],
        "goes": [{"event": g.seq, "why": g.why} for g in found.goes],
        "files": list(found.cut),
        "yours": [one.path for one in found.yours],
        "mentions": list(found.mentions),
        "beyond": list(found.beyond),
        "left": [],
    }
    if wish.dry_run:
        return result
    must_be_author(kernel.gate)
    many = counted(len(found.goes), "event")
    if not asked(f"Erase {many} for good?", yes=wish.yes, fix=f"lumen forget {what!r} --yes"):
        note("Nothing was changed.")
        return result
    if (
        found.yours
        and not wish.yes
        and asked("Take it out of your own files too?", yes=False, fix="")
    ):
        found = plan(kernel.being, index, replace(sought, own_files=True))
    with no_turn_meanwhile(kernel.being):
        found, placed = carry_out(kernel.gate, found)
        left = remains(kernel.being, kernel.index, found.traces)
    many = counted(len(found.goes), "event")
    if not wish.quiet:
        done = "Forgotten" if not left else "Erased"
        say(f"{done}: {many}. Event {placed.seq} says that, and nothing of what they said.")
        say("Out of reach: " + "; ".join(found.beyond) + ".")
    return {**result, "erased": list(found.erasure.targets), "event": placed.seq, "left": left}


def must_be_gone(gone: dict[str, object]) -> None:
    """Fail where any of it is left: nobody may take that for forgotten."""
    left = gone["left"]
    if isinstance(left, list) and left:
        raise LumenError(
            f"it is not gone: {', '.join(left)} still holds it",
            fix="edit or delete what is named, or lumen forget WORDS --own-files",
        )


def _preview(found: Plan, where: ZoneInfo) -> None:
    rows = [
        (str(g.seq), short_time(g.timestamp, where), g.who, g.why, g.text)
        for g in found.goes[:SHOWN]
    ]
    table(rows)
    if len(found.goes) > SHOWN:
        say(f"… and {counted(len(found.goes) - SHOWN, 'more event')}")
    for path, lines in found.cut.items():
        say(f"{path} loses:")
        for line in lines:
            say(f"  - {one_line(line, 100)}")
    for one in found.yours:
        say(f"{one.path} is yours and stays as it is; --own-files takes out of it:")
        for line in one.lines:
            say(f"  - {one_line(line, 100)}")
    if found.mentions:
        which = ", ".join(map(str, found.mentions[:SHOWN]))
        say(f"What you said in event {which} names the same things, and stays unless you forget it")


@click.command()
@click.argument("events", nargs=-1, required=True, type=click.IntRange(1, 10**15))
@click.option("--off", is_flag=True, help="No longer private.")
@shared
def private(events: tuple[int, ...], off: bool, named: str | None, as_json: bool) -> None:
    """Mark memories, by EVENT number, that must never leave for a model that is not local."""
    from lumen.body.cli.opening import as_author
    from lumen.kernel.maintain import summaries

    being = being_meant(named)
    where = zone(must_be(being).timezone)
    with as_author(being, note) as kernel:
        lines = mark(kernel, events, private=not off)
        if any(being.memory.glob("*/summary.md")):
            summaries(kernel.gate, where)
    if as_json:
        show({"marked": list(events), "private": not off, "lines": lines})
    else:
        say(f"{counted(len(events), 'memory')}: {'no longer ' if off else ''}private")
        if lines:
            say(
                "Kept from models that are not on this machine too, as it rests on private memories:"
            )
        for line in lines:
            say(f"  - {one_line(line, 100)}")


def _resting_on(kernel: Kernel, known: dict[int, Memory]) -> list[int]:
    """The replies to some memories, those that rest on them, and those that repeat them."""
    from lumen.kernel.forget import Sought, plan
    from lumen.kernel.quoting import in_view

    sessions = {m.session_key for m in known.values()}
    found = plan(kernel.being, kernel.index, Sought(tuple(known)))
    goes = {g.seq for g in found.goes if g.who == Author.SELF.value}
    return [
        stored.event.seq
        for stored in read(kernel.being.memory)
        if (entry := stored.event.entry).author is Author.SELF
        and stored.event.seq not in known
        and (
            stored.event.seq in goes
            or entry.session_key in sessions
            or known.keys() & set(in_view(entry))
        )
    ]


def _still_private(kernel: Kernel, reply: int, freed: dict[int, Memory]) -> bool:
    """Whether a reply also answers, or rests on, something else that stays private."""
    from lumen.kernel.quoting import in_view

    event = kernel.index.event(reply)
    entry = event.entry if event else None
    sources = in_view(entry) if entry else ()
    said = kernel.index.turn(entry.session_key) if entry else []
    others = {*sources, *(e.seq for e in said if e.entry.author is not Author.SELF)} - freed.keys()
    return any(m.private for m in kernel.index.get(others).values())


def _lines_resting_on(kernel: Kernel) -> list[str]:
    """The lines of the self that must not leave, with where they stand."""
    from lumen.kernel.edits import in_force
    from lumen.kernel.provenance import provenance
    from lumen.soul.selfhood import SOUL, entries

    texts = in_force(kernel.index)
    held = {line for path, text in texts.items() if path != SOUL for line in entries(path, text)}
    story = [line.strip() for line in texts.get(SOUL, "").splitlines()]
    found = []
    for (kind, line), written in provenance(kernel.index).items():
        if written.private and kind == "story" and line in story:
            found.append(f"story, line {story.index(line) + 1}: {line}")
        elif written.private and kind != "story" and line in held:
            found.append(f"{kind}: {line}")
    return found


def mark(kernel: Kernel, events: tuple[int, ...], *, private: bool) -> list[str]:
    """Archive that memories are private from here on, or no longer; says which lines follow."""
    kernel.index.catch_up()
    known = kernel.index.get(events)
    for seq in events:
        if seq not in known:
            raise UsageError(f"event {seq} is no memory", fix="lumen memory")
    also = _resting_on(kernel, known)
    events = (*events, *(r for r in also if private or not _still_private(kernel, r, known)))
    what = f"The author marked {len(events)} as {'' if private else 'no longer '}private."
    payload = {"marks": {"memories": list(events), "private": private}}
    kernel.gate.record(kernel_entry("marked", what, "lumen:author", payload), sign=True)
    kernel.index.catch_up()
    return _lines_resting_on(kernel)
