"""What is measured of a run: what a test does itself, unless it draws what it does or is redundant.

The tracer takes as long as the code, and most tests reach what cheaper ones reach: tools/redundant.py finds
them, and redundant.txt names them. So the figure is the least that is covered.

A line that only a drawn sample reaches would be covered by luck, so a test that draws is not measured,
nor is one that does again and again what others do once: the tracer costs half as much as the code.
Of a test that is given many examples the first three are measured, unless it says `each_measured` or is
about the soul, much of which has to be covered wholly.
Reading the tests is not measured either, only the import of what they test. Of the processes that a
test starts, those are measured that do what no test does by itself: it takes a quarter of a second
for each, so the others, a command line above all, are not.
"""

from __future__ import annotations

import importlib
import os
import pkgutil
import sys
import threading
import time
from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path

import coverage
import pytest

import lumen

CONFIG = "COVERAGE_PROCESS_CONFIG"  # where coverage tells a child how to measure itself
KEPT = "LUMEN_TEST_COVERAGE"
FIRST = 3  # examples of a test that are measured
REDUNDANT = Path(__file__).with_name("redundant.txt")
CHOOSING = "LUMEN_CHOOSE_MEASURED"  # a folder: all tests are measured, each by itself


def import_all() -> None:
    """Import every module of the package, which is measured from its first line."""
    for found in pkgutil.walk_packages(lumen.__path__, "lumen."):
        if not found.name.endswith("__main__"):
            importlib.import_module(found.name)


def measure_first_examples(items: Iterable[pytest.Item]) -> None:
    """Mark every further example of a test as measured by the first ones."""
    seen = Counter[str]()
    for item in items:
        test, _, example = item.nodeid.partition("[")
        seen[test] += 1
        wholly = test.startswith("tests/soul/") or item.get_closest_marker("each_measured")
        if example and seen[test] > FIRST and not wholly:
            item.add_marker(pytest.mark.unmeasured)


@cache
def redundant() -> frozenset[str]:
    """The tests that are not measured."""
    return frozenset(REDUNDANT.read_text(encoding="utf-8").split())


def is_measured(item: pytest.Item) -> bool:
    """Whether a test does the same every time, and nobody said that others measure it."""
    draws = item.get_closest_marker("hypothesis") or "sampled" in getattr(item, "fixturenames", ())
    if draws or item.get_closest_marker("unmeasured") is not None:
        return False
    return CHOOSING in os.environ or _test_of(item) not in redundant()


def _test_of(item: pytest.Item) -> str:
    return item.nodeid.partition("[")[0]


@contextmanager
def told_apart(item: pytest.Item) -> Iterator[None]:
    """What a test reaches and how long it takes, kept by its name where tests are being chosen."""
    measuring = coverage.Coverage.current()
    if CHOOSING not in os.environ or measuring is None:
        yield
        return
    measuring.switch_context(_test_of(item))
    began = time.perf_counter()
    yield
    took = time.perf_counter() - began
    with (Path(os.environ[CHOOSING]) / str(os.getpid())).open("a", encoding="utf-8") as file:
        file.write(f"{took:.4f} {_test_of(item)}\n")


@contextmanager
def unmeasured() -> Iterator[None]:
    """Without a tracer until the end of the block, in this thread and in those it starts."""
    here, there = sys.gettrace(), threading.gettrace()
    sys.settrace(None)
    threading.settrace(None)
    try:
        yield
    finally:
        threading.settrace(there)
        sys.settrace(here)


def save_measured() -> None:
    """Write down what this process measured, while it still has all the time it needs.

    A worker that writes as it ends is killed in the middle of it on a busy machine.
    """
    if measuring := coverage.Coverage.current():
        measuring.stop()
        measuring.save()


def measure_no_children() -> None:
    """From now on a child is only measured where `measured` is its environment."""
    if CONFIG in os.environ:
        os.environ[KEPT] = os.environ.pop(CONFIG)


def measured() -> dict[str, str]:
    """This environment, in which a process is measured if this one is."""
    environ = dict(os.environ)
    if KEPT in environ:
        environ[CONFIG] = environ.pop(KEPT)
    return environ
