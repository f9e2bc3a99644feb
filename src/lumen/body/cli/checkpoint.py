"""`lumen checkpoint` and `lumen undo`: name a moment, see what changed since, go back to it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

import click

from lumen.app.settings import must_be, zone
from lumen.body.cli.common import asked, being_meant, note, say, shared, short_time, show, table
from lumen.core.data import Being
from lumen.kernel.checkpoints import (
    create,
    difference,
    find,
    in_words,
    last_undoable,
    restore,
    self_at,
)
from lumen.kernel.checkpoints import undo as take_back
from lumen.kernel.turns import no_turn_meanwhile
from lumen.soul.history import checkpoints, transitions
from lumen.soul.index import Index

if TYPE_CHECKING:
    from lumen.kernel.commit import Gate


@click.group()
def checkpoint() -> None:
    """Every change of self can be restored; a checkpoint gives a moment a name."""


@contextmanager
def _gate(being: Being) -> Iterator[Gate]:
    """The gate, with what had to be mended told."""
    from lumen.body.cli.opening import opened

    with opened(being, note) as kernel:
        yield kernel.gate


def _index(being: Being) -> Index:
    must_be(being)
    index = Index(being)
    index.catch_up()
    return index


@checkpoint.command("list")
@shared
def list_checkpoints(named: str | None, as_json: bool) -> None:
    """Named moments, and every change of self: all can be restored."""
    being = being_meant(named)
    index = _index(being)
    where = zone(must_be(being).timezone)
    changes = [t for t in transitions(index) if t.of_self]
    found = [
        {"event": t.seq, "timestamp": t.timestamp, "name": None, "what": what}
        for t, what in zip(changes, in_words(index, changes), strict=True)
    ]
    found += [
        {"event": seq, "timestamp": when, "name": name, "what": f"checkpoint {name}"}
        for name, (seq, when) in checkpoints(index).items()
    ]
    found.sort(key=lambda f: int(str(f["event"])))
    if as_json:
        show(found)
        return
    table(
        [(str(f["event"]), short_time(str(f["timestamp"]), where), str(f["what"])) for f in found]
    )


@checkpoint.command("create")
@click.argument("name")
@shared
def create_checkpoint(name: str, named: str | None, as_json: bool) -> None:
    """Give this moment a NAME."""
    with _gate(being_meant(named)) as gate, no_turn_meanwhile(gate.being):
        placed = create(gate, name)
    if as_json:
        show({"event": placed.seq, "name": name})
    else:
        say(f"{name} is event {placed.seq}: lumen checkpoint restore {placed.seq} comes back here")


@checkpoint.command("diff")
@click.argument("point")
@click.argument("other", required=False)
@shared
def diff_checkpoint(point: str, other: str | None, named: str | None, as_json: bool) -> None:
    """What changed in the self from POINT (a name or an event) to OTHER, or until now."""
    index = _index(being_meant(named))
    after = self_at(index, find(index, other)) if other else self_at(index)
    lines = difference(self_at(index, find(index, point)), after)
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
    with _gate(being_meant(named)) as gate:
        seq = find(gate.index, point)
        lines = difference(self_at(gate.index), self_at(gate.index, seq))
        if not as_json:
            for line in lines or ["The self files are as they were then."]:
                say(line)
        fix = f"lumen checkpoint restore {point} --yes"
        if not asked(f"Restore the self as it was at event {seq}?", yes=yes, fix=fix):
            note("Nothing was changed.")
            return
        with no_turn_meanwhile(gate.being):
            placed = restore(gate, seq)
    if as_json:
        show({"restored": seq, "event": placed.seq, "diff": lines})
    else:
        say(f"Restored: the self is as it was at event {seq}. lumen undo takes it back.")


@click.command()
@click.option("--yes", is_flag=True, help="Do not ask.")
@shared
def undo(yes: bool, named: str | None, as_json: bool) -> None:
    """Take back the last change of self; again, the one before it."""
    with _gate(being_meant(named)) as gate:
        last = last_undoable(gate.index)
        if last and not as_json:
            before = self_at(gate.index, last.seq - 1)
            for line in difference(self_at(gate.index, last.seq), before):
                say(line)
        said = in_words(gate.index, [last])[0] if last else ""
        what = f"Undo event {last.seq} ({said})?" if last else ""
        if last and not asked(what, yes=yes, fix="lumen undo --yes"):
            note("Nothing was changed.")
            return
        with no_turn_meanwhile(gate.being):
            undone, placed = take_back(gate)
    if as_json:
        show({"undone": undone.seq, "event": placed.seq})
    else:
        end = "" if said.endswith(".") else "."
        say(f"Undone: {said}{end} lumen checkpoint restore {undone.seq} brings it back.")
