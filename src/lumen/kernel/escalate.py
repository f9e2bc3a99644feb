"""Asking for a stronger model: a proposal with its value, its cost and its way back, that waits.

A being lives on local models first. Where they do not suffice it may propose to ask the one the
author named for that, and does so only once the author has signed. What is proposed, allowed,
denied and answered are events; what waits is read off them.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from lumen.core.canon import JSON
from lumen.core.clock import ulid
from lumen.core.data import (
    Author,
    Change,
    Entry,
    Event,
    EventType,
    Head,
    Origin,
    Store,
    kernel_entry,
)
from lumen.core.errors import MindError, UsageError
from lumen.kernel.calls import Calls
from lumen.kernel.commit import Gate
from lumen.kernel.run import Kernel, calls_for, identity
from lumen.kernel.treasury import most_tokens, phase
from lumen.mind.roles import ESCALATION
from lumen.mind.substrate import Prompt
from lumen.soul.archive import parse, read_at
from lumen.soul.index import Index
from lumen.soul.keys import is_signed

ANSWER_TOKENS = 128
WORTH = (4, 5)  # before there is any experience, four of five are taken to be worth it
WAY_BACK = (
    "the answer is kept as a memory of mine, under that model's name; the next turn is local again"
)


@dataclass(frozen=True, slots=True)
class Proposal:
    """A stronger model that might be asked, and how that stands."""

    seq: int
    timestamp: str
    model: str
    question: int
    expected_value: float
    tokens: int
    micros: int | None
    way_back: str
    state: str  # waiting, approved, denied or escalated


def proposals(index: Index) -> list[Proposal]:
    """Every proposal there was, oldest first."""
    found: dict[int, Proposal] = {}
    rows = index.rows(
        "SELECT segment, offset, length FROM events WHERE situation IN "
        "('escalation', 'approved', 'denied', 'escalated') ORDER BY seq"
    )
    for place in rows:
        event = parse(read_at(index.being.memory, *place))
        if event.entry.author is not Author.KERNEL:
            continue
        told = event.entry.payload
        if event.entry.situation == "escalation":
            found[event.seq] = _proposal(event.seq, event.timestamp, told["escalation"])
        elif told.get("proposal") in found:
            known = found[told["proposal"]]
            found[known.seq] = _standing(known, event.entry.situation)
    return list(found.values())


def _proposal(seq: int, timestamp: str, told: dict[str, JSON]) -> Proposal:
    return Proposal(
        seq=seq,
        timestamp=timestamp,
        model=str(told["model"]),
        question=int(told["question"]),
        expected_value=float(told["expected_value"]),
        tokens=int(told["tokens"]),
        micros=told["micros"],
        way_back=str(told["way_back"]),
        state="waiting",
    )


def _standing(proposal: Proposal, state: str) -> Proposal:
    return replace(proposal, state=state)


def life(index: Index) -> str:
    """Where in its life the being is."""
    turns = index.row("SELECT coalesce(sum(n), 0) FROM tally WHERE event_type = 'author_message'")
    approved = index.row(
        "SELECT count(*) FROM events WHERE situation = 'approved' AND author = 'kernel'"
    )
    return phase(int(turns[0]), int(approved[0]))


def expected_value(gap: float, approved: int, denied: int) -> float:
    """What the answer given lacks, times how often the author found such a call worth it."""
    worth, of = WORTH
    return round(gap * (approved + worth) / (approved + denied + of), 3)


async def propose(kernel: Kernel, question: int, lacking: float) -> Proposal | None:
    """File a proposal for what a turn could not do well; nothing when there is no occasion."""
    if ESCALATION not in kernel.reach.assignments or not lacking:
        return None
    kernel.index.catch_up()
    asked = kernel.index.get([question]).get(question)
    if asked is None or asked.private:
        return None
    calls = calls_for(kernel, asked.session_key)
    calls.digest = await identity(kernel, ESCALATION)
    try:
        here = await calls.model("interface")
        there = await calls.model(ESCALATION)
        would = await calls.prepared(
            ESCALATION, "drafts", _slots(kernel, asked.text), _limits(calls)
        )
    except MindError:
        return None
    if not here.local or here.model_id == there.model_id:
        return None
    tokens, room = most_tokens(would.prompt), would.prompt.max_tokens
    past = [p.state for p in proposals(kernel.index)]
    value = expected_value(
        lacking, past.count("approved") + past.count("escalated"), past.count("denied")
    )
    told: dict[str, JSON] = {
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
    return _proposal(placed.seq, "", told)


def must_be_known(index: Index, seq: int) -> None:
    """See that the question behind a proposal is still there, before anything is signed.

    Raises:
        UsageError: it was forgotten.
    """
    proposal = next((p for p in proposals(index) if p.seq == seq), None)
    if proposal and not index.get([proposal.question]):
        raise UsageError("what it is about was forgotten", fix=f"lumen approvals deny {seq}")


def decide(gate: Gate, soul: str, seq: int, *, allow: bool) -> Proposal:
    """The author's word on a proposal, signed with a key that is kept outside the being.

    Raises:
        UsageError: nothing of that number waits.
    """
    what = "approved" if allow else "denied"
    with gate.writer.held():
        gate.index.catch_up()
        proposal = next((p for p in proposals(gate.index) if p.seq == seq), None)
        if proposal is None or proposal.state not in ("waiting", "approved"):
            standing = f"was {proposal.state} already" if proposal else "is no proposal"
            raise UsageError(f"event {seq} {standing}", fix="lumen approvals")
        if proposal.state == what:  # it stands, and was not carried out yet
            return proposal
        # Its own words before the hash: the signature under a chain's head must not pass for a yes.
        head = gate.keyring.sign(soul, seq, f"{what}:{gate.index.hash_of(seq)}")
        entry = kernel_entry(
            what,
            f"The author {what} asking {proposal.model}.",
            "lumen:author",
            {"proposal": seq, "key": head.key, "signature": head.signature},
        )
        gate.record(entry, sign=True)
        gate.index.catch_up()
    return _standing(proposal, what)


def signed_by(index: Index, seq: int) -> str:
    """The key under the author's yes to a proposal; empty where it stands under none.

    Only a key that the archive named before then is the being's.
    """
    keys: set[str] = set()
    found = ""
    rows = index.rows(
        "SELECT segment, offset, length FROM events WHERE author = 'kernel' "
        "AND situation IN ('genesis', 'key_added', 'approved', 'denied') ORDER BY seq"
    )
    for place in rows:
        event = parse(read_at(index.being.memory, *place))
        told = event.entry.payload
        if "public_key" in told:
            keys.add(str(told["public_key"]))
        elif told.get("proposal") == seq:
            found = str(told["key"]) if _is_yes(event, index.hash_of(seq)) else ""
            found = found if found in keys else ""
    return found


def _is_yes(event: Event, event_hash: str) -> bool:
    told = event.entry.payload
    said = f"approved:{event_hash}"
    head = Head(event.soul, int(told["proposal"]), said, str(told["key"]), str(told["signature"]))
    return event.entry.situation == "approved" and is_signed(head)


async def escalate(kernel: Kernel, proposal: Proposal) -> str:
    """Ask the stronger model what the author allowed to be asked; its answer becomes a memory.

    Raises:
        MindError: it did not answer, or a cap does not allow it; the approval stands.
        UsageError: the author's signature is not under it, or it was carried out already.
    """
    kernel.index.catch_up()
    known = next((p for p in proposals(kernel.index) if p.seq == proposal.seq), None)
    if known is None or known.state != "approved" or not signed_by(kernel.index, known.seq):
        raise UsageError(
            f"you have not allowed what event {proposal.seq} proposes", fix="lumen approvals"
        )
    asked = kernel.index.get([proposal.question]).get(proposal.question)
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
    calls.digest = await identity(kernel, ESCALATION)
    try:
        text = await _answer(kernel, calls, asked.text)
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


async def _answer(kernel: Kernel, calls: Calls, question: str) -> str:
    slots = _slots(kernel, question)
    _, answer = await calls.ask(ESCALATION, "drafts", slots, ANSWER_TOKENS)
    return answer.text.strip()


def _slots(kernel: Kernel, question: str) -> dict[str, JSON]:
    """The question alone: nothing that is remembered goes with it."""
    return {
        "name": kernel.self_.name,
        "author_name": kernel.self_.author_name,
        "kind": "question",
        "message": question[: kernel.contour.excerpt],
        "facts": [],
        "recent": [],
    }


def _limits(calls: Calls) -> Prompt:
    return Prompt(calls.digest, "", ANSWER_TOKENS)
