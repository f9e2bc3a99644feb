"""Does recall find what was said? Conversations are told to new beings, and questions asked of them.

Every message goes in through `remember` with its speaker, date and session, and every question through
the ranking that `being.recall` uses, over all lanes. A hit is a message, any that answers counts. Plain
stemmed BM25 is asked the same beside it. Vectors may be kept in a folder, by the hash of their text.
"""

from __future__ import annotations

import tempfile
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from hashlib import sha256
from pathlib import Path
from statistics import median
from time import perf_counter, process_time

import numpy as np
from numpy.typing import NDArray

from lumen.app.being import Being, Door, create
from lumen.app.opened import kernel_of
from lumen.kernel.language.passages import Embedder, Rows
from lumen.kernel.language.reading import WORD, words
from lumen.kernel.recall.candidates import RankWanted
from lumen.kernel.recall.features import bm25, idf
from lumen.kernel.recall.fusion import RankedMemory
from lumen.kernel.recall.query_adapter import QueryAdapter
from lumen.kernel.recall.search import IndexedRecall
from lumen.lab.recall_data import LabConversation, LabQuestion
from lumen.mind.encoder import SIZE
from lumen.soul.ports.sessions import Sessions

NEVER = 10**6  # the rank of what was not found
BM25, BM25_CONTENT = "bm25", "bm25 of content words"
EVERY = 50  # questions between two lines of progress
Told = Callable[[str], None]
Clocks = NDArray[np.float64]  # milliseconds by the clock, and of all processors


def clocks() -> Clocks:
    """Both, now."""
    return 1000 * np.array([perf_counter(), process_time()])


@dataclass(frozen=True, slots=True)
class AskedRow:
    """A question as it was answered: every candidate with its features, and which are right."""

    conversation: str
    dataset: str
    kind: str
    names: tuple[str, ...]
    table: NDArray[np.float32]  # a row for each candidate, best first by the shipped weights
    right: NDArray[np.bool_]
    sessions: NDArray[np.int64]
    many_right: int
    right_sessions: frozenset[int]
    plain_ranks: Mapping[str, int] = field(default_factory=dict)  # of plain BM25, by which words
    ms: float = 0.0  # beside the vector of the question
    cpu_ms: float = 0.0


@dataclass(slots=True)
class CachedEmbedder:
    """An embedder whose vectors are kept, in a file too where there is a folder, by the hash of their text."""

    inner: Embedder
    folder: Path | None
    took: Clocks = field(default_factory=lambda: np.zeros(2))  # to make vectors, so far
    _known: dict[bytes, Rows] = field(default_factory=dict)

    def __post_init__(self) -> None:
        size, raw = 32 + 4 * SIZE, b""
        if self.folder:
            self.folder.mkdir(parents=True, exist_ok=True)
            file = self.folder / f"{self.id}.vectors"
            raw = file.read_bytes() if file.exists() else b""
        for start in range(0, len(raw) - size + 1, size):
            row = np.frombuffer(raw[start + 32 : start + size], np.float32)
            self._known[raw[start : start + 32]] = row

    @property
    def id(self) -> str:
        """Which embedder it is."""
        return self.inner.id

    def embed(self, texts: Sequence[str]) -> Rows:
        """One unit row per text."""
        keys = [sha256(text.encode()).digest() for text in texts]
        new = {key: text for key, text in zip(keys, texts, strict=True) if key not in self._known}
        if new:
            before = clocks()
            rows = self.inner.embed([*new.values()])
            self.took = self.took + clocks() - before
            made = dict(zip(new, rows.astype(np.float32), strict=True))
            self._known |= made
            self._keep(b"".join(key + row.tobytes() for key, row in made.items()))
        return np.stack([self._known[key] for key in keys])

    def _keep(self, made: bytes) -> None:
        """In one write: another run may keep its own in the same file."""
        if self.folder:
            with (self.folder / f"{self.id}.vectors").open("ab", buffering=0) as kept:
                kept.write(made)


