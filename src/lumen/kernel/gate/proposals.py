"""What waits for the author's word: proposals of every kind, and how each stands.

A kind is one row in `KINDS`. What is proposed, allowed and denied are events; what waits is read
off them. Nothing is decided here, and no signature looked at: that is for approvals.py.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from lumen.core.canon import JSON
from lumen.core.data import Entry, kernel_entry
from lumen.soul.ports.queries import Queries

if TYPE_CHECKING:
    from lumen.core.payloads import EscalationPayload, SkillProposalPayload

ESCALATION = "escalation"
SKILL = "skill_proposed"
WAITING, APPROVED, DENIED, ESCALATED = "waiting", "approved", "denied", "escalated"


@dataclass(frozen=True, slots=True)
class ApprovalRequest:
    """Something that is not done without the author's word, and how that stands."""

    seq: int
    timestamp: str
    kind: str
    state: str = WAITING  # or approved, denied, escalated
    model: str = ""  # of an escalation: which model would be asked, about which event
    question: int = 0
    expected_value: float = 0.0
    tokens: int = 0
    micros: int | None = None
    way_back: str = ""
    skill: str = ""  # of a skill: its name, and the hash of exactly the files that would run
    sha256: str = ""

    @property
    def is_due(self) -> bool:
        """Whether the author allowed it and it was not carried out yet; a skill's yes just stands."""
        return self.kind == ESCALATION and self.state == APPROVED

    @property
    def what(self) -> str:
        """What is proposed, in a few words."""
        return f"running the skill {self.skill}" if self.kind == SKILL else f"asking {self.model}"

    @property
    def title(self) -> str:
        """The same, to open a list's line."""
        return f"run the skill {self.skill}" if self.kind == SKILL else f"ask {self.model}"


def escalation(seq: int, timestamp: str, told: EscalationPayload) -> ApprovalRequest:
    """A stronger model that might be asked."""
    return ApprovalRequest(
        seq=seq,
        timestamp=timestamp,
        kind=ESCALATION,
        model=str(told["model"]),
        question=int(told["question"]),
        expected_value=float(told["expected_value"]),
        tokens=int(told["tokens"]),
        micros=told["micros"],
        way_back=str(told["way_back"]),
    )


def _skill(seq: int, timestamp: str, told: SkillProposalPayload) -> ApprovalRequest:
    return ApprovalRequest(
        seq=seq,
        timestamp=timestamp,
        kind=SKILL,
        skill=str(told["skill"]),
        sha256=str(told["sha256"]),
        model=str(told.get("by", "")),
    )


KINDS: dict[str, Callable[[int, str, JSON], ApprovalRequest]] = {
    ESCALATION: lambda seq, timestamp, told: escalation(seq, timestamp, told["escalation"]),
    SKILL: _skill,
}


def skill_proposal(name: str, sha256: str, by: str, why: str, session_key: str) -> Entry:
    """The event that asks whether what a model wrote may run below bubblewrap."""
    what = f"The skill {name}, which {by} wrote, waits for the author's word: {why}."
    told: SkillProposalPayload = {"skill": name, "sha256": sha256, "by": by, "why": why}
    return kernel_entry(SKILL, what, session_key, told)


def proposals(index: Queries) -> list[ApprovalRequest]:
    """Every proposal there was, oldest first; one that cannot be read is none."""
    found: dict[int, ApprovalRequest] = {}
    for event in index.events.of_kernel((*KINDS, APPROVED, DENIED, ESCALATED)):
        told, situation = event.entry.payload, event.entry.situation
        if situation in KINDS:
            try:
                found[event.seq] = KINDS[situation](event.seq, event.timestamp, told)
            except (KeyError, TypeError, ValueError):
                continue
        elif known := found.get(about(told)):
            found[known.seq] = replace(known, state=situation)
    return list(found.values())


def waiting(index: Queries) -> int:
    """How many proposals wait for the author, or for what the author allowed to be done."""
    return sum(p.state == WAITING or p.is_due for p in proposals(index))


def skill_of(index: Queries, name: str, sha256: str) -> ApprovalRequest | None:
    """The newest proposal to run exactly these files of a skill."""
    same = [p for p in proposals(index) if (p.kind, p.skill, p.sha256) == (SKILL, name, sha256)]
    return same[-1] if same else None


def about(told: dict[str, JSON]) -> int:
    """The proposal an event is about; 0 for none."""
    seq = told.get("proposal")
    return seq if isinstance(seq, int) else 0
