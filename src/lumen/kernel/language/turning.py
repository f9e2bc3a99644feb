"""The author's words said back in Russian and German: "Мой брат в Казани" becomes "твой брат в Казани".

There a verb changes with its subject. A sentence is turned where none has to: it names the author by other cases
and possessives alone, or tells in the Russian past, which is the same for both. Russian verbs that are common or go
by a rule are turned too. Else nothing is returned and the sentence is quoted. English is turned word by word, verbs
too: pronouns.py.
"""

from __future__ import annotations

import re
import tomllib
from dataclasses import dataclass
from functools import cache
from typing import Any

from lumen.kernel.language.lexicon import FOLDER, lexicon
from lumen.kernel.language.reading import QUOTED, WORD

CLAUSE = re.compile("[^,;:.!?…—\\n]+")
BEHIND_VERB = re.compile(r"\w(?:л|ла|ли|лся|лась) (?:я|мы)(?!\w)", re.IGNORECASE)
AUTHOR = ("я", "не")
MINE = re.compile(r"\w(?:у|ю|усь|юсь)$", re.IGNORECASE)  # noqa: RUF001 - Russian
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
    persons: VerbForms | None


@dataclass(frozen=True, slots=True)
class VerbForms:
    """How the verbs of the author turn, where that is known."""

    spoken_to: re.Pattern[str]
    known: dict[str, str]  # pronouns and verbs that go by no rule
    endings: tuple[tuple[str, str], ...]
    several: tuple[tuple[str, str], ...]
    no_verb: re.Pattern[str]
    before_noun: re.Pattern[str]
    other_verb: re.Pattern[str]

    def turned(self, word: str, *, of_several: bool) -> str:
        """A word as the being says it; empty where it is no verb of the author's that is known."""
        low = word.lower()
        if low in self.known:
            return self.known[low]
        if self.no_verb.fullmatch(low):
            return ""
        rules = (*self.endings, *(self.several if of_several else ()))
        ends = next(((mine, theirs) for mine, theirs in rules if low.endswith(mine)), None)
        known = ends and len(low) > len(ends[0]) + 1 and word == low
        return low.removesuffix(ends[0]) + ends[1] if ends and known else ""


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
    persons = _verb_forms(told) if "verbs" in told else None
    return TurningWords(words, verb, told.get("subject", ""), past, present, own_verb, persons)


def _verb_forms(told: dict[str, Any]) -> VerbForms:
    pairs = {key: [tuple(pair.split()) for pair in told[key]] for key in ("endings", "several")}
    return VerbForms(
        re.compile(rf"\b(?:{told['spoken_to']})\b", re.IGNORECASE),
        dict(pair.split() for key in ("pronouns", "verbs") for pair in told[key]),
        tuple(pairs["endings"]),
        tuple(pairs["several"]),
        *(re.compile(told[key], re.IGNORECASE) for key in ("no_verb", "before_noun", "other_verb")),
    )


def turned_back(text: str, language: str) -> str:
    """A statement with the author and the being changed places; empty where a verb would have to change unknown how."""
    turning = _turning(language)
    if turning is None or QUOTED.search(text):
        return ""
    if turning.persons is None:
        return _turned(text, turning)
    whole = _with_verbs(text, turning)
    verbs = any(turning.persons.turned(word, of_several=False) for word in WORD.findall(text))
    return whole if verbs or not whole else _turned(text, turning) or whole


def _turned(text: str, turning: TurningWords) -> str:
    """A statement turned where no verb has to be."""
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


def _with_verbs(text: str, turning: TurningWords) -> str:
    """A statement turned with its verbs, where each that may be the author's is known."""
    persons = turning.persons
    if persons is None or persons.spoken_to.search(text) or BEHIND_VERB.search(text):
        return ""
    said, at = "", 0
    for clause in CLAUSE.finditer(text):
        turned = _clause(clause[0], turning, persons, first=not clause.start())
        if turned is None:
            return ""
        said, at = f"{said}{text[at : clause.start()]}{turned}", clause.end()
    said += text[at:]
    first = WORD.match(said)
    known = first and (first[0] != text[: first.end()] or first[0].lower() in lexicon().empty)
    return said[:1].lower() + said[1:] if known else said


def _clause(text: str, turning: TurningWords, persons: VerbForms, *, first: bool) -> str | None:
    """A clause turned with its verbs; None where one may be the author's that is not known."""
    said, at, behind, unknown = "", 0, "", False
    several = "мы" in text.lower().split()
    sure = persons.other_verb.search(text) is not None
    for n, word in enumerate(WORD.finditer(text)):
        noun = persons.before_noun.fullmatch(behind) is not None
        opens = n == 0 or (n == 1 and behind in lexicon().empty)
        plain = word[0].lower() if n == 0 and first else word[0]
        verb = "" if noun else persons.turned(plain, of_several=opens or several)
        may_be = not noun and MINE.search(plain) and not persons.no_verb.fullmatch(plain.lower())
        if may_be and not verb:
            unknown = True
            if behind in AUTHOR or plain.endswith("сь"):
                return None
        sure = sure or bool(verb and behind not in persons.known and plain not in AUTHOR)
        new = turning.words.get(plain.lower()) or verb or word[0]
        said, at, behind = f"{said}{text[at : word.start()]}{new}", word.end(), word[0].lower()
    return said + text[at:] if sure or not unknown else None


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
