"""The embedder the author chose: it serves the cosines of passages once its own set is complete.

Until then, and whenever it fails, recall goes on with the built-in embedder and the reason is told
once. Its vectors meet only its own; what comes out of it is a cosine on the built-in scale. One
that is not local is given neither a private memory nor the question of a private turn, and none
is given anything but passages that may become evidence, questions, and the anchors.
"""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Sequence
from functools import cache
from typing import Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

from lumen.core.clock import SystemClock
from lumen.core.data import CosineFit, Passage
from lumen.core.errors import BadAnswer, Limited, MindError
from lumen.core.settings import BUILT_IN_EMBEDDER
from lumen.kernel.language.lexicon import FOLDER
from lumen.kernel.language.passages import Embedder, Rows, Spot, is_evidence, passages
from lumen.kernel.language.reading import is_question
from lumen.kernel.privacy.confidential import Confidential
from lumen.soul.ports.queries import Queries

LESSON = 64  # texts at a time: one request
LEAST_APART = 1.5  # how far related pairs must lie from unrelated ones, in standard deviations
REST_S, LONGEST_REST_S = 30.0, 600.0  # after a failure nobody waits for it in every turn
TICK = SystemClock().tick
Result = TypeVar("Result")


class ExternalEncoder(Embedder, Protocol):
    """What is asked of an embedder that is not built in."""

    @property
    def local(self) -> bool:
        """Whether texts given to it stay on this machine."""
        ...

    def close(self) -> None:
        """Let go of what it holds."""
        ...


class ExternalEmbedder:
    """The external embedder over one being's index."""

    def __init__(
        self,
        index: Queries,
        embedder: ExternalEncoder,
        built_in: Embedder,
        tick: Callable[[], float] = TICK,
    ) -> None:
        self._index = index
        self.embedder = embedder
        self._built_in = built_in
        self._set = index.vectors.external(embedder.id, private=embedder.local)
        self._tick = tick
        self._rests_until = 0.0
        self._failures = 0
        self._told = self._telling = ""

    def trouble(self) -> str:
        """Why it does not serve, in words; each reason is told once."""
        said, self._telling = self._telling, ""
        return said

    def close(self) -> None:
        """Let go of its connection."""
        self.embedder.close()

    def learn(self) -> int:
        """Give vectors to some memories that have none of its own; returns how many were done."""
        return self._tried(self._learn) or 0

    def weighed(
        self, question: str, before: int, found: dict[Spot, float], most: int
    ) -> dict[Spot, float]:
        """Passages with its own cosines where it has them, and with those it finds nearest itself."""
        if not self.embedder.local and (
            self._index.memories.is_private(before) or Confidential(self._index).tells(question)
        ):
            return found
        better = self._tried(lambda: self._weighed(question, before, found, most))
        return found if better is None else better

    def _tried(self, work: Callable[[], Result]) -> Result | None:
        """Do something with the embedder, unless it failed a moment ago; a failure is told."""
        if self._tick() < self._rests_until:
            return None
        try:
            found = work()
        except MindError as error:
            asked = (error.after or 0.0) if isinstance(error, Limited) else 0.0
            rest = max(asked, REST_S * 2 ** min(self._failures, 5))
            self._rests_until = self._tick() + min(rest, LONGEST_REST_S)
            self._failures += 1
            why = error.what + (f"\n  try: {error.fix}" if error.fix else "")
            self._tell(error.what, f"recall goes on with the built-in embedder: {why}")
            return None
        self._failures = 0
        return found

    def _tell(self, why: str, said: str) -> None:
        if why != self._told:
            self._told, self._telling = why, said

    def _learn(self) -> int:
        self._index.catch_up()  # what was marked private elsewhere must be known before it is read
        fit = self._begun()
        seqs: list[int] = []
        pieces: list[tuple[Spot, str]] = []
        for seq in self._set.missing(LESSON):
            told = self._pieces(seq)
            if told is None:
                continue
            if seqs and len(pieces) + len(told) > LESSON:
                break
            seqs.append(seq)
            pieces += told
        rows = self._embedded([text for _, text in pieces], fit.size)
        kept = [Passage(*spot, row.tobytes()) for (spot, _), row in zip(pieces, rows, strict=True)]
        self._set.add(seqs, kept)
        return len(seqs)

    def _pieces(self, seq: int) -> list[tuple[Spot, str]] | None:
        """What of a memory is worth a vector; nothing at all where its text must not leave.

        A memory that is marked private after it was sent keeps its vectors: they are on this
        machine, taking them away would call nothing back, and unmarking it would send it again.
        """
        memory = self._index.memories.get([seq]).get(seq)
        if memory and memory.private and not self.embedder.local:
            return None  # it stays in the queue: it may be unmarked
        if memory is None or not is_evidence(memory):
            return []
        spans = ((a, b, memory.text[a:b]) for a, b in passages(memory.text))
        return [((seq, a, b), text) for a, b, text in spans if not is_question(text)]

    def _weighed(
        self, question: str, before: int, found: dict[Spot, float], most: int
    ) -> dict[Spot, float] | None:
        """What its own set tells of a question, on the built-in scale; nothing while it is made."""
        fit = self._begun()
        if self._set.missing(1, before):
            done, of = self._index.vectors.reindexed(self.embedder.id)
            so_far = f"reindexing with {self.embedder.id}: {done:,} of {of:,}"
            self._tell("reindexing", f"{so_far}; until then the built-in embedder serves recall")
            return None
        query = self._embedded([question], fit.size)[0]
        self._told = ""
        near = self._set.nearest(query.tobytes(), most, before=before)
        nearest = {*near.numbers.tolist()}
        kept = self._set.passages_of({seq for seq, _, _ in found} | {*near.seqs.tolist()})
        better = dict(found)
        for p in kept:
            spot = (p.seq, p.start, p.stop)
            if spot in found or p.number in nearest:
                cosine = float(np.frombuffer(p.vector, np.float32) @ query)
                better[spot] = min(max(cosine * fit.scale + fit.shift, -1.0), 1.0)
        return better

    def _begun(self) -> CosineFit:
        """How the set was begun; it begins with the anchors, embedded both ways."""
        if not self._set.is_ours():
            raise MindError("another embedder was chosen meanwhile", fix="start Lumen again")
        if self._set.fit() is None:
            texts = anchor_texts()
            theirs = _checked(self.embedder, self.embedder.embed(texts), len(texts))
            self._set.begin(fitted(self.embedder.id, theirs, self._built_in.embed(texts)))
        found = self._set.fit()
        if found is None:
            raise MindError("another embedder was chosen meanwhile", fix="start Lumen again")
        return found

    def _embedded(self, texts: Sequence[str], size: int) -> Rows:
        if not texts:
            return np.zeros((0, size), dtype=np.float32)
        return _checked(self.embedder, self.embedder.embed(texts), len(texts), size)


