"""What a proposed change makes of the self's texts: one value or goal at a time, or a whole file.

Pure: takes texts, gives texts. Whether a loop may propose it at all is in commit.py's table.
"""

from __future__ import annotations

from collections.abc import Mapping

from lumen.core.canon import JSON, clean, dumps, sha256
from lumen.core.data import Change, NamedValue, SelfItem
from lumen.core.errors import Refused
from lumen.core.stores import Store, fixed_paths, is_looked_at, store_at
from lumen.soul.state.records import LARGEST, Operation, applied, check, millionths, values_of
from lumen.soul.state.selfhood import (
    LONGEST_NAME,
    Flaw,
    drop,
    goals_of,
    is_goals,
    parse_items,
    put,
    spell,
    stand,
    states_of,
)

FORWARD = {("todo", "working"), ("working", "done")}
STATES_OF_WORK = ("todo", "working", "done")
LONGEST_VALUE = 16 * 1024
ONE_OF = {
    Store.GOALS: "goal",
    Store.CONTRACTS: "contract",
}  # what a list of the self holds, in words
LEARN = "learn the skill "  # how a goal for a missing ability begins: what follows gets written


def revise(
    texts: Mapping[str, str], loop: str, change: Change, year: int
) -> tuple[str, str | None]:
    """The file a change is about and its new text, given the texts in force.

    Raises:
        Refused: its base is gone, what it names is not there, or it may not become that.
    """
    if change.operation == "set":
        path, text = _set(texts, loop, change)
    elif isinstance(change.value, SelfItem):
        path, held = _one(texts, loop, change, change.value, year)
        text = spell(held)
    else:
        raise Refused(f"{change.operation} with that value is no operation")
    _must_hold(change.store, path, text)
    if loop != "author" and change.store is not Store.GOAL_GAP:
        _must_ask_for_no_skill(path, texts.get(path), text)
    return path, text


def operation(change: Change, value: JSON) -> Operation:
    """The operation on a record that a change proposes; `value` is the change's without secrets.

    Raises:
        Refused: it is none that the record knows.
    """
    place, store = change.store.place, change.store.value
    try:
        longest = len(dumps(value))
    except TypeError as error:
        raise Refused(f"{store} cannot keep that value: {error}") from error
    if longest > LONGEST_VALUE:
        raise Refused(f"{store} keeps values of at most {LONGEST_VALUE:,} bytes")
    if not isinstance(change.value, NamedValue):
        if why := place.check(value):
            raise Refused(f"{store} keeps no such line: {why}")
        return Operation(0, 0, place.path, store, "append", value, most=place.most, days=place.days)
    name, share = change.value.name, change.value.share
    if not name.strip() or len(name) > LONGEST_NAME or name != clean(name):
        raise Refused(f"{name!r} is no name for a value")
    if change.operation != "average":
        return Operation(0, 0, place.path, store, change.operation, value, name)
    number = isinstance(value, int | float) and not isinstance(value, bool)
    if not number or not abs(value) <= LARGEST or not 0 < share <= 1:
        raise Refused(f"no average is taken of {value!r} by a share of {share!r}")
    moved = millionths(value), name, millionths(share)
    return Operation(0, 0, place.path, store, "average", *moved)


def operated(texts: Mapping[str, str], one: Operation) -> str:
    """The text of a record after an operation.

    Raises:
        Refused: it would not be what the record must be.
    """
    before = values_of(texts.get(one.path)).get(one.name) if one.name else None
    fits = {"append": list, "average": int | float}.get(one.operation)
    if before is not None and fits and (isinstance(before, bool) or not isinstance(before, fits)):
        raise Refused(f"{one.name!r} in {one.path} is nothing that knows {one.operation}")
    text = applied(texts.get(one.path), one)
    try:
        check(one.path, text)
    except Flaw as flaw:
        raise Refused(f"{one.path} would not say what it must: {flaw}") from flaw
    return text


def asks_for_skill(goal: str) -> bool:
    """Whether a goal is to learn a skill, however it is spelled."""
    return " ".join(goal.casefold().split()).startswith(LEARN.strip())


