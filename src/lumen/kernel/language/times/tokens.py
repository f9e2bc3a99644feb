"""A text cut into tokens that know what they may mean; only what stands near a word of time is looked at."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import replace
from functools import cache

from lumen.kernel.language.times.rules import Kinds, Token, Value
from lumen.kernel.language.times.words import LANGUAGES, TOKEN, TimeWords, counted, time_words

DATED = re.compile(r"(\d{1,2})([./])(\d{1,2})(?:\2(\d{4}|\d{2}))?")
CLOCK = re.compile(r"([01]?\d|2[0-3])[:.]([0-5]\d)")
CENTURY = range(1900, 2100)
MONEY = "$€£#№§"
ENDS = ".!?…\n"
AFTER_NUMBERS = frozenset({"am", "pm", "a.m.", "p.m.", "a.m", "p.m", "st", "nd", "rd", "th"})
TELLING_FIGURE = re.compile(r"(?:19|20)\d\d(?!\d)|\d{1,2}[./:]\d{1,2}(?!\d)")
AROUND = 10  # tokens: more than any rule is long


def cut(text: str) -> list[list[Token]]:
    """The tokens near words of time, in runs; figures with what they may mean in any language."""
    matches = list(TOKEN.finditer(text))
    said = [m[0].lower() for m in matches]
    telling, hours, _ = _told()
    runs: list[tuple[int, int]] = []
    for place, word in enumerate(said):
        if word in telling or ((word in hours or word[0].isdigit()) and _may_tell(said, place)):
            start, stop = max(0, place - AROUND), place + AROUND + 1
            if runs and start <= runs[-1][1]:
                runs[-1] = (runs[-1][0], stop)
            else:
                runs.append((start, stop))
    return [_tokens(matches, start, stop) for start, stop in runs]


def _may_tell(said: list[str], place: int) -> bool:
    """Whether a number is of a kind, or stands so, that it may be a time without another word of time."""
    word = said[place]
    if len(word) > 2 and word[0].isdigit():
        return TELLING_FIGURE.match(word) is not None
    before = said[place - 1] if place else "^"
    after = said[place + 1] if place + 1 < len(said) else ""
    return before in _told()[2] or after in AFTER_NUMBERS


@cache
def _told() -> tuple[frozenset[str], ...]:
    """Words that tell of time in any language, numbers, and what stands before an hour."""
    known = [time_words(language) for language in LANGUAGES]
    empty: frozenset[str] = frozenset()
    return (
        empty.union(*({f"{t}'s", f"{t}’s"} | {t} for w in known for t in w.telling)),
        empty.union(*(w.hours for w in known)),
        empty.union(*(w.before_hours for w in known)),
    )


def _tokens(matches: list[re.Match[str]], start: int, stop: int) -> list[Token]:
    found: list[Token] = []
    for place in range(start, min(stop, len(matches))):
        match = matches[place]
        word, before = match[0], matches[place - 1] if place else None
        glued = before is not None and before.end() == match.start()
        kinds: Kinds = {}
        if match.lastgroup == "iso":
            kinds = {"ISO": word}
        elif match.lastgroup == "figure" and not (glued and before and _counts_no_time(before[0])):
            kinds = _figure(word)
        capital = word[0].isupper() and before is not None and before[0] not in ENDS
        lower, mark = word.lower().replace("’", "'"), match.lastgroup == "mark"
        found.append(Token(match.start(), match.end(), lower, kinds, capital, mark, glued))
    return found


def _counts_no_time(before: str) -> bool:
    """Whether what a figure hangs on makes it a price, a name or a number of something."""
    return before in MONEY or before.isalpha()


def _figure(word: str) -> dict[str, Value]:
    if word.isdecimal():
        number = int(word)
        if len(word) == 4:
            years: dict[str, Value] = {"YEAR": number} if number >= 1000 else {}
            return years | ({"CENTURY": number} if number in CENTURY else {})
        return counted(number, figure=word) if len(word) < 4 else {}
    if dated := DATED.fullmatch(word):
        first, sign, second, year = dated.groups()
        kind = "DOTTED" if sign == "." else "SLASHED"
        numbers = (int(first), int(second), _whole_year(year))
        kinds: dict[str, Value] = {f"{kind}_YEAR" if year else kind: numbers}
        clock = CLOCK.fullmatch(word)
        return kinds | ({"DOTCLOCK": (int(clock[1]), int(clock[2]))} if clock else {})
    if clock := CLOCK.fullmatch(word):
        sure = word.startswith("0")
        return {"CLOCK" if ":" in word else "DOTCLOCK": (int(clock[1]), int(clock[2]), int(sure))}
    return {}


def _whole_year(year: str | None) -> int:
    if not year:
        return 0
    return int(year) if len(year) == 4 else 2000 + int(year) if int(year) < 70 else 1900 + int(year)


def read(tokens: list[Token], words: TimeWords) -> list[Token]:
    """The tokens with what they mean in one language; empty where none is a word of time."""
    if not any(
        t.kinds or t.word in words.telling or _bare(t.word) in words.telling for t in tokens
    ):
        return []
    found: list[Token] = []
    place = 0
    while place < len(tokens):
        taken, token = _joined(tokens, place, words)
        found.append(token)
        place += taken
    return found


def _joined(tokens: list[Token], place: int, words: TimeWords) -> tuple[int, Token]:
    """How many tokens are one here, and that one."""
    token = tokens[place]
    for several, kinds in words.several.get(token.word, ()):
        if len(several) <= len(tokens) - place and all(
            tokens[place + n].word == word for n, word in enumerate(several)
        ):
            return len(several), _one(tokens[place : place + len(several)], kinds)
    if "N" in token.kinds:
        return _suffixed(tokens, place, words)
    known = words.capital if token.capital else words.small
    meant = known.get(token.word)
    if not meant and (bare := _bare(token.word)) != token.word:
        meant, token = known.get(bare), replace(token, stop=token.stop - 2)
    if not meant:
        return 1, tokens[place]
    if ten := meant.get("TENS"):
        taken, kinds = _after_ten(tokens, place, words, int(str(ten)))
        return taken, _one(tokens[place : place + taken], kinds)
    return 1, _one([token], meant)


def _suffixed(tokens: list[Token], place: int, words: TimeWords) -> tuple[int, Token]:
    """A figure, or with what makes it an ordinal: 3rd, 3-th."""
    token, after = tokens[place], tokens[place + 1 : place + 3]
    dashed = len(after) == 2 and after[0].word == "-" and after[0].glued
    taken = 2 if dashed else 1
    if len(after) >= taken and after[taken - 1].glued and after[taken - 1].word in words.suffixes:
        number = token.kinds["N"]
        kinds = {"ORD": number, "DAY": number} if "DAY" in token.kinds else {}
        return taken + 1, _one(tokens[place : place + taken + 1], kinds)
    return 1, token


def _after_ten(
    tokens: list[Token], place: int, words: TimeWords, ten: int
) -> tuple[int, dict[str, Value]]:
    """Twenty, twenty-one, twenty-first."""
    at = place + 1 + (len(tokens) > place + 1 and tokens[place + 1].word == "-")
    meant = words.small.get(tokens[at].word, {}) if at < len(tokens) else {}
    for kind in ("N", "ORD"):
        one = meant.get(kind)
        if isinstance(one, int) and 1 <= one < 10:
            whole = ten + one
            ordinal: dict[str, Value] = {"ORD": whole, "DAY": whole}
            return at - place + 1, counted(whole) if kind == "N" else ordinal
    return 1, counted(ten)


def _one(tokens: Iterable[Token], kinds: Kinds) -> Token:
    several = list(tokens)
    first = several[0]
    word = " ".join(t.word for t in several)
    return Token(first.start, several[-1].stop, word, kinds, first.capital, False, first.glued)


def _bare(word: str) -> str:
    """A word without its "'s": tomorrow's, year's."""
    return word[:-2] if word.endswith("'s") else word
