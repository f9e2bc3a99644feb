"""What comes to mind: the last two exchanges, and what the author said that bears on a question.

Two paths, by text and by meaning, meet in one score: the cosine of sentence vectors, plus how
much of the question's rare words the passage holds (exactly, and by the nearness of single
words), plus whether it holds the kind of answer asked for. Kernel memories are never returned,
and neither are questions or replies: evidence is what the author stated outside this turn.
Nothing is read but what one of the paths found, however much there is (learning.py). The cosine is
an external embedder's where there is one (external_embedder.py).
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from lumen.core.clock import stamp
from lumen.core.data import Memory
from lumen.core.stores import Store
from lumen.kernel.language.lexicon import AnswerKind, lexicon
from lumen.kernel.language.passages import Embedder, Rows, Spot, quoted
from lumen.kernel.language.questions import despairs, may_answer, tells_of_author
from lumen.kernel.language.reading import CYRILLIC, asks_for, fits, names, stem, words
from lumen.kernel.language.spans import Span
from lumen.kernel.recall.evidence import Evidence
from lumen.kernel.recall.external_embedder import ExternalEmbedder, ExternalEncoder
from lumen.kernel.recall.fusion import RankedMemory, RankWanted, rank
from lumen.kernel.recall.learning import CHANGES, FOREIGN, STATED, WEIGHED, Lessons
from lumen.kernel.recall.nearness import is_foreign, is_met, nearness
from lumen.kernel.recall.ranking import RANKING
from lumen.kernel.recall.summary import Line, Noted, read_summary, within
from lumen.soul.ports.queries import Queries
from lumen.soul.state.records import WHOLE

EXCHANGES = 2
SHORTLIST = 40
AT_ONCE = 24  # memories without vectors that are worth making some for in a turn
LOOKED_BACK = 500  # memories that are looked through for what the author said of themselves
MOST_PHRASES = 2000  # vectors of short texts that are held on to: three megabytes
MOST_EVIDENCE = 12


@dataclass(frozen=True, slots=True)
class FoundPassage:
    """A passage that is worth a closer look."""

    memory: Memory
    start: int
    stop: int
    cosine: float

    @property
    def text(self) -> str:
        """Its words."""
        return self.memory.text[self.start : self.stop]

    @property
    def is_whole(self) -> bool:
        """Whether it is all of the memory."""
        return (self.start, self.stop) == (0, len(self.memory.text))


Scored = tuple[float, FoundPassage, bool | None]


class IndexedRecall:
    """Recall over one being's index, shared by its turns.

    What a turn may recall ends `before` its own first event; it holds a frozen `RecallBefore`.
    """

    def __init__(
        self, index: Queries, embedder: Embedder, external: ExternalEncoder | None = None
    ) -> None:
        self._index = index
        self.embedder = embedder
        self.external = ExternalEmbedder(index, external, embedder) if external else None
        self._vectors = index.vectors.built_in(embedder.id)
        self._lessons = Lessons(index, embedder, self._vectors)
        self._phrases: dict[str, Rows] = {}
        self._phrases_as_of = 0

    def learn(self, limit: int = 64) -> int:
        """Give vectors to memories that have none, the newest first; returns how many were done.

        Of the external embedder too, when there is one.
        """
        return self.learn_built_in(limit) + (self.external.learn() if self.external else 0)

    def learn_built_in(self, limit: int) -> int:
        """Give vectors of the built-in embedder to memories that have none."""
        return self._lessons.learn(self._vectors.missing(limit))

    def trouble(self) -> str:
        """Why the external embedder does not serve, in words; each reason is told once."""
        return self.external.trouble() if self.external else ""

    def close(self) -> None:
        """Let go of the external embedder's connection."""
        if self.external:
            self.external.close()

    def recent(self, before: int) -> tuple[Memory, ...]:
        """The last two exchanges before a turn."""
        return tuple(self._index.memories.exchanges(before, EXCHANGES))

    def within(self, span: Span, before: int) -> list[Noted | Line]:
        """What the author said in a span; over a long one, by the years' summaries up to where
        they reach. What is private stands in no summary and is told from itself.
        """
        start, end = stamp(span.start), stamp(span.end)
        lines: list[Line] = []
        after = 0
        if span.long:
            for year in range(span.start.year, span.end.year + 1):
                known = self._index.files.kept(Store.SUMMARY.place.file(year))
                lines += read_summary(known.text or "") if known else []
            after = max((line.event for line in lines), default=0)
        said = [
            Noted(m.seq, m.timestamp, m.text, m.weight)
            for m in self._index.memories.said_in(start, end)
            if m.seq < before and (m.seq > after or m.private)
        ]
        return [*within(lines, span), *said]

    def is_private(self, seqs: Iterable[int]) -> bool:
        """Whether any of some memories must not leave."""
        return any(m.private for m in self._index.memories.get(seqs).values())

    def replaced(self, before: int) -> Memory | None:
        """The earlier statement that a turn's message openly revises."""
        old = self._vectors.revises(before)
        if not old or not any(lexicon().has("revision", c.text) for c in self._changing(before)):
            return None
        return self._index.memories.get([old]).get(old)

    def is_foreign(self, question: str) -> bool:
        """Whether some of what was told is in letters that a question has none of."""
        return not CYRILLIC.search(question) and bool(self._vectors.with_marks(FOREIGN, limit=1))

    def statements(self, before: int) -> tuple[Memory, ...]:
        """What the author said of themselves and did not take back, the newest first."""
        seqs = [seq for seq, _ in self._index.memories.statements(LOOKED_BACK) if seq < before]
        revised = self._vectors.revised_by(seqs, before=before)
        known = self._index.memories.get(seq for seq in seqs if seq not in revised)
        return tuple(m for m in known.values() if tells_of_author(m.text))

    def likeness(self, texts: tuple[str, ...], to: str) -> tuple[float, ...]:
        """How near each text is in meaning to another."""
        rows = self._remembered([*texts, to])
        return tuple(float(x) for x in rows[:-1] @ rows[-1])

    def _remembered(self, texts: list[str]) -> Rows:
        """Vectors of short texts that come again, such as the names of values: made once.

        They end with any forgetting, which may have been of these very words.
        """
        as_of = self._index.memories.reread()
        if as_of != self._phrases_as_of or len(self._phrases) > MOST_PHRASES:
            self._phrases, self._phrases_as_of = {}, as_of
        new = [t for t in dict.fromkeys(texts) if t not in self._phrases]
        if new:
            self._phrases |= dict(zip(new, self.embedder.embed(new), strict=True))
        return np.stack([self._phrases[t] for t in texts])

    def rank(self, question: str, wanted: RankWanted) -> tuple[RankedMemory, ...]:
        """What was said or found that bears on a question, of whichever lane, best first."""
        return rank(self._index, self._vectors, self.embedder, question, wanted)

    def evidence(self, question: str, before: int) -> tuple[Evidence, ...]:
        """What the author said that bears on a question, best first, the newest on one subject.

        What the words find is there at once; a memory without a vector yet is given one first.
        """
        by_text = [
            s for s, _ in self._index.memories.search(words(question), SHORTLIST, before=before)
        ]
        unlearnt = self._vectors.missing_of(by_text[:AT_ONCE])
        if unlearnt:
            self._lessons.learn(unlearnt)
        query = self.embedder.embed([question])[0]
        found = self._shortlist(query, by_text, before)
        if self.external:
            found = self.external.weighed(question, before, found, 2 * SHORTLIST)
        return self._newest(self._scored(question, self._candidates(found)), before)

    def _shortlist(self, query: Rows, by_text: Sequence[int], before: int) -> dict[Spot, float]:
        """Passages worth a closer look: nearest in meaning, and those that share rare words."""
        near = self._vectors.nearest(query.tobytes(), 2 * SHORTLIST, before=before, marks=STATED)
        found = {(n.seq, n.start, n.stop): n.cosine for n in near}
        for p in self._vectors.passages_of(by_text):
            if p.marks & STATED:
                cosine = float(np.frombuffer(p.vector, dtype=np.float32) @ query)
                found.setdefault((p.seq, p.start, p.stop), cosine)
        return found

    def _candidates(self, found: dict[Spot, float]) -> list[FoundPassage]:
        memories = self._index.memories.get({seq for seq, _, _ in found})
        every = (
            FoundPassage(memories[seq], start, stop, cosine)
            for (seq, start, stop), cosine in sorted(found.items())
            if seq in memories
        )
        return [c for c in every if may_answer(c.text)]

    def _changing(self, seq: int) -> list[FoundPassage]:
        """The passages of a memory that say that something changes."""
        memory = self._index.memories.get([seq]).get(seq)
        if memory is None:
            return []
        marked = (p for p in self._vectors.passages_of([seq]) if p.marks & CHANGES)
        return [FoundPassage(memory, p.start, p.stop, 0.0) for p in marked]

    def _scored(self, question: str, chosen: Sequence[FoundPassage]) -> list[Scored]:
        """Each memory by its best passage, and the sentence of it that is quoted."""
        asked = words(question)
        kind = asks_for(question)
        weight = self._rarity(asked)
        best: dict[int, Scored] = {}
        top_sentence: dict[int, float] = {}
        texts = [c.text[:WEIGHED] for c in chosen]
        self._lessons.know([*asked, *(w for t in texts for w in words(t))])
        for one, text in zip(chosen, texts, strict=True):
            score, answers = self._score(asked, weight, text, kind, question)
            score += one.cosine + RANKING.weight * (one.memory.weight / WHOLE - 0.5)
            seq = one.memory.seq
            top, spot, told = best.get(seq, (-1.0, one, answers))
            if score > top:
                told = answers
            if score > top_sentence.get(seq, -1.0) and not one.is_whole:
                top_sentence[seq], spot = score, one
            best[seq] = (max(score, top), spot, told)
        return sorted(best.values(), key=lambda b: -b[0])

    def _score(
        self, asked: list[str], weight: Rows, text: str, kind: AnswerKind | None, question: str
    ) -> tuple[float, bool | None]:
        held, named = words(text), names(question)
        answers = fits(kind, text, question)
        score = 0.0 if answers is None else (RANKING.kind if answers else -RANKING.kind)
        stems = {stem(w) for w in held}
        if len(stems - {stem(w) for w in asked}) < 2:
            score -= RANKING.thin
        if asked and held:
            exact = np.array([stem(w) in stems for w in asked], dtype=np.float32)
            near = nearness(
                asked, held, self._lessons.rows_of(asked) @ self._lessons.rows_of(held).T
            ).max(axis=1)
            if not self.external and is_foreign(asked, near, kind):
                return -1.0, False
            soft = np.clip((near - RANKING.near_from) / (1 - RANKING.near_from), 0, 1)
            score += float((RANKING.exact * exact + RANKING.near * soft) @ weight)
            if not is_met(asked, near, named, kind):
                answers = False
        return score, answers

    def _rarity(self, asked: list[str]) -> Rows:
        """How much each asked word tells, summing to 1: rare words tell more."""
        total = max(1, self._index.memories.many_texts())
        many = self._index.memories.frequencies(asked)
        counts = [many.get(w, 0) for w in asked]
        weights = np.array([math.log(1 + total / (0.5 + n)) for n in counts], dtype=np.float32)
        return weights / max(float(weights.sum()), 1e-6)

    def _newest(self, scored: Sequence[Scored], before: int) -> tuple[Evidence, ...]:
        """Put the statement that revised another in its place; a mere "now" must fit as well."""
        scores = {c.memory.seq: score for score, c, _ in scored}
        kept: list[Evidence] = []
        seen: set[int] = set()
        for score, found, answers in scored[:MOST_EVIDENCE]:
            one: FoundPassage = found
            old: Memory | None = None
            while (later := self._later(one.memory.seq, before)) is not None:
                open_about_it = lexicon().has("revision", later.text)
                lags = scores.get(later.memory.seq, -1.0) < score - RANKING.novelty_may_lag
                if lags and not open_about_it:
                    break
                seen.add(one.memory.seq)
                old, one = one.memory, later
            if one.memory.seq not in seen:
                seen.add(one.memory.seq)
                alone = despairs(one.memory.text)
                quote = quoted(one.memory.text, one.start, one.stop, alone=alone)
                kept.append(Evidence(one.memory, quote, score, answers, old))
        return tuple(kept)

    def _later(self, seq: int, before: int) -> FoundPassage | None:
        """The passage of the newest memory that revises another, as far as a turn may know it."""
        new = self._vectors.revised_by([seq], before=before).get(seq)
        return next(iter(self._changing(new)), None) if new else None
