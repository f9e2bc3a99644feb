"""Names that are typed in small letters: owen of "my mate owen", семён of «кот семён», hull of "lives in hull".

Pure. They are guessed by where they stand, and only in texts that have no capital letter inside; what has capitals
is read by those (reading.py). The words stand in lexicon/small_names.toml.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from itertools import pairwise

from lumen.kernel.language.lexicon import FOLDER, lexicon

TOKEN = re.compile(r"[^\W\d_][\w'’-]*")
INSIDE = re.compile(r"(?<=\S)\s+(?!I\b)[A-ZÄÖÜА-ЯЁ]")  # noqa: RUF001 - Russian
OWNED = re.compile(r"['’]s?$")


@dataclass(frozen=True, slots=True)
class _Places:
    bearers: re.Pattern[str]
    gives: re.Pattern[str]
    no_name: re.Pattern[str]
    no_place: re.Pattern[str]
    who_is: re.Pattern[str]
    located: frozenset[str]


@cache
def _places() -> _Places:
    raw = tomllib.loads((FOLDER / "small_names.toml").read_text("utf-8"))
    people = tomllib.loads((FOLDER / "followups.toml").read_text("utf-8"))
    latin = [words for spoken in ("en", "de") for words in people[spoken]["people"].values()]
    forms = [
        form for each in people["ru"]["people"].values() for row in each for form in row.split()
    ]
    bearers = "|".join([*latin, *forms, *raw["bearers"]])
    located = tomllib.loads((FOLDER / "answer_kinds.toml").read_text("utf-8"))["located"]
    return _Places(
        re.compile(rf"(?:{bearers})"),
        re.compile(rf"(?<!\w){raw['gives']}\s+(?P<name>[^\W\d_][\w-]*)"),
        re.compile(rf"(?:{raw['no_name']})"),
        re.compile(rf"(?:{raw['no_place']})"),
        re.compile(rf"(?<!\w){raw['who_is']}"),
        frozenset(located),
    )


def small_names(text: str) -> set[str]:
    """What a text in small letters seems to call somebody."""
    if INSIDE.search(text):
        return set()
    plain, words = text.lower().replace("’", "'"), _places()
    found = {one["name"] for one in words.gives.finditer(plain)}
    found |= {
        OWNED.sub("", name)
        for before, name in _neighbours(plain)
        if words.bearers.fullmatch(before) and not words.bearers.fullmatch(name)
    }
    return (
        {n for n in found if not words.no_name.fullmatch(n)} - lexicon().empty - lexicon().calendar
    )


def small_places(text: str) -> set[str]:
    """Where something may be, in a text in small letters."""
    if INSIDE.search(text):
        return set()
    words = _places()
    found = {name for before, name in _neighbours(text.lower()) if before in words.located}
    return {n for n in found if not words.no_place.fullmatch(n)} - lexicon().calendar


def tells_who(text: str, question: str) -> bool:
    """Whether a question is who somebody is, and a text in small letters names them with what they are."""
    asked = _places().who_is.search(question.lower().replace("’", "'"))
    return asked is not None and asked["who"] in small_names(text)


def _neighbours(plain: str) -> Iterable[tuple[str, str]]:
    """Words that stand side by side with nothing but a space between."""
    for one, other in pairwise(TOKEN.finditer(plain)):
        if plain[one.end() : other.start()].isspace():
            yield one[0], other[0]
