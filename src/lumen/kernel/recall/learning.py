"""Memories learnt: vectors of their passages, marks that tell of what kind each is, what it revises.

All of it is found out once, when a memory is learnt, and kept as rows: a turn reads only what bears
on its question. What a statement revises is settled when all before it is learnt.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from lumen.core.data import Memory, Passage
from lumen.kernel.language.asking import TextShape, shape
from lumen.kernel.language.corrections import (
    is_plain_fact,
    renews,
    same_attribute,
    same_fact,
    sets_right,
    tells_value,
)
from lumen.kernel.language.followups import exchanges_in, restated
from lumen.kernel.language.lexicon import lexicon
from lumen.kernel.language.passages import (
    LONGEST_QUOTE,
    Embedder,
    Rows,
    is_evidence,
    passages,
    stretches,
)
from lumen.kernel.language.reading import stem, words
from lumen.kernel.recall.lanes import CHANGES, MARKS, Lane, lane_of, marks_for
from lumen.kernel.recall.ranking import ranking_for
from lumen.soul.ports.queries import Queries
from lumen.soul.ports.vectors import VectorSet

STATED = MARKS[Lane.STATED]
WEIGHED = 2000  # characters of a passage whose words are looked at one by one
LOOKED_AT = 40  # earlier passages among which the revised one is looked for, on either path
MEANT = 3  # of those, the nearest, of which one may be said to change
SETTLED_AT_ONCE = 16
SPOKEN_OF = 2  # exchanges before a statement in which somebody is named that it speaks of


def marks_of(memory: Memory, passage: str, whole: TextShape) -> int:
    """What is to be known of a passage when it is looked for."""
    lane = lane_of(memory, passage)
    if lane is not Lane.STATED:
        return marks_for(lane, whole) if lane else 0
    return marks_for(lane, whole) | (CHANGES if _says_it_changes(passage) else 0)


def pieces_of(memory: Memory) -> list[tuple[int, int]]:
    """What of a memory gets a vector: the author's words by the sentence, others' by the paragraph."""
    return passages(memory.text) if is_evidence(memory) else stretches(memory.text)


def _says_it_changes(text: str) -> bool:
    short = len(text) <= LONGEST_QUOTE
    return short and (
        sets_right(text) or lexicon().has("revision", text) or lexicon().has("novelty", text)
    )


def _in_both(new: str, old: str) -> list[str]:
    """The words of a statement that stand in an earlier one too, but for those that tell of a change."""
    theirs, lex = {stem(w) for w in words(old)}, lexicon()
    signals = (*lex.found("novelty", new), *lex.found("revision", new))
    telling = {w for said in signals for w in words(said)}
    return [w for w in words(new) if stem(w) in theirs and w not in telling]


@dataclass(slots=True)
class Lessons:
    """What one embedder has learnt of a being, and how it learns more."""

    index: Queries
    embedder: Embedder
    vectors: VectorSet
    _words: dict[str, Rows] = field(default_factory=dict)
    _as_of: int = 0
    _unsettled: bool = True  # whether some statements may wait to be settled

    def learn(self, seqs: Sequence[int]) -> int:
        """Give vectors to some memories; returns how many were done.

        Of none, statements that waited for earlier ones are settled, a few at a time.
        """
        if not seqs:
            return self._settle_waiting() if self._unsettled else 0
        self._as_of = self.index.memories.reread()
        fresh = self.index.memories.get(seqs)
        pieces = [(m, a, b) for m in fresh.values() for a, b in pieces_of(m)]
        rows = self.embedder.embed([m.text[a:b] for m, a, b in pieces]) if pieces else ()
        shapes = {m.seq: shape(m.text) for m in fresh.values()}
        learnt = [
            Passage(m.seq, a, b, row.tobytes(), marks=marks_of(m, m.text[a:b], shapes[m.seq]))
            for (m, a, b), row in zip(pieces, rows, strict=True)
        ]
        self.vectors.add(seqs, learnt)
        told = (m for m in fresh.values() if is_evidence(m))
        self.know([w for m in told for w in words(m.text[:WEIGHED])])
        self._settle(p for p in learnt if p.marks & CHANGES)
        return len(seqs)

    def know(self, wanted: Sequence[str]) -> None:
        """Make sure single words have vectors: kept ones first, new ones computed and kept."""
        missing = [w for w in dict.fromkeys(wanted) if w not in self._words]
        kept = self.vectors.words(missing)
        self._words |= {w: np.frombuffer(v, dtype=np.float32) for w, v in kept.items()}
        new = [w for w in missing if w not in self._words]
        if new:
            rows = self.embedder.embed(new)
            self._words |= dict(zip(new, rows, strict=True))
            kept_now = {w: row.tobytes() for w, row in zip(new, rows, strict=True)}
            self.vectors.add_words(kept_now, self._as_of)

    def rows_of(self, wanted: Sequence[str]) -> Rows:
        """The vectors of words that are known."""
        return np.stack([self._words[w] for w in wanted])

    def _settle_waiting(self) -> int:
        """Settle the newest that wait; returns how many, if more do."""
        waiting = self.vectors.unsettled(CHANGES, SETTLED_AT_ONCE)
        self._settle(waiting)
        left = self.vectors.unsettled(CHANGES, 1)
        self._unsettled = bool(left) and left[0].number != waiting[0].number
        return len(waiting) if self._unsettled else 0

    def _settle(self, changing: Iterable[Passage]) -> None:
        """Find out what statements that change something revise, and keep it."""
        rows = []
        for passage in changing:
            if self.vectors.missing(1, passage.seq):  # what it means may be learnt last
                self._unsettled = True
            else:
                rows.append((passage.seq, self._revised(passage)))
        if rows:
            self.vectors.set_revisions(rows)

    def _revised(self, new: Passage) -> int:
        """The earlier memory that a statement which changes something is about; 0: none."""
        memory = self.index.memories.get([new.seq]).get(new.seq)
        if memory is None:
            return 0
        text = memory.text[new.start : new.stop]
        if whole := restated(text, exchanges_in(self.index.memories.exchanges(new.seq, SPOKEN_OF))):
            text = whole  # "she moved" says nothing by itself of whom
            new = replace(new, vector=self.embedder.embed([text])[0].tobytes())
        earlier = self._earlier(new, text)
        if is_plain_fact(text):  # a home, or an age: where that very fact was told last
            told = [seq for seq, old, _ in earlier if same_fact(text, old)]
            if told:
                return max(told)
        earlier.sort(key=lambda one: -one[2])
        near = (one for one in earlier if one[2] >= ranking_for(self.embedder.id).same_subject)
        if anew := next((seq for seq, old, _ in near if renews(text, old)), 0):
            return anew
        nearest = earlier[:MEANT]
        if nearest and self._same_subject(text, *nearest[0][1:]):
            return nearest[0][0]
        openly = (seq for seq, old, near in nearest if self._openly_revised(text, old, near))
        return next(openly, 0)

    def _earlier(self, new: Passage, text: str) -> list[tuple[int, str, float]]:
        """What was stated before that may be meant: memory, words, nearness."""
        row = np.frombuffer(new.vector, dtype=np.float32)
        near = self.vectors.nearest(new.vector, LOOKED_AT, before=new.seq, marks=STATED)
        by_words = {
            s for s, _ in self.index.memories.search(words(text), LOOKED_AT, before=new.seq)
        }
        passages = {p.number: p for p in self.vectors.passages_of({*near.seqs.tolist(), *by_words})}
        spots = {n: (p.seq, p.start, p.stop) for n, p in passages.items()}
        cosines = zip(near.numbers.tolist(), near.cosines.tolist(), strict=True)
        found = {spots[n]: cosine for n, cosine in cosines if n in spots}
        for n, p in passages.items():
            if p.seq in by_words and p.marks & STATED:
                found[spots[n]] = float(np.frombuffer(p.vector, dtype=np.float32) @ row)
        memories = self.index.memories.get({seq for seq, _, _ in found})
        return [
            (seq, memories[seq].text[a:b], cosine)
            for (seq, a, b), cosine in found.items()
            if seq in memories
        ]

    def _same_subject(self, new: str, old: str, likeness: float) -> bool:
        """Near in meaning and sharing a seldom-used word; where it says no more than "now" or "new",
        very near, or sharing two.
        """
        law = ranking_for(self.embedder.id)
        enough = 1 if lexicon().has("revision", new) or likeness > law.alone else 2
        if likeness < law.same_subject or self._many_seldom(_in_both(new, old)) < enough:
            return False
        return same_attribute(new, old)

    def _openly_revised(self, new: str, old: str, likeness: float) -> bool:
        """Near, said to be a change, and sharing two seldom-used words, or one and the kind of value;
        a day or a figure alone is no subject.
        """
        law = ranking_for(self.embedder.id)
        if likeness < law.surely or not lexicon().has("revision", new):
            return False
        shared = _in_both(new, old)
        plain = [w for w in shared if not tells_value(w)]
        return self._many_seldom(plain) > 0 and (
            self._many_seldom(shared) > 1 or (tells_value(new) and tells_value(old))
        )

    def _many_seldom(self, shared: Sequence[str]) -> int:
        """How many of some words stand in so few memories that they tell something."""
        law = ranking_for(self.embedder.id)
        return sum(n <= law.seldom for n in self.index.memories.frequencies(shared).values())
