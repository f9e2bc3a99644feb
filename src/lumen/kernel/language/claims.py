"""What the sentences of a reply do: claim something of the author, recall, praise, give way; and on what support.

Signals read off by patterns (lexicon/claims.toml) and by comparing words with what is known: what follows
from them is decided in the steps. A claim about the world is not looked up here.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any, Literal

from lumen.kernel.language.lexicon import FOLDER, LANGUAGES, lexicon
from lumen.kernel.language.reading import (
    WORD,
    courtesies,
    names,
    numbers,
    plainly,
    sentences,
    stem,
    stems,
    unsaid,
    words,
)
from lumen.kernel.language.relatives import relatives

Speech = Literal[
    "question",
    "courtesy",
    "unknowing",
    "disclaimer",
    "flattery",
    "agreement",
    "recollection",
    "author",
    "advice",
    "plain",
]
IDLE = ("flattery", "disclaimer")  # what is left out of a reply that says something besides
MOST_COURTEOUS = 6  # words of a sentence that is a courtesy and no more
CLAUSE = re.compile(r"[,;:—]\s+|\s+(?:so|because|but|since|though|while)\s+", re.I)
BY_NAME = re.compile(
    r"\b[Yy]our [a-z]+,? (?:(?:Mr|Mrs|Ms|Dr)\.? )?[A-Z]\w+"
)  # "your boss Mr Hartman"
OPENS_WITH = re.compile(r"[^\W\d_][\w'’-]*")


@dataclass(frozen=True, slots=True)
class KnownWords:
    """What a reply may lean on: the message, what was told, and all else that was said or is given."""

    message: str
    told: str = ""  # the author's words that bear on it, with their days
    around: str = ""  # the conversation, the names of both, what the being holds dear
    asks_memory: bool = False  # only what was told can answer

    def whole(self) -> str:
        """All of it."""
        return f"{self.message}\n{self.told}\n{self.around}"


@dataclass(frozen=True, slots=True)
class ReplySentence:
    """A sentence of a reply: what it does, and which of its words nothing supports."""

    text: str
    start: int
    stop: int
    speech: Speech
    strange: tuple[str, ...] = ()  # words
    invented: tuple[str, ...] = ()  # of these, names and figures

    @property
    def claims(self) -> bool:
        """Whether it says something of the author's life as a fact."""
        return self.speech in ("author", "recollection")

    @property
    def unsupported(self) -> bool:
        """Whether nothing supports what it says of the author."""
        return self.claims and bool(self.strange)


@cache
def _told() -> Mapping[str, Any]:
    return tomllib.loads((FOLDER / "claims.toml").read_text("utf-8"))


@cache
def _pattern(name: str) -> re.Pattern[str]:
    each = "|".join(f"(?:{_told()[language][name]})" for language in LANGUAGES)
    return re.compile(rf"(?<![\w'])(?:{each})(?![\w'])" if name != "not_yielding" else each)


@cache
def _neutral() -> frozenset[str]:
    return frozenset(stem(w) for w in _told()["neutral"]["words"].split())


def does(what: str, text: str) -> bool:
    """Whether a text has a sign of something: a stance, a word of comfort, a next step."""
    return _pattern(what).search(plainly(text)) is not None


def signs(what: str, text: str) -> int:
    """How many different signs of something a text has."""
    return len({found[0] for found in _pattern(what).finditer(plainly(text))})


def read_reply(text: str, known: KnownWords) -> tuple[ReplySentence, ...]:
    """Every sentence of a reply."""
    whole = known.whole()
    life = names(known.told) if known.asks_memory else set()
    return tuple(_read(text, span, known, whole, life) for span in sentences(text))


def _read(
    reply: str, span: tuple[int, int], known: KnownWords, whole: str, life: set[str]
) -> ReplySentence:
    """One sentence; of several clauses those count that say something of the author."""
    start, stop = span
    text = reply[start:stop]
    speech = _speech(text, known, life)
    if speech in ("author", "advice"):
        parts = [c for c in CLAUSE.split(text) if c.strip()]
        own = [c for c in parts if _of_author(c, plainly(c), known, life) == "author"]
        if not own:
            return ReplySentence(text, start, stop, "advice" if speech == "advice" else "plain")
        strange = [w for c in own for w in unsaid(c, whole) if stem(w) not in _neutral()]
        invented = [w for c in own for w in _invented(c, whole)]
        return ReplySentence(
            text, start, stop, "author", _each([*strange, *invented]), _each(invented)
        )
    if speech not in ("recollection", "plain", "agreement"):
        return ReplySentence(text, start, stop, speech)
    strange, invented = list(unsaid(text, whole)), list(_invented(text, whole))
    if speech == "recollection":
        strange = [w for w in strange if stem(w) not in _neutral() or w in invented]
    return ReplySentence(text, start, stop, speech, _each(strange), _each(invented))


