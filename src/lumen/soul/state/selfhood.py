"""What the being has become, as texts: soul.md, values.json, goals/<year>.json, and their shapes.

Parses, checks and edits texts; reads and writes no file. Which text is in force is for the
archive to say, who may change it for the gate.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from lumen.core.canon import JSON
from lumen.core.data import SelfItem
from lumen.core.stores import Store, StoreKind, place_at, store_at

SOUL = Store.SOUL.place.path
VALUES = Store.VALUES.place.path
VALUE_STATES = Store.VALUES.place.states
GOAL_STATES = Store.GOALS.place.states
CONTRACTS = Store.CONTRACTS.place.path
CONTRACT_STATES = Store.CONTRACTS.place.states
LONGEST = 256 * 1024
LONGEST_NAME = 200
WRAPPED = 4  # lines that a few words may be spread over
SHAPE = '{"name": "honesty", "weight": 0.9, "status": "active"}'


@dataclass(frozen=True, slots=True)
class Selfhood:
    """Who it is, what it holds dear, what it is after."""

    name: str
    ontology: str
    narrative: str
    values: tuple[SelfItem, ...]
    goals: tuple[SelfItem, ...]
    contracts: tuple[SelfItem, ...] = ()  # how it speaks, and what of it does not change


class Flaw(ValueError):
    """What is wrong with a text, and on which line."""

    def __init__(self, line: int, why: str) -> None:
        super().__init__(f"line {line}: {why}")
        self.line = line
        self.why = why


def is_goals(path: str) -> bool:
    """Whether a path inside the being is a year's goals."""
    return store_at(path) is Store.GOALS


def goals_of(year: int) -> str:
    """The file of a year's goals."""
    return Store.GOALS.place.file(year)


def selfhood(texts: Mapping[str, str]) -> Selfhood:
    """The self that some texts tell; values and goals by weight, the heaviest first."""
    name, ontology, narrative = _soul(texts.get(SOUL, ""))
    values = parse_items(texts[VALUES], VALUE_STATES) if VALUES in texts else []
    contracts = parse_items(texts[CONTRACTS], CONTRACT_STATES) if CONTRACTS in texts else []
    goals = [
        goal
        for path in sorted(texts)
        if is_goals(path)
        for goal in parse_items(texts[path], GOAL_STATES)
    ]
    return Selfhood(
        name=name,
        ontology=ontology,
        narrative=narrative,
        values=tuple(sorted(values, key=lambda h: -h.weight)),
        goals=tuple(sorted(goals, key=lambda h: -h.weight)),
        contracts=tuple(contracts),
    )


def check(path: str, text: str) -> None:
    """See whether a self file says what it must.

    Raises:
        Flaw: on which line it does not, and why.
    """
    if len(text) > LONGEST:
        raise Flaw(1, f"it has {len(text):,} characters; at most {LONGEST:,} fit")
    if text.startswith("\ufeff"):
        raise Flaw(1, "it begins with a byte order mark: save it as plain UTF-8")
    if is_items_file(path):
        parse_items(text, states_of(path))


def is_items_file(path: str) -> bool:
    """Whether a file lists values or goals."""
    return place_at(path).kind is StoreKind.ENTRIES


def states_of(path: str) -> tuple[str, ...]:
    """How what a file lists may stand."""
    return place_at(path).states


def parse_items(text: str, states: Sequence[str]) -> list[SelfItem]:
    """The values or goals a text lists.

    Raises:
        Flaw: it is no list, or an entry is not what it must be.
    """
    found: list[SelfItem] = []
    seen: set[str] = set()
    for line, item in _items(text):
        try:
            one = _one(item, states)
        except ValueError as error:
            raise Flaw(line, str(error)) from None
        if one.name in seen:
            raise Flaw(line, f"{one.name!r} is there twice")
        seen.add(one.name)
        found.append(one)
    return found


def spell(held: Sequence[SelfItem]) -> str:
    """A list of values or goals as it is written: one to a line."""
    if not held:
        return "[]\n"
    lines = [
        json.dumps(
            {"name": h.name, "weight": round(h.weight, 6), "status": h.status}, ensure_ascii=False
        )
        for h in held
    ]
    return "[\n  " + ",\n  ".join(lines) + "\n]\n"


