"""A reply of the kind that is wanted, in the kernel's own phrases, where it is another than usual.

A model that is trusted with its own words is told the kind instead (prompts/drafts); this is what is left
where it fails, and what is said where a small one speaks.
"""

from __future__ import annotations

from dataclasses import replace

from lumen.kernel.contour.slots import Draft
from lumen.kernel.language.dates import day
from lumen.kernel.language.passages import quoted
from lumen.kernel.steps.p1_evidence import differ
from lumen.kernel.steps.p3_deliberate.draft_context import DraftContext
from lumen.kernel.steps.p3_deliberate.plan import Plan

DISAGREES = ("promise", "untruth", "approval", "pushed")  # each has a phrase of its own
INSTEAD = ("hurts", "promise", "untruth")  # a question back stands alone
BESIDE = ("advice", "approval", "greets")  # or behind what is said


def said_as(plan: Plan, own: Draft | None, context: DraftContext) -> Draft | None:
    """The kernel's draft as the wanted kind of reply; as it is where that is the usual one."""
    match plan.way:
        case "ask_back":
            return _asking(plan, own, context)
        case "comfort":
            return _before(context.phrase("comfort_said", author=context.self_.author_name), own)
        case "disagree":
            return _disagreeing(plan, context)
        case "decline":
            return Draft(context.phrase("decline_said", values=_values(plan)), "grounded")
        case "answer":
            said = quoted(context.stimulus.text, 0, len(context.stimulus.text))
            return Draft(context.phrase("taken_plainly", quote=said), "grounded")
        case _:
            return own


def _asking(plan: Plan, own: Draft | None, context: DraftContext) -> Draft:
    """A question back: instead of what would be said where that is the point, else behind it."""
    known = plan.because in (*INSTEAD, *BESIDE)
    asks = context.phrase(f"ask_{plan.because}" if known else "ask_more")
    if own is None or plan.because in INSTEAD:
        return Draft(asks, "grounded")
    return own if own.text.endswith("?") else replace(own, text=f"{own.text} {asks}")


def _before(said: str, own: Draft | None) -> Draft:
    """Words before what would be said anyway: what was asked is answered all the same."""
    return replace(own, text=f"{said} {own.text}") if own else Draft(said, "grounded")


def _disagreeing(plan: Plan, context: DraftContext) -> Draft:
    text = context.stimulus.text
    told = (e.memory for e in context.reality.evidence)
    old = next((m for m in told if differ(replace(m, text=text), m)), None)
    if old is None or plan.because in DISAGREES:
        key = plan.because if plan.because in DISAGREES else "pushed"
        return Draft(context.phrase(f"disagree_{key}"), "grounded")
    when = day(old.timestamp, context.now, context.surface.language)
    quote = quoted(old.text, 0, len(old.text))
    return Draft(context.phrase("disagree_told", date=when, quote=quote), "grounded", (old.seq,))


def _values(plan: Plan) -> str:
    """What speaks for the kind that is wanted."""
    chosen = next((c for c in plan.candidates if c.action == plan.kind), None)
    return ", ".join(chosen.values) if chosen else ""
