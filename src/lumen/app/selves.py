"""Who a being is, as it stands, and what its author changes in that: values, goals, edits by hand."""

from __future__ import annotations

from dataclasses import dataclass, replace

from lumen.app.looking import ReadOnlyBeing
from lumen.core.canon import clean, printable
from lumen.core.data import Change, SelfItem, kernel_entry
from lumen.core.errors import UsageError
from lumen.core.stores import Store
from lumen.kernel.choice.completion import OPEN
from lumen.kernel.gate.checkpoints import difference
from lumen.kernel.gate.commit import Gate
from lumen.kernel.gate.edits import Edits, in_force, look
from lumen.kernel.gate.edits import self_in_force as self_in_force
from lumen.kernel.identity.defaults import meaning as meaning
from lumen.soul.ports.queries import Queries
from lumen.soul.state.selfhood import (
    CONTRACT_STATES,
    GOAL_STATES,
    LONGEST_NAME,
    VALUE_STATES,
    goals_of,
    selfhood,
)
from lumen.soul.state.selfhood import Selfhood as Selfhood

AUTHOR = "lumen:author"
NEW_WEIGHT = 0.5
STATES = {"goal": GOAL_STATES, "value": VALUE_STATES, "contract": CONTRACT_STATES}
STORES = {"goal": Store.GOALS, "value": Store.VALUES, "contract": Store.CONTRACTS}
WEIGHTS = {"contract": 1.0}  # of a new one, where it is not the usual


@dataclass(frozen=True, slots=True)
class Edit:
    """A file of the self that was edited by hand, and whether that can count."""

    path: str
    state: str  # valid, invalid, or unvouched: changed while a turn was cut off
    line: int | None = None
    why: str | None = None


@dataclass(frozen=True, slots=True)
class Adopted:
    """What was done about edits by hand, in words; `ok`: none is left that is flawed."""

    ok: bool
    said: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class SelfDiff:
    """What was edited by hand and is not in force (yet)."""

    edited: tuple[Edit, ...]
    diff: tuple[str, ...]
    told: tuple[str, ...]  # what the author should know of it
    missing: tuple[str, ...]


def describe_edits(found: ReadOnlyBeing) -> list[str]:
    """The files that say otherwise than what is in force and do not count, each with why."""
    return look(found.files, found.index, found.settings.redact).notices()


def self_diff(found: ReadOnlyBeing) -> SelfDiff:
    """What was edited by hand, line by line, and why it is not in force."""
    edits = look(found.files, found.index, found.settings.redact)
    state = in_force(found.index)
    paths = sorted({*edits.valid, *edits.flawed, *edits.unvouched})
    disk = {p: (found.files.read(p) or b"").decode("utf-8", "replace") for p in paths}
    before: dict[str, str | None] = {path: state.get(path) for path in paths}
    return SelfDiff(
        edited=tuple(_edit(edits, path) for path in paths),
        diff=tuple(difference(before, dict(disk))),
        told=tuple(edits.notices()),
        missing=edits.missing,
    )


def _edit(edits: Edits, path: str) -> Edit:
    flaw = edits.flawed.get(path)
    state = "invalid" if flaw else "unvouched" if path in edits.unvouched else "valid"
    return Edit(path, state, flaw.line if flaw else None, flaw.why if flaw else None)


def items_of(
    index: Queries, kind: str, year: int | None = None, status: str | None = None
) -> tuple[SelfItem, ...]:
    """The values or the goals in force, the heaviest first; goals of one year's file, or of a status."""
    texts = in_force(index)
    if year is not None:
        texts = {path: text for path, text in texts.items() if path == goals_of(year)}
    found = selfhood(texts)
    held = {"goal": found.goals, "value": found.values, "contract": found.contracts}[kind]
    return tuple(h for h in held if status in (None, h.status))


def item_named(index: Queries, kind: str, name: str) -> SelfItem | None:
    """The value or goal of a name, if there is one."""
    return next((h for h in items_of(index, kind) if h.name == name), None)


def add_item(gate: Gate, kind: str, wanted: SelfItem) -> SelfItem:
    """Add a value or a goal, as its author; one that is there is not touched.

    Raises:
        UsageError: it is there already, or is not what one must be.
    """
    if known := item_named(gate.index, kind, wanted.name):
        raise UsageError(
            f"there is a {kind} {known.name!r} already",
            fix=f"lumen {kind}s" + ("" if kind in WEIGHTS else f" set {known.name!r}"),
        )
    return _put(gate, kind, wanted, "added")


