"""`lumen checkpoint` and `lumen undo`: name a moment, see what changed since, go back to it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from lumen.app import checkpointing as app
from lumen.app.looking import looking
from lumen.body.cli.common import asked, being_meant, note, say, shared, short_time, show, table

if TYPE_CHECKING:
    from contextlib import AbstractContextManager

    from lumen.app.wiring import Kernel


@click.group()
def checkpoint() -> None:
    """Every change of self can be restored; a checkpoint gives a moment a name."""


def _opened(named: str | None) -> AbstractContextManager[Kernel]:
    from lumen.body.cli.opening import opened

    return opened(being_meant(named), note)


@checkpoint.command("list")
@shared
def list_checkpoints(named: str | None, as_json: bool) -> None:
    """Named moments, and every change of self: all can be restored."""
    with looking(being_meant(named), note) as look:
        found = app.moments(look.index)
    if as_json:
        show(found)
        return
    table([(str(m.event), short_time(m.timestamp, look.zone), m.what) for m in found])


@checkpoint.command("create")
@click.argument("name")
@shared
def create_checkpoint(name: str, named: str | None, as_json: bool) -> None:
    """Give this moment a NAME."""
    with _opened(named) as kernel:
        made = app.name_moment(kernel.gate, name)
    if as_json:
        show(made)
    else:
        say(f"{name} is event {made.event}: lumen checkpoint restore {made.event} comes back here")


@checkpoint.command("diff")
@click.argument("point")
@click.argument("other", required=False)
@shared
def diff_checkpoint(point: str, other: str | None, named: str | None, as_json: bool) -> None:
    """What changed in the self from POINT (a name or an event) to OTHER, or until now."""
    with looking(being_meant(named), note) as look:
        lines = app.compared(look.index, point, other)
    if as_json:
        show({"diff": lines})
        return
    for line in lines or ["Nothing changed."]:
        say(line)


@checkpoint.command("restore")
@click.argument("point")
@click.option("--yes", is_flag=True, help="Do not ask.")
@shared
def restore_checkpoint(point: str, yes: bool, named: str | None, as_json: bool) -> None:
    """Take the self back to POINT, a name or an event; what was said since stays."""
    with _opened(named) as kernel:
        would = app.would_restore(kernel.index, point)
        if not as_json:
            for line in would.diff or ["The self files are as they were then."]:
                say(line)
        fix = f"lumen checkpoint restore {point} --yes"
        if not asked(f"Restore the self as it was at event {would.restored}?", yes=yes, fix=fix):
            note("Nothing was changed.")
            return
        done = app.restore(kernel.gate, point)
    if as_json:
        show(done)
    else:
        say(f"Restored: the self is as it was at event {done.restored}. lumen undo takes it back.")


@click.command()
@click.option("--yes", is_flag=True, help="Do not ask.")
@shared
def undo(yes: bool, named: str | None, as_json: bool) -> None:
    """Take back the last change of self; again, the one before it."""
    with _opened(named) as kernel:
        last = app.undoable(kernel.index)
        for line in last.diff if last and not as_json else ():
            say(line)
        what = f"Undo event {last.event} ({last.what})?" if last else ""
        if last and not asked(what, yes=yes, fix="lumen undo --yes"):
            note("Nothing was changed.")
            return
        done = app.undo(kernel.gate)
    if as_json:
        show({"undone": done.undone, "event": done.event})
    else:
        end = "" if done.what.endswith(".") else "."
        say(f"Undone: {done.what}{end} lumen checkpoint restore {done.undone} brings it back.")
