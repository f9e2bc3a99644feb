"""How sure it is that something the author stated answers a question: a law over its words and vectors.

What is found is the ranking's to say (fusion.py); this says what of it may be told as certain. The
cosine of sentence vectors, plus how much of the question's rare words the passage holds (exactly, and by the
nearness of single words), plus whether it plainly holds the kind of answer asked for. A cosine alone says nothing
of that: where fewer than half of the words are met, it is no answer, however near it is.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from lumen.core.data import NearPassage
from lumen.kernel.language.answer_kinds import asking_words, plainly_fits, sort_asked
from lumen.kernel.language.followups import exchanges_in, restated
from lumen.kernel.language.lexicon import AnswerKind, lexicon
from lumen.kernel.language.passages import Rows
from lumen.kernel.language.reading import apostrophes, asks_for, fits, names, stem, words
from lumen.kernel.recall.fusion import RankedMemory
from lumen.kernel.recall.lanes import CHANGES
from lumen.kernel.recall.learning import SPOKEN_OF, STATED, WEIGHED, Lessons
from lumen.kernel.recall.ranking import Ranking, ranking_for

LOOKED_AT = 8  # passages of a memory: those nearest in meaning


@dataclass(frozen=True, slots=True)
class EvidenceVerdict:
    """How well a memory answers, whether it is of the kind asked for, and where in it that stands."""

    score: float
    fits: bool | None
    start: int
    stop: int
    cosine: float  # of its nearest passage
    wrong_kind: bool  # nothing in it is of the kind asked for
    near: float  # the cosine of the passage that the score is of
    of_kind: bool | None  # the kind asked for is plainly there, or not; None: no kind is asked for


@dataclass(frozen=True, slots=True)
class SoughtWords:
    """A question as the law looks at it."""

    question: str
    asked: list[str]
    stems: frozenset[str]
    named: set[str]
    kind: AnswerKind | None
    asking: frozenset[str]  # words that only ask for that kind
    sort: str  # the word that says what sort of thing is asked for, where that is of no kind
    rarity: Rows  # how much each word tells, summing to 1
    law: Ranking


def sought(question: str, lessons: Lessons) -> SoughtWords:
    """What of a question is looked for: rare words tell more."""
    asked, memories = words(question), lessons.index.memories
    total, many = max(1, memories.many_texts()), memories.frequencies(asked)
    weights = [math.log(1 + total / (0.5 + many.get(w, 0))) for w in asked]
    rarity = np.array(weights, np.float32) / np.float32(max(sum(weights), 1e-6))
    kind = asks_for(question)
    return SoughtWords(
        question=question,
        asked=asked,
        stems=frozenset(map(stem, asked)),
        named=names(question),
        kind=kind,
        asking=frozenset(asking_words(kind, question)),
        sort="" if kind else sort_asked(question),
        rarity=rarity,
        law=ranking_for(lessons.embedder.id),
    )


def verdicts(
    sought: SoughtWords, found: Sequence[RankedMemory], lessons: Lessons
) -> list[EvidenceVerdict | None]:
    """What each memory comes to; nothing for one in which nothing is stated."""
    stated = [_stated(one) for one in found]
    texts = [
        [_of_whom(one, p, lessons) for p in some] for one, some in zip(found, stated, strict=True)
    ]
    held = [[words(text) for text in some] for some in texts]
    lessons.know([*sought.asked, *(w for some in held for each in some for w in each)])
    return [
        _verdict(sought, one, some, [*zip(said, of, strict=True)], lessons)
        for one, some, said, of in zip(found, stated, texts, held, strict=True)
    ]


def _of_whom(one: RankedMemory, passage: NearPassage, lessons: Lessons) -> str:
    """A passage, with whom the author had just told of in place of "she": "shes 84" tells of nan's age."""
    told = one.memory.text[passage.start : passage.stop][:WEIGHED]
    plain = apostrophes(told)
    if not lexicon().has("refers", plain.replace("'", " ")):
        return told
    before = exchanges_in(lessons.index.memories.exchanges(one.memory.seq, SPOKEN_OF))
    return restated(plain, before) or told


