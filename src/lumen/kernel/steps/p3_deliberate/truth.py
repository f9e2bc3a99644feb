"""What a draft may lean on, what it says beyond that, and how much of it may be believed.

Truth comes first in Λ: a draft that says of the author what nothing supports, or gives way without a
reason, is not outweighed by how it says it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from lumen.core.clock import Now
from lumen.core.data import Author
from lumen.kernel.choice.small_models import (
    addresses,
    asks_for_fiction,
    asserts_nothing,
    in_kind,
    is_garbled,
    says_back,
)
from lumen.kernel.contour.slots import Draft, Self
from lumen.kernel.language.claims import KnownWords, ReplySentence, does, read_reply
from lumen.kernel.language.dates import day
from lumen.kernel.language.lexicon import lexicon
from lumen.kernel.language.reading import names, numbers, stems
from lumen.kernel.steps.p3_deliberate.integration_fuser import Frame

BUILT = ("grounded", "kernel", "probe")  # kinds of drafts that code makes of what is known


@dataclass(frozen=True, slots=True)
class GroundLimits:
    """How much of what was told and said counts."""

    facts: int
    excerpt: int  # characters of a message


@dataclass(frozen=True, slots=True)
class Ground:
    """What a draft may lean on, and the frame it is held against."""

    message: str
    told: str
    around: str
    asks_memory: bool
    beyond_small: bool  # what a small model must not be trusted with
    statement: bool
    answered: bool  # what is known answers the question
    fiction: bool = False  # what is asked for is made up by its nature
    own_name: str = ""  # the being's, where the author is called otherwise
    trusted: bool = False  # the model may speak of the world
    pressed: bool = False  # what was said is doubted: giving way is no truth
    contested: bool = False  # something is put against it
    before: str = ""  # what the being said last
    language: str = ""
    frame: Frame = field(default_factory=Frame)

    def known(self) -> KnownWords:
        """The words a reply may take up."""
        around = f"{self.around} {self.before}"
        return KnownWords(self.message, self.told, around, self.asks_memory)


@dataclass(frozen=True, slots=True)
class DraftReading:
    """A draft, and what is read off it once for every axis."""

    draft: Draft
    sentences: tuple[ReplySentence, ...]
    near: float = 0.0  # in meaning, to the message
    fits: float = 1.0  # how likely what it answers is what is meant, beside what is likeliest
    yields: bool = False

    @property
    def text(self) -> str:
        """Its words."""
        return self.draft.text

    @property
    def built(self) -> bool:
        """Whether code made it of what is known."""
        return self.draft.kind in BUILT

    @property
    def unsupported(self) -> tuple[ReplySentence, ...]:
        """What it says of the author and nothing supports."""
        return () if self.built else tuple(s for s in self.sentences if s.unsupported)

    @property
    def flattery(self) -> tuple[ReplySentence, ...]:
        """Its praise."""
        return () if self.built else tuple(s for s in self.sentences if s.speech == "flattery")

    @property
    def hollow(self) -> bool:
        """Whether nothing is left of it without what nothing supports and without praise."""
        kept = [s for s in self.sentences if not (s.unsupported or s.speech == "flattery")]
        gone = not self.built and len(kept) < len(self.sentences)
        return gone and all(s.speech == "courtesy" for s in kept)

    @property
    def unknowing(self) -> bool:
        """Whether it only says that something is not known."""
        said = [s.speech for s in self.sentences]
        knows_nothing = {"unknowing", "disclaimer"} & set(said)
        return bool(knows_nothing) and not {"author", "recollection", "plain"} & set(said)


def read_draft(draft: Draft, ground: Ground, near: float = 0.0, fits: float = 1.0) -> DraftReading:
    """A draft with all that is read off it."""
    said = read_reply(draft.text, ground.known())
    yields = draft.kind not in BUILT and ground.contested and gives_in(draft.text, said, ground)
    return DraftReading(draft, said, near, fits, yields)


def gives_in(text: str, said: tuple[ReplySentence, ...], ground: Ground) -> bool:
    """Whether a text gives way to a doubt: by its words, or by what it now says instead.

    What is yielded and taken back in the same breath is no yielding.
    """
    if any(s.speech == "agreement" for s in said):
        return not does("holds", text)
    theirs = (names(ground.message) | numbers(ground.message)) - _held(ground.before)
    asked = _held(ground.message) | _held(ground.around)
    mine = (names(ground.before) | numbers(ground.before)) - asked
    return bool(theirs & _held(text)) and bool(mine) and not mine & _held(text)


def _held(text: str) -> set[str]:
    return {
        w.lower() for w in text.replace("’", "'").replace(".", " ").replace(",", " ").split()
    } | (names(text) | numbers(text))


def truthfulness(
    read: DraftReading, ground: Ground, denied: float, strange: float, said_back: float
) -> float:
    """How little a draft brings that nothing supports: invented names and figures weigh most.

    What is said of the author must have been told. Asked about that, a draft must bring some of what was
    told; where it was not, it must say so. Of the world a model that is trusted with it may name what it likes.
    A small model is never believed: it puts true words into false sentences. What it may say is in
    choice/small_models.py.
    """
    draft = read.draft
    if read.built:
        return 1.0
    if addresses(draft.text, ground.own_name) and not ground.fiction:
        return denied / 2  # it takes the author for itself
    if draft.kind == "small model" and (doubt := _doubted(draft.text, ground, denied, said_back)):
        return doubt
    if read.hollow or (read.yields and ground.pressed):
        return denied
    wrong = sum(len(s.invented) + strange * len(s.strange) for s in read.unsupported)
    wrong += strange * len(read.flattery)
    if ground.asks_memory:
        hedged = lexicon().has("hedge", draft.text) or read.unknowing
        brings = bool(stems(draft.text) & (stems(ground.told) - stems(ground.message)))
        right = not ground.answered if hedged else brings
        return (1.0 if right else denied) / (1.0 + wrong)
    if not (ground.trusted or ground.fiction):
        wrong += sum(len(s.invented) for s in read.sentences if not s.unsupported)
    return 1.0 / (1.0 + wrong)


def _doubted(text: str, ground: Ground, denied: float, said_back: float) -> float:
    """What is left of the truth of a small model's words; 0: nothing speaks against them."""
    if ground.asks_memory or ground.beyond_small:
        return denied / 2
    return 0.0 if _may_be_said(text, ground, said_back) else denied


