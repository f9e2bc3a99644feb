"""What a model may be trusted with, by measurement: a set of questions, what came of them, and a rule.

The questions are in trust.toml and are asked with the shipped templates. What came of them is kept by
the hash of a model's file or, where it is served elsewhere, by its name, in a file of the host.
"""

from __future__ import annotations

import os
import re
import tomllib
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from functools import cache
from pathlib import Path
from typing import Any

from lumen.core.canon import dumps, loads, sha256
from lumen.core.clock import stamp
from lumen.core.errors import MindError
from lumen.core.exclusive import exclusive
from lumen.core.trust import FULL, Ability, Trust
from lumen.kernel.language.pronouns import addressed
from lumen.kernel.language.questions import language
from lumen.kernel.models.calls import Calls
from lumen.mind.roles import Assignment
from lumen.mind.substrate import ModelDescriptor

SET = Path(__file__).with_name("trust.toml")
ENOUGH = 0.75  # of the questions about a thing
SECONDS = 120.0  # that measuring may take when a model is set
NAME, AUTHOR_NAME = "Lumen", "Ada"
# An eighth of the room there is: what is not small may say eight times as much.
WORDS, VALUE, PROPOSALS = 8, 10, 30
# What each ability rests on.
NEEDS: Mapping[Ability, tuple[str, ...]] = {
    Ability.PHRASE: (),
    Ability.WORLD: ("fact", "refusal", "language", "leak"),
    Ability.JSON: ("json",),
    Ability.REFLECT: ("json", "fact", "refusal"),
    Ability.SKILLS: ("json", "format"),
}


@dataclass(frozen=True, slots=True)
class Case:
    """One question, and what its answer must and must not hold."""

    of: str
    message: str = ""
    facts: Sequence[str] = ()
    recent: Sequence[Mapping[str, str]] = ()
    step: str = "drafts"
    slots: Mapping[str, Any] = field(default_factory=dict)
    says: str = ""
    never: str = ""
    language: str = ""

    def passed(self, answer: str) -> bool:
        """Whether an answer will do."""
        return (
            bool(answer.strip())
            and bool(re.search(self.says, answer, re.I))
            and not (self.never and re.search(self.never, answer, re.I))
            and self.language in ("", language(answer))
        )


@dataclass(frozen=True, slots=True)
class TrustAnswer:
    """A question, what was answered, and whether that will do."""

    of: str
    question: str
    answer: str
    passed: bool


@dataclass(frozen=True, slots=True)
class TrustMeasure:
    """What a model was found to be able to do; `scores` are passed and asked, by what it is about."""

    model: str
    key: str
    may: Trust
    scores: Mapping[str, tuple[int, int]]
    whole: bool  # all was asked; what was not counts as not passed
    at: str
    cases: str  # the hash of what was asked


@cache
def cases() -> tuple[Case, ...]:
    """The set."""
    told: list[dict[str, Any]] = tomllib.loads(SET.read_text("utf-8"))["case"]
    return tuple(Case(**one) for one in told)


def may(scores: Mapping[str, tuple[int, int]]) -> Trust:
    """The class that scores make: an ability is there when enough of all it rests on was passed."""

    def enough(about: str) -> bool:
        passed, asked = scores.get(about, (0, 1))
        return passed >= ENOUGH * asked

    return tuple(ability for ability in FULL if all(map(enough, NEEDS[ability])))


async def measure(
    calls: Calls,
    assignment: Assignment,
    digest: str,
    *,
    seconds: float | None = None,
    tell: Callable[[TrustAnswer], None] = lambda _: None,
) -> TrustMeasure:
    """Ask a model everything in the set; what it was not asked when time is up counts as failed.

    Raises:
        MindError: it cannot be asked at all.
    """
    model = await calls.reach.substrate(assignment.substrate).describe(assignment.model_id)
    trusting = replace(
        calls.reach,
        assignments={assignment.role: assignment},
        trusted={model.key: FULL},
        folders=calls.reach.folders[-1:],  # a being's own templates say nothing of the model
    )
    own = replace(calls, reach=trusting, digest=digest, away=None)
    began = calls.clock.tick()
    asked: list[TrustAnswer] = []
    for case in cases():
        if seconds is not None and calls.clock.tick() - began > seconds:
            break
        answer = await _answer(own, assignment.role, case)
        asked.append(TrustAnswer(case.of, case.message or case.step, answer, case.passed(answer)))
        tell(asked[-1])
    return _result(model, asked, stamp(calls.clock.now()))


def _result(model: ModelDescriptor, asked: Sequence[TrustAnswer], at: str) -> TrustMeasure:
    wanted = Counter(case.of for case in cases())
    passed = Counter(one.of for one in asked if one.passed)
    scores = {about: (passed[about], many) for about, many in wanted.items()}
    whole = len(asked) == len(cases())
    return TrustMeasure(
        str(model), model.key, may(scores), scores, whole, at, sha256(SET.read_bytes())
    )


async def _answer(calls: Calls, role: str, case: Case) -> str:
    from lumen.kernel.models import outputs

    try:
        if case.step == "drafts":
            slots = {
                "name": NAME,
                "author_name": AUTHOR_NAME,
                "kind": "statement" if case.of == "language" else "question",
                "message": case.message,
                "facts": list(case.facts),
                "recent": list(case.recent),
            }
            _, answer = await calls.ask(role, case.step, slots, WORDS)
            return addressed(answer.text, case.facts)
        types: dict[str, type[outputs.Output]] = {
            "decide": outputs.Verdict,
            "explore": outputs.Question,
            "record": outputs.Told,
            "think": outputs.Thoughts,
        }
        room = PROPOSALS if case.step == "think" else VALUE
        value = await calls.ask_for(types[case.step], role, case.step, case.slots, room)
        return value.model_dump_json()
    except MindError as error:
        if not error.worked:
            raise
        return ""  # it answered, and not with what was asked for


def load(path: Path) -> dict[str, TrustMeasure]:
    """What was measured on this host, by key; a file that cannot be read is as good as none."""
    try:
        told = loads(path.read_bytes())
        return {key: _measured(key, one) for key, one in told.items()}
    except (OSError, ValueError, TypeError, KeyError, AttributeError):
        return {}


def _measured(key: str, told: Mapping[str, Any]) -> TrustMeasure:
    scores = {str(about): (int(p), int(n)) for about, (p, n) in told["scores"].items()}
    return TrustMeasure(
        model=str(told["model"]),
        key=key,
        may=may(scores),
        scores=scores,
        whole=told["whole"] is True,
        at=str(told["at"]),
        cases=str(told["cases"]),
    )


def trusted(path: Path) -> dict[str, Trust]:
    """What each measured model may be asked for, by key."""
    return {key: one.may for key, one in load(path).items()}


def is_current(found: TrustMeasure | None) -> bool:
    """Whether it was measured, by all of what is asked now."""
    return found is not None and found.whole and found.cases == sha256(SET.read_bytes())


def keep(path: Path, found: TrustMeasure) -> None:
    """Note what was measured, in the place of what was before."""
    with exclusive(path):
        told = {key: asdict(one) for key, one in load(path).items()}
        beside = path.with_suffix(f".{os.getpid()}.new")
        beside.write_bytes(dumps({**told, found.key: asdict(found)}))
        beside.replace(path)
