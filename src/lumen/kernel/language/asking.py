"""What a question asks for and what a text has to offer it, read off by patterns of three languages.

Pure functions over text and lexicon/asking.toml; how much each signal counts is for ranking to say.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from typing import Literal

from lumen.kernel.language.lexicon import FOLDER, lexicon
from lumen.kernel.language.times.phrases import names_time, phrases

INSIDE = re.compile(r"(?<![.!?…]\s)(?<!^)\b[^\W\d_][\w-]+")  # a word that opens no sentence
MOST_CAPITALS = 4
NOBODY_ELSE = ("i", "we", "you", "ich", "wir", "du", "sie", "\u044f", "мы", "ты", "вы")
LOOKED_AT = 2000  # characters of a text that are looked at
_WAYS = ("first_person", "mine", "yours", "when", "who", "where", "time", "request")
_SUBJECT = ("to_me", "kin", "knows", "knows_last", "tells", "to_being", "anybody", "why", "reason")
About = Literal["author", "being", "world"]


@dataclass(frozen=True, slots=True)
class AskedDate:
    """A date that a question names; 0 for what it does not say."""

    year: int
    month: int
    day: int


@dataclass(frozen=True, slots=True)
class Asking:
    """What a question asks for."""

    mine: bool
    yours: bool
    when: bool
    who: bool
    where: bool
    dates: tuple[AskedDate, ...]


@dataclass(frozen=True, slots=True)
class TextShape:
    """What a text has to offer, whatever it is about."""

    asks: bool
    ends_asking: bool
    first_person: bool
    time: bool
    sure_time: bool
    capitals: int


@dataclass(frozen=True, slots=True)
class _Patterns:
    ways: dict[str, re.Pattern[str]]
    own: tuple[str, str]
    moved: tuple[tuple[re.Pattern[str], str], ...]


@cache
def _patterns() -> _Patterns:
    raw = tomllib.loads((FOLDER / "asking.toml").read_text(encoding="utf-8"))
    ways: dict[str, list[str]] = {way: [] for way in (*_WAYS, *_SUBJECT)}
    for words in raw.values():
        for way, patterns in ways.items():
            patterns.append(words[way])
    return _Patterns(
        {way: re.compile(rf"\b(?:{'|'.join(p)})\b", re.IGNORECASE) for way, p in ways.items()},
        (raw["en"]["own"][0], raw["en"]["own"][1]),
        tuple(
            (re.compile(asks, re.IGNORECASE), instead)
            for asks, instead in (words["moved"] for words in raw.values())
        ),
    )


def asking(question: str) -> Asking:
    """What a question asks for."""
    ways = _patterns().ways
    mine, yours, when, who, where = (
        ways[way].search(question) is not None for way in ("mine", "yours", "when", "who", "where")
    )
    return Asking(mine, yours, when, who, where, _dates(question))


def about(question: str, name: str = "") -> About:
    """Whom a question is about: the being it is put to, its author, or neither of them: the world.

    "Do you know where I live" is about the author, and so is what the author told the being.
    """
    ways, plain = _patterns().ways, " ".join(question.split())
    opened = ways["knows"].match(plain)
    plain = plain[opened.end() :] if opened and plain[opened.end() :].strip(" ?.!") else plain
    if last := ways["knows_last"].fullmatch(plain.strip(" ?.!")):
        plain = next(filter(None, last.groupdict().values()))
    mine = of_author(plain)
    yours = ways["to_being"].search(plain) is not None
    named = bool(name) and re.search(rf"\b{re.escape(name)}\b", plain, re.IGNORECASE) is not None
    if ways["anybody"].match(plain):
        return "author" if mine else "world"
    if (yours or named) and not (mine and ways["tells"].search(plain)):
        return "being"
    return "author" if mine else "world"


def of_author(text: str) -> bool:
    """Whether a text speaks of its author, or of somebody who goes without a "my": mum, «тёща».

    "Tell me why the sky is blue" does not: it only says who is to be told.
    """
    text = _patterns().ways["to_me"].sub(" ", text)
    return lexicon().has("first_person", text) or _patterns().ways["kin"].search(text) is not None


def asks_why(question: str) -> bool:
    """Whether a question asks for a reason."""
    return _patterns().ways["why"].search(question) is not None


def gives_reason(text: str) -> bool:
    """Whether a text gives a reason for what it says."""
    return _patterns().ways["reason"].search(text) is not None


def speaks_to_being(text: str) -> bool:
    """Whether a text says something to the being, or of it."""
    return _patterns().ways["to_being"].search(text) is not None


def shape(text: str) -> TextShape:
    """What a text has to offer."""
    text = text[:LOOKED_AT]
    ways = _patterns().ways
    named = names_time(text)
    capitals = {word for word in INSIDE.findall(text) if word[0].isupper()}
    return TextShape(
        asks="?" in text,
        ends_asking=text.rstrip().endswith("?"),
        first_person=ways["first_person"].search(text) is not None,
        time=named or ways["time"].search(text) is not None,
        sure_time=named,
        capitals=min(MOST_CAPITALS, len(capitals)),
    )


def packed(one: TextShape) -> int:
    """A shape as a small number, to be kept beside the text."""
    flags = (one.asks, one.ends_asking, one.first_person, one.time, one.sure_time)
    return sum(flag << n for n, flag in enumerate(flags)) | one.capitals << len(flags)


@cache
def unpacked(bits: int) -> TextShape:
    """A shape from its number."""
    asks, ends_asking, first_person, time, sure_time = (bool(bits >> n & 1) for n in range(5))
    return TextShape(asks, ends_asking, first_person, time, sure_time, bits >> 5)


def bare(question: str) -> str:
    """A question without what only opens it: "Remind me what my sister is called" is about no reminding."""
    opened = _patterns().ways["request"].match(question)
    return question[opened.end() :].lstrip(" ,") if opened else question


def where_moved(question: str) -> str:
    """For a question where somebody else lives, the one where they moved: that tells it too; or nothing."""
    plain = question.strip(" ?.!")
    for asks, instead in _patterns().moved:
        if found := asks.fullmatch(plain):
            who = next(filter(None, found.groupdict().values()))
            return "" if who.lower() in NOBODY_ELSE else instead.format(who=who)
    return ""


def in_first_person(question: str, names: Iterable[str]) -> str:
    """A question as those it names would put it of themselves: who tells of himself says "I"."""
    subject, owner = _patterns().own
    for name in map(re.escape, sorted(names)):
        question = re.sub(rf"\b{name}['’]s\b", owner, question, flags=re.IGNORECASE)
        question = re.sub(rf"\b{name}\b", subject, question, flags=re.IGNORECASE)
    return question


def _dates(question: str) -> tuple[AskedDate, ...]:
    """The months and days of a month that a question names; relative ones need a now."""
    named = (p for p in phrases(question) if p.way in ("date", "month"))
    return tuple(AskedDate(p.year, p.month, p.day) for p in named)
