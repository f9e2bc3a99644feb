"""Orient: how much thought a message deserves, and how much is said; and which days its words mean."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Literal

from lumen.core.chance import Draw
from lumen.core.clock import Now, parse_stamp
from lumen.core.exposure import Plain
from lumen.kernel.contour.policy import DEPTHS, Parameters
from lumen.kernel.contour.slots import Slot, Stimulus
from lumen.kernel.contour.step import Skip, step
from lumen.kernel.language.dating import (
    DatedWords,
    UndatedWords,
    dated,
    days_meant,
    told_ahead,
    undated,
)
from lumen.kernel.language.lexicon import lexicon
from lumen.kernel.language.markers import asks_depth, marked, markers
from lumen.kernel.language.prototypes import MessageGroup, groups
from lumen.kernel.language.reading import WORD
from lumen.kernel.language.sums import sum_asked
from lumen.kernel.recall.evidence import Evidence
from lumen.kernel.steps.p1_evidence import EvidenceLedger
from lumen.kernel.steps.p1_intent import Intents
from lumen.kernel.steps.p1_perceive import Ingested, Reality, Surface, whole

Phase = Literal["casual", "flirt", "task", "serious"]
PHASES: tuple[Phase, ...] = ("casual", "flirt", "task", "serious")
ACKNOWLEDGES = ("acknowledgement", "thanks", "farewell")
MOST_MARKED = 2  # markers of one kind that count
PLAIN_WORDS, LONG_WORDS = 12, 40  # a message of so many words is simple, of so many is not


@dataclass(frozen=True, slots=True)
class Budgeting(Parameters):
    """When a turn goes deep, what markers add, and what each depth allows."""

    important: float  # the seed's deep_only_if
    important_ambiguity: float
    complex: float
    complex_ambiguity: float
    marker: float  # what each marker adds to what it marks
    talk_paragraphs: int
    work_paragraphs: int
    deep_paragraphs: int
    brief_sentences: int
    jitter: int  # the seed's anti_mechanical
    talk_tokens: int
    work_tokens: int
    deep_tokens: int
    talk_calls: int
    work_calls: int
    deep_calls: int
    talk_facts: int
    work_facts: int
    deep_facts: int


@dataclass(frozen=True, slots=True)
class Budget:
    """How much a turn may say, ask and show; a number of 0 sets no limit."""

    sentences: Plain[int] = 0
    paragraphs: Plain[int] = 0
    tokens: Plain[int] = 0
    calls: Plain[int] = 1
    facts: Plain[int] = 0
    asked: Plain[int] = 0  # paragraphs a model is asked for: within the limit, not always the same


@dataclass(frozen=True, slots=True)
class Effort(Slot):
    """How much thought a message deserves, and by which rule."""

    deep_enough: Plain[str] = DEPTHS[0]
    rule: Plain[str] = ""  # talk_if, deep_only_if; empty: a task or none, for the gate to weigh
    explicit: Plain[str] = ""  # deep or brief, where the message asks for it
    importance: Plain[float] = 0.0
    complexity: Plain[float] = 0.0
    ambiguity: Plain[float] = 0.0
    phase: Plain[Phase] = "casual"
    acknowledges: Plain[bool] = False
    structured: Plain[bool] = False
    tool: Plain[bool] = False
    jitter: Plain[int] = 0  # drawn, from -1 to 1: no turn is as long as the other by rule
    verbosity: Plain[Budget] = Budget()
    at: tuple[Budget, ...] = ()  # what each depth would allow
    analysis_allowed: Plain[bool] = False  # more than the answer may be said

    def said(self) -> str:
        """How deep, by which rule."""
        return f"{self.deep_enough} by {self.rule or 'what is asked'}"

    def depth(self) -> str:
        """The turn goes on at this depth."""
        return self.deep_enough


@step()
async def effort_budgeter(
    stimulus: Stimulus,
    ingested: Ingested,
    surface: Surface,
    intents: Intents,
    draw: Draw,
    budgeting: Budgeting,
) -> Effort:
    """How much thought and how many words: talk if casual, deep if asked or if it matters, work for a task."""
    if stimulus.goal is not None:
        raise Skip("nobody spoke")
    drawn = draw.randint(-budgeting.jitter, budgeting.jitter)
    return effort_of(whole(ingested, surface), surface, intents.of_groups, budgeting, drawn)


def effort_of(
    text: str,
    surface: Surface,
    shares: tuple[float, ...],
    budgeting: Budgeting,
    jitter: int = 0,
) -> Effort:
    """The effort a message deserves, by its words and by how much of each labelled group it is."""
    limits, add = surface.limits, budgeting.marker
    opened = surface.modality in ("question", "task") or marked("work", text)
    explicit = "deep" if asks_depth(text, asks=opened) else "brief" if limits.brief else ""
    stakes = len(surface.strength) + len(markers("stakes", text))
    doubts = len(surface.uncertainty) + surface.advice
    wishes = sum((limits.steps, limits.shape)) + _length(text)
    tool = bool(sum_asked(text))
    structured = marked("work", text) or limits.steps or limits.shape
    importance = _level(shares, lambda g: g.importance, add * min(MOST_MARKED, stakes))
    complexity = _level(shares, lambda g: g.complexity, add * wishes)
    ambiguity = _level(shares, lambda g: g.ambiguity, add * min(MOST_MARKED, doubts))
    phase = _phase(text, shares, explicit, structured=structured or tool)
    acknowledges = surface.modality in ACKNOWLEDGES
    matters = importance >= budgeting.important and ambiguity >= budgeting.important_ambiguity
    hard = complexity >= budgeting.complex and ambiguity >= budgeting.complex_ambiguity
    depth, rule = "work" if structured or tool else "talk", ""
    if phase in ("casual", "flirt") or acknowledges:
        depth, rule = "talk", "talk_if"
    elif explicit == "deep" or ((matters or hard) and explicit != "brief"):
        depth, rule = "deep", "deep_only_if"
    budgets = tuple(budget(one, surface, budgeting, jitter) for one in DEPTHS)
    return Effort(
        deep_enough=depth,
        rule=rule,
        explicit=explicit,
        importance=importance,
        complexity=complexity,
        ambiguity=ambiguity,
        phase=phase,
        acknowledges=acknowledges,
        structured=structured,
        tool=tool,
        jitter=jitter,
        verbosity=budgets[DEPTHS.index(depth)],
        at=budgets,
        analysis_allowed=not (
            acknowledges or limits.brief or limits.only_result or limits.sentences
        ),
    )


def _length(text: str) -> float:
    """How long a message is, from 0 for a plain one to 1."""
    long = (len(WORD.findall(text)) - PLAIN_WORDS) / (LONG_WORDS - PLAIN_WORDS)
    return max(0.0, min(1.0, long))


def _level(shares: tuple[float, ...], of: Callable[[MessageGroup], float], more: float) -> float:
    """What the groups a message is near to stand for, and what its markers add."""
    near = sum(share * of(group) for share, group in zip(shares, groups(), strict=True))
    return min(1.0, near + more)


def _phase(text: str, shares: tuple[float, ...], explicit: str, *, structured: bool) -> Phase:
    """What kind of exchange it is part of; what asks for thought is no chat."""
    found: dict[str, float] = dict.fromkeys(PHASES, 0.0)
    for share, group in zip(shares, groups(), strict=True):
        found[group.phase] += share
    likeliest = max(PHASES, key=lambda phase: found[phase])
    if marked("flirt", text) and likeliest != "task":
        return "flirt"
    if explicit == "deep":
        return "task" if structured else "serious"
    if structured and likeliest != "serious":
        return "task"
    return likeliest


def jittered(most: int, least: int, jitter: int) -> int:
    """A ceiling that varies by what was drawn: never above itself, never below the least."""
    return max(least, min(most, most - 1 + jitter))


def budget(depth: str, surface: Surface, budgeting: Budgeting, jitter: int = 0) -> Budget:
    """What a depth allows, and what the message asks to be kept to."""
    limits, b = surface.limits, budgeting
    paragraphs, tokens, calls, facts = {
        "talk": (b.talk_paragraphs, b.talk_tokens, b.talk_calls, b.talk_facts),
        "work": (b.work_paragraphs, b.work_tokens, b.work_calls, b.work_facts),
        "deep": (b.deep_paragraphs, b.deep_tokens, b.deep_calls, b.deep_facts),
    }[depth]
    short = limits.brief or limits.only_result
    sentences = limits.sentences or (b.brief_sentences if limits.brief else 0)
    most = 1 if short else paragraphs
    return Budget(
        sentences or int(limits.only_result),
        most,
        tokens,
        calls,
        facts,
        asked=jittered(most, 1, jitter),
    )


@dataclass(frozen=True, slots=True)
class Doubt:
    """What speaks for more thought beside the message's own words."""

    unknown: bool = False  # nothing that was told answers it
    disagree: bool = False  # what was told disagrees
    examines: bool = False  # it asks the being to look at itself


