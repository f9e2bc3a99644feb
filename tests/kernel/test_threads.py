"""Threads that share a gate: one writes at a time, and whoever waits too long is told for whom."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import TYPE_CHECKING

import pytest
from tests.waiting import PATIENCE

from lumen.core.data import Change, Entry, SelfItem, kernel_entry
from lumen.core.errors import Busy
from lumen.core.stores import Store
from lumen.soul.archive import disk
from lumen.soul.checking.verify import verify
from lumen.soul.state.selfhood import selfhood

if TYPE_CHECKING:
    from tests.kernel.conftest import Guarded

THREADS, EACH = 6, 25


@contextmanager
def meanwhile(work: Callable[[], object], name: str) -> Iterator[threading.Thread]:
    """Do something in a thread of its own; it is over when this is."""
    thread = threading.Thread(target=work, name=name)
    thread.start()
    try:
        yield thread
    finally:
        thread.join(PATIENCE)
        assert not thread.is_alive()


def note(text: str) -> Entry:
    return kernel_entry("note", text, "lumen:kernel", {})


def test_two_threads_that_share_a_gate_do_not_both_hold_the_archive(guarded: Guarded) -> None:
    writer, tried, inside = guarded.gate.log, threading.Event(), threading.Event()

    def take() -> None:
        tried.set()
        with writer.locked():
            inside.set()

    other = threading.Thread(target=take)
    with writer.locked():
        with writer.locked():  # whoever has it may take it once more
            other.start()
            assert tried.wait(PATIENCE)
            assert not inside.wait(0.2)  # far longer than it takes where nothing keeps it out
        guarded.gate.record(note("mine"))
        assert not inside.is_set()
    other.join(PATIENCE)
    assert inside.is_set()


def test_a_thread_that_waits_too_long_is_told_which_one_it_waited_for(
    guarded: Guarded, monkeypatch: pytest.MonkeyPatch
) -> None:
    held, done = threading.Event(), threading.Event()

    def keep() -> None:
        with guarded.gate.log.locked():
            held.set()
            done.wait(PATIENCE)

    with meanwhile(keep, "the-slow-one"):
        assert held.wait(PATIENCE)
        monkeypatch.setattr(disk, "PATIENCE_S", 0.05)
        assert not guarded.gate.log.is_free()
        with pytest.raises(Busy, match="the thread the-slow-one of this process has held") as error:
            guarded.gate.record(note("too soon"))
        assert "see what it waits for" in error.value.fix
        done.set()
    guarded.gate.record(note("now"))
    assert guarded.last().description == "now"
    assert guarded.gate.log.is_free()


def test_what_many_threads_write_through_one_gate_is_all_there_and_one_chain(
    guarded: Guarded,
) -> None:
    start = threading.Barrier(THREADS)

    def write(me: int) -> None:
        start.wait(PATIENCE)
        for number in range(EACH):
            if number % 5:
                guarded.gate.record(note(f"{me}/{number}"), sign=not number % 3)
            else:
                value = Change(Store.VALUES, "put", SelfItem(f"v{me}.{number}", 0.5, "active"))
                guarded.gate.commit("reflection", [value], note(f"{me}/{number}"))
            guarded.gate.index.catch_up()
            assert guarded.gate.index.memories.listed(limit=3)

    with ThreadPoolExecutor(THREADS) as pool:
        list(pool.map(write, range(THREADS), timeout=PATIENCE))

    said = [e.entry.description for e in guarded.events() if "/" in e.entry.description]
    for me in range(THREADS):
        mine = [text for text in said if text.startswith(f"{me}/")]
        assert mine == [f"{me}/{number}" for number in range(EACH)]
    held = selfhood({"data/values.json": guarded.being.values.read_text("utf-8")}).values
    assert {v.name for v in held} == {
        f"v{t}.{n}" for t in range(THREADS) for n in range(0, EACH, 5)
    }
    assert guarded.index.differences() == []
    assert verify(guarded.being, guarded.keyring).ok