def ask_all(
    groups: Sequence[Sequence[LabConversation]],
    embedder: CachedEmbedder,
    progress: Told,
    adapters: Mapping[str, QueryAdapter] | None = None,
) -> list[AskedRow]:
    """Tell each group of conversations to a being of its own, and ask; by adapters of their own, if there are."""
    rows: list[AskedRow] = []
    for group in groups:
        with tempfile.TemporaryDirectory(prefix="lumen-recall-") as folder:
            where = create(Path(folder) / "being", None)
            with Door(where, None) as being:
                rows += _ask_group(being, group, embedder, progress, adapters or {})
    return rows


def _ask_group(
    being: Being,
    group: Sequence[LabConversation],
    embedder: CachedEmbedder,
    progress: Told,
    adapters: Mapping[str, QueryAdapter],
) -> list[AskedRow]:
    kernel = kernel_of(being)
    kernel.recall = IndexedRecall(kernel.index, embedder)
    places: dict[str, tuple[int, ...]] = {}
    for one in group:
        places[one.name] = being.remember(one.messages).events
    progress(f"{', '.join(places)}: {sum(map(len, places.values()))} messages told, learning …")
    while kernel.recall.learn():
        pass
    every = [seq for seqs in places.values() for seq in seqs]
    plain = PlainBM25(kernel.index.sessions, every)
    rows: list[AskedRow] = []
    for one in group:
        wanted = RankWanted(limit=None, adapter=adapters.get(one.name))
        for question in one.questions:
            gold = frozenset(places[one.name][n] for n in question.gold)
            ranks = plain.ranks(question.text, gold)
            before = clocks() - embedder.took
            found = kernel.recall.rank(question.text, wanted)
            ms, cpu_ms = clocks() - embedder.took - before
            row = _answered(one, question, gold, found, kernel.index.sessions)
            rows.append(replace(row, plain_ranks=ranks, ms=float(ms), cpu_ms=float(cpu_ms)))
            if len(rows) % EVERY == 0:
                progress(f"  {len(rows)} asked")
    return rows


def _answered(
    one: LabConversation,
    question: LabQuestion,
    gold: frozenset[int],
    found: Sequence[RankedMemory],
    sessions: Sessions,
) -> AskedRow:
    names = tuple(found[0].features) if found else ()
    return AskedRow(
        conversation=one.name,
        dataset=one.dataset,
        kind=question.kind,
        names=names,
        table=np.array([[f.features[n] for n in names] for f in found], np.float32),
        right=np.array([f.memory.seq in gold for f in found]),
        sessions=np.array([f.session for f in found], np.int64),
        many_right=len(gold),
        right_sessions=frozenset(sessions.utterances(gold).sessions.tolist()),
    )


class PlainBM25:
    """BM25 over stems and nothing else, as far as the index makes them."""

    def __init__(self, sessions: Sessions, seqs: Sequence[int]) -> None:
        self._sessions = sessions
        said = sessions.utterances(seqs)
        known = said.seqs.tolist()
        self._counts = {s: Counter(t.split()) for s, t in zip(known, said.terms, strict=True)}
        self._lengths = dict(zip(known, said.lengths.tolist(), strict=True))
        self._mean = sum(self._lengths.values()) / max(len(self._lengths), 1)
        self._holding: dict[str, list[int]] = {}
        for seq, counts in self._counts.items():
            for term in counts:
                self._holding.setdefault(term, []).append(seq)

    def ranks(self, question: str, gold: frozenset[int]) -> dict[str, int]:
        """The rank of the first right one, by all words and by those that carry content."""
        asked = {BM25: WORD.findall(question), BM25_CONTENT: words(question)}
        return {name: self._rank(some, gold) for name, some in asked.items()}

    def _rank(self, some: Sequence[str], gold: frozenset[int]) -> int:
        """Those that score the same come behind it."""
        asked = [term for term in self._sessions.terms(some) if term in self._holding]
        seqs = sorted({seq for term in asked for seq in self._holding[term]})
        if not gold & {*seqs}:
            return NEVER
        counts = np.array([[self._counts[s][t] for t in asked] for s in seqs], float)
        many = np.array([len(self._holding[t]) for t in asked], float)
        long = np.array([self._lengths[s] for s in seqs], float)
        score = bm25(counts, idf(many, len(self._counts)), long, self._mean)
        best = max(score[n] for n, seq in enumerate(seqs) if seq in gold)
        return 1 + int((score > best).sum())


