"""Sentences without a secret in them: everyday ones, and those that hold what resembles one."""

from __future__ import annotations

import base64
import re
import tomllib
from collections.abc import Callable
from functools import cache
from pathlib import Path
from random import Random  # noqa: TID251  the seed is the argument

from tests.kernel.tokens import ALPHABETS, DATA, filled, uuid

ROOT = Path(__file__).parents[2]
_CROCKFORD = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
_SLOT = re.compile(r"\{(\w+)\}")
_ENDS = re.compile(r"(?<=[.!?])\s+|\n+")


def everyday(count: int, random: Random) -> list[str]:
    """What people say and read: told facts, the project's own pages, and filled templates."""
    told = [message for file in sorted(_facts().glob("*.toml")) for message in _messages(file)]
    pages = [p.read_text("utf-8") for p in sorted((ROOT / "docs").rglob("*.md"))]
    read = [s.strip() for page in pages for s in _ENDS.split(page) if len(s.strip()) > 20]
    known = random.sample(sorted(set(told)), count // 5) + random.sample(
        sorted(set(read)), count // 3
    )
    made = dict.fromkeys(known)
    templates = _sentences()["everyday"]
    while len(made) < count:
        made[completed(random.choice(templates), random)] = None
    return list(made)


def hard(count: int, random: Random) -> list[str]:
    """What looks like a key and is none, and secrets spoken of but not given."""
    templates = _sentences()["hard"] + _sentences()["spoken"]
    return [completed(templates[i % len(templates)], random) for i in range(count)]


def completed(template: str, random: Random) -> str:
    """A template with every slot filled."""
    slots = _slots()

    def value(found: re.Match[str]) -> str:
        made = _made(found[1], random)
        if made is not None:
            return made
        return random.choice(slots[found[1]]) if found[1] in slots else found[0]

    return filled(_SLOT.sub(value, template), random)


def _made(kind: str, random: Random) -> str | None:
    make = _MAKERS.get(kind)
    return make(random) if make else None


def _drawn(alphabet: str, length: int, random: Random) -> str:
    return "".join(random.choices(alphabet, k=length))


def _plain_in_base64(random: Random) -> str:
    words = " ".join(random.choices(_slots()["thing"] + _slots()["place"], k=9))
    return base64.b64encode(words.encode()).decode()


_MAKERS: dict[str, Callable[[Random], str]] = {
    "number": lambda random: str(random.randint(2, 99)),
    "day2": lambda random: f"{random.randint(1, 30):02}",
    "year": lambda random: str(random.randint(1950, 2026)),
    "time": lambda random: f"{random.randint(0, 23)}:{random.randint(0, 59):02}",
    "uuid": uuid,
    "ulid": lambda random: "01" + _drawn(_CROCKFORD, 24, random),
    "sha": lambda random: _drawn(ALPHABETS["hex"], 40, random),
    "short": lambda random: _drawn(ALPHABETS["hex"], 9, random),
    "iban": lambda random: "DE" + _drawn(ALPHABETS["digit"], 20, random),
    "base64text": _plain_in_base64,
}


@cache
def _sentences() -> dict[str, list[str]]:
    raw = tomllib.loads((DATA / "sentences.toml").read_text("utf-8"))
    return {name: list(raw[name]) for name in ("everyday", "hard", "spoken")}


@cache
def _slots() -> dict[str, list[str]]:
    raw = tomllib.loads((DATA / "sentences.toml").read_text("utf-8"))
    return {name: list(words) for name, words in raw["slots"].items()}


def _facts() -> Path:
    return ROOT / "src" / "lumen" / "lab" / "facts_data"


def _messages(file: Path) -> list[str]:
    return [m["text"] for m in tomllib.loads(file.read_text("utf-8")).get("message", [])]
