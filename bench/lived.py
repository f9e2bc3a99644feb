"""What living takes of the processor: turns of an open being, `chat -m` as a process, and learning.

The model is scripted: what one takes is not measured here. A being that is kept for other runs is copied.
"""

from __future__ import annotations

import os
import resource
import shutil
import statistics
import subprocess
import sys
import time
from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

import lumen
from bench.corpus import Floats
from lumen.core.data import BeingPaths
from lumen.kernel.language.passages import Embedder
from lumen.kernel.recall.search import IndexedRecall
from lumen.soul.index.index import Index

MODEL, SCRIPTED = "embedded/SmolLM2-135M-Instruct", "scripted/echo"
ROUNDS, LEARNT_AT_ONCE = 5, 64
ASKED = "Where did I go with my sister last summer?"


def scripted(root: Path) -> Path:
    """A being that asks no real model from now on."""
    settings = root / "lumen.toml"
    settings.write_text(settings.read_text("utf-8").replace(MODEL, SCRIPTED), "utf-8")
    return root


def copied(root: Path, folder: Path) -> Path:
    """Another copy of a being, whose files are in the page cache then, with a scripted model."""
    shutil.copytree(root, folder / root.name)
    return scripted(folder / root.name)


def turn_seconds(root: Path, questions: Sequence[str]) -> float:
    """Seconds of CPU that a turn takes, by the median; the first of each question is not counted."""
    taken = []
    with lumen.open(root) as being:
        for question in [*questions] * 3:
            began = time.process_time()
            being.say(question)
            taken.append(time.process_time() - began)
    return statistics.median(taken[len(questions) :])


def chats_seconds(*roots: Path) -> list[float]:
    """Seconds of CPU that a whole `chat -m` takes with each being, by the median, taking turns."""
    taken: list[list[float]] = [[] for _ in roots]
    for _ in range(ROUNDS + 1):
        for seen, root in zip(taken, roots, strict=True):
            began = _of_children()
            command = [str(Path(sys.executable).parent / "lumen"), "--being", str(root)]
            subprocess.run(
                [*command, "chat", "-m", ASKED],
                check=True,
                stdout=subprocess.DEVNULL,
                env={**os.environ, "LUMEN_QUIET": "1"},
            )
            seen.append(_of_children() - began)
    return [statistics.median(seen[1:]) for seen in taken]


def _of_children() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


@dataclass(slots=True)
class Clocked:
    """An embedder that tells how long it took."""

    inner: Embedder
    seconds: float = 0.0

    @property
    def id(self) -> str:
        """Which embedder it is."""
        return self.inner.id

    def embed(self, texts: Sequence[str]) -> Floats:
        """One unit row per text."""
        began = time.process_time()
        rows = self.inner.embed(texts)
        self.seconds += time.process_time() - began
        return rows


def learning_share(folder: Path, texts: Sequence[str], embedder: Embedder) -> float:
    """What part of learning is the embedder's own work, when some texts are learnt in the background."""
    lumen.create(folder)
    with lumen.open(folder) as being:
        being.remember(texts)
    clocked = Clocked(embedder)
    with closing(Index(BeingPaths(folder))) as index:
        index.catch_up()
        recall = IndexedRecall(index, clocked)
        recall.learn(1)  # what is loaded for the first one is not its cost
        clocked.seconds, began = 0.0, time.process_time()
        while recall.learn(LEARNT_AT_ONCE):
            pass
        return clocked.seconds / (time.process_time() - began)