@cache
def anchors() -> tuple[list[list[str]], list[list[str]]]:
    """Pairs of sentences that are about the same thing, and pairs that are not."""
    raw = tomllib.loads((FOLDER / "anchors.toml").read_text("utf-8"))
    return raw["related"], raw["unrelated"]


def anchor_texts() -> list[str]:
    """The sentences of all the pairs, the related ones first."""
    return [text for pairs in anchors() for pair in pairs for text in pair]


def fitted(name: str, theirs: Rows, ours: Rows) -> CosineFit:
    """The line that takes an embedder's mean related and unrelated cosine onto the built-in ones.

    Raises:
        BadAnswer: it hardly tells what is related from what is not.
    """
    related, unrelated = _pairs(theirs)
    apart = float(related.mean() - unrelated.mean())
    spread = float(np.sqrt((related.var() + unrelated.var()) / 2))
    if not apart > max(LEAST_APART * spread, 1e-3):  # NaN is not greater either
        raise BadAnswer(
            f"{name} hardly tells sentences on one subject from others: "
            f"{related.mean():.2f} and {unrelated.mean():.2f}",
            fix="choose a model that is made for embeddings",
        )
    wanted, elsewhere = (float(p.mean()) for p in _pairs(ours))
    scale = (wanted - elsewhere) / apart
    return CosineFit(theirs.shape[1], scale, elsewhere - scale * float(unrelated.mean()))


def _pairs(rows: Rows) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    cosines = np.einsum("ij,ij->i", rows[0::2], rows[1::2], dtype=np.float64)
    return cosines[: len(anchors()[0])], cosines[len(anchors()[0]) :]


def _checked(embedder: Embedder, rows: Rows, many: int, size: int | None = None) -> Rows:
    """Rows as they must be: one for each text, of one size, finite and of length 1."""
    if rows.ndim != 2 or len(rows) != many or not rows.shape[1]:
        raise BadAnswer(f"{embedder.id} gave {rows.shape} numbers for {many} texts")
    if size is not None and rows.shape[1] != size:
        raise BadAnswer(
            f"{embedder.id} gives vectors of {rows.shape[1]} numbers now; it was {size}",
            fix=f"lumen models set embedder {BUILT_IN_EMBEDDER}, lumen maintain, then set {embedder.id} again",
        )
    length = np.linalg.norm(rows.astype(np.float64), axis=1)
    if not (np.abs(length - 1) < 1e-3).all():  # NaN is not smaller either
        raise BadAnswer(f"{embedder.id} gave a vector that is empty or not a number")
    return rows.astype(np.float32, copy=False)
