"""What became of a reply, by the author's next message alone: accepted, corrected, asked again, praised, ignored.

Pure: the exchange, the message behind it, how much later it came. The words stand in lexicon/outcomes.toml, in
three languages; how near two texts are in meaning is asked for at most once, and only where words do not tell.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import timedelta
from functools import cache
from typing import Any, Literal, get_args

from lumen.kernel.language.corrections import openly_revises
from lumen.kernel.language.followups import completed
from lumen.kernel.language.lexicon import FOLDER, LANGUAGES, alternatives, lexicon
from lumen.kernel.language.reading import (
    CLAUSE_END,
    EDGES,
    WORD,
    courtesies,
    is_question,
    modality,
    names,
    numbers,
    plainly,
    stems,
)

OutcomeKind = Literal["accepted", "corrected", "asked_again", "praised", "ignored"]
OUTCOMES: tuple[OutcomeKind, ...] = get_args(OutcomeKind)
LATE = timedelta(hours=6)  # from here on going on with the subject is no answer to the reply
LONGEST = 400  # characters of a message that are looked at: its verdict stands where it opens
SHORT = 4  # words of an answer that need not name what it is about
SAME_QUESTION = 0.8  # as near as this in meaning, a question is the last one in other words
ANSWERS, SHORTLY = 0.3, 0.1  # as near as this to a question, a statement is about it; a short one
HALF = 0.5


@dataclass(frozen=True, slots=True)
class NextMessage:
    """An exchange, and what its author said next."""

    asked: str
    reply: str
    text: str
    later: timedelta = timedelta()


Near = Callable[[str, str], float]  # how near two texts are in meaning, from -1 to 1


def outcome_of(said: NextMessage, near: Near) -> OutcomeKind:
    """What an author's next message makes of the reply before it."""
    text = said.text.strip()[:LONGEST]
    plain = plainly(text)
    if _has("again", plain) or _asks_the_same(said, text, near):
        return "asked_again"
    if _praises(plain):
        return "praised"
    if _contests(said, text, plain):
        return "corrected"
    kind = modality(text)
    if kind != "greeting" and not courtesies(text) & {"greeting"} and _opens("agrees", plain):
        return "accepted"
    if kind in ("thanks", "acknowledgement"):
        return "accepted"
    late = said.later >= LATE
    return "ignored" if late or not _goes_on(said, text, plain, near) else "accepted"


def _asks_the_same(said: NextMessage, text: str, near: Near) -> bool:
    """Whether a message asks the last question once more, in the same or in other words."""
    if not is_question(text) or modality(said.asked) not in ("question", "task"):
        return False
    whole = completed(text, ((said.asked, said.reply),)) or text
    before, now = stems(said.asked), stems(whole)
    if not before or not now:
        return False
    if now <= before:
        return len(now) >= HALF * len(before)
    if before <= now:
        return not _opens("follows", plainly(text))
    named, others = names(said.asked) | numbers(said.asked), names(text) | numbers(text)
    if _opens("follows", plainly(text)) or (named - others and others - named):
        return False
    return near(said.asked, whole) >= SAME_QUESTION


def _contests(said: NextMessage, text: str, plain: str) -> bool:
    """Whether a message says that the reply missed; a no that answers a question does not."""
    if (wrong := _has("wrong", plain)) or is_question(text):
        return wrong
    asks = said.reply.rstrip().endswith("?")
    if _opens("denies", plain) and (not asks or names(text) | numbers(text)):
        return True
    if asks:
        return False
    return _contrast().search(plain.rstrip(EDGES)) is not None or _tells_otherwise(
        said, text, plain
    )


def _tells_otherwise(said: NextMessage, text: str, plain: str) -> bool:
    """Whether a message gives another value for what a question was answered with."""
    shared = stems(text) & stems(said.reply)
    if not shared or modality(said.asked) not in ("question", "task"):
        return False
    denied = _has("negates", plain) or plain.endswith("!")
    return openly_revises(text, said.reply) or (denied and bool(stems(text) - stems(said.reply)))


def _praises(plain: str) -> bool:
    """Whether a clause of a message praises the reply, or whoever gave it."""
    if is_question(plain):
        return False
    clauses = [c for c in (c.strip(EDGES) for c in CLAUSE_END.split(plain)) if c]
    if any(_pattern("says").search(clause) for clause in clauses):
        return True
    loud = plain.endswith("!")
    found = (one for clause in clauses if (one := _praise().fullmatch(clause)))
    return any(one[0] not in _weak() or (loud and len(clauses) == 1) for one in found)


def _goes_on(said: NextMessage, text: str, plain: str, near: Near) -> bool:
    """Whether a message goes on from the reply: answers it, asks on, or speaks of the same."""
    if modality(text) in ("greeting", "farewell", "task"):
        return False
    asks = is_question(text)
    if asks and (_opens("follows", plain) or completed(text, ((said.asked, said.reply),))):
        return True
    if _has("leans", plain) or stems(text) & (stems(said.reply) | stems(said.asked)):
        return True
    if asks or not said.reply.rstrip().endswith("?"):
        return False
    return near(said.reply, text) >= (SHORTLY if _is_short(text) else ANSWERS)


def _is_short(text: str) -> bool:
    """Whether a statement is no sentence of its own, as an answer may be: "Six and a half"."""
    spoken = [w.lower() for w in WORD.findall(text)]
    return len(spoken) <= SHORT and lexicon().copulas.isdisjoint(spoken)


def _has(name: str, plain: str) -> bool:
    return _pattern(name).search(plain) is not None


def _opens(name: str, plain: str) -> bool:
    return _pattern(name).match(plain.lstrip(EDGES)) is not None


@cache
def _told() -> Mapping[str, Any]:
    return tomllib.loads((FOLDER / "outcomes.toml").read_text("utf-8"))


@cache
def _pattern(name: str) -> re.Pattern[str]:
    """The words of a name in every language, each whole."""
    raw = (_told()[language] for language in LANGUAGES)
    words = [w for one in raw for w in (one["praise"][name] if name == "says" else one[name])]
    return re.compile(rf"(?<![\w'])(?:{alternatives(words)})(?![\w'])")


@cache
def _contrast() -> re.Pattern[str]:
    return re.compile("|".join(f"(?:{_told()[one]['contrast']})" for one in LANGUAGES))


@cache
def _weak() -> frozenset[str]:
    return frozenset(w for language in LANGUAGES for w in _told()[language]["praise"]["weak"])


@cache
def _praise() -> re.Pattern[str]:
    """A clause that is praise all through."""
    return re.compile("|".join(_praise_in(_told()[language]["praise"]) for language in LANGUAGES))


def _praise_in(told: Mapping[str, Any]) -> str:
    words, degree, noun = (alternatives(told[k]) for k in ("words", "degree", "noun"))
    core = f"(?:(?:{degree}) )*(?:{words})(?: (?:{noun}))?"
    return f"(?:(?:{told['frame']} )?{core}{told['behind']})"
