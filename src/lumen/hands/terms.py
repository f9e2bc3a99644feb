"""On which terms a skill runs: how it is held, which folders it is granted, what it is told.

The author's word is `lumen.toml`. What a skill declares can widen nothing beyond it: a skill
names folders inside the being, never those the being itself is made of.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from lumen.core.canon import JSON
from lumen.core.errors import SkillError
from lumen.hands.effects import BY_SETTING, Effects, effects_of
from lumen.hands.isolation import Box, Isolation, bwrap_trouble, strongest
from lumen.hands.process import Limits
from lumen.hands.skills import Maker, Skill, made_by

RESERVED = frozenset({"data", "prompts", "skills", "lumen.toml", ".git"})


@dataclass(frozen=True, slots=True)
class Terms:
    """What the author decided for all skills, and in `[skills.NAME]` for each."""

    limits: Limits = field(default_factory=Limits)
    isolation: Isolation = Isolation.LIMITS
    settings: Mapping[str, Mapping[str, JSON]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Grant:
    """What one skill gets: how it is held, what its calls are told, and what it declared."""

    box: Box
    context: Mapping[str, JSON]
    effects: Effects
    maker: Maker
    why: str = ""  # why it is held no more strictly, where that is worth a word


def grant(skill: Skill, root: Path, terms: Terms) -> Grant:
    """The terms a skill of the being in `root` runs on now.

    Raises:
        SkillError: it must not run as it stands; the whole sentence, and what to do.
    """
    maker = made_by(skill)
    if maker is Maker.CHANGED:
        raise SkillError(
            f"The skill {skill.name} was written by a model and changed by another hand since",
            fix=f"look at it, then: lumen skills accept {skill.name}",
        )
    try:
        effects = effects_of(skill)
        chosen = terms.settings.get(skill.name, {})
        told = {**effects.settings, **chosen}
        reads = _folders(effects.reads, root, told, chosen)
        writes = _folders(effects.writes, root, told, chosen)
    except SkillError as error:
        raise SkillError(f"The skill {skill.name} {error.what}", fix=error.fix) from error
    isolation, why = held(maker, terms.isolation)
    # A model may declare what it likes; only the author can let its work out into the network.
    opened = effects.network or bool(chosen.get(effects.network_setting))
    network = opened and (maker is not Maker.MODEL or chosen.get("network") is True)
    context: dict[str, JSON] = {
        "reads": [str(path) for path in reads],
        "writes": [str(path) for path in writes],
        "settings": told,
    }
    return Grant(Box(isolation, reads, writes, network), context, effects, maker, why)


def lay_out(given: Grant) -> None:
    """Make the folders a skill may write to, where there are none yet.

    Raises:
        SkillError: one of them cannot be made.
    """
    for path in given.box.writes:
        try:
            path.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise SkillError(f"{path} cannot be made: {error.strerror}") from error


def held(maker: Maker, wanted: Isolation) -> tuple[Isolation, str]:
    """How strictly a skill is held, and why not more so; what a model wrote as strictly as can be."""
    if wanted is not Isolation.LIMITS or maker not in {Maker.MODEL, Maker.CHANGED}:
        return wanted, ""
    return strongest(), bwrap_trouble()


def _folders(
    declared: tuple[str, ...], root: Path, told: Mapping[str, JSON], chosen: Mapping[str, JSON]
) -> tuple[Path, ...]:
    found: list[Path] = []
    for name in declared:
        if not name.startswith(BY_SETTING):
            found.append(_inside(name, root))
            continue
        key = name.removeprefix(BY_SETTING)
        place = _anywhere if key in chosen else _inside
        found += [place(value, root) for value in _texts(told.get(key), key)]
    return tuple(dict.fromkeys(found))


def _texts(value: JSON, key: str) -> list[str]:
    listed = value if isinstance(value, list) else [] if value in (None, "") else [value]
    if not all(isinstance(one, str) and one for one in listed):
        raise SkillError(f"has a setting {key!r} that names no folder")
    return listed


def _anywhere(name: str, root: Path) -> Path:
    """A folder the author named."""
    return (root / Path(name).expanduser()).resolve()


def _inside(name: str, root: Path) -> Path:
    """A folder the skill named: one of the being's, and none the being is made of."""
    home = root.resolve()
    found = (home / name).resolve()
    if not found.is_relative_to(home) or found == home:
        raise SkillError(f"declares the folder {name!r}, which is not inside the being")
    if found.relative_to(home).parts[0] in RESERVED:
        raise SkillError(f"declares the folder {name!r}, which is the being itself")
    return found
