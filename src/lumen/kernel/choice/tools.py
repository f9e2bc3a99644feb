"""Which tool a message needs: by what it asks for in so many words, and by what is missing. Pure.

The seed's tool_need_score: low_confidence, missing_facts, repeat_attempts and explicit_request, each with
its weight; a tool is called from the threshold on. Sentences that ask for one are data (lexicon/tools.toml).
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache

from lumen.core.canon import JSON
from lumen.core.exposure import Plain, Quote
from lumen.kernel.language.lexicon import FOLDER
from lumen.kernel.language.reading import EDGES, QUOTED, WORD, names, plainly, words

Features = tuple[str, ...]
LOW_CONFIDENCE, MISSING_FACTS, REPEATED, EXPLICIT = (
    "low_confidence",
    "missing_facts",
    "repeat_attempts",
    "explicit_request",
)
_NUMBER = re.compile(r"-?\d+(?:[.,]\d+)?")
MOST_WORDS = 8


@dataclass(frozen=True, slots=True)
class ToolCall:
    """A tool that is called, how much it is needed, and why."""

    skill: Quote[str]
    action: Quote[str]
    need: Plain[float]
    features: Plain[Features]
    input: JSON = None

    @property
    def asked(self) -> bool:
        """Whether the message asks for it."""
        return EXPLICIT in self.features


@dataclass(frozen=True, slots=True)
class InstalledTool:
    """A skill beside the shipped ones: how it is called, and what it says of itself."""

    name: str
    action: str
    given: JSON
    help: str


def need(features: Features, weights: Mapping[str, float]) -> float:
    """How much a tool is needed: the weights of what speaks for it, at most 1."""
    return round(min(1.0, sum(weights[f] for f in features)), 3)


def asked_in_words(text: str) -> tuple[str, str, JSON] | None:
    """The shipped tool that a message asks for in so many words: skill, action, input."""
    plain = " ".join(text.replace("’", "'").split())
    for skill, patterns in _patterns().items():
        for pattern in patterns:
            if found := pattern.match(plain):
                said = {k: v.strip(EDGES + " ") for k, v in found.groupdict().items()}
                if skill == "search":
                    return skill, "find", {"words": said["words"], "limit": 3}
                text_ = QUOTED.search(found["text"])
                whole = text_[0][1:-1] if text_ else said["text"]
                return skill, "write", {"path": said["path"], "text": f"{whole}\n", "unique": True}
    return None


@cache
def _patterns() -> Mapping[str, tuple[re.Pattern[str], ...]]:
    raw = tomllib.loads((FOLDER / "tools.toml").read_text("utf-8"))
    return {
        skill: tuple(
            re.compile(
                rf"(?:please,? |bitte |пожалуйста,? |can you |could you )?{one}", re.IGNORECASE
            )
            for many in of.values()
            for one in many
        )
        for skill, of in raw.items()
    }


def is_named(tool: InstalledTool, text: str) -> bool:
    """Whether a message names a skill: its name as words of it."""
    said, name = WORD.findall(plainly(text)), tool.name.replace("_", " ").split()
    spots = range(len(said) - len(name) + 1)
    return any(said[n : n + len(name)] == name for n in spots)


def input_for(tool: InstalledTool, text: str) -> JSON:
    """What a skill is given, in the shape of its own example; nothing where that cannot be filled.

    One word or number can be taken from a message: what is quoted in it, a name, a figure.
    """
    shape = tool.given if isinstance(tool.given, dict) else {}
    if len(shape) > 1:
        return None
    for key, example in shape.items():
        if isinstance(example, bool):
            return None
        if isinstance(example, int | float):
            found = _NUMBER.search(text)
            number = float(found[0].replace(",", ".")) if found else float(example)
            return {key: int(number) if number.is_integer() else number}
        return {key: _said(text)} if isinstance(example, str) else None
    return {}


def _said(text: str) -> str:
    """The part of a message that a skill is given as a text."""
    if found := QUOTED.search(text):
        return found[0][1:-1]
    called = names(text)
    named = [w for w in WORD.findall(text) if w.lower() in called]
    return " ".join(named or words(text)[:MOST_WORDS])
