"""Under which policies a skill runs: how it is held, which folders it is granted, what it is told.

The author's word is `lumen.toml`. What a skill declares can widen nothing beyond it: a skill
names folders inside the being, never those the being itself is made of. What a model wrote runs
in bubblewrap whatever the settings say, and below it only with the author's signed yes.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from lumen.core.canon import JSON
from lumen.core.errors import SkillError, Unapproved
from lumen.hands.effects import BY_SETTING, DeclaredEffects, effects_of
from lumen.hands.isolation import Isolation, Sandbox, bwrap_trouble
from lumen.hands.process import Limits
from lumen.hands.skills import Maker, Skill, came_with_lumen, made_by, source_hash

RESERVED = frozenset({"data", "prompts", "skills", "lumen.toml", ".git"})
_OFFLINE = re.compile(
    r"name resolution|Name or service not known|Network is unreachable|gaierror|Connection refused"
)
_HINDERED = re.compile(  # how a program fails that was kept from something, whatever it was
    r"Permission ?[Dd]enied|PermissionError|Operation not permitted|Read-only file system"
    r"|No such (file or directory|device)|No module named|[Cc]ommand not found"
)
_KEPT_FROM = re.compile(
    r"(No such file or directory|Read-only file system): ['\"](/[^'\"\n]{1,200})['\"]"
)

Approves = Callable[[str, str], bool]  # whether the author allowed a skill of that name and hash


def nobody(name: str, sha256: str) -> bool:
    """No skill is allowed below bubblewrap."""
    del name, sha256
    return False


@dataclass(frozen=True, slots=True)
class SkillPolicies:
    """What the author decided for all skills, and in `[skills.NAME]` for each."""

    limits: Limits = field(default_factory=Limits)
    isolation: Isolation = Isolation.LIMITS
    settings: Mapping[str, Mapping[str, JSON]] = field(default_factory=dict)
    hidden: tuple[Path, ...] = ()  # folders of the host that no skill is given: keys and witnesses


@dataclass(frozen=True, slots=True)
class SkillGrant:
    """What one skill gets: how it is held, what its calls are told, and what it declared."""

    box: Sandbox
    context: Mapping[str, JSON]
    effects: DeclaredEffects
    maker: Maker
    why: str = ""  # why it is held no more strictly, where that is worth a word


def grant(
    skill: Skill, root: Path, policies: SkillPolicies, approves: Approves = nobody
) -> SkillGrant:
    """What policy a skill of the being in `root` runs under now.

    Raises:
        Unapproved: a model wrote it, bubblewrap does not work, and the author has not said yes.
        SkillError: it must not run as it stands; the whole sentence, and what to do.
    """
    maker = made_by(skill)
    if refused := changed(skill, maker, approves):
        raise refused
    maker = Maker.AUTHOR if maker is Maker.CHANGED else maker
    try:
        effects = effects_of(skill)
        chosen = policies.settings.get(skill.name, {})
        told = {**effects.settings, **chosen}
        reads = _folders(effects.reads, root, told, chosen) + _named(chosen, "read", root)
        writes = _folders(effects.writes, root, told, chosen) + _named(chosen, "write", root)
        _refuse_hidden((*reads, *writes), policies.hidden)
    except SkillError as error:
        raise SkillError(f"The skill {skill.name} {error.what}", fix=error.fix) from error
    isolation, why = isolation_for(skill.name, maker, policies)
    if maker is Maker.MODEL and why:
        if not approves(skill.name, source_hash(skill)):
            raise Unapproved(
                f"The skill {skill.name} was written by a model and waits for your word, as {why}",
                fix="lumen approvals",
            )
        isolation, why = Isolation.LIMITS, f"you allowed it; {why}"
    network = _network(effects, maker, chosen)
    context: dict[str, JSON] = {
        "reads": [str(path) for path in reads],
        "writes": [str(path) for path in writes],
        "settings": told,
    }
    box = Sandbox(isolation, reads, writes, network, policies.hidden)
    return SkillGrant(box, context, effects, maker, why)


def changed(skill: Skill, maker: Maker, approves: Approves) -> SkillError | None:
    """Why a skill that was changed does not run; nothing where it was not, or the author said yes.

    One that a model wrote becomes the author's by accepting it. One that came with Lumen runs while
    the author's word stands for exactly these files.
    """
    if maker is not Maker.CHANGED:
        return None
    look = f"look at it, then: lumen skills accept {skill.name}"
    if not came_with_lumen(skill.name):
        what = "was written by a model and changed by another hand since"
        return SkillError(f"The skill {skill.name} {what}", fix=look)
    if approves(skill.name, source_hash(skill)):
        return None
    again = f"rm -r skills/{skill.name}, then: lumen skills new {skill.name}"
    return SkillError(
        f"The skill {skill.name} came with Lumen and was changed since, so it does not run",
        fix=f"{look}; or as it came: {again}",
    )


def lay_out(given: SkillGrant) -> None:
    """Make the folders a skill may write to, where there are none yet.

    Raises:
        SkillError: one of them cannot be made.
    """
    for path in given.box.writes:
        try:
            path.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise SkillError(f"{path} cannot be made: {error.strerror}") from error


def isolation_for(name: str, maker: Maker, policies: SkillPolicies) -> tuple[Isolation, str]:
    """How strictly a skill is held, and why not more so where that is worth a word.

    What a model wrote is for bubblewrap alone: a reason means that it does not run unapproved.
    """
    if maker in {Maker.MODEL, Maker.CHANGED}:
        return Isolation.BWRAP, bwrap_trouble()
    if chosen := policies.settings.get(name, {}).get("isolation"):
        said = f"[skills.{name}] isolation" if chosen != Isolation.BWRAP else ""
        return Isolation(chosen), said
    if policies.isolation is not Isolation.LIMITS or maker is Maker.SHIPPED:
        return policies.isolation, ""
    trouble = bwrap_trouble()
    return Isolation.LIMITS if trouble else Isolation.BWRAP, trouble


def in_force(policies: SkillPolicies) -> tuple[str, ...]:
    """Which isolation skills run under on this host, and why: a sentence for each thing to know."""
    trouble = bwrap_trouble()
    told = {
        Isolation.NONE: "[skills] isolation is none: skills run with your rights and no limits",
        Isolation.BWRAP: "every skill runs in bubblewrap"
        + (f", so none runs: {trouble}" if trouble else ""),
        Isolation.LIMITS: "shipped skills run with limits, all others "
        + (f"too, with your rights: {trouble}" if trouble else "in bubblewrap"),
    }
    said = [told[policies.isolation]]
    if trouble:
        said.append("what a model writes does not run until you allow it: lumen approvals")
    elif policies.isolation is Isolation.NONE:
        said.append("what a model writes runs in bubblewrap all the same")
    for name, chosen in policies.settings.items():
        if chosen.get("isolation") in (Isolation.NONE, Isolation.LIMITS):
            said.append(f"[skills.{name}] isolation holds it by {chosen['isolation']} only")
    return tuple(said)


def lacking(name: str, given: SkillGrant, said: str) -> str:
    """Which line of lumen.toml gives an author's skill what bubblewrap may have kept from it.

    `said` is what it failed with. A skill that failed for a reason of its own is told nothing, nor
    is one that declares what it touches and lacks something else.
    """
    if given.maker is not Maker.AUTHOR or given.box.isolation is not Isolation.BWRAP:
        return ""
    unknown = not given.effects.known and _HINDERED.search(said)
    line = _line_for(said, given) or ('isolation = "limits"' if unknown else "")
    how = f"It runs in bubblewrap; what it needs beside that goes into lumen.toml: [skills.{name}]"
    return f"{how} {line}" if line else ""


def _line_for(said: str, given: SkillGrant) -> str:
    if "asks for packages" in said:
        return 'isolation = "limits"'
    if _OFFLINE.search(said) and not given.box.network:
        return "network = true"
    for found in _KEPT_FROM.finditer(said):
        path = Path(found[2])
        folder = path if path.is_dir() else path.parent
        if any(folder.is_relative_to(one) for one in given.box.hidden):
            return ""
        if found[1].startswith("Read-only") or not path.exists():
            return f'write = ["{folder}"]' if folder.is_dir() else ""
        return f'read = ["{folder}"]'
    return ""


def _network(effects: DeclaredEffects, maker: Maker, chosen: Mapping[str, JSON]) -> bool:
    """A model may declare what it likes; only the author can let its work out into the network."""
    declared = effects.network or bool(chosen.get(effects.network_setting))
    said = chosen.get("network")
    if maker is Maker.MODEL:
        return declared and said is True
    return declared if said is None else said is True


def _named(chosen: Mapping[str, JSON], key: str, root: Path) -> tuple[Path, ...]:
    """The folders that `[skills.NAME] read` or `write` names."""
    return tuple(_anywhere(name, root) for name in _texts(chosen.get(key), key))


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


def _refuse_hidden(granted: tuple[Path, ...], hidden: tuple[Path, ...]) -> None:
    """Nobody is given the keys, not even by the author's own setting: they prove the author's word."""
    for path in granted:
        if any(path.is_relative_to(one) for one in hidden):
            raise SkillError(
                f"is granted {path}, where keys or witnesses are kept: no skill is given those",
                fix="take that folder out of [skills.NAME] in lumen.toml",
            )


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
