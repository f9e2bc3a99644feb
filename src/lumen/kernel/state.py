"""What lasts between turns beside memories and self: small values by name, kept by the fold.

A step reads it through the `State` capability and proposes `Change(Store.STATE, …, Datum(…))`;
the gate makes a new text of it, and the archive keeps that. Pure but for the one question to the
index.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from lumen.core.canon import JSON, dumps, loads
from lumen.core.data import Datum
from lumen.core.errors import Refused

PATH = "data/state/steps.jsonl"
LONGEST = 256 * 1024
MOST = 1_000  # entries kept of what is appended: the newest


class Kept(Protocol):
    """Gives the text of a file as the archive has it."""

    def __call__(self, path: str) -> str | None:
        """The text in force; nothing when there is none."""
        ...


@dataclass(frozen=True, slots=True)
class FoldedState:
    """The state by the archive's word."""

    kept: Kept

    def last(self, name: str) -> JSON:
        """What was set under a name, or appended last; nothing when nothing was."""
        found = self._all().get(name)
        return (found[-1] if found else None) if isinstance(found, list) else found

    def all(self, name: str) -> tuple[JSON, ...]:
        """All that was appended under a name, the oldest first."""
        found = self._all().get(name)
        return tuple(found) if isinstance(found, list) else ()

    def average(self, name: str) -> float | None:
        """The moving average kept under a name."""
        found = self._all().get(name)
        return float(found) if isinstance(found, int | float) else None

    def _all(self) -> dict[str, JSON]:
        return parsed(self.kept(PATH))


def parsed(text: str | None) -> dict[str, JSON]:
    """The values a text holds by name; a line each, so that one can be taken out of it.

    Raises:
        Refused: a line is not what it must be.
    """
    found: dict[str, JSON] = {}
    for number, line in enumerate((text or "").splitlines(), 1):
        try:
            one = loads(line)
            found[str(one["name"])] = one["value"]
        except (ValueError, TypeError, KeyError) as error:
            raise Refused(f"{PATH} line {number} is no value with a name") from error
    return found


def revised(text: str | None, operation: str, datum: Datum) -> str:
    """The text of the state after one change.

    Raises:
        Refused: what is there is of another kind, or it would grow too large.
    """
    held = parsed(text)
    before = held.get(datum.name)
    match operation:
        case "append":
            if not (before is None or isinstance(before, list)):
                raise Refused(f"{datum.name!r} is a value, and nothing can be appended to it")
            held[datum.name] = [*(before or []), datum.value][-MOST:]
        case "average":
            held[datum.name] = _moved(datum, before)
        case _:
            held[datum.name] = datum.value
    lines = (dumps({"name": name, "value": held[name]}).decode() for name in sorted(held))
    told = "".join(f"{line}\n" for line in lines)
    if len(told) > LONGEST:
        raise Refused(f"{PATH} would have {len(told):,} characters; at most {LONGEST:,} fit")
    return told


def _moved(datum: Datum, before: JSON) -> float:
    """A moving average after one more number: `share` is how far it moves towards that."""
    if isinstance(datum.value, bool) or not isinstance(datum.value, int | float):
        raise Refused(f"{datum.value!r} is no number to take the average of")
    if before is not None and not isinstance(before, int | float):
        raise Refused(f"{datum.name!r} is no number to take the average of")
    start = float(datum.value) if before is None else float(before)
    return round(start + datum.share * (float(datum.value) - start), 6)
