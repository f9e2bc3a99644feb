"""What models are asked to answer with, as types: their schema is sent, their answers are checked."""

from __future__ import annotations

from typing import Annotated

from pydantic import BaseModel, ConfigDict, StringConstraints

Word = Annotated[str, StringConstraints(max_length=20)]  # unbounded text can go on for ever


class Probe(BaseModel):
    """A word, to see that a model can keep to a schema."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    word: Word
