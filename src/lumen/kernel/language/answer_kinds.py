"""Whether a text plainly holds the kind of answer a question wants, and which words of a question only ask for it.

`fits` (reading.py) says whether something of the kind is there at all, which is enough to offer a text. To state
it as the answer takes more: "My grandmother came from Odessa" holds a name, and not hers.
"""

from __future__ import annotations

import re
import tomllib
from dataclasses import dataclass
from functools import cache
from itertools import pairwise

from lumen.kernel.language.lexicon import FOLDER, AnswerKind, alternatives, filled, lexicon
from lumen.kernel.language.reading import LINKS, NAME, language, numbers, plainly, sentences, words
from lumen.kernel.language.small_names import small_names, tells_who


@dataclass(frozen=True, slots=True)
class _Signs:
    located: frozenset[str]
    vague_times: re.Pattern[str]
    hours: re.Pattern[str]
    asks_age: re.Pattern[str]
    age: re.Pattern[str]
    sort: re.Pattern[str]


@cache
def _signs() -> _Signs:
    read = tomllib.loads((FOLDER / "answer_kinds.toml").read_text("utf-8"))
    parts = {"{number}": f"(?:{alternatives(lexicon().numbers)})"}
    return _Signs(
        located=frozenset(read["located"]),
        vague_times=re.compile(rf"(?<![\w']){read['vague_times']}(?![\w'])"),
        **{
            name: re.compile(filled(read[name], parts))
            for name in ("hours", "asks_age", "age", "sort")
        },
    )


def plainly_fits(kind: AnswerKind, text: str, question: str) -> bool:
    """Whether what a text has of a kind can be what is asked for: a place where one is asked for, a day, an age."""
    lex, plain = lexicon(), text.lower()
    if kind in (lex.kinds["name"], lex.kinds["place"]):
        places, others = _names_in(text)
        others |= small_names(text)
        if tells_who(text, question):
            return True
        wanted = places if kind is lex.kinds["place"] else others
        return language(text) == "de" or bool(wanted - {*words(question)})
    if kind is lex.kinds["date"]:
        return _tells_day(kind, plain, question)
    if _signs().asks_age.search(question.lower()):
        return _signs().age.search(plainly(text)) is not None
    return True


def asking_words(kind: AnswerKind | None, question: str) -> set[str]:
    """The words of a question that only ask for a kind of answer and tell nothing of what it is about."""
    if kind is None:
        return set()
    asked = kind.asks.search(question.lower())
    only = {w for w in words(question) if kind.asks.fullmatch(w)}
    return only | {*words(asked[0])} if asked else only


def sort_asked(question: str) -> str:
    """The word of a question that says what sort of thing is asked for; empty: none does."""
    found = _signs().sort.search(question.lower())
    return next(filter(None, found.groups()), "") if found else ""


def _names_in(text: str) -> tuple[set[str], set[str]]:
    """The names of a text, lower-case: those of places, and all others."""
    places, others = set[str](), set[str]()
    for start, stop in sentences(text):
        for before, word in pairwise(NAME.finditer(text, start, stop)):
            if word[0][0].isupper() and word[0] != "I" and not word[0].startswith(("I'", "I’")):
                named = places if before[0].lower() in _signs().located else others
                named.add(LINKS.sub("", word[0]).lower())
    return places - lexicon().calendar, others - lexicon().calendar


def _tells_day(kind: AnswerKind, plain: str, question: str) -> bool:
    told = _signs().vague_times.sub(" ", plain)
    if kind.answers and kind.answers.search(told):
        return True
    figures = numbers(told) - numbers(question)
    return any(c.isdigit() for w in figures for c in w) or _signs().hours.search(told) is not None
