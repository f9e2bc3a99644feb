"""Whom and what a text names: "my sister", "Tom", "the new bike"; and how such a name stands in another case.

Read off by the word lists of lexicon/followups.toml, in English, Russian and German. It knows no grammar: what
it gives is looked up, and never said.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from typing import Any

from lumen.kernel.language.lexicon import FOLDER, lexicon
from lumen.kernel.language.reading import sentences

EITHER = "fm"
LONGEST_THING = 3  # words behind "my" or "the"
NAMED = re.compile(r"[^\W\d_][\w'’-]*")
OWNS = re.compile(r"['’]s?(?!\w)")
VOICED_BY_DO = ("do", "does", "did", "can", "could", "will", "would", "should")


@dataclass(frozen=True, slots=True)
class Mention:
    """Somebody or something that a text names, and where."""

    text: str
    start: int
    stop: int
    genders: str  # which of f, m, p (several) and n (a thing) it may be
    person: bool
    noun: str  # the one word of it that is declined
    owned: bool = False  # "my" stands before it
    owns: bool = False  # it stands for whose something is


@dataclass(frozen=True, slots=True)
class FollowupWords:
    """The words of one language."""

    raw: dict[str, Any]
    patterns: dict[str, re.Pattern[str]]
    people: re.Pattern[str]
    names: dict[str, re.Pattern[str]]
    things: re.Pattern[str]
    forms: dict[str, tuple[str, tuple[str, ...]]]  # a form → its gender, and all of them by case


@cache
def followup_words(language: str) -> FollowupWords:
    """The words by which follow-ups of a language are told."""
    every = tomllib.loads((FOLDER / "followups.toml").read_text(encoding="utf-8"))
    raw = every[language]
    found = {k: v.replace("{aux}", raw["aux"]) for k, v in raw.items() if isinstance(v, str)}
    people, forms = raw["people"], {}
    if language == "ru":
        forms = {
            form: (gender, tuple(one.split()))
            for gender, words in people.items()
            for one in words
            for form in one.split()
        }
        people = {"fm": "|".join(sorted(forms, key=len, reverse=True))}
    alike = {gender: rf"(?P<{gender}>{words})" for gender, words in people.items()}
    before = rf"(?:\b(?P<det>{found['owner']}|{found['article']})\s+(?:(?P<adj>[\w-]+)\s+)?)?"
    names = raw.get("names") or every["en"]["names"]
    return FollowupWords(
        raw,
        {k: re.compile(p, re.I) for k, p in found.items()},
        re.compile(rf"{before}\b(?:{'|'.join(alike.values())})\b(?!-)", re.I),
        {gender: re.compile(rf"(?:{words})", re.I) for gender, words in names.items()},
        re.compile(rf"\b(?P<det>{found['owner']}|{found['article']})\s+(?P<rest>[^\W\d].*)", re.I),
        forms,
    )


def mentions(text: str, language: str) -> list[Mention]:
    """Who and what is named in a text, in order; where two overlap, people come before names and things."""
    found: list[Mention] = []
    for every in (_people(text, language), _names(text, language), _things(text, language)):
        for one in every:
            if all(one.stop <= other.start or other.stop <= one.start for other in found):
                found.append(one)
    return sorted(found, key=lambda one: one.start)


def _people(text: str, language: str) -> Iterator[Mention]:
    words = followup_words(language)
    for match in words.people.finditer(text):
        known = next(k for k, v in match.groupdict().items() if v and k not in ("det", "adj"))
        noun = match[known]
        genders = {"e": EITHER, "a": f"{EITHER}n"}.get(known, known)
        if language == "ru":
            genders = words.forms[noun.lower()][0]
        adjective = match["adj"] or ""
        if adjective and words.patterns["verb"].fullmatch(adjective):
            continue
        if words.patterns["weak"].fullmatch(noun) and not _is_head(text, match.end()):
            continue
        det = match["det"] or ""
        owned = bool(words.patterns["owner"].fullmatch(det))
        yield _mention(text, match.start(), match.end(), genders, noun, owned=owned)


def _is_head(text: str, at: int) -> bool:
    """Whether no other noun goes on with a word: "my dentist", and not "my dentist appointment"."""
    after = re.match(r"\s+([\w-]+)", text[at:])
    if after is None:
        return True
    verb = followup_words("en").patterns["verb"].fullmatch(after[1])
    return bool(verb) or after[1].lower() in lexicon().empty or _asks_by_do(text, at, after)


def _asks_by_do(text: str, at: int, after: re.Match[str]) -> bool:
    ends = not text[at + after.end() :].strip(" ?.!") or len(after[1]) <= len("come")
    return ends and any(re.search(rf"\b{word}\b", text[:at], re.I) for word in VOICED_BY_DO)


def _mention(
    text: str, start: int, stop: int, genders: str, noun: str, *, owned: bool = False
) -> Mention:
    owns = OWNS.match(text, stop) is not None
    return Mention(
        text[start:stop], start, stop, genders, person=True, noun=noun, owned=owned, owns=owns
    )


def _names(text: str, language: str) -> Iterator[Mention]:
    words, opens = followup_words(language), {a for a, _ in sentences(text)}
    for match in (one for one in NAMED.finditer(text) if one[0][0].isupper()):
        name = OWNS.sub("", match[0])
        before = re.search(r"(\w+)\.?\s+$", text[: match.start()])
        behind = before[1] if before else ""
        title = bool(words.patterns["title"].fullmatch(behind))
        known = next((g for g, p in words.names.items() if p.fullmatch(name)), "")
        if not (known or title) and (
            match.start() in opens or not _may_be_name(name, behind, language)
        ):
            continue
        start = before.start(1) if title and before else match.start()
        genders = known or _gender_of_title(behind) or _gender_by_ending(name, language)
        yield _mention(text, start, match.start() + len(name), genders, name)


def _may_be_name(name: str, behind: str, language: str) -> bool:
    """Whether a capitalised word inside a sentence is somebody: no day, no place, no German noun."""
    words, lex = followup_words(language), lexicon()
    if name.lower() in lex.calendar or name.lower() in lex.empty or name == "I":
        return False
    if words.patterns["place"].fullmatch(behind) or words.patterns["title"].fullmatch(name):
        return False
    return not (language == "de" and behind.lower() in lex.determiners)


def _gender_of_title(title: str) -> str:
    plain = title.lower()
    female = {"mrs", "ms", "miss", "aunt", "grandma", "frau", "tante", "oma"}
    return "f" if plain in female else "m" if plain in {"mr", "uncle", "herr", "herrn"} else ""


def _gender_by_ending(name: str, language: str) -> str:
    if name.endswith("a"):
        return "f"
    if language == "ru":
        patterns = followup_words("ru").patterns
        return (
            "f"
            if patterns["female"].search(name)
            else (EITHER if patterns["oblique"].search(name) else "m")
        )
    return EITHER


def _things(text: str, language: str) -> Iterator[Mention]:
    words, at = followup_words(language), 0
    while match := words.things.search(text, at):
        at = match.start("rest")
        rest = _noun_phrase(match["rest"], text[: match.start()], language)
        if not rest:
            continue
        det, stop = match["det"], match.start("rest") + len(rest)
        owned = bool(words.patterns["owner"].fullmatch(det))
        noun = rest.split()[-1]
        genders = _gender_by_determiner(det.lower(), noun, language)
        yield Mention(
            text[match.start() : stop],
            match.start(),
            stop,
            genders,
            person=False,
            noun=noun,
            owned=owned,
        )


def _noun_phrase(rest: str, before: str, language: str) -> str:
    """The words behind a determiner that name a thing; English shows by nothing where a verb begins."""
    words, lex = followup_words(language), lexicon()
    held: list[str] = []
    for word in re.split(r"\s+", rest)[: LONGEST_THING + 1]:
        plain = word.strip(',.!?;:"“”«»…')
        verb = words.patterns["verb"].fullmatch(plain) or plain.endswith("ed")
        if not plain or verb or plain.lower() in lex.empty or len(held) == LONGEST_THING:
            break
        held.append(plain)
        if plain != word or (language == "de" and plain[0].isupper()) or language == "ru":
            break
    by_do = re.search(rf"\b(?:{'|'.join(VOICED_BY_DO)})\s+$", before, re.I)
    if by_do and len(held) > 1 and rest.strip(" ?.!").endswith(held[-1]):
        held.pop()
    return " ".join(held)


def _gender_by_determiner(det: str, noun: str, language: str) -> str:
    if language == "en":
        return "n"
    if language == "ru":
        patterns = followup_words("ru").patterns
        her = patterns["hers"].fullmatch(det) or patterns["female"].search(noun)
        return "f" if her else "m"
    if det.endswith(("en", "der", "den")):
        return "m"
    return "f" if det.endswith("e") else "mn" if det.startswith("mein") else "n"


def in_russian(one: Mention, gender: str, case: int) -> str:
    """A mention in a case of Russian, counted from who: "моей сестре", "Олегу"."""
    words = followup_words("ru")
    known = words.forms.get(one.noun.lower())
    if known:
        noun = known[1][case]
    else:
        ends = words.raw["endings"]["f" if gender == "f" else "m"]
        stem = _stem(one.noun, gender)
        how = next(e for e in sorted(ends, reverse=True) if stem.endswith(e))
        noun = stem.removesuffix(how) + ends[how].split(" ")[case]
    owner = words.raw["owners"][gender].split()[case] if one.owned or known else ""
    return f"{owner} {noun}".strip()


def _stem(noun: str, gender: str) -> str:
    """A Russian noun as it stands in a list, guessed from any form of it and its gender."""
    words = followup_words("ru")
    first = list(words.raw["endings"]["f"])
    if gender == "f":
        soft = words.patterns["soft"].sub(first[1], noun)
        return soft if soft != noun else words.patterns["hard"].sub(first[0], noun)
    return words.patterns["male"].sub("", noun)


def in_german(one: Mention, gender: str, case: str) -> str:
    """A mention in a case of German: "meinem Bruder", "Lenas"."""
    owners = followup_words("de").raw["owners"][gender]
    strong = "s" if case == "gen" and gender == "m" and not one.noun.endswith("s") else ""
    if not one.owned:
        return one.text + ("s" if case == "gen" and one.person else "")
    return f"{owners[case]} {one.noun}{strong}"
