"""One ranking for all that was said or found: plain features of the candidates, one linear score.

The score is the sum of weight × feature (features.py), plus a say of how much a memory weighs and how recent
it is. Weights are data, by embedder (fusion.json), learnt by `lumen lab recall --learn`. What the author
revised stands behind what revises it. Who is a candidate: candidates.py.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np

from lumen.core.canon import loads
from lumen.core.data import Memory, NearPassage, Passage
from lumen.kernel.language.asking import asking, bare, in_first_person
from lumen.kernel.language.corrections import openly_revises
from lumen.kernel.language.passages import Embedder
from lumen.kernel.language.reading import words
from lumen.kernel.recall.candidates import FoundPaths, RankWanted, candidates, read
from lumen.kernel.recall.columns import Numbers, among
from lumen.kernel.recall.external_embedder import ExternalEmbedder
from lumen.kernel.recall.features import CandidateSet, Column, SoughtQuestion, features
from lumen.kernel.recall.lanes import CHANGES, Lane, lane_in
from lumen.kernel.recall.query_adapter import QueryAdapter, adapter_for
from lumen.soul.ports.queries import Queries
from lumen.soul.ports.vectors import VectorSet
from lumen.soul.state.records import WHOLE

FILE = Path(__file__).with_name("fusion.json")
FADES_DAYS = 90  # how long what is recent counts
MAY_LAG, AHEAD = 1.0, 0.001  # how much lower what is merely newer may score; what sets it before
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
    passages: tuple[NearPassage, ...]
    revised_by: int = 0  # what the author said later takes its place; it stands behind that
    replaces: int = 0  # the newest of what this takes the place of


@cache
def shipped_weights() -> Mapping[str, Weights]:
    """The learnt weights, by embedder."""
    read: Mapping[str, Weights] = loads(FILE.read_bytes())
    return read


def weights_for(embedder: str) -> Weights:
    """The weights learnt with an embedder; those of the first where it has none of its own."""
    known = shipped_weights()
    return known.get(embedder) or next(iter(known.values()))


@dataclass(frozen=True, slots=True)
class _Scored:
    """The candidates with all that is known of each."""

    found: CandidateSet
    how: FoundPaths
    revised: Mapping[int, int]
    table: Mapping[str, Column]
    weights: Weights
    score: Column

    def shown(self, index: Queries, vectors: VectorSet, best: Numbers) -> tuple[RankedMemory, ...]:
        """Some of the candidates, with what is told of each."""
        said, own = self.found.said, self.found.own[best]
        seqs = said.seqs[own]
        beside = np.stack([said.previous[own], said.following[own]], axis=1)
        beside[~among(said.seqs, beside)] = 0
        memories = index.memories.get([*seqs.tolist(), *beside.ravel().tolist()])
        near = self._near(vectors.passages_of(seqs.tolist()))
        columns = (beside, said.sessions[own], self.found.lanes[best], self.score[best])
        rows = zip(*(column.tolist() for column in columns), strict=True)
        told = zip(seqs.tolist(), rows, *self._told(best), strict=True)
        return tuple(
            RankedMemory(
                memory=memories[seq],
                lane=lane_in(lane),
                score=score,
                paths=self.how.to(seq),
                session=session,
                features=own_features,
                parts=own_parts,
                neighbours=tuple(memories[s] for s in sides if s in memories),
                passages=tuple(near.get(seq, ())),
                revised_by=self.revised.get(seq, 0),
                replaces=max((old for old, new in self.revised.items() if new == seq), default=0),
            )
            for seq, (sides, session, lane, score), own_features, own_parts in told
            if seq in memories
        )

    def _told(self, some: Numbers) -> tuple[list[dict[str, float]], list[dict[str, float]]]:
        """Of some candidates every feature by name, and what those with a weight add."""
        names = [name for name in self.table if name in self.weights]
        every = np.array([*self.table.values()], float)
        far = np.array([self.table[name] for name in names])
        far -= far.mean(axis=1, keepdims=True)
        parts = np.array([self.weights[name] for name in names])[:, None] * far[:, some]
        return (
            [dict(zip(self.table, row, strict=True)) for row in every[:, some].T.tolist()],
            [dict(zip(names, row, strict=True)) for row in parts.T.tolist()],
        )

    def _near(self, passages: Sequence[Passage]) -> dict[int, list[NearPassage]]:
        """Of memories those passages that count, each with its cosine."""
        known = self.found.vectors
        cosines = dict(zip(known.numbers.tolist(), known.cosines.tolist(), strict=True))
        near: dict[int, list[NearPassage]] = {}
        for p in passages:
            if p.number in cosines:
                one = NearPassage(p.number, p.seq, p.start, p.stop, p.marks, cosines[p.number])
                near.setdefault(p.seq, []).append(one)
        return near


def rank(
    index: Queries,
    vectors: VectorSet,
    embedder: Embedder,
    question: str,
    wanted: RankWanted,
    external: ExternalEmbedder | None = None,
) -> tuple[RankedMemory, ...]:
    """What was said or found that bears on a question, best first; by an external embedder's cosines
    where one is given and has them.
    """
    asked = _asked(index, embedder, question, wanted.adapter or adapter_for(embedder.id))
    found = candidates(index, vectors, asked, wanted, external)
    chosen = read(index, vectors, asked, found, wanted)
    if not len(chosen.own):
        return ()
    table = features(asked, chosen) | _of_memory(chosen, wanted)
    weights = weights_for(embedder.id)
    score = scored(table, weights)
    revising = vectors.passages_of({*found.revised.values()}) if found.revised else []
    revised, table["revises"] = lifted(chosen, score, found.revised, revising)
    score = score + table["revises"]
    best = np.argsort(-score, kind="stable")[: wanted.limit]
    return _Scored(chosen, found, revised, table, weights, score).shown(index, vectors, best)


def scored(table: Mapping[str, Column], weights: Weights) -> Column:
    """The one formula: weight × feature, summed."""
    parts = [weight * table[name] for name, weight in weights.items() if name in table]
    score: Column = np.sum(parts, axis=0)
    return score


def lifted(
    found: CandidateSet, score: Column, revised: Mapping[int, int], revising: Sequence[Passage]
) -> tuple[dict[int, int], Column]:
    """Which revisions hold, and how much each statement gains that would stand behind what it revises.

    One that openly revises does so whatever its score; a mere "now" or "new" must bear on the question.
    """
    lift, kept = np.zeros(len(score)), {}
    seqs = found.said.seqs[found.own].tolist() if revised else []
    places = {seq: n for n, seq in enumerate(seqs)}
    for old, new in sorted(revised.items()):
        if not {old, new} <= places.keys() & found.memories.keys():
            continue
        gap = float(score[places[old]] + lift[places[old]] - score[places[new]] - lift[places[new]])
        if gap <= MAY_LAG or any(
            openly_revises(found.memories[new].text[p.start : p.stop], found.memories[old].text)
            for p in revising
            if p.seq == new and p.marks & CHANGES
        ):
            kept[old] = new
            lift[places[new]] += max(0.0, gap + AHEAD)
    return kept, lift


def _asked(
    index: Queries, embedder: Embedder, question: str, adapter: QueryAdapter | None
) -> SoughtQuestion:
    """A question as ranking looks at it, and its words: names of speakers tell who, not what."""
    content = words(question)
    named = index.sessions.named(content)
    content = [word for word in content if word not in named] or content
    vector = embedder.embed([as_embedded(question, named)])[0]
    vector = adapter.turned(vector) if adapter else vector
    terms = index.sessions.terms(content)
    totals = index.sessions.totals()
    return SoughtQuestion(question, content, asking(question), terms, totals, named, vector)


def as_embedded(question: str, named: Collection[str]) -> str:
    """A question as its vector is made: as the one who is asked about would put it."""
    return in_first_person(bare(question), named)


def _of_memory(found: CandidateSet, wanted: RankWanted) -> dict[str, Column]:
    """How much a memory weighs, from -0.5 to 0.5, and how recent it is, from 0 to 1."""
    days = found.said.days[found.own].astype(float)
    ages = np.maximum(0.0, (wanted.day or days.max()) - days)
    return {"weight": found.weights / WHOLE - 0.5, "recency": np.exp(-ages / FADES_DAYS)}
