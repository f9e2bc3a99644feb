"""Answers about the being that are made of several others: what it sends, reads, keeps private, and how it errs.

From the ledger, the skills there are and the record of outcomes; no model is asked.
"""

from __future__ import annotations

from lumen.core.stores import Store
from lumen.kernel.answers import about_itself as own
from lumen.kernel.answers.context import AnswerContext, KernelAnswer

CORRECTED = "corrected"


def sending(asking: AnswerContext) -> KernelAnswer:
    """What was sent to models elsewhere, and which model speaks now."""
    return KernelAnswer(f"{own.left(asking).text} {own.runs_on(asking).text}")


def away_files(asking: AnswerContext) -> KernelAnswer:
    """What it reads while nobody talks to it: only what its skills may, and only while it runs."""
    skills = ", ".join(s for s in asking.biography.skills if s != "chat")
    away = asking.phrase("files_away", skills=skills or asking.phrase("list_nothing"))
    return KernelAnswer(f"{away} {own.files(asking).text}")


def private_kept(asking: AnswerContext) -> KernelAnswer:
    """How much of what was told is marked private; its words stay untold."""
    count = sum(m.private for m in asking.recall.statements())
    return KernelAnswer(asking.phrase("private_count", count=str(count)))


def mistaken(asking: AnswerContext) -> KernelAnswer:
    """That it can be wrong, and what can be counted of that."""
    told = [asking.phrase("mistaken_can"), own.how_wrong(asking).text]
    if asking.state is not None:
        lines = asking.state.lines(Store.OUTCOMES)
        count = sum(one.get("outcome") == CORRECTED for one in lines)
        told.append(asking.phrase("corrected_count", corrected=str(count)))
    return KernelAnswer(" ".join(told))
