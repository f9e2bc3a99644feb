"""What feeling a statement tells of: by its words, which are precise, else by what it means.

The words stand in the lexicon (signals grave, joy, worry, strain), the labelled sentences in lexicon/moods.toml;
tools/prototypes.py makes moods.json of these. How a feeling is answered is for the steps to say.
"""

from __future__ import annotations

import tomllib
from collections.abc import Callable
from functools import cache
from typing import Literal, get_args

from lumen.kernel.language.lexicon import FOLDER, lexicon
from lumen.kernel.language.passages import Rows
from lumen.kernel.language.prototypes import shares
from lumen.kernel.language.reading import WORD, own_words

Feeling = Literal["", "joy", "relief", "sorrow", "worry", "regret", "strain"]
FEELINGS: tuple[Feeling, ...] = get_args(Feeling)
HEAVY: tuple[Feeling, ...] = ("sorrow", "worry", "regret", "strain")
LIGHT: tuple[Feeling, ...] = ("joy", "relief")
CLEAR: tuple[Feeling, ...] = (*LIGHT, "sorrow", "strain")  # how these are met is never out of place
ANCHORS, ROWS = FOLDER / "moods.toml", FOLDER / "moods.json"
PLAIN = "plain"
# From here on a statement is of a group. With less, every ninth plain remark would be met with feeling, and
# that is worse than to miss one.
SURE = 0.6
LIKELY = 0.4  # from here on it is the likeliest of those alike
FEWEST_WORDS = 3  # "so, sleep now": fewer mean too little
LONGEST = 200  # characters; a longer statement tells of several things


def feeling_told(text: str) -> Feeling:
    """The feeling that the words of a text name; empty where they name none."""
    text = own_words(text)
    signs: dict[str, Feeling] = {"grave": "sorrow", "joy": "joy", "worry": "worry"}
    named = (kind for sign, kind in signs.items() if _named(sign, text) and not _denied(sign, text))
    return next(named, "strain" if _named("strain", text) else "")


def _named(sign: str, text: str) -> bool:
    return lexicon().has(sign, text.replace("’", "'"))


def _denied(sign: str, text: str) -> bool:
    """Whether a feeling is named only to say that there is none, or that it is a film's."""
    return _named(f"not_{sign}", text)


def felt(text: str, meaning: Callable[[str], Rows]) -> Feeling:
    """The feeling a statement tells of: by its words, else by its vector, which is asked for only then."""
    if feels_for(text):
        return ""
    told = feeling_told(text)
    return feeling_meant(meaning(text)) if not told and may_be_felt(text) else told


def feels_for(text: str) -> bool:
    """Whether it tells that somebody else is afraid, sad or in pain: that is no feeling of the author's."""
    return _named("their_trouble", own_words(text))


def may_be_felt(text: str) -> bool:
    """Whether the meaning of a statement may be judged: it is of some length, meant as it is put, and not said to the being.

    A vector hardly knows a "not", nor that somebody's age is no news, nor who it is that is nervous, nor that an exam is
    only a date: what the words deny, what has figures, the moods of others and what is merely told are left to them.
    """
    if any(c.isdigit() for c in text) or len(text) > LONGEST or own_words(text) != text:
        return False
    if len(WORD.findall(text)) < FEWEST_WORDS or any(
        _denied(sign, text) for sign in ("grave", "joy", "worry")
    ):
        return False
    left = ("figure", "figure_wish", "second_person", "their_mood", "their_trouble", "merely_told")
    return not any(_named(sign, text) for sign in left)


def feeling_meant(meaning: Rows) -> Feeling:
    """The feeling that a statement is nearest to, by its vector; empty where that is not sure.

    It is sure too where it surely weighs, or surely gladdens, and is of one such kind rather than of any other; of a
    worry or a regret that is not sure by itself only that it weighs.
    """
    found = dict(zip(moods(), shares(meaning, ROWS), strict=True))
    kind, best = max(found.items(), key=lambda one: one[1])
    alike = sum(found[one] for one in (HEAVY if kind in HEAVY else LIGHT))
    if not kind or alike < SURE or best < LIKELY:
        return ""
    return kind if best >= SURE or kind in CLEAR else "strain"


@cache
def moods() -> dict[Feeling, tuple[str, ...]]:
    """The labelled sentences by feeling, the plain ones first."""
    told = tomllib.loads(ANCHORS.read_text("utf-8"))
    return {kind: tuple(told[kind or PLAIN]["of"]) for kind in FEELINGS}
