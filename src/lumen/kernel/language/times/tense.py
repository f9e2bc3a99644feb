"""Which way a time looks that leaves its year or its day out: by the tense of the clause it stands in.

A clause without a verb of its own goes on with the one before, where the time stands first in it or both
name a day; that something was moved says nothing of the day that is told beside it.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from lumen.kernel.language.times.phrase import Phrase
from lumen.kernel.language.times.rules import Kinds
from lumen.kernel.language.times.tokens import ENDS
from lumen.kernel.language.times.words import TOKEN, time_words

Tense = Literal["", "past", "other"]
MARKS = frozenset(",;:()–—")  # noqa: RUF001 - a dash
LEADING = frozenset(
    {"PREP", "PREP_SURE", "YEAR_PREP", "OPEN", "AROUND", "TOWARDS", "FROM", "AND", "JOINS", "NOT"}
)
DAYS = frozenset({"WEEKDAY", "SHORT_WEEKDAY", "MONTH"})
LINKING = frozenset(["on", "at", "the", "of", "than", "to", "in", "am", "um", "den", "dem", "mehr"])
LINKING |= {"в", "во", "на"}
# How a Russian verb of the past ends.
ENDED = re.compile(r"[а-яё]+[аеёиуыя]л(?:[аои]|[аои]?с[ья])?")  # noqa: RUF001
SHORTEST = 4  # letters of a verb that is known by its ending


@dataclass(frozen=True, slots=True)
class _Word:
    """A word of a sentence, where it stands and what it may mean."""

    start: int
    stop: int
    text: str
    kinds: Kinds


Clause = Sequence[_Word]


def is_past(text: str, phrase: Phrase) -> bool:
    """Whether what is told of a time has happened, as far as the words go."""
    clauses = _clauses(text, phrase)
    here = next((n for n, c in enumerate(clauses) if c[-1].stop >= phrase.stop), 0)
    own = clauses[here]
    said = {kind for clause in clauses for word in clause for kind in word.kinds}
    if _towards(own, phrase, put_off="PUT_OFF" in said):
        return False
    if phrase.open == "since" and "HOLDS" in said and "FUTURE" not in said:
        return True  # "I have lived here since March"
    if tense := _tense(own, phrase.start):
        return tense == "past"
    first = _leads(own, phrase)
    for clause in reversed(clauses[:here]):
        if tense := _tense(clause, phrase.start, beside=True):
            goes_on = first or _has(own, "AND") or any(_has(clause, kind) for kind in DAYS)
            return goes_on and tense == "past"
    after = (_tense(clause, phrase.start, beside=True) for clause in clauses[here + 1 :])
    return first and next(filter(None, after), "") == "past"


def has_happened(text: str, phrase: Phrase) -> bool:
    """Whether the clause of a time tells by itself of what was."""
    clauses = _clauses(text, phrase)
    own = next((c for c in clauses if c[-1].stop >= phrase.stop), clauses[0])
    return _tense(own, phrase.start) == "past" and is_past(text, phrase)


def takes_back(text: str, phrase: Phrase) -> bool:
    """Whether a time is named as the one that does not hold: "not on Saturday", "instead of Saturday"."""
    before = [w for w in _sentence(text, phrase) if w.start < phrase.start]
    linked = set()
    while before and before[-1].text in LINKING:
        linked.add(before.pop().text)
    bounded = phrase.open in ("until", "before")  # "not until Friday" is on Friday
    told = before[-1].kinds.get("NOT") if before and not bounded else None
    return told == 1 or (told == 2 and not linked.isdisjoint(("of", "than")))


def is_exclaimed(text: str, phrase: Phrase) -> bool:
    """Whether nothing is told of a time but what somebody thinks of it: "ugh mondays"."""
    beside = [w for w in _sentence(text, phrase) if not phrase.start <= w.start < phrase.stop]
    said = [w for w in beside if w.text[0].isalnum()]
    return all("EXCLAIMS" in w.kinds or w.text in LINKING for w in said)


def _sentence(text: str, phrase: Phrase) -> list[_Word]:
    start = max(text.rfind(mark, 0, phrase.start) for mark in ENDS) + 1
    stops = [n for mark in ENDS if (n := text.find(mark, phrase.stop)) >= 0]
    words = time_words(phrase.language)
    found = []
    for match in TOKEN.finditer(text, start, min(stops, default=len(text))):
        plain = match[0].lower().replace("’", "'")
        kinds = words.small.get(plain, {})
        if not kinds and len(plain) >= SHORTEST and ENDED.fullmatch(plain):
            kinds = {"PAST": 1}
        found.append(_Word(match.start(), match.end(), plain, kinds))
    return found


def _clauses(text: str, phrase: Phrase) -> list[Clause]:
    """The sentence of a time, cut at marks, at what gives a reason, and at an "and" before the time."""
    found: list[list[_Word]] = [[]]
    words = _sentence(text, phrase)
    for place, word in enumerate(words):
        inside = phrase.start <= word.start < phrase.stop
        joins = word.kinds.get("JOINS")
        near = joins == 2 and _only_leads(words[place + 1 :], phrase)
        if (joins == 1 or near or word.text in MARKS) and not inside and found[-1]:
            found.append([])
        if word.text not in MARKS or inside:
            found[-1].append(word)
    return [clause for clause in found if clause] or [[_Word(0, len(text), "", {})]]


def _only_leads(words: Sequence[_Word], phrase: Phrase) -> bool:
    before = [w for w in words if w.start < phrase.start]
    return words[:1] != [] and words[0].start <= phrase.start and all(map(_leading, before))


def _leading(word: _Word) -> bool:
    return word.text in LINKING or bool(word.kinds.keys() & LEADING)


def _leads(clause: Clause, phrase: Phrase) -> bool:
    return all(_leading(word) for word in clause if word.start < phrase.start)


def _has(clause: Clause, kind: str) -> bool:
    return any(kind in word.kinds for word in clause)


def _towards(clause: Clause, phrase: Phrase, *, put_off: bool) -> bool:
    """Whether a time is where something was put: "moved to Friday"; "a table for Friday" says so alone."""
    near = [w for w in clause if w.start < phrase.stop and "TOWARDS" in w.kinds]
    last = [w for w in clause if w.start < phrase.start][-1:]
    to = next((w for w in near if w.start >= phrase.start or w in last), None)
    alone = to is not None and to.kinds["TOWARDS"] == 2 and phrase.way == "weekday"
    return to is not None and (put_off or alone)


def _tense(clause: Clause, at: int, *, beside: bool = False) -> Tense:
    """The tense of a clause: that of the last verb before a place, else of the first one behind it."""
    if _has(clause, "FUTURE"):
        return "other"
    told: list[tuple[int, Tense]] = []
    weak, before = False, _Word(0, 0, "", {})
    for word in clause:
        kinds = word.kinds
        got = "GOT" in kinds and "HOLDS" not in before.kinds
        gone = ("PAST" in kinds and "PASSIVE" not in before.kinds) or got
        if gone and not (beside and "PUT_OFF" in kinds):
            told.append((word.start, "past"))
        elif kinds.get("PRESENT") == 1:
            told.append((word.start, "other"))
        weak = weak or "PRESENT" in kinds or "HOLDS" in kinds
        before = word
    sides = [t for place, t in told if place < at][-1:] or [t for _, t in told][:1]
    return sides[0] if sides else "other" if weak else ""
