"""What a skill declares of itself: `skill.toml` beside its `main.py`, and the words in `SKILL.md`.

    description = "Finds words in your notes."
    reads = ["setting:folders"]       a setting of the skill, or a folder of the being
    writes = []
    network = false                   or "setting:endpoint": only once the author has set that
    irreversible = false

    [settings]                        what holds unless [skills.NAME] in lumen.toml says otherwise
    folders = ["files"]

    [example]                         a call, and what its answer must hold at least
    action = "find"
    input = {words = "sea"}
    holds = {count = 1}
    files = {"notes.txt" = "The sea."}   laid into the first folder it reads, for the example

A skill without a `skill.toml` declares nothing: `known` is False, and whoever calls it must ask.
Declared is not granted: that is `policy.py`. Nothing here is trusted to be true.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from lumen.core.canon import JSON, dumps, loads, printable
from lumen.core.errors import SkillError
from lumen.hands.skills import Skill

BY_SETTING = "setting:"
MOST_BYTES = 64_000
MOST_DESCRIPTION = 2000

_KINDS: dict[str, type | tuple[type, ...]] = {
    "description": str,
    "reads": list,
    "writes": list,
    "network": (bool, str),
    "irreversible": bool,
    "settings": dict,
    "example": dict,
}
_EXAMPLE_KINDS: dict[str, type | tuple[type, ...]] = {
    "action": str,
    "input": object,
    "holds": object,
    "files": dict,
}
_FRONT = re.compile(r"---\n(.*?)\n---\n?(.*)", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Example:
    """A call that must go well, and what its output must hold."""

    action: str
    input: JSON = None
    holds: JSON = None
    files: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class DeclaredEffects:
    """What a skill says it does to the world; not `known` means that it says nothing."""

    known: bool = False
    description: str = ""
    reads: tuple[str, ...] = ()
    writes: tuple[str, ...] = ()
    network: bool = False
    network_setting: str = ""  # the setting that opens the network, when it is the author's
    irreversible: bool = False
    settings: Mapping[str, JSON] = field(default_factory=dict)
    example: Example | None = None

    def in_words(self) -> str:
        """In a few words, for a table."""
        if not self.known:
            return "unknown"
        said = [f"reads {_listed(self.reads)}"] if self.reads else []
        said += [f"writes {_listed(self.writes)}"] if self.writes else []
        said += ["network"] if self.network else []
        said += [f"network by [{self.network_setting}]"] if self.network_setting else []
        said += ["irreversible"] if self.irreversible else []
        return "; ".join(said) or "none"


def effects_of(skill: Skill) -> DeclaredEffects:
    """What a skill declares.

    Raises:
        SkillError: there is a declaration and it cannot be used; a predicate to the skill's name.
    """
    told = _read(skill.folder / "skill.toml")
    described = words_of(_read(skill.folder / "SKILL.md") or "")
    if told is None:
        return DeclaredEffects(description=described)
    return parse_effects(told, described)


def parse_effects(text: str, described: str = "") -> DeclaredEffects:
    """The declaration that a `skill.toml` spells; `described` is what `SKILL.md` says."""
    try:
        raw = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise SkillError(f"has a skill.toml that is no TOML: {printable(str(error))}") from error
    _fits(raw, _KINDS, "")
    example = raw.get("example")
    description = printable(raw.get("description", "") or described)[:MOST_DESCRIPTION].strip()
    return DeclaredEffects(
        known=True,
        description=description,
        reads=_folders(raw, "reads"),
        writes=_folders(raw, "writes"),
        network=raw.get("network", False) is True,
        network_setting=_setting(raw.get("network", False)),
        irreversible=raw.get("irreversible", False),
        settings=raw.get("settings", {}),
        example=None if example is None else _example(example),
    )


def words_of(text: str) -> str:
    """What a `SKILL.md` says: the description in its front matter, else its text."""
    front = _FRONT.match(text.replace("\r\n", "\n"))
    if not front:
        return printable(text)[:MOST_DESCRIPTION].strip()
    for line in front[1].splitlines():
        key, colon, value = line.partition(":")
        if colon and key.strip() == "description" and value.strip():
            return printable(value.strip().strip("\"'"))[:MOST_DESCRIPTION].strip()
    return printable(front[2])[:MOST_DESCRIPTION].strip()


def missing(output: JSON, holds: JSON) -> str:
    """What an output lacks of what it must hold, as a path; empty when it holds all of it."""
    if not isinstance(holds, dict):
        same = type(output) is type(holds) and output == holds
        return "" if same or holds is None else f"is {_short(output)}, not {_short(holds)}"
    if not isinstance(output, dict):
        return f"is {_short(output)}, not an object"
    for key, wanted in holds.items():
        if key not in output:
            return f"has no {key!r}"
        if lacks := missing(output[key], wanted):
            return f"[{key!r}] {lacks}"
    return ""


def _example(raw: Mapping[str, JSON]) -> Example:
    _fits(raw, _EXAMPLE_KINDS, "[example] ")
    if "action" not in raw:
        raise SkillError("has a skill.toml whose [example] names no action")
    files = raw.get("files", {})
    for name, text in files.items():
        if not isinstance(text, str) or Path(name).name != name or name in {"", ".."}:
            raise SkillError(f"has a skill.toml whose [example] files cannot hold {name!r}")
    try:
        given, holds = loads(dumps([raw.get("input"), raw.get("holds")]))  # a date is a text
    except TypeError as error:
        raise SkillError(f"has a skill.toml whose [example] is no JSON: {error}") from error
    return Example(raw["action"], given, holds, files)


def _fits(
    raw: Mapping[str, JSON], kinds: Mapping[str, type | tuple[type, ...]], where: str
) -> None:
    for key, value in raw.items():
        kind = kinds.get(key)
        if kind is None:
            raise SkillError(
                f"has a skill.toml with {where}{printable(key)!r}, which nobody knows",
                fix=f"its keys are {', '.join(kinds)}",
            )
        if not isinstance(value, kind):
            raise SkillError(f"has a skill.toml whose {where}{key} has a value of another kind")


def _folders(raw: Mapping[str, JSON], key: str) -> tuple[str, ...]:
    found = raw.get(key, [])
    if not all(isinstance(one, str) and 0 < len(one) < 200 and one.isprintable() for one in found):
        raise SkillError(f'has a skill.toml whose {key} is no list of folders like ["files"]')
    return tuple(found)


def _listed(folders: tuple[str, ...]) -> str:
    """Folders by name; one that a setting names stands in brackets."""
    named = [f"[{f.removeprefix(BY_SETTING)}]" if f.startswith(BY_SETTING) else f for f in folders]
    return ", ".join(named)


def _setting(network: bool | str) -> str:
    if isinstance(network, bool):
        return ""
    if not network.startswith(BY_SETTING) or network == BY_SETTING:
        raise SkillError('has a skill.toml whose network is neither true, false nor "setting:NAME"')
    return network.removeprefix(BY_SETTING)


def _read(path: Path) -> str | None:
    if path.is_symlink() or (path.exists() and not path.is_file()):
        raise SkillError(f"has a {path.name} that is no file of its own")
    try:
        with path.open("rb") as file:
            data = file.read(MOST_BYTES + 1)
    except FileNotFoundError:
        return None
    except OSError as error:
        raise SkillError(f"has a {path.name} that cannot be read: {error.strerror}") from error
    if len(data) > MOST_BYTES:
        raise SkillError(f"has a {path.name} of more than {MOST_BYTES:,} bytes")
    try:
        return data.decode()
    except UnicodeDecodeError as error:
        raise SkillError(f"has a {path.name} that is not UTF-8 text") from error


def _short(value: JSON) -> str:
    text = printable(dumps(value).decode())
    return text if len(text) <= 60 else text[:59] + "…"
