"""One ranking for all that was said or found: candidates by four paths, plain features, one linear score.

Text and meaning find memories, of the best of those their neighbours are taken too, and of the best
sessions what bears most on the question. The score is the sum of weight × feature (features.py), plus a
say of how much a memory weighs and how recent it is. Weights are data, by embedder (fusion.json), learnt
by `lumen lab recall --learn`. Nothing is read but the candidates, their neighbours and their sessions.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

import numpy as np

from lumen.core.canon import loads
from lumen.core.data import Memory, Passage
from lumen.kernel.language.asking import asking, in_first_person, shape
from lumen.kernel.language.passages import Embedder
from lumen.kernel.language.reading import words
from lumen.kernel.recall.features import (
    CandidateSet,
    Column,
    LearntRows,
    SoughtQuestion,
    bm25,
    counted,
    features,
    idf,
    lengths,
    mean_length,
)
from lumen.kernel.recall.lanes import MARKS, Lane, lane_of, shape_in
from lumen.soul.ports.queries import Queries
from lumen.soul.ports.sessions import Utterance
from lumen.soul.ports.vectors import LATEST, VectorSet
from lumen.soul.state.records import WHOLE

FILE = Path(__file__).with_name("fusion.json")
BY_TEXT, BY_MEANING, HOPS = 100, 100, 50  # memories of either path, and those with neighbours
PASSAGES = 400  # the nearest, of which those memories are
SESSIONS, OF_SESSION, AROUND = 3, 24, 200  # sessions, memories of each, looked at beside its best
FADES_DAYS = 90  # how long what is recent counts
TEXT, MEANING, NEIGHBOUR, SESSION = "text", "meaning", "neighbour", "session"
Weights = Mapping[str, float]


@dataclass(frozen=True, slots=True)
class RankedMemory:
    """A memory with its score, how it was found, and what the score is made of."""

    memory: Memory
    lane: Lane
    score: float
    paths: tuple[str, ...]
    session: int
    features: Mapping[str, float]
    parts: Mapping[str, float]  # what each feature adds, beside a candidate like all others
    neighbours: tuple[Memory, ...]


@dataclass(frozen=True, slots=True)
class RankWanted:
    """What may be found: one lane or all, before an event, up to a day; and how many."""

    limit: int | None = 20
    lane: Lane | None = None
    before: int = LATEST
    day: int | None = None  # as `date.toordinal` counts

    def allows(self, said: Utterance) -> bool:
        """Whether something was said early enough."""
        return said.seq < self.before and (self.day is None or said.day <= self.day)


@cache
def shipped_weights() -> Mapping[str, Weights]:
    """The learnt weights, by embedder."""
    read: Mapping[str, Weights] = loads(FILE.read_bytes())
    return read


def weights_for(embedder: str) -> Weights:
    """The weights learnt with an embedder; those of the first where it has none of its own."""
    known = shipped_weights()
    return known.get(embedder) or next(iter(known.values()))


@dataclass(slots=True)
class _Found:
    """Which paths lead to each memory, in the order found."""

    paths: dict[int, list[str]] = field(default_factory=dict)

    def add(self, seqs: Iterable[int], path: str) -> None:
        for seq in seqs:
            known = self.paths.setdefault(seq, [])
            if path not in known:
                known.append(path)


@dataclass(frozen=True, slots=True)
class _Scored:
    """The candidates with all that is known of each."""

    found: CandidateSet
    beside: Mapping[int, Memory]
    how: _Found
    table: Mapping[str, Column]
    parts: Mapping[str, Column]
    score: Column

    def at(self, n: int) -> RankedMemory:
        u, beside = self.found.order[n], self.beside
        return RankedMemory(
            memory=self.found.memories[u.seq],
            lane=self.found.lanes[u.seq],
            score=float(self.score[n]),
            paths=tuple(self.how.paths[u.seq]),
            session=u.session,
            features={name: float(column[n]) for name, column in self.table.items()},
            parts={name: float(column[n]) for name, column in self.parts.items()},
            neighbours=tuple(beside[s] for s in (u.previous, u.following) if s in beside),
        )


def rank(
    index: Queries,
    vectors: VectorSet,
    embedder: Embedder,
    question: str,
    wanted: RankWanted,
) -> tuple[RankedMemory, ...]:
    """What was said or found that bears on a question, best first."""
    asked, content = _asked(index, embedder, question)
    found = _candidates(index, vectors, asked, content, wanted)
    chosen = _read(index, vectors, [*asked.terms], found, wanted)
    if not chosen.order:
        return ()
    table = features(asked, chosen) | _of_memory(chosen, wanted)
    weights = weights_for(embedder.id)
    score = scored(table, weights)
    best = np.argsort(-score, kind="stable")[: wanted.limit]
    parts = {name: weights[name] * (c - c.mean()) for name, c in table.items() if name in weights}
    beside = (s for n in best for s in (chosen.order[n].previous, chosen.order[n].following))
    near = {s for s in beside if s in chosen.utterances}
    ranked = _Scored(chosen, index.memories.get(near), found, table, parts, score)
    return tuple(ranked.at(int(n)) for n in best)


def scored(table: Mapping[str, Column], weights: Weights) -> Column:
    """The one formula: weight × feature, summed."""
    parts = [weight * table[name] for name, weight in weights.items() if name in table]
    score: Column = np.sum(parts, axis=0)
    return score


def _asked(index: Queries, embedder: Embedder, question: str) -> tuple[SoughtQuestion, list[str]]:
    """A question as ranking looks at it, and its words: names of speakers tell who, not what."""
    content = words(question)
    named = index.sessions.named(content)
    content = [word for word in content if word not in named] or content
    vector = embedder.embed([in_first_person(question, named)])[0]
    terms = index.sessions.terms(content)
    return SoughtQuestion(asking(question), terms, named, vector), content


def _candidates(
    index: Queries,
    vectors: VectorSet,
    asked: SoughtQuestion,
    content: Sequence[str],
    wanted: RankWanted,
) -> _Found:
    found = _Found()
    before, until = wanted.before, wanted.day
    by_text = [s for s, _ in index.memories.search(content, BY_TEXT, before=before, until=until)]
    marks = MARKS[wanted.lane] if wanted.lane else 0
    near = vectors.nearest(
        asked.vector.tobytes(), PASSAGES, before=before, until=until, marks=marks
    )
    by_meaning = [*dict.fromkeys(n.seq for n in near)][:BY_MEANING]
    found.add(by_text, TEXT)
    found.add(by_meaning, MEANING)
    placed = index.sessions.utterances(found.paths)
    hops = [placed[s] for s in (*by_text[:HOPS], *by_meaning[:HOPS]) if s in placed]
    found.add((s for u in hops for s in (u.previous, u.following) if s), NEIGHBOUR)
    for beside in _best_sessions(index, asked, [*placed.values()]):
        found.add(_of_session(index, asked, beside), SESSION)
    return found


def _best_sessions(
    index: Queries, asked: SoughtQuestion, placed: Sequence[Utterance]
) -> list[Utterance]:
    """Of the sessions that bear most on the question by their words, what was found there first."""
    first: dict[int, Utterance] = {}
    for u in placed:
        first.setdefault(u.session, u)
    if not asked.terms or not first:
        return []
    totals, terms = index.sessions.totals(), [*asked.terms]
    talks = index.sessions.sessions(first, terms)
    rare = idf(np.array([f.sessions for f in asked.terms.values()], float), totals.sessions)
    said = np.array([[t.counts.get(x, 0) for x in terms] for t in talks.values()], float)
    long = np.array([t.length for t in talks.values()], float)
    score = bm25(said, rare, long, totals.length / max(totals.sessions, 1))
    numbers = [*talks]
    return [first[numbers[n]] for n in np.argsort(-score, kind="stable")[:SESSIONS]]


def _of_session(index: Queries, asked: SoughtQuestion, beside: Utterance) -> list[int]:
    """What of a session bears most on the question by the words of each and its neighbours."""
    placed = index.sessions.utterances(index.sessions.near(beside.seq, AROUND))
    terms, totals, order = [*asked.terms], index.sessions.totals(), [*placed.values()]
    sides: list[Sequence[Utterance | None]] = [
        order,
        [placed.get(u.previous) for u in order],
        [placed.get(u.following) for u in order],
    ]
    counts = np.sum([counted(rows, terms) for rows in sides], axis=0)
    long = np.sum([lengths(rows) for rows in sides], axis=0)
    rare = idf(np.array([f.memories for f in asked.terms.values()], float), totals.texts)
    score = bm25(counts, rare, long, 3 * mean_length(totals))
    return [order[n].seq for n in np.argsort(-score, kind="stable")[:OF_SESSION]]


def _read(
    index: Queries,
    vectors: VectorSet,
    terms: Sequence[str],
    found: _Found,
    wanted: RankWanted,
) -> CandidateSet:
    """What the features are made of, of those candidates that may be found."""
    placed = _allowed(index, sorted(found.paths), wanted)
    beside = {s for u in placed.values() for s in (u.previous, u.following) if s}
    known = placed | _allowed(index, beside - placed.keys(), wanted)
    passages = vectors.passages_of(known)
    marks: dict[int, int] = {}
    for p in passages:
        marks[p.seq] = marks.get(p.seq, 0) | p.marks
    memories = index.memories.get([*placed, *(s for s in known if s not in marks)])
    shapes = {
        s: shape_in(marks[s]) if s in marks else shape(memories[s].text)
        for s in known
        if s in marks or s in memories
    }
    known = {seq: u for seq, u in known.items() if seq in shapes}  # forgotten meanwhile: left out
    whose = {s: _lane(memories[s], marks.get(s, 0)) for s in placed if s in memories}
    lanes = {s: lane for s, lane in whose.items() if lane}
    talks = index.sessions.sessions({u.session for u in placed.values()}, terms)
    order = [
        u
        for u in placed.values()
        if u.session in talks and u.seq in lanes and wanted.lane in (None, lanes[u.seq])
    ]
    return CandidateSet(
        order=order,
        utterances=known,
        sessions=talks,
        totals=index.sessions.totals(),
        memories=memories,
        shapes=shapes,
        lanes=lanes,
        vectors=_learnt(passages),
    )


def _allowed(index: Queries, seqs: Iterable[int], wanted: RankWanted) -> dict[int, Utterance]:
    """Those memories that were said early enough, among their neighbours."""
    said = index.sessions.utterances(seqs)
    return {seq: u for seq, u in said.items() if wanted.allows(u)}


def _lane(memory: Memory, marks: int) -> Lane | None:
    """A memory's lane: of the author's words that of the best that any passage is."""
    if not marks:
        return lane_of(memory, memory.text)
    return next((lane for lane, mark in MARKS.items() if marks & mark), None)


def _learnt(passages: Sequence[Passage]) -> LearntRows:
    """Vectors of passages, which come memory by memory."""
    starts = [n for n, p in enumerate(passages) if not n or passages[n - 1].seq != p.seq]
    places = {passages[n].seq: place for place, n in enumerate(starts)}
    rows = np.frombuffer(b"".join(p.vector for p in passages), np.float32)
    return LearntRows(places, rows.reshape(len(passages), -1 if passages else 0), starts)


def _of_memory(found: CandidateSet, wanted: RankWanted) -> dict[str, Column]:
    """How much a memory weighs, from -0.5 to 0.5, and how recent it is, from 0 to 1."""
    days = np.array([u.day for u in found.order], float)
    ages = np.maximum(0.0, (wanted.day or days.max()) - days)
    weigh = [found.memories[u.seq].weight / WHOLE - 0.5 for u in found.order]
    return {"weight": np.array(weigh), "recency": np.exp(-ages / FADES_DAYS)}
