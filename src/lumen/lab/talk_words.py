"""What the rules of `lumen lab talk` are made of: patterns of words, and dates by the clock of the scene."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import cache

import Stemmer

from lumen.lab.talk_data import FOLDER

ALIKE = str.maketrans({"’": "'", "\u0451": "\u0435", "\u0401": "\u0415"})
QUOTED = re.compile(r"“[^”]*”|„[^“”]*[“”]|«[^»]*»|\"[^\"\n]*\"")
WORD = re.compile(r"[^\W_]+(?:['-][^\W_]+)*(?:[.:,]\d+)*%?")
GROUPED = re.compile(r"(?<=\d)[ \u00a0\u202f,](?=\d{3}(?!\d))")
DATED = re.compile(r"\{(time|day|weekday)([+-]\d+)?\}")
STEMMERS = {"en": "english", "ru": "russian"}
MONTHS = {
    "en": "January February March April May June July August September October November December",
    "ru": "января февраля марта апреля мая июня июля августа сентября октября ноября декабря",
}
WEEKDAYS = {
    "en": "Monday Tuesday Wednesday Thursday Friday Saturday Sunday",
    "ru": "понедельник* вторник* сред* четверг* пятниц* суббот* воскресень*",
}


@dataclass(frozen=True, slots=True)
class Words:
    """Groups of words in a language, and those that state nothing."""

    language: str
    groups: Mapping[str, str]
    person: Mapping[str, str]
    plain: frozenset[str]  # stems

    def stems(self, text: str) -> frozenset[str]:
        """The words of a text, whatever their endings."""
        return frozenset(map(self.stem, WORD.findall(plainly(text))))

    def stem(self, word: str) -> str:
        """A word without its ending, and without a verb that leans on it: I'm, it's."""
        bare, apostrophe, _ = word.lower().partition("'")
        return str(_stemmer(self.language).stemWord(bare if apostrophe else word.lower()))

    def says(self, pattern: str, text: str) -> bool:
        """Whether a text has what a pattern wants: all that `&` joins, one of what `|` joins."""
        return bool(pattern) and all(
            any(self._has(one.strip(), text) for one in part.split("|"))
            for part in pattern.split("&")
        )

    def found(self, pattern: str, text: str) -> str:
        """Which of the words that `|` joins is in a text first; empty: none."""
        return next((one for one in pattern.split("|") if self._has(one.strip(), text)), "")

    def _has(self, one: str, text: str) -> bool:
        if one == "?":
            return "?" in text
        if one.startswith("@"):
            return self.says(self.groups[one[1:]], text)
        return bool(one) and bool(_pattern(one).search(plainly(text)))


@cache
def words_of(language: str) -> Words:
    """The words of a language, from its file."""
    told = tomllib.loads((FOLDER / "words" / f"{language}.toml").read_text("utf-8"))
    bare = Words(language, told["groups"], told["person"], frozenset())
    plain = bare.stems(" ".join((*told["plain"].values(), *told["groups"].values())))
    return Words(language, told["groups"], told["person"], plain)


def plainly(text: str) -> str:
    """Text with one kind of apostrophe and of the Russian e, and numbers without a mark between thousands."""
    return GROUPED.sub("", text.translate(ALIKE))


def own_words(reply: str) -> str:
    """A reply without what it quotes."""
    return QUOTED.sub(" … ", reply)


def quotes(reply: str) -> list[str]:
    """What a reply quotes."""
    return [quote[1:-1] for quote in QUOTED.findall(reply)]


def dated(pattern: str, at: datetime, language: str) -> str:
    """A pattern with the times and days that it means."""
    return DATED.sub(
        lambda found: "|".join(_said(found[1], int(found[2] or 0), at, language)), pattern
    )


def _said(kind: str, ahead: int, at: datetime, language: str) -> Iterator[str]:
    day = at + timedelta(days=ahead)
    if kind == "time":
        yield from (f"{at:%H:%M}", f"{at.hour % 12 or 12}:{at:%M}")
    elif kind == "weekday":
        yield WEEKDAYS[language].split()[day.weekday()]
    else:
        month = MONTHS[language].split()[day.month - 1]
        yield from (f"{day.day} {month}", f"{day:%Y-%m-%d}", f"{day.day}.{day:%m}")
        if language == "en":
            yield from (
                f"{month} {day.day}",
                *(f"{day.day}{end}" for end in ("st", "nd", "rd", "th")),
            )


@cache
def _pattern(one: str) -> re.Pattern[str]:
    body = re.escape(plainly(one)).replace(r"\*", r"\w*")
    return re.compile(rf"(?<!\w)(?<!\d[.,:]){body}(?!\w)(?![.,:]\d)", re.IGNORECASE)


@cache
def _stemmer(language: str) -> Stemmer.Stemmer:
    return Stemmer.Stemmer(STEMMERS[language])
