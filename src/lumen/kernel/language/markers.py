"""What the words of a message show of how sure it is and how it wants to be answered.

Signals read off by patterns (lexicon/orient.toml): what follows from them is decided in the steps.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from types import MappingProxyType
from typing import Any, Literal

from lumen.core.exposure import Plain
from lumen.kernel.language.lexicon import FOLDER, LANGUAGES, lexicon
from lumen.kernel.language.reading import names, plainly

Role = Literal["author", "being", "others"]
ROLES: tuple[Role, ...] = ("author", "being", "others")
OPENS = frozenset({"work", "language", "keep"})  # patterns that say themselves where they stand
MOST_MARKERS = 4
WAVED_OFF = re.compile(
    r"(?:don't|do not|no need|needn't|without|not|не|без|nicht|ohne)\W+(?:[\w']+\W+){0,3}$"
)
ONLY_OPENING = 24  # characters in which a statement can say how it wants to be answered


@dataclass(frozen=True, slots=True)
class AnswerLimits:
    """How a message asks to be answered; what it does not say is 0, false or empty."""

    sentences: Plain[int] = 0
    brief: Plain[bool] = False
    only_result: Plain[bool] = False
    steps: Plain[bool] = False
    shape: Plain[bool] = False  # a table, a list, an outline
    language: Plain[str] = ""


NO_LIMITS = AnswerLimits()


@cache
def _told() -> Mapping[str, Any]:
    return tomllib.loads((FOLDER / "orient.toml").read_text("utf-8"))


@cache
def _pattern(name: str) -> re.Pattern[str]:
    each = "|".join(f"(?:{_told()[language][name]})" for language in LANGUAGES)
    if name in OPENS:
        return re.compile(each)
    return re.compile(rf"(?<![\w'])(?:{each})(?![\w'])")


def likelier(kind: str) -> Mapping[str, float]:
    """How much likelier a kind of message, or a marker, makes each reason to say it."""
    return MappingProxyType(_told()["likelier"].get(kind, {}))


def marked(name: str, text: str) -> bool:
    """Whether a marker stands in a text; one of work, at its beginning."""
    plain = plainly(text)
    return (_pattern(name).match if name == "work" else _pattern(name).search)(plain) is not None


def markers(name: str, text: str) -> tuple[str, ...]:
    """The words of a marker that a text has, each once."""
    found = dict.fromkeys(m[0] for m in _pattern(name).finditer(plainly(text)))
    return tuple(found)[:MOST_MARKERS]


def roles(text: str) -> tuple[Role, ...]:
    """Who stands in a message: its author, the being, others."""
    lex = lexicon()
    others = lex.has("others", text) or bool(names(text))
    stand = (lex.has("first_person", text), lex.has("second_person", text), others)
    return tuple(role for role, there in zip(ROLES, stand, strict=True) if there)


def asks_depth(text: str, *, asks: bool) -> bool:
    """Whether a message asks for thought, and does not wave it off; one that asks nothing says so first."""
    plain = plainly(text)
    return any(
        (asks or found.start() <= ONLY_OPENING) and not WAVED_OFF.search(plain[: found.start()])
        for found in _pattern("depth").finditer(plain)
    )


def limits(text: str, *, asks: bool) -> AnswerLimits:
    """How a message asks to be answered; one that only tells something is brief by its beginning alone."""
    plain = plainly(text)
    where = plain if asks else plain[:ONLY_OPENING].partition(":")[0] if ":" in plain else ""
    counted = _pattern("sentences").search(plain)
    spoken = _pattern("language").search(plain)
    return AnswerLimits(
        sentences=_count(counted) if counted else 0,
        brief=_pattern("brief").search(where) is not None,
        only_result=_pattern("only_result").search(plain) is not None,
        steps=_pattern("steps").search(plain) is not None,
        shape=asks and _pattern("shape").search(plain) is not None,
        language=_told()["languages"][_named(spoken)] if spoken else "",
    )


def _count(found: re.Match[str]) -> int:
    said = _named(found)
    return int(said) if said.isdigit() else int(_told()["numbers"].get(said, 1))


def _named(found: re.Match[str]) -> str:
    return next(filter(None, found.groupdict().values()), "")
