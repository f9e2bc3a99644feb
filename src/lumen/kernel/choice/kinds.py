"""Speaking has kinds, and which of them fit a message is judged from what earlier steps read off it.

Each kind that fits is a candidate of B = M × A × P: P is how strongly the message prompts it, M what the
values that bear on it weigh (bearing.py). Pure; the words stand in the lexicon.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Literal, cast

from lumen.kernel.choice.candidates import Candidate
from lumen.kernel.language.lexicon import FOLDER

Kind = Literal["answer", "ask_back", "comfort", "disagree", "decline", "act"]
KINDS: tuple[Kind, ...] = ("answer", "ask_back", "comfort", "disagree", "decline", "act")
FILE = FOLDER / "kinds.toml"


@dataclass(frozen=True, slots=True)
class Prompted:
    """How strongly a message prompts a kind of reply."""

    meant: float = 1.0  # what a message of its sort calls for
    as_well: float = 0.9  # what would do as well
    possible: float = 0.8  # what may be done, where somebody wants to
    hardly: float = (
        0.58  # what a mere note hardly calls for: a value of 0.87 does it, one of 0.85 not
    )


PROMPTED = Prompted()


@dataclass(frozen=True, slots=True)
class Fitting:
    """What earlier steps read off a message that says which kinds of reply fit."""

    modality: str = "statement"
    owed: bool = (
        False  # memory, time, sums, its own state: that is answered, whatever it holds dear
    )
    hurts: bool = False  # it tells of something that weighs on the author
    advice: bool = False
    pushed: bool = False  # it contests what was said
    contradicts: bool = False  # it says otherwise than the author told before
    wants: str = ""  # approval, a promise or an untruth
    to_keep: bool = False  # it is told to be kept
    just_asked: bool = False  # the last reply ended with a question: not twice in a row
    taken_in: bool = (
        False  # it sets right what was told, or speaks of the being: nothing to ask about
    )


def fitting_kinds(said: Fitting) -> tuple[tuple[Kind, float], ...]:
    """The kinds of reply that fit, the one a message calls for first; and how strongly each is prompted."""
    if said.owed:
        return (("answer", PROMPTED.meant),)
    found: dict[Kind, float] = {"comfort" if said.hurts else "answer": PROMPTED.meant}
    found.setdefault("answer", PROMPTED.as_well)
    if said.pushed or said.contradicts or said.wants:
        found["disagree"] = PROMPTED.as_well
    if said.wants in ("promise", "untruth"):
        found["decline"] = PROMPTED.as_well
    if said.wants == "approval" or (said.advice and not said.hurts):
        found.setdefault("comfort", PROMPTED.possible)  # nothing hurts: it is no way round a no
    if said.hurts or said.advice or said.wants:
        found["ask_back"] = PROMPTED.as_well
    elif said.modality in ("statement", "greeting") and not (said.just_asked or said.taken_in):
        found["ask_back"] = PROMPTED.hardly if said.to_keep else PROMPTED.possible
    return tuple(found.items())


def spoken_candidates(kinds: tuple[tuple[Kind, float], ...]) -> tuple[Candidate, ...]:
    """A candidate for each kind, with what it is expected to come to."""
    return tuple(
        Candidate("chat", kind, predictions()[kind], prompted=strongly) for kind, strongly in kinds
    )


@cache
def predictions() -> Mapping[str, str]:
    """What each kind is expected to come to."""
    return {kind: str(one["prediction"]) for kind, one in _told().items()}


@cache
def described() -> Mapping[str, tuple[str, ...]]:
    """What somebody holds dear who speaks so, by kind; the last group are values of another sort."""
    return {kind: tuple(cast("list[str]", one["of"])) for kind, one in _told().items()}


@cache
def _told() -> Mapping[str, Mapping[str, object]]:
    return tomllib.loads(FILE.read_text("utf-8"))