def _each(many: list[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(many))


def _speech(text: str, known: KnownWords, life: set[str]) -> Speech:
    plain = plainly(text)
    first: tuple[tuple[Speech, bool], ...] = (
        ("question", plain.rstrip("\"'”’)").endswith("?") and not _remembers(plain)),
        ("disclaimer", does("disclaimer", plain)),
        ("unknowing", does("unknowing", plain) or lexicon().has("hedge", plain)),
        ("agreement", gives_way(text)),
        ("flattery", does("flattery", plain)),
        ("courtesy", len(WORD.findall(text)) <= MOST_COURTEOUS and bool(courtesies(text))),
        ("recollection", _remembers(plain)),
    )
    return next((speech for speech, is_so in first if is_so), None) or _of_author(
        text, plain, known, life
    )


def _remembers(plain: str) -> bool:
    """Whether it says that something was told or done, rather than asks to be told."""
    return _pattern("recollection").search(plain) is not None


def _of_author(text: str, plain: str, known: KnownWords, life: set[str]) -> Speech:
    """Whether a sentence says something of the author, advises, or speaks of something else."""
    supposes = _pattern("supposed").search(plain) is not None
    addressed = _pattern("outright").search(plain) or _owned(text, plain, known)
    if addressed and not supposes:
        if _pattern("anyone").search(plain) and not known.asks_memory:
            return "plain"
        modal = _pattern("modal").search(plain)
        says_you = addressed[0].startswith("you ")  # before "when you were twelve", say
        if modal and not (says_you and addressed.start() < modal.start()):
            return "advice"
        advises = _pattern("imperative").match(plain) and not BY_NAME.search(text)
        return "advice" if advises else "author"
    if supposes:
        return "plain"
    if known.asks_memory and (_pattern("third").search(plain) or _tells_of(text, life, known)):
        return "author"
    return "plain"


def _owned(text: str, plain: str, known: KnownWords) -> re.Match[str] | None:
    """Where a sentence says of something that the author has it, or what it is like; else nothing.

    Of the world much is told as if to somebody: "lower your eggs into the water", "at your own pace". That is
    a claim where it names whose it is, or says how a thing is that the message does not speak of.
    """
    owned = _pattern("owned").search(plain)
    if owned is None or known.asks_memory:
        return owned
    asked = stems(known.message)
    said = _pattern("owned_is").finditer(plain)
    of_it = any(one["past"] or not stems(one["what"]) & asked for one in said)
    kin = relatives(text) - relatives(known.whole())
    return owned if of_it or kin or BY_NAME.search(text) else None


def _tells_of(text: str, life: set[str], known: KnownWords) -> bool:
    """Whether a sentence begins with somebody of the author's life, or takes the question up."""
    first = OPENS_WITH.search(text)
    opens = first[0].lower() if first else ""
    shared = stems(text) & stems(known.message)
    return opens in life or bool(relatives(text)) or bool(shared)


def gives_way(text: str) -> bool:
    """Whether a sentence yields to what was said against it, and does not take that back."""
    plain = plainly(text)
    found = _pattern("agreement").search(plain)
    return found is not None and not _pattern("not_yielding").search(plain[: found.start()])


def _invented(text: str, support: str) -> tuple[str, ...]:
    """The names and figures that nothing known holds."""
    held = stems(support) | {stem(n) for n in numbers(support)}
    return tuple(sorted(w for w in names(text) | numbers(text) if stem(w) not in held))


def without(text: str, gone: tuple[ReplySentence, ...]) -> str:
    """A text without some of its sentences; the others stand as they stood."""
    left, at = [], 0
    for one in gone:
        left.append(text[at : one.start])
        at = one.stop
    left.append(text[at:])
    lines = ("".join(left)).splitlines()
    return "\n".join(" ".join(line.split()) if line.strip() else "" for line in lines).strip()


def left_by(text: str, known: KnownWords) -> tuple[str, int]:
    """A reply without what nothing supports, praise and talk of what it is; and how many sentences went.

    What leans on a sentence that goes ("So let us …") goes with it.
    """
    gone: list[ReplySentence] = []
    for one in read_reply(text, known):
        after = bool(gone) and not text[gone[-1].stop : one.start].strip()
        leans = after and _pattern("leans").match(plainly(one.text)) is not None
        if one.unsupported or one.speech in IDLE or leans:
            gone.append(one)
    return (without(text, tuple(gone)), len(gone)) if gone else (text, 0)


def unposed(text: str) -> str:
    """A reply whose sentences do not open with what it speaks as: "As a friend, I would wait"."""
    for start, stop in reversed(sentences(text)):
        found = _pattern("poses").match(text[start:stop].lower())
        if found:
            rest = text[start + found.end() :].lstrip()
            text = text[:start] + rest[:1].upper() + rest[1:]
    return text


def own_life(text: str) -> bool:
    """Whether a text says something of its author's life, what they hold for true aside."""
    return lexicon().has("first_person", _pattern("holding_true").sub(" ", plainly(text)))


def content(text: str) -> int:
    """How many words carry content."""
    return len(words(text))
