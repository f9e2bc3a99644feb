"""Whom a sentence is about, among those an author may speak of as "my …", and what is told of another.

A small model, asked where the cousin lives and shown where the aunt does, gives the aunt's home for the
cousin's. Names are not known here: a note that names nobody of the list may be about anyone.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Sequence
from functools import cache

from lumen.kernel.language.lexicon import FOLDER
from lumen.kernel.language.reading import WORD, stems

MOST_BEFORE = 1  # words before the one a sentence opens with: "my sister"


@cache
def _known() -> dict[str, re.Pattern[str]]:
    told = tomllib.loads((FOLDER / "relatives.toml").read_text("utf-8"))
    return {name: re.compile(rf"\b(?:{forms})\b", re.I) for name, forms in told.items()}


def relatives(text: str) -> set[str]:
    """Who is named in a text."""
    return {name for name, forms in _known().items() if forms.search(text)}


def first_relative(text: str) -> str:
    """Who is named first in a text; empty: nobody of the list."""
    found = {name: at for name, forms in _known().items() if (at := forms.search(text))}
    return min(found, key=lambda name: found[name].start(), default="")


def opens_with_another(text: str, question: str) -> bool:
    """Whether a text tells, from its first words on, of others than those a question asks about."""
    asked, told = relatives(question), relatives(text)
    if not asked or not told or asked & told:
        return False
    first = min(found.start() for p in _known().values() if (found := p.search(text)))
    return len(WORD.findall(text[:first])) <= MOST_BEFORE


def told_of_another(reply: str, question: str, notes: Sequence[str]) -> bool:
    """Whether a reply gives, for the one asked about, what notes say of somebody else alone."""
    asked, brought = relatives(question), stems(reply) - stems(question)
    meant = asked | relatives(reply)  # whoever says whom a note is about says nothing wrong
    taken = [relatives(note) for note in notes if brought & stems(note)]
    return bool(asked and taken) and all(who and not who & meant for who in taken)
