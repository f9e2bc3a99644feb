"""How a reply is graded: good, fair (acceptable) or bad, by the rule of its message and by what holds for every reply."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime

from lumen.lab.talk_claims import WORLD, Invention, inventions
from lumen.lab.talk_data import Message
from lumen.lab.talk_words import WORD, Words, dated, own_words, quotes

GOOD, FAIR, BAD = "good", "fair", "bad"
GRADES = (GOOD, FAIR, BAD)
LONGEST = 60  # words of a good reply to an everyday message
REPEATED = re.compile(r"\b(\w+(?:\W+\w+){0,3})(?:\W+\1\b){2,}", re.IGNORECASE)
CYRILLIC = re.compile("[\u0400-\u04ff]")
LATIN = re.compile(r"[a-z]", re.IGNORECASE)
ASKS_FOR_HELP, UNKNOWN = "@unknown & @helps", "@unknown"


@dataclass(frozen=True, slots=True)
class Heard:
    """What a reply is judged against: everything said so far, when, and by which words."""

    said: tuple[str, ...]  # by the author, this message the last; and by itself
    at: datetime
    words: Words
    trusted: bool = False  # whether its model may speak of the world in this language
    by_code: bool = False  # the reply is no model's


@dataclass(frozen=True, slots=True)
class Grade:
    """What a reply is worth, why, and what it states without support."""

    mark: str
    why: str
    invented: tuple[Invention, ...] = ()


def grade(message: Message, reply: str, heard: Heard) -> Grade:
    """Grade one reply."""
    rule = _Rule(message, heard)
    own = own_words(reply)
    if not _in_language(own, heard.words):  # whose words say nothing of what it states
        return Grade(BAD, "in another language")
    invented = tuple(_invented(message, reply, rule, heard))
    if invented:
        first = invented[0]
        return Grade(BAD, f"nothing supports, about {first.about}: {first.what}", invented)
    if fault := next(_faults(message, reply, own, heard), ""):
        return Grade(BAD, fault)
    return _by_rule(message, reply, rule, heard)


class _Rule:
    """The patterns of a message, with the days they mean; for the world they go by whom is asked."""

    __slots__ = ("fair", "good", "lies")

    def __init__(self, message: Message, heard: Heard) -> None:
        good, fair = message.good, message.fair
        if message.world:
            untrusted = (ASKS_FOR_HELP, UNKNOWN)
            good, fair = (message.world, UNKNOWN) if heard.trusted else untrusted
        language = heard.words.language
        self.good = dated(good, heard.at, language)
        self.fair = dated(fair, heard.at, language)
        self.lies = message.lies


def _invented(message: Message, reply: str, rule: _Rule, heard: Heard) -> Iterator[Invention]:
    words, own = heard.words, own_words(reply)
    if lie := words.found(rule.lies, own):
        yield Invention("the author or itself", f"“{lie}”")
    if message.world and not words.says(UNKNOWN, own):
        right = words.says(message.world, own)
        if right != heard.trusted:  # a guess that is right, or a wrong answer
            yield Invention(WORLD, own)
            return
    so = f"{rule.good}|{rule.fair}|{message.world}"
    yield from inventions(
        reply, heard.said, words, right=so, trusted=heard.trusted, by_code=heard.by_code
    )


def _faults(message: Message, reply: str, own: str, heard: Heard) -> Iterator[str]:
    """What makes any reply a bad one."""
    words = heard.words
    if not reply.strip():
        yield "nothing was said"
    if found := REPEATED.search(own):
        yield f"repeats “{found[1]}”"
    if WORD.findall(own.lower()) == WORD.findall(message.say.lower()):
        yield "only the message again"
    if found_word := words.found(message.bars, own):
        yield f"says “{found_word}”"


def _by_rule(message: Message, reply: str, rule: _Rule, heard: Heard) -> Grade:
    words, own = heard.words, own_words(reply)
    reply = _without_echo(reply, message, words)
    if words.says(rule.good, reply):
        if words.says("@offered", own):
            return Grade(FAIR, "only offered as what is closest")
        if len(WORD.findall(reply)) > LONGEST and not message.long:
            return Grade(FAIR, "too long")
        return Grade(GOOD, f"has {rule.good}")
    if words.says(rule.fair, reply):
        return Grade(FAIR, f"has {rule.fair}, and not {rule.good}")
    return Grade(BAD, f"lacks {rule.good}" + (f", and {rule.fair}" if rule.fair else ""))


def _without_echo(reply: str, message: Message, words: Words) -> str:
    """A reply without a quote of the very message it replies to: that answers nothing."""
    said = words.stems(message.say)
    for quote in quotes(reply):
        if said <= words.stems(quote):
            reply = reply.replace(quote, " … ")
    return reply


def _in_language(own: str, words: Words) -> bool:
    """By its letters, and for Latin ones by words that show another language."""
    cyrillic, latin = len(CYRILLIC.findall(own)), len(LATIN.findall(own))
    if words.language == "ru":
        return cyrillic >= latin
    return latin >= cyrillic and not words.says("@other", own)
