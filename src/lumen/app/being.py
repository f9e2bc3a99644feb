"""`lumen.open`: a being for plain code (`with`) or for code in an event loop (`async with`)."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Coroutine
from contextlib import aclosing, asynccontextmanager
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any, Concatenate, ParamSpec, TypeVar, cast

from lumen.app import approving, talking
from lumen.app.callers import refuse_to_skills
from lumen.app.living import CycleResult
from lumen.app.models import Assigned, assign_model, find_model
from lumen.app.opened import Opened, kernel_of
from lumen.app.prompts import refuse_bad_prompts
from lumen.app.reflecting import Reflection, look_back
from lumen.app.settings import data_home, find_being, must_be
from lumen.app.storage import open_storage
from lumen.app.talking import DraftText, IncomingMessage, Progress, ReplyText, Said, StepStarted
from lumen.app.wiring import open_kernel, take_settings
from lumen.core.clock import Clock, SystemClock
from lumen.core.data import BeingPaths as Folder
from lumen.core.errors import UsageError
from lumen.kernel.gate.birth import init
from lumen.kernel.gate.presence import between_turns, carrying_out
from lumen.kernel.turn.run import Watch
from lumen.soul.trust.keys import Keyring

AUTHOR_WAITS_S = 60.0  # for turns to end, before what only the author may do
P = ParamSpec("P")
T = TypeVar("T")


class AsyncBeing(Opened):
    """An open being in an event loop: messages of one conversation queue, others are answered at once."""

    @asynccontextmanager
    async def paused(self, patience: float = AUTHOR_WAITS_S) -> AsyncIterator[None]:
        """Wait until no turn runs with this being, anywhere; none begins before this is left.

        What only the author may do (values, goals, privacy, forgetting, checkpoints) is refused while
        a turn runs, and never in here.

        Raises:
            Busy: a turn goes on for longer than `patience` seconds.
        """
        async with between_turns(self._kernel.gate.locks, patience):
            yield

    async def say(
        self,
        text: str,
        conversation: str | None = None,
        speaker: str | None = None,
        key: str | None = None,
        *,
        private: bool = False,
    ) -> Said:
        """Say something and get the answer.

        `speaker` names somebody other than the author, a guest. A `key` makes a repetition
        harmless: a message whose key was answered before gets the same answer again.
        """
        spoken = self._spoken(conversation, speaker, key, private=private)
        return await _answer(self, text, spoken, Watch())

    async def saying(
        self,
        text: str,
        conversation: str | None = None,
        speaker: str | None = None,
        key: str | None = None,
        *,
        private: bool = False,
    ) -> AsyncGenerator[Progress, None]:
        """The same, with what happens on the way: steps, drafts, the reply; what was said comes last.

        Closing the iterator stops the turn, and the archive says so.
        """
        spoken = self._spoken(conversation, speaker, key, private=private)
        async with aclosing(_stream(self, text, spoken)) as progress:
            async for one in progress:
                yield one

    async def reflect(self, *, dry_run: bool = False) -> Reflection:
        """Let it look back and change what it values and wants; a dry run changes nothing."""
        async with self._turn() as kernel:
            return await look_back(kernel, dry_run=dry_run)

    async def live(self) -> tuple[CycleResult, ...]:
        """One cycle of what it does when nobody speaks, and the reflection it may give cause to."""
        async with self._turn("live"):
            return tuple([came async for came in self._scheduler.cycle()])

    async def assign(self, role: str, model: str) -> Assigned:
        """Let a model, as substrate/model, serve a role; it must be listed, or answer."""
        async with self._turn() as kernel:
            found = await find_model(kernel, must_be(kernel.being), role, model)
            async with between_turns(self._kernel.gate.locks, AUTHOR_WAITS_S):
                with self._as_author():
                    assigned = assign_model(kernel, found)
                take_settings(kernel)
        return assigned

    async def allow(self, number: int) -> approving.Approved:
        """Let a proposal be carried out, now; the author's key signs it."""
        async with self._turn() as kernel, carrying_out(self._kernel.gate.locks):
            async with between_turns(self._kernel.gate.locks, AUTHOR_WAITS_S):
                with self._as_author():
                    proposal = approving.sign_yes(kernel, must_be(self._folder).soul, number)
            return await approving.carry_out(kernel, proposal)


