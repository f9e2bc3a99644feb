"""What may bear on a question: memories that four paths lead to, and of each what its features are made of.

Text and meaning find memories, of the best of those their neighbours are taken too, and of the best
sessions what bears most on the question; what the author revised later comes with what revises it. Nothing
is read but these, their neighbours and their sessions, and it is read and looked at by the column.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial

import numpy as np
from numpy.typing import NDArray

from lumen.core.data import Memory
from lumen.kernel.language.asking import packed, shape
from lumen.kernel.language.passages import Spot
from lumen.kernel.recall.columns import Numbers, among, both, numbers, places, some_of, together
from lumen.kernel.recall.external_embedder import ExternalEmbedder
from lumen.kernel.recall.features import (
    CandidateSet,
    LearntRows,
    SoughtQuestion,
    bm25,
    idf,
    mean_length,
    window,
)
from lumen.kernel.recall.lanes import LANES, MARKS, SHAPE, SHAPES, Lane, lane_of
from lumen.kernel.recall.query_adapter import QueryAdapter
from lumen.soul.ports.queries import Queries
from lumen.soul.ports.sessions import SessionCounts, Utterances
from lumen.soul.ports.vectors import LATEST, PassageColumns, VectorSet

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
    adapter: QueryAdapter | None = None  # in the place of the shipped one

    def allows(self, said: Utterances) -> NDArray[np.bool_]:
        """Which memories were said early enough."""
        early: NDArray[np.bool_] = said.seqs < self.before
        return early if self.day is None else early & (said.days <= self.day)


@dataclass(slots=True)
class FoundPaths:
    """Which memories each path leads to, and what was read of them on the way; nothing is read twice."""

    paths: dict[str, dict[int, None]] = field(default_factory=dict)
    cosines: Mapping[Spot, float] = field(default_factory=dict)  # an external embedder's
    revised: dict[int, int] = field(default_factory=dict)  # by what the author said later
    parts: list[Utterances] = field(default_factory=list)
    talks: SessionCounts | None = None

    def add(self, path: str, seqs: Iterable[int]) -> None:
        """A path leads to some memories."""
        self.paths.setdefault(path, {}).update(dict.fromkeys(seqs))

    def seqs(self) -> dict[int, None]:
        """All memories, in the order found."""
        return {seq: None for seqs in self.paths.values() for seq in seqs}

    def to(self, seq: int) -> tuple[str, ...]:
        """The paths that lead to a memory."""
        return tuple(path for path, seqs in self.paths.items() if seq in seqs)

    def place(self, index: Queries, seqs: Numbers) -> Utterances:
        """Read memories among their neighbours, those that were not read before."""
        new = {*seqs.tolist()}.difference(*(part.seqs.tolist() for part in self.parts))
        self.parts.append(index.sessions.utterances(new))
        return self.parts[-1]

    def sessions(self, index: Queries, asked: SoughtQuestion, wanted: Numbers) -> SessionCounts:
        """All sessions that were read, some more of them among it."""
        known = () if self.talks is None else self.talks.numbers.tolist()
        new = {*wanted.tolist()}.difference(known)
        if new or self.talks is None:
            more = index.sessions.sessions(new, [*asked.terms], asked.named)
            self.talks = more if self.talks is None else both(self.talks, more)
        return self.talks


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
    near = _by_meaning(vectors, asked, wanted)  # among many it is looked for while words are
    by_text = [
        s for s, _ in index.memories.search(asked.content, BY_TEXT, before=before, until=until)
    ]
    by_meaning = near()
    found.add(TEXT, by_text)
    found.add(MEANING, by_meaning)
    if external:
        _by_external(external, vectors, asked, found, wanted)
    every = numbers(found.seqs())
    placed = found.place(index, every)
    hops = places(placed.seqs, numbers((*by_text[:HOPS], *by_meaning[:HOPS])))
    hops = hops[hops >= 0]
    beside = np.concatenate([placed.previous[hops], placed.following[hops]])
    found.add(NEIGHBOUR, beside[beside > 0].tolist())
    at = places(placed.seqs, every)
    best = _best_sessions(index, asked, found, placed, at[at >= 0])
    found.add(SESSION, _of_sessions(index, asked, found, best))
    _add_revisions(vectors, found, wanted)
    return found


def _by_meaning(
    vectors: VectorSet, asked: SoughtQuestion, wanted: RankWanted
) -> Callable[[], list[int]]:
    """Begin to look for the memories whose passages are nearest to the question, and hand over what tells them."""
    marks = MARKS[wanted.lane] if wanted.lane else 0
    seek = partial(
        vectors.seek,
        asked.vector.tobytes(),
        before=wanted.before,
        until=wanted.day,
        marks=marks,
    )
    first, more = PASSAGES
    sought = seek(first)

    def told() -> list[int]:
        near = sought().seqs.tolist()
        if len(near) == first and len({*near}) < BY_MEANING:
            near = seek(more)().seqs.tolist()
        return [*dict.fromkeys(near)][:BY_MEANING]

    return told


def _by_external(
    external: ExternalEmbedder,
    vectors: VectorSet,
    asked: SoughtQuestion,
    found: FoundPaths,
    wanted: RankWanted,
) -> None:
    """Take the cosines of an external embedder where it has them, and what it finds nearest itself."""
    known = {(p.seq, p.start, p.stop): math.nan for p in vectors.passages_of(found.seqs())}
    theirs = external.weighed(asked.question, wanted.before, known, BY_MEANING)
    found.cosines = {spot: cosine for spot, cosine in theirs.items() if not math.isnan(cosine)}
    found.add(MEANING, (seq for seq, *_ in found.cosines.keys() - known.keys()))


def _add_revisions(vectors: VectorSet, found: FoundPaths, wanted: RankWanted) -> None:
    """What the author revised later comes with what revises it."""
    fresh: Iterable[int] = found.seqs()
    while later := vectors.revised_by(fresh, before=wanted.before, until=wanted.day):
        found.revised |= later
        fresh = {*later.values()} - found.seqs().keys()
        found.add(REVISION, fresh)


def _best_sessions(
    index: Queries, asked: SoughtQuestion, found: FoundPaths, placed: Utterances, order: Numbers
) -> list[int]:
    """Of the sessions that bear most on the question by their words, what was found there first."""
    if not asked.terms or not len(order):
        return []
    totals = asked.totals
    talks = found.sessions(index, asked, placed.sessions)
    rare = idf(np.array([f.sessions for f in asked.terms.values()], float), totals.sessions)
    score = bm25(talks.counts, rare, talks.lengths, totals.length / max(totals.sessions, 1))
    session, first = np.unique(placed.sessions[order], return_index=True)
    first = first[places(session, talks.numbers)]
    best = np.lexsort((first, -score))[:SESSIONS]
    return [int(seq) for seq in placed.seqs[order[first[best]]]]


def _of_sessions(
    index: Queries, asked: SoughtQuestion, found: FoundPaths, best: Sequence[int]
) -> list[int]:
    """What of some sessions bears most on the question by the words of each memory and its neighbours."""
    if not best:
        return []
    parts, totals = [index.sessions.near(seq, AROUND) for seq in best], asked.totals
    found.parts += parts
    said = together(parts)
    counts, long = window(said, [*asked.terms])
    rare = idf(np.array([f.memories for f in asked.terms.values()], float), totals.texts)
    score = bm25(counts, rare, long, 3 * mean_length(totals))
    order = np.lexsort((said.seqs, -score))
    of = [order[among(part.seqs, said.seqs[order])][:OF_SESSION] for part in parts]
    return [int(seq) for some in of for seq in said.seqs[some]]


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
    sought, said = _around(index, found, wanted)
    passages = vectors.columns_of(said.seqs.tolist())
    unlearnt = {*said.seqs.tolist()}.difference(passages.seqs.tolist())
    revised = (s for pair in found.revised.items() for s in pair)
    memories = index.memories.get([*unlearnt, *revised])
    there = np.flatnonzero(~among(numbers(sorted(unlearnt - memories.keys())), said.seqs))
    said = some_of(said, there)  # the others were forgotten
    weights = index.memories.weights(sought.tolist())
    talks = found.sessions(index, asked, said.sessions)
    marks = _marks(said, passages, memories)
    lanes = marks & LANES
    lanes &= -lanes  # of the author's words the lane of the best that any passage is
    fit = (lanes == MARKS[wanted.lane]) if wanted.lane else (lanes > 0)
    fit &= among(numbers(sorted(weights)), said.seqs) & among(talks.numbers, said.sessions)
    own = np.flatnonzero(fit)
    if wanted.lane:  # whatever else a candidate says: a question beside a statement answers nothing
        ours = (passages.marks & MARKS[wanted.lane]) > 0
        passages = _some(passages, ours | ~among(sought, passages.seqs))
    return CandidateSet(
        said=said,
        own=own,
        sides=(own, places(said.seqs, said.previous[own]), places(said.seqs, said.following[own])),
        talks=talks,
        talk=places(talks.numbers, said.sessions[own]),
        totals=asked.totals,
        memories=memories,
        weights=np.array([weights[seq] for seq in said.seqs[own].tolist()], float),
        shapes=marks >> SHAPE & SHAPES,
        lanes=lanes[own],
        vectors=_learnt(vectors, passages, asked, found.cosines),
    )


def _around(index: Queries, found: FoundPaths, wanted: RankWanted) -> tuple[Numbers, Utterances]:
    """The candidates that were said early enough, and these with their neighbours."""
    every = numbers(sorted(found.seqs()))
    found.place(index, every)
    fit = [(part, among(every, part.seqs) & wanted.allows(part)) for part in found.parts]
    own = np.unique(np.concatenate([part.seqs[which] for part, which in fit]))
    sides = [some[which] for part, which in fit for some in (part.previous, part.following)]
    near = np.unique(np.concatenate([own, *sides]))
    found.place(index, near[near > 0])
    said = together(found.parts)
    return own, some_of(said, np.flatnonzero(among(near, said.seqs) & wanted.allows(said)))


def _marks(said: Utterances, passages: PassageColumns, memories: Mapping[int, Memory]) -> Numbers:
    """What is to be known of each memory: the marks of all its passages, or what it says itself."""
    marks = np.zeros(len(said.seqs), np.int64)
    np.bitwise_or.at(marks, places(said.seqs, passages.seqs), passages.marks)
    for n in np.flatnonzero(~among(passages.seqs, said.seqs)):
        memory = memories[int(said.seqs[n])]
        lane = lane_of(memory, memory.text)
        marks[n] = (MARKS[lane] if lane else 0) | packed(shape(memory.text)) << SHAPE
    return marks


def _some(passages: PassageColumns, which: NDArray[np.bool_]) -> PassageColumns:
    return PassageColumns(
        passages.numbers[which],
        passages.seqs[which],
        passages.marks[which],
        passages.vectors[which],
    )


def _learnt(
    vectors: VectorSet,
    passages: PassageColumns,
    asked: SoughtQuestion,
    theirs: Mapping[Spot, float],
) -> LearntRows:
    """How near passages are, by an external embedder's cosines where it has them."""
    seqs, starts = np.unique(passages.seqs, return_index=True)
    rows = passages.vectors.reshape(len(passages.seqs), len(asked.vector))
    cosines = np.vecdot(rows, asked.vector)  # by `@` threads would wait for each other
    if theirs:
        spots = {p.number: (p.seq, p.start, p.stop) for p in vectors.passages_of(seqs.tolist())}
        for n, number in enumerate(passages.numbers.tolist()):
            cosines[n] = theirs.get(spots[number], cosines[n])
    return LearntRows(passages.numbers, seqs, rows, starts, cosines, external=bool(theirs))
