"""What comes to mind: the last two exchanges, and what the author said that bears on a question.

Two paths, by text and by meaning, meet in one score: the cosine of sentence vectors, plus how
much of the question's rare words the passage holds (exactly, and by the nearness of single
words), plus whether it holds the kind of answer asked for. Kernel memories are never returned,
and neither are questions or replies: evidence is what the author stated outside this turn.
The cosine is an external embedder's where there is one (external_embedder.py).
"""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

import numpy as np

from lumen.core.clock import stamp
from lumen.core.data import Memory, Passage
from lumen.core.stores import Store
from lumen.kernel.language.corrections import is_plain_fact, same_attribute, same_fact
from lumen.kernel.language.lexicon import AnswerKind, lexicon
from lumen.kernel.language.passages import (
    LONGEST_QUOTE,
    Embedder,
    Rows,
    Spot,
    is_evidence,
    passages,
    quoted,
)
from lumen.kernel.language.questions import despairs, is_told, may_answer
from lumen.kernel.language.reading import CYRILLIC, asks_for, fits, names, stem, words
from lumen.kernel.language.spans import Span
from lumen.kernel.recall.evidence import Evidence
from lumen.kernel.recall.external_embedder import ExternalEmbedder, ExternalEncoder
from lumen.kernel.recall.nearness import is_foreign, is_met, nearness
from lumen.kernel.recall.ranking import RANKING
from lumen.kernel.recall.summary import Line, Noted, read_summary, within
from lumen.soul.ports.queries import Queries
from lumen.soul.state.records import WHOLE

EXCHANGES = 2
SHORTLIST = 40
AT_ONCE = 24  # memories without vectors that are worth making some for in a turn
WEIGHED = 2000  # characters of a passage whose words are looked at one by one
LOOKED_BACK = 500  # memories that are looked through for what the author said of themselves
MOST_PHRASES = 2000  # vectors of short texts that are held on to: three megabytes


@dataclass(slots=True)
class _Known:
    """The passages of a being, loaded once and extended as it learns."""

    spots: list[Spot] = field(default_factory=list)
    matrix: Rows = field(default_factory=lambda: np.zeros((0, 0), dtype=np.float32))
    marked: list[bool] = field(default_factory=list)  # which passages say that they change
    cyrillic: bool = False  # whether any of them is in such letters
    revises: dict[int, int] = field(default_factory=dict)  # passage → memory, once looked for
    last: int = 0  # the passage added last
    as_of: tuple[int, int] = (0, 0)  # the last event that took something away, and which index


