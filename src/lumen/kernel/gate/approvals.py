"""The author's word on what was proposed: a signed yes or no, and whether it counts.

What waits is in proposals.py; carrying out what was allowed is the business of whoever proposed it.
"""

from __future__ import annotations

from dataclasses import replace

from lumen.core.data import kernel_entry
from lumen.core.errors import UsageError
from lumen.core.payloads import DecisionPayload
from lumen.kernel.gate.commit import Gate
from lumen.kernel.gate.keys import author_signer
from lumen.kernel.gate.proposals import (
    APPROVED,
    DENIED,
    SKILL,
    WAITING,
    ApprovalRequest,
    about,
    proposals,
    skill_of,
)
from lumen.soul.checking.witness import trust_in
from lumen.soul.ports.queries import Queries


def may_run(index: Queries, name: str, sha256: str) -> bool:
    """Whether the author's signed yes stands for exactly these files of a skill."""
    known = skill_of(index, name, sha256)
    return known is not None and known.state == APPROVED and bool(signed_by(index, known.seq))


def decide(gate: Gate, soul: str, seq: int, *, allow: bool) -> ApprovalRequest:
    """The author's word on a proposal, signed with the author's key.

    Raises:
        UsageError: nothing of that number waits.
        Locked: the key is under a passphrase that was not given.
    """
    what = APPROVED if allow else DENIED
    signer = author_signer(gate)
    with gate.log.locked():
        gate.index.catch_up()
        proposal = next((p for p in proposals(gate.index) if p.seq == seq), None)
        if proposal is None or proposal.state not in _open_to(proposal):
            standing = f"was {proposal.state} already" if proposal else "is no proposal"
            raise UsageError(f"event {seq} {standing}", fix="lumen approvals")
        stands = what == DENIED or signed_by(gate.index, seq)
        if proposal.state == what and stands:  # and was not carried out yet
            return proposal
        said: DecisionPayload = {"proposal": seq, "event_hash": gate.index.events.hash_of(seq)}
        entry = kernel_entry(what, f"The author {what} {proposal.what}.", "lumen:author", said)
        gate.record(entry, sign=True, signer=signer)
        gate.index.catch_up()
    return replace(proposal, state=what)


def _open_to(proposal: ApprovalRequest) -> tuple[str, ...]:
    """The states in which the author may still decide; on a skill the author may always."""
    always = (WAITING, APPROVED)
    return (*always, DENIED) if proposal.kind == SKILL else always


def signed_by(index: Queries, seq: int) -> str:
    """The author's key under the yes to a proposal; empty where it stands under none that counts."""
    found = ""
    trust = trust_in(index, index.accepted(index.events.soul()))
    for event in index.events.of_kernel((APPROVED, DENIED)):
        told = event.entry.payload
        if about(told) == seq:
            same = told.get("event_hash") == index.events.hash_of(seq)
            yes = event.entry.situation == APPROVED and event.seq in trust.authored and same
            found = str(told["signed"]["key"]) if yes else ""
    return found
