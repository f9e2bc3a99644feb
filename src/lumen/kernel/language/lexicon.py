"""The words that carry judgement and the phrases the kernel speaks, loaded from lexicon/*.toml.

English, Russian and German; a message in another language still works, with fewer signals.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from types import MappingProxyType
from typing import Any

LANGUAGES = ("en", "ru", "de")
FOLDER = Path(__file__).with_name("lexicon")
NAMED_DAY = "\N{WATCH}"  # stands in a sentence for the time it names
VERBOSE = "(?x)"

NOBODY = "friend"  # what an author is called who was not introduced: a word of English


@dataclass(frozen=True, slots=True)
class AnswerKind:
    """A kind of answer a question can ask for, and what such an answer holds."""

    asks: re.Pattern[str]
    answers: re.Pattern[str] | None
    numbers: bool
    names: bool


@dataclass(frozen=True, slots=True)
class Lexicon:
    """The words, of whatever language."""

    signals: MappingProxyType[str, re.Pattern[str]]
    kinds: MappingProxyType[str, AnswerKind]
    numbers: frozenset[str]
    vague: frozenset[str]  # of these, those that often count nothing
    calendar: frozenset[str]
    empty: frozenset[str]
    shared: frozenset[str]  # empty in German alone
    endings: tuple[str, ...]  # of Russian words, the longest first
    speaker: frozenset[str]  # the author as a subject
    determiners: frozenset[str]
    copulas: frozenset[str]
    speaks: MappingProxyType[str, frozenset[str]]  # by language: words of no other
    hints: frozenset[str]  # words of German and of another
    phrases: MappingProxyType[str, str]
    abilities: MappingProxyType[str, re.Pattern[str]]
    sums: MappingProxyType[str, str]  # words of arithmetic, and what they are to calc
    left_out: MappingProxyType[str, str]  # words without their apostrophe, and with it
    short: MappingProxyType[
        str, MappingProxyType[str, str]
    ]  # hasty spellings by language, and the words
    turned: MappingProxyType[str, str]  # the author's pronouns, as the being says them back
    pronouns: MappingProxyType[str, list[str]]  # what stands beside one and tells its case
    asks: MappingProxyType[str, re.Pattern[str]]  # whole sentences that ask something of the being
    courtesies: MappingProxyType[str, re.Pattern[str]]  # whole clauses of small talk
    spoken: MappingProxyType[str, MappingProxyType[str, str]]  # phrases by language
    value_names: MappingProxyType[str, str]  # of values, in other languages → English

    def has(self, signal: str, text: str) -> bool:
        """Whether any word or phrase of a signal occurs in a text."""
        return self.signals[signal].search(text.lower()) is not None

    def phrase(self, key: str, language: str = "en", /, **given: str) -> str:
        """A phrase of the kernel's own in a language, else in English."""
        said = self.spoken[language].get(key, self.phrases[key])
        if language != "en" and given.get("author") == NOBODY:
            said = said.replace(", {author}", "")
        return said.format(**given)

    def found(self, signal: str, text: str) -> tuple[str, ...]:
        """Which words of a signal occur."""
        return tuple(dict.fromkeys(self.signals[signal].findall(text.lower())))


