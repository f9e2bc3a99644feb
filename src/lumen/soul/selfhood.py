"""What the being has become, read from its files: soul.md, values.json, goals/<year>.json.

Reads only. A file that does not say what it must is reported and counts as empty; how hand edits
are adopted is not decided here.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from lumen.core.canon import JSON, loads
from lumen.core.data import Being

VALUE_STATES = ("active", "deprecated")
GOAL_STATES = ("todo", "working", "done", "perpetual")


@dataclass(frozen=True, slots=True)
class Held:
    """A value or a goal: how much it weighs and how it stands."""

    name: str
    weight: float
    status: str


@dataclass(frozen=True, slots=True)
class Selfhood:
    """Who it is, what it holds dear, what it is after."""

    name: str
    narrative: str
    values: tuple[Held, ...]
    goals: tuple[Held, ...]
    problems: tuple[str, ...] = ()


def read_self(being: Being) -> Selfhood:
    """The self as the files tell it; values and goals by weight, the heaviest first."""
    problems: list[str] = []
    name, narrative = _soul(being.soul_md)
    values = _held(being.values, VALUE_STATES, problems)
    goals: list[Held] = []
    for path in sorted(being.goals.glob("[0-9][0-9][0-9][0-9].json")):
        goals += _held(path, GOAL_STATES, problems)
    return Selfhood(
        name=name,
        narrative=narrative,
        values=tuple(sorted(values, key=lambda h: -h.weight)),
        goals=tuple(sorted(goals, key=lambda h: -h.weight)),
        problems=tuple(problems),
    )


def _soul(path: Path) -> tuple[str, str]:
    """The name is the first heading; a being that was not named yet is called Lumen."""
    text = path.read_text("utf-8", errors="replace") if path.exists() else ""
    first, _, rest = text.partition("\n")
    named = first.startswith("# ") and first[2:].strip()
    return (first[2:].strip()[:80], rest.strip()) if named else ("Lumen", text.strip())


def _held(path: Path, states: tuple[str, ...], problems: list[str]) -> list[Held]:
    if not path.exists():
        return []
    try:
        found = loads(path.read_bytes())
        return [_one(item, states) for item in _list(found)]
    except (ValueError, TypeError) as error:
        problems.append(f"{path.name} is not used: {error}")
        return []


def _list(found: JSON) -> list[JSON]:
    if not isinstance(found, list):
        raise TypeError("it must be a list")
    return found


def _one(item: JSON, states: tuple[str, ...]) -> Held:
    shaped = isinstance(item, dict) and isinstance(item.get("name"), str)
    if not shaped:
        raise TypeError('each entry must be like {"name": "honesty", "weight": 0.9, "status": …}')
    weight, status = item.get("weight"), item.get("status")
    if isinstance(weight, bool) or not isinstance(weight, int | float) or not 0 <= weight <= 1:
        raise ValueError(f"the weight of {item['name']!r} must be between 0 and 1")
    if status not in states:
        raise ValueError(f"the status of {item['name']!r} must be one of {', '.join(states)}")
    return Held(item["name"], float(weight), status)
