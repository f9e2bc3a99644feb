"""Going back: every accepted change is a point the self can be taken to, and a name is a shortcut.

Restoring is a change like any other: archived, exact, and undoable in turn. What was said stays;
memories weigh again what they weighed then.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable

from lumen.core.canon import printable
from lumen.core.data import Change, EventType, Placed, Transition, kernel_entry
from lumen.core.errors import UsageError
from lumen.core.payloads import StatePayload
from lumen.core.stores import place_at, store_at
from lumen.kernel.gate.commit import Gate
from lumen.kernel.gate.revise import base_of
from lumen.soul.ports.queries import Queries
from lumen.soul.state.selfhood import SOUL
from lumen.soul.state.weighed import moved

AUTHOR = "lumen:author"
LONGEST_NAME = 80
MOST_DIGITS = 15


def create(gate: Gate, name: str) -> Placed:
    """Give this moment a name.

    Raises:
        UsageError: the name is no name, or is taken.
    """
    name = " ".join(name.split())
    seen = name == printable(name)
    if not name or name.isdecimal() or len(name) > LONGEST_NAME or not seen:
        raise UsageError(
            f"{name!r} is no name for a checkpoint: up to {LONGEST_NAME} characters that can be seen, not a number",
            fix="lumen checkpoint create before-the-trip",
        )
    gate.index.catch_up()
    if name in gate.index.files.checkpoints():
        raise UsageError(f"there is a checkpoint {name!r} already", fix="lumen checkpoint list")
    what = f"The author named this moment: {name}."
    entry = kernel_entry("checkpoint", what, AUTHOR, {"checkpoint": name})
    return gate.record(entry, sign=True)


def find(index: Queries, point: str) -> int:
    """The event a name or a number means.

    Raises:
        UsageError: nothing of that name or number is there.
    """
    named = index.files.checkpoints()
    if point in named:
        return named[point][0]
    last = index.events.last_head()[0]
    if point.isdecimal() and len(point) <= MOST_DIGITS and 1 <= int(point) <= last:
        return int(point)
    raise UsageError(
        f"there is no checkpoint {point!r}, and no event of that number (1 to {last})",
        fix="lumen checkpoint list",
    )


def self_at(index: Queries, seq: int | None = None) -> dict[str, str | None]:
    """What goes back with a restore, as an event left it or as it is in force; None: no file."""
    found = index.files.all_kept() if seq is None else index.files.all_kept(seq)
    return {path: kept.text for path, kept in found.items() if place_at(path).goes_back}


def difference(before: dict[str, str | None], after: dict[str, str | None]) -> list[str]:
    """What changed between two states, line by line, file by file."""
    lines: list[str] = []
    for path in sorted(before.keys() | after.keys()):
        old, new = before.get(path) or "", after.get(path) or ""
        lines += difflib.unified_diff(
            old.splitlines(), new.splitlines(), f"{path} (before)", f"{path} (after)", lineterm=""
        )
    return lines


def restore(gate: Gate, seq: int) -> Placed:
    """Take the self back to what it was at an event, exactly."""
    gate.index.catch_up()
    what = f"The author restored the self as it was at event {seq}."
    return _go_back(gate, self_at(gate.index, seq), seq, what, 0)


def last_undoable(index: Queries) -> Transition | None:
    """The newest change of self that was not undone; being born is no change."""
    stack: list[Transition] = []
    for one in index.files.transitions():
        if one.undoes:
            stack = [t for t in stack if t.seq != one.undoes]
        elif one.seq > 1 and one.of_self:
            stack.append(one)
    return stack[-1] if stack else None


def in_words(index: Queries, found: Iterable[Transition]) -> list[str]:
    """What each change of self was: the event's own words, or what came of a step of a loop.

    The memory of a step tells what the step found, not what it changed.
    """
    told = moved(index.files)
    return [_in_words(index, one, told.get(one.seq, [])) for one in found]


def _in_words(index: Queries, one: Transition, told: list[str]) -> str:
    event = index.events.get(one.seq)
    if event is None or not one.what:
        return "its words were forgotten"
    if not one.what.startswith(f"{event.entry.situation.upper()}: "):
        return one.what
    said = [*told, *(f"{path} was rewritten" for path in one.paths if path == SOUL)]
    turn = index.events.turn(event.entry.session_key)
    told_to = any(e.entry.event_type is EventType.AUTHOR_MESSAGE for e in turn)
    whose = "at the author's word" if told_to else "of its own accord in a cycle"
    what = "; ".join(said) or "nothing that shows"
    return f"{what[0].upper()}{what[1:]}, {whose}."


def undo(gate: Gate) -> tuple[Transition, Placed]:
    """Take back the last change of self.

    Raises:
        UsageError: there is nothing to take back.
    """
    gate.index.catch_up()
    last = last_undoable(gate.index)
    if last is None:
        raise UsageError("there is no change to undo", fix="lumen checkpoint list")
    before = self_at(gate.index, last.seq - 1)
    wanted = {path: before.get(path) for path in last.paths if place_at(path).goes_back}
    what = f"The author undid event {last.seq}: {in_words(gate.index, [last])[0]}"
    return last, _go_back(gate, wanted, last.seq - 1, what, last.seq)


def _go_back(gate: Gate, wanted: dict[str, str | None], seq: int, what: str, undoes: int) -> Placed:
    now = self_at(gate.index)
    whole = wanted if undoes else {**dict.fromkeys(now), **wanted}
    changes = [
        Change(store, "set", text, base_of(now.get(path)), path)
        for path, text in sorted(whole.items())
        if now.get(path) != text and (store := store_at(path))
    ]
    payload: StatePayload = {"undoes": undoes} if undoes else {"restores": seq}
    if undoes and any(t.seq == undoes and t.weighs for t in gate.index.files.transitions()):
        payload["restores"] = seq  # what memories weighed is taken back with it
    entry = kernel_entry("undone" if undoes else "restored", what, AUTHOR, payload)
    return gate.commit("author", changes, entry, durable=True, sign=True)[-1]
