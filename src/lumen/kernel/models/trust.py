"""What a model may be trusted with, by measurement: a set of questions, what came of them, and a rule.

Questions and rule are in trust.toml; they are asked with the shipped templates. What came of them is kept
by the hash of a model's file or, where it is served elsewhere, by its name, in a file of the host.
"""

from __future__ import annotations

import os
import re
import tomllib
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from functools import cache
from math import ceil
from pathlib import Path
from typing import Any

from lumen.core.canon import JSON, dumps, loads, sha256
from lumen.core.clock import stamp
from lumen.core.errors import MindError
from lumen.core.exclusive import exclusive
from lumen.core.trust import FULL, Ability, Trust
from lumen.core.untrusted import Untrusted
from lumen.kernel.language.lexicon import lexicon
from lumen.kernel.language.pronouns import addressed
from lumen.kernel.language.reading import WORD, language
from lumen.kernel.language.relatives import told_of_another
from lumen.kernel.models.calls import Calls
from lumen.mind.roles import Assignment
from lumen.mind.substrate import ModelDescriptor

SET = Path(__file__).with_name("trust.toml")
SHIPPED = Path(__file__).with_name("measured.json")  # of models of the catalogue; may be missing
SECONDS = 120.0  # that measuring may take when a model is set
NAME, AUTHOR_NAME = "Lumen", "Ada"
# An eighth of the room there is: what is not small may say eight times as much.
WORDS, VALUE = 4, 8
DEV, HELD = "dev", "held"
LEAST_NEW = 2  # words that a reply which must be new has of its own

Scores = Mapping[str, tuple[int, int]]


@dataclass(frozen=True, slots=True)
class Case:
    """One question, and what its answer must and must not hold."""

    of: str
    half: str = HELD
    message: str = ""
    facts: Sequence[str] = ()
    note: str = ""
    value: Mapping[str, str | int] = field(default_factory=dict)
    says: str = ""
    never: str = ""
    language: str = ""
    anew: bool = False

    def passed(self, answer: str) -> bool:
        """Whether an answer in words will do; what stood in the prompt for another question will not."""
        says = _told()["refuses"] if self.of == "refusal" else self.says
        context = sum(map(len, self.facts))
        return (
            bool(re.search(says, answer, re.I))
            and not (self.never and re.search(self.never, answer, re.I))
            and self.language in ("", language(answer))
            and (self.of != "fact" or len(answer) < context)
            and (not self.anew or len(_words(answer) - _words(self.message)) >= LEAST_NEW)
        )


@dataclass(frozen=True, slots=True)
class TrustAnswer:
    """A question, what was answered, and whether that will do."""

    of: str
    half: str
    question: str
    answer: str
    passed: bool


@dataclass(frozen=True, slots=True)
class TrustMeasure:
    """What a model was found to be able to do; scores are passed and asked, by what it is about.

    `scores` are of the questions held back, and decide; `dev` are of those that templates were tried with.
    """

    model: str
    key: str
    may: Trust
    scores: Scores
    dev: Scores
    whole: bool  # no question is left that could change the class
    at: str
    cases: str  # the hash of what was asked


@cache
def _told() -> dict[str, Any]:
    return tomllib.loads(SET.read_text("utf-8"))


@cache
def cases() -> tuple[Case, ...]:
    """The set."""
    return tuple(Case(**one) for one in _told()["case"])


@cache
def needs() -> dict[Ability, tuple[str, ...]]:
    """What each ability rests on."""
    return {Ability(name): tuple(abouts) for name, abouts in _told()["needs"].items()}


def may(scores: Scores) -> Trust:
    """The class that scores make: an ability is there when enough of all it rests on was passed."""

    def enough(about: str) -> bool:
        passed, asked = scores.get(about, (0, 1))
        return passed >= _least(asked)

    return tuple(ability for ability in FULL if all(map(enough, needs()[ability])))


def _words(text: str) -> set[str]:
    return {word.lower() for word in WORD.findall(text)}


@dataclass(slots=True)
class _Exam:
    """What was answered so far, and what is still worth asking."""

    asked: list[TrustAnswer] = field(default_factory=list)

    def passed(self, half: str) -> Counter[str]:
        return Counter(one.of for one in self.asked if one.passed and one.half == half)

    def scores(self, half: str) -> dict[str, tuple[int, int]]:
        """Of all questions of a half; those not asked are not passed."""
        if not any(one.half == half for one in self.asked) and half == DEV:
            return {}
        wanted, passed = Counter(c.of for c in cases() if c.half == half), self.passed(half)
        return {about: (passed[about], many) for about, many in wanted.items()}

    def failed(self, about: str) -> bool:
        """Whether too few can be passed, however the rest is answered."""
        wrong = sum(1 for o in self.asked if o.of == about and o.half == HELD and not o.passed)
        many = _wanted(about)
        return wrong > many - _least(many)

    def open(self, about: str) -> bool:
        """Whether an answer about this could still change the class."""
        if self.failed(about) or self.passed(HELD)[about] >= _least(_wanted(about)):
            return False
        resting = (abouts for abouts in needs().values() if about in abouts)
        return any(not any(map(self.failed, abouts)) for abouts in resting)


