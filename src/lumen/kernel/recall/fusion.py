"""One ranking for all that was said or found: plain features of the candidates, one linear score.

The score is the sum of weight × feature (features.py), plus a say of how much a memory weighs and how recent
it is. Weights are data, by embedder (fusion.json), learnt by `lumen lab recall --learn`. What the author
revised stands behind what revises it. Who is a candidate: candidates.py.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np

from lumen.core.canon import loads
from lumen.core.data import Memory, NearPassage
from lumen.kernel.language.asking import asking, bare, in_first_person
from lumen.kernel.language.corrections import openly_revises
from lumen.kernel.language.passages import Embedder
from lumen.kernel.language.reading import words
from lumen.kernel.recall.candidates import FoundPaths, RankWanted, candidates, read
from lumen.kernel.recall.external_embedder import ExternalEmbedder
from lumen.kernel.recall.features import CandidateSet, Column, SoughtQuestion, features
from lumen.kernel.recall.lanes import CHANGES, Lane
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
    memories: Mapping[int, Memory]
    how: FoundPaths
    revised: Mapping[int, int]
    table: Mapping[str, Column]
    parts: Mapping[str, Column]
    score: Column

    def at(self, n: int) -> RankedMemory:
        u = self.found.order[n]
        beside = (s for s in (u.previous, u.following) if s in self.found.utterances)
        return RankedMemory(
            memory=self.memories[u.seq],
            lane=self.found.lanes[u.seq],
            score=float(self.score[n]),
            paths=tuple(self.how.paths[u.seq]),
            session=u.session,
            features={name: float(column[n]) for name, column in self.table.items()},
            parts={name: float(column[n]) for name, column in self.parts.items()},
            neighbours=tuple(self.memories[s] for s in beside if s in self.memories),
            passages=tuple(self.found.vectors.of(u.seq)),
            revised_by=self.revised.get(u.seq, 0),
            replaces=max((old for old, new in self.revised.items() if new == u.seq), default=0),
        )


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
    asked = _asked(index, embedder, question)
    found = candidates(index, vectors, asked, wanted, external)
    chosen = read(index, vectors, asked, found, wanted)
    if not chosen.order:
        return ()
    table = features(asked, chosen) | _of_memory(chosen, wanted)
    weights = weights_for(embedder.id)
    score = scored(table, weights)
    revised, table["revises"] = lifted(chosen, score, found.revised)
    score = score + table["revises"]
    best = np.argsort(-score, kind="stable")[: wanted.limit]
    parts = {name: weights[name] * (c - c.mean()) for name, c in table.items() if name in weights}
    shown = [chosen.order[n] for n in best]
    memories = index.memories.get(s for u in shown for s in (u.seq, u.previous, u.following))
    ranked = _Scored(chosen, memories, found, revised, table, parts, score)
    return tuple(ranked.at(int(n)) for n, u in zip(best, shown, strict=True) if u.seq in memories)


def scored(table: Mapping[str, Column], weights: Weights) -> Column:
    """The one formula: weight × feature, summed."""
    parts = [weight * table[name] for name, weight in weights.items() if name in table]
    score: Column = np.sum(parts, axis=0)
    return score


def lifted(
    found: CandidateSet, score: Column, revised: Mapping[int, int]
) -> tuple[dict[int, int], Column]:
    """Which revisions hold, and how much each statement gains that would stand behind what it revises.

    One that openly revises does so whatever its score; a mere "now" or "new" must bear on the question.
    """
    lift, kept = np.zeros(len(score)), {}
    places = {u.seq: n for n, u in enumerate(found.order)} if revised else {}
    for old, new in sorted(revised.items()):
        if not {old, new} <= places.keys() & found.memories.keys():
            continue
        gap = float(score[places[old]] + lift[places[old]] - score[places[new]] - lift[places[new]])
        if gap <= MAY_LAG or any(
            openly_revises(found.memories[new].text[p.start : p.stop], found.memories[old].text)
            for p in found.vectors.of(new)
            if p.marks & CHANGES
        ):
            kept[old] = new
            lift[places[new]] += max(0.0, gap + AHEAD)
    return kept, lift


def _asked(index: Queries, embedder: Embedder, question: str) -> SoughtQuestion:
    """A question as ranking looks at it, and its words: names of speakers tell who, not what."""
    content = words(question)
    named = index.sessions.named(content)
    content = [word for word in content if word not in named] or content
    vector = embedder.embed([in_first_person(bare(question), named)])[0]
    terms = index.sessions.terms(content)
    totals = index.sessions.totals()
    return SoughtQuestion(question, content, asking(question), terms, totals, named, vector)


def _of_memory(found: CandidateSet, wanted: RankWanted) -> dict[str, Column]:
    """How much a memory weighs, from -0.5 to 0.5, and how recent it is, from 0 to 1."""
    days = np.array([u.day for u in found.order], float)
    ages = np.maximum(0.0, (wanted.day or days.max()) - days)
    weigh = [found.weights[u.seq] / WHOLE - 0.5 for u in found.order]
    return {"weight": np.array(weigh), "recency": np.exp(-ages / FADES_DAYS)}
