"""What the author is called: the name they last gave themselves, else the one in lumen.toml.

Read off the author's own messages by code. A sentence must begin with the words that give a name
("My name is", "call me", «меня зовут») and end, or go on with another clause, right after it: what
is quoted, reported, asked, denied or said of somebody else names nobody. A mere "I'm Marta" counts
where no name was given otherwise. What was said in private is not used, since the name stands in
every prompt.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from types import MappingProxyType

from lumen.core.canon import printable
from lumen.core.stores import Store
from lumen.kernel.language.lexicon import FOLDER, lexicon
from lumen.kernel.language.passages import is_evidence
from lumen.kernel.language.reading import CYRILLIC, is_question, modality, sentences, small_talk
from lumen.soul.ports.queries import Queries

UNNAMED = "friend"  # what lumen.toml says before anybody was introduced
LONGEST_NAME, MOST_WORDS = 40, 4
FULL_NAME = 2  # words: Sing Kaur is a name, "sing me a song" is not
LONGEST_MESSAGE = 600  # what is longer is likely somebody's letter
LOOKED_AT = 512  # messages with such a word in them
INTRODUCTIONS = 2_000  # messages that say "I am": whoever introduces themselves does so early
LONGEST_INTRODUCED = 3  # words
# How Russian names end in "зови меня …", and how they do where they stand alone.
DECLINED = (
    ("(?<=[жшчщц])ей$", "а"), ("ей$", "я"), ("(?<=[бвгдзклмнпрстфхжшчщц])ой$", "а"),  # noqa: RUF001 - Russian
    ("(?<=[бвгджзклмнпрстфх])ом$", ""), ("(?<=[рл])ем$", "ь"), ("(?<=[еи])ем$", "й"),
)  # fmt: skip
_TOKEN = re.compile(r"[^\W\d_][\w'’-]*\.?(?=\W|$)")


@dataclass(frozen=True, slots=True)
class NamingPatterns:
    """How people say what they are called."""

    telling: tuple[str, ...]
    introducing: str  # a search for what may introduce somebody, and how such a text looks
    shapes: tuple[str, ...]
    particles: frozenset[str]
    no_names: frozenset[str]
    no_endings: tuple[str, ...]
    given_names: frozenset[str]  # where every noun has a capital letter
    not_people: frozenset[str]  # what somebody can be instead: of a country, a faith, a mood
    nominative: frozenset[str]  # Russian names that only look declined
    patterns: Mapping[str, re.Pattern[str]]


@cache
def ways() -> NamingPatterns:
    """The words and patterns of lexicon/naming.toml."""
    raw = tomllib.loads((FOLDER / "naming.toml").read_text("utf-8"))
    given = raw["patterns"]
    lead = given.pop("lead")
    after_lead = {key: lead + given.pop(key) for key in ("opens", "denies", "introduces")}
    compiled = {
        key: re.compile(pattern, re.IGNORECASE | re.VERBOSE)
        for key, pattern in (given | after_lead).items()
    }
    return NamingPatterns(
        telling=tuple(raw["telling"]),
        introducing=raw["introducing"],
        shapes=tuple(raw["shapes"]),
        particles=frozenset(raw["particles"]),
        no_names=frozenset(raw["no_names"]),
        no_endings=tuple(raw["no_endings"]),
        given_names=frozenset(raw["given_names"]),
        not_people=frozenset(raw["not_people"]),
        nominative=frozenset(raw["nominative"]),
        patterns=MappingProxyType(compiled),
    )


def author_name(index: Queries, configured: str) -> str:
    """What the author is called: the newest of what they said and what lumen.toml was set to.

    A name that was put into lumen.toml by hand stands in no event, and settles it.
    """
    told, at, denied = _given_name(index)
    if not told and configured == UNNAMED:
        return _introduced(index, denied) or configured
    if not told or configured == UNNAMED:
        return told or configured
    since = _set_at(index, configured)
    return told if since is not None and at > since else configured


def is_called(text: str) -> bool:
    """Whether somebody can be called that: it has letters, and nothing in it steers a terminal."""
    visible = text == printable(text) and text.isprintable()
    return visible and len(text) <= LONGEST_NAME and any(c.isalpha() for c in text)


def is_message(text: str) -> bool:
    """Whether what was typed where a name was asked for is a sentence that gives none."""
    if names_given(text) or introduced(text):
        return False
    many = len(text.split())
    asks = is_question(text) or (modality(text) == "task" and many > FULL_NAME)
    tells = lexicon().has("first_person", text) or lexicon().has("second_person", text)
    return asks or bool(small_talk(text)) or many > MOST_WORDS or (tells and many > 1)


def names_given(text: str) -> list[tuple[str, bool]]:
    """The names a message gives its author, in order, and whether each is theirs or is denied."""
    return [found for sentence in _own_sentences(text) for found in _in_sentence(sentence)]


def introduced(text: str) -> str:
    """The name somebody introduces themselves by: "I'm Marta", which "I'm Portuguese" only looks like."""
    for sentence in _own_sentences(text):
        sentence = _told_part(sentence)
        found = ways().patterns["introduces"].match(sentence)
        if found is None:
            continue
        after = sentence[found.end() :]
        name = _name_in(after, strict=True)[0] or _known_name(after)
        parts = [part.lower() for part in name.split()]
        german = found["german"] or "sondern" in found[0].lower()
        known = not german or not ways().given_names.isdisjoint(parts[:1])
        plain = not name.isupper() and not name.endswith(("'s", "’s", "ese"))
        if (
            name
            and plain
            and known
            and len(parts) <= LONGEST_INTRODUCED
            and not _is_no_person(parts)
        ):
            return name
    return ""


def _told_part(sentence: str) -> str:
    """A sentence without the question that is put back behind it; nothing where all of it asks."""
    back = ways().patterns["asks_back"].search(sentence)
    told = sentence[: back.start()] if back else sentence
    return "" if is_question(told) else told


def _is_no_person(parts: list[str]) -> bool:
    lex = lexicon()
    moods = ("hard", "glad", "grave", "acknowledgement")
    return any(
        p in ways().not_people or p.endswith(ways().no_endings) or any(lex.has(m, p) for m in moods)
        for p in parts
    )


def _own_sentences(text: str) -> list[str]:
    """What a message says in the author's own words; nothing where it is a letter or an order."""
    if (
        len(text) > LONGEST_MESSAGE
        or ways().patterns["letter"].match(text)
        or modality(text) == "task"
    ):
        return []
    said = ways().patterns["quoted"].sub(" … ", text)
    return [said[a:b] for a, b in sentences(said)]