@cache
def lexicon() -> Lexicon:
    """The words of every language there are some for; what the kernel speaks is English."""
    raw = {language: _read(language) for language in LANGUAGES}
    english = raw["en"]
    kinds = {
        name: AnswerKind(
            asks=_any_of(kind["asks"]),
            answers=_any_of(kind["answers"]) if "answers" in kind else None,
            numbers=kind.get("numbers", False),
            names=kind.get("names", False),
        )
        for name, kind in _joined(raw, "kinds").items()
    }
    signals = {name: _any_of(words) for name, words in _joined(raw, "signals").items()}
    words = _joined(raw, "words")
    calendar = _calendar()
    parts = {"{calendar}": f"(?:{alternatives(calendar)})"}
    parts["{number}"] = f"(?:{alternatives(words['numbers'])})"
    denials = (language["patterns"]["denies"] for language in raw.values())
    parts["{denies}"] = f"(?:{'|'.join(map(_alone, denials))})"
    for name, pattern in _whole(raw, "patterns", parts).items():
        words_too = f"{signals[name].pattern}|" if name in signals else ""
        signals[name] = re.compile(f"{words_too}{pattern.pattern}")
    return Lexicon(
        signals=MappingProxyType(signals),
        kinds=MappingProxyType(kinds),
        numbers=frozenset(words["numbers"]),
        vague=frozenset(words["vague"]),
        calendar=calendar,
        empty=frozenset(words["empty"]),
        shared=frozenset(words["shared"]),
        endings=tuple(words["endings"]),
        speaker=frozenset(words["speaker"]),
        determiners=frozenset(words["determiners"]),
        copulas=frozenset(words["copulas"]),
        hints=frozenset(words["hints"]),
        speaks=MappingProxyType(
            {k: frozenset(v["words"].get("speaks", ())) for k, v in raw.items()}
        ),
        phrases=MappingProxyType(english["phrases"]),
        abilities=MappingProxyType(
            {name: _any_of(ws) for name, ws in english["abilities"].items()}
        ),
        sums=MappingProxyType(_joined(raw, "sums")),
        left_out=MappingProxyType(english["left_out"]),
        short=MappingProxyType({k: MappingProxyType(v["short"]) for k, v in raw.items()}),
        turned=MappingProxyType(english["turned"]),
        pronouns=MappingProxyType(english["pronouns"]),
        asks=MappingProxyType(_asks(raw)),
        courtesies=MappingProxyType(_whole(raw, "courtesies")),
        spoken=MappingProxyType({k: MappingProxyType(v["phrases"]) for k, v in raw.items()}),
        value_names=MappingProxyType(_joined(raw, "value_names")),
    )


def _read(language: str) -> dict[str, Any]:
    return tomllib.loads((FOLDER / f"{language}.toml").read_text(encoding="utf-8"))


def _joined(raw: Mapping[str, dict[str, Any]], table: str) -> dict[str, Any]:
    """A table of several languages in one: lists go on, tables are joined, of a word the first holds."""
    joined: dict[str, Any] = {}
    for language in raw.values():
        for name, value in language.get(table, {}).items():
            before = joined.get(name)
            if isinstance(before, list):
                joined[name] = [*before, *value]
            elif isinstance(before, dict):
                joined[name] = before | {k: [*before.get(k, []), *v] for k, v in value.items()}
            else:
                joined.setdefault(name, value)
    return joined


def _whole(
    raw: Mapping[str, dict[str, Any]], table: str, parts: Mapping[str, str] = MappingProxyType({})
) -> dict[str, re.Pattern[str]]:
    """Patterns of several languages in one each, with their named parts put in."""
    found: dict[str, list[str]] = {}
    for language in raw.values():
        for name, pattern in language.get(table, {}).items():
            found.setdefault(name, []).append(_alone(filled(pattern, parts)))
    return {name: re.compile("|".join(ps)) for name, ps in found.items()}


def _alone(pattern: str) -> str:
    """A pattern as one of several; what it says of itself as a whole holds of it alone."""
    if pattern.startswith(VERBOSE):
        return f"(?x:{pattern.removeprefix(VERBOSE)}\n)"
    return f"(?:{pattern})"


def _calendar() -> frozenset[str]:
    """The months and days of the week in all their forms, as the words of time have them."""
    times = _read("times")
    kinds = [times[language]["kinds"] for language in LANGUAGES]
    said = (w for k in kinds for kind in ("MONTH", "WEEKDAY") for w in k[kind].values())
    return frozenset(word for several in said for word in several.split("|"))


def _asks(raw: Mapping[str, dict[str, Any]]) -> dict[str, re.Pattern[str]]:
    """What is asked of the being, with the courtesies of its language around it."""
    dressed = {}
    for language, words in raw.items():
        small = words["courtesies"]
        parts = {"{when}": small["when"], "{day}": rf"{NAMED_DAY}\d*"}
        parts["{calendar}"] = f"(?:{alternatives(_calendar())})"
        dressed[language] = {
            "asks": {
                name: f"{small['before']}(?:{filled(pattern, parts)}){small['after']}"
                for name, pattern in words["asks"].items()
            }
        }
    return _whole(dressed, "asks")


def filled(pattern: str, parts: Mapping[str, str]) -> str:
    """A pattern with its named parts put in."""
    for name, part in parts.items():
        pattern = pattern.replace(name, part)
    return pattern


def alternatives(words: Iterable[str]) -> str:
    """A pattern for any of some words, the longest first."""
    return "|".join(map(re.escape, sorted(words, key=len, reverse=True)))


def _any_of(words: list[str]) -> re.Pattern[str]:
    longest_first = sorted(words, key=len, reverse=True)
    return re.compile(r"(?<![\w'])(?:" + "|".join(map(re.escape, longest_first)) + r")(?![\w'])")
