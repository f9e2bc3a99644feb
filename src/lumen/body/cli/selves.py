"""`lumen self`, `lumen values`, `lumen goals`: who the being is, and what you change in that."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING

import click

from lumen.app.histories import histories
from lumen.app.looking import Look, looking
from lumen.app.selves import STATES, edits_told, goals_in_force, self_diff, self_of
from lumen.body.cli.common import being_meant, note, say, shared, show, table
from lumen.body.cli.histories import show_histories
from lumen.core.clock import SystemClock
from lumen.core.data import Held

if TYPE_CHECKING:
    from lumen.app.wiring import Gate

WEIGHT = click.FloatRange(0, 1)


@click.group("self")
def self_() -> None:
    """Who it is; what was edited by hand, and whether that counts."""


def _tell_edits(look: Look) -> None:
    """What is shown is what is in force; a file that says otherwise and does not count is named."""
    for line in edits_told(look):
        note(line)


@self_.command("show")
@shared
def show_self(named: str | None, as_json: bool) -> None:
    """Name, ontology, narrative, values and goals in force."""
    with looking(being_meant(named), note) as look:
        found = self_of(look.index)
        _tell_edits(look)
    if as_json:
        show(asdict(found))
        return
    say(f"# {found.name}")
    for label, text in (("ontology", found.ontology), ("narrative", found.narrative)):
        if text:
            say(f"\n{label}\n  " + text.replace("\n", "\n  "))
    for label, held in (("values", found.values), ("goals", found.goals)):
        say(f"\n{label}")
        _listed(held, indent="  ")


@self_.command("diff")
@shared
def diff_self(named: str | None, as_json: bool) -> None:
    """What was edited by hand and is not in force (yet), line by line, and why."""
    with looking(being_meant(named), note) as look:
        found = self_diff(look)
    if as_json:
        show({"edited": found.edited, "diff": found.diff})
        return
    if not found.edited and not found.missing:
        say("Nothing was edited: the files say what is in force.")
    for line in (*found.diff, *found.told):
        say(line)
    for path in found.missing:
        say(f"{path} is missing: the next start brings it back.")
    if any(edit.state == "valid" for edit in found.edited):
        say("Valid: taken in with the next turn, or now: lumen self accept")


@self_.command("accept")
@shared
def accept_self(named: str | None, as_json: bool) -> None:
    """Take in what was edited by hand, now; also what changed while a turn was cut off."""
    from lumen.app.selves import adopt
    from lumen.body.cli.opening import as_author

    told: list[str] = []
    with as_author(being_meant(named), told.append) as kernel:
        adopted, ok = adopt(kernel.gate)
        told += adopted
    told = list(dict.fromkeys(told))
    if as_json:
        show({"ok": ok, "said": told})
    else:
        for line in told or ["Nothing was edited: the files say what is in force."]:
            say(line)
    if not ok:
        click.get_current_context().exit(2)


@click.group(invoke_without_command=True)
@click.option("--history", is_flag=True, help="How each weight went, as a plot, and why.")
@shared
def values(history: bool, named: str | None, as_json: bool) -> None:
    """What it holds dear, the heaviest first; `set` and `drop` change it."""
    if click.get_current_context().invoked_subcommand is not None:
        return
    with looking(being_meant(named), note) as look:
        _tell_edits(look)
        if history:
            _plotted(look, "value", lambda _: True, as_json=as_json)
            return
        held = self_of(look.index).values
    _show(held, as_json=as_json)


@values.command("set")
@click.argument("name")
@click.option("--weight", type=WEIGHT, help="How much it weighs, from 0 to 1; a new one: 0.5.")
@click.option("--status", type=click.Choice(STATES["value"]), help="How it stands.")
@shared
def set_value(
    name: str, weight: float | None, status: str | None, named: str | None, as_json: bool
) -> None:
    """Let it hold the value NAME dear, or change what that weighs."""
    from lumen.app.selves import set_held

    _change(named, lambda gate: set_held(gate, "value", name, weight, status), as_json=as_json)


@values.command("drop")
@click.argument("name")
@shared
def drop_value(name: str, named: str | None, as_json: bool) -> None:
    """Let it hold the value NAME no longer."""
    from lumen.app.selves import drop_held

    _change(named, lambda gate: drop_held(gate, "value", name), "Dropped", as_json=as_json)


@click.group(invoke_without_command=True)
@click.option("--year", type=click.IntRange(1, 9999), help="Only of this year's file.")
@click.option("--status", type=click.Choice(STATES["goal"]), help="Only those that stand so.")
@click.option("--history", is_flag=True, help="How each went, as a plot, and why.")
@shared
def goals(
    year: int | None, status: str | None, history: bool, named: str | None, as_json: bool
) -> None:
    """What it is after, the heaviest first, of every year; add, set, drop or close one."""
    if click.get_current_context().invoked_subcommand is not None:
        return

    def wanted(path: str, stands: str) -> bool:
        of_year = year is None or path.endswith(f"/{year:04d}.json")
        return of_year and (status is None or stands == status)

    with looking(being_meant(named), note) as look:
        _tell_edits(look)
        if history:
            _plotted(look, "goal", lambda h: wanted(h.path, h.status), as_json=as_json)
            return
        held = goals_in_force(look.index, year, status)
    _show(held, as_json=as_json)


@goals.command("add")
@click.argument("name")
@click.option("--weight", type=WEIGHT, help="How much it weighs, from 0 to 1; else 0.5.")
@click.option("--status", type=click.Choice(STATES["goal"]), help="How it stands; else todo.")
@shared
def add_goal(
    name: str, weight: float | None, status: str | None, named: str | None, as_json: bool
) -> None:
    """Give it the goal NAME."""
    from lumen.app.selves import add_held, new_held

    wanted = new_held("goal", name, weight, status)
    _change(named, lambda gate: add_held(gate, "goal", wanted), "Added", as_json=as_json)


@goals.command("set")
@click.argument("name")
@click.option("--weight", type=WEIGHT, help="How much it weighs, from 0 to 1.")
@click.option("--status", type=click.Choice(STATES["goal"]), help="How it stands.")
@shared
def set_goal(
    name: str, weight: float | None, status: str | None, named: str | None, as_json: bool
) -> None:
    """Change what the goal NAME weighs, or how it stands."""
    from lumen.app.selves import set_held

    _change(named, lambda gate: set_held(gate, "goal", name, weight, status), as_json=as_json)


@goals.command("drop")
@click.argument("name")
@shared
def drop_goal(name: str, named: str | None, as_json: bool) -> None:
    """Take the goal NAME away."""
    from lumen.app.selves import drop_held

    _change(named, lambda gate: drop_held(gate, "goal", name), "Dropped", as_json=as_json)


@goals.command("done")
@click.argument("name")
@shared
def done_goal(name: str, named: str | None, as_json: bool) -> None:
    """Say that the goal NAME is reached; or in a chat: you can close NAME."""
    from lumen.app.selves import close_goal

    _change(named, lambda gate: close_goal(gate, name), "Done", as_json=as_json)


def _change(
    named: str | None, work: Callable[[Gate], Held], verb: str = "Set", *, as_json: bool
) -> None:
    """Change what it holds, as its author, and say how that stands now."""
    from lumen.body.cli.opening import as_author

    with as_author(being_meant(named), note) as kernel:
        kernel.index.catch_up()
        held = work(kernel.gate)
    if as_json:
        show(held)
    elif verb in ("Dropped", "Done"):
        say(f"{verb}: {held.name}")
    else:
        say(f"{verb}: {held.name}   {held.weight:.2f}  {held.status}")


def _plotted(look: Look, kind: str, wanted: Callable[..., bool], *, as_json: bool) -> None:
    found = [one for one in histories(look.index, kind) if wanted(one)]
    if as_json:
        show(found)
    else:
        show_histories(found, look.zone, SystemClock().now())


def _show(held: Sequence[Held], *, as_json: bool) -> None:
    if as_json:
        show(held)
    else:
        _listed(held)


def _listed(held: Sequence[Held], indent: str = "") -> None:
    if not held:
        say(f"{indent}none yet: they come of living")
    table([(h.name, f"{h.weight:.2f}", h.status) for h in held], indent=indent)
