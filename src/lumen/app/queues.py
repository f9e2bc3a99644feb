"""The turns of one open being: those of one conversation queue in order, others run at the same time.

Only about turns of this very object. What turns anywhere on the being mean to each other is in
kernel/gate/presence.py.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field

from lumen.core.errors import Busy

LONGEST_S = 600.0  # how long a message waits for those before it


@dataclass(slots=True)
class _Queue:
    """Who is let through one at a time, in the order they came; how many there are."""

    lock: asyncio.Lock = field(default_factory=asyncio.Lock)
    many: int = 0


class Queues:
    """A queue by each name that a turn goes under, for as long as there is one."""

    def __init__(self) -> None:
        self._queues: dict[str, _Queue] = {}
        self._many = 0
        self._over = asyncio.Event()
        self._over.set()
        self._closing = False

    @asynccontextmanager
    async def turn(self, *names: str) -> AsyncIterator[None]:
        """One turn: whatever came before it under one of these names is over first.

        Raises:
            Busy: that takes too long, or the being is being closed.
        """
        if self._closing:
            raise Busy("this being is being closed", fix="open it again")
        self._many += 1
        self._over.clear()
        try:
            async with AsyncExitStack() as places:
                for name in names:
                    await places.enter_async_context(self._place(name))
                yield
        finally:
            self._many -= 1
            if not self._many:
                self._over.set()

    async def drained(self) -> None:
        """Let no turn begin any more, and wait for those that did."""
        self._closing = True
        await self._over.wait()

    @asynccontextmanager
    async def _place(self, name: str) -> AsyncIterator[None]:
        queue = self._queues.setdefault(name, _Queue())
        queue.many += 1
        try:
            try:
                async with asyncio.timeout(LONGEST_S):
                    await queue.lock.acquire()
            except TimeoutError:
                raise Busy(
                    f"another message of {name} has been answered for {LONGEST_S:.0f} seconds",
                    fix="cancel the task that awaits it, or say this in another conversation",
                ) from None
            try:
                yield
            finally:
                queue.lock.release()
        finally:
            queue.many -= 1
            if not queue.many:
                del self._queues[name]
