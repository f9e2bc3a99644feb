"""A turn under way, for a test that does nothing else in an event loop; and what a dead one leaves."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from contextlib import AbstractAsyncContextManager, contextmanager

from lumen.core.data import BeingPaths
from lumen.kernel.gate import presence
from lumen.kernel.turn.run import Kernel, close_dead
from lumen.soul.archive.locks import FileLocks
from lumen.soul.ports.locks import Locks


@contextmanager
def _plainly(
    marking: Callable[[Locks], AbstractAsyncContextManager[None]], being: BeingPaths
) -> Iterator[None]:
    mark = marking(FileLocks(being))
    with asyncio.Runner() as runner:
        runner.run(mark.__aenter__())
        try:
            yield
        finally:
            runner.run(mark.__aexit__(None, None, None))


@contextmanager
def in_turn(being: BeingPaths) -> Iterator[None]:
    """A turn is under way."""
    with _plainly(presence.in_turn, being):
        yield


@contextmanager
def talking(being: BeingPaths) -> Iterator[None]:
    """Somebody is being answered."""
    with _plainly(presence.talking, being):
        yield


def close_dead_turns(kernel: Kernel) -> list[str]:
    """What the beginning of a turn does about turns whose process died, unless one is alive."""
    with presence.nobody_in_turn(kernel.gate.locks) as alone:
        return close_dead(kernel) if alone else []
