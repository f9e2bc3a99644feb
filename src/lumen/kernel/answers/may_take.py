"""What is said where somebody asks whether they may eat, drink or take something: what was told of their health.

The being cannot judge it, and says so; whatever was told that may speak against it is quoted with its day.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from lumen.core.data import Memory
from lumen.kernel.answers.context import GROUNDED, AnswerContext, KernelAnswer
from lumen.kernel.language.lexicon import lexicon
from lumen.kernel.language.may_take import (
    AUTHOR,
    GROUP,
    SOMEONE,
    anchors,
    health_told,
    may_take,
    people_in,
    same_one,
    same_person,
)

MOST = 12  # statements that are quoted
LOOKED_BACK = 4  # statements in which a "she" is looked for
ELSE, MEDICINE = "else", "medicine"
LEADING = 0.02  # so much nearer must it come to something else before nothing of this is said


@dataclass(frozen=True, slots=True)
class HealthFact:
    """A sentence on somebody's health, and where it was told."""

    memory: Memory
    said: str


def may_take_answer(asking: AnswerContext) -> KernelAnswer:
    """That it cannot judge, what was told that may speak against it, and who can say; else it is left to recall."""
    wanted = may_take(asking.text)
    kind = _kind(asking) if wanted else ELSE
    if wanted is None or kind == ELSE:
        return KernelAnswer("", by=GROUNDED)
    facts = list(_facts(asking, wanted.who))[:MOST]
    ending = asking.phrase("may_take_medicine" if kind == MEDICINE else "may_take_food")
    if not facts:
        return KernelAnswer(f"{asking.phrase('may_take_untold')} {ending}", by=GROUNDED)
    lines = [
        asking.phrase(
            "closest_item", date=asking.day(asking.moment(f.memory.timestamp)), quote=f.said
        )
        for f in facts
    ]
    told = "\n".join([asking.phrase("may_take_mind"), *lines, ending])
    return KernelAnswer(told, tuple(dict.fromkeys(f.memory.seq for f in facts)), GROUNDED)


def _kind(asking: AnswerContext) -> str:
    """Whether a medicine, food or something else is asked for, by what the question means."""
    near = {
        kind: max(asking.recall.likeness(said, asking.text)) for kind, said in anchors().items()
    }
    other = near.pop(ELSE)
    best = max(near, key=lambda kind: near[kind])
    return ELSE if other > near[best] + LEADING else best


def _facts(asking: AnswerContext, who: str) -> Iterator[HealthFact]:
    """What was told of somebody's health, the newest first; who is meant by "she" is looked up before it."""
    told = _told(asking)
    meant = {who, *_also_called(who, told)}
    for n, memory in enumerate(told):
        for said, owners in health_told(memory.text):
            if SOMEONE in owners:
                owners = owners - {SOMEONE} | _before(told[n + 1 :]) or owners
            if (
                who == GROUP
                or any(same_person(one, owners) for one in meant)
                or (
                    who != AUTHOR
                    and (SOMEONE in owners or (who == SOMEONE and AUTHOR not in owners))
                )
            ):
                yield HealthFact(memory, said)


def _told(asking: AnswerContext) -> Sequence[Memory]:
    """All that was told lately, and of before what bears on health."""
    known = {m.seq: m for m in asking.recall.statements()}
    for question in (asking.text, lexicon().phrase("may_take_looked_up", asking.language)):
        for found in asking.recall.evidence(question):
            known.setdefault(found.memory.seq, found.memory)
    return sorted(known.values(), key=lambda m: -m.seq)


def _before(earlier: Sequence[Memory]) -> frozenset[str]:
    """Whom the statements just before one named last."""
    named = (people_in(m.text) for m in earlier[:LOOKED_BACK])
    return frozenset(next((people[-1:] for people in named if people), ()))


def _also_called(who: str, told: Sequence[Memory]) -> set[str]:
    """Other names of somebody: of the sister who was said to be called Lena, and the other way round."""
    if who in (AUTHOR, GROUP, SOMEONE):
        return set()
    pairs = (same_one(m.text) for m in told)
    return {one for pair in pairs if same_person(who, pair) for one in pair}
