"""The times a text names, as far as words go: no calendar, no now, no zone.

A rule of the lexicon finds a piece ("next week", "on Monday", "at half past nine"); pieces side by
side are put together, and what stands before them ("since", "around", "from … to") is read.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import cast

from lumen.kernel.language.times.phrase import Every, Open, Phrase
from lumen.kernel.language.times.pieces import MADE, TakenWords
from lumen.kernel.language.times.rules import Captured, TimeRule, Token, matched
from lumen.kernel.language.times.tokens import cut, read
from lumen.kernel.language.times.words import LANGUAGES, TimeWords, time_words

LOOKED_AT = 4_000  # characters of a text
KEEPS_ITS_FIRST = frozenset(
    {"ahead", "back", "ahead_half", "back_half", "shifted", "clocks", "days", "weekday_after"}
)
LINKS = frozenset({"PREP", "PREP_SURE", "YEAR_PREP", "LINK"})  # needed, and no part of the time
ARTICLES = frozenset(["the", "den", "dem", "der"])
PERIODS = frozenset({"whole", "month", "year", "season"})
MOST_BEFORE = 3  # words before a time that say how it is meant


def phrases(text: str) -> tuple[Phrase, ...]:
    """The times a text names, in the language that accounts for most of it."""
    runs = cut(text[:LOOKED_AT])
    found = [
        [phrase for run in runs for phrase in _named(run, time_words(language))]
        for language in LANGUAGES
    ]
    return tuple(max(found, key=lambda named: sum(p.stop - p.start for p in named)))


def names_time(text: str) -> bool:
    """Whether a text names any time, other than how often something is."""
    known = [time_words(language) for language in LANGUAGES]
    return any(
        phrase.every is None
        for run in cut(text[:LOOKED_AT])
        for words in known
        for phrase in _named(run, words)
    )


def names_hour(text: str) -> bool:
    """Whether a text names an hour of the day."""
    return any(phrase.clock for phrase in phrases(text))


def masked(text: str, mask: str) -> str:
    """A text with a mark in place of each time it names; a year that is said stands behind it."""
    for phrase in reversed(phrases(text)):
        text = f"{text[: phrase.start]}{mask}{phrase.year or ''}{text[phrase.stop :]}"
    return text


def _named(tokens: list[Token], words: TimeWords) -> tuple[Phrase, ...]:
    known = read(tokens, words)
    pieces = _pieces(known, words) if known else []
    joined = [p for p in _joined(pieces, known) if not p[0].loose and _says_when(p[0])]
    return tuple(replace(p, language=words.language) for p in _ranged(joined, known))


Placed = tuple[Phrase, int, int]  # from which token to which


def _pieces(tokens: list[Token], words: TimeWords) -> list[Placed]:
    found: list[Placed] = []
    at = 0
    while at < len(tokens):
        piece = _longest(tokens, at, words)
        longer = piece and piece[1] > at + 1 and _longest(tokens, at + 1, words)
        if piece is None or (longer and longer[1] > piece[1]):  # "until March" before "March 3rd"
            at += 1
            continue
        if piece[0] is not None:
            found.append((piece[0], at, piece[1]))
        at = piece[1]
    return found


def _longest(tokens: list[Token], at: int, words: TimeWords) -> tuple[Phrase | None, int] | None:
    """The longest piece that starts at a token; no phrase: words that only look like one."""
    if at == len(tokens):
        return None
    token, best = tokens[at], at
    chosen: tuple[Phrase | None, int] | None = None
    for key in (token.word, *token.kinds):
        for rule in words.rules.get(key, ()):
            found = matched(rule, tokens, at)
            if (
                found
                and found[0] > best
                and (made := _made(rule, found, tokens, words)) is not None
            ):
                best, chosen = found[0], made
    return chosen


def _made(
    rule: TimeRule, found: tuple[int, Captured], tokens: list[Token], words: TimeWords
) -> tuple[Phrase | None, int] | None:
    stop, captured = found
    first = captured[0][1]
    opened = tokens[first].kinds.get("OPEN", "")
    link = captured[0][0] in LINKS
    if link or (opened and captured[0][0] == "" and rule.name not in KEEPS_ITS_FIRST):
        first += 1
    else:
        opened = ""
    blank = Phrase(tokens[first].start, tokens[stop - 1].stop)
    made = MADE[rule.name](TakenWords(tokens, captured, words), blank)
    if made is None:
        return (None, stop) if rule.name == "greeting" else None
    return replace(made, open=cast("Open", opened)), stop


def _joined(pieces: list[Placed], tokens: Sequence[Token]) -> list[Placed]:
    """Pieces that stand side by side and tell of one time, as one."""
    found: list[Placed] = []
    for piece in pieces:
        before = found[-1] if found else None
        if before and _beside(before[2], piece[1], tokens) and (both := _both(before[0], piece[0])):
            found[-1] = (both, before[1], piece[2])
        else:
            found.append(piece)
    return found


def _beside(stop: int, start: int, tokens: Sequence[Token]) -> bool:
    return stop == start or (start == stop + 1 and tokens[stop].word == ",")


def _both(one: Phrase, other: Phrase) -> Phrase | None:
    """Two pieces as one time, where they are of one."""
    if other.open and not (one.open or one.way == ""):
        return None
    if one.shifted and one.loose and other.way in ("date", "weekday", "month_day", "shift", "iso"):
        return replace(other, start=one.start, shifted=one.shifted)
    dependent = (one.shifted and one.loose) or other.shifted
    if (one.clock and other.clock) or (one.part and other.part) or dependent:
        return None
    merged = _days_of_both(one, other)
    if merged is None:
        return None
    timed = one if one.clock or one.last_clock else other
    part = one.part or other.part
    if (timed.clock or part) and not (merged.of_a_day or merged.way == ""):
        return None
    return replace(
        merged,
        start=one.start,
        stop=other.stop,
        clock=timed.clock,
        last_clock=timed.last_clock,
        part=part,
        open=one.open or other.open,
        every=one.every or other.every,
        vague=one.vague or other.vague,
        loose=False,
    )


def _days_of_both(one: Phrase, other: Phrase) -> Phrase | None:
    """The piece that says the day; a weekday beside a date adds nothing, beside a week it is of that week."""
    if one.way == "" or other.way == "":
        if one.loose and other.loose:
            return None
        return one if other.way == "" else other
    ways = {one.way, other.way}
    if ways == {"weekday", "date"}:
        return one if one.way == "date" else other
    if ways == {"weekday", "whole"}:
        week, day = (one, other) if one.way == "whole" else (other, one)
        plain = week.unit == "week" and day.rel is None and not day.every
        return replace(day, unit="week", count=week.count, rel=0) if plain else None
    if ways == {"weekday"} and one.every and other.every:
        days = (*one.every.weekdays, *other.every.weekdays)
        return replace(one, every=Every("week", one.every.count, days))
    return None


def _says_when(phrase: Phrase) -> bool:
    return bool(phrase.way or phrase.clock or phrase.part or phrase.every)


def _ranged(pieces: list[Placed], tokens: Sequence[Token]) -> list[Phrase]:
    """The times with what stands before them; two with "to" between them as one."""
    found: list[Phrase] = []
    taken = 0  # tokens that belong to the times so far
    place = 0
    while place < len(pieces):
        phrase, start, stop = pieces[place]
        phrase, opened = _before(phrase, start, tokens, taken)
        after = pieces[place + 1] if place + 1 < len(pieces) else None
        if after and _to(opened, phrase, after, stop, tokens):
            last = replace(after[0], open="")
            phrase = replace(phrase, stop=last.stop, open="", upto=last)
            stop, place = after[2], place + 1
        found.append(phrase)
        taken, place = stop, place + 1
    return found


def _to(opened: bool, one: Phrase, after: Placed, stop: int, tokens: Sequence[Token]) -> bool:
    """Whether what comes after a time is its end."""
    other, start, _ = after
    between = tokens[stop:start]
    said = [t for t in between if t.word not in ARTICLES]
    ends = len(said) == 1 and ("TO" in said[0].kinds or (opened and "AND" in said[0].kinds))
    ends = ends or (not between and bool(opened) and other.open == "until")
    same = bool(one.way) == bool(other.way) and not (one.every or other.every)
    return ends and same and (opened or one.way == other.way)


def _before(phrase: Phrase, start: int, tokens: Sequence[Token], least: int) -> tuple[Phrase, bool]:
    """A time with the words before it that say how it is meant, and whether it is where something begins."""
    opened = phrase.open == "since"
    for at in range(start - 1, max(least, start - MOST_BEFORE) - 1, -1):
        kinds = tokens[at].kinds
        if "EDGE" in kinds and phrase.way in PERIODS and phrase.edge is None:
            phrase = replace(phrase, edge=int(str(kinds["EDGE"])), start=tokens[at].start)
        elif "AROUND" in kinds:
            counted = phrase.clock is not None or "COUNT" in tokens[start].kinds
            phrase = replace(phrase, vague=phrase.vague or counted or kinds["AROUND"] == 1)
        elif (said := kinds.get("OPEN")) and not phrase.open:
            phrase = replace(phrase, open=cast("Open", said))
            opened = opened or said == "since"
        elif "FROM" in kinds:
            opened = True
        elif tokens[at].word not in ARTICLES:
            break
    return phrase, opened
