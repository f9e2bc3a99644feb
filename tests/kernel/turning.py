"""A turn under way, for a test that does nothing else in an event loop."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from contextlib import AbstractAsyncContextManager, contextmanager

from lumen.core.data import Being
from lumen.kernel import turns


@contextmanager
def _plainly(
    marking: Callable[[Being], AbstractAsyncContextManager[None]], being: Being
) -> Iterator[None]:
    mark = marking(being)
    with asyncio.Runner() as runner:
        runner.run(mark.__aenter__())
        try:
            yield
        finally:
            runner.run(mark.__aexit__(None, None, None))


@contextmanager
def in_turn(being: Being) -> Iterator[None]:
    """A turn is under way."""
    with _plainly(turns.in_turn, being):
        yield


@contextmanager
def talking(being: Being) -> Iterator[None]:
    """Somebody is being answered."""
    with _plainly(turns.talking, being):
        yield
