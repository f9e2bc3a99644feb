"""Orient: whether a turn opens with the being's own position, and whether a thought stands beside it.

Both are asked of the model in the one call that drafts the reply, and what comes back is held to the rules by
code. When they come is sampled: by the context of the turn and by chance that can be drawn again. How many turns
each rests afterwards is its policy in the contour.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from lumen.core.chance import Draw
from lumen.core.exposure import Plain
from lumen.core.trust import Ability
from lumen.kernel.contour.capabilities import Mind
from lumen.kernel.contour.policy import Parameters
from lumen.kernel.contour.slots import Self, Slot, Stimulus
from lumen.kernel.contour.step import Skip, step
from lumen.kernel.language.presence import addresses, asked_of, is_opening
from lumen.kernel.language.reading import WORD, asks_how
from lumen.kernel.steps.p1_perceive import Ingested, Reality, Surface
from lumen.kernel.steps.p2_orient import Effort, Mode, jittered

OPENS, CLOSES, LINE = "⟦", "⟧", "─" * 14
MARKED = re.compile(f"\\s*(?:{LINE[0]}+\\s*)?{OPENS}([^{CLOSES}]*)(?:{CLOSES}|$)")
OPENING_CONTRACT, THOUGHT_CONTRACT = "opinion_preface_in_work_deep", "dual_stream_optional"


def sampled(base: float, boost: float, signals: tuple[bool, ...], draw: Draw) -> tuple[bool, float]:
    """The spontaneity governor: whether it comes this time, and how likely that was."""
    chance = min(1.0, base + boost * sum(signals))
    return draw.random() < chance, chance


@dataclass(frozen=True, slots=True)
class Prefacing(Parameters):
    """How long an opening is, and how likely it comes where it fits."""

    work_least: int
    work_most: int
    deep_least: int
    deep_most: int
    sentence_tokens: int  # room for a sentence
    base: float
    boost: float  # what deep_mode adds


@dataclass(frozen=True, slots=True)
class Preface(Slot):
    """The opening that is asked for, in sentences; 0: none."""

    asked: Plain[str] = ""  # judgement, plan or explanation
    least: Plain[int] = 0
    most: Plain[int] = 0
    tokens: Plain[int] = 0
    chance: Plain[float] = 0.0

    def said(self) -> str:
        """How long it is to be."""
        return f"an opening of {self.least} to {self.most} sentences"

    def held(self, text: str, message: str) -> str:
        """A reply without its first paragraph, where that was to be an opening and is none."""
        first, parted, rest = text.strip().partition("\n\n")
        if not self.most or not parted or is_opening(first, message):
            return text
        return rest.strip()


@step()
async def presence_preface(
    stimulus: Stimulus,
    ingested: Ingested,
    surface: Surface,
    reality: Reality,
    effort: Effort,
    mode: Mode,
    self_: Self,
    mind: Mind,
    draw: Draw,
    prefacing: Prefacing,
) -> Preface:
    """Open with a position of its own where judgement, a plan or an explanation is asked of a model trusted for it.

    A model in this process answers at once: there an opening costs as much as the answer, and a small one says in
    it what it is and cannot do.
    """
    if stimulus.goal is not None:
        raise Skip("nobody spoke")
    if not self_.keeps(OPENING_CONTRACT):
        raise Skip(f"the contract {OPENING_CONTRACT} was dropped")
    if not effort.analysis_allowed:
        raise Skip("a short answer was asked for")
    asked = asked_of(ingested.excerpt) if surface.modality in ("question", "task") else ""
    if surface.advice and asks_how(ingested.excerpt):
        raise Skip("how a thing is done needs no position")
    if not asked:
        raise Skip("no judgement, plan or explanation was asked for")
    await _must_be_said_by_a_model(reality, surface, mind)
    if await mind.runs_here():
        raise Skip("a model in this process answers at once")
    deep = mode.chosen == "deep"
    comes, chance = sampled(prefacing.base, prefacing.boost, (deep,), draw)
    if not comes:
        raise Skip(f"not this time: {chance:.2f}")
    least, most = (
        (prefacing.deep_least, prefacing.deep_most)
        if deep
        else (prefacing.work_least, prefacing.work_most)
    )
    most = jittered(most, least, effort.jitter)
    return Preface(
        asked=asked,
        least=least,
        most=most,
        tokens=most * prefacing.sentence_tokens,
        chance=chance,
    )


@dataclass(frozen=True, slots=True)
class SecondStream(Parameters):
    """How likely a thought comes, what makes it likelier, and how long it is."""

    base: float
    boost: float  # what each of deep_mode, meaning_gap and high_ambiguity adds
    ambiguous: float
    short_words: int  # a message of so many is a short chat
    characters: int
    lines: int
    tokens: int


@dataclass(frozen=True, slots=True)
class OwnThoughts(Slot):
    """The thought that is asked for beside the reply, in lines; 0: none."""

    lines: Plain[int] = 0
    characters: Plain[int] = 0
    tokens: Plain[int] = 0
    chance: Plain[float] = 0.0

    def said(self) -> str:
        """That one is asked for."""
        return "a thought beside it"

    def parted(self, text: str, name: str) -> tuple[str, str]:
        """A reply without what is marked as a thought, and that thought, if it was asked for and is one.

        `name` is whom it must not speak to.
        """
        found = [match[1].strip() for match in MARKED.finditer(text)]
        said = MARKED.sub("", text).replace(CLOSES, "").strip()
        thought = found[-1] if found and self.lines else ""
        return said, thought if self._is_thought(thought, name) else ""

    def beside(self, text: str, thought: str) -> str:
        """A reply with its thought under a line, marked."""
        return f"{text}\n\n{LINE}\n{OPENS} {thought} {CLOSES}" if thought and text else text

    def _is_thought(self, text: str, name: str) -> bool:
        short = len(text) <= self.characters and len(text.splitlines()) <= self.lines
        return bool(text) and short and not addresses(text, name)


@step()
async def dual_stream_thoughts(
    stimulus: Stimulus,
    ingested: Ingested,
    surface: Surface,
    reality: Reality,
    effort: Effort,
    mode: Mode,
    self_: Self,
    mind: Mind,
    draw: Draw,
    stream: SecondStream,
) -> OwnThoughts:
    """Now and then a thought of its own beside the reply: likelier where it is deep, unclear or about nothing named."""
    if stimulus.goal is not None:
        raise Skip("nobody spoke")
    if not self_.keeps(THOUGHT_CONTRACT):
        raise Skip(f"the contract {THOUGHT_CONTRACT} was dropped")
    if why := _lowered(ingested.excerpt, surface, effort, stream):
        raise Skip(why)
    await _must_be_said_by_a_model(reality, surface, mind)
    signals = (mode.chosen == "deep", not surface.topic, effort.ambiguity >= stream.ambiguous)
    comes, chance = sampled(stream.base, stream.boost, signals, draw)
    if not comes:
        raise Skip(f"not this time: {chance:.2f}")
    return OwnThoughts(
        lines=draw.randint(1, stream.lines),
        characters=stream.characters,
        tokens=stream.tokens,
        chance=chance,
    )


def _lowered(text: str, surface: Surface, effort: Effort, stream: SecondStream) -> str:
    """What speaks against any thought; empty: nothing. That it is talk, the policy says."""
    if effort.phase == "flirt":
        return "flirt"
    if surface.limits.only_result or not effort.analysis_allowed:
        return "user_wants_only_result"
    return "short_chat" if len(WORD.findall(text)) <= stream.short_words else ""


async def _must_be_said_by_a_model(reality: Reality, surface: Surface, mind: Mind) -> None:
    """What code answers has neither; nor has what a model says that is not trusted with the world.

    Raises:
        Skip: says which of it is so.
    """
    parts = reality.parts
    if reality.told or (parts and all(p.reality.verdict == "strong" for p in parts)):
        raise Skip("code answers it")
    if not await mind.may(Ability.WORLD, "interface"):
        raise Skip("the model is not trusted with the world")
    if not await mind.speaks(surface.language):
        raise Skip("the model does not speak this language")
