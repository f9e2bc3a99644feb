"""What operations make of a record, lines or values by name, what a file must say, and how weights move.

Pure and total: an operation whose ground was forgotten starts anew, so that any history can be
folded. Averages are counted in whole millionths, so every machine comes to the same number.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from datetime import date, timedelta
from functools import lru_cache
from typing import TYPE_CHECKING, cast

from lumen.core.canon import JSON, dumps, loads
from lumen.core.stores import StoreKind, StoreLayout, place_at
from lumen.soul.state.selfhood import Flaw
from lumen.soul.state.selfhood import check as check_self
from lumen.soul.state.selfhood import without as without_in_self

if TYPE_CHECKING:
    from lumen.core.payloads import ChangePayload

WHOLE = 1_000_000
LARGEST = 1e9  # of what an average is taken
MOST_LISTED = 1_000  # entries that are kept under one name: the newest


@dataclass(frozen=True, slots=True)
class Operation:
    """One step of a record's history; `at` is the event meant, `n` its place among its changes."""

    at: int
    n: int
    path: str
    store: str
    operation: str
    value: JSON
    name: str = ""
    share: int = 0  # how far an average moves towards the value, in millionths
    most: int = 0  # lines that are kept
    days: int = 0  # and for how long before the date of the one that is added; 0: for ever

    def payload(self) -> ChangePayload:
        """As it stands in the archive, in the event that did it."""
        said: dict[str, JSON] = {"store": self.store, "operation": self.operation}
        said["path"] = self.path
        if self.name:
            said["name"] = self.name
        said["value"] = self.value
        if self.operation == "average":
            said["share"] = self.share
        if self.most:
            said["most"] = self.most
        if self.days:
            said["days"] = self.days
        return cast("ChangePayload", said)

    def carried(self) -> ChangePayload:
        """As another event states it again."""
        return {**self.payload(), "at": self.at, "n": self.n}


def is_operation(change: ChangePayload) -> bool:
    """Whether a change in the archive is an operation on a record, and not a file's whole text."""
    return change.get("operation", "set") != "set" or "name" in change


def operation_from(change: ChangePayload, seq: int, n: int) -> Operation:
    """The operation that a change in the archive tells of."""
    if change["operation"] not in ("append", "set", "average"):
        raise ValueError(f"no record knows {change['operation']!r}")
    return Operation(
        at=int(change.get("at", seq)),
        n=int(change.get("n", n)),
        path=str(change["path"]),
        store=str(change["store"]),
        operation=str(change["operation"]),
        value=int(change["value"]) if change["operation"] == "average" else change["value"],
        name=str(change.get("name", "")),
        share=int(change.get("share", 0)),
        most=int(change.get("most", 0)),
        days=int(change.get("days", 0)),
    )


def applied(text: str | None, one: Operation) -> str:
    """The text of a record after one more operation."""
    if not one.name:
        return _added(text or "", one)
    values = values_of(text)
    before = values.get(one.name)
    match one.operation:
        case "append":
            listed = before if isinstance(before, list) else []
            values[one.name] = [*listed, one.value][-MOST_LISTED:]
        case "average":
            values[one.name] = _moved(before, int(one.value), one.share)
        case _:
            values[one.name] = one.value
    if one.value is None:
        del values[one.name]
    return spelled(values)


def folded(text: str | None, operations: Iterable[Operation]) -> str | None:
    """The text of a record after operations, in the order of the archive."""
    for one in sorted(operations, key=lambda o: (o.at, o.n)):
        text = applied(text, one)
    return text


def values_of(text: str | None) -> dict[str, JSON]:
    """What a record of values holds; of what is no such record, nothing."""
    try:
        found = loads(text) if text else {}
    except ValueError:
        return {}
    return found if isinstance(found, dict) else {}


def lines_of(text: str | None) -> list[dict[str, JSON]]:
    """The objects of a record of lines, the oldest first."""
    return [found for line in _split(text) if (found := values_of(line))]


