"""What recall and a whole turn take as memories grow: the same questions to beings of 200, 20,000 and 100,000.

CPU of the process, by the median, the question's own vector included; the model is scripted. The memories are really told;
their vectors are mixtures of real ones, as the embedder's time is not what is measured.
"""

from __future__ import annotations

import os
import statistics
import time
from collections.abc import Sequence
from pathlib import Path

import numpy as np

import lumen
from bench.archive import workplace
from bench.corpus import Floats, mixtures, sentences
from bench.lived import scripted, turn_seconds
from bench.rounds import Row, say, table
from lumen.core.data import BeingPaths, Passage
from lumen.kernel.language.asking import shape
from lumen.kernel.recall.learning import marks_of
from lumen.kernel.recall.search import IndexedRecall
from lumen.mind.embed import WhenNeeded
from lumen.soul.index.index import Index

FEW = 200
MANY = [*map(int, os.environ.get("LUMEN_BENCH_TOLD", "20000,100000").split(","))]
MOST = 2.0
AT_ONCE, REAL = 1000, 400
WHO = [
    "sister",
    "brother",
    "mother",
    "father",
    "uncle",
    "aunt",
    "friend",
    "boss",
    "neighbour",
    "colleague",
]
DOES = ("lives in", "works in", "visited", "was born in", "studied in")
LIKES = [
    "bread",
    "tea",
    "coffee",
    "bicycles",
    "trains",
    "novels",
    "chess",
    "guitars",
    "tomatoes",
    "roses",
]
QUESTIONS = (
    "Where does my sister live?",
    "What does my boss like?",
    "Who works in town 7?",
    "Where was my uncle born?",
    "Who likes chess and roses?",
)


def main() -> int:
    """Measure and print; the exit code says whether the target holds."""
    embedder = WhenNeeded()
    real = np.asarray(embedder.embed(sentences(REAL)), np.float32)
    with workplace() as folder:
        os.environ["HOME"] = str(folder)
        took = {many: _took(folder / str(many), many, embedder, real) for many in (FEW, *MANY)}
    rows = [
        Row(f"{what} among {many:,}", took[many][n], f"among {FEW}", took[FEW][n], most=MOST)
        for many in MANY
        for n, what in enumerate(("recall", "a turn"))
    ]
    say(table("What recall and a turn take (CPU)", rows))
    return 0 if all(row.verdict == "yes" for row in rows) else 1


def _took(root: Path, many: int, embedder: WhenNeeded, real: Floats) -> tuple[float, float]:
    """What recall and what a turn takes of a being that was told so much."""
    recall = asked(told(BeingPaths(root), many, embedder, real))
    return recall, turn_seconds(scripted(root), QUESTIONS)


def told(being: BeingPaths, many: int, embedder: WhenNeeded, real: Floats) -> IndexedRecall:
    """A being that was told so much, and has vectors for all of it."""
    lumen.create(being.root)
    with lumen.open(being.root) as opened:
        opened.remember(_said(n) for n in range(many))
    index, numbers = Index(being), np.random.default_rng(3)
    index.catch_up()
    recall = IndexedRecall(index, embedder)
    vectors = index.vectors.built_in(embedder.id)
    while seqs := vectors.missing(AT_ONCE):
        memories = index.memories.get(seqs).values()
        rows = mixtures(real, len(memories), numbers)
        vectors.add(
            seqs,
            [
                Passage(
                    m.seq, 0, len(m.text), row.tobytes(), marks=marks_of(m, m.text, shape(m.text))
                )
                for m, row in zip(memories, rows, strict=True)
            ],
        )
    return recall


def asked(recall: IndexedRecall, questions: Sequence[str] = QUESTIONS) -> float:
    """Seconds of CPU that a question takes; the first of them are not counted."""
    taken = []
    for question in questions * 3:
        began = time.process_time()
        recall.evidence(question, 1 << 60)
        taken.append(time.process_time() - began)
    return statistics.median(taken[len(questions) :])


def _said(n: int) -> str:
    who, does, likes = WHO[n % 10], DOES[n // 10 % 5], LIKES[n // 50 % 10]
    return f"My {who} number {n} {does} town {n % 997} and likes {likes}."


if __name__ == "__main__":
    raise SystemExit(main())
