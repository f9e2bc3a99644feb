"""What a candidate has to show for a question: plain numbers without a unit, so that one set of weights
serves a memory of any size. Read from the candidate, its two neighbours and its session, and nothing else.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from datetime import date
from functools import cache

import numpy as np
from numpy.typing import NDArray

from lumen.core.data import Memory
from lumen.kernel.language.asking import AskedDate, Asking, TextShape, unpacked
from lumen.kernel.language.passages import Rows
from lumen.kernel.recall.columns import Numbers, places
from lumen.kernel.recall.lanes import MARKS, SHAPES, Lane
from lumen.soul.ports.sessions import SessionCounts, TermFrequency, Totals, Utterances

Column = NDArray[np.float64]
K1, B = 1.2, 0.75
FAR_DAYS, BEFORE_DAYS = (
    10,
    3,
)  # how fast a day near the asked one stops counting, after and before it

AUTHORS = MARKS[Lane.STATED] | MARKS[Lane.ASKED]
ECHO_FROM = 0.75  # a question so near to the one asked asks the same, and answers nothing


@dataclass(frozen=True, slots=True)
class SoughtQuestion:
    """A question as ranking looks at it: its words, terms with their frequency, whom it names, its vector."""

    question: str
    content: Sequence[str]
    asking: Asking
    terms: Mapping[str, TermFrequency]
    totals: Totals
    named: frozenset[str]
    vector: Rows


@dataclass(frozen=True, slots=True)
class LearntRows:
    """The vectors of memories, passage by passage; what is not learnt yet has none."""

    numbers: Numbers  # of the passages
    seqs: Numbers  # of the memories
    rows: Rows
    starts: Numbers  # where the passages of each memory begin
    cosines: Rows  # of each passage with the question
    external: bool = False  # an external embedder's, which has no vectors here

    def best(self) -> Column:
        """How near the nearest passage of each memory is; a nought behind them, for none."""
        if not len(self.starts):
            return np.zeros(1)
        return np.append(np.maximum.reduceat(self.cosines, self.starts), 0.0)

    def near_as_a_whole(self, whole: Rows, vector: Rows) -> Column:
        """How near each memory as a whole is: by its vector, or by the mean of what another says."""
        if not self.external:
            near: Column = np.vecdot(whole, vector).astype(float)
            return near
        counts = np.diff([*self.starts, len(self.rows)])
        return np.append(np.add.reduceat(self.cosines, self.starts) / counts, 0.0)

    def whole(self, size: int) -> Rows:
        """Each memory as one vector; a nought behind them, for none."""
        if not len(self.starts):
            return np.zeros((1, size), np.float32)
        sums = self.rows
        if len(self.starts) < len(self.rows):
            sums = np.add.reduceat(self.rows, self.starts)
        every = np.zeros((len(sums) + 1, size), np.float32)
        norms = np.maximum(np.linalg.norm(sums, axis=1, keepdims=True), 1e-9)
        np.divide(sums, norms, out=every[:-1])
        return every


@dataclass(frozen=True, slots=True)
class CandidateSet:
    """The candidates, and of them and their neighbours what the features are made of."""

    said: Utterances
    own: Numbers  # where the candidates are in it
    sides: tuple[Numbers, Numbers, Numbers]  # and what was said before and after each; -1: nothing
    talks: SessionCounts
    talk: Numbers  # where the session of each candidate is
    totals: Totals
    memories: Mapping[int, Memory]  # those that had to be read for it
    weights: Column  # of the candidates, in millionths
    shapes: Numbers  # of all
    lanes: Numbers  # of the candidates, as marks
    vectors: LearntRows


def idf(frequency: Column, total: int) -> Column:
    """How much a term tells that is in so many of all."""
    rarity: Column = np.log1p((total - frequency + 0.5).clip(0.0) / (frequency + 0.5))
    return rarity


def bm25(
    counts: Column | Numbers, rarity: Column, lengths: Column | Numbers, mean: float
) -> Column:
    """BM25 of texts by how often each holds each term."""
    norm = K1 * (1 - B + B * lengths / max(mean, 1e-9))
    score: Column = (rarity * counts * (K1 + 1) / (counts + norm[:, None])).sum(1)
    return score


def counted(said: Utterances, terms: Sequence[str]) -> tuple[Column, Column]:
    """How often each text holds each term, and how long it is; a nought behind them, for none.

    All texts are looked through at once, as one string: text by text it takes longer than all else.
    """
    every, ends = "".join(said.terms), np.cumsum([*map(len, said.terms)])
    counts = np.zeros((len(said.terms) + 1, len(terms)))
    for column, term in enumerate(terms):
        at = np.searchsorted(ends, _found(every, f" {term} "), side="right")
        counts[:, column] = np.bincount(at, minlength=len(counts))
    return counts, np.append(said.lengths, 0).astype(float)


def window(said: Utterances, terms: Sequence[str]) -> tuple[Column, Column]:
    """How often each text and its neighbours hold each term, and how long they are together."""
    counts, long = counted(said, terms)
    before, after = (places(said.seqs, some) for some in (said.previous, said.following))
    return counts[:-1] + counts[before] + counts[after], long[:-1] + long[before] + long[after]


def _found(text: str, sought: str) -> NDArray[np.int64]:
    places, at = [], text.find(sought)
    while at >= 0:
        places.append(at)
        at = text.find(sought, at + len(sought))
    return np.array(places, np.int64)


def features(asked: SoughtQuestion, found: CandidateSet) -> dict[str, Column]:
    """Each candidate's features, by name."""
    words, shaped = _of_words(asked, found), _of_shape(asked, found)
    meaning = _of_meaning(asked, found)
    cos = meaning["cos"]
    both = {
        "bm25_cos": words["bm25"] * cos,
        "echo": shaped["ends_asking"] * ((cos - ECHO_FROM) / (1 - ECHO_FROM)).clip(0.0),
    }
    who, dates = _of_speakers(asked, found, cos), _of_dates(asked.asking.dates, found)
    return words | meaning | both | who | dates | shaped