def spelled(values: Mapping[str, JSON]) -> str:
    """A record of values as it is written: by name, one to a line."""
    if not values:
        return "{}\n"
    told = (f"  {dumps(name).decode()}: {dumps(values[name]).decode()}" for name in sorted(values))
    return "{\n" + ",\n".join(told) + "\n}\n"


def check(path: str, text: str) -> None:
    """See whether a file says what it must, by the kind of its store.

    Raises:
        Flaw: on which line it does not, and why.
    """
    place = place_at(path)
    if place.kind is not StoreKind.LINES:  # of which the newest are kept, however long they are
        check_self(path, text)
    pieces = [text] if place.kind is StoreKind.STATE else _split(text)
    for number, piece in enumerate(pieces if place.is_record else (), 1):
        _must_pass(place, number, piece)


def without(path: str, text: str, quotes: Callable[[str], bool]) -> str:
    """A file's text without the lines, values or goals that say something."""
    place = place_at(path)
    if not place.is_record:
        return without_in_self(path, text, quotes)
    if place.kind is StoreKind.LINES:
        return "".join(f"{line}\n" for line in _split(text) if not quotes(line))
    values = values_of(text)
    left = {name: v for name, v in values.items() if not quotes(in_words(name, v))}
    return text if len(left) == len(values) else spelled(left)


def in_words(name: str, value: JSON) -> str:
    """A value of a record with its name, as one text to be searched."""
    return f"{name.replace('_', ' ')} {dumps(value).decode()}"


def millionths(number: float) -> int:
    """A number as averages are counted."""
    return round(number * WHOLE)


def strengthened(weight: int, by: int) -> int:
    """A memory that was of use weighs more, up to the whole."""
    return min(WHOLE, weight + by)


@lru_cache(maxsize=4096)
def _left(days: int, half_life: int) -> int:
    """What is left of 10¹² after some days; decimal, because floats differ between machines."""
    from decimal import Decimal  # slow to import, for what few lines ask

    return int(Decimal(2) ** (Decimal(-days) / Decimal(half_life)) * 10**12)


def faded(weight: int, days: int, half_life: int) -> int:
    """What is left of a weight after some days without use; never below nothing."""
    return weight * _left(days, half_life) // 10**12


def _added(text: str, one: Operation) -> str:
    held = [line for line in _split(text) if not one.days or _is_kept(line, one)]
    lines = [*held, dumps(one.value).decode()]
    return "".join(f"{line}\n" for line in (lines[-one.most :] if one.most else lines))


def _is_kept(line: str, one: Operation) -> bool:
    """Whether a line is no older than lines may be when another is added; without a date it stays."""
    then, now = day_of(values_of(line)), day_of(one.value)
    return then is None or now is None or now - then <= timedelta(days=one.days)


def day_of(said: JSON) -> date | None:
    """The date that an object tells, if it tells one."""
    told = said.get("date") if isinstance(said, dict) else None
    try:
        return date.fromisoformat(told) if isinstance(told, str) else None
    except ValueError:
        return None


def _split(text: str | None) -> list[str]:
    """The lines of a text: only a line feed ends one, as a string in JSON may hold the others."""
    return [line for line in (text or "").split("\n") if line]


def _moved(before: JSON, value: int, share: int) -> float:
    """A moving average after one more number; the first is the average itself."""
    known = isinstance(before, int | float) and not isinstance(before, bool)
    was = millionths(before) if known and abs(before) <= LARGEST else value
    return (was * (WHOLE - share) + value * share + WHOLE // 2) // WHOLE / WHOLE


def _must_pass(place: StoreLayout, number: int, text: str) -> None:
    try:
        found = loads(text)
        dumps(found)
    except (ValueError, TypeError) as error:  # nested too deep to be written again
        raise Flaw(number, f"it is not JSON: {error}") from None
    if not isinstance(found, dict):
        raise Flaw(number, 'it must be an object like {"name": "value"}')
    if why := place.check(found):
        raise Flaw(number, why)
