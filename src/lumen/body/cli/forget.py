"""`lumen forget` and `lumen private`: what is to be gone, and what must not leave this machine."""

from __future__ import annotations

from dataclasses import dataclass
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
from lumen.core.errors import LumenError

if TYPE_CHECKING:
    from lumen.app.forgetting import ToForget
    from lumen.app.wiring import Kernel

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
    from lumen.app.forgetting import forget, must_be_author, plan_forgetting

    wish = wish or Wish()
    bar = Bar("looking for what quotes it")
    found = plan_forgetting(kernel, what, own_files=wish.own_files, progress=bar)
    bar.clear()
    if not wish.quiet:
        _preview(found, where)
    result: dict[str, object] = {
        "erased": [],
        "goes": [{"event": g.seq, "why": g.why} for g in found.goes],
        "files": list(found.files),
        "yours": list(found.yours),
        "mentions": list(found.mentions),
        "beyond": list(found.beyond),
        "left": [],
    }
    if wish.dry_run:
        return result
    must_be_author(kernel)
    many = counted(len(found.goes), "event")
    if not asked(f"Erase {many} for good?", yes=wish.yes, fix=f"lumen forget {what!r} --yes"):
        note("Nothing was changed.")
        return result
    if (
        found.yours
        and not wish.yes
        and asked("Take it out of your own files too?", yes=False, fix="")
    ):
        found = plan_forgetting(kernel, what, own_files=True)
    gone = forget(kernel, found)
    if not wish.quiet:
        done = "Forgotten" if not gone.left else "Erased"
        many = counted(gone.goes, "event")
        say(f"{done}: {many}. Event {gone.event} says that, and nothing of what they said.")
        say("Out of reach: " + "; ".join(gone.beyond) + ".")
    return {**result, "erased": gone.erased, "event": gone.event, "left": list(gone.left)}


def must_be_gone(gone: dict[str, object]) -> None:
    """Fail where any of it is left: nobody may take that for forgotten."""
    left = gone["left"]
    if isinstance(left, list) and left:
        raise LumenError(
            f"it is not gone: {', '.join(left)} still holds it",
            fix="edit or delete what is named, or lumen forget WORDS --own-files",
        )


def _preview(found: ToForget, where: ZoneInfo) -> None:
    rows = [
        (str(g.seq), short_time(g.timestamp, where), g.who, g.why, g.text)
        for g in found.goes[:SHOWN]
    ]
    table(rows)
    if len(found.goes) > SHOWN:
        say(f"… and {counted(len(found.goes) - SHOWN, 'more event')}")
    for path, lines in found.files.items():
        say(f"{path} loses:")
        for line in lines:
            say(f"  - {one_line(line, 100)}")
    for path, lines in found.yours.items():
        say(f"{path} is yours and stays as it is; --own-files takes out of it:")
        for line in lines:
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
    from lumen.app.privacy import mark
    from lumen.body.cli.opening import as_author

    with as_author(being_meant(named), note) as kernel:
        marked = mark(kernel, events, private=not off)
    if as_json:
        show(marked)
        return
    say(f"{counted(len(events), 'memory')}: {'no longer ' if off else ''}private")
    if marked.lines:
        say("Kept from models that are not on this machine too, as it rests on private memories:")
    for line in marked.lines:
        say(f"  - {one_line(line, 100)}")