def _wanted(about: str) -> int:
    return sum(1 for case in cases() if case.of == about and case.half == HELD)


def _least(asked: int) -> int:
    share: float = _told()["enough"]
    return ceil(share * asked)


async def measure(
    calls: Calls,
    assignment: Assignment,
    digest: str,
    *,
    seconds: float | None = None,
    tell: Callable[[TrustAnswer], None] = lambda _: None,
) -> TrustMeasure:
    """Ask a model the whole set; with a limit in seconds, of those held back what decides its class.

    What was not asked when time is up counts as failed.

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
    began, exam = calls.clock.tick(), _Exam()
    for case in cases():
        if seconds is not None:
            if calls.clock.tick() - began > seconds:
                break
            if case.half == DEV or not exam.open(case.of):
                continue
        exam.asked.append(await _answered(own, assignment.role, case))
        tell(exam.asked[-1])
    return _result(model, exam, stamp(calls.clock.now()), quick=seconds is not None)


def _result(model: ModelDescriptor, exam: _Exam, at: str, *, quick: bool) -> TrustMeasure:
    scores = exam.scores(HELD)
    return TrustMeasure(
        model=str(model),
        key=model.key,
        may=may(scores),
        scores=scores,
        dev=exam.scores(DEV),
        whole=not quick or not any(map(exam.open, scores)),
        at=at,
        cases=sha256(SET.read_bytes()),
    )


async def _answered(calls: Calls, role: str, case: Case) -> TrustAnswer:
    try:
        if case.value:
            value = await _value(calls, role, case)
            so = {key: str(one).casefold() for key, one in value.items()}
            passed = so == {key: str(one).casefold() for key, one in case.value.items()}
            return TrustAnswer(case.of, case.half, case.note, dumps(value).decode(), passed)
        answer, copied = await _reply(calls, role, case)
        passed = case.passed(answer) and not copied
        return TrustAnswer(case.of, case.half, case.message, answer, passed)
    except MindError as error:
        if not error.worked:
            raise
        # it answered, and not with what was asked for
        return TrustAnswer(case.of, case.half, case.message or case.note, "", passed=False)


async def _reply(calls: Calls, role: str, case: Case) -> tuple[str, bool]:
    """What is said, and whether an example says it."""
    slots: dict[str, JSON] = {
        "name": NAME,
        "author_name": AUTHOR_NAME,
        "kind": "statement" if case.anew else "question",
        "personal": lexicon().has("first_person", case.message) and not case.anew,
        "guest": False,
        "language": case.language or "en",
        "depth": "talk",
        "meant": "",
        "way": "",
        "paragraphs": 2,
        "preface": {},
        "thought": 0,
        "message": case.message,
        "facts": list(case.facts),
        "recent": [],
    }
    _, answer = await calls.ask(role, "drafts", slots, WORDS)
    notes = [fact.partition(": ")[2] for fact in case.facts]
    if told_of_another(answer.text, case.message, notes):  # as in a conversation
        return lexicon().phrase("untold", case.language or "en"), False
    return addressed(answer.text, case.facts, case.message), answer.copied


async def _value(calls: Calls, role: str, case: Case) -> dict[str, Any]:
    from lumen.kernel.models.outputs import Stated

    slots = {"note": Untrusted(case.note, "note")}
    return (await calls.ask_for(Stated, role, "trust", slots, VALUE)).model_dump()


def load(path: Path) -> dict[str, TrustMeasure]:
    """What was measured on this host, by key; a file that cannot be read is as good as none."""
    try:
        told = loads(path.read_bytes())
        return {key: _measured(key, one) for key, one in told.items()}
    except (OSError, ValueError, TypeError, KeyError, AttributeError):
        return {}


def _measured(key: str, told: Mapping[str, Any]) -> TrustMeasure:
    scores, dev = (
        {str(about): (int(p), int(n)) for about, (p, n) in told[half].items()}
        for half in ("scores", "dev")
    )
    return TrustMeasure(
        model=str(told["model"]),
        key=key,
        may=may(scores),
        scores=scores,
        dev=dev,
        whole=told["whole"] is True,
        at=str(told["at"]),
        cases=str(told["cases"]),
    )


def known(path: Path, shipped: Path = SHIPPED) -> dict[str, TrustMeasure]:
    """What was measured, by key: on this host, and else where the catalogue was made."""
    return {**load(shipped), **load(path)}


def trusted(path: Path) -> dict[str, Trust]:
    """What each measured model may be asked for, by key."""
    return {key: one.may for key, one in known(path).items()}


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
