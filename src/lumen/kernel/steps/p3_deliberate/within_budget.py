"""A model's draft, kept to what the turn may say: whole paragraphs and sentences, never half of one."""

from __future__ import annotations

from lumen.kernel.language.reading import sentences
from lumen.kernel.steps.p2_orient import Budget


def within_budget(text: str, budget: Budget) -> str:
    """The first paragraphs and sentences of a text, as many as the budget has."""
    kept = text.strip()
    if budget.paragraphs:
        many = [p for p in kept.split("\n\n") if p.strip()]
        kept = "\n\n".join(many[: budget.paragraphs])
    spans = sentences(kept)
    if budget.sentences and len(spans) > budget.sentences:
        kept = kept[: spans[budget.sentences - 1][1]]
    return kept.strip()
