"""`lumen self`, `values`, `goals`, `contracts`, `checkpoint` and `undo`: who it is, what you change in that, and back."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

import click

from lumen.app import checkpointing as app
from lumen.app.checkpointing import Moment
from lumen.app.histories import histories
from lumen.app.looking import ReadOnlyBeing
from lumen.app.selves import (
    STATES,
    SelfDiff,
    Selfhood,
    describe_edits,
    items_of,
    meaning,
    self_diff,
    self_in_force,
)
from lumen.app.words import short_time
from lumen.body.cli.command import YES, agrees, command, group
from lumen.body.cli.plots import Histories
from lumen.body.cli.render import Listed, TextResult, tell
from lumen.body.cli.request import CommandRequest
from lumen.body.cli.terminal import note, say, table
from lumen.core.data import SelfItem

NONE = "none yet: they come of living"
UNEDITED = "Nothing was edited: the files say what is in force."
CHANGES = {
    "value": {
        "set": "Let it hold the value NAME dear, or change what that weighs.",
        "drop": "Let it hold the value NAME no longer.",
    },
    "contract": {
        "add": "Let it go by the contract NAME, a style or an invariant.",
        "drop": "Let it go by the contract NAME no longer.",
    },
    "goal": {
        "add": "Give it the goal NAME.",
        "set": "Change what the goal NAME weighs, or how it stands.",
        "drop": "Take the goal NAME away.",
        "done": "Say that the goal NAME is reached; or in a chat: you can close NAME.",
    },
}
WEIGHT = click.option(
    "--weight",
    type=click.FloatRange(0, 1),
    help="How much it weighs, from 0 to 1; a new one: 0.5.",
)
TOLD = {"add": "Added", "set": "Set", "drop": "Dropped", "done": "Done"}


@click.group("self")
def self_() -> None:
    """Who it is; what was edited by hand, and whether that counts."""


def _tell_edits(look: ReadOnlyBeing) -> None:
    """What is shown is what is in force; a file that says otherwise and does not count is named."""
    for line in describe_edits(look):
        note(line)


@command("show", within=self_, for_skills=True)
def show_self(request: CommandRequest) -> Selfhood:
    """Name, ontology, narrative, values and goals in force."""
    with request.looking() as look:
        _tell_edits(look)
        return self_in_force(look.index)


@tell.register(Selfhood)
def _tell_self(found: Selfhood, _request: CommandRequest) -> None:
    say(f"# {found.name}")
    for label, text in (("ontology", found.ontology), ("narrative", found.narrative)):
        if text:
            say(f"\n{label}\n  " + text.replace("\n", "\n  "))
    for label, held in (("values", found.values), ("goals", found.goals)):
        say(f"\n{label}")
        tell_items(held)
    if found.contracts:
        say("\ncontracts")
        table([(one.name, one.status) for one in found.contracts], indent="  ")


@command("diff", within=self_, for_skills=True)
def diff_self(request: CommandRequest) -> SelfDiff:
    """What was edited by hand and is not in force (yet), line by line, and why."""
    with request.looking() as look:
        return self_diff(look)


@tell.register(SelfDiff)
def _tell_diff(found: SelfDiff, _request: CommandRequest) -> None:
    if not found.edited and not found.missing:
        say(UNEDITED)
    for line in (*found.diff, *found.told):
        say(line)
    for path in found.missing:
        say(f"{path} is missing: the next start brings it back.")
    if any(edit.state == "valid" for edit in found.edited):
        say("Valid: taken in with the next turn, or now: lumen self accept")


@command("accept", within=self_, failing=2)
def accept_self(request: CommandRequest) -> TextResult:
    """Take in what was edited by hand, now; also what changed while a turn was cut off."""
    from lumen.app.selves import adopt

    told: list[str] = []
    with request.as_author(told.append) as kernel:
        done = adopt(kernel.gate)
        told += done.said
    done = replace(done, said=tuple(dict.fromkeys(told)))
    return TextResult(done, done.said or UNEDITED)


@group("values", for_skills=True)
@click.option("--history", is_flag=True, help="How each weight went, as a plot, and why.")
def values(request: CommandRequest, history: bool) -> object:
    """What it holds dear, the heaviest first; `set` and `drop` change it."""
    return _items(request, "value", history=history)


@group("goals", for_skills=True)
@click.option("--year", type=click.IntRange(1, 9999), help="Only of this year's file.")
@click.option("--status", type=click.Choice(STATES["goal"]), help="Only those that stand so.")
@click.option("--history", is_flag=True, help="How each went, as a plot, and why.")
def goals(request: CommandRequest, year: int | None, status: str | None, history: bool) -> object:
    """What it is after, the heaviest first, of every year; add, set, drop or close one."""
    return _items(request, "goal", year, status, history=history)


@group("contracts", for_skills=True)
def contracts(request: CommandRequest) -> Listed[SelfItem]:
    """How it speaks, and what of it does not change; `add` and `drop` change it."""
    with request.looking() as look:
        _tell_edits(look)
        held = items_of(look.index, "contract")
    return Listed(held, lambda one: (one.name, one.status, meaning(one.name)), none="none")


def _items(
    request: CommandRequest,
    kind: str,
    year: int | None = None,
    status: str | None = None,
    *,
    history: bool,
) -> Histories | Listed[SelfItem]:
    with request.looking() as look:
        _tell_edits(look)
        if history:
            return Histories(histories(look.index, kind, year, status))
        return Listed(items_of(look.index, kind, year, status), item_row, none=NONE)


def item_row(held: SelfItem) -> tuple[str, ...]:
    """A value or goal in a list."""
    return held.name, f"{held.weight:.2f}", held.status


def tell_items(held: Sequence[SelfItem]) -> None:
    """Values or goals below a heading."""
    if held:
        table([item_row(one) for one in held], indent="  ")
    else:
        say(f"  {NONE}")


def _add_change(within: click.Group, kind: str, verb: str, meaning: str) -> None:
    """A command by which the author changes what it holds, and which says how that stands now."""
    has_status = verb in ("add", "set")
    weighs = has_status and kind != "contract"

    def change(request: CommandRequest, name: str, **given: float | str | None) -> TextResult:
        from lumen.app.holding import SelfItems, holding

        does: dict[str, Callable[..., SelfItem]] = {
            "add": SelfItems.add,
            "set": SelfItems.set,
            "drop": SelfItems.drop,
            "done": SelfItems.done,
        }
        with request.as_author() as kernel:
            held = does[verb](holding(kernel, kind), name, **given)
        weight = f"   {held.weight:.2f}" if weighs else ""
        stands = f"{weight}  {held.status}" if has_status else ""
        return TextResult(held, f"{TOLD[verb]}: {held.name}{stands}")

    change.__doc__ = meaning
    if has_status:
        says = "How it stands." if weighs else "Which of both; without a word: style."
        click.option("--status", type=click.Choice(STATES[kind]), help=says)(change)
    if weighs:
        WEIGHT(change)
    command(verb, within=within)(click.argument("name")(change))


for _kind, _group in (("value", values), ("goal", goals), ("contract", contracts)):
    for _verb, _meaning in CHANGES[_kind].items():
        _add_change(_group, _kind, _verb, _meaning)


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
def create_checkpoint(request: CommandRequest, name: str) -> TextResult:
    """Give this moment a NAME."""
    with request.opened() as kernel:
        made = app.name_moment(kernel.gate, name)
    back = f"lumen checkpoint restore {made.event} comes back here"
    return TextResult(made, f"{name} is event {made.event}: {back}")


@command("diff", within=checkpoint, for_skills=True)
@click.argument("point")
@click.argument("other", required=False)
def diff_checkpoint(request: CommandRequest, point: str, other: str | None) -> TextResult:
    """What changed in the self from POINT (a name or an event) to OTHER, or until now."""
    with request.looking() as look:
        lines = app.compared(look.index, point, other)
    return TextResult({"diff": lines}, lines or "Nothing changed.")


@command("restore", within=checkpoint)
@click.argument("point")
@YES
def restore_checkpoint(request: CommandRequest, point: str, yes: bool) -> TextResult | None:
    """Take the self back to POINT, a name or an event; what was said since stays."""
    with request.opened() as kernel:
        would = app.would_restore(kernel.index, point)
        _preview(request, would.diff or ["The self files are as they were then."])
        question = f"Restore the self as it was at event {would.restored}?"
        if not agrees(question, yes=yes, fix=f"lumen checkpoint restore {point} --yes"):
            return None
        done = app.restore(kernel.gate, point)
    said = f"Restored: the self is as it was at event {done.restored}. lumen undo takes it back."
    return TextResult(done, said)


@command("undo")
@YES
def undo(request: CommandRequest, yes: bool) -> TextResult | None:
    """Take back the last change of self; again, the one before it."""
    with request.opened() as kernel:
        last = app.undoable(kernel.index)
        _preview(request, last.diff if last else ())
        question = f"Take back event {last.event} ({_within(last.what)})?" if last else ""
        if last and not agrees(question, yes=yes, fix="lumen undo --yes"):
            return None
        done = app.undo(kernel.gate)
    what = done.what if done.what.endswith(".") else f"{done.what}."
    return TextResult(
        done, f"Undone: {what} lumen checkpoint restore {done.undone} brings it back."
    )


def _within(sentence: str) -> str:
    """A sentence as it stands within another."""
    return sentence[:1].lower() + sentence[1:].removesuffix(".")


def _preview(request: CommandRequest, diff: Sequence[str]) -> None:
    for line in () if request.as_json else diff:
        say(line)