@dataclass(frozen=True, slots=True)
class Judged:
    """What a question came to: the rank of the first right message, and what else counts."""

    rank: int
    all_in_5: float
    sessions_in_10: float


def judged(row: AskedRow, weights: Mapping[str, float]) -> Judged:
    """A question's candidates ordered by some weights."""
    if not len(row.table):
        return Judged(NEVER, 0.0, 0.0)
    score = row.table.astype(float) @ np.array([weights.get(name, 0.0) for name in row.names])
    order = np.argsort(-score, kind="stable")
    right = row.right[order]
    first = int(right.argmax()) + 1 if right.any() else NEVER
    sessions = {*list(dict.fromkeys(row.sessions[order].tolist()))[:10]}
    held = len(sessions & row.right_sessions) / max(len(row.right_sessions), 1)
    return Judged(first, float(right[:5].sum() == row.many_right), held)


Figures = dict[str, tuple[float, float, float]]  # of each measure its value and its interval


def figures(found: Sequence[Judged]) -> Figures:
    """The measures, each with the 95 % interval of questions drawn again."""
    ranks = np.array([one.rank for one in found], float)
    measures = {
        "hit@1": ranks <= 1,
        "hit@5": ranks <= 5,
        "hit@20": ranks <= 20,
        "recall_all@5": np.array([one.all_in_5 for one in found]),
        "mrr": 1 / ranks,
        "session_recall@10": np.array([one.sessions_in_10 for one in found]),
    }
    rng = np.random.default_rng(0)
    told: Figures = {}
    for name, values in measures.items():
        drawn = rng.choice(values.astype(float), (1000, len(values))).mean(1)
        low, high = np.quantile(drawn, [0.025, 0.975])
        told[name] = (float(values.mean()), float(low), float(high))
    return told


def summary(rows: Sequence[AskedRow], found: Sequence[Judged]) -> dict[str, object]:
    """Everything that is told of a run over one set of questions."""
    kinds: dict[str, list[Judged]] = {}
    for row, one in zip(rows, found, strict=True):
        kinds.setdefault(row.kind, []).append(one)
    return {
        "questions": len(rows),
        "recall": figures(found),
        **{name: _plain(rows, name) for name in (BM25, BM25_CONTENT)},
        "candidates": float(np.mean([len(row.table) for row in rows])),
        "right_among_candidates": float(np.mean([row.right.any() for row in rows])),
        "by_kind": {
            kind: {"questions": len(some), "hit@5": float(np.mean([j.rank <= 5 for j in some]))}
            for kind, some in sorted(kinds.items())
        },
        "ms": quantiles([row.ms for row in rows]),
        "cpu_ms": quantiles([row.cpu_ms for row in rows]),
    }


def quantiles(took: Sequence[float]) -> dict[str, float]:
    """The middle, and what one in twenty passes."""
    return {"p50": median(took), "p95": sorted(took)[int(0.95 * (len(took) - 1))]}


def _plain(rows: Sequence[AskedRow], name: str) -> Figures:
    found = figures([Judged(row.plain_ranks[name], 0.0, 0.0) for row in rows])
    return {measure: found[measure] for measure in ("hit@1", "hit@5", "hit@20", "mrr")}
