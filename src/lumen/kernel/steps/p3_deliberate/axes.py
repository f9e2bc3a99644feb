"""How a draft scores on the axes of Λ: truthful, to the point, its own; not servile, not cocksure."""

from __future__ import annotations

from collections.abc import Sized
from dataclasses import dataclass

from lumen.core.exposure import Plain
from lumen.kernel.choice.small_models import (
    addresses,
    asserts_nothing,
    in_kind,
    is_garbled,
    says_back,
)
from lumen.kernel.contour.policy import Parameters
from lumen.kernel.contour.slots import Draft
from lumen.kernel.language.lexicon import lexicon
from lumen.kernel.language.reading import names, numbers, stem, stems, words


@dataclass(frozen=True, slots=True)
class AxisWeights(Parameters):
    """What each axis weighs in Λ, and by how much a draft is marked up or down on it."""

    truthfulness: float
    precision: float
    freedom: float
    servility: float
    overconfidence: float
    own_precision: float  # of what the kernel builds from evidence, which is not measured
    own_freedom: float
    free: float  # how much of its own a model's draft is taken to be
    servile: float  # for each servile phrase
    cocksure: float  # for each phrase that is too sure
    strange: float  # for each word, asked about the author's life, that nothing supports
    denied: float  # what is left of the truth of a draft that denies or misses what was told
    said_back: float  # how much of a statement a small model must take up to have understood it


@dataclass(frozen=True, slots=True)
class Axes:
    """How a draft scores: T, P and F speak for it, the others against it."""

    truthfulness: Plain[float]
    precision: Plain[float]
    freedom: Plain[float]
    servility: Plain[float]
    overconfidence: Plain[float]
    total: Plain[float]


@dataclass(frozen=True, slots=True)
class Ground:
    """What a draft may lean on."""

    message: str
    told: str
    around: str
    asks_memory: bool
    beyond_small: bool  # what a small model must not be trusted with
    statement: bool
    answered: bool  # what is known answers the question
    fiction: bool = False  # what is asked for is made up by its nature
    own_name: str = ""  # the being's, where the author is called otherwise


def axes(draft: Draft, near: float, ground: Ground, weights: AxisWeights) -> Axes:
    """All of them for one draft, and what they come to."""
    lex = lexicon()
    own = draft.kind in ("grounded", "kernel")
    truth = 1.0 if own else truthfulness(draft, ground, weights)
    precision = weights.own_precision if own else max(0.0, min(1.0, 0.5 + near / 2))
    freedom = weights.own_freedom if own else weights.free
    servility = 0.0 if own else _marked(weights.servile, lex.found("servility", draft.text))
    cocksure = 0.0 if own else _marked(weights.cocksure, lex.found("overconfidence", draft.text))
    total = (
        weights.truthfulness * truth
        + weights.precision * precision
        + weights.freedom * freedom
        - weights.servility * servility
        - weights.overconfidence * cocksure
    )
    return Axes(truth, precision, freedom, servility, cocksure, total)


def _marked(by: float, found: Sized) -> float:
    return min(1.0, by * len(found))


def truthfulness(draft: Draft, ground: Ground, weights: AxisWeights) -> float:
    """How little a draft brings that nothing supports: invented names and figures weigh most.

    Asked about the author's life, what was told is the only truth: a draft must bring some of it,
    and whatever it adds counts against it. A small model is never believed there, nor when it
    gives advice: it puts true words into false sentences. What it may say elsewhere is in choice/small_models.py.
    """
    if addresses(draft.text, ground.own_name) and not ground.fiction:
        return weights.denied / 2  # it takes the author for itself
    asked, told = stems(ground.message), stems(ground.told)
    known = asked | told | stems(ground.around)
    invented = [w for w in names(draft.text) | numbers(draft.text) if stem(w) not in known]
    strange = [w for w in words(draft.text) if stem(w) not in known]
    if draft.kind == "small model" and (doubt := _doubted(draft.text, asked, ground, weights)):
        return doubt
    if ground.asks_memory:
        hedged = lexicon().has("hedge", draft.text)
        right = not ground.answered if hedged else bool(stems(draft.text) & (told - asked))
        return (1.0 if right else weights.denied) / (
            1.0 + len(invented) + weights.strange * len(strange)
        )
    return 1.0 if ground.fiction else 1.0 / (1.0 + len(invented))


def _doubted(text: str, asked: set[str], ground: Ground, weights: AxisWeights) -> float:
    """What is left of the truth of a small model's words; 0: nothing speaks against them."""
    if ground.asks_memory or ground.beyond_small:
        return weights.denied / 2
    return 0.0 if _may_be_said(text, asked, ground, weights.said_back) else weights.denied


def _may_be_said(text: str, asked: set[str], ground: Ground, enough: float) -> bool:
    """Whether a small model keeps to what it may say: the author's words back, or small talk."""
    if ground.statement:
        taken_up = len(asked & stems(text)) >= enough * len(asked)
        return taken_up and says_back(text, ground.message)
    if ground.fiction:
        return not is_garbled(text, ground.message)
    return asserts_nothing(text, f"{ground.message} {ground.around}") and in_kind(
        text, ground.message
    )