def _must_ask_for_no_skill(path: str, before: str | None, after: str | None) -> None:
    """A goal to learn a skill has code written: it is opened by a missing ability, or the author."""
    if is_goals(path) and _to_learn(path, after) - _to_learn(path, before):
        raise Refused("a goal to learn a skill comes from a missing ability or from the author")


def _to_learn(path: str, text: str | None) -> set[str]:
    held = parse_items(text, states_of(path)) if text is not None else []
    return {h.name for h in held if h.status != "done" and asks_for_skill(h.name)}


def _must_hold(store: Store, path: str, text: str | None) -> None:
    """See that a new text is one the file may have."""
    if text is None:
        if not store.place.can_go:
            raise Refused(f"{path} cannot be taken away")
        return
    try:
        if is_looked_at(path):
            check(path, text)
        text.encode()
    except Flaw as flaw:
        raise Refused(f"{path} would not say what it must: {flaw}") from flaw
    except UnicodeEncodeError as error:
        raise Refused(f"{path} would hold what is not UTF-8") from error


def _set(texts: Mapping[str, str], loop: str, change: Change) -> tuple[str, str | None]:
    path = change.path or fixed_paths().get(change.store.value, "")
    _must_belong(change.store, path)
    if change.store.place.is_record and loop != "author":
        raise Refused(f"only the author sets the whole of {path}")
    if base_of(texts.get(path)) != change.base:
        raise Refused(
            f"{path} was changed by someone else in the meantime",
            fix="look at the file, then try again",
        )
    return path, None if change.value is None else str(change.value)


def _one(
    texts: Mapping[str, str], loop: str, change: Change, one: SelfItem, year: int
) -> tuple[str, list[SelfItem]]:
    """The file one value or goal belongs to, and its list with the change made."""
    match change.operation:
        case "put":
            path = _where(texts, change.store, one.name) or change.store.place.file(year)
            return path, put(_items_in(texts, path), one)
        case "drop":
            path = _must_find(texts, change.store, one.name)
            return path, drop(_items_in(texts, path), one.name)
        case "move":
            path = _must_find(texts, Store.GOALS, one.name)
            return path, _moved(_items_in(texts, path), loop, one.name, one.status)
        case _:
            path = _where(texts, Store.GOALS, one.name) or goals_of(year)
            held = _items_in(texts, path)
            # What was learnt once and is gone again has to be learnt again.
            if any(h.name == one.name and h.status != "done" for h in held):
                raise Refused(f"there is a goal {one.name!r} already")
            if one.status != "todo":
                raise Refused("a goal for a missing ability begins as todo")
            return path, put(held, one)


def base_of(text: str | None) -> str:
    """What a change states of the text it replaces."""
    return "" if text is None else sha256(text.encode())


def _must_belong(store: Store, path: str) -> None:
    if not store.place.holds(path):
        raise Refused(f"{path or 'nothing'} is no file of {store}")


def _moved(held: list[SelfItem], loop: str, name: str, status: str) -> list[SelfItem]:
    before = next(h.status for h in held if h.name == name)
    if before == "perpetual":
        raise Refused(f"the goal {name!r} is perpetual: it never completes")
    allowed = (before, status) in FORWARD if loop == "action" else status in STATES_OF_WORK
    if not allowed:
        raise Refused(f"the {loop} loop may not move the goal {name!r} from {before} to {status}")
    return stand(held, name, status)


def _items_in(texts: Mapping[str, str], path: str) -> list[SelfItem]:
    return parse_items(texts[path], states_of(path)) if path in texts else []


def _where(texts: Mapping[str, str], store: Store, name: str) -> str:
    """The file that lists a value or a goal; of several years, the newest."""
    for path in sorted(texts, reverse=True):
        if store_at(path) is store and any(h.name == name for h in _items_in(texts, path)):
            return path
    return ""


def _must_find(texts: Mapping[str, str], store: Store, name: str) -> str:
    path = _where(texts, store, name)
    if not path:
        raise Refused(f"there is no {ONE_OF.get(store, 'value')} {name!r}")
    return path
