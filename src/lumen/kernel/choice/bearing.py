"""Which values bear on a kind of reply, and on a message: by meaning, whatever the author calls them.

A value bears on the kinds that its name comes near to (rows of lexicon/kinds.json), and on doing what a
message asks for where it is near to the message itself. One whose name stands in lexicon/kinds.toml is a way of
speaking and no topic: nothing is embedded for it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import Protocol

from lumen.kernel.choice.candidates import Bearing, Candidate
from lumen.kernel.choice.kinds import described
from lumen.kernel.language.passages import Rows
from lumen.kernel.language.prototypes import KIND_ROWS, shares

TOPICS = "none"
GOES_ALONG = ("answer", "act", "ask_back")  # what a value that is about the message itself bears on


class Meanings(Protocol):
    """Vectors, as recall has them."""

    def meaning(self, text: str) -> Rows:
        """The vector of a text."""
        ...

    def likeness(self, texts: tuple[str, ...], to: str) -> tuple[float, ...]:
        """How near each text is to another."""
        ...


@dataclass(frozen=True, slots=True)
class BearingLaw:
    """How near a value must be: to a kind, as a share of all kinds; to the message, as a cosine."""

    kind: float
    message: float


def borne(
    candidates: Sequence[Candidate],
    values: Sequence[tuple[str, float]],
    message: str,
    meanings: Meanings,
    law: BearingLaw,
) -> tuple[Candidate, ...]:
    """Candidates with the values that bear on them, and why."""
    near = {name: bearing_of(name, message, meanings) for name, _ in values}
    found = []
    for one in candidates:
        bears = [
            Bearing(name, to, round(by, 2), weight)
            for name, weight in values
            for to, by in _bearing(_kind_of(one), *near[name], law)
        ]
        found.append(replace(one, values=tuple(b.value for b in bears), bears=tuple(bears)))
    return tuple(found)


def bearing_of(name: str, message: str, meanings: Meanings) -> tuple[dict[str, float], float]:
    """How much of each kind a value is, and how near to a message."""
    plain = plain_name(name)
    if kind := _known().get(plain.casefold(), ""):
        return {**dict.fromkeys(described(), 0.0), kind: 1.0}, 0.0
    (cosine,) = meanings.likeness((plain,), message)
    return kind_shares(meanings.meaning(plain)), cosine


@cache
def _known() -> Mapping[str, str]:
    """The kind of every name that stands in the lexicon; topics have none."""
    return {
        name.casefold(): kind
        for kind, many in described().items()
        for name in many
        if kind != TOPICS
    }


def _kind_of(one: Candidate) -> str:
    return one.action if one.skill == "chat" else "act"


def _bearing(
    kind: str, near: dict[str, float], cosine: float, law: BearingLaw
) -> list[tuple[str, float]]:
    """Why a value bears on a kind: the nearer of both reasons; none: it does not."""
    if near[kind] >= law.kind:
        return [(kind, near[kind])]
    if cosine >= law.message and kind in GOES_ALONG:
        return [("message", cosine)]
    return []


def kind_shares(meaning: Rows) -> dict[str, float]:
    """How much of each kind a value is, by its vector; together 1."""
    return dict(zip(described(), shares(meaning, KIND_ROWS), strict=True))


def plain_name(value: str) -> str:
    """A value's name as words."""
    return " ".join(value.replace("_", " ").split())
