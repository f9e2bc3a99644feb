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
    said_in,
    window,
)
from lumen.kernel.recall.lanes import MARKS, Lane, lane_in, lane_of, shape_in
from lumen.soul.ports.queries import Queries
from lumen.soul.ports.sessions import Session, Utterance
from lumen.soul.ports.vectors import LATEST, VectorSet

BY_TEXT, BY_MEANING, HOPS = 100, 100, 50  # memories of either path, and those with neighbours
PASSAGES = (160, 400)  # the nearest, of which those memories are; more where these are of fewer
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
    placed: dict[int, Utterance] = field(default_factory=dict)  # what was read on the way
    talks: dict[int, Session] = field(default_factory=dict)

    def add(self, seqs: Iterable[int], path: str) -> None:
        """Another path leads to some memories."""
        for seq in seqs:
            known = self.paths.setdefault(seq, [])
            if path not in known:
                known.append(path)

    def place(self, index: Queries, seqs: Iterable[int]) -> dict[int, Utterance]:
        """Memories among their neighbours; what was read before is not read again."""
        wanted = [*seqs]
        self.placed |= index.sessions.utterances(s for s in wanted if s not in self.placed)
        return {s: self.placed[s] for s in wanted if s in self.placed}

    def sessions(
        self, index: Queries, asked: SoughtQuestion, numbers: Iterable[int]
    ) -> dict[int, Session]:
        """Sessions by number; what was read before is not read again."""
        wanted = dict.fromkeys(numbers)
        if new := [n for n in wanted if n not in self.talks]:
            self.talks |= index.sessions.sessions(new, [*asked.terms], asked.named)
        return {n: self.talks[n] for n in wanted if n in self.talks}


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
    by_meaning = _by_meaning(vectors, asked, wanted)
    found.add(by_text, TEXT)
    found.add(by_meaning, MEANING)
    if external:
        _by_external(external, vectors, asked, found, wanted)
    placed = found.place(index, found.paths)
    hops = [placed[s] for s in (*by_text[:HOPS], *by_meaning[:HOPS]) if s in placed]
    found.add((s for u in hops for s in (u.previous, u.following) if s), NEIGHBOUR)
    for beside in _best_sessions(index, asked, found, [*placed.values()]):
        found.add(_of_session(index, asked, found, beside), SESSION)
    _add_revisions(vectors, found, wanted)
    return found


def _by_meaning(vectors: VectorSet, asked: SoughtQuestion, wanted: RankWanted) -> list[int]:
    """The memories whose passages are nearest to the question."""
    marks = MARKS[wanted.lane] if wanted.lane else 0
    seqs: dict[int, None] = {}
    for most in PASSAGES:
        near = vectors.nearest(
            asked.vector.tobytes(), most, before=wanted.before, until=wanted.day, marks=marks
        )
        seqs = dict.fromkeys(n.seq for n in near)
        if len(seqs) >= BY_MEANING or len(near) < most:
            break
    return [*seqs][:BY_MEANING]


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
    index: Queries, asked: SoughtQuestion, found: FoundPaths, placed: Sequence[Utterance]
) -> list[Utterance]:
    """Of the sessions that bear most on the question by their words, what was found there first."""
    first: dict[int, Utterance] = {}
    for u in placed:
        first.setdefault(u.session, u)
    if not asked.terms or not first:
        return []
    totals, terms = asked.totals, [*asked.terms]
    talks = found.sessions(index, asked, first)
    rare = idf(np.array([f.sessions for f in asked.terms.values()], float), totals.sessions)
    said, long = said_in([*talks.values()], terms)
    score = bm25(said, rare, long, totals.length / max(totals.sessions, 1))
    numbers = [*talks]
    return [first[numbers[n]] for n in np.argsort(-score, kind="stable")[:SESSIONS]]


def _of_session(
    index: Queries, asked: SoughtQuestion, found: FoundPaths, beside: Utterance
) -> list[int]:
    """What of a session bears most on the question by the words of each and its neighbours."""
    placed = found.place(index, index.sessions.near(beside.seq, AROUND))
    terms, totals, order = [*asked.terms], asked.totals, [*placed.values()]
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
    """What the features are made of, of those candidates that may be found.

    A memory is read whole only where its marks do not tell what it is, or it revises another.
    """
    placed = _allowed(found.place(index, sorted(found.paths)), wanted)
    beside = {s for u in placed.values() for s in (u.previous, u.following) if s}
    known = placed | _allowed(found.place(index, beside - placed.keys()), wanted)
    passages = vectors.passages_of(known)
    marks: dict[int, int] = {}
    for p in passages:
        marks[p.seq] = marks.get(p.seq, 0) | p.marks
    if wanted.lane:  # whatever else a candidate says: a question beside a statement answers nothing
        passages = [p for p in passages if p.seq not in placed or p.marks & MARKS[wanted.lane]]
    weights = index.memories.weights(placed)
    revised = (s for pair in found.revised.items() for s in pair)
    memories = index.memories.get([*(s for s in known if s not in marks), *revised])
    known = {s: u for s, u in known.items() if s in marks or s in memories}  # else forgotten
    talks = found.sessions(index, asked, {u.session for u in placed.values()})
    lanes = {s: _lane(memories.get(s), marks.get(s, 0)) for s in placed if s in weights}
    order = [
        u
        for u in placed.values()
        if u.session in talks and lanes.get(u.seq) and wanted.lane in (None, lanes[u.seq])
    ]
    return CandidateSet(
        order=order,
        utterances=known,
        sessions=talks,
        totals=asked.totals,
        memories=memories,
        weights=weights,
        shapes={s: shape_in(marks[s]) if s in marks else shape(memories[s].text) for s in known},
        lanes={s: lane for s, lane in lanes.items() if lane},
        vectors=_learnt(passages, asked, found.cosines),
    )


def _allowed(said: Mapping[int, Utterance], wanted: RankWanted) -> dict[int, Utterance]:
    """Those memories that were said early enough."""
    return {seq: u for seq, u in said.items() if wanted.allows(u)}


def _lane(memory: Memory | None, marks: int) -> Lane | None:
    """A memory's lane: of the author's words that of the best that any passage is."""
    if marks:
        return lane_in(marks)
    return lane_of(memory, memory.text) if memory else None


def _learnt(
    passages: Sequence[Passage], asked: SoughtQuestion, theirs: Mapping[Spot, float]
) -> LearntRows:
    """Vectors of passages, which come memory by memory."""
    starts = [n for n, p in enumerate(passages) if not n or passages[n - 1].seq != p.seq]
    places = {passages[n].seq: place for place, n in enumerate(starts)}
    rows = np.frombuffer(b"".join(p.vector for p in passages), np.float32)
    rows = rows.reshape(len(passages), len(asked.vector))
    cosines = np.vecdot(rows, asked.vector)  # by `@` threads would wait for each other
    if theirs:
        for n, p in enumerate(passages):
            cosines[n] = theirs.get((p.seq, p.start, p.stop), cosines[n])
    return LearntRows(passages, places, rows, starts, cosines, external=bool(theirs))
