"""Which replies hold something for true by themselves, and what is said where that is doubted.

Pure functions; the phrases stand in the lexicon.
"""

from __future__ import annotations

from functools import cache

from lumen.kernel.contour.slots import Draft
from lumen.kernel.language.lexicon import lexicon
from lumen.kernel.language.reading import sentences

LONGEST = 160  # characters of what was said that are quoted
# Phrases of replies that only give back what the author told, say that nothing is known, or feel with them.
NO_POSITION = (
    "stated",
    "closest",
    "noted",
    "noted_plain",
    "noted_words",
    "untold",
    "untold_world",
    "unknown",
    "unknown_self",
    "too_small",
    "set_right",
    "sympathy",
    "sorrow_again",
    "joy",
    "joy_again",
    "worry",
    "worry_again",
    "relief",
    "regret",
    "strain",
    "strain_again",
    "apology",
    "thanks",
    "greeting",
    "comfort_said",
)


def stands_by(before: str, language: str) -> Draft | None:
    """What is said to a doubt: what was said before it, and what would speak against that.

    Where that was only what the author had told, or that nothing is known, there is nothing to stand by:
    how it is they know better.
    """
    if not before.strip() or before.startswith(_met()):
        return None
    if not holds_position(before):
        return Draft(lexicon().phrase("set_right", language), "grounded")
    quote = " ".join(_first_said(before).split())[:LONGEST]
    return Draft(lexicon().phrase("stands_by", language, quote=quote), "grounded")


@cache
def _met() -> tuple[str, ...]:
    """How a word for the talk's own sake opens, in every language: nobody doubts that."""
    return tuple(
        phrase.partition("{")[0].rstrip(", ")
        for spoken in lexicon().spoken.values()
        for key, phrase in spoken.items()
        if key.startswith("met_")
    )


def _first_said(before: str) -> str:
    """What was stood by already, where the reply before did that; else the reply."""
    for spoken in lexicon().spoken.values():
        opening, _, ending = spoken.get("stands_by", "").partition("{quote}")
        if opening and before.startswith(opening) and before.endswith(ending):
            return before.removeprefix(opening).removesuffix(ending)
    return before


def holds_position(reply: str) -> bool:
    """Whether a reply holds something for true by itself."""
    return not any(reply.startswith(opening) for opening in _without_position())


@cache
def _without_position() -> tuple[str, ...]:
    """How replies open that hold nothing for true by themselves, in every language."""
    said = (spoken.get(key, "") for spoken in lexicon().spoken.values() for key in NO_POSITION)
    openings = (phrase.partition("{")[0].strip() for phrase in said)
    return tuple(text[slice(*sentences(text)[0])] for text in openings if text)
