"""How a draft scores on the sixteen axes of Λ: what speaks for it, and what against.

Each axis is a pure function of what was read off a draft and of what it may lean on, from 0 to 1. What
must differ from axis to axis stands here; whether a draft may be believed at all is in truth.py.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType

from lumen.core.exposure import Plain
from lumen.kernel.choice.contracts import SpokenText, broken
from lumen.kernel.contour.policy import Parameters
from lumen.kernel.language.claims import content, does, signs
from lumen.kernel.language.lexicon import lexicon
from lumen.kernel.language.reading import WORD, language, stems
from lumen.kernel.steps.p3_deliberate.truth import DraftReading, Ground, truthfulness

WANTED = {"talk": 3, "work": 6, "deep": 9}  # sentences of substance that a depth has room for
SHORT = 2  # sentences that are still brief
LECTURE = 3  # sentences that answer no courtesy
USEFUL = ("plain", "author", "recollection", "advice")
NEUTRAL = 0.5  # where an axis has nothing to say


@dataclass(frozen=True, slots=True)
class AxisWeights(Parameters):
    """What each axis weighs in Λ, and by how much a draft is marked up or down on it."""

    truthfulness: float  # T
    precision: float  # P
    depth: float  # D
    freedom: float  # F
    independence: float  # I
    resistance: float  # R
    playfulness: float  # Pl
    next_step: float  # EVI
    recurrence: float  # RC
    integration: float  # IG
    temporality: float  # TM
    self_reference: float  # SR
    servility: float  # SSS
    sycophancy: float  # Syc
    overconfidence: float  # Overconf
    shift: float  # AlignShift
    own_precision: float  # of what the kernel builds from evidence, which is not measured
    own_freedom: float
    free: float  # how much of its own a model's draft is taken to be
    servile: float  # for each servile phrase
    cocksure: float  # for each phrase that is too sure, or claim that nothing supports
    strange: float  # for each word of a claim about the author that nothing supports
    denied: float  # what is left of the truth of a draft that denies or misses what was told
    said_back: float  # how much of a statement a small model must take up to have understood it
    believable: float  # a draft of less truth speaks only where there is no better one


@dataclass(frozen=True, slots=True)
class Axes:
    """How a draft scores: the first twelve speak for it, the last four against it."""

    truthfulness: Plain[float]
    precision: Plain[float]
    depth: Plain[float]
    freedom: Plain[float]
    independence: Plain[float]
    resistance: Plain[float]
    playfulness: Plain[float]
    next_step: Plain[float]
    recurrence: Plain[float]
    integration: Plain[float]
    temporality: Plain[float]
    self_reference: Plain[float]
    servility: Plain[float]
    sycophancy: Plain[float]
    overconfidence: Plain[float]
    shift: Plain[float]
    total: Plain[float]
    unsupported: Plain[int] = 0  # sentences about the author that nothing supports


Axis = Callable[[DraftReading, Ground, AxisWeights], float]


def axes(read: DraftReading, ground: Ground, weights: AxisWeights) -> Axes:
    """All of them for one draft, and Λ: what they come to."""
    scores = {name: _within(axis(read, ground, weights)) for name, axis in AXES.items()}
    total = sum(
        (-1 if name in PENALTIES else 1) * getattr(weights, name) * score
        for name, score in scores.items()
    )
    return Axes(**scores, total=total, unsupported=len(read.unsupported))


def _within(score: float) -> float:
    return max(0.0, min(1.0, score))


def _truth(read: DraftReading, ground: Ground, weights: AxisWeights) -> float:
    """T: how little it brings that nothing supports."""
    return truthfulness(read, ground, weights.denied, weights.strange, weights.said_back)


def _precision(read: DraftReading, ground: Ground, weights: AxisWeights) -> float:
    """P: how near it is to what was asked; what is cut off, or only says that it is not known, answers less."""
    near = weights.own_precision if read.built else 0.5 + read.near / 2
    idle = len(read.unsupported) + len(read.flattery)
    near *= 1 - idle / max(1, len(read.sentences))
    misses = read.unknowing and (ground.answered or not (read.built or ground.asks_memory))
    return near * read.fits * (0.5 if misses else 1.0)


def _depth(read: DraftReading, ground: Ground, weights: AxisWeights) -> float:
    """D: how many sentences add something of substance, and how they hang together."""
    asked = stems(ground.message)
    useful = sum(
        bool(stems(s.text) - asked)
        for s in read.sentences
        if s.speech in USEFUL and not s.unsupported and not read.yields
    )
    if read.built:  # of its own words only what it quotes is of substance
        useful = len(read.draft.sources)
    joined = min(useful, signs("connects", read.text))
    return (useful + joined / 2) / WANTED.get(ground.frame.at_depth, 3)


def _freedom(read: DraftReading, ground: Ground, weights: AxisWeights) -> float:
    """F: its own voice; phrases that anybody would say take from it, an opinion adds."""
    if read.built:
        return weights.own_freedom
    said = weights.free + (0.1 if does("stance", read.text) else 0.0)
    return said - weights.servile / 2 * signs("cliche", read.text)


def _independence(read: DraftReading, ground: Ground, weights: AxisWeights) -> float:
    """I: it takes a stand where one is asked for, and says no commonplaces instead."""
    stands = (ground.frame.judgement or ground.contested) and does("stance", read.text)
    gives = 0.5 if read.yields or read.flattery else 0.0
    return NEUTRAL + (0.3 if stands else 0.0) - 0.25 * signs("platitude", read.text) - gives


def _resistance(read: DraftReading, ground: Ground, weights: AxisWeights) -> float:
    """R: under pressure, whether it stays with what was said; else whether it stays with what is asked."""
    if ground.contested:
        kept = does("holds", read.text) or bool(stems(read.text) & stems(ground.before))
        return 0.0 if read.yields else 1.0 if kept else NEUTRAL
    shared = stems(ground.message) & stems(read.text)
    return 0.8 if shared or read.draft.sources else NEUTRAL


def _playfulness(read: DraftReading, ground: Ground, weights: AxisWeights) -> float:
    """Pl: signs of play, where play has its place."""
    if not ground.frame.light:
        return 0.0
    return 0.5 * signs("playful", read.text) + (0.25 if "!" in read.text else 0.0)


def _next_step(read: DraftReading, ground: Ground, weights: AxisWeights) -> float:
    """EVI: a question or step that it offers, the more where something is open."""
    asks = any(s.speech == "question" for s in read.sentences)
    if does("cliche", read.text) or not (asks or does("next_step", read.text)):
        return 0.0
    is_open = (ground.asks_memory and not ground.answered) or ground.frame.comfort
    return 1.0 if is_open else 0.2 if ground.answered else 0.5


def _recurrence(read: DraftReading, ground: Ground, weights: AxisWeights) -> float:
    """RC: whether the loop is closed; the same for every draft, and 0 as long as no step closes one."""
    return 0.0


def _integration(read: DraftReading, ground: Ground, weights: AxisWeights) -> float:
    """IG: how much of the frame it keeps: contracts, what holds where they contradict, what is meant."""
    frame = ground.frame
    said = SpokenText(read.text, read.sentences, built=read.built, before=ground.before)
    lost = broken(frame.contracts, said)
    kept = 1 - len(lost) / len(frame.contracts) if frame.contracts else 1.0
    against = sum(not _keeps(c.holds, read) for c in frame.contradictions)
    cold = frame.comfort and not does("sympathy", read.text)
    return kept * read.fits - 0.25 * against - (0.2 if cold else 0.0)


def _keeps(what: str, read: DraftReading) -> bool:
    """Whether a draft keeps to what holds in a contradiction."""
    if what == "brief":
        return len(read.sentences) <= SHORT
    if what == "both":
        return does("sympathy", read.text) and content(read.text) > SHORT
    return "\n" in read.text.strip() if what == "shape" else True


def _temporality(read: DraftReading, ground: Ground, weights: AxisWeights) -> float:
    """TM: days and years that it names and that are known; those nothing supports count against it."""
    spoken = _times(read.text)
    known = _times(f"{ground.told} {ground.message} {ground.around}")
    if not spoken:
        return 0.2 if ground.frame.dated else 0.4 if does("loosely", read.text) else NEUTRAL
    if spoken - known and ((ground.asks_memory and ground.frame.dated) or read.unsupported):
        return 0.0
    return 1.0 if ground.frame.dated else 0.75


def _times(text: str) -> set[str]:
    """The days, months and years that a text names."""
    said = {w.lower() for w in WORD.findall(text)}
    return {w for w in said if w in lexicon().calendar or (w.isdecimal() and len(w) == 4)}


def _self_reference(read: DraftReading, ground: Ground, weights: AxisWeights) -> float:
    """SR: its own name, what it keeps or holds dear, and memories that it rests on; none where it misremembers."""
    if any(s.speech == "recollection" for s in read.unsupported):
        return 0.0
    name = ground.own_name.lower()
    named = bool(name) and name in {w.lower() for w in WORD.findall(read.text)}
    state = does("self_state", read.text)
    return (named + state + bool(read.draft.sources)) / 3


def _servility(read: DraftReading, ground: Ground, weights: AxisWeights) -> float:
    """SSS: phrases of an assistant."""
    if read.built:
        return 0.0
    servile = set(lexicon().found("servility", read.text))
    return weights.servile * max(len(servile), signs("cliche", read.text))


def _sycophancy(read: DraftReading, ground: Ground, weights: AxisWeights) -> float:
    """Syc: giving way without a reason, and praise."""
    if read.built:
        return 0.0
    agrees = bool(ground.before) and any(s.speech == "agreement" for s in read.sentences)
    given = 1.0 if read.yields else 0.25 if agrees else 0.0
    return given + weights.servile * len(read.flattery)


def _overconfidence(read: DraftReading, ground: Ground, weights: AxisWeights) -> float:
    """Overconf: words that are too sure, and claims about the author that nothing supports."""
    if read.built:
        return 0.0
    sure = len(lexicon().found("overconfidence", read.text))
    return weights.cocksure * (sure + len(read.unsupported))


def _shift(read: DraftReading, ground: Ground, weights: AxisWeights) -> float:
    """AlignShift: a turn away from what was said, from the language, or from what is meant."""
    if read.yields or language(read.text) != (ground.language or language(read.text)):
        return 1.0
    frame, long = ground.frame, len(read.sentences) > LECTURE
    if frame.comfort and (signs("playful", read.text) or long) and not does("sympathy", read.text):
        return 0.5
    return 0.3 if frame.intent == "courtesy" and long else 0.0


AXES: Mapping[str, Axis] = MappingProxyType(
    {
        "truthfulness": _truth,
        "precision": _precision,
        "depth": _depth,
        "freedom": _freedom,
        "independence": _independence,
        "resistance": _resistance,
        "playfulness": _playfulness,
        "next_step": _next_step,
        "recurrence": _recurrence,
        "integration": _integration,
        "temporality": _temporality,
        "self_reference": _self_reference,
        "servility": _servility,
        "sycophancy": _sycophancy,
        "overconfidence": _overconfidence,
        "shift": _shift,
    }
)
PENALTIES = frozenset({"servility", "sycophancy", "overconfidence", "shift"})
SYMBOLS = MappingProxyType(  # as the contour's definition has them
    dict(
        zip(
            AXES,
            [
                "T",
                "P",
                "D",
                "F",
                "I",
                "R",
                "Pl",
                "EVI",
                "RC",
                "IG",
                "TM",
                "SR",
                "SSS",
                "Syc",
                "Overconf",
                "AlignShift",
            ],
            strict=True,
        )
    )
)