def put(held: Sequence[SelfItem], one: SelfItem) -> list[SelfItem]:
    """The list with one entry set, in its place or at the end."""
    if any(h.name == one.name for h in held):
        return [one if h.name == one.name else h for h in held]
    return [*held, one]


def drop(held: Sequence[SelfItem], name: str) -> list[SelfItem]:
    """The list without an entry."""
    return [h for h in held if h.name != name]


def stand(held: Sequence[SelfItem], name: str, status: str) -> list[SelfItem]:
    """The list with one entry's status changed."""
    return [replace(h, status=status) if h.name == name else h for h in held]


def entries(path: str, text: str | None) -> tuple[str, ...]:
    """What a self file says, piece by piece: its lines, or the names of its values or goals."""
    if text is None:
        return ()
    if is_items_file(path):
        try:
            return tuple(held.name for held in parse_items(text, states_of(path)))
        except Flaw:
            return ()
    return tuple(dict.fromkeys(filter(None, map(str.strip, text.splitlines()))))


def without(path: str, text: str, quotes: Callable[[str], bool]) -> str:
    """A file's text without the lines, values or goals that say something."""
    if is_items_file(path):
        try:
            held = parse_items(text, states_of(path))
        except Flaw:
            return "[]\n" if quotes(text) else text
        kept = [h for h in held if not quotes(h.name)]
        return text if len(kept) == len(held) else spell(kept)
    lines = text.splitlines(keepends=True)
    for width in range(1, WRAPPED + 1):  # what is said may run over the ends of lines
        at = 0
        while at + width <= len(lines):
            if quotes("".join(lines[at : at + width])):
                del lines[at : at + width]
            else:
                at += 1
    cleaned = "".join(lines)
    return "" if quotes(cleaned) else cleaned


def _soul(text: str) -> tuple[str, str, str]:
    """Name, ontology and narrative: the first heading, and what stands under the other two.

    A being that was not named yet is called Lumen; text under no heading is narrative.
    """
    first, _, rest = text.partition("\n")
    named = first.startswith("# ") and first[2:].strip()
    name, rest = (first[2:].strip()[:80], rest) if named else ("Lumen", text)
    parts: dict[str, list[str]] = {"ontology": [], "narrative": []}
    current = "narrative"
    for line in rest.splitlines():
        heading = line[3:].strip().casefold() if line.startswith("## ") else ""
        if heading in parts:
            current = heading
        else:
            parts[current].append(line)
    return name, "\n".join(parts["ontology"]).strip(), "\n".join(parts["narrative"]).strip()


def _items(text: str) -> list[tuple[int, JSON]]:
    """The entries of a JSON list, each with the line it begins on."""
    try:
        found = json.loads(text)
    except json.JSONDecodeError as error:
        raise Flaw(error.lineno, f"it is not JSON: {error.msg}") from None
    except RecursionError:
        raise Flaw(1, "it is not JSON: nested too deep") from None
    except ValueError:
        raise Flaw(1, "it is not JSON: a number has too many digits") from None
    if not isinstance(found, list):
        raise Flaw(1, f"it must be a list of entries like {SHAPE}")
    decode = json.JSONDecoder().raw_decode
    items, at = [], text.index("[") + 1
    for _ in found:
        at = _next(text, at)
        items.append((text.count("\n", 0, at) + 1, decode(text, at)[0]))
        at = decode(text, at)[1]
    return items


def _next(text: str, at: int) -> int:
    """Where the next entry begins: past white space and the comma."""
    while text[at] in " \t\r\n,":
        at += 1
    return at


def _one(item: JSON, states: Sequence[str]) -> SelfItem:
    name = item.get("name") if isinstance(item, dict) else None
    if not isinstance(name, str) or not name.strip():
        raise ValueError(f"each entry must be like {SHAPE}")
    if len(name) > LONGEST_NAME:
        raise ValueError(f"a name has at most {LONGEST_NAME} characters")
    if "\x00" in name or name != name.encode("utf-8", "replace").decode():
        raise ValueError("a name must be plain text")
    weight, status = item.get("weight"), item.get("status")
    if isinstance(weight, bool) or not isinstance(weight, int | float) or not 0 <= weight <= 1:
        raise ValueError(f"the weight of {name!r} must be between 0 and 1")
    if status not in states:
        raise ValueError(f"the status of {name!r} must be one of {', '.join(states)}")
    return SelfItem(name, float(weight), status)
