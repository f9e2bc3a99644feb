"""What can be remembered, as steps ask for it: the author's words that bear on a question."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import Protocol

from lumen.core.canon import JSON
from lumen.core.data import Memory
from lumen.kernel.language.lexicon import lexicon
from lumen.kernel.language.passages import Rows, quoted
from lumen.kernel.language.questions import despairs
from lumen.kernel.language.reading import stems
from lumen.kernel.language.spans import Span
from lumen.kernel.recall.fusion import RankedMemory
from lumen.kernel.recall.summary import Line, Noted
from lumen.kernel.recall.verdict import EvidenceVerdict

QUOTED = (
    3  # pieces of evidence that may be told; those behind them are what others are compared with
)
AHEAD = 0.04  # what a lead in the ranking counts beside a cosine: docs/decisions/0004
ALONE = 1.0
OF_KIND = 0.07  # what the kind asked for counts beside a cosine
ENOUGH = 5  # pieces of evidence behind those that may be told, for a lead to say something


@dataclass(frozen=True, slots=True)
class Evidence:
    """Something the author said that bears on the question."""

    memory: Memory
    quote: str
    score: float
    fits: bool | None = None  # does it hold the kind of answer asked for; None: cannot tell
    replaces: Memory | None = None
    found: RankedMemory | None = None  # by which paths, with which score
    later: Evidence | None = None  # what revised something else of it
    days: str = ""  # the days that its relative words of time meant, in brackets
    wrong_kind: bool = False  # nothing in it is of the kind asked for
    stands_out: float = (
        ALONE  # how near it is, and how far ahead in the ranking of what is not told
    )
    plainness: float = (
        0.0  # that, and whether it is of the kind asked for; 0: not, or nothing to compare with
    )

    def cited(self) -> JSON:
        """As a trace names it: by its event, never by its words."""
        told = {"event": self.memory.seq, "score": round(self.score, 4)}
        return told | ({"replaces": self.replaces.seq} if self.replaces else {})


def current(found: Sequence[tuple[RankedMemory, EvidenceVerdict]]) -> tuple[Evidence, ...]:
    """Evidence in order; what the author revised gives way to what revises it, and lends it its verdict."""
    known = {one.memory.seq: (one, verdict) for one, verdict in found}
    lent: dict[int, EvidenceVerdict] = {}
    for seq in sorted(known):
        one, own = known[seq]
        best = lent.get(seq)
        if best is None or own.score >= best.score:
            best = lent[seq] = own
        if one.revised_by in known:
            later = lent.get(one.revised_by)
            if later is None or best.score > later.score:
                lent[one.revised_by] = best
    held = [(one, verdict) for one, verdict in found if one.revised_by not in known]
    behind = [one.score for one, _ in held[QUOTED:]]
    return tuple(
        _evidence(one, verdict, lent[one.memory.seq], known.get(one.replaces), behind)
        for one, verdict in held
    )


def _evidence(
    one: RankedMemory,
    at: EvidenceVerdict,
    best: EvidenceVerdict,
    old: tuple[RankedMemory, EvidenceVerdict] | None,
    behind: Sequence[float],
) -> Evidence:
    text = one.memory.text
    quote = quoted(text, at.start, at.stop, alone=despairs(text))
    ahead = AHEAD * (one.score - fmean(behind)) if behind else 0.0
    compared = len(behind) >= ENOUGH and best.of_kind is not False
    return Evidence(
        memory=one.memory,
        quote=quote,
        score=best.score,
        fits=best.fits,
        replaces=old[0].memory if old else None,
        found=one,
        wrong_kind=at.wrong_kind and best.wrong_kind,
        stands_out=best.cosine + ahead,
        plainness=best.near + ahead + (OF_KIND if best.of_kind else 0.0) if compared else 0.0,
    )


def as_of_now(found: Sequence[Evidence], question: str) -> tuple[Evidence, ...]:
    """Evidence for a question that asks how something is now: what is said to be so now stands for what was
    said before it of the same thing, if it bears on the question better.
    """
    now = lexicon().signals["present"]
    if not now.search(question.lower()):
        return tuple(found)
    asked = stems(now.sub(" ", question.lower()))
    kept: list[Evidence] = []
    for one in found:
        theirs = asked & stems(one.quote)
        if not any(
            e.memory.seq > one.memory.seq
            and now.search(e.quote.lower())
            and theirs & stems(e.quote)
            for e in kept[:QUOTED]
        ):
            kept.append(one)
    return tuple(kept)


class Recall(Protocol):
    """What a step may remember: never a kernel memory."""

    def recent(self) -> tuple[Memory, ...]:
        """The last two exchanges before this turn."""
        ...

    def evidence(self, question: str) -> tuple[Evidence, ...]:
        """What the author said that bears on a question, best first."""
        ...

    def within(self, span: Span) -> list[Noted | Line]:
        """What the author said in a stretch of time; over a month, summaries where there are, without questions."""
        ...

    def is_private(self, seqs: Iterable[int]) -> bool:
        """Whether any of some memories must not leave."""
        ...

    def replaced(self) -> Memory | None:
        """The earlier statement that this turn's message openly revises."""
        ...

    def unproved(self) -> float:
        """How well the best evidence bears that was left out, as its line is not what was written."""
        ...

    def likeness(self, texts: tuple[str, ...], to: str) -> tuple[float, ...]:
        """How near each text is in meaning to another, from -1 to 1."""
        ...

    def meaning(self, text: str) -> Rows:
        """The vector of a text, of the built-in embedder."""
        ...

    def statements(self) -> tuple[Memory, ...]:
        """What the author told, of themselves or others, and did not take back, the newest first."""
        ...