def _of_words(asked: SoughtQuestion, found: CandidateSet) -> dict[str, Column]:
    rare = idf(np.array([f.memories for f in asked.terms.values()], float), found.totals.texts)
    total, mean = max(float(rare.sum()), 1e-9), mean_length(found.totals)
    counts, lengths = counted(found.said, [*asked.terms])
    own, first, last = (counts[at] for at in found.sides)
    long = [lengths[at] for at in found.sides]
    window = own + first + last
    b = bm25(own, rare, long[0], mean) / total
    w = bm25(window, rare, long[0] + long[1] + long[2], 3 * mean) / total
    s_rare = idf(np.array([f.sessions for f in asked.terms.values()], float), found.totals.sessions)
    s_total, at = max(float(s_rare.sum()), 1e-9), found.talk
    said, s_mean = found.talks.counts, found.totals.length / max(found.totals.sessions, 1)
    s = bm25(said, s_rare, found.talks.lengths, s_mean) / s_total
    return {
        "bm25": b,
        "bm25_root": np.sqrt(b),
        "bm25_top": _top(b),
        "bm25_win": w,
        "bm25_win_root": np.sqrt(w),
        "bm25_sess": s[at],
        "bm25_sess_root": np.sqrt(s)[at],
        "bm25_sess_top": s[at] / max(float(s[at].max()), 1e-9),
        "bm25_prev": bm25(first, rare, long[1], mean) / total,
        "bm25_next": bm25(last, rare, long[2], mean) / total,
        "cov": ((own > 0) * rare).sum(1) / total,
        "cov_win": ((window > 0) * rare).sum(1) / total,
        "cov_sess": (((said > 0) * s_rare).sum(1) / s_total)[at],
    }


