"""What the steps hand to each other: one frozen type per step, each with a default for every field.

`said` is the line a slot leaves in the beat's kernel memory; `trace` what `why` can show of it
later. Traces cite memories by number and never copy them.
"""

from __future__ import annotations

from dataclasses import dataclass, field, fields
from datetime import datetime
from zoneinfo import ZoneInfo

from lumen.core.canon import JSON
from lumen.core.clock import Draw
from lumen.core.data import Change, Held, Memory
from lumen.kernel.evolve import Experience, Proposal
from lumen.kernel.identity import Self as Self
from lumen.kernel.score import Behaviour

LONGEST_TRACED = 600
# committed, or standing in an event of its own
UNTRACED = ("changes", "excerpt", "text", "told", "input", "experience", "question", "words")


@dataclass(frozen=True, slots=True)
class Slot:
    """What a step writes; `changes` are proposals, carried out by the gate or refused."""

    changes: tuple[Change, ...] = ()

    def said(self) -> str:
        """One phrase for the kernel memory."""
        return ""


@dataclass(frozen=True, slots=True)
class Stimulus:
    """What set the turn off: already archived, so it cannot be lost."""

    text: str
    seq: int
    session_key: str
    private: bool = False
    goal: Held | None = None  # what is pursued unasked; nothing: the author spoke
    tries: int = 0  # how often in a row that goal was pursued in vain
    guest: bool = False  # it was said by somebody other than the author


@dataclass(frozen=True, slots=True)
class Contour:
    """Thresholds and weights of judgement."""

    strong: float = 0.64
    middling: float = 0.3
    close: float = 0.25  # evidence this near to the best is said with it
    bears: float = 0.5  # from here on a question is taken to be about what was told
    quotes: int = 3
    excerpt: int = 1200
    truthfulness: float = 1.2
    precision: float = 1.1
    freedom: float = 0.8
    servility: float = 1.0
    overconfidence: float = 0.8
    tension: float = 0.5  # what each of two values in conflict must weigh


@dataclass(frozen=True, slots=True)
class Now:
    """The moment of the turn, and the zone the author lives in."""

    moment: datetime
    zone: ZoneInfo


GIVEN: frozenset[type] = frozenset({Stimulus, Self, Contour, Now, Draw})


@dataclass(frozen=True, slots=True)
class Evidence:
    """Something the author said that bears on the question."""

    memory: Memory
    quote: str
    score: float
    fits: bool | None = None  # does it hold the kind of answer asked for; None: cannot tell
    replaces: Memory | None = None


@dataclass(frozen=True, slots=True)
class Ingested(Slot):
    """The message as it will be worked with."""

    excerpt: str = ""
    characters: int = 0

    def said(self) -> str:
        """How much came in."""
        return f"{self.characters} characters in"


@dataclass(frozen=True, slots=True)
class Surface(Slot):
    """What the words show before anything is thought about them."""

    modality: str = "statement"
    mood: str = ""
    personal: bool = False
    identity: bool = False
    advice: bool = False
    asks: str = ""  # what it asks of the being itself: clock, values, known and so on
    language: str = "en"  # the kernel's own phrases are in this one

    def said(self) -> str:
        """What kind of message it is."""
        return f"{self.modality} ({self.asks})" if self.asks else self.modality


@dataclass(frozen=True, slots=True)
class Reality(Slot):
    """What is known that bears on the message, and how sure that is."""

    verdict: str = "none"
    evidence: tuple[Evidence, ...] = ()
    recent: tuple[Memory, ...] = ()
    familiar: bool = False  # it names someone or something the author has spoken of
    replaces: Memory | None = None  # what this message, by its own words, takes back
    told: str = ""  # what code alone answers: from the clock, the self or the author's own words
    by: str = "grounded"  # what kind of draft that is
    cited: tuple[int, ...] = ()
    private: bool = False  # some of that must not leave

    def said(self) -> str:
        """What was loaded."""
        return f"loaded {len(self.recent)} recent and {len(self.evidence)} told: {self.verdict}"


@dataclass(frozen=True, slots=True)
class Candidate:
    """An action that could be taken: a skill, what it would do, and what should come of it."""

    skill: str
    action: str
    prediction: str
    input: JSON = None
    values: tuple[str, ...] = ()  # values it is in line with
    against: tuple[str, ...] = ()  # and such as it offends
    likely: float = 0.5  # how likely it succeeds, by what came of it before
    completes: bool = False  # by the kernel: when it succeeds, the goal is reached


@dataclass(frozen=True, slots=True)
class Plan(Slot):
    """What could be done."""

    candidates: tuple[Candidate, ...] = ()
    trouble: str = ""  # what kept a model from helping, if anything did

    def said(self) -> str:
        """The candidates."""
        return ", ".join(f"{c.skill}.{c.action}" for c in self.candidates)


@dataclass(frozen=True, slots=True)
class Draft:
    """One way of saying it. A grounded one is built by the kernel from evidence alone."""

    text: str
    kind: str
    sources: tuple[int, ...] = ()
    model: str = ""
    private: bool = False  # whoever wrote it was shown something private
    shown: tuple[int, ...] = ()  # memories its writer had in view, used or not


@dataclass(frozen=True, slots=True)
class Drafts(Slot):
    """The ways of saying it that compete."""

    drafts: tuple[Draft, ...] = ()
    trouble: str = ""
    fix: str = ""

    def said(self) -> str:
        """How many there are."""
        return f"{len(self.drafts)} drafts" + (f" ({self.trouble})" if self.trouble else "")


