"""`lumen checkpoint` and `lumen undo`: name a moment, see what changed since, go back to it."""

from __future__ import annotations

from collections.abc import Sequence

import click

from lumen.app import checkpointing as app
from lumen.app.checkpointing import Moment
from lumen.app.words import short_time
from lumen.body.cli.command import YES, agrees, command
from lumen.body.cli.render import Listed, ToldResult
from lumen.body.cli.request import CommandRequest
from lumen.body.cli.terminal import say


@click.group()
def checkpoint() -> None:
    """Every change of self can be restored; a checkpoint gives a moment a name."""


@command("list", within=checkpoint, for_skills=True)
def list_checkpoints(request: CommandRequest) -> Listed[Moment]:
    """Named moments, and every change of self: all can be restored."""
    with request.looking() as look:
        found, where = app.moments(look.index), look.zone
    return Listed(
        found,
        lambda m: (str(m.event), short_time(m.timestamp, where), m.what),
        none="Nothing has changed yet.",
    )


@command("create", within=checkpoint)
@click.argument("name")
def create_checkpoint(request: CommandRequest, name: str) -> ToldResult:
    """Give this moment a NAME."""
    with request.opened() as kernel:
        made = app.name_moment(kernel.gate, name)
    back = f"lumen checkpoint restore {made.event} comes back here"
    return ToldResult(made, f"{name} is event {made.event}: {back}")


@command("diff", within=checkpoint, for_skills=True)
@click.argument("point")
@click.argument("other", required=False)
def diff_checkpoint(request: CommandRequest, point: str, other: str | None) -> ToldResult:
    """What changed in the self from POINT (a name or an event) to OTHER, or until now."""
    with request.looking() as look:
        lines = app.compared(look.index, point, other)
    return ToldResult({"diff": lines}, lines or "Nothing changed.")


@command("restore", within=checkpoint)
@click.argument("point")
@YES
def restore_checkpoint(request: CommandRequest, point: str, yes: bool) -> ToldResult | None:
    """Take the self back to POINT, a name or an event; what was said since stays."""
    with request.opened() as kernel:
        would = app.would_restore(kernel.index, point)
        _preview(request, would.diff or ["The self files are as they were then."])
        question = f"Restore the self as it was at event {would.restored}?"
        if not agrees(question, yes=yes, fix=f"lumen checkpoint restore {point} --yes"):
            return None
        done = app.restore(kernel.gate, point)
    said = f"Restored: the self is as it was at event {done.restored}. lumen undo takes it back."
    return ToldResult(done, said)


@command("undo")
@YES
def undo(request: CommandRequest, yes: bool) -> ToldResult | None:
    """Take back the last change of self; again, the one before it."""
    with request.opened() as kernel:
        last = app.undoable(kernel.index)
        _preview(request, last.diff if last else ())
        question = f"Undo event {last.event} ({last.what})?" if last else ""
        if last and not agrees(question, yes=yes, fix="lumen undo --yes"):
            return None
        done = app.undo(kernel.gate)
    what = done.what if done.what.endswith(".") else f"{done.what}."
    return ToldResult(
        done, f"Undone: {what} lumen checkpoint restore {done.undone} brings it back."
    )


def _preview(request: CommandRequest, diff: Sequence[str]) -> None:
    for line in () if request.as_json else diff:
        say(line)
