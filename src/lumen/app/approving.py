"""What waits for the author's word: listed, allowed (and then carried out), denied."""

from __future__ import annotations

from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import TYPE_CHECKING

from lumen.app.storage import locks_of
from lumen.core.data import BeingPaths
from lumen.kernel.gate.approvals import decide
from lumen.kernel.gate.proposals import SKILL, WAITING, proposals
from lumen.kernel.gate.proposals import ApprovalRequest as ApprovalRequest
from lumen.soul.ports.queries import Queries

if TYPE_CHECKING:
    from lumen.kernel.turn.run import Kernel


@dataclass(frozen=True, slots=True)
class Pending:
    """A proposal and, in its own words, what it is about; empty: that was forgotten."""

    proposal: ApprovalRequest
    question: str = ""

    @property
    def runs_a_skill(self) -> bool:
        """Whether it is about a skill rather than a stronger model."""
        return self.proposal.kind == SKILL


@dataclass(frozen=True, slots=True)
class Approved:
    """What the author allowed and, where a stronger model was asked, its answer."""

    proposal: ApprovalRequest
    reply: str = ""


def pending(index: Queries, *, everything: bool = False) -> tuple[Pending, ...]:
    """What waits for the author, or for what the author allowed to be done; else all there was."""
    found = [p for p in proposals(index) if everything or p.state == WAITING or p.is_due]
    asked = index.memories.get(p.question for p in found)
    return tuple(Pending(p, asked[p.question].text if p.question in asked else "") for p in found)


def sign_yes(kernel: Kernel, soul: str, number: int) -> ApprovalRequest:
    """Sign that a proposal may be carried out.

    Raises:
        UsageError: there is none of that number, or what it is about was forgotten.
    """
    from lumen.kernel.turn.escalate import must_be_known

    kernel.index.catch_up()
    must_be_known(kernel.index, number)
    return decide(kernel.gate, soul, number, allow=True)


def sign_no(kernel: Kernel, soul: str, number: int) -> ApprovalRequest:
    """Sign that a proposal is not to be carried out."""
    kernel.index.catch_up()
    return decide(kernel.gate, soul, number, allow=False)


async def carry_out(kernel: Kernel, proposal: ApprovalRequest) -> Approved:
    """Do what was allowed: a stronger model is asked; a skill simply may run from now on."""
    from lumen.kernel.gate.presence import in_turn
    from lumen.kernel.turn.escalate import escalate

    if proposal.kind == SKILL:
        return Approved(proposal)
    async with in_turn(kernel.gate.locks):  # a turn like any other: others may talk meanwhile
        return Approved(proposal, await escalate(kernel, proposal))


def one_at_a_time(being: BeingPaths) -> AbstractContextManager[None]:
    """Carry out what the author allowed one after the other: two yeses to one proposal ask once."""
    from lumen.kernel.gate.presence import deciding

    return deciding(locks_of(being))