def _stated(one: RankedMemory) -> list[NearPassage]:
    """The passages that may answer, as far as they are near; of one that revises, those that do."""
    stated = [p for p in one.passages if p.marks & STATED]
    stated.sort(key=lambda p: -p.cosine)
    return stated[:LOOKED_AT]


def _verdict(
    sought: SoughtWords,
    one: RankedMemory,
    passages: Sequence[NearPassage],
    texts: Sequence[tuple[str, list[str]]],
    lessons: Lessons,
) -> EvidenceVerdict | None:
    if not passages:
        return None
    scored = [_score(sought, text, held, lessons) for text, held in texts]
    every = [(p.cosine + s.added, s.answers, p) for p, s in zip(passages, scored, strict=True)]
    wrong_kind = all(fits(sought.kind, text, sought.question) is False for text, _ in texts)
    at = max(range(len(every)), key=lambda n: every[n][0])
    best = every[at]
    whole = (0, len(one.memory.text))
    parts = [each for each in every if (each[2].start, each[2].stop) != whole]
    changing = [each for each in parts if one.replaces and each[2].marks & CHANGES]
    meant = [each for each in parts if each[1] is not False]  # a name alone answers nothing
    spot = max(changing or meant or parts or [best], key=lambda each: each[0])[2]
    nearest = max(p.cosine for p in passages)
    return EvidenceVerdict(
        score=best[0],
        fits=best[1],
        start=spot.start,
        stop=spot.stop,
        cosine=nearest,
        wrong_kind=wrong_kind,
        near=best[2].cosine,
        of_kind=scored[at].of_kind,
    )


@dataclass(frozen=True, slots=True)
class _Score:
    added: float  # to the cosine of a passage
    answers: (
        bool | None
    )  # it holds the kind of answer asked for, and speaks of half of what is asked about
    of_kind: bool | None


def _score(sought: SoughtWords, text: str, held: list[str], lessons: Lessons) -> _Score:
    """What is added to the cosine of a passage, and whether it holds the kind of answer asked for."""
    asked, kind, law = sought.asked, sought.kind, sought.law
    there = fits(kind, text, sought.question)
    vague = bool(there and kind and not plainly_fits(kind, text, sought.question))
    of_kind = False if vague else there
    added = 0.0 if vague or there is None else (law.kind if there else -law.kind)
    stems = {stem(w) for w in held}
    if len(stems - sought.stems) < 2:
        added -= law.thin
    if not (asked and held):
        return _Score(added, of_kind, of_kind)
    exact = np.array([stem(w) in stems for w in asked], dtype=np.float32)
    likeness = lessons.rows_of(asked) @ lessons.rows_of(held).T
    near = np.maximum(likeness.max(axis=1), exact)  # the same word in another case is met
    soft = np.clip((near - law.near_from) / (1 - law.near_from), 0, 1)
    added += float((law.exact * exact + law.near * soft) @ sought.rarity)
    if sought.sort in asked and _apart(likeness, asked.index(sought.sort)) < law.of_sort:
        of_kind = False  # "Which hospital" is answered by none where only the month is told
    return _Score(added, of_kind if _is_met(sought, near) else False, of_kind)


def _apart(likeness: Rows, word: int) -> float:
    """How near the nearest is to a word, of those that no other word of the question has: each is met by one."""
    left, found = likeness.copy(), 0.0
    for _ in range(min(left.shape)):
        row, column = np.unravel_index(left.argmax(), left.shape)
        if row == word:
            return float(left[row, column])
        left[row], left[:, column] = -np.inf, -np.inf
    return found


def _is_met(sought: SoughtWords, best: Rows) -> bool:
    """Whether half of what was asked about is spoken of: a shared name alone answers nothing,
    and the words that only ask for a kind of answer are not looked for.
    """
    every = zip(sought.asked, best, strict=True)
    plain = [(w, float(n)) for w, n in every if w not in sought.named]
    about = [n for w, n in plain if w not in sought.asking] or [n for _, n in plain]
    return sum(n >= sought.law.met for n in about) * 2 >= len(about)
