"""How a draft scores on the axes of Λ: truthful, to the point, its own; not servile, not cocksure."""

from __future__ import annotations

from dataclasses import dataclass

from lumen.kernel.lexicon import lexicon
from lumen.kernel.reading import names, numbers, stem, words
from lumen.kernel.slots import Axes, Contour, Draft
from lumen.kernel.small import asserts_nothing, in_kind, is_garbled, says_back

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
    fiction: bool = False  # what is asked for is made up by its nature


def axes(draft: Draft, near: float, ground: Ground, contour: Contour) -> Axes:
    """All of them for one draft, and what they come to."""
    lex = lexicon()
    own = draft.kind in ("grounded", "kernel")
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
    gives advice: it puts true words into false sentences. What it may say elsewhere is in small.py.
    """
    asked, told = _stems(ground.message), _stems(ground.told)
    known = asked | told | _stems(ground.around)
    invented = [w for w in names(draft.text) | numbers(draft.text) if stem(w) not in known]
    strange = [w for w in words(draft.text) if stem(w) not in known]
    if draft.kind == "small model" and (doubt := _doubted(draft.text, asked, ground)):
        return doubt
    if ground.asks_memory:
        hedged = lexicon().has("hedge", draft.text)
        right = not ground.answered if hedged else bool(_stems(draft.text) & (told - asked))
        return (1.0 if right else DENIED) / (1.0 + len(invented) + 0.25 * len(strange))
    return 1.0 if ground.fiction else 1.0 / (1.0 + len(invented))


def _doubted(text: str, asked: set[str], ground: Ground) -> float:
    """What is left of the truth of a small model's words; 0: nothing speaks against them."""
    if ground.asks_memory or ground.beyond_small:
        return DENIED / 2
    return 0.0 if _may_be_said(text, asked, ground) else DENIED


def _may_be_said(text: str, asked: set[str], ground: Ground) -> bool:
    """Whether a small model keeps to what it may say: the author's words back, or small talk."""
    if ground.statement:
        enough = len(asked & _stems(text)) >= SAID_BACK * len(asked)
        return enough and says_back(text, ground.message)
    if ground.fiction:
        return not is_garbled(text, ground.message)
    return asserts_nothing(text, f"{ground.message} {ground.around}") and in_kind(
        text, ground.message
    )


def _stems(text: str) -> set[str]:
    return {stem(w) for w in words(text)}
