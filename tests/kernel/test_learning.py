"""Vectors in the background: made while nobody is being answered, and not a moment longer."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from functools import partial
from typing import TYPE_CHECKING

import numpy as np
import pytest
from tests.kernel.turning import in_turn
from tests.waiting import PATIENCE, wait_until

from lumen.kernel.upkeep.background_indexing import Learner
from lumen.soul.archive.locks import FileLocks
from lumen.soul.index.index import Index

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray
    from tests.kernel.conftest import Life


LESSON = 2  # a lesson asks for the vectors of its passages, then of their words


class Slow:
    """An embedder that answers as often as it is allowed to."""

    id = "slow"

    def __init__(self) -> None:
        self.asked = threading.Semaphore(0)
        self.allowed = threading.Semaphore(0)

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Say that it was asked, and wait to be allowed."""
        self.asked.release()
        assert self.allowed.acquire(timeout=PATIENCE)
        return np.eye(1, 4, dtype=np.float32).repeat(len(texts), axis=0)

    def allow(self, times: int = 10_000) -> None:
        """Let it answer."""
        self.allowed.release(times)


def dishes(life: Life, many: int) -> None:
    life.tell(*(f"I like dish number {n}." for n in range(many)))
    life.kernel.index.catch_up()


@pytest.fixture
def slow() -> Slow:
    return Slow()


@pytest.fixture
def learner(life: Life, slow: Slow) -> Iterator[Learner]:
    """A learner that is slow, and is ended whatever happens."""
    made = Learner(FileLocks(life.being), partial(Index, life.being), slow)
    yield made
    slow.allow()
    made.close()


def test_memories_get_vectors_while_nobody_asks(life: Life) -> None:
    dishes(life, 20)
    learner = Learner(
        FileLocks(life.being), partial(Index, life.being), life.kernel.recall.embedder
    )
    learner.start()
    try:
        wait_until(lambda: life.kernel.index.vectors.progress() == (20, 20))
    finally:
        learner.close()
    assert len(life.recalls("Which dishes do I like?")) > 3


def test_resting_waits_for_one_lesson_and_then_nothing_is_learnt(
    life: Life, slow: Slow, learner: Learner
) -> None:
    dishes(life, 40)
    learner.start()
    assert slow.asked.acquire(timeout=PATIENCE)
    rested, leave = threading.Event(), threading.Event()

    def rest() -> None:
        with learner.resting():
            rested.set()
            leave.wait(PATIENCE)

    turn = threading.Thread(target=rest, daemon=True)
    turn.start()
    assert not rested.wait(0.05)  # the lesson under way is not over
    slow.allow(LESSON)
    try:
        assert rested.wait(PATIENCE), "the next lesson began although somebody wants it to rest"
        taught = life.kernel.index.vectors.progress()[0]
        while slow.asked.acquire(blocking=False):
            pass
        slow.allow()
        assert not slow.asked.acquire(timeout=0.1)
        assert life.kernel.index.vectors.progress()[0] == taught
    finally:
        leave.set()
        slow.allow()
        turn.join()
    wait_until(lambda: life.kernel.index.vectors.progress() == (40, 40))


def test_close_ends_the_thread_in_the_middle_of_much_to_learn(
    life: Life, slow: Slow, learner: Learner
) -> None:
    dishes(life, 400)
    learner.start()
    assert slow.asked.acquire(timeout=PATIENCE)
    closing = threading.Thread(target=learner.close)
    closing.start()
    slow.allow(LESSON * 2)  # one lesson is under way; of another at most the beginning
    closing.join(PATIENCE)
    assert not closing.is_alive()
    assert "learner" not in [t.name for t in threading.enumerate()]
    assert life.kernel.index.vectors.progress()[0] < 400


def test_while_a_turn_runs_elsewhere_nothing_is_learnt(
    life: Life, slow: Slow, learner: Learner
) -> None:
    slow.allow()
    dishes(life, 1)
    with in_turn(life.being):
        learner.start()
        assert not slow.asked.acquire(timeout=0.2)
        learner.close()
    assert life.kernel.index.vectors.progress()[0] == 0
