"""How a draft scores on the axes of Λ: truthful, to the point, its own; not servile, not cocksure."""

from __future__ import annotations

from dataclasses import dataclass

from lumen.kernel.lexicon import lexicon
from lumen.kernel.reading import names, numbers, stem, words
from lumen.kernel.slots import Axes, Contour, Draft

FREE_WORDS = 3  # a small model may bring so many words of its own; more count as invention
SAID_BACK = 0.75  # how much of a statement a small model must take up to have understood it
DENIED = 0.2  # what is left of the truth of a draft that denies or misses what was told


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


def axes(draft: Draft, near: float, ground: Ground, contour: Contour) -> Axes:
    """All of them for one draft, and what they come to."""
    lex = lexicon()
    own = draft.kind == "grounded"
    truth = 1.0 if own else truthfulness(draft, ground)
    precision = 0.8 if own else max(0.0, min(1.0, 0.5 + near / 2))
    freedom = 0.2 if own else 0.8
    servility = 0.0 if own else min(1.0, 0.5 * len(lex.found("servility", draft.text)))
    cocksure = 0.0 if own else min(1.0, 0.25 * len(lex.found("overconfidence", draft.text)))
    total = (
        contour.truthfulness * truth
        + contour.precision * precision
        + contour.freedom * freedom
        - contour.servility * servility
        - contour.overconfidence * cocksure
    )
    return Axes(truth, precision, freedom, servility, cocksure, total)


def truthfulness(draft: Draft, ground: Ground) -> float:
    """How little a draft brings that nothing supports: invented names and figures weigh most.

    Asked about the author's life, what was told is the only truth: a draft must bring some of it,
    and whatever it adds counts against it. A small model is never believed there, nor when it
    gives advice: it puts true words into false sentences. Elsewhere it is held to its words.
    """
    asked, told = _stems(ground.message), _stems(ground.told)
    known = asked | told | _stems(ground.around)
    invented = [w for w in names(draft.text) | numbers(draft.text) if stem(w) not in known]
    strange = [w for w in words(draft.text) if stem(w) not in known]
    small = draft.kind == "small model"
    if small and (ground.asks_memory or ground.beyond_small):
        return DENIED / 2
    if small and ground.statement and len(asked & _stems(draft.text)) < SAID_BACK * len(asked):
        return DENIED  # it answers something, but not what was said
    if ground.asks_memory:
        hedged = lexicon().has("hedge", draft.text)
        right = not ground.answered if hedged else bool(_stems(draft.text) & (told - asked))
        return (1.0 if right else DENIED) / (1.0 + len(invented) + 0.25 * len(strange))
    loose = max(0, len(strange) - FREE_WORDS) if small else 0
    return 1.0 / (1.0 + len(invented) + 0.25 * loose)


def _stems(text: str) -> set[str]:
    return {stem(w) for w in words(text)}