@dataclass(frozen=True, slots=True)
class Mode(Slot):
    """What speaks for each depth, and which of them it is."""

    talk: Plain[float] = 0.0
    work: Plain[float] = 0.0
    deep: Plain[float] = 0.0
    argmax: Plain[str] = ""
    chosen: Plain[str] = DEPTHS[0]
    budget: Plain[Budget] = Budget()

    def said(self) -> str:
        """The depth of the turn."""
        return f"depth {self.chosen}"

    def depth(self) -> str:
        """The turn goes on at this depth."""
        return self.chosen


@step()
async def mode_gate(
    stimulus: Stimulus,
    ingested: Ingested,
    surface: Surface,
    reality: Reality,
    ledger: EvidenceLedger,
    intents: Intents,
    effort: Effort,
) -> Mode:
    """Weigh what speaks for talk, work and deep; it decides between talk and work where no rule did."""
    if stimulus.goal is not None:
        raise Skip("nobody spoke")
    doubt = Doubt(
        unknown=surface.modality == "question" and reality.verdict in ("none", "weak"),
        disagree=bool(ledger.conflicts),
        examines=lexicon().has("self_examination", ingested.excerpt),
    )
    return gate(surface, effort, intents, doubt)


def gate(surface: Surface, effort: Effort, intents: Intents, doubt: Doubt) -> Mode:
    """The scores of the three depths, and the one the turn goes at."""
    scores = {
        "talk": talk_score(effort),
        "work": work_score(effort, intents),
        "deep": deep_score(surface, effort, intents, doubt),
    }
    chosen = effort.deep_enough
    if not effort.rule:
        chosen = "work" if scores["work"] > scores["talk"] else "talk"
    return Mode(
        talk=scores["talk"],
        work=scores["work"],
        deep=scores["deep"],
        argmax=max(DEPTHS, key=lambda depth: scores[depth]),
        chosen=chosen,
        budget=effort.at[DEPTHS.index(chosen)] if effort.at else Budget(),
    )


