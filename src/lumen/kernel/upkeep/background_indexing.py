"""Vectors in the background: while nobody is being answered, memories are made findable by meaning.

Text search does not wait for it. It has its own connection to the index, rests during a turn of
this process, and yields to turns elsewhere.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from lumen.core.errors import LumenError
from lumen.kernel.gate.presence import nobody_in_turn
from lumen.kernel.language.passages import Embedder
from lumen.kernel.recall.external_embedder import ExternalEncoder
from lumen.kernel.recall.search import IndexedRecall
from lumen.soul.ports.locks import Locks
from lumen.soul.ports.queries import Queries

LESSON = 8  # memories at a time: a turn never waits for long
PAUSE_S = 2.0
SHORT_S = 0.02


class Learner:
    """A thread that learns while the author is typing."""

    def __init__(
        self,
        locks: Locks,
        open_index: Callable[[], Queries],
        embedder: Embedder,
        external: ExternalEncoder | None = None,
    ) -> None:
        self._locks = locks
        self._open = open_index
        self._embedder = embedder
        self._external = external
        self._stop = threading.Event()
        self._working = threading.Lock()
        self._resting = threading.Event()
        self._thread = threading.Thread(target=self._run, name="learner", daemon=True)

    def start(self) -> None:
        """Begin."""
        self._thread.start()

    @contextmanager
    def resting(self) -> Iterator[None]:
        """Hold still; returns once the lesson under way is over."""
        self._resting.set()  # a lock alone could be taken back before a waiting turn wakes up
        try:
            with self._working:
                yield
        finally:
            self._resting.clear()

    def close(self) -> None:
        """Stop for good."""
        self._stop.set()
        self._thread.join()

    def _run(self) -> None:
        index = self._open()
        recall = IndexedRecall(index, self._embedder, self._external)
        try:
            while not self._stop.is_set():
                if self._resting.is_set():
                    self._stop.wait(SHORT_S)
                    continue
                with nobody_in_turn(self._locks) as alone:
                    pass  # not held on to: a turn that begins now need not wait
                with self._working:
                    index.catch_up()
                    learnt = recall.learn(LESSON) if alone else 0
                self._stop.wait(0 if learnt else PAUSE_S)
        except LumenError:  # a full disk, a lost folder: the next turn meets it and says so
            return
        finally:
            index.close()
