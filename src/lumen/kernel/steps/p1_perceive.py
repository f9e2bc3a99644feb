"""Perceive: what came in, what its words show, and what is known that bears on it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import timedelta

from lumen.core.clock import Now, parse_stamp
from lumen.core.data import Author, Change, Memory
from lumen.core.exposure import Cite, Plain, Quote
from lumen.kernel.answers.answer import answer
from lumen.kernel.answers.context import AnswerContext
from lumen.kernel.choice.completion import unending
from lumen.kernel.contour.policy import Parameters
from lumen.kernel.contour.slots import Self, Slot, Stimulus
from lumen.kernel.contour.state import State
from lumen.kernel.contour.step import step
from lumen.kernel.identity.biography import Biography
from lumen.kernel.language.asked_of_it import ITSELF, Meaning, asks_of_it
from lumen.kernel.language.asking import About, about, of_author, where_moved
from lumen.kernel.language.bare_note import bare_note
from lumen.kernel.language.claims import own_life
from lumen.kernel.language.feelings import HEAVY, Feeling, feeling_told, felt
from lumen.kernel.language.followups import completed, exchanges_in, restated
from lumen.kernel.language.keeping import list_followup
from lumen.kernel.language.lexicon import lexicon
from lumen.kernel.language.markers import NO_LIMITS, AnswerLimits, Role, limits, markers, roles
from lumen.kernel.language.moves import move_of
from lumen.kernel.language.questions import after_despair, despairs, questions_in
from lumen.kernel.language.reading import (
    Modality,
    asks_advice,
    language,
    modality,
    names,
    spelled_out,
    words,
)
from lumen.kernel.language.spans import asks_what_happened, span_of
from lumen.kernel.language.sums import sum_asked, sum_beside
from lumen.kernel.recall.evidence import Evidence, Recall, as_of_now
from lumen.kernel.recall.summary import tell
from lumen.kernel.steps.p1_bearing import is_about
from lumen.kernel.steps.p1_revised import gone_since, still
from lumen.kernel.steps.p1_verdict import fitting_first, verdict

TOPIC_WORDS = 5
SOON = timedelta(hours=1)


@dataclass(frozen=True, slots=True)
class Intake(Parameters):
    """How much of a message is worked with."""

    excerpt: int  # characters


@dataclass(frozen=True, slots=True)
class Ingested(Slot):
    """The message as it will be worked with."""

    excerpt: str = ""
    characters: Plain[int] = 0

    def said(self) -> str:
        """How much came in."""
        return f"{self.characters} characters in"


@step()
async def ingest(stimulus: Stimulus, intake: Intake) -> Ingested:
    """Take the message as it is; a prompt carries its beginning and its end when it is long."""
    text = stimulus.text
    half = intake.excerpt // 2
    excerpt = text if len(text) <= intake.excerpt else f"{text[:half]} … {text[-half:]}"
    return Ingested(excerpt=excerpt, characters=len(text))


@dataclass(frozen=True, slots=True)
class Surface(Slot):
    """What the words show before anything is thought about them."""

    modality: Plain[Modality] = "statement"
    mood: Plain[str] = ""
    feeling: Plain[Feeling] = ""  # what it tells of how the author feels about it
    move: Plain[str] = (
        ""  # what it does in the talk, where it tells nothing: leaves, thanks, nods and so on
    )
    personal: Plain[bool] = False
    identity: Plain[bool] = False
    advice: Plain[bool] = False
    asks: Plain[str] = ""  # what it asks of the being itself: clock, values, known and so on
    about: Plain[About] = "author"  # whom it asks about, if it asks
    language: Plain[str] = "en"  # the kernel's own phrases are in this one
    understood: Quote[str] = ""  # what a follow-up asks as a whole; empty: it stands by itself
    their_life: Plain[bool] = False  # it tells of the author's life, or of somebody they told of
    topic: Quote[str] = ""  # the words that carry what it is about
    roles: Plain[tuple[Role, ...]] = ()  # who stands in it
    limits: Plain[AnswerLimits] = NO_LIMITS  # how it asks to be answered
    strength: Plain[tuple[str, ...]] = ()  # words that say it matters
    uncertainty: Plain[tuple[str, ...]] = ()  # words that say it is not sure

    def said(self) -> str:
        """What kind of message it is."""
        return f"{self.modality} ({self.asks})" if self.asks else self.modality

    @property
    def weighs(self) -> bool:
        """Whether it tells of something that hurts or worries; a joy may have hard words in it."""
        return self.feeling in HEAVY or (not self.feeling and self.mood == "hard")


@step()
async def surface_parse(
    stimulus: Stimulus, ingested: Ingested, recall: Recall, self_: Self
) -> Surface:
    """Read off the words: what kind of message, in what mood, about whom.

    A follow-up is read as the whole question that it asks after what was just said.
    """
    before = () if stimulus.goal else exchanges_in(recall.recent(), private=stimulus.private)
    plain = spelled_out(ingested.excerpt)
    understood = (
        completed(plain, before, self_.name)
        or (list_followup(plain, *before[-1]) if before else "")
        or (plain if plain != ingested.excerpt else "")
    )
    surface = surface_of(understood or plain, self_, None if stimulus.goal else recall.meaning)
    spoken = surface.limits.language or language(ingested.excerpt)
    theirs = surface.their_life or bool(restated(ingested.excerpt, before))
    surface = replace(surface, understood=understood, language=spoken, their_life=theirs)
    if surface.modality == "greeting" and feeling_told(bare_note(whole(ingested, surface))):
        surface = replace(surface, modality="statement")
    if stimulus.goal or surface.asks not in ("", ITSELF):
        return surface
    text = whole(ingested, surface)
    move = move_of(text, modality(text), surface.about, recall.meaning)
    if surface.asks:  # of the being, and none of what it can tell: unless it asks nothing
        met = replace(surface, asks="", modality=modality(text), move=move)
        return met if move else surface
    if move or surface.modality != "statement":
        return replace(surface, move=move)
    return replace(surface, feeling=felt(bare_note(whole(ingested, surface)), recall.meaning))


def whole(ingested: Ingested, surface: Surface) -> str:
    """What is looked up: the message as it is worked with, or what it asks as a whole."""
    return surface.understood or ingested.excerpt


def surface_of(text: str, self_: Self, meaning: Meaning | None = None) -> Surface:
    """What kind of message a text is, by its words: every answer goes by this one reading.

    What it asks of the being is read off its meaning where its words say nothing.
    """
    lex, kind = lexicon(), modality(text)
    asks, meant = asks_of_it(text, self_.name, meaning)
    kind = "question" if meant and kind == "statement" else kind
    asked_for = limits(text, asks=kind in ("question", "task"))
    return Surface(
        modality=kind,
        mood=next((m for m in ("hard", "glad") if lex.has(m, text)), ""),
        feeling=feeling_told(text),
        personal=of_author(text) and not asks_advice(text),
        advice=asks_advice(text),
        identity=lex.has("identity", text),
        asks=asks,
        about="being" if meant else about(text, self_.name),
        language=asked_for.language or language(text),
        their_life=kind == "statement" and own_life(text),
        topic=" ".join(words(text)[:TOPIC_WORDS]),
        roles=roles(text),
        limits=asked_for,
        strength=markers("strength", text),
        uncertainty=markers("uncertainty", text),
    )


@dataclass(frozen=True, slots=True)
class Grounding(Parameters):
    """How near evidence must be before it is told, and how much of it."""

    strong: float
    plain: float  # what stands out so far is stated, though its words are others
    middling: float
    stands_out: float  # what is offered as the closest must stand out so far
    close: float  # evidence this near to the best is said with it
    bears: float  # from here on a question is taken to be about what was told
    quotes: int  # pieces of evidence that are said
    facts: int  # and that a model is shown


@dataclass(frozen=True, slots=True)
class Reality(Slot):
    """What is known that bears on the message, and how sure that is."""

    verdict: Plain[str] = "none"
    evidence: Cite[tuple[Evidence, ...]] = ()
    recent: Cite[tuple[Memory, ...]] = ()
    familiar: Plain[bool] = False  # it names someone or something the author has spoken of
    replaces: Cite[Memory | None] = None  # what this message, by its own words, takes back
    told: str = ""  # what code alone answers: from the clock, the self or the author's own words
    by: Plain[str] = "grounded"  # what kind of draft that is
    act: Plain[str] = ""  # what answering does beside: list, remind
    keeps: tuple[Change, ...] = ()  # and what is to be kept by that
    cited: Cite[tuple[int, ...]] = ()
    private: Plain[bool] = False  # some of that must not leave
    unproved: bool = False  # what answers stands in a line that is not what was written
    gently: bool = False  # the author has just said that they want to die
    parts: tuple[QuestionPart, ...] = ()  # where a message asks several things: each by itself

    def said(self) -> str:
        """What was loaded."""
        return f"loaded {len(self.recent)} recent and {len(self.evidence)} told: {self.verdict}"


@dataclass(frozen=True, slots=True)
class QuestionPart:
    """One question of several, as if it stood alone."""

    text: str
    surface: Surface
    reality: Reality


@dataclass(frozen=True, slots=True)
class Known:
    """Where what bears on a question is looked for."""

    stimulus: Stimulus
    recall: Recall
    biography: Biography
    self_: Self
    now: Now
    grounding: Grounding
    state: State


@step()
async def reality_check(
    stimulus: Stimulus,
    ingested: Ingested,
    surface: Surface,
    recall: Recall,
    biography: Biography,
    self_: Self,
    now: Now,
    state: State,
    grounding: Grounding,
) -> Reality:
    """Recall on both paths and judge, in code, how well what was told bears on the message.

    What the clock, the self or the archive answers outright is answered here.
    """
    known = Known(stimulus, recall, biography, self_, now, grounding, state)
    text = whole(ingested, surface)
    parts = _parts(text, surface, known)
    if not parts:
        return _reality(text, surface, known)
    every = [part.reality for part in parts]
    return Reality(
        verdict="strong",
        evidence=tuple(e for one in every for e in one.evidence),
        recent=every[0].recent,
        cited=tuple(seq for one in every for seq in one.cited),
        private=any(one.private for one in every),
        unproved=any(one.unproved for one in every),
        gently=any(one.gently for one in every),
        parts=parts,
    )


def _parts(text: str, surface: Surface, known: Known) -> tuple[QuestionPart, ...]:
    """The questions of a message, each with what bears on it; none where no more than one is answered."""
    if surface.modality != "question" or surface.asks or known.stimulus.goal is not None:
        return ()
    asks = questions_in(text)
    beside = sum_beside(text) if "calc" in known.biography.skills else None
    if not beside and any(sum_asked(one) for one in asks):  # worked out by a skill, as a whole
        return ()
    meaning = known.recall.meaning
    each = [(one, surface_of(one, known.self_, meaning)) for one in (beside[1] if beside else asks)]
    parts = tuple(QuestionPart(one, of, _reality(one, of, known)) for one, of in each)
    return parts if beside or any(part.reality.verdict == "strong" for part in parts) else ()


def _reality(text: str, surface: Surface, known: Known) -> Reality:
    """What bears on one message or question."""
    recall, now, grounding = known.recall, known.now, known.grounding
    recent = recall.recent()
    gently = _despaired(recent, now)
    asks_itself = surface.asks or (after_despair(text) if gently else "")
    if asks_itself in ("", ITSELF) and unending(text, known.self_.goals):
        asks_itself = "unending"
    if not asks_itself and "calc" not in known.biography.skills and sum_asked(text):
        asks_itself = "no_calc"
    asking = _asking(text, surface, known)
    settled = answer(asks_itself, asking) if asks_itself and not known.stimulus.goal else None
    if settled and settled.text:
        return Reality(
            verdict="strong",
            recent=recent,
            told=settled.text,
            by=settled.by,
            act=settled.act,
            keeps=settled.keeps,
            cited=settled.sources,
            private=recall.is_private(settled.sources),
        )
    moment = now.moment.astimezone(now.zone)
    if asks_what_happened(text) and (span := span_of(text, moment)):
        looked_back, cited = tell(span, recall.within(span), now.zone)
        return Reality(
            verdict="strong",
            recent=recent,
            told=looked_back,
            cited=cited,
            private=recall.is_private(cited),
        )
    if surface.modality not in ("question", "statement"):
        return Reality(recent=recent, gently=gently)
    asks = surface.modality == "question"
    evidence = _found(text, surface, known)
    evidence = fitting_first(evidence, text, grounding) if asks else evidence
    told = {w for e in evidence for w in words(e.quote)}
    found = verdict(evidence, grounding)
    if asks and surface.about == "author" and found in ("strong", "middling"):
        evidence = gone_since(evidence, recall.statements())
    return Reality(
        verdict=found,
        evidence=evidence,
        recent=recent,
        familiar=bool(names(text) & told),
        replaces=None if asks else recall.replaced(),
        unproved=recall.unproved() >= grounding.middling,
        gently=gently,
    )


def _found(text: str, surface: Surface, known: Known) -> tuple[Evidence, ...]:
    """What bears on a message; where somebody moved tells where they live."""
    evidence = _bearing(text, surface, known.recall)
    elsewhere = where_moved(text) if surface.modality == "question" else ""
    if not elsewhere or verdict(evidence, known.grounding) == "strong":
        return evidence
    moved = _bearing(elsewhere, surface, known.recall)
    sure = verdict(moved, known.grounding) == "strong" and names(text) <= {*words(moved[0].quote)}
    return moved if sure else evidence


def _bearing(text: str, surface: Surface, recall: Recall) -> tuple[Evidence, ...]:
    """What was told and bears on a message, best first."""
    evidence = tuple(e for one in recall.evidence(text) for e in still(one, text))
    if surface.modality != "question":
        return evidence
    return as_of_now(tuple(e for e in evidence if is_about(surface.about, e, text)), text)


def _asking(text: str, surface: Surface, known: Known) -> AnswerContext:
    """What an answer by code is made of; what is private or a guest's is kept on no list."""
    said, life = known.stimulus, known.biography
    kept = None if said.private or said.guest else known.state
    return AnswerContext(
        text, surface.language, known.self_, known.now, life, known.recall, kept, said.seq
    )


def _despaired(recent: tuple[Memory, ...], now: Now) -> bool:
    """Whether the message before, within the hour, said that the author wants to die."""
    said = [m for m in recent if m.author is Author.EXTERNAL]
    if not said or now.moment - parse_stamp(said[-1].timestamp) > SOON:
        return False
    return despairs(said[-1].text)
