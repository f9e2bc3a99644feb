"""What models are asked to answer with, as types: their schema is sent, their answers are checked.

Every text and list has a bound: an answer that may go on for ever does.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, StringConstraints

from lumen.core.canon import dumps

LONGEST_INPUT = 20_000  # bytes

Word = Annotated[str, StringConstraints(max_length=20)]
Name = Annotated[str, StringConstraints(max_length=80)]
Sentence = Annotated[str, StringConstraints(max_length=280)]
Names = Annotated[list[Name], Field(max_length=8)]


def _keepable(value: dict[str, Any]) -> dict[str, Any]:
    """What a skill is given must fit into the archive: a number can be too long for that."""
    try:
        size = len(dumps(value))
    except TypeError as error:
        raise ValueError(f"it cannot be kept: {error}") from error
    if size > LONGEST_INPUT:
        raise ValueError(f"it has {size:,} bytes; at most {LONGEST_INPUT:,} fit")
    return value


Input = Annotated[dict[str, Any], AfterValidator(_keepable)]


class Output(BaseModel):
    """What every answer shares."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class Probe(Output):
    """A word, to see that a model can keep to a schema."""

    word: Word


class Stated(Output):
    """What a note says, to see that what fills a schema is so."""

    author: Name
    reader: Name
    kind: Literal["apology", "bill", "invitation", "reminder"]
    number: int


class Thought(Output):
    """Something that could be done, and what would come of it."""

    skill: Name
    action: Name
    input: Input = Field(default_factory=dict)
    prediction: Sentence
    values: Names = Field(default_factory=list)
    against: Names = Field(default_factory=list)
    completes: bool = False  # older prompts ask for it; nothing goes by it


class Thoughts(Output):
    """What could be done for a goal."""

    candidates: Annotated[list[Thought], Field(max_length=3)]


class Verdict(Output):
    """Which of several equally good options, by number."""

    number: int


class Told(Output):
    """One sentence about what happened."""

    text: Sentence


class Code(Output):
    """A program, as a model writes one."""

    main_py: Annotated[str, StringConstraints(max_length=20_000)]
    skill_toml: Annotated[str, StringConstraints(max_length=4_000)]


class Question(Output):
    """One open question."""

    question: Sentence


class Proposed(Output):
    """A change of self, why, and which memories speak for it, by number."""

    kind: Annotated[str, StringConstraints(pattern="^(value|goal|story)$")]
    name: Name
    weight: Annotated[float, Field(ge=0, le=1)]
    status: Name = ""
    why: Sentence
    evidence: Annotated[list[int], Field(max_length=12)]


class Proposals(Output):
    """What one might change about oneself."""

    proposals: Annotated[list[Proposed], Field(max_length=5)]
