"""The opening of a conversation: the self as it stands, which tools there are, and what is needed at once.

What is found out is proposed as changes of the first turn, and only where it differs from what was known or that
is a day old: opening a conversation archives no line of its own.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime, timedelta
from pathlib import Path

from lumen.core.clock import parse_stamp, stamp
from lumen.core.data import Change, NamedValue
from lumen.core.errors import SkillError
from lumen.core.stores import Store
from lumen.hands.registry import REGISTRY
from lumen.hands.skills import discover
from lumen.kernel.contour.state import State
from lumen.kernel.language.lexicon import lexicon

FRESH = timedelta(days=1)  # how long what was found out counts
AVAILABLE, MISSING, OFF = "available", "missing", "off"


def boot(skills: Path, state: State, now: datetime) -> tuple[Change, ...]:
    """What there is to note when a conversation opens; the self is loaded by whoever runs the turn."""
    changes = capability_probe(skills, state, now)
    warm_start()
    return changes


def capability_probe(skills: Path, state: State, now: datetime) -> tuple[Change, ...]:
    """Which tools are there; what is known to be so already is not said again."""
    found = statuses(skills)
    names = sorted({*found, *known_tools(state)})
    return tuple(
        Change(Store.TOOLS, "set", NamedValue(name, {"status": status, "checked_at": stamp(now)}))
        for name in names
        if not _is_known(state, name, status := found.get(name, MISSING), now)
    )


def statuses(skills: Path) -> dict[str, str]:
    """How each tool of the registry and each skill there is stands."""
    found = dict.fromkeys(REGISTRY, MISSING)
    try:
        for skill in discover(skills):
            found[skill.name] = OFF if skill.disabled else AVAILABLE if skill.ready else MISSING
    except SkillError:  # the folder cannot be read: go on without
        return found
    return found


def known_tools(state: State) -> Mapping[str, str]:
    """The tools as they were found last, by name."""
    return {
        name: str(told.get("status"))
        for name, told in state.values(Store.TOOLS).items()
        if isinstance(told, dict)
    }


def warm_start() -> None:
    """Have at hand what the first message needs."""
    lexicon()


def _is_known(state: State, name: str, status: str, now: datetime) -> bool:
    found = state.values(Store.TOOLS).get(name)
    told = found if isinstance(found, dict) else {}
    if told.get("status") != status:
        return False
    return now - parse_stamp(str(told["checked_at"])) < FRESH
