"""The words of time of a language and what they mean, from lexicon/times.toml."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

from lumen.kernel.language.lexicon import FOLDER
from lumen.kernel.language.times.rules import Kinds, TimeRule, Value, parsed, plain_words

LANGUAGES = ("en", "ru", "de")
TOKEN = re.compile(
    r"(?P<iso>\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d(?:\.\d{1,6})?)?(?:Z|[+-]\d\d:\d\d(?::\d\d)?)?)?(?![\d-]))"
    r"|(?P<figure>\d+(?:[.:/,]\d+)*)"
    r"|(?P<word>[ap]\.m\.?(?!\w)|[^\W\d_]+(?:['’][^\W\d_]+)?)"
    r"|(?P<mark>[^\w\s])",
    re.IGNORECASE,
)
# Plain words of rules that most texts have too.
COMMON = frozenset({"at", "um", "am", "zum", "the", "bis", "."})


@dataclass(frozen=True, slots=True)
class TimeWords:
    """What the words of one language mean, and the rules by which they make times."""

    language: str
    small: Mapping[str, Kinds]  # what a word means in small letters or at the start of a sentence
    capital: Mapping[str, Kinds]
    several: Mapping[str, tuple[tuple[tuple[str, ...], Kinds], ...]]  # phrases by their first word
    telling: frozenset[str]  # a time needs one of these, or a figure
    hours: frozenset[str]  # numbers as words
    before_hours: frozenset[str]  # what stands before an hour that is said alone
    suffixes: frozenset[str]
    rules: Mapping[str, tuple[TimeRule, ...]]  # by the word or kind they may start with
    month_first: bool


@cache
def _raw() -> dict[str, Any]:
    return tomllib.loads((FOLDER / "times.toml").read_text("utf-8"))


@cache
def time_words(language: str) -> TimeWords:
    """The words of a language."""
    raw = _raw()[language]
    said: dict[tuple[str, ...], dict[str, Value]] = {}
    for kind, phrase, value in _entries(raw["kinds"], raw.get("joined", "")):
        said.setdefault(tuple(m[0] for m in TOKEN.finditer(phrase)), {})[kind] = value
    weak, named = (frozenset(raw[key].split("|")) for key in ("weak", "named"))
    written = {
        words: [
            _written(kinds, words[0] in weak and not capital, words[0] in weak | named)
            for capital in (0, 1)
        ]
        for words, kinds in said.items()
    }
    several: dict[str, list[tuple[tuple[str, ...], Kinds]]] = {}
    for words in sorted((w for w in written if len(w) > 1), key=len, reverse=True):
        several.setdefault(words[0], []).append((words, written[words][0]))
    alone = {words[0]: kinds for words, kinds in said.items() if len(words) == 1}
    glue = frozenset(_raw()["glue"].split("|"))
    telling = {word for word, kinds in alone.items() if not kinds.keys() <= glue}
    rare = plain_words(raw["rules"], "clock", "day_of_month", "every_weekday")
    return TimeWords(
        language=language,
        small={words[0]: kinds[0] for words, kinds in written.items() if len(words) == 1},
        capital={words[0]: kinds[1] for words, kinds in written.items() if len(words) == 1},
        several={first: tuple(known) for first, known in several.items()},
        telling=frozenset(telling | (rare - alone.keys() - COMMON)),
        hours=frozenset(word for word, kinds in alone.items() if "NUMBER" in kinds),
        before_hours=frozenset(raw["before_hours"].split("|")),
        suffixes=frozenset(raw["suffixes"].split("|")),
        rules=parsed(raw["rules"]),
        month_first=raw["slashed"] == "month",
    )


def _written(meant: Kinds, weak: bool, named: bool) -> dict[str, Value]:
    """What a word means, with the kinds that depend on how it is written and what else it may be."""
    kinds = dict(meant)
    for kind in ("MONTH", "WEEKDAY"):
        short = kinds.pop(f"SHORT_{kind}", None)
        if short is not None:
            kinds |= {} if weak else {kind: short, f"SURE_{kind}": short}
        elif (full := kinds.get(kind)) is not None:
            kinds |= {} if weak else {f"SURE_{kind}": full}
            kinds |= {} if named else {f"LONE_{kind}": full}
    if isinstance(number := kinds.pop("NUMBER", None), int):
        kinds |= counted(number)
    if isinstance(ordinal := kinds.get("ORDINAL"), int):
        kinds |= {"ORD": ordinal, "DAY": ordinal}
    some = kinds.get("ONE", kinds.get("SOME"))
    return kinds | ({"COUNT": some} if some is not None else {})


def _entries(
    kinds: Mapping[str, Mapping[str, str]], joined: str
) -> Iterator[tuple[str, str, Value]]:
    """Each word or phrase with its kind and its value."""
    for kind, values in kinds.items():
        for value, said in values.items():
            number = value.removeprefix("-").isdecimal()
            yield from ((kind, word, int(value) if number else value) for word in said.split("|"))
    if joined:
        yield from _compounds(kinds, joined)


def _compounds(
    kinds: Mapping[str, Mapping[str, str]], joined: str
) -> Iterator[tuple[str, str, Value]]:
    """What German writes as one word: einundzwanzig, einundzwanzigsten, Montagabend."""
    for ten, tens in kinds["TENS"].items():
        for one in range(1, 10):
            said = (
                kinds["NUMBER"][str(one)].removesuffix("s")
                if one == 1
                else kinds["NUMBER"][str(one)]
            )
            for word in tens.split("|"):
                whole = f"{said}{joined}{word}"
                yield "NUMBER", whole, int(ten) + one
                yield from (
                    ("ORDINAL", f"{whole}{end}", int(ten) + one) for end in ("ste", "sten", "ster")
                )
    for day, names in kinds["WEEKDAY"].items():
        for part, said in kinds["PART"].items():
            for name in names.split("|"):
                yield from (
                    ("WEEKDAY_PART", f"{name}{w}", f"{day} {part}") for w in said.split("|")
                )


def counted(number: int, figure: str = "") -> dict[str, Value]:
    """What a number may be: of units, a day of a month, an hour."""
    kinds: dict[str, Value] = {"N": number, "COUNT": number}
    if 1 <= number <= 31:
        kinds["DAY"] = number
    if number <= 24:
        kinds["HOUR"] = (number % 24, int(figure.startswith("0") or number > 12))
    return kinds
