"""Vectors in the background: made while nobody is being answered, and not a moment longer."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

import numpy as np
import pytest

from lumen.kernel.learning import Learner
from lumen.kernel.run import in_turn
from lumen.soul.index import Index
from lumen.soul.vectors import progress

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray
    from tests.kernel.conftest import Life


class Slow:
    """An embedder that stops in the middle of a lesson until it is let go on."""

    id = "slow"

    def __init__(self) -> None:
        self.asked = threading.Semaphore(0)
        self.go_on = threading.Event()

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Say that it was asked, and wait."""
        self.asked.release()
        assert self.go_on.wait(30)
        return np.eye(1, 4, dtype=np.float32).repeat(len(texts), axis=0)


def until(holds: Callable[[], bool]) -> None:
    deadline = time.monotonic() + 30
    while not holds():
        assert time.monotonic() < deadline, "waited in vain"
        time.sleep(0.002)


@pytest.fixture
def slow() -> Iterator[Slow]:
    embedder = Slow()
    yield embedder
    embedder.go_on.set()


def test_memories_get_vectors_while_nobody_asks(life: Life) -> None:
    life.tell(*(f"I like dish number {n}." for n in range(20)))
    learner = Learner(life.being, life.kernel.recall.embedder)
    learner.start()
    try:
        until(
            lambda: bool(life.kernel.index.catch_up()) and progress(life.kernel.index) == (20, 20)
        )
    finally:
        learner.close()
    found = life.kernel.recall
    found.at(1 << 40)
    assert len(found.evidence("Which dishes do I like?")) > 3


def test_resting_waits_for_the_lesson_and_then_nothing_is_learnt(life: Life, slow: Slow) -> None:
    life.tell(*(f"I like dish number {n}." for n in range(20)))
    learner = Learner(life.being, slow)
    learner.start()
    assert slow.asked.acquire(timeout=30)
    rested, leave = threading.Event(), threading.Event()

    def rest() -> None:
        with learner.resting():
            rested.set()
            assert leave.wait(30)

    turn = threading.Thread(target=rest)
    turn.start()
    assert not rested.wait(0.05)  # the lesson under way is not over
    slow.go_on.set()
    assert rested.wait(30)
    index = Index(life.being)
    before = progress(index)[0]
    assert before < 20
    assert not slow.asked.acquire(blocking=False) or progress(index)[0] == before
    leave.set()
    turn.join()
    until(lambda: progress(index) == (20, 20))
    index.close()
    learner.close()


def test_close_ends_the_thread_even_in_the_middle_of_much_to_learn(life: Life, slow: Slow) -> None:
    life.tell(*(f"I like dish number {n}." for n in range(40)))
    learner = Learner(life.being, slow)
    learner.start()
    assert slow.asked.acquire(timeout=30)
    slow.go_on.set()
    learner.close()
    assert "learner" not in [t.name for t in threading.enumerate()]
    assert progress(life.kernel.index)[0] < 40


def test_a_turn_of_another_process_is_not_disturbed(life: Life, slow: Slow) -> None:
    slow.go_on.set()
    life.tell("I like rice.")
    with in_turn(life.being):
        learner = Learner(life.being, slow)
        learner.start()
        assert not slow.asked.acquire(timeout=0.2)
        learner.close()
    assert progress(life.kernel.index)[0] == 0


def test_a_being_whose_folder_goes_away_ends_the_thread_quietly(life: Life, slow: Slow) -> None:
    learner = Learner(life.being, slow)
    slow.go_on.set()
    learner.start()
    learner.close()
    assert not any(t.name == "learner" for t in threading.enumerate())
