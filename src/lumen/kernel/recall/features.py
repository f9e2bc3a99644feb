"""What a candidate has to show for a question: plain numbers without a unit, so that one set of weights
serves a memory of any size. Read from the candidate, its two neighbours and its session, and nothing else.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date

import numpy as np
from numpy.typing import NDArray

from lumen.core.data import Memory, NearPassage, Passage
from lumen.kernel.language.asking import AskedDate, Asking, TextShape
from lumen.kernel.language.passages import Rows
from lumen.kernel.recall.lanes import Lane
from lumen.soul.ports.sessions import Session, TermFrequency, Totals, Utterance

Column = NDArray[np.float64]
K1, B = 1.2, 0.75
FAR_DAYS, BEFORE_DAYS = (
    10,
    3,
)  # how fast a day near the asked one stops counting, after and before it

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

    passages: Sequence[Passage]
    places: Mapping[int, int]
    rows: Rows
    starts: Sequence[int]  # where the passages of each memory begin
    cosines: Rows  # of each passage with the question
    external: bool = False  # an external embedder's, which has no vectors here

    def best(self) -> Column:
        """How near the nearest passage of each memory is; a nought behind them, for none."""
        if not self.starts:
            return np.zeros(1)
        return np.append(np.maximum.reduceat(self.cosines, self.starts), 0.0)

    def near_as_a_whole(self, vector: Rows) -> Column:
        """How near each memory as a whole is: by its vector, or by the mean of what another says."""
        if not self.external:
            near: Column = np.vecdot(self.whole(len(vector)), vector).astype(float)
            return near
        counts = np.diff([*self.starts, len(self.passages)])
        return np.append(np.add.reduceat(self.cosines, self.starts) / counts, 0.0)

    def of(self, seq: int) -> list[NearPassage]:
        """The passages of a memory, each with its cosine."""
        place = self.places.get(seq)
        if place is None:
            return []
        stop = self.starts[place + 1] if place + 1 < len(self.starts) else len(self.passages)
        return [
            NearPassage(p.number, seq, p.start, p.stop, p.marks, float(self.cosines[n]))
            for n, p in enumerate(self.passages[self.starts[place] : stop], self.starts[place])
        ]

    def whole(self, size: int) -> Rows:
        """Each memory as one vector; a nought behind them, for none."""
        nothing = np.zeros((1, size), np.float32)
        if not self.starts:
            return nothing
        sums = self.rows.copy()
        if len(self.starts) < len(self.rows):
            sums = np.add.reduceat(self.rows, self.starts)
        sums /= np.maximum(np.linalg.norm(sums, axis=1, keepdims=True), 1e-9)
        return np.concatenate([sums, nothing])

    def at(self, rows: Sequence[Utterance | None]) -> list[int]:
        """Where each memory is; where there is none, the nought."""
        return [self.places.get(row.seq, -1) if row else -1 for row in rows]


@dataclass(frozen=True, slots=True)
class CandidateSet:
    """The candidates, and of them and their neighbours what the features are made of."""

    order: Sequence[Utterance]
    utterances: Mapping[int, Utterance]
    sessions: Mapping[int, Session]
    totals: Totals
    memories: Mapping[int, Memory]  # those that had to be read for it
    weights: Mapping[int, int]
    shapes: Mapping[int, TextShape]
    lanes: Mapping[int, Lane]
    vectors: LearntRows


def idf(frequency: Column, total: int) -> Column:
    """How much a term tells that is in so many of all."""
    rarity: Column = np.log1p((total - frequency + 0.5).clip(0.0) / (frequency + 0.5))
    return rarity


def bm25(counts: Column, rarity: Column, lengths: Column, mean: float) -> Column:
    """BM25 of texts by how often each holds each term."""
    norm = K1 * (1 - B + B * lengths / max(mean, 1e-9))
    score: Column = (rarity * counts * (K1 + 1) / (counts + norm[:, None])).sum(1)
    return score


@dataclass(frozen=True, slots=True)
class CountedTerms:
    """How often each of some texts holds each term, and how long it is; a nought behind them, for none."""

    places: Mapping[int, int]
    counts: Column
    lengths: Column

    def at(self, seqs: Sequence[int]) -> list[int]:
        """Where each text is; where there is none, the nought."""
        return [self.places.get(seq, -1) for seq in seqs]


def counted(texts: Sequence[Utterance], terms: Sequence[str]) -> CountedTerms:
    """Terms counted in all texts at once, as one string: text by text it takes longer than all else."""
    every, ends = "".join(u.terms for u in texts), np.cumsum([len(u.terms) for u in texts])
    counts = np.zeros((len(texts) + 1, len(terms)))
    for column, term in enumerate(terms):
        places = np.searchsorted(ends, _found(every, f" {term} "), side="right")
        counts[:, column] = np.bincount(places, minlength=len(texts) + 1)
    long = np.array([*(u.length for u in texts), 0], float)
    return CountedTerms({u.seq: n for n, u in enumerate(texts)}, counts, long)


def said_in(talks: Sequence[Session], terms: Sequence[str]) -> tuple[Column, Column]:
    """How often each term is said in each session, and how long the sessions are."""
    counts = np.array([t.counts.get(x, 0) for t in talks for x in terms], float)
    return counts.reshape(len(talks), len(terms)), np.array([t.length for t in talks], float)


def _found(text: str, sought: str) -> NDArray[np.int64]:
    places, at = [], text.find(sought)
    while at >= 0:
        places.append(at)
        at = text.find(sought, at + len(sought))
    return np.array(places, np.int64)


def features(asked: SoughtQuestion, found: CandidateSet) -> dict[str, Column]:
    """Each candidate's features, by name."""
    before = [found.utterances.get(u.previous) for u in found.order]
    after = [found.utterances.get(u.following) for u in found.order]
    words = _of_words(asked, found)
    meaning = _of_meaning(asked, found, before, after)
    cos, shaped = meaning["cos"], _of_shape(asked, found)
    both = {
        "bm25_cos": words["bm25"] * cos,
        "echo": shaped["ends_asking"] * ((cos - ECHO_FROM) / (1 - ECHO_FROM)).clip(0.0),
    }
    who, dates = _of_speakers(asked, found, cos), _of_dates(asked.asking.dates, found)
    return words | meaning | both | who | dates | shaped


