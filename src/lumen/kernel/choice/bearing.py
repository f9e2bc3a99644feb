"""Which values bear on a kind of reply, and on a message: by meaning, whatever the author calls them.

A value bears on the kinds that its name comes near to (rows of lexicon/kinds.json), and on doing what a
message asks for where it is near to the message itself.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from lumen.kernel.choice.candidates import Bearing, Candidate
from lumen.kernel.choice.kinds import described
from lumen.kernel.language.passages import Rows
from lumen.kernel.language.prototypes import KIND_ROWS, shares

GOES_ALONG = ("answer", "act", "ask_back")  # what a value that is about the message itself bears on


@dataclass(frozen=True, slots=True)
class BearingLaw:
    """How near a value must be: to a kind, as a share of all kinds; to the message, as a cosine."""

    kind: float
    message: float


def borne(
    candidates: Sequence[Candidate],
    values: Sequence[tuple[str, float]],
    to_message: Sequence[float],
    meaning: Callable[[str], Rows],
    law: BearingLaw,
) -> tuple[Candidate, ...]:
    """Candidates with the values that bear on them, and why; `to_message` is how near each value is to it."""
    near = {name: kind_shares(meaning(plain_name(name))) for name, _ in values}
    found = []
    for one in candidates:
        bears = [
            Bearing(name, to, round(by, 2), weight)
            for (name, weight), cosine in zip(values, to_message, strict=True)
            for to, by in _bearing(_kind_of(one), near[name], cosine, law)
        ]
        found.append(replace(one, values=tuple(b.value for b in bears), bears=tuple(bears)))
    return tuple(found)


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
