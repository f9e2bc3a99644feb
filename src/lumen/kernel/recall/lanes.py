"""Lanes: on whose word a memory rests. Only what the author stated may support a claim about them."""

from __future__ import annotations

from enum import StrEnum

from lumen.core.data import EventType, Memory, Origin
from lumen.kernel.language.asking import TextShape, packed
from lumen.kernel.language.lexicon import lexicon
from lumen.kernel.language.passages import is_evidence
from lumen.kernel.language.questions import may_answer
from lumen.soul.ports.vectors import LISTED_MARK

LOOKED_AT = 1000  # characters of a message that tell whether its words are put into another's mouth
ASSISTANT = "assistant"  # a speaker of this name is a being, wherever the talk was


class Lane(StrEnum):
    """Whose word a memory is."""

    STATED = "stated"  # the author's statement: the only evidence
    ASKED = "asked"  # the author's question
    SAID = "said"  # what I said
    FOUND = "found"  # what tools found
    GUEST = "guest"  # what somebody else said


# Of a passage, below the listed ones: its lane, and behind that the shape of the text it is of.
MARKS = {lane: 1 << bit for bit, lane in enumerate(Lane)}
LANES, SHAPE, SHAPES = (1 << len(Lane)) - 1, len(Lane), 0xFF
_LANES = {mark: lane for lane, mark in MARKS.items()}
CHANGES = LISTED_MARK  # a statement that says that something is no longer so, or new


def marks_for(lane: Lane, shape: TextShape) -> int:
    """A passage's marks: whose word it is, and what its text has to offer."""
    return MARKS[lane] | packed(shape) << SHAPE


def lane_in(mark: int) -> Lane:
    """The lane of a mark."""
    return _LANES[mark]


def lane_of(memory: Memory, passage: str) -> Lane | None:
    """Whose word a passage of a memory is; nothing: it was neither said nor found."""
    if is_evidence(memory):
        dictated = lexicon().has("dictated", memory.text[:LOOKED_AT])
        return Lane.STATED if may_answer(passage) and not dictated else Lane.ASKED
    if memory.event_type is EventType.ASSISTANT_MESSAGE:
        return Lane.SAID
    if memory.event_type is EventType.AUTHOR_MESSAGE:
        return Lane.SAID if memory.speaker.lower() == ASSISTANT else Lane.GUEST
    return Lane.FOUND if memory.origin in (Origin.TOOL, Origin.WEB) else None