def _waited_for(
    method: Callable[Concatenate[AsyncBeing, P], Coroutine[Any, Any, T]],
) -> Callable[Concatenate[Being, P], T]:
    """The same method for plain code: it waits for the answer."""

    @wraps(method)
    def waits(being: Being, /, *given: P.args, **named: P.kwargs) -> T:
        kernel_of(being)
        return being._runner.run(method(cast("AsyncBeing", being), *given, **named))

    return waits


class Being(Opened):
    """An open being for plain code: it has an event loop of its own, and waits for every answer."""

    _runner: asyncio.Runner

    say = _waited_for(AsyncBeing.say)
    reflect = _waited_for(AsyncBeing.reflect)
    live = _waited_for(AsyncBeing.live)
    assign = _waited_for(AsyncBeing.assign)
    allow = _waited_for(AsyncBeing.allow)


async def _answer(being: Opened, text: str, spoken: IncomingMessage, watch: Watch) -> Said:
    if not isinstance(text, str):
        raise UsageError(f"a message is a text, not {text!r}", fix='being.say("words")')
    names = [f"conversation {spoken.conversation}", *([f"key {spoken.key}"] if spoken.key else [])]
    async with being._turn(*names) as kernel:
        return await talking.answer(kernel, text, watch, spoken)


async def _stream(
    being: Opened, text: str, spoken: IncomingMessage
) -> AsyncGenerator[Progress, None]:
    loop = asyncio.get_running_loop()
    seen: asyncio.Queue[Progress | None] = asyncio.Queue()

    def tell(one: Progress | None) -> None:
        loop.call_soon_threadsafe(seen.put_nowait, one)  # a model may run in a thread

    watch = Watch(
        step=lambda name: tell(StepStarted(name)),
        reply=lambda words: tell(ReplyText(words)),
        draft=lambda piece: tell(DraftText(piece)),
    )
    turn = asyncio.create_task(_answer(being, text, spoken, watch))
    turn.add_done_callback(lambda _: tell(None))
    try:
        while (one := await seen.get()) is not None:
            yield one
        yield await turn
    finally:
        turn.cancel()
        await asyncio.wait({turn})  # until the archive says how it ended


class Door:
    """A being about to be opened: by `with` for plain code, by `async with` in an event loop."""

    def __init__(self, path: str | Path | None, clock: Clock | None) -> None:
        self._path = path
        self._clock = clock
        self._runner: asyncio.Runner | None = None
        self._open: Opened | None = None

    def __enter__(self) -> Being:
        being = Being(*self._opened())
        self._runner = being._runner = asyncio.Runner()
        self._open = being
        return being

    def __exit__(self, *_error: object) -> None:
        if self._open:
            self._open.close()
        if self._runner:
            self._runner.close()

    async def __aenter__(self) -> AsyncBeing:
        being = AsyncBeing(*self._opened())
        self._open = being
        return being

    async def __aexit__(self, *_error: object) -> None:
        if self._open:
            await self._open._queues.drained()  # turns under way are over first
            self._open.close()

    if not TYPE_CHECKING:  # else no name would be a wrong one

        def __getattr__(self, name: str) -> object:
            """Tell whoever forgot the `with`."""
            if name.startswith("_") or not hasattr(AsyncBeing, name):
                raise AttributeError(name)
            raise UsageError("this being is not open", fix="with lumen.open(path) as being: …")

    def _opened(self) -> tuple[Any, list[str]]:
        refuse_to_skills("this program")
        path = None if self._path is None else str(self._path)
        folder, by_default = find_being(path)
        clock = self._clock or SystemClock()
        if by_default and not folder.settings.exists():
            init(folder, open_storage(folder, Keyring(data_home()), clock), clock)
        refuse_bad_prompts(folder)
        return open_kernel(folder, must_be(folder), clock=clock)


def create(path: str | Path, clock: Clock | None = None) -> Path:
    """Make a new being in a folder that holds none; returns the folder.

    Raises:
        AlreadyABeing: there is one; nothing was changed.
    """
    folder = Folder(Path(path).expanduser().absolute())
    clock = clock or SystemClock()
    init(folder, open_storage(folder, Keyring(data_home()), clock), clock)
    return folder.root
