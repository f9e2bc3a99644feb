"""`lumen self`, `lumen values`, `lumen goals`: who the being is, as it stands."""

from __future__ import annotations

from dataclasses import asdict, replace

import click

from lumen.app.settings import Settings, must_be, zone
from lumen.body.cli.common import being_meant, note, say, shared, show, table
from lumen.body.cli.histories import histories, show_histories
from lumen.core.clock import SystemClock
from lumen.core.data import Being, Change, Held, Store, kernel_entry
from lumen.core.errors import UsageError
from lumen.kernel.checkpoints import difference
from lumen.kernel.completion import OPEN
from lumen.kernel.edits import Edits, in_force, look, read, self_in_force
from lumen.soul.index import Index
from lumen.soul.selfhood import GOAL_STATES, GOALS, goals_of, is_self, parse_held
from lumen.soul.weighed import Series


@click.group("self")
def self_() -> None:
    """Who it is; what was edited by hand, and whether that counts."""


def _open(named: str | None) -> tuple[Being, Settings, Index]:
    being = being_meant(named)
    settings = must_be(being)
    index = Index(being)
    index.catch_up()
    for line in index.repairs:
        note(line)
    return being, settings, index


def _tell_edits(being: Being, settings: Settings, index: Index) -> None:
    """What is shown is what is in force; a file that says otherwise and does not count is named."""
    for line in look(being, index, settings.redact).told():
        note(line)


@self_.command("show")
@shared
def show_self(named: str | None, as_json: bool) -> None:
    """Name, ontology, narrative, values and goals in force."""
    being, settings, index = _open(named)
    found = self_in_force(index)
    _tell_edits(being, settings, index)
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
    being, settings, index = _open(named)
    edits = look(being, index, settings.redact)
    state = in_force(index)
    paths = sorted({*edits.valid, *edits.flawed, *edits.unvouched})
    disk = {path: (read(being, path) or b"").decode("utf-8", "replace") for path in paths}
    before: dict[str, str | None] = {path: state.get(path) for path in paths}
    lines = difference(before, dict(disk))
    if as_json:
        show({"edited": [_edit(edits, path) for path in paths], "diff": lines})
        return
    if not paths and not edits.missing:
        say("Nothing was edited: the files say what is in force.")
    for line in lines:
        say(line)
    for line in edits.told():
        say(line)
    for path in edits.missing:
        say(f"{path} is missing: the next start brings it back.")
    if edits.valid:
        say("Valid: taken in with the next turn, or now: lumen self accept")


def _edit(edits: Edits, path: str) -> dict[str, object]:
    flaw = edits.flawed.get(path)
    state = "invalid" if flaw else "unvouched" if path in edits.unvouched else "valid"
    return {
        "path": path,
        "state": state,
        "line": flaw.line if flaw else None,
        "why": flaw.why if flaw else None,
    }


@self_.command("accept")
@shared
def accept_self(named: str | None, as_json: bool) -> None:
    """Take in what was edited by hand, now; also what changed while a turn was cut off."""
    from lumen.body.cli.opening import as_author

    being = being_meant(named)
    told: list[str] = []
    with as_author(being, told.append) as kernel:
        told += kernel.gate.adopt(vouched=True)
        flawed = look(being, kernel.index, kernel.gate.secrets).flawed
    told = list(dict.fromkeys(told))
    if as_json:
        show({"ok": not flawed, "said": told})
    else:
        for line in told or ["Nothing was edited: the files say what is in force."]:
            say(line)
    if flawed:
        click.get_current_context().exit(2)


@click.command()
@click.option("--history", is_flag=True, help="How each weight went, as a plot, and why.")
@shared
def values(history: bool, named: str | None, as_json: bool) -> None:
    """What it holds dear, the heaviest first."""
    being, settings, index = _open(named)
    _tell_edits(being, settings, index)
    if history:
        _plotted(index, settings, histories(index, "value"), as_json=as_json)
        return
    held = self_in_force(index).values
    if as_json:
        show([asdict(v) for v in held])
    else:
        _listed(held)


@click.group(invoke_without_command=True)
@click.option("--year", type=click.IntRange(1, 9999), help="Only of this year's file.")
@click.option("--status", type=click.Choice(GOAL_STATES), help="Only those that stand so.")
@click.option("--history", is_flag=True, help="How each went, as a plot, and why.")
@shared
def goals(
    year: int | None, status: str | None, history: bool, named: str | None, as_json: bool
) -> None:
    """What it is after, the heaviest first, of every year; `done` closes one."""
    if click.get_current_context().invoked_subcommand is not None:
        return
    being, settings, index = _open(named)
    _tell_edits(being, settings, index)
    if history:
        found = [
            s
            for s in histories(index, "goal")
            if (year is None or s.path == goals_of(year))
            and (status is None or s.now.status == status)
        ]
        _plotted(index, settings, found, as_json=as_json)
        return
    texts = {p: t for p, t in in_force(index).items() if GOALS.fullmatch(p) and is_self(p)}
    held = [
        goal
        for path, text in texts.items()
        if year is None or path.endswith(f"/{year:04d}.json")
        for goal in parse_held(text, GOAL_STATES)
        if status is None or goal.status == status
    ]
    held.sort(key=lambda h: -h.weight)
    if as_json:
        show([asdict(g) for g in held])
    else:
        _listed(tuple(held))


@goals.command("done")
@click.argument("name")
@shared
def close_goal(name: str, named: str | None, as_json: bool) -> None:
    """Say that the goal NAME is reached; or in a chat: you can close NAME."""
    from lumen.body.cli.opening import as_author

    being = being_meant(named)
    with as_author(being, note) as kernel:
        goal = next((g for g in self_in_force(kernel.index).goals if g.name == name), None)
        if goal is None or goal.status not in OPEN:
            standing = f"{name!r} is {goal.status}" if goal else f"there is no goal {name!r}"
            raise UsageError(standing, fix="lumen goals")
        over = replace(goal, status="done")
        kernel.gate.commit(
            "author",
            [Change(Store.GOAL_STATUS, "move", over)],
            kernel_entry("author", f"The author says that {name!r} is done.", "lumen:author", {}),
            durable=True,
            sign=True,
        )
    if as_json:
        show(asdict(over))
    else:
        say(f"Done: {name}")


def _plotted(index: Index, settings: Settings, found: list[Series], *, as_json: bool) -> None:
    now = SystemClock().now()
    show_histories(index, found, zone(settings.timezone), now, as_json=as_json)


def _listed(held: tuple[Held, ...], indent: str = "") -> None:
    if not held:
        say(f"{indent}none yet: they come of living")
    table([(h.name, f"{h.weight:.2f}", h.status) for h in held], indent=indent)
