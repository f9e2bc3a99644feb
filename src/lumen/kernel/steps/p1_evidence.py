"""What a message claims or needs to be known, on whose word, where words disagree, and what is missing.

The claims are the author's own words, named by their events. What was needed and is missing, or is told in
two ways, is kept beside in the store evidence_ledger.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Literal

from lumen.core.canon import JSON
from lumen.core.clock import Now
from lumen.core.data import Change, Memory
from lumen.core.exposure import Cite, Plain
from lumen.core.stores import Store
from lumen.kernel.contour.policy import Parameters
from lumen.kernel.contour.slots import Draft, Slot, Stimulus
from lumen.kernel.contour.state import State
from lumen.kernel.contour.step import Skip, step
from lumen.kernel.language.corrections import openly_revises, subject, values
from lumen.kernel.language.dates import day
from lumen.kernel.language.lexicon import lexicon
from lumen.kernel.language.reading import stems
from lumen.kernel.recall.evidence import Evidence
from lumen.kernel.steps.p1_perceive import Grounding, Ingested, Reality, Surface
from lumen.kernel.steps.p1_verdict import may_be_stated

Confidence = Literal["high", "med", "low"]
LedgerVerdict = Literal["", "told", "supported", "uncertain", "conflicting", "missing"]
LONGEST_CLAIM = 160
LATELY = 32  # lines of the ledger in which the same is not said again


@dataclass(frozen=True, slots=True)
class Accounting(Parameters):
    """How many claims of a message are accounted for."""

    claims: int


@dataclass(frozen=True, slots=True)
class Claim:
    """Something that was said, by whose word, and how sure it is."""

    sources: Cite[tuple[int, ...]]
    confidence: Plain[Confidence]
    text: str = ""


@dataclass(frozen=True, slots=True)
class Disagreement:
    """Two statements of the author that give different values for one thing."""

    newer: Memory
    older: Memory

    def cited(self) -> JSON:
        """As a trace names it: by its events."""
        return [self.newer.seq, self.older.seq]


@dataclass(frozen=True, slots=True)
class EvidenceLedger(Slot):
    """The account of one message."""

    claims: Plain[tuple[Claim, ...]] = ()
    conflicts: Cite[tuple[Disagreement, ...]] = ()
    gap: Plain[bool] = False  # what was asked about the author was never told
    verdict: Plain[LedgerVerdict] = ""

    def said(self) -> str:
        """What the account comes to."""
        return f"ledger: {self.verdict}" if self.verdict else ""

    def beside(self, draft: Draft, now: Now, language: str) -> Draft:
        """An answer with what was told otherwise: it is not for the kernel to choose in silence."""
        told = [c for c in self.conflicts if c.newer.seq in draft.sources]
        if not told:
            return draft
        phrase, text = lexicon().phrase, draft.text
        older = told[0].older
        quote = " ".join(older.text.split())[:LONGEST_CLAIM]
        if quote not in text:
            when = day(older.timestamp, now, language)
            text = f"{text} {phrase('told_otherwise', language, date=when, quote=quote)}"
        text = f"{text} {phrase('which_holds', language)}"
        return replace(draft, text=text, sources=tuple(dict.fromkeys((*draft.sources, older.seq))))


@step(Store.EVIDENCE_LEDGER)
async def evidence_ledger_update(
    stimulus: Stimulus,
    ingested: Ingested,
    surface: Surface,
    reality: Reality,
    state: State,
    now: Now,
    grounding: Grounding,
    accounting: Accounting,
) -> EvidenceLedger:
    """Account for what a message claims or needs: sources, disagreements, gaps; what is amiss is kept."""
    if stimulus.goal is not None:
        raise Skip("nobody spoke")
    if reality.told:
        raise Skip("nothing is claimed or asked of memory")
    if surface.modality == "statement":
        made = Claim((stimulus.seq,), stated_confidence(surface), ingested.excerpt[:LONGEST_CLAIM])
        return EvidenceLedger(claims=(made,), verdict="told")
    if surface.modality != "question":
        raise Skip("nothing is claimed or asked of memory")
    bearing = [e for e in reality.evidence if e.score >= grounding.middling][: accounting.claims]
    claims = tuple(Claim((e.memory.seq,), found_confidence(e, grounding), e.quote) for e in bearing)
    conflicts = tuple(disagreements(bearing))
    needed = surface.about == "author" and (surface.personal or reality.familiar)
    gap = needed and reality.verdict in ("none", "weak")
    verdict = _verdict(reality, conflicts, gap=gap)
    account = EvidenceLedger(claims=claims, conflicts=conflicts, gap=gap, verdict=verdict)
    hidden = stimulus.private or stimulus.guest or any(e.memory.private for e in bearing)
    if hidden or not (gap or conflicts):
        return account
    line = ledger_line(account, stimulus, surface, now)
    if any(_same(line, old) for old in state.lines(Store.EVIDENCE_LEDGER)[-LATELY:]):
        return account
    return replace(account, changes=(Change(Store.EVIDENCE_LEDGER, "append", line),))


def stated_confidence(surface: Surface) -> Confidence:
    """How sure the author is of what they say, by their own words."""
    if surface.uncertainty:
        return "low"
    return "high" if surface.strength else "med"


def found_confidence(found: Evidence, grounding: Grounding) -> Confidence:
    """How sure it is that a statement answers."""
    if may_be_stated(found, grounding):
        return "high"
    return "med" if found.score >= grounding.bears else "low"


def disagreements(evidence: Iterable[Evidence]) -> list[Disagreement]:
    """The statements that give different values for one thing, where neither takes the other back."""
    told = list(evidence)
    pairs = [(e.memory, e.replaces) for e in told if e.replaces]
    pairs += [(a.memory, b.memory) for a, b in combinations(told, 2)]
    ordered = (sorted(pair, key=lambda m: -m.seq) for pair in pairs)
    found = {(new.seq, old.seq): Disagreement(new, old) for new, old in ordered if differ(new, old)}
    return list(found.values())


def differ(new: Memory, old: Memory) -> bool:
    """Whether a later statement gives another value for what an earlier one says, and does not say so."""
    about, mine, theirs = subject(new.text), values(new.text), values(old.text)
    if not about or about != subject(old.text) or openly_revises(new.text, old.text):
        return False
    if not (mine - theirs and theirs - mine):
        return False
    return _without(new.text, mine) == _without(old.text, theirs)


def _without(text: str, told: set[str]) -> set[str]:
    """What a statement says of, its values aside."""
    return stems(text) - {s for word in told for s in stems(word)}


def _verdict(reality: Reality, conflicts: tuple[Disagreement, ...], *, gap: bool) -> LedgerVerdict:
    if conflicts:
        return "conflicting"
    if gap:
        return "missing"
    by: dict[str, LedgerVerdict] = {"strong": "supported", "middling": "uncertain"}
    return by.get(reality.verdict, "")


def ledger_line(
    account: EvidenceLedger, stimulus: Stimulus, surface: Surface, now: Now
) -> dict[str, JSON]:
    """An account as the ledger keeps it; which event raised it stands with it."""
    return {
        "event": stimulus.seq,
        "date": now.moment.astimezone(now.zone).date().isoformat(),
        "claims": [
            {
                "id": f"C{n}",
                "text": c.text[:LONGEST_CLAIM],
                "sources": list(c.sources),
                "confidence": c.confidence,
            }
            for n, c in enumerate(account.claims, 1)
        ],
        "conflicts": [
            f"event {c.newer.seq} and event {c.older.seq} differ" for c in account.conflicts
        ],
        "gaps": [f"No data on {surface.topic}"] if account.gap else [],
        "verdict": account.verdict,
    }


def _same(line: dict[str, JSON], old: dict[str, JSON]) -> bool:
    return (line["gaps"], line["conflicts"]) == (old.get("gaps"), old.get("conflicts"))
