"""Whether somebody may eat, drink or take something: whom it is asked of, and whose health a sentence tells of.

Pure: sentences in, people out. The patterns are data (lexicon/may_take.toml); what of it was told is looked up in answers/.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from itertools import pairwise
from typing import Any

from lumen.kernel.language.lexicon import FOLDER, lexicon
from lumen.kernel.language.reading import names, plainly, sentences, stem
from lumen.kernel.language.relatives import first_relative
from lumen.kernel.language.small_names import small_names

MOST = 200  # characters of a question of this kind
TOKEN = re.compile(r"[^\W\d_][\w'’-]*")
OWNED = re.compile(r"['’]s?$")
JOINS = re.compile(
    r"\W*(?:and|und|и|my|our|meine?|мо\w{1,2}|friend|freundin|freund|подруг\w|друг\w?)*\W*", re.I
)
SAME = re.compile(r"\W+(?:(?:'s|is|was|called|named|name is|name|зовут|heißt|ist)\W+)*", re.I)
AUTHOR, GROUP, SOMEONE = "author", "group", "someone"  # whoever else is called by name or by kin
NOBODY = frozenset({"everyone", "nobody"})


@dataclass(frozen=True, slots=True)
class MayTake:
    """Whom it is asked of, and the words that name what."""

    who: str
    what: str


def may_take(text: str) -> MayTake | None:
    """Whether a message asks if somebody may eat, drink or take something, and of whom it does."""
    last = next((text[a:b] for a, b in reversed(sentences(text))), "")
    plain = plainly(last[:MOST]).strip(" ?!.,")
    for pattern in _asks():
        if found := pattern.fullmatch(plain):
            named = found.groupdict()
            return MayTake(person(named.get("who") or "i"), named["what"])
    return None


def person(words: str) -> str:
    """One of whom something is told: the author, several, somebody, a relative, or a name without its ending."""
    told = [t[0].lower() for t in TOKEN.finditer(words)] or [""]
    who = _who()
    own = [kind for t in told for kind, forms in who.items() if forms.fullmatch(t)]
    if own and own[0] != AUTHOR:
        return own[0]
    if kin := first_relative(words):
        return kin
    return AUTHOR if own and len(told) == 1 else stem(OWNED.sub("", told[-1]))


def health_told(text: str) -> list[tuple[str, frozenset[str]]]:
    """The sentences of a text that tell of health or of what is not eaten, each with whom it tells of."""
    found = []
    for start, stop in sentences(text):
        said = text[start:stop].strip()
        if at := _told().search(said.lower()):
            found.append((said, _owners(said, at.start(), at.end(), text)))
    return found


def people_in(text: str) -> list[str]:
    """Everybody whom a text names, in order; no "she" and no "I"."""
    named = [who for who, _, _ in _people(text, _called(text))]
    return [one for one in named if one not in (AUTHOR, GROUP, SOMEONE)]


def same_one(text: str) -> tuple[str, ...]:
    """The two names that a text gives to one: "my sister is called Lena", "my sister Lena"."""
    people = _people(text, _called(text))
    pairs = [
        (a, b)
        for (a, _, stop), (b, start, _) in pairwise(people)
        if SAME.fullmatch(text[stop:start]) and not {a, b} & {AUTHOR, GROUP, SOMEONE}
    ]
    return next(iter(pairs), ())


def anchors() -> Mapping[str, tuple[str, ...]]:
    """Sentences that ask for a medicine, for food, and for something else."""
    return {kind: tuple(said) for kind, said in _words()["anchors"].items()}


def _owners(said: str, start: int, stop: int, text: str) -> frozenset[str]:
    """Of whom the words between two places tell: of who stands before them, else behind; else of the author."""
    people = _people(said, _called(text))
    before = [one for one in people if one[1] < start]
    if not before:
        behind = [who for who, at, _ in people if at >= stop]
        return frozenset(behind[:1]) or frozenset({AUTHOR})
    owners, (_, begins, _) = [before[-1][0]], before[-1]
    for who, at, ends in reversed(before[:-1]):
        if not JOINS.fullmatch(said[ends:begins]):
            break
        owners.append(who)
        begins = at
    return frozenset(owners)


def _people(said: str, called: set[str]) -> list[tuple[str, int, int]]:
    """Who is named in a sentence, and where; "my" names nobody by itself."""
    found, who = [], _who()
    for token in TOKEN.finditer(said):
        whole = token[0].lower().replace("’", "'")
        word = OWNED.sub("", whole)
        kind = next((k for k, forms in who.items() if forms.fullmatch(whole)), "")
        one = kind or first_relative(word) or (stem(word) if word in called else "")
        if one:
            found.append((one, token.start(), token.end()))
    return found


def _called(text: str) -> set[str]:
    """Names in a text, also where one opens a sentence: there only what is no common word counts."""
    opening = {
        w[0].lower()
        for a, b in sentences(text)
        if (w := TOKEN.search(text, a, b)) and w[0][0].isupper() and _may_be_name(w[0].lower())
    }
    return {OWNED.sub("", n) for n in names(text) | small_names(text) | opening} - NOBODY


def _may_be_name(word: str) -> bool:
    """Whether a word that opens a sentence is one of no other use: no word of grammar, and nothing that tells of health."""
    plain = word not in lexicon().empty and word not in lexicon().calendar
    return plain and not _told().search(word)


def same_person(one: str, others: Iterable[str]) -> bool:
    """Whether somebody is among others, by the name or, of a Russian name, by its beginning."""
    return any(one == other or (len(one) >= 3 and one[:-1] == other[:-1]) for other in others)


@cache
def _words() -> Mapping[str, Any]:
    return tomllib.loads((FOLDER / "may_take.toml").read_text("utf-8"))


@cache
def _asks() -> tuple[re.Pattern[str], ...]:
    return tuple(re.compile(p) for said in _words()["asks"].values() for p in said)


@cache
def _who() -> Mapping[str, re.Pattern[str]]:
    return {kind: re.compile(rf"(?:{forms})") for kind, forms in _words()["who"].items()}


@cache
def _told() -> re.Pattern[str]:
    return re.compile(_words()["told"]["of"].replace("\n", ""))