def _of_words(asked: SoughtQuestion, found: CandidateSet) -> dict[str, Column]:
    terms = [*asked.terms]
    rare = idf(np.array([f.memories for f in asked.terms.values()], float), found.totals.texts)
    total, mean = max(float(rare.sum()), 1e-9), mean_length(found.totals)
    known = counted([*found.utterances.values()], terms)
    sides = [known.at(seqs) for seqs in _sides(found.order)]
    own, first, last = (known.counts[at] for at in sides)
    long = [known.lengths[at] for at in sides]
    window = own + first + last
    b = bm25(own, rare, long[0], mean) / total
    w = bm25(window, rare, long[0] + long[1] + long[2], 3 * mean) / total
    seen, at = np.unique([u.session for u in found.order], return_inverse=True)
    talks = [found.sessions[int(number)] for number in seen]
    s_rare = idf(np.array([f.sessions for f in asked.terms.values()], float), found.totals.sessions)
    s_total = max(float(s_rare.sum()), 1e-9)
    said, s_long = said_in(talks, terms)
    s = bm25(said, s_rare, s_long, found.totals.length / max(found.totals.sessions, 1)) / s_total
    return {
        "bm25": b,
        "bm25_root": np.sqrt(b),
        "bm25_top": _top(b),
        "bm25_win": w,
        "bm25_win_root": np.sqrt(w),
        "bm25_sess": s[at],
        "bm25_sess_root": np.sqrt(s)[at],
        "bm25_sess_top": _top(s)[at],
        "bm25_prev": bm25(first, rare, long[1], mean) / total,
        "bm25_next": bm25(last, rare, long[2], mean) / total,
        "cov": ((own > 0) * rare).sum(1) / total,
        "cov_win": ((window > 0) * rare).sum(1) / total,
        "cov_sess": (((said > 0) * s_rare).sum(1) / s_total)[at],
    }


def _sides(order: Sequence[Utterance]) -> tuple[list[int], list[int], list[int]]:
    """The texts themselves, what was said before each, and what after."""
    return [u.seq for u in order], [u.previous for u in order], [u.following for u in order]


