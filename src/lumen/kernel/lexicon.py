"""The words that carry judgement and the phrases the kernel speaks, loaded from lexicon/*.toml.

English for now; a message in another language still works, with fewer signals.
"""

from __future__ import annotations

import re
import tomllib
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from types import MappingProxyType

FOLDER = Path(__file__).with_name("lexicon")


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of answer a question can ask for, and what such an answer holds."""

    asks: re.Pattern[str]
    answers: re.Pattern[str] | None
    numbers: bool
    names: bool


@dataclass(frozen=True, slots=True)
class Lexicon:
    """One language's words."""

    signals: MappingProxyType[str, re.Pattern[str]]
    kinds: MappingProxyType[str, Kind]
    numbers: frozenset[str]
    calendar: frozenset[str]
    empty: frozenset[str]
    mirror: MappingProxyType[str, str]
    phrases: MappingProxyType[str, str]
    abilities: MappingProxyType[str, re.Pattern[str]]

    def has(self, signal: str, text: str) -> bool:
        """Whether any word or phrase of a signal occurs in a text."""
        return self.signals[signal].search(text.lower()) is not None

    def found(self, signal: str, text: str) -> tuple[str, ...]:
        """Which words of a signal occur."""
        return tuple(dict.fromkeys(self.signals[signal].findall(text.lower())))


@cache
def lexicon(language: str = "en") -> Lexicon:
    """The words of a language."""
    raw = tomllib.loads((FOLDER / f"{language}.toml").read_text(encoding="utf-8"))
    kinds = {
        name: Kind(
            asks=_any_of(kind["asks"]),
            answers=_any_of(kind["answers"]) if "answers" in kind else None,
            numbers=kind.get("numbers", False),
            names=kind.get("names", False),
        )
        for name, kind in raw["kinds"].items()
    }
    signals = {name: _any_of(words) for name, words in raw["signals"].items()}
    signals |= {name: re.compile(pattern) for name, pattern in raw["patterns"].items()}
    return Lexicon(
        signals=MappingProxyType(signals),
        kinds=MappingProxyType(kinds),
        numbers=frozenset(raw["words"]["numbers"]),
        calendar=frozenset(raw["words"]["calendar"]),
        empty=frozenset(raw["words"]["empty"]),
        mirror=MappingProxyType(raw["mirror"]),
        phrases=MappingProxyType(raw["phrases"]),
        abilities=MappingProxyType({name: _any_of(ws) for name, ws in raw["abilities"].items()}),
    )


def _any_of(words: list[str]) -> re.Pattern[str]:
    longest_first = sorted(words, key=len, reverse=True)
    return re.compile(r"(?<![\w'])(?:" + "|".join(map(re.escape, longest_first)) + r")(?![\w'])")
