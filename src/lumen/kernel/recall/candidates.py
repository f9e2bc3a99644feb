"""What may bear on a question: memories that four paths lead to, and of each what its features are made of.

Text and meaning find memories, of the best of those their neighbours are taken too, and of the best
sessions what bears most on the question; what the author revised later comes with what revises it. Nothing
is read but these, their neighbours and their sessions.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from lumen.core.data import Memory, Passage
from lumen.kernel.language.asking import shape
from lumen.kernel.language.passages import Spot
from lumen.kernel.recall.external_embedder import ExternalEmbedder
from lumen.kernel.recall.features import (
    CandidateSet,
    LearntRows,
    SoughtQuestion,
    bm25,
    counted,
    idf,
    mean_length,
    window,
)
from lumen.kernel.recall.lanes import MARKS, Lane, lane_of, shape_in
from lumen.soul.ports.queries import Queries
from lumen.soul.ports.sessions import Utterance
from lumen.soul.ports.vectors import LATEST, VectorSet

BY_TEXT, BY_MEANING, HOPS = 100, 100, 50  # memories of either path, and those with neighbours
PASSAGES = 400  # the nearest, of which those memories are
SESSIONS, OF_SESSION, AROUND = 3, 24, 200  # sessions, memories of each, looked at beside its best
TEXT, MEANING, NEIGHBOUR, SESSION = "text", "meaning", "neighbour", "session"
REVISION = "revision"


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


@dataclass(slots=True)
class FoundPaths:
    """Which paths lead to each memory, in the order found."""

    paths: dict[int, list[str]] = field(default_factory=dict)
    cosines: Mapping[Spot, float] = field(default_factory=dict)  # an external embedder's
    revised: dict[int, int] = field(default_factory=dict)  # by what the author said later

    def add(self, seqs: Iterable[int], path: str) -> None:
        """Another path leads to some memories."""
        for seq in seqs:
            known = self.paths.setdefault(seq, [])
            if path not in known:
                known.append(path)


def candidates(
    index: Queries,
    vectors: VectorSet,
    asked: SoughtQuestion,
    wanted: RankWanted,
    external: ExternalEmbedder | None,
) -> FoundPaths:
    """The memories that any path leads to."""
    found = FoundPaths()
    before, until = wanted.before, wanted.day
    by_text = [
        s for s, _ in index.memories.search(asked.content, BY_TEXT, before=before, until=until)
    ]
    marks = MARKS[wanted.lane] if wanted.lane else 0
    near = vectors.nearest(
        asked.vector.tobytes(), PASSAGES, before=before, until=until, marks=marks
    )
    by_meaning = [*dict.fromkeys(n.seq for n in near)][:BY_MEANING]
    found.add(by_text, TEXT)
    found.add(by_meaning, MEANING)
    if external:
        _by_external(external, vectors, asked, found, wanted)
    placed = index.sessions.utterances(found.paths)
    hops = [placed[s] for s in (*by_text[:HOPS], *by_meaning[:HOPS]) if s in placed]
    found.add((s for u in hops for s in (u.previous, u.following) if s), NEIGHBOUR)
    for beside in _best_sessions(index, asked, [*placed.values()]):
        found.add(_of_session(index, asked, beside), SESSION)
    _add_revisions(vectors, found, wanted)
    return found


def _by_external(
    external: ExternalEmbedder,
    vectors: VectorSet,
    asked: SoughtQuestion,
    found: FoundPaths,
    wanted: RankWanted,
) -> None:
    """Take the cosines of an external embedder where it has them, and what it finds nearest itself."""
    known = {(p.seq, p.start, p.stop): math.nan for p in vectors.passages_of(found.paths)}
    theirs = external.weighed(asked.question, wanted.before, known, BY_MEANING)
    found.cosines = {spot: cosine for spot, cosine in theirs.items() if not math.isnan(cosine)}
    found.add((seq for seq, *_ in found.cosines.keys() - known.keys()), MEANING)


def _add_revisions(vectors: VectorSet, found: FoundPaths, wanted: RankWanted) -> None:
    """What the author revised later comes with what revises it."""
    fresh: Iterable[int] = [*found.paths]
    while later := vectors.revised_by(fresh, before=wanted.before, until=wanted.day):
        found.revised |= later
        fresh = {*later.values()} - found.paths.keys()
        found.add(fresh, REVISION)


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
    counts, long = window(counted(order, terms), order)
    rare = idf(np.array([f.memories for f in asked.terms.values()], float), totals.texts)
    score = bm25(counts, rare, long, 3 * mean_length(totals))
    return [order[n].seq for n in np.argsort(-score, kind="stable")[:OF_SESSION]]


def read(
    index: Queries,
    vectors: VectorSet,
    asked: SoughtQuestion,
    found: FoundPaths,
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
    talks = index.sessions.sessions({u.session for u in placed.values()}, [*asked.terms])
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
        vectors=_learnt(passages, asked, found.cosines),
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


def _learnt(
    passages: Sequence[Passage], asked: SoughtQuestion, theirs: Mapping[Spot, float]
) -> LearntRows:
    """Vectors of passages, which come memory by memory."""
    starts = [n for n, p in enumerate(passages) if not n or passages[n - 1].seq != p.seq]
    places = {passages[n].seq: place for place, n in enumerate(starts)}
    rows = np.frombuffer(b"".join(p.vector for p in passages), np.float32)
    rows = rows.reshape(len(passages), len(asked.vector))
    cosines = rows @ asked.vector
    if theirs:
        for n, p in enumerate(passages):
            cosines[n] = theirs.get((p.seq, p.start, p.stop), cosines[n])
    return LearntRows(passages, places, rows, starts, cosines)