def talk_score(effort: Effort) -> float:
    """The mean of casual_chat, low_stakes, high_clarity and banter_or_flirt."""
    casual = float(effort.phase in ("casual", "flirt"))
    flirt = float(effort.phase == "flirt" or effort.acknowledges)
    return (casual + (1 - effort.importance) + (1 - effort.ambiguity) + flirt) / 4


def work_score(effort: Effort, intents: Intents) -> float:
    """The mean of task, structured_request, needs_tools and medium_stakes."""
    asked = sum(h.score for h in intents.hypotheses if h.intent == "do")
    task = max(asked, float(effort.phase == "task"))
    medium = 1 - 2 * abs(effort.importance - 0.5)
    return (task + effort.structured + effort.tool + medium) / 4


def deep_score(surface: Surface, effort: Effort, intents: Intents, doubt: Doubt) -> float:
    """The mean of conflict, low_confidence, high_ambiguity, meaning_gap and self_change_needed."""
    pushed = sum(h.score for h in intents.hypotheses if h.intent == "push")
    conflict = max(pushed, float(doubt.disagree))
    gap = float(not surface.topic)
    return (conflict + doubt.unknown + effort.ambiguity + gap + doubt.examines) / 5


@dataclass(frozen=True, slots=True)
class Chronos(Slot):
    """The days that words of time mean: of the message, and of what was told that bears on it."""

    dates: Plain[tuple[DatedWords, ...]] = ()
    undated: Plain[tuple[UndatedWords, ...]] = ()
    told: tuple[tuple[int, str], ...] = ()  # by event, as they are said behind a quote

    def said(self) -> str:
        """How many days were found."""
        return f"{len(self.dates)} dated" if self.dates else ""

    def on(self, reality: Reality) -> Reality:
        """What is known, each piece with the days its words meant."""
        days = dict(self.told)
        parts = tuple(replace(p, reality=self.on(p.reality)) for p in reality.parts)
        evidence = tuple(_on(days, e) for e in reality.evidence)
        return replace(reality, evidence=evidence, parts=parts) if days else reality


def _on(days: Mapping[int, str], found: Evidence) -> Evidence:
    later = _on(days, found.later) if found.later else None
    return replace(found, days=days.get(found.memory.seq, ""), later=later)


@step()
async def chronos_mesh(ingested: Ingested, surface: Surface, reality: Reality, now: Now) -> Chronos:
    """Relative words of time become days of the calendar: the message's, and those of what was told."""
    moment = now.moment.astimezone(now.zone)
    told = {e.memory.seq: _days(e, moment, surface.language) for e in _every(reality)}
    return Chronos(
        dates=dated(ingested.excerpt, moment),
        undated=undated(ingested.excerpt, moment),
        told=tuple((seq, days) for seq, days in told.items() if days),
    )


def _days(found: Evidence, now: datetime, language: str) -> str:
    """The days that the words of a quote meant; what corrects a day that lay ahead means one ahead."""
    said = parse_stamp(found.memory.timestamp).astimezone(now.tzinfo)
    old = found.replaces
    before = parse_stamp(old.timestamp).astimezone(now.tzinfo) if old else said
    ahead = old is not None and told_ahead(old.text, before, said)
    return days_meant(found.quote, said, now.date(), language, "future" if ahead else "")


def _every(reality: Reality) -> Iterator[Evidence]:
    """All evidence of a message, and what revised it."""
    for one in reality.evidence:
        yield one
        if one.later:
            yield one.later
