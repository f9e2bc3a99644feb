"""Asking for a stronger model: a proposal with its value, its cost and its way back, that waits.

A being lives on local models first. Where they do not suffice it may propose to ask the one the
author named for that, and does so only once the author has signed (approvals.py).
"""

from __future__ import annotations

from lumen.core.canon import JSON
from lumen.core.clock import ulid
from lumen.core.data import Author, Change, Entry, EventType, Memory, Origin, kernel_entry
from lumen.core.errors import MindError, UsageError
from lumen.core.payloads import EscalationPayload
from lumen.core.stores import Store
from lumen.kernel.gate.approvals import signed_by
from lumen.kernel.gate.proposals import APPROVED, ApprovalRequest, escalation, proposals
from lumen.kernel.language.reading import language
from lumen.kernel.models.treasury import most_tokens, phase
from lumen.kernel.steps.p1_perceive import Intake
from lumen.kernel.turn.introduction import introduce
from lumen.kernel.turn.loops import contour_in_force, parameters
from lumen.kernel.turn.run import Kernel, calls_for
from lumen.mind.roles import ESCALATION
from lumen.mind.substrate import Prompt
from lumen.soul.ports.queries import Queries

ANSWER_TOKENS = 128
WORTH = (4, 5)  # before there is any experience, four of five are taken to be worth it
WAY_BACK = (
    "the answer is kept as a memory of mine, under that model's name; the next turn is local again"
)


def life(index: Queries) -> str:
    """Where in its life the being is."""
    allowed = sum(1 for _ in index.events.of_kernel((APPROVED,)))
    return phase(index.events.tally(EventType.AUTHOR_MESSAGE), allowed)


def expected_value(gap: float, approved: int, denied: int) -> float:
    """What the answer given lacks, times how often the author found such a call worth it."""
    worth, of = WORTH
    return round(gap * (approved + worth) / (approved + denied + of), 3)


async def propose(kernel: Kernel, question: int, lacking: float) -> ApprovalRequest | None:
    """File a proposal for what a turn could not do well; nothing when there is no occasion."""
    if ESCALATION not in kernel.reach.assignments or not lacking:
        return None
    kernel.index.catch_up()
    asked = kernel.index.memories.get([question]).get(question)
    if asked is None or asked.private:
        return None
    calls = calls_for(kernel, asked.session_key)
    await introduce(kernel, calls, ESCALATION)
    try:
        here = await calls.model("interface")
        there = await calls.model(ESCALATION)
        limits = Prompt(calls.digest, "", ANSWER_TOKENS)
        would = await calls.prepared(ESCALATION, "drafts", _slots(kernel, asked), limits)
    except MindError:
        return None
    if not here.local or here.model_id == there.model_id:
        return None
    tokens, room = most_tokens(would.prompt), would.prompt.max_tokens
    past = [p.state for p in proposals(kernel.index) if p.kind == ESCALATION]
    value = expected_value(
        lacking, past.count("approved") + past.count("escalated"), past.count("denied")
    )
    told: EscalationPayload = {
        "model": str(there),
        "question": question,
        "expected_value": value,
        "tokens": tokens,
        "micros": calls.price(there, tokens - room, room),
        "way_back": WAY_BACK,
    }
    entry = kernel_entry(
        "escalation",
        f"I could ask {there} about event {question}.",
        "lumen:kernel",
        {"escalation": told},
    )
    placed = kernel.gate.record(entry, sign=True)
    return escalation(placed.seq, "", told)


def must_be_known(index: Queries, seq: int) -> None:
    """See that the question behind a proposal is still there, before anything is signed.

    Raises:
        UsageError: it was forgotten.
    """
    proposal = next((p for p in proposals(index) if p.seq == seq), None)
    if proposal and proposal.kind == ESCALATION and not index.memories.get([proposal.question]):
        raise UsageError("what it is about was forgotten", fix=f"lumen approvals deny {seq}")


async def escalate(kernel: Kernel, proposal: ApprovalRequest) -> str:
    """Ask the stronger model what the author allowed to be asked; its answer becomes a memory.

    Raises:
        MindError: it did not answer, or a cap does not allow it; the approval stands.
        UsageError: the author's signature is not under it, or it was carried out already.
    """
    kernel.index.catch_up()
    known = next((p for p in proposals(kernel.index) if p.seq == proposal.seq), None)
    if (
        known is None
        or known.kind != ESCALATION
        or known.state != "approved"
        or not signed_by(kernel.index, known.seq)
    ):
        raise UsageError(
            f"you have not allowed what event {proposal.seq} proposes", fix="lumen approvals"
        )
    asked = kernel.index.memories.get([proposal.question]).get(proposal.question)
    if asked is None:
        raise UsageError(f"event {proposal.question} was forgotten", fix="lumen approvals")
    assigned = kernel.reach.assignments.get(ESCALATION)
    if assigned is None or str(assigned) != proposal.model:
        raise UsageError(
            f"{proposal.model} is no longer the model for escalations",
            fix=f"lumen models set {ESCALATION} {proposal.model}",
        )
    session_key = f"lumen:{ESCALATION}:{ulid(kernel.clock)}"
    calls = calls_for(kernel, session_key, private=asked.private)
    calls.escalated = True
    await introduce(kernel, calls, ESCALATION)
    try:
        slots = _slots(kernel, asked)
        _, answer = await calls.ask(ESCALATION, "drafts", slots, ANSWER_TOKENS)
        text = answer.text.strip()
    finally:
        calls.settle()
    payload: dict[str, JSON] = {"sources": [], "kind": "escalated", "asked": proposal.question}
    if asked.private:
        payload["private"] = True
    entry = Entry(
        author=Author.SELF,
        event_type=EventType.ASSISTANT_MESSAGE,
        origin=Origin.SELF,
        situation="replied",
        description=text,
        session_key=session_key,
        payload=payload,
        model=proposal.model,
    )
    said = f"{proposal.model} answered what event {proposal.question} asked."
    beat = kernel_entry("escalated", said, session_key, {"proposal": proposal.seq})
    kernel.gate.commit(
        "action", [Change(Store.MEMORY, "append", entry)], beat, durable=True, sign=True
    )
    return text


def _slots(kernel: Kernel, asked: Memory) -> dict[str, JSON]:
    """The question alone: nothing that is remembered goes with it."""
    return {
        "name": kernel.self_.name,
        "author_name": kernel.self_.author_name,
        "kind": "question",
        "language": language(asked.text),
        "depth": "talk",
        "meant": "",
        "way": "",
        "paragraphs": 2,
        "preface": {},
        "thought": 0,
        "personal": False,
        "guest": asked.origin is Origin.GUEST,
        "message": asked.text[: parameters(Intake, contour_in_force(kernel.index)).excerpt],
        "facts": [],
        "recent": [],
    }
