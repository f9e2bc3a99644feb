"""What a message does in the talk where it tells nothing to be kept: it leaves, thanks, complains, nods.

By meaning: the labelled sentences stand in lexicon/moves.toml, and tools/prototypes.py makes moves.json of them.
How a move is met is for the steps to say; what a statement tells of feeling: feelings.py.
"""

from __future__ import annotations

import tomllib
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache

from lumen.kernel.language.feelings import feeling_meant, feeling_told, may_be_felt, moods
from lumen.kernel.language.lexicon import FOLDER, lexicon
from lumen.kernel.language.passages import Rows
from lumen.kernel.language.pronouns import tells_of_being
from lumen.kernel.language.prototypes import shares
from lumen.kernel.language.reading import (
    WORD,
    courtesies,
    language,
    names,
    numbers,
    own_words,
    sentences,
)
from lumen.kernel.language.unmarked import opens_question

ANCHORS, ROWS = FOLDER / "moves.toml", FOLDER / "moves.json"
MOVED = ("statement", "acknowledgement", "question")  # of these a message must be
OF_BEING = (
    "complains",
    "missed",
    "praises",
    "thanks",
    "likens",
)  # what a question about the being may do
TELLS, HEARD = "tells", "heard"  # what is told; and what tells nothing, nobody knows what it does
# A message does something else than tell where so little of it is telling. With more, one fact in twenty would
# be met as a nod.
MOST_TOLD = 0.2
SURE = 0.45  # from here on it is of a kind; with less it is only heard
OPENING = 3  # words in which a question word stands
MOST_WORDS = 14  # a longer message tells something besides


@dataclass(frozen=True, slots=True)
class MoveGroup:
    """What the sentences of a group do, and the kind it is met as where it is not surely this one."""

    name: str
    kind: str
    sentences: tuple[str, ...]


@cache
def move_groups() -> tuple[MoveGroup, ...]:
    """The labelled sentences by move; what is told, which are those of feelings.py too, comes first."""
    raw = tomllib.loads(ANCHORS.read_text("utf-8"))
    groups = [MoveGroup(name, one.get("as", name), tuple(one["of"])) for name, one in raw.items()]
    moving = {text for group in groups if group.name != TELLS for text in group.sentences}
    felt = (text for many in moods().values() for text in many if text not in moving)
    told = tuple(dict.fromkeys([*felt, *groups[0].sentences]))
    return (MoveGroup(TELLS, TELLS, told), *groups[1:])


def move_of(text: str, modality: str, about: str, meaning: Callable[[str], Rows]) -> str:
    """What a message does in the talk; empty where it tells something, a feeling too, or asks about else than the being."""
    if modality not in MOVED or (modality == "question" and (about != "being" or _asks(text))):
        return ""
    nods = "nods" if modality == "acknowledgement" else ""
    if feeling_told(text) or not may_be_move(text):
        return nods
    if modality == "statement" and "farewell" in courtesies(text):
        return "leaves"
    vector = meaning(text)
    move = move_meant(vector)
    if move == HEARD and (_of_being(text) or (may_be_felt(text) and feeling_meant(vector))):
        return nods
    if move == HEARD and (last := _last(text)) != text:
        move = move_meant(meaning(last)) or HEARD
    if modality == "question":
        return move if move in OF_BEING else ""
    return nods if nods and move in ("", HEARD) else move


def _asks(text: str) -> bool:
    """Whether a question asks something: "you don't say much, do you?" does not."""
    opening = " ".join(WORD.findall(text)[:OPENING])
    return lexicon().has("question", opening) or opens_question(text.rstrip(" ?!"))


def _of_being(text: str) -> bool:
    """Whether it says something of the being: that is quoted, not waved through."""
    return tells_of_being(text) or lexicon().has("second_person", text)


def _last(text: str) -> str:
    """The last sentence of a message."""
    return next((text[a:b] for a, b in reversed(sentences(text))), text)


def may_be_move(text: str) -> bool:
    """Whether a message may tell nothing: it is short, names no figure, no day and nobody, and no name to be called by."""
    said = WORD.findall(text)
    if (
        not said
        or len(said) > MOST_WORDS
        or own_words(text) != text
        or lexicon().has("calls", text)
    ):
        return False
    if numbers(text) - lexicon().vague or not lexicon().calendar.isdisjoint(
        w.lower() for w in said
    ):
        return False
    return language(text) == "de" or not names(text)  # German writes every noun as a name


def move_meant(meaning: Rows) -> str:
    """What a message does, by its vector: a group, the kind of several, or only "heard"; empty where it tells."""
    found = dict(zip(move_groups(), shares(meaning, ROWS), strict=True))
    by_kind: dict[str, float] = {}
    for group, share in found.items():
        by_kind[group.kind] = by_kind.get(group.kind, 0.0) + share
    if by_kind.pop(TELLS) > MOST_TOLD:
        return ""
    group, share = max(found.items(), key=lambda one: one[1] if one[0].name != TELLS else 0.0)
    if share >= SURE:
        return group.name
    kind = max(by_kind, key=lambda one: by_kind[one])
    return kind if by_kind[kind] >= SURE else HEARD
