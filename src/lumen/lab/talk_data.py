"""The sets of `lumen lab talk` as data: conversations, and a rule for every message of them.

A message is one line: what is said, and what makes the reply good, or fair, or bad. Parts of a rule that
are joined by `&` must all be in a reply, of those joined by `|` one. `*` is any ending, `@name` a group of
words/LANGUAGE.toml, `?` a question, and `{time}`, `{day+2}`, `{weekday-1}` go by the clock of the scene.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from datetime import datetime, timedelta
from pathlib import Path

from lumen.core.canon import JSON
from lumen.core.errors import UsageError

FOLDER = Path(__file__).with_name("talk_data")
SETS = ("en_dev", "en_held", "ru_dev", "ru_held")
DEV, HELD, ALL = "dev", "held", "all"
HALVES = (DEV, HELD)
NAMES = (ALL, *HALVES, *SETS)
LANGUAGES = ("en", "ru")


@dataclass(frozen=True, slots=True)
class Message:
    """What is said, and the rule its reply is graded by."""

    say: str
    good: str = ""
    fair: str = ""  # acceptable, where it is not good
    bars: str = ""  # none of these may be said: `not` in the file
    lies: str = ""  # nor of these, which would be statements that nothing supports
    world: str = ""  # right answers to a question about the world
    after: timedelta = timedelta(minutes=1)  # how long after the reply before it is said
    new: bool = False  # it opens a new conversation
    long: bool = False  # its reply may be


@dataclass(frozen=True, slots=True)
class Conversation:
    """One scene with one being."""

    scene: str
    language: str
    half: str
    begins: datetime  # as the clock on the author's wall shows it
    messages: tuple[Message, ...]


def conversations(which: str, scenes: Sequence[str] = ()) -> list[Conversation]:
    """The conversations of a set, or those of some scenes: by its name, a half, everything, or a file.

    Raises:
        UsageError: there is no such set, a line of it is not one, or it has no such scene.
    """
    every = _set(which)
    there = dict.fromkeys(one.scene for one in every)
    if unknown := [scene for scene in scenes if scene not in there]:
        what = f"{which} has no scene {unknown[0]!r}: {', '.join(there)}"
        raise UsageError(what, fix="lumen lab talk --set dev --scene family")
    return [one for one in every if not scenes or one.scene in scenes]


def _set(which: str) -> list[Conversation]:
    if which.endswith(".toml"):
        return _read(Path(which))
    if which not in NAMES:
        raise UsageError(
            f"there is no set {which}: {', '.join(NAMES)}, or a file .toml",
            fix="lumen lab talk --set dev",
        )
    names = [n for n in SETS if which in (ALL, n) or n.endswith(f"_{which}")]
    return [one for name in names for one in _read(FOLDER / f"{name}.toml")]


def _read(path: Path) -> list[Conversation]:
    try:
        told = tomllib.loads(path.read_text("utf-8"))
        return [_conversation(one, told) for one in told["conversation"]]
    except (OSError, ValueError, TypeError, KeyError, AttributeError) as error:
        fix = "docs/measuring-talk.md says what a set looks like"
        raise UsageError(f"{path} is no set of talk: {error!r}", fix=fix) from error


def _conversation(told: Mapping[str, JSON], of: Mapping[str, JSON]) -> Conversation:
    language, half = of["language"], of["half"]
    if language not in LANGUAGES or half not in HALVES:
        raise ValueError(f"language {language!r}, half {half!r}")
    messages = tuple(map(_message, told["messages"]))
    return Conversation(told["scene"], language, half, told["begins"], messages)


def _message(told: Mapping[str, JSON]) -> Message:
    given = {"bars" if name == "not" else name: value for name, value in told.items()}
    if unknown := given.keys() - {one.name for one in fields(Message)}:
        raise ValueError(f"{told['say']!r} has {', '.join(sorted(unknown))}")
    if bool(given.get("world")) == bool(given.get("good")):
        raise ValueError(f"{told['say']!r} needs good, or world")
    if "after" in given:
        given["after"] = _duration(given["after"])
    return Message(**given)


def _duration(text: str) -> timedelta:
    """As it is said: 2 days, 1 hour, 20 minutes."""
    many, unit = text.split()
    return timedelta(**{unit.rstrip("s") + "s": int(many)})
