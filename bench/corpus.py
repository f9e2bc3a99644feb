"""What a million memories are made of, seeded: real sentences with their vectors, and mixtures of them.

30,000 sentences are real, and so are their vectors: of conversations that are given (LoCoMo, BEAM), of our
docs and of what the standard library says of itself. The others have vectors between two real ones with
noise, and words of the real ones drawn by Zipf. Questions are those of the conversations, or sentences
that were left out. What is embedded is kept outside of the checkout.
"""

from __future__ import annotations

import ast
import os
import re
import sysconfig
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt

from lumen.core.canon import dumps, loads
from lumen.kernel.language.passages import Embedder
from lumen.lab.recall_data import read_conversations
from lumen.soul.index.terms import is_german

HOME = Path(os.environ.get("LUMEN_BENCH_CACHE", Path.home() / ".cache" / "lumen-bench"))
ROOT = Path(__file__).resolve().parent.parent
REAL, QUERIES, BATCH = 30_000, 200, 10_000
WORDS, LONG = 60_000, 18  # of the vocabulary and of a made text
NOISE = 0.02  # of each of 384 numbers: 0.4 of a whole vector
Floats = npt.NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class Corpus:
    """Real sentences and questions, with their vectors."""

    texts: Sequence[str]
    questions: Sequence[str]
    vectors: Floats
    asked: Floats
    seconds: int  # by the clock, that embedding them took


def corpus(embedder: Embedder, datasets: Sequence[Path]) -> Corpus:
    """What is real: read and embedded once, and then as it was, whatever became of the docs since."""
    files = {name: HOME / f"{name}-{embedder.id}.npy" for name in ("vectors", "asked")}
    told = HOME / f"texts-{embedder.id}.json"
    if not told.exists():
        HOME.mkdir(parents=True, exist_ok=True)
        read, began = _read(datasets), time.monotonic()
        for name, some in zip(files, read, strict=True):
            parts = [embedder.embed(some[n : n + 500]) for n in range(0, len(some), 500)]
            np.save(files[name], np.concatenate(parts))
        told.write_bytes(dumps([*read, round(time.monotonic() - began)]))
    texts, questions, seconds = loads(told.read_bytes())
    return Corpus(texts, questions, np.load(files["vectors"]), np.load(files["asked"]), seconds)


def _read(datasets: Sequence[Path]) -> tuple[list[str], list[str]]:
    talks = [talk for file in datasets for talk in read_conversations(file)]
    questions = [q.text for talk in talks for q in talk.questions]
    np.random.default_rng(0).shuffle(questions)
    texts = sentences(REAL + QUERIES, [m.text for talk in talks for m in talk.messages])
    if not questions:
        np.random.default_rng(0).shuffle(texts)
        questions = texts[REAL:]
    return texts[:REAL], questions[:QUERIES]


def sentences(many: int, said: Sequence[str] = ()) -> list[str]:
    """So many sentences, of what was said first."""
    found: dict[str, None] = {}
    for text in _sources(said):
        plain = " ".join(re.sub(r"[`*|#\[\]()>]+", " ", text).split())
        found |= dict.fromkeys(s for s in re.split(r"(?<=[.!?])\s+", plain) if 20 < len(s) < 220)
        if len(found) >= many:
            break
    return [*found][:many]


def _sources(said: Sequence[str]) -> Iterator[str]:
    """Texts to take sentences from, the best first."""
    yield from said
    yield from (path.read_text() for path in sorted(ROOT.glob("docs/**/*.md")))
    kinds = (ast.Module, ast.ClassDef, ast.FunctionDef)
    library = Path(sysconfig.get_path("stdlib"))
    for path in sorted({*library.glob("*.py"), *library.glob("[a-z]*/*.py")}):
        parts = ast.walk(ast.parse(path.read_bytes()))
        yield from (ast.get_docstring(p) or "" for p in parts if isinstance(p, kinds))


def texts_of(real: Corpus, many: int) -> Iterator[list[str]]:
    """What is told, in order and in batches: the real sentences, then made ones."""
    for n in range(0, min(many, len(real.texts)), BATCH):
        yield [*real.texts[n : min(n + BATCH, many)]]
    often = Counter(word for text in real.texts for word in re.findall(r"[a-z]{2,}", text.lower()))
    words = [word for word, _ in often.most_common()]
    made = (word for word in vocabulary(np.random.default_rng(2)) if word not in often)
    words = [word for word in (*words, *made) if not is_german([word])][:WORDS]
    share, numbers = np.cumsum(1 / np.arange(1, len(words) + 1)), np.random.default_rng(1)
    spelled = np.array(words, object)
    for n in range(len(real.texts), many, BATCH):
        drawn = numbers.random((min(BATCH, many - n), LONG)) * share[-1]
        yield [" ".join(text) for text in spelled[np.searchsorted(share, drawn)]]


def vocabulary(numbers: np.random.Generator) -> list[str]:
    """Words that can be spoken, none twice."""
    sounds = [a + b for a in "bdfgklmnprstvz" for b in "aeiou"]
    made: dict[str, None] = {}
    while len(made) < WORDS:
        made["".join(numbers.choice(sounds, numbers.integers(2, 5)))] = None
    return [*made]


def vectors_of(real: Corpus, many: int) -> Iterator[tuple[int, Floats]]:
    """The vectors of all memories, in order and in batches: the real ones, then mixtures."""
    numbers = np.random.default_rng(3)
    for n in range(0, min(many, len(real.vectors)), BATCH):
        yield n, real.vectors[n : min(n + BATCH, many)]
    for n in range(len(real.vectors), many, BATCH):
        yield n, mixtures(real.vectors, min(BATCH, many - n), numbers)


def mixtures(real: Floats, many: int, numbers: np.random.Generator) -> Floats:
    """Vectors between two real ones, with noise, of length one."""
    one, other = (real[numbers.integers(0, len(real), many)] for _ in range(2))
    share = numbers.random((many, 1), dtype=np.float32)
    rows = share * one + (1 - share) * other
    rows += NOISE * numbers.standard_normal(rows.shape, dtype=np.float32)
    return np.asarray(rows / np.linalg.norm(rows, axis=1, keepdims=True), np.float32)
