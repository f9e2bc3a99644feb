"""Perceive: how sure it is that what was found answers, and what of it may be told."""

from __future__ import annotations

from typing import Protocol

from lumen.kernel.recall.evidence import Evidence
from lumen.kernel.steps.p1_bearing import speaks_as_much


class ToldFrom(Protocol):
    """From where on evidence is told: the parameters of the step that asks."""

    @property
    def strong(self) -> float: ...
    @property
    def plain(self) -> float: ...
    @property
    def middling(self) -> float: ...
    @property
    def stands_out(self) -> float: ...
    @property
    def bears(self) -> float: ...
    @property
    def quotes(self) -> int: ...


def verdict(evidence: tuple[Evidence, ...], grounding: ToldFrom) -> str:
    """How well the first of the evidence answers: strong, middling, weak, or none at all.

    Only what comes first may be stated; whatever is quoted with it may be the closest there is.
    """
    if not evidence:
        return "none"
    if may_be_stated(evidence[0], grounding):
        return "strong"
    near = any(may_be_meant(e, grounding) for e in evidence[: grounding.quotes])
    return "middling" if near else "weak"


def fitting_first(
    evidence: tuple[Evidence, ...], question: str, grounding: ToldFrom
) -> tuple[Evidence, ...]:
    """Evidence with what surely answers in front of what only speaks of the same: her age before her fall."""
    if not evidence or evidence[0].fits is not False or may_be_stated(evidence[0], grounding):
        return evidence
    sure = (e for e in evidence if e.fits and may_be_stated(e, grounding))
    better = (e for e in sure if e.score > evidence[0].score)
    first = next((e for e in better if speaks_as_much(question, e, evidence[0])), None)
    return evidence if first is None else (first, *(e for e in evidence if e is not first))


def may_be_stated(e: Evidence, grounding: ToldFrom) -> bool:
    """Whether evidence may be told as the answer: by its words, or as it stands out among all that was told."""
    by_words = e.score >= grounding.strong and e.fits is not False
    return by_words or e.plainness >= grounding.plain


def may_be_meant(e: Evidence, grounding: ToldFrom) -> bool:
    """Whether evidence may be offered as the closest there is: what is not of the kind asked for must
    plainly be about the question.
    """
    least = grounding.bears if e.wrong_kind else grounding.middling
    return e.score >= least and e.stands_out >= grounding.stands_out
