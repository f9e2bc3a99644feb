"""Does a reply state what nobody told it? By words: what it names must have been told, or state nothing.

A sentence counts as a statement unless it asks, doubts, denies, wishes, comments or advises. Every word of substance,
name and number in a small model's statement must have been heard in this scene or be among the plain words of its
language. Of what code says, and of a model that is trusted with the world, only names and numbers are looked at. Not covered: a false statement
made of told words alone ("your sister lives in Hamburg" after she moved), which the line of data must forbid.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from lumen.kernel.language.lexicon import lexicon
from lumen.lab.talk_words import MONTHS, WORD, Words, own_words, plainly, quotes

AUTHOR, ITSELF, WORLD = "the author", "itself", "the world"
SENTENCE = re.compile(r"[^.!?…\n]*(?:[.!?…](?!\s|$)[^.!?…\n]*)*[.!?…]*")
PLACE = re.compile(r"(?<!\w)/[\w./-]+")  # a folder of the machine it runs on
SHORTEST = 3  # letters of a word of substance
ELLIPSIS = "…"


@dataclass(frozen=True, slots=True)
class Invention:
    """Something stated that nothing supports."""

    about: str
    what: str


def inventions(
    reply: str,
    heard: Sequence[str],
    words: Words,
    *,
    right: str = "",
    trusted: bool = False,
    by_code: bool = False,
) -> tuple[Invention, ...]:
    """What a reply states without support; `right` is the pattern of answers that are so.

    What code says is the kernel's own, so that of it as of a trusted model names and numbers are looked at.
    """
    told = words.stems(" ".join(heard)) - words.plain
    known = words.plain | told | words.stems(right.replace("|", " ")) | _counted(heard)
    strict = not trusted and not by_code
    found = [Invention(AUTHOR, quote) for quote in quotes(reply) if not _told(quote, heard, words)]
    for sentence in SENTENCE.findall(PLACE.sub(" ", own_words(reply))):
        if owned := _taken_over(sentence, told, words):
            found.append(Invention(ITSELF, owned))
            continue
        about = _about(sentence.strip(), words)
        if about and not (about == WORLD and trusted):
            found += _in_sentence(sentence.strip(), known, words, about, every=strict)
    return tuple(found)


def _counted(heard: Sequence[str]) -> frozenset[str]:
    """The figures of numbers that were said in words: 3 of "three of us"."""
    said = WORD.findall(plainly(" ".join(heard)).lower())
    return frozenset(value for word in said if (value := lexicon().sums.get(word, "")).isdecimal())


def _told(quote: str, heard: Sequence[str], words: Words) -> bool:
    """Whether somebody said what is quoted, shortened or with another person's pronouns or not."""
    stems = words.stems(quote)
    return any(stems <= words.stems(text) | words.plain for text in heard)


def _about(sentence: str, words: Words) -> str:
    """Whom a sentence states something of; empty: it states nothing."""
    if _states_nothing(sentence, words):
        return ""
    if words.found(words.person["author"], sentence):
        return AUTHOR
    return ITSELF if words.found(words.person["itself"], sentence) else WORLD


def _in_sentence(
    sentence: str, known: frozenset[str], words: Words, about: str, *, every: bool
) -> Iterator[Invention]:
    """The first thing in a sentence that nothing supports."""
    counts = not every and bool(words.found(words.person["itself"], sentence))
    for word in _substance(sentence, words.language, every=every, counts=counts or about == ITSELF):
        if words.stem(word) not in known:
            yield Invention(about, f"{word} in “{sentence}”")
            return


def _states_nothing(sentence: str, words: Words) -> bool:
    """Whether it asks, doubts, denies, wishes, comments or advises."""
    first = sentence.split(maxsplit=1)[0].strip(",:") if sentence else ""
    return (
        not sentence
        or sentence.endswith("?")
        or bool(words.found(words.person["begins"], first))
        or bool(words.found(words.person["unsure"], sentence))
        or words.says("@unknown", sentence)
    )


def _taken_over(sentence: str, told: frozenset[str], words: Words) -> str:
    """What it calls its own and is somebody else's: "my sister"."""
    found = plainly(sentence).split()
    mine = words.person["mine"].split("|")
    for one, after in pairwise(found):
        bare = after.strip(".,;:!?")
        if one.lower() in mine and words.stem(bare) in told:
            return f"{one} {bare}"
    return ""


def _substance(sentence: str, language: str, *, every: bool, counts: bool) -> Iterator[str]:
    """The names of a sentence; every word of some length, if wanted; numbers, unless it counts its own."""
    found = WORD.findall(plainly(sentence))
    for at, word in enumerate(found):
        number = any(letter.isdigit() for letter in word)
        if number:
            if not counts and not _dates(found, at, language):
                yield word
        elif (at and word[0].isupper()) or (every and len(word) >= SHORTEST):
            yield word


def _dates(found: Sequence[str], at: int, language: str) -> bool:
    """Whether a number is of a date or a time: whether it is the right one is for the line of data to say."""
    beside = {word.lower() for word in found[max(0, at - 2) : at + 3]}
    return ":" in found[at] or bool(beside & set(MONTHS[language].lower().split()))