def _of_meaning(asked: SoughtQuestion, found: CandidateSet) -> dict[str, Column]:
    best, whole = found.vectors.best(), found.vectors.whole(len(asked.vector))
    learnt = np.append(places(found.vectors.seqs, found.said.seqs), -1)
    own, first, last = (learnt[at] for at in found.sides)
    window = whole[own] + np.float32(0.5) * (whole[first] + whole[last])
    norms = np.maximum(np.linalg.norm(window, axis=1, keepdims=True), 1e-9)
    cos, previous = best[own], best[first]
    cos_win = np.vecdot(window / norms, asked.vector).astype(float)
    asks = np.append(_shapes()["ends_asking"][found.shapes], 0.0)
    talk, talks = found.talk, np.full(len(found.talks.numbers), -1.0)
    np.maximum.at(talks, talk, cos)
    return {
        "cos": cos,
        "cos_z": _far(cos),
        "cos_top": cos - cos.max(),
        "cos_mean": found.vectors.near_as_a_whole(whole, asked.vector)[own],
        "cos_win": cos_win,
        "cos_win_z": _far(cos_win),
        "cos_prev": previous,
        "cos_next": best[last],
        "cos_answered": previous * asks[found.sides[1]],
        "cos_sess": talks[talk],
    }


def _of_speakers(asked: SoughtQuestion, found: CandidateSet, cos: Column) -> dict[str, Column]:
    named, asking = asked.named, asked.asking
    spoke = np.zeros(len(found.own))
    if named:
        who = {s: not named.isdisjoint(s.split()) for s in {*found.said.speakers}}
        spoke += [who[found.said.speakers[n]] for n in found.own]
    own = (found.lanes == MARKS[Lane.SAID]).astype(float)
    authors = ((found.lanes & AUTHORS) > 0).astype(float)
    return {
        "speaker": spoke,
        "other": (1 - spoke) * bool(named),
        "speaker_cos": spoke * cos,
        "partner": found.talks.spoke[found.talk] / max(len(named), 1),
        "self": own,
        "mine": authors * (asking.mine and not asking.yours),
        "yours": own * asking.yours,
    }


def _of_dates(dates: Sequence[AskedDate], found: CandidateSet) -> dict[str, Column]:
    days, at = np.unique(found.said.days[found.own], return_inverse=True)
    table = np.zeros((len(days), 3))
    for row, day in zip(table, days.tolist() if dates else (), strict=False):
        row[:] = np.max([_dated(asked, day) for asked in dates], axis=0)
    return dict(zip(("date_month", "date_day", "date_near"), table[at].T, strict=True))


def _dated(asked: AskedDate, day: int) -> tuple[float, float, float]:
    """Whether a day is in the asked month, is the asked day, and how near it is to that."""
    then = date.fromordinal(day)
    same = then.month == asked.month
    middle = date(asked.year or then.year, asked.month, min(asked.day or 15, 28)).toordinal()
    late = day - (middle + max(0, asked.day - 28))
    near = math.exp(-abs(late) / (BEFORE_DAYS if asked.day and late < 0 else FAR_DAYS))
    in_month = same and (not asked.year or then.year == asked.year)
    return float(in_month), float(bool(asked.day) and same and then.day == asked.day), near


def _of_shape(asked: SoughtQuestion, found: CandidateSet) -> dict[str, Column]:
    long, asking = np.log1p(found.said.lengths[found.own].astype(float)), asked.asking
    each = {name: column[found.shapes[found.own]] for name, column in _shapes().items()}
    capitals = each["capitals"]
    return {
        "length": long,
        "length2": long * long,
        "asks": each["asks"],
        "ends_asking": each["ends_asking"],
        "first_person": each["first_person"],
        "when_time": each["time"] * asking.when,
        "when_sure": each["sure_time"] * asking.when,
        "capitals": capitals,
        "who_capital": capitals * asking.who,
        "where_capital": capitals * asking.where,
    }


@cache
def _shapes() -> Mapping[str, Column]:
    """What a text of each shape there is has to offer, by name."""
    every = [unpacked(bits) for bits in range(SHAPES + 1)]
    names = [one.name for one in fields(TextShape)]
    return {name: np.array([float(getattr(one, name)) for one in every]) for name in names}


def mean_length(totals: Totals) -> float:
    """How long a memory is on average."""
    return totals.length / max(totals.utterances, 1)


def _top(column: Column) -> Column:
    return column / max(float(column.max()), 1e-9)


def _far(column: Column) -> Column:
    far: Column = (column - column.mean()) / (column.std() + 1e-6)
    return far
