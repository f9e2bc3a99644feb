"""What a message asks of the being itself, by what it means: for where its words alone say nothing.

The labelled sentences stand in lexicon/asked.toml, tools/prototypes.py makes asked.json of them. It must be sure:
a question that is taken for one about the being is answered of the being, and of nothing that was told.
"""

from __future__ import annotations

import tomllib
from collections.abc import Callable
from functools import cache

from lumen.kernel.language.asking import about
from lumen.kernel.language.lexicon import FOLDER, lexicon
from lumen.kernel.language.passages import Rows
from lumen.kernel.language.pronouns import tells_of_being
from lumen.kernel.language.prototypes import shares
from lumen.kernel.language.questions import asked_by_topic, asked_surely, questions_in
from lumen.kernel.language.reading import (
    WORD,
    is_question,
    language,
    modality,
    sentences,
)
from lumen.kernel.language.spans import asks_what_happened
from lumen.kernel.language.thresholds import in_force

ANCHORS, ROWS = FOLDER / "asked.toml", FOLDER / "asked.json"
PLAIN = "plain"  # asks nothing of the being
ITSELF = "itself"  # about the being, and none of what it can tell: answered in general
MOST_WORDS = 20
ENDS = (".", "!", "…")  # of what tells something
# What is asked of the author's own things, without a word to the being, is none of these: when my birthday is.
OF_ITSELF_ALONE = frozenset(
    (ITSELF, "age", "body", "doings", "favourites", "made", "moods", "name", "relations", "who")
)
Meaning = Callable[[str], Rows]


def asks_of_it(text: str, name: str = "", meaning: Meaning | None = None) -> tuple[str, bool]:
    """The kind of what a message asks of the being, and whether its meaning alone told so.

    By its words where they are sure, then by its meaning, for which a vector is asked only then, last by a word.
    Of several questions each is read by itself.
    """
    if kind := asked_surely(text, name)[0]:
        return kind, False
    if questions_in(text):
        return "", False
    kind = asked_in_meaning(text, meaning, name) if meaning else ""
    if kind in ("", ITSELF) and (topic := asked_by_topic(text, name)):
        return topic, False
    return kind, bool(kind)


def asked_in_meaning(text: str, meaning: Meaning, name: str = "") -> str:
    """The kind of question about the being that a message asks; empty where that is not sure."""
    said = may_ask(text, name)
    if not said:
        return ""
    plain, *others = shares(meaning(said), ROWS, 1.0)
    if 1 - plain < _needed(said, name):
        return ""
    best, kind = max(zip(others, kinds()[1:], strict=True))
    kind = kind if best >= in_force("asked")["kind"] * (1 - plain) else ITSELF
    own = about(said, name) == "author" and not lexicon().has("second_person", said)
    tells = kind == ITSELF and not _asks(said) and tells_of_being(said)
    return "" if tells or (own and kind in OF_ITSELF_ALONE) else kind


def may_ask(text: str, name: str = "") -> str:
    """The sentence of a message that may ask something of the being: its last question or request; or nothing.

    Without a mark only what speaks to the being may be one. What somebody should do is none, nor what happened in a
    time: the archive tells that.
    """
    spoken = [text[a:b].strip() for a, b in sentences(text)[-2:]]
    said = next((one for one in reversed(spoken) if _asks(one)), "")
    if not said and len(spoken) == 1 and not spoken[0].endswith(ENDS):
        said = spoken[0] if about(spoken[0], name) == "being" else ""
    long, advice = len(WORD.findall(said)) > MOST_WORDS, lexicon().has("advice", said)
    return "" if long or advice or asks_what_happened(said) else said


def _asks(said: str) -> bool:
    return is_question(said) or modality(said) == "task"


def _needed(said: str, name: str) -> float:
    """How sure it must be that a sentence asks something of the being: numbers of language/nearness.toml."""
    least = in_force("asked")
    needed = least[about(said, name) if _asks(said) else "unmarked"]
    return needed if language(said) == "en" else max(needed, least["other"])


@cache
def kinds() -> tuple[str, ...]:
    """Every kind there are sentences of, the plain one first."""
    return tuple(_told())


@cache
def labelled() -> tuple[tuple[str, ...], ...]:
    """The sentences of every kind, in all languages."""
    return tuple(tuple(s for many in one.values() for s in many) for one in _told().values())


def _told() -> dict[str, dict[str, list[str]]]:
    return tomllib.loads(ANCHORS.read_text("utf-8"))