class IndexedRecall:
    """Recall over one being's index, shared by its turns.

    What a turn may recall ends `before` its own first event; it holds a frozen `RecallBefore`.
    """

    def __init__(
        self, index: Queries, embedder: Embedder, chosen: ExternalEncoder | None = None
    ) -> None:
        self._index = index
        self.embedder = embedder
        self.chosen = ExternalEmbedder(index, chosen, embedder) if chosen else None
        self._vectors = index.vectors.built_in(embedder.id)
        self._known = _Known()
        self._memories: dict[int, Memory] = {}
        self._lexemes: dict[str, Rows] = {}
        self._phrases: dict[str, Rows] = {}
        self._phrases_as_of = 0
        self._as_of = 0

    def learn(self, limit: int = 64) -> int:
        """Give vectors to memories that have none, the newest first; returns how many were done.

        Of the chosen embedder too, when there is one.
        """
        return self.learn_built_in(limit) + (self.chosen.learn() if self.chosen else 0)

    def learn_built_in(self, limit: int) -> int:
        """Give vectors of the built-in embedder to memories that have none."""
        return self._learn(self._vectors.missing(limit))

    def trouble(self) -> str:
        """Why the chosen embedder does not serve, in words; each reason is told once."""
        return self.chosen.trouble() if self.chosen else ""

    def close(self) -> None:
        """Let go of the chosen embedder's connection."""
        if self.chosen:
            self.chosen.close()

    def _learn(self, seqs: Sequence[int]) -> int:
        self._as_of = self._index.memories.reread()
        fresh = self._index.memories.get(seqs)
        pieces = [(m, a, b) for m in fresh.values() for a, b in passages(m.text)]
        rows = self.embedder.embed([m.text[a:b] for m, a, b in pieces]) if pieces else ()
        self._vectors.add(
            seqs,
            [
                Passage(m.seq, a, b, row.tobytes())
                for (m, a, b), row in zip(pieces, rows, strict=True)
            ],
        )
        self._near_vectors([w for m in fresh.values() for w in words(m.text[:WEIGHED])])
        return len(seqs)

    def recent(self, before: int) -> tuple[Memory, ...]:
        """The last two exchanges before a turn."""
        return tuple(self._index.memories.exchanges(before, EXCHANGES))

    def told(self, span: Span, before: int) -> list[Noted | Line]:
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
        self._load()
        first = bisect_left(self._known.spots, (before, 0, 0))
        for i in range(first, bisect_left(self._known.spots, (before + 1, 0, 0))):
            if self._known.marked[i] and lexicon().has("revision", self._text(i)):
                old = self._revises(i)
                if old:
                    return self._memories[old]
        return None

    def is_foreign(self, question: str) -> bool:
        """Whether some of what was told is in letters that a question has none of."""
        return self._known.cyrillic and not CYRILLIC.search(question)

    def statements(self, before: int) -> tuple[Memory, ...]:
        """What the author said of themselves and did not take back, the newest first."""
        self._load()
        seqs = dict.fromkeys(seq for seq, _, _ in reversed(self._known.spots) if seq < before)
        told = [self._memories[seq] for seq in list(seqs)[:LOOKED_BACK]]
        return tuple(m for m in told if is_told(m.text) and self._revised_by(m.seq, before) is None)

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

    def evidence(self, question: str, before: int) -> tuple[Evidence, ...]:
        """What the author said that bears on a question, best first, the newest on one subject.

        What the words find is there at once; a memory without a vector yet is given one first.
        """
        by_text = [seq for seq, _ in self._index.memories.search(words(question), AT_ONCE)]
        self._learn(self._vectors.missing_of(by_text))
        self._load()
        if not self._known.spots:
            return ()
        query = self.embedder.embed([question])[0]
        cosines = self._known.matrix @ query
        if self.chosen:
            cosines = self.chosen.cosines(question, before, self._known.spots, cosines)
        chosen = self._shortlist(question, cosines, before)
        return self._newest(self._scored(question, cosines, chosen), before)

    def _load(self) -> None:
        as_of = self._index.memories.reread(), self._index.made
        if as_of != self._known.as_of:  # something was forgotten or marked, or the index made anew
            self._known, self._memories = _Known(as_of=as_of), {}
        self._as_of = as_of[0]
        known = self._known
        fresh = list(self._vectors.after(known.last))
        self._memories |= self._index.memories.get({p.seq for p in fresh} - self._memories.keys())
        rows = []
        for p in fresh:
            known.last = p.number
            memory = self._memories.get(p.seq)
            if memory and is_evidence(memory) and may_answer(memory.text[p.start : p.stop]):
                known.spots.append((p.seq, p.start, p.stop))
                rows.append(np.frombuffer(p.vector, dtype=np.float32))
        if rows:
            old = known.matrix if len(known.matrix) else np.zeros((0, len(rows[0])), np.float32)
            known.matrix = np.concatenate([old, np.stack(rows)])
            for i in range(len(old), len(known.spots)):
                known.marked.append(self._says_it_changes(i))
                known.cyrillic = known.cyrillic or bool(CYRILLIC.search(self._text(i)))
            self._in_order()

    def _in_order(self) -> None:
        """Passages stand in the order of their events, in whatever order they were learnt."""
        known = self._known
        order = sorted(range(len(known.spots)), key=known.spots.__getitem__)
        if order != list(range(len(order))):
            known.spots = [known.spots[i] for i in order]
            known.marked = [known.marked[i] for i in order]
            known.matrix = known.matrix[order]
            known.revises = {}

    def _says_it_changes(self, i: int) -> bool:
        text = self._text(i)
        short = len(text) <= LONGEST_QUOTE
        return short and (lexicon().has("revision", text) or lexicon().has("novelty", text))

    def _revises(self, i: int) -> int:
        """The earlier memory a statement that changes something is nearest to; 0: none."""
        if i not in self._known.revises:
            seq = self._known.spots[i][0]
            earlier = bisect_left(self._known.spots, (seq, 0, 0))
            self._known.revises[i] = 0
            if earlier:
                likeness = self._known.matrix[:earlier] @ self._known.matrix[i]
                nearest = int(likeness.argmax())
                plain = self._same_before(i, earlier)
                if plain is not None or self._same_subject(i, nearest, float(likeness[nearest])):
                    spot = nearest if plain is None else plain
                    self._known.revises[i] = self._known.spots[spot][0]
        return self._known.revises[i]

    def _same_before(self, i: int, earlier: int) -> int | None:
        """Where the very fact that a passage changes was told last: a home, or an age."""
        new = self._text(i)
        if not is_plain_fact(new):
            return None
        return next((j for j in range(earlier - 1, -1, -1) if same_fact(new, self._text(j))), None)

    def _revised_by(self, seq: int, before: int) -> int | None:
        """The newest passage before a turn that revises a memory."""
        first = bisect_left(self._known.spots, (seq, 0, 0))
        after = bisect_left(self._known.spots, (seq + 1, 0, 0))
        end = bisect_left(self._known.spots, (before, 0, 0))
        later = [i for i in range(after, end) if self._known.marked[i]]
        if not later or first == after:
            return None
        nearness = self._known.matrix[later] @ self._known.matrix[first:after].T
        told = [t for t in map(self._text, range(first, after)) if is_plain_fact(t)]
        for i, n in reversed([*zip(later, nearness.max(axis=1), strict=True)]):
            near = n >= RANKING.same_subject or any(same_fact(self._text(i), t) for t in told)
            if near and self._revises(i) == seq:
                return int(i)
        return None

    def _same_subject(self, i: int, j: int, likeness: float) -> bool:
        """Near in meaning and sharing a seldom-used word; a mere "now" or "new" asks for more."""
        theirs = {stem(w) for w in words(self._text(j))}
        both = [w for w in words(self._text(i)) if stem(w) in theirs]
        open_about_it = lexicon().has("revision", self._text(i))
        if likeness < RANKING.same_subject or not (
            open_about_it or len(both) > 1 or likeness > RANKING.surely
        ):
            return False
        if not same_attribute(self._text(i), self._text(j)):
            return False
        return any(
            len(self._index.memories.search([w], RANKING.seldom + 1)) <= RANKING.seldom
            for w in both
        )

    def _shortlist(self, question: str, cosines: Rows, before: int) -> list[int]:
        """Passages worth a closer look: nearest in meaning, and those that share rare words."""
        by_text = {seq for seq, _ in self._index.memories.search(words(question), SHORTLIST)}
        order = np.argsort(-cosines)
        near = {int(i) for i in order[: 2 * SHORTLIST]}
        said = {i for i, (seq, _, _) in enumerate(self._known.spots) if seq in by_text}
        return [i for i in sorted(near | said) if self._known.spots[i][0] < before]

    def _scored(
        self, question: str, cosines: Rows, chosen: Iterable[int]
    ) -> list[tuple[float, int, bool | None]]:
        asked = words(question)
        kind = asks_for(question)
        weight = self._rarity(asked)
        best: dict[int, tuple[float, int, bool | None]] = {}
        top_sentence: dict[int, float] = {}
        chosen = list(chosen)
        texts = [self._text(i)[:WEIGHED] for i in chosen]
        weighs = self._index.memories.weights({self._known.spots[i][0] for i in chosen})
        self._near_vectors([*asked, *(w for t in texts for w in words(t))])
        for i, text in zip(chosen, texts, strict=True):
            score, answers = self._score(asked, weight, text, kind, question)
            seq = self._known.spots[i][0]
            score += float(cosines[i]) + RANKING.weight * (weighs[seq] / WHOLE - 0.5)
            top, spot, told = best.get(seq, (-1.0, i, answers))
            if score > top:
                told = answers
            if score > top_sentence.get(seq, -1.0) and not self._is_whole(i):
                top_sentence[seq], spot = score, i
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
            near = nearness(asked, held, self._matrix(asked) @ self._matrix(held).T).max(axis=1)
            if not self.chosen and is_foreign(asked, near, kind):
                return -1.0, False
            soft = np.clip((near - RANKING.near_from) / (1 - RANKING.near_from), 0, 1)
            score += float((RANKING.exact * exact + RANKING.near * soft) @ weight)
            if not is_met(asked, near, named, kind):
                answers = False
        return score, answers

    def _rarity(self, asked: list[str]) -> Rows:
        """How much each asked word tells, summing to 1: rare words tell more."""
        total = max(1, len({seq for seq, _, _ in self._known.spots}))
        counts = [len(self._index.memories.search([w], 1000)) for w in asked]
        weights = np.array([math.log(1 + total / (0.5 + n)) for n in counts], dtype=np.float32)
        return weights / max(float(weights.sum()), 1e-6)

    def _near_vectors(self, wanted: Sequence[str]) -> None:
        """Make sure single words have vectors: kept ones first, new ones computed and kept."""
        missing = [w for w in dict.fromkeys(wanted) if w not in self._lexemes]
        kept = self._vectors.words(missing)
        self._lexemes |= {w: np.frombuffer(v, dtype=np.float32) for w, v in kept.items()}
        new = [w for w in missing if w not in self._lexemes]
        if new:
            rows = self.embedder.embed(new)
            self._lexemes |= dict(zip(new, rows, strict=True))
            kept_now = {w: row.tobytes() for w, row in zip(new, rows, strict=True)}
            self._vectors.add_words(kept_now, self._as_of)

    def _matrix(self, wanted: list[str]) -> Rows:
        return np.stack([self._lexemes[w] for w in wanted])

    def _newest(
        self, scored: list[tuple[float, int, bool | None]], before: int
    ) -> tuple[Evidence, ...]:
        """Put the statement that revised another in its place; a mere "now" must fit as well."""
        scores = {self._known.spots[i][0]: score for score, i, _ in scored}
        kept: list[Evidence] = []
        seen: set[int] = set()
        for score, i, answers in scored[:12]:
            spot, old = self._known.spots[i], None
            while (later := self._revised_by(spot[0], before)) is not None:
                new = self._known.spots[later]
                open_about_it = lexicon().has("revision", self._text(later))
                if not open_about_it and scores.get(new[0], -1.0) < score - RANKING.novelty_may_lag:
                    break
                seen.add(spot[0])
                old, spot = self._memories[spot[0]], new
            if spot[0] not in seen:
                seen.add(spot[0])
                memory = self._memories[spot[0]]
                quote = quoted(memory.text, *spot[1:], alone=despairs(memory.text))
                kept.append(Evidence(memory, quote, score, answers, old))
        return tuple(kept)

    def _is_whole(self, i: int) -> bool:
        seq, start, stop = self._known.spots[i]
        return (start, stop) == (0, len(self._memories[seq].text))

    def _text(self, i: int) -> str:
        seq, start, stop = self._known.spots[i]
        return self._memories[seq].text[start:stop]
