"""Why it is said: competing hypotheses, by what the message means and by its words."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from lumen.core.exposure import Plain
from lumen.kernel.contour.policy import Parameters
from lumen.kernel.contour.slots import Slot, Stimulus
from lumen.kernel.contour.step import Skip, step
from lumen.kernel.language.markers import likelier, marked
from lumen.kernel.language.prototypes import groups, shares
from lumen.kernel.recall.evidence import Recall
from lumen.kernel.steps.p1_perceive import Ingested, Surface, whole

SAYING = ("keep", "push", "work")  # markers that speak for one reason


@dataclass(frozen=True, slots=True)
class Supposing(Parameters):
    """How many reasons compete."""

    hypotheses: int


@dataclass(frozen=True, slots=True)
class Hypothesis:
    """Why it may be said: know, keep, company, do, push or courtesy; and how likely that is."""

    intent: Plain[str]
    score: Plain[float]


@dataclass(frozen=True, slots=True)
class Intents(Slot):
    """The likeliest reasons, best first; together they are 1."""

    hypotheses: Plain[tuple[Hypothesis, ...]] = ()
    of_groups: tuple[float, ...] = ()  # how much of each labelled group the message is

    def said(self) -> str:
        """The reasons and how likely each is."""
        return "meant to " + ", ".join(f"{h.intent} {h.score:.2f}" for h in self.hypotheses)

    @property
    def top(self) -> str:
        """The likeliest reason; empty when nobody spoke."""
        return self.hypotheses[0].intent if self.hypotheses else ""


@step()
async def intent_hypotheses(
    stimulus: Stimulus, ingested: Ingested, surface: Surface, recall: Recall, supposing: Supposing
) -> Intents:
    """Why it is said: three competing reasons, by its nearness to labelled sentences and its words."""
    if stimulus.goal is not None:
        raise Skip("nobody spoke")
    text = whole(ingested, surface)
    mixed = weighed(shares(recall.meaning(text)), text, surface.modality)
    return Intents(hypotheses=competing(mixed, supposing.hypotheses), of_groups=mixed)


def weighed(near: Sequence[float], text: str, modality: str) -> tuple[float, ...]:
    """How much of each group a message is, once its kind and its words are counted in."""
    speak = [likelier(modality), *(likelier(name) for name in SAYING if marked(name, text))]
    raised = []
    for share, group in zip(near, groups(), strict=True):
        for by in speak:
            share *= by.get(group.intent, 1.0)
        raised.append(share)
    return tuple(share / sum(raised) for share in raised)


def competing(mixed: Sequence[float], many: int) -> tuple[Hypothesis, ...]:
    """The likeliest reasons of all groups, best first, as parts of 1."""
    found: dict[str, float] = {}
    for share, group in zip(mixed, groups(), strict=True):
        found[group.intent] = found.get(group.intent, 0.0) + share
    best = sorted(found.items(), key=lambda one: -one[1])[:many]
    whole = sum(score for _, score in best)
    return tuple(Hypothesis(intent, score / whole) for intent, score in best)
