"""Passwords, recovery phrases and numbers of payment cards as people tell them in a sentence.

Their words are in spoken_secrets.toml. A password of plain letters, and a phrase that nobody calls one, are
not told from other words. A bank account's number (IBAN) is kept: it is told to be asked for.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

_WORD = re.compile(r"[^\s\"'`«»„“”]+")
_SENTENCE = re.compile(r"[.!?…]\s|\n|\Z")
_LOOSE_ENDS = ".,;:!?)]}…"
_SHORTEST = 6  # of a password
_LONGEST = 14  # letters of a compound before what it ends with
_NEAR = 120  # characters: as far as is looked from a name, so that time grows with the text alone
_FURTHEST = 6  # words that may stand between a name and what it is
_MARKED = re.compile(r"\w[!#$%^&*+=?]+\w")
_MEASURE = re.compile(
    r"[0-9]+[\w-]*\Z|.*-[a-z]*(?:ed|based|only|long|style|like|wide|safe)\Z|.*[0-9](?:th|st|nd|rd)\Z"
)
_NO_PASSWORD = re.compile(
    r"\[redacted\]|.*://|[^@]+@[^@]+\.|[=:(/~.$<{]|version[0-9]|v[0-9]", re.IGNORECASE
)
_ACCOUNT = re.compile(r"[A-Za-z]{2}[0-9]{2}[ -]?(?:[0-9A-Z]{4}[ -]){0,4}\Z")
_ITEM = re.compile(
    r"(?:[0-9]{1,2}[.):]?[ \t]{0,2})?(?P<word>[^\W\d_]{3,10})(?=[\s,;.]|\Z)[,;]?\s{0,3}"
)
_LINK = re.compile(
    r"[ \t]{0,3}(?:[:=–—-]|(?:is|are|was|ist|lautet|lauten|sind|это)\b:?)?[ \t]{0,3}"  # noqa: RUF001
)


class _SpokenWords(NamedTuple):
    """The table as patterns."""

    name: re.Pattern[str]
    others: re.Pattern[str]
    said: re.Pattern[str]
    turned: re.Pattern[str]
    changed: tuple[str, ...]
    back: re.Pattern[str]
    phrase: re.Pattern[str]
    hint: re.Pattern[str]  # what every name of a password has
    phrase_hints: tuple[str, ...]
    least: int
    most: int
    prose: frozenset[str]
    card: re.Pattern[str]
    cards: tuple[tuple[re.Pattern[str], frozenset[int]], ...]


def spoken_spans(text: str, lower: str) -> list[tuple[int, int]]:
    """Where such secrets stand; `lower` is the text in lower case, place by place."""
    found = [*_passwords(text, lower)]
    if any(hint in lower for hint in _words().phrase_hints):
        found += _phrases(text)
    return [*found, *_cards(text)]


@cache
def _words() -> _SpokenWords:
    raw = tomllib.loads(Path(__file__).with_suffix(".toml").read_text("utf-8"))
    password, phrase = raw["password"], raw["phrase"]
    name = rf"(?<![\w-])(?:{'|'.join(password['names'])})(?![\w-])"
    back, owner = "|".join(password["back"]), "|".join(password["owners"])
    back = rf"(?P<value>\S{{6,64}})[ \t](?:{back})(?:[ \t](?:{owner})){{0,3}}[ \t]\Z"
    return _SpokenWords(
        re.compile(name, re.IGNORECASE),
        _whole(password["others"]),
        _whole(password["said"]),
        _whole(password["turned"]),
        tuple(password["changed"]),
        re.compile(back, re.IGNORECASE),
        re.compile(rf"(?<![\w-])(?:{'|'.join(phrase['names'])})(?![\w-])", re.IGNORECASE),
        re.compile("|".join(password["hints"])),
        tuple(phrase["hints"]),
        phrase["least"],
        phrase["most"],
        frozenset(phrase["prose"]),
        re.compile("|".join(raw["card"]["shapes"])),
        tuple(map(_kind, raw["card"]["kinds"])),
    )


def _whole(words: list[str]) -> re.Pattern[str]:
    return re.compile(rf"(?:{'|'.join(words)})\Z", re.IGNORECASE)


def _kind(raw: dict[str, Any]) -> tuple[re.Pattern[str], frozenset[int]]:
    return re.compile(raw["begins"]), frozenset(raw["lengths"])


def _passwords(text: str, lower: str) -> Iterator[tuple[int, int]]:
    words, done = _words(), 0
    for hint in words.hint.finditer(lower):
        name = _named(text, hint.start()) if hint.start() >= done else None
        if name:
            found, done = _behind(text, name)
            yield from found or _ahead(text, name)


def _named(text: str, at: int) -> re.Match[str] | None:
    """The name of a password that a hint is of: it begins where its word, or the one before, does."""
    begun = at
    while begun > max(0, at - _LONGEST) and (text[begun - 1].isalpha() or text[begun - 1] == "-"):
        begun -= 1
    return _words().name.match(text, begun)


def _ahead(text: str, name: re.Match[str]) -> Iterator[tuple[int, int]]:
    """Where a password stands before its name: "Quartz99 is my password"."""
    near = max(0, name.start() - _NEAR)
    if text[name.start() - 1 : name.start()] not in (" ", "\t"):
        return
    if turned := _words().back.search(text[near : name.start()]):
        value = turned["value"].strip("\"'`«»„“”")
        if _is_password(value):
            at = near + turned.start("value") + turned["value"].index(value)
            yield at, at + len(value)


def _behind(text: str, name: re.Match[str]) -> tuple[list[tuple[int, int]], int]:
    """Where a password stands behind its name, and the one that takes its place; how far was looked."""
    words, spans = _words(), []
    end = _end_of_sentence(text, name.end())
    linked, first, stop = True, True, name.end()
    for count, found in enumerate(_WORD.finditer(text, name.end(), end)):
        word = found.group().rstrip(_LOOSE_ENDS)
        if count > _FURTHEST or (first and words.others.match(word)):
            break
        stop = found.end()
        if linked and _is_password(word) and (not first or _ends_here(text, found, word)):
            spans.append((found.start(), found.start() + len(word)))
            linked = False
        else:
            linked = _links(text, name, found.group()) or (first and not word)
        first = first and not word
    return spans, stop


def _links(text: str, name: re.Match[str], word: str) -> bool:
    """Whether what follows a word is what was named."""
    words = _words()
    if words.said.match(word.rstrip(":")):
        return True
    near = text[max(0, name.start() - _NEAR) : name.end() + _NEAR]
    return bool(words.turned.match(word)) and any(
        one.startswith(words.changed) for one in near.lower().split()
    )


def _ends_here(text: str, found: re.Match[str], word: str) -> bool:
    """Whether a word that follows the name at once is the last of its clause."""
    rest = text[(at := found.start() + len(word)) : at + _NEAR]
    return not rest.strip() or rest[0] in _LOOSE_ENDS or rest.startswith("\n")


def _end_of_sentence(text: str, at: int) -> int:
    found = _SENTENCE.search(text, at, at + _NEAR)
    return found.start() + 1 if found else min(len(text), at + _NEAR)


def _is_password(word: str) -> bool:
    """Whether a word is none that anybody says: letters with figures among them, or marks."""
    if len(word) < _SHORTEST or _NO_PASSWORD.match(word) or _MEASURE.match(word):
        return False
    letters = any(char.isalpha() for char in word)
    return letters and (any(char.isdigit() for char in word) or bool(_MARKED.search(word)))


def _phrases(text: str) -> Iterator[tuple[int, int]]:
    words = _words()
    for name in words.phrase.finditer(text):
        link = _LINK.match(text, name.end())
        at = start = link.end() if link else name.end()
        stop, count = at, 0
        while count < words.most and (item := _ITEM.match(text, at)):
            if item["word"].lower() in words.prose:
                break
            at, stop, count = item.end(), item.end("word"), count + 1
        if count >= words.least:
            yield start, stop


def _cards(text: str) -> Iterator[tuple[int, int]]:
    for found in _words().card.finditer(text):
        figures = re.sub("[^0-9]", "", found.group())
        if _is_card(figures) and not _ACCOUNT.search(
            text[max(0, found.start() - 30) : found.start()]
        ):
            yield found.span()


def _is_card(figures: str) -> bool:
    kinds = _words().cards
    fits = any(len(figures) in lengths and begins.match(figures) for begins, lengths in kinds)
    return fits and len(set(figures)) > 1 and _luhn(figures) % 10 == 0


def _luhn(figures: str) -> int:
    doubled = "0246813579"
    turns = enumerate(reversed(figures))
    return sum(int(doubled[int(figure)]) if at % 2 else int(figure) for at, figure in turns)
