"""The author's words said back in Russian and German: "Мой брат в Казани" becomes "твой брат в Казани".

There a verb changes with its subject, so a sentence is turned only where none has to: it names the author by
other cases and possessives alone, or tells in the Russian past, which is the same for both. Else nothing is
returned and the sentence is quoted. English is turned word by word, verbs too: pronouns.py.
"""

from __future__ import annotations

import re
import tomllib
from dataclasses import dataclass
from functools import cache

from lumen.kernel.language.lexicon import FOLDER, lexicon
from lumen.kernel.language.reading import QUOTED, WORD

OPENING = 3  # words among which a verb stands whose subject is left out
SUBJECT = re.compile(r"^(?:я|а я|и я)\s+", re.IGNORECASE)  # noqa: RUF001 - Russian


@dataclass(frozen=True, slots=True)
class TurningWords:
    """What turns in a language, and what tells that a verb would have to."""

    words: dict[str, str]
    verb: re.Pattern[str]
    subject: str
    past: re.Pattern[str] | None
    present: re.Pattern[str] | None
    own_verb: re.Pattern[str] | None  # what may be a verb of the author's


@cache
def _turning(language: str) -> TurningWords | None:
    told = tomllib.loads((FOLDER / "turning.toml").read_text("utf-8")).get(language)
    if told is None:
        return None
    past, present, own_verb = (
        re.compile(told[k], re.IGNORECASE) if k in told else None
        for k in ("past", "present", "own_verb")
    )
    verb = re.compile(rf"\b(?:{told['verb']})\b", re.IGNORECASE)
    words = dict(pair.split() for pair in told["words"])
    return TurningWords(words, verb, told.get("subject", ""), past, present, own_verb)


def turned_back(text: str, language: str) -> str:
    """A statement with the author and the being changed places; empty where a verb would have to change."""
    turning = _turning(language)
    if turning is None or QUOTED.search(text):
        return ""
    said, subject = text, ""
    if turning.past and (_drops_subject(text) or SUBJECT.match(text)):
        said = SUBJECT.sub("", text)
        if not turning.past.match(said) or (turning.present and turning.present.search(said)):
            return ""
        subject = f"{turning.subject} "
    if turning.verb.search(said) or (not subject and _goes_on_of_author(said, turning)):
        return ""
    turned = WORD.sub(lambda word: turning.words.get(word[0].lower(), word[0]), said)
    if turned == said and not subject and not _has_another_subject(said, turning):
        return ""
    first = WORD.match(said)
    known = first and (subject or first[0].lower() in lexicon().empty)
    lowered = turned[:1].lower() + turned[1:] if known else turned
    return subject + lowered


def _goes_on_of_author(text: str, turning: TurningWords) -> bool:
    """Whether a clause behind a comma opens with a verb of the author's that would have to change."""
    behind = (WORD.match(clause.strip()) for clause in text.split(",")[1:])
    return turning.own_verb is not None and any(
        word and turning.own_verb.fullmatch(word[0]) for word in behind
    )


def _has_another_subject(text: str, turning: TurningWords) -> bool:
    """Whether none of the first words can be a verb whose subject, the author, is left out."""
    if turning.own_verb is None:
        return False
    return not any(turning.own_verb.fullmatch(word) for word in WORD.findall(text)[:OPENING])


def _drops_subject(text: str) -> bool:
    return lexicon().has("drops_subject", text)