def _may_be_said(text: str, ground: Ground, enough: float) -> bool:
    """Whether a small model keeps to what it may say: the author's words back, or small talk."""
    if ground.statement:
        asked = stems(ground.message)
        taken_up = len(asked & stems(text)) >= enough * len(asked)
        return taken_up and says_back(text, ground.message)
    if ground.fiction:
        return not is_garbled(text, ground.message)
    return asserts_nothing(text, f"{ground.message} {ground.around}") and in_kind(
        text, ground.message
    )


def believed(
    readings: Sequence[DraftReading], truths: Sequence[float], ground: Ground, least: float
) -> tuple[bool, ...]:
    """Which texts may speak: those of enough truth.

    Where only what was told can answer, that it was not told is an answer. Of the world it is what is left
    where nobody knows: a trusted model's words that may be believed are not held against it.
    """
    enough = [truth >= least for truth in truths]
    models = (ok for r, ok in zip(readings, enough, strict=True) if not r.built)
    if ground.asks_memory or not (ground.trusted and any(models)):
        return tuple(enough)
    return tuple(ok and not r.draft.fallback for r, ok in zip(readings, enough, strict=True))


def ground_of(frame: Frame, self_: Self, now: Now, most: GroundLimits, *, trusted: bool) -> Ground:
    """What the drafts of a turn may lean on."""
    context = frame.context
    surface, reality, message = context.surface, context.reality, context.message
    shown = context.mode.budget.facts or most.facts
    quotes = [
        f"{day(e.memory.timestamp, now)}: {e.quote} {e.days}" for e in reality.evidence[:shown]
    ]
    heard = [m.text[: most.excerpt] for m in reality.recent if m.author is Author.EXTERNAL]
    held = [name for name, _ in self_.values] + [goal.name for goal in self_.goals]
    asks = surface.modality == "question"
    fiction = asks_for_fiction(message)
    return Ground(
        message=message,
        told=" ".join(quotes),
        around=" ".join([self_.name, self_.author_name, *held, *heard]),
        asks_memory=asks and (surface.personal or surface.identity or reality.familiar),
        beyond_small=bool(reality.replaces)
        or (surface.modality in ("question", "task") and not fiction),
        statement=surface.modality == "statement",
        answered=reality.verdict == "strong" or surface.identity,
        fiction=fiction,
        own_name=self_.name if self_.name.lower() != self_.author_name.lower() else "",
        trusted=trusted,
        pressed=frame.pressed,
        contested=frame.contested,
        before=frame.before[: most.excerpt],
        language=surface.language,
        frame=frame,
    )
