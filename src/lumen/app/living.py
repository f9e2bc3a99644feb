"""What a being does when nobody speaks: which loop has its turn, when to reflect, when to rest."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, field

from lumen.kernel.gate.presence import yield_to_talk
from lumen.kernel.turn.cycle import CycleResult as CycleResult
from lumen.kernel.turn.cycle import due, pursue, reflect_if_due, wonder
from lumen.kernel.turn.run import Kernel, Watch, adopt_edits
from lumen.soul.checking.patrol import check_next

Watching = Callable[[str], AbstractContextManager[Callable[[str], None]]]


@contextmanager
def unwatched(_loop: str) -> Iterator[Callable[[str], None]]:
    """Nobody looks on."""
    yield lambda _step: None


def unasked() -> bool:
    """Nobody asks it to stop."""
    return False


async def unhurried(work: Awaitable[None]) -> None:
    """Wait for something for as long as it takes."""
    await work


@dataclass(slots=True)
class Scheduler:
    """Action and explore in turns, each followed by a reflection when a trigger fires.

    `stopped` is asked between two steps of the way; `until_stopped` waits no longer than that.
    `watching` is told which loop runs and, step by step, how far it is.
    """

    kernel: Kernel
    watching: Watching = unwatched
    stopped: Callable[[], bool] = unasked
    until_stopped: Callable[[Awaitable[None]], Awaitable[None]] = unhurried
    acts: bool = True
    is_damaged: bool = False
    quiet: Quiet = field(init=False)

    def __post_init__(self) -> None:
        self.quiet = Quiet(self.kernel)

    async def cycle(self) -> AsyncIterator[CycleResult]:
        """One cycle: what it came to and, where that gave cause to, what a reflection came to.

        Nothing when it is time to stop. A conversation that is under way goes first.
        """
        await self.until_stopped(yield_to_talk(self.kernel.gate.locks))
        if self.stopped():
            return
        loop = "action" if self.acts and self.kernel.autonomy != "shadow" else "explore"
        went = self.quiet.still(loop)
        if went is None:
            with self._politely(loop) as watch:
                went = await (pursue if loop == "action" else wonder)(self.kernel, watch)
            self.quiet.after(loop, went)
        self.acts = not self.acts
        self._check_a_stretch()
        yield went
        if went.done and (reflected := await self._look_back()):
            yield reflected

    def _check_a_stretch(self) -> None:
        """Look for damage in the archive, some lines each cycle; told once."""
        if not self.is_damaged and (found := check_next(self.kernel.being)):
            self.is_damaged = True
            what = f"Event {found.seq:,} {found.what}.\n  try: lumen archive verify"
            self.kernel.gate.repairs.append(what)

    async def _look_back(self) -> CycleResult | None:
        if not due(self.kernel):
            return None
        await self.until_stopped(yield_to_talk(self.kernel.gate.locks))
        if self.stopped():
            return None  # the experience stays, for the next one
        with self._politely("reflection") as watch:
            reflected = await reflect_if_due(self.kernel, watch)
        if reflected is None:
            return None  # a conversation gave it cause to meanwhile
        why, came = reflected
        many = len(came.asked.proposals)
        changed = f"{many} change{'s' if many != 1 else ''}" if came.applied else came.refused
        return CycleResult(
            "reflection", "; ".join(f.why for f in why), changed or "nothing to change"
        )

    @contextmanager
    def _politely(self, loop: str) -> Iterator[Watch]:
        """Tell of each step, and let a conversation that begins meanwhile go first."""
        with self.watching(loop) as tell:

            async def ready() -> None:
                if not self.stopped():
                    await self.until_stopped(yield_to_talk(self.kernel.gate.locks))

            yield Watch(step=tell, ready=ready)


@dataclass(slots=True)
class Quiet:
    """What there was nothing to do about, for as long as nothing happens: it is not tried again.

    A skip is recorded, so trying over and over would fill the archive with nothing.
    """

    kernel: Kernel
    idle: dict[str, CycleResult] = field(default_factory=dict)
    skipped: set[str] = field(default_factory=set)  # goals that were not wanted enough
    head: int = 0

    def still(self, loop: str) -> CycleResult | None:
        """What the loop came to last time, when trying again would come to the same."""
        if not self.idle:
            return None
        adopt_edits(self.kernel)
        if self.kernel.index.events.last_head()[0] != self.head:
            self.idle, self.skipped = {}, set()
        return self.idle.get(loop)

    def after(self, loop: str, went: CycleResult) -> None:
        """A loop has had its turn."""
        self.head = self.kernel.index.catch_up()
        if went.done:
            self.idle, self.skipped = {}, set()
            return
        open_ = {g.name for g in self.kernel.self_.goals if g.status in ("todo", "working")}
        self.skipped.add(went.what)
        if loop != "action" or open_ <= self.skipped:  # else another goal may be worth it
            self.idle[loop] = went