@dataclass(frozen=True, slots=True)
class Axes:
    """How a draft scores: T, P and F speak for it, the others against it."""

    truthfulness: float
    precision: float
    freedom: float
    servility: float
    overconfidence: float
    total: float


@dataclass(frozen=True, slots=True)
class Metrics(Slot):
    """A score for each draft, in the drafts' order."""

    scores: tuple[Axes, ...] = ()


@dataclass(frozen=True, slots=True)
class Decision(Slot):
    """What is done: every candidate's B = M × A × P, and which won."""

    scores: tuple[Behaviour, ...] = ()
    chosen: int = -1  # nothing is done
    why: str = ""
    conflicts: tuple[tuple[str, str], ...] = ()  # values that pull apart here
    allowed: tuple[bool, ...] = ()  # which candidates may be taken without asking
    held: str = ""  # why the best may not, where that is so
    tie: str = ""  # who broke one

    def said(self) -> str:
        """What won, with every score."""
        told = ", ".join(f"{s.total:.2f}" for s in self.scores)
        more = [*([f"B {told}"] if told else []), *filter(None, (self.tie, self.held))]
        return f"{self.why} ({'; '.join(more)})" if more else self.why


@dataclass(frozen=True, slots=True)
class Acted(Slot):
    """What a skill other than speech came to; empty when none was used."""

    ran: bool = False
    ok: bool = False
    text: str = ""  # what it gave, in words
    error: str = ""
    found: int = 0  # how much it gave

    def said(self) -> str:
        """Whether it worked."""
        return "" if not self.ran else ("done" if self.ok else f"failed: {self.error}")


@dataclass(frozen=True, slots=True)
class Choice(Slot):
    """The draft that won."""

    draft: Draft = Draft("", "none")
    total: float = 0.0
    notes: str = ""

    def said(self) -> str:
        """Which won, and over what."""
        return self.notes


@dataclass(frozen=True, slots=True)
class Reply(Slot):
    """What was really said, as the skill delivered it."""

    text: str = ""
    delivered: bool = False
    error: str = ""

    def said(self) -> str:
        """Whether it arrived; nothing when nobody spoke."""
        if not self.text:
            return ""
        return "said" if self.delivered else f"not said: {self.error}"


@dataclass(frozen=True, slots=True)
class Evaluation(Slot):
    """What came of the action, against what was predicted."""

    outcome: str = ""
    prediction: str = ""
    delta: float = 0.0
    progress: bool = False
    completed: tuple[str, ...] = ()
    described: str = ""  # by a model, if one was there to

    def said(self) -> str:
        """Outcome and surprise."""
        if not self.prediction:
            return self.outcome
        return f"{self.outcome}; predicted: {self.prediction}; delta {self.delta:+.2f}"


@dataclass(frozen=True, slots=True)
class Wondered(Slot):
    """A question, and what raised it."""

    question: str = ""
    words: str = ""
    why: str = ""
    sources: tuple[int, ...] = ()
    private: bool = False
    trouble: str = ""

    def said(self) -> str:
        """What raised it: the question itself is in the memory that is kept of it."""
        return self.why


@dataclass(frozen=True, slots=True)
class Looked(Slot):
    """What looking into a question came to."""

    ran: bool = False
    ok: bool = False
    text: str = ""
    error: str = ""
    found: int = 0

    def said(self) -> str:
        """How much was found."""
        return f"found {self.found}" if self.ok else self.error


@dataclass(frozen=True, slots=True)
class Remembered(Slot):
    """What was kept of an exploration."""


@dataclass(frozen=True, slots=True)
class Review(Slot):
    """What was lived since the last reflection."""

    experience: Experience = field(default_factory=Experience)
    summary: str = ""
    triggers: str = ""

    def said(self) -> str:
        """How much there was to review, and why."""
        return f"{self.summary}; because {self.triggers}"


@dataclass(frozen=True, slots=True)
class Asked(Slot):
    """What might change, after contradictions were settled."""

    proposals: tuple[Proposal, ...] = ()
    conflicts: tuple[str, ...] = ()
    trouble: str = ""

    def said(self) -> str:
        """How many there are, and what contradicted."""
        told = f"{len(self.proposals)} proposals"
        return told + (f"; settled: {'; '.join(self.conflicts)}" if self.conflicts else "")


@dataclass(frozen=True, slots=True)
class Evolved(Slot):
    """What did change."""

    many: int = 0

    def said(self) -> str:
        """How much."""
        return f"{self.many} changes"


def trace(value: object) -> JSON:
    """A value as JSON for the audit trail: memories by number, long text cut, drafts by length."""
    match value:
        case Memory() | Evidence():
            return _cited(value)
        case str():
            return value if len(value) <= LONGEST_TRACED else value[:LONGEST_TRACED] + "…"
        case float():
            return round(value, 4)
        case tuple():
            return [trace(v) for v in value]
        case Slot() | Candidate() | Draft() | Axes() | Behaviour() | Held() | Proposal():
            return _fields(value)
        case _:
            return value


def _cited(value: Memory | Evidence) -> JSON:
    if isinstance(value, Memory):
        return {"event": value.seq}
    told = {"event": value.memory.seq, "score": round(value.score, 4)}
    return told | ({"replaces": value.replaces.seq} if value.replaces else {})


def _fields(value: Slot | Candidate | Draft | Axes | Behaviour | Held | Proposal) -> JSON:
    names = [f.name for f in fields(value) if f.name not in UNTRACED]
    told = {name: trace(getattr(value, name)) for name in names}
    return told | (
        {"characters": len(value.text)} if isinstance(value, Draft | Reply | Acted) else {}
    )
