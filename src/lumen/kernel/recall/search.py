"""What comes to mind: the last two exchanges, and what the author said that bears on a question.

Evidence is what the author stated outside this turn, in the order of the one ranking (fusion.py); how sure
it is that it answers is another law (verdict.py). Kernel memories are never returned, and neither are
questions or replies. Nothing is read but what one of the paths found, however much there is (learning.py).
The cosine is an external embedder's where there is one (external_embedder.py).
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from lumen.core.clock import stamp
from lumen.core.data import Memory
from lumen.core.stores import Store
from lumen.kernel.language.asked_of_it import ENDS, asked_in_meaning
from lumen.kernel.language.asking import about
from lumen.kernel.language.corrections import openly_revises
from lumen.kernel.language.passages import Embedder, Rows
from lumen.kernel.language.questions import tells_something
from lumen.kernel.language.reading import words
from lumen.kernel.language.spans import Span
from lumen.kernel.recall.candidates import RankWanted
from lumen.kernel.recall.evidence import Evidence, current
from lumen.kernel.recall.external_embedder import ExternalEmbedder, ExternalEncoder
from lumen.kernel.recall.fusion import RankedMemory, rank
from lumen.kernel.recall.lanes import CHANGES, Lane
from lumen.kernel.recall.learning import Lessons
from lumen.kernel.recall.summary import Line, Noted, read_summary, within
from lumen.kernel.recall.verdict import sought, verdicts
from lumen.soul.ports.queries import Queries

EXCHANGES = 2
BACKLOG = 64  # memories without vectors that are more than a turn or two will learn
UNLEARNT = (
    "Not all that you told can be found by meaning yet, so an answer may miss some of it; it is learnt as we talk."
    "\n  try: lumen maintain"
)
AT_ONCE = 24  # memories without vectors that are worth making some for in a turn
LOOKED_BACK = 500  # memories that are looked through for what the author said of themselves
MOST_PHRASES = 2000  # vectors of short texts that are held on to: three megabytes
MOST_EVIDENCE = 12


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

    def backlog(self) -> str:
        """That much of what was told cannot be found by meaning yet, in words; empty where a turn will do."""
        return UNLEARNT if len(self._vectors.missing(BACKLOG)) == BACKLOG else ""

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
        known = self._index.memories.get([old, before]) if old else {}
        changing = (p for p in self._vectors.passages_of([before]) if p.marks & CHANGES)
        openly = {old, before} <= known.keys() and any(
            openly_revises(known[before].text[p.start : p.stop], known[old].text) for p in changing
        )
        return known.get(old) if openly else None

    def statements(self, before: int) -> tuple[Memory, ...]:
        """What the author told, of themselves or others, and did not take back, the newest first."""
        seqs = [seq for seq, _ in self._index.memories.statements(LOOKED_BACK) if seq < before]
        revised = self._vectors.revised_by(seqs, before=before)
        known = self._index.memories.get(seq for seq in seqs if seq not in revised)
        return tuple(m for m in known.values() if tells_something(m.text) and not self._asks(m))

    def _asks(self, told: Memory) -> bool:
        """Whether what was told without a mark asks something of the being: "how come you know that"."""
        unmarked = about(told.text) == "being" and not told.text.endswith(ENDS)
        asks = unmarked and asked_in_meaning(told.text, lambda said: self.meaning(said, told.seq))
        return bool(asks)

    def likeness(self, texts: tuple[str, ...], to: str) -> tuple[float, ...]:
        """How near each text is in meaning to another."""
        rows = self._remembered([*texts, to])
        return tuple(float(x) for x in rows[:-1] @ rows[-1])

    def meaning(self, text: str, of: int) -> Rows:
        """The vector of a text; of the words of a memory that was learnt, the one it was given then."""
        known = self._index.memories.get([of]).get(of)
        if known is not None and known.text == text:
            for learnt in self._vectors.passages_of([of]):
                if (learnt.start, learnt.stop) == (0, len(text)):
                    self._hold({text: np.frombuffer(learnt.vector, dtype=np.float32)})
        found: Rows = self._remembered([text])[0]
        return found

    def _remembered(self, texts: list[str]) -> Rows:
        """Vectors of short texts that come again, such as the names of values: made once."""
        self._hold({})
        new = [t for t in dict.fromkeys(texts) if t not in self._phrases]
        if new:
            self._phrases |= dict(zip(new, self.embedder.embed(new), strict=True))
        return np.stack([self._phrases[t] for t in texts])

    def _hold(self, more: dict[str, Rows]) -> None:
        """Hold on to vectors; all end with any forgetting, which may have been of these very words."""
        as_of = self._index.memories.reread()
        if as_of != self._phrases_as_of or len(self._phrases) > MOST_PHRASES:
            self._phrases, self._phrases_as_of = {}, as_of
        self._phrases |= more

    def rank(self, question: str, wanted: RankWanted) -> tuple[RankedMemory, ...]:
        """What was said or found that bears on a question, of whichever lane, best first."""
        return rank(self._index, self._vectors, self.embedder, question, wanted)

    def evidence(self, question: str, before: int) -> tuple[Evidence, ...]:
        """What the author stated that bears on a question, in the order of the ranking, the newest on one
        subject; of each how sure it is that it answers.

        What the words find is there at once; a memory without a vector yet is given one first.
        """
        if self._vectors.missing(1, before):
            by_text = self._index.memories.search(words(question), AT_ONCE, before=before)
            self._lessons.learn(self._vectors.missing_of(seq for seq, _ in by_text))
        wanted = RankWanted(limit=MOST_EVIDENCE, lane=Lane.STATED, before=before)
        found = rank(
            self._index, self._vectors, self.embedder, question, wanted, external=self.external
        )
        law = sought(question, self._lessons)
        every = zip(found, verdicts(law, found, self._lessons), strict=True)
        return current([(one, verdict) for one, verdict in every if verdict])
