"""What kind of message it is in meaning: how near it comes to groups of labelled sentences.

The sentences and what each group stands for are in lexicon/intents.toml; tools/prototypes.py makes a row of
numbers of each group, by ridge regression, so that a turn embeds nothing beside the message itself.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np
import orjson

from lumen.kernel.language.lexicon import FOLDER
from lumen.kernel.language.passages import Rows
from lumen.mind.built_in import built_in

ANCHORS, ROWS = FOLDER / "intents.toml", FOLDER / "prototypes.json"
KIND_ROWS = FOLDER / "kinds.json"  # of lexicon/kinds.toml
SHARPNESS = 9.0  # of ridge rows: how far the nearest group is ahead of the others


@dataclass(frozen=True, slots=True)
class MessageGroup:
    """What the sentences of a group have in common."""

    name: str
    intent: str
    phase: str
    importance: float
    complexity: float
    ambiguity: float
    sentences: tuple[str, ...]


@cache
def groups() -> tuple[MessageGroup, ...]:
    """Every group, in the order of the file."""
    told = tomllib.loads(ANCHORS.read_text("utf-8"))
    return tuple(MessageGroup(name, *_common(one), tuple(one["of"])) for name, one in told.items())


def _common(one: Mapping[str, object]) -> tuple[str, str, float, float, float]:
    intent, phase, *numbers = (one[k] for k in COMMON)
    weight, task, doubt = (float(str(n)) for n in numbers)
    return str(intent), str(phase), weight, task, doubt


COMMON = ("intent", "phase", "importance", "complexity", "ambiguity")


def shares(meaning: Rows, file: Path = ROWS, sharpness: float = SHARPNESS) -> tuple[float, ...]:
    """How much of each group of a file a text is, by its vector; together 1."""
    rows = _rows(file)
    scores = sharpness * (rows[:, :-1] @ meaning + rows[:, -1])
    raised = np.exp(scores - scores.max())
    return tuple(float(x) for x in raised / raised.sum())


@cache
def _rows(file: Path) -> Rows:
    """A row a group, with its offset at the end; the first embedder's where there are none of this one."""
    told = orjson.loads(file.read_bytes())["rows"]
    name = built_in()[0]
    return np.array(told.get(name) or next(iter(told.values())), dtype=np.float32)