def _in_sentence(sentence: str) -> Iterator[tuple[str, bool]]:
    sentence = _told_part(sentence)
    if denied := ways().patterns["denies"].match(sentence):
        after = sentence[denied.end() :]
        name, rest = _name_in(after, strict=False)
        if name:
            yield name, False
        yield from _called_instead("instead", rest if name else after.partition(",")[2])
    elif opened := ways().patterns["opens"].match(sentence):
        after = sentence[opened.end() :]
        name, rest = _name_in(after, strict=True, named=bool(opened["plain"]))
        if not name and opened["plain"]:
            name = _small_name(after)
        if name:
            yield _nominative(name) if opened["declines"] else name, True
            yield from _called_instead("besides", rest)


def _called_instead(how: str, rest: str) -> Iterator[tuple[str, bool]]:
    """The name that is given behind another one, or in the place of it."""
    opened = ways().patterns[how].match(rest)
    name = _name_in(rest[opened.end() :], strict=True)[0] if opened else ""
    if opened and name:
        declined = "меня" in opened[0].lower()
        yield _nominative(name) if declined else name, True


def _nominative(name: str) -> str:
    """A Russian name as it stands alone: who is called Машей is Маша."""
    first, *others = name.split()
    if others or not CYRILLIC.match(first) or first.lower() in ways().nominative:
        return name
    for ending, instead in DECLINED:
        if re.search(ending, first):
            return re.sub(ending, instead, first)
    return name


def _name_in(text: str, *, strict: bool, named: bool = False) -> tuple[str, str]:
    """The capitalised words a text begins with, and what follows them; `strict` looks at that too.

    Where it is said to be a name, or a month would stand in small letters, April is one.
    """
    end, taken = 0, 0
    for token in _TOKEN.finditer(text):
        joined = not text[end : token.start()].strip()
        proper = token[0][0].isupper() or (taken and token[0].lower() in ways().particles)
        if not (joined and proper) or taken == MOST_WORDS:
            break
        end, taken = token.end(), taken + 1
    name = text[:end].strip().rstrip(".")
    rest = text[end:] if not text[:end].endswith(".") else "." + text[end:]
    month = name.lower() in lexicon().calendar and not named and not CYRILLIC.match(name)
    known = month or name.lower() in ways().no_names
    if (
        not name
        or known
        or len(name) > LONGEST_NAME
        or name.split()[-1].lower() in ways().particles
    ):
        return "", text
    return (name, rest) if not strict or ways().patterns["goes_on"].match(rest) else ("", text)


def _small_name(text: str) -> str:
    """A name typed without its capital letter, where the sentence ends or goes on with another clause."""
    first = _TOKEN.match(text)
    if first is None or not ways().patterns["goes_on"].match(text[first.end() :]):
        return ""
    word = first[0].rstrip(".").lower()
    plain = word.isalpha() and 2 <= len(word) <= LONGEST_NAME // 2
    return (
        "" if not plain or word in ways().no_names or word in lexicon().empty else word.capitalize()
    )


def _known_name(text: str) -> str:
    """One of the names that people have, typed without its capital letter: "im marta", but not "im tired"."""
    word = _small_name(text)
    return word if word.lower() in ways().given_names else ""


def _given_name(index: Queries) -> tuple[str, int, set[str]]:
    """The name the author gave last and did not take back, the event, and the names that are not theirs."""
    denied: set[str] = set()
    for memory in index.memories.newest_with(ways().telling, LOOKED_AT):
        if not is_evidence(memory) or memory.private:
            continue
        for name, theirs in reversed(names_given(memory.text)):
            if not theirs:
                denied.add(name.casefold())
            elif name.casefold() not in denied:
                return name, memory.seq, denied
    return "", 0, denied


def _introduced(index: Queries, denied: set[str]) -> str:
    """The name the author introduced themselves by last, of those they did not take back."""
    for seq in index.memories.said_like(ways().introducing, ways().shapes, INTRODUCTIONS):
        for memory in index.memories.get([seq]).values():
            if not is_evidence(memory) or memory.private:
                continue
            if (name := introduced(memory.text)) and name.casefold() not in denied:
                return name
    return ""


def _set_at(index: Queries, configured: str) -> int | None:
    """The event that put this name into lumen.toml; nothing: it was put there by hand."""
    since: int | None = None
    for version in reversed(index.files.versions(Store.SETTINGS.place.path)):
        if _configured(version.text or "") != configured:
            break
        since = version.seq
    return since


def _configured(text: str) -> str:
    try:
        author = tomllib.loads(text).get("author", {})
    except tomllib.TOMLDecodeError:
        return ""
    return str(author.get("name", "")) if isinstance(author, dict) else ""