def window(known: CountedTerms, order: Sequence[Utterance]) -> tuple[Column, Column]:
    """How often each text and its neighbours hold each term, and how long they are together."""
    sides = [known.at(seqs) for seqs in _sides(order)]
    counts: Column = np.sum([known.counts[at] for at in sides], axis=0)
    long: Column = np.sum([known.lengths[at] for at in sides], axis=0)
    return counts, long


def _of_meaning(
    asked: SoughtQuestion,
    found: CandidateSet,
    before: Sequence[Utterance | None],
    after: Sequence[Utterance | None],
) -> dict[str, Column]:
    best, whole = found.vectors.best(), found.vectors.whole(len(asked.vector))
    own, first, last = (found.vectors.at(rows) for rows in (found.order, before, after))
    window = whole[own] + np.float32(0.5) * (whole[first] + whole[last])
    norms = np.maximum(np.linalg.norm(window, axis=1, keepdims=True), 1e-9)
    cos, previous = best[own], best[first]
    cos_win = np.vecdot(window / norms, asked.vector).astype(float)
    asks = [float(row is not None and found.shapes[row.seq].ends_asking) for row in before]
    talks: dict[int, float] = {}
    for u, value in zip(found.order, cos, strict=True):
        talks[u.session] = max(talks.get(u.session, -1.0), float(value))
    return {
        "cos": cos,
        "cos_z": _far(cos),
        "cos_top": cos - cos.max(),
        "cos_mean": found.vectors.near_as_a_whole(asked.vector)[own],
        "cos_win": cos_win,
        "cos_win_z": _far(cos_win),
        "cos_prev": previous,
        "cos_next": best[last],
        "cos_answered": previous * np.array(asks),
        "cos_sess": np.array([talks[u.session] for u in found.order]),
    }


def _of_speakers(asked: SoughtQuestion, found: CandidateSet, cos: Column) -> dict[str, Column]:
    named, asking = asked.named, asked.asking
    spoke = np.zeros(len(found.order))
    if named:
        spoke += [not named.isdisjoint(u.speaker.split()) for u in found.order]
    lanes = [found.lanes[u.seq] for u in found.order]
    own = np.array([float(lane is Lane.SAID) for lane in lanes])
    authors = np.array([float(lane in (Lane.STATED, Lane.ASKED)) for lane in lanes])
    talks = [found.sessions[u.session].speakers for u in found.order]
    return {
        "speaker": spoke,
        "other": (1 - spoke) * bool(named),
        "speaker_cos": spoke * cos,
        "partner": np.array([len(talk) / max(len(named), 1) for talk in talks]),
        "self": own,
        "mine": authors * (asking.mine and not asking.yours),
        "yours": own * asking.yours,
    }


def _of_dates(dates: Sequence[AskedDate], found: CandidateSet) -> dict[str, Column]:
    table = np.zeros((len(found.order), 3))
    for row, u in enumerate(found.order):
        for asked in dates:
            table[row] = np.maximum(table[row], _dated(asked, u.day))
    return dict(zip(("date_month", "date_day", "date_near"), table.T, strict=True))


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
    shapes = [found.shapes[u.seq] for u in found.order]

    kinds = {id(one): one for one in shapes}  # few, as those of one kind are one object
    at = {key: n for n, key in enumerate(kinds)}
    places = [at[id(one)] for one in shapes]

    def each(of: Callable[[TextShape], float]) -> Column:
        return np.array([float(of(one)) for one in kinds.values()])[places]

    long, asking = np.log1p([float(u.length) for u in found.order]), asked.asking
    capitals = each(lambda s: s.capitals)
    return {
        "length": long,
        "length2": long * long,
        "asks": each(lambda s: s.asks),
        "ends_asking": each(lambda s: s.ends_asking),
        "first_person": each(lambda s: s.first_person),
        "when_time": each(lambda s: s.time) * asking.when,
        "when_sure": each(lambda s: s.sure_time) * asking.when,
        "capitals": capitals,
        "who_capital": capitals * asking.who,
        "where_capital": capitals * asking.where,
    }


def mean_length(totals: Totals) -> float:
    """How long a memory is on average."""
    return totals.length / max(totals.utterances, 1)


def _top(column: Column) -> Column:
    return column / max(float(column.max()), 1e-9)


def _far(column: Column) -> Column:
    far: Column = (column - column.mean()) / (column.std() + 1e-6)
    return far
