"""The terms by which a text is found: its words without their endings, in English, Russian and German.

Cyrillic words lose Russian endings and Latin ones English endings; in a text that looks German each
word stands for its German stem too, behind all others, so that words that follow each other still do.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from functools import lru_cache

import Stemmer

VERSION = f"1 {Stemmer.version()}"  # other terms would not take away what these put in
_WORD = re.compile(r"[^\W_]+")
_POSSESSIVE = re.compile(r"['’]s\b")
_CYRILLIC = re.compile(r"[\u0400-\u04ff]")
_LATIN = re.compile(r"[a-z\u00df-\u024f\u1e00-\u1eff]")
_UMLAUT = re.compile(r"[äöüß]")
_YO = {0x451: 0x435}  # typed as either
_GERMAN = re.compile(  # words that hardly any other language has
    r"und|oder|aber|auch|sehr|nicht|ich|wir|ist|sind|wird|wurde|hab(?:e|en|t)|hast|hatte|(?:m|d|k)?eine?[mnrs]?|"
    r"der|das|wie|wo|wer|wann|warum|welche[mnrs]?|auf|für|über|zu[mr]|hei(?:ß|ss)(?:e|t)|wohne|gestern|heute"
)


def terms(text: str) -> list[str]:
    """The terms of a text, in order, as often as they occur."""
    found = _words(text)
    stems = [_stem(word) for word in found]
    if _is_german(found):
        german = zip(found, stems, strict=True)
        stems += [other for word, stem in german if (other := _german(word)) not in ("", stem)]
    return stems


def phrase(text: str) -> str:
    """Some words that follow each other, as the word index is asked for them."""
    return f'"{" ".join(map(_stem, _words(text)))}"'


def forms(word: str) -> list[tuple[str, ...]]:
    """What each part of a word may stand as in the word index: its stem, then another German one."""
    return [
        tuple(dict.fromkeys(form for form in (_stem(part), _german(part)) if form))
        for part in _words(word)
    ]


def is_german(words: Sequence[str]) -> bool:
    """Whether some words, taken together, look German."""
    return _is_german([part for word in words for part in _words(word)])


def _words(text: str) -> list[str]:
    plain = unicodedata.normalize("NFKC", text).lower()
    return _WORD.findall(_POSSESSIVE.sub("", plain))


def _is_german(words: Sequence[str]) -> bool:
    return any(_GERMAN.fullmatch(word) or _UMLAUT.search(word) for word in words)


@lru_cache(maxsize=8_000)
def _stem(word: str) -> str:
    if _CYRILLIC.search(word):
        return str(_stemmer("russian").stemWord(word.translate(_YO)))
    if _LATIN.search(word):
        return _plain(_stemmer("english").stemWord(word))
    return word


@lru_cache(maxsize=4_000)
def _german(word: str) -> str:
    return _plain(_stemmer("german").stemWord(word)) if _LATIN.search(word) else ""


def _plain(word: str) -> str:
    """Latin letters without what stands above or below them: cafe is café."""
    apart = unicodedata.normalize("NFD", word)
    return "".join(c for c in apart if not unicodedata.combining(c))


@lru_cache(maxsize=3)
def _stemmer(language: str) -> Stemmer.Stemmer:
    return Stemmer.Stemmer(language)