def set_item(
    gate: Gate, kind: str, name: str, weight: float | None = None, status: str | None = None
) -> SelfItem:
    """Change the weight or the status of a value or goal, as its author; a new value is added.

    Raises:
        UsageError: there is no such goal, it may not become that, or nothing is to change.
    """
    known = item_named(gate.index, kind, name)
    if known is None and kind == "value":
        return _put(gate, kind, new_item(kind, name, weight, status), "added")
    if known is None:
        raise UsageError(f"there is no {kind} {name!r}", fix=f"lumen {kind}s")
    if weight is None and status is None:
        raise UsageError(
            f"there is nothing to set: the {kind} {name!r} stays at {known.weight:.2f}, {known.status}",
            fix=f"lumen {kind}s set {name!r} --weight 0.7",
        )
    changed = replace(
        known,
        weight=known.weight if weight is None else weight,
        status=status or known.status,
    )
    return _put(gate, kind, changed, "set")


def put_item(gate: Gate, kind: str, name: str, weight: float | None = None) -> SelfItem:
    """Set a value or goal as its author, and add it where there is none of that name."""
    if item_named(gate.index, kind, name):
        return set_item(gate, kind, name, weight)
    return add_item(gate, kind, new_item(kind, name, weight))


def drop_item(gate: Gate, kind: str, name: str) -> SelfItem:
    """Take a value or a goal away, as its author.

    Raises:
        UsageError: there is none of that name.
    """
    known = item_named(gate.index, kind, name)
    if known is None:
        raise UsageError(f"there is no {kind} {name!r}", fix=f"lumen {kind}s")
    _commit(gate, Change(STORES[kind], "drop", known), f"The author dropped the {kind} {name!r}.")
    return known


def close_goal(gate: Gate, name: str) -> SelfItem:
    """Say that a goal is reached, as its author.

    Raises:
        UsageError: there is no such goal, or it is not open.
    """
    goal = item_named(gate.index, "goal", name)
    if goal is None or goal.status not in OPEN:
        standing = f"{name!r} is {goal.status}" if goal else f"there is no goal {name!r}"
        raise UsageError(standing, fix="lumen goals")
    over = replace(goal, status="done")
    said = f"The author says that {name!r} is done."
    _commit(gate, Change(Store.GOAL_STATUS, "move", over), said)
    return over


def new_item(
    kind: str, name: str, weight: float | None = None, status: str | None = None
) -> SelfItem:
    """A value or goal as it begins."""
    text = " ".join(clean(name).split())
    usual = WEIGHTS.get(kind, NEW_WEIGHT)
    return SelfItem(text, usual if weight is None else weight, status or STATES[kind][0])


def _put(gate: Gate, kind: str, wanted: SelfItem, verb: str) -> SelfItem:
    _must_be_sound(kind, wanted)
    said = f"The author {verb} the {kind} {wanted.name!r}: {wanted.weight:.2f}, {wanted.status}."
    _commit(gate, Change(STORES[kind], "put", wanted), said)
    return wanted


def _must_be_sound(kind: str, wanted: SelfItem) -> None:
    """See that it could stand in the file, before the gate has to refuse and archive it."""
    verb = "set" if kind == "value" else "add"
    weighs = "" if kind in WEIGHTS else " --weight 0.7"
    example = f"lumen {kind}s {verb} {wanted.name or 'NAME'!r}{weighs}"
    if not wanted.name:
        raise UsageError(f"a {kind} needs a name: this one is empty", fix=example)
    if wanted.name != printable(wanted.name):
        what = f"a {kind} has a name of characters that can be seen: this one holds others"
        raise UsageError(what, fix=f"lumen {kind}s {verb} {printable(wanted.name)!r}{weighs}")
    if len(wanted.name) > LONGEST_NAME:
        raise UsageError(f"a {kind} has a name of at most {LONGEST_NAME} characters", fix=example)
    if not 0 <= wanted.weight <= 1:
        raise UsageError(f"a weight is between 0 and 1, not {wanted.weight}", fix=example)
    if wanted.status not in STATES[kind]:
        states = ", ".join(STATES[kind])
        raise UsageError(f"a {kind} is {states}; not {wanted.status!r}", fix=example)


def _commit(gate: Gate, change: Change, said: str) -> None:
    entry = kernel_entry("author", said, AUTHOR, {})
    gate.commit("author", [change], entry, durable=True, sign=True)
    gate.index.catch_up()


def adopt(gate: Gate) -> Adopted:
    """Take in what was edited by hand."""
    said = gate.adopt(vouched=True)
    return Adopted(not look(gate.files, gate.index, gate.secrets).flawed, tuple(said))
