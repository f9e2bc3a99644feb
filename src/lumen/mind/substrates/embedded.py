"""Models inside this process, through llama.cpp: no network, no key, no service.

SmolLM2-135M is always there, beside it whatever model files are kept on this host. One worker thread
owns the one model that is loaded, loads it at the first call, runs one generation at a time and
lets go of it when nobody has asked for a while. The process may only end when that thread is idle
(llama.cpp crashes otherwise), so every way out of a call stops the generation and waits for it.
"""

from __future__ import annotations

import asyncio
import atexit
import re
import threading
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from importlib.util import find_spec
from pathlib import Path

from lumen.core.errors import BadAnswer, Cancelled, MindError, NoSubstrate, TooLong
from lumen.mind.in_process import CONTEXT_TOKENS, in_process
from lumen.mind.in_process import MODEL_ID as MODEL_ID
from lumen.mind.in_process import WEIGHTS as WEIGHTS
from lumen.mind.library import Library
from lumen.mind.substrate import Completion, Health, ModelDescriptor, OnText, Prompt
from lumen.mind.substrates.llama import Chunk, Loaded, WeightsFile

IDLE_S = 600.0  # a model that nobody asked for so long gives its memory back
LOOK_EVERY = 32  # pieces, between two looks whether a text goes round in circles
CIRCLE = 120  # characters: the longest that is said again and again
ROUNDS = 4  # so often, and it will not end by itself
ENOUGH = 80  # characters before that which are worth saying
CLAUSE_ENDS = (".", "!", "?", ",", ";", "\n")
RUNS_EMPTY = re.compile(
    r"(?:(?:^|\s)\d{1,3}[.)]\s*){4}$"
)  # numbers of a list that has no more items


class Embedded:
    """The substrate that is always there; `folder` holds the model files kept beside the built-in."""

    id = "embedded"

    def __init__(self, folder: Path | None = None, *, idle_s: float = IDLE_S) -> None:
        self._library = Library(folder) if folder else None
        self._pool = ThreadPoolExecutor(max_workers=1, thread_name_prefix="lumen-embedded")
        self._closing = threading.Event()
        self._idle_s = idle_s
        self._idle: threading.Timer | None = None
        self._loaded: Loaded | None = None

    async def health(self) -> Health:
        """Looks for the library and reads the built-in weights through; does not load them."""
        if find_spec("xllamacpp") is None:
            return Health(ok=False, detail="the package xllamacpp is not installed")
        try:
            path = await asyncio.to_thread(WEIGHTS.verified)
        except NoSubstrate as error:
            return Health(ok=False, detail=error.what)
        return Health(ok=True, detail=f"{MODEL_ID} at {path}")

    async def discover(self) -> list[ModelDescriptor]:
        """The built-in model, and those kept on this host."""
        return in_process(self._library.folder if self._library else None)

    async def describe(self, model_id: str) -> ModelDescriptor:
        """One of them; any other name is refused."""
        models = {model.model_id: model for model in await self.discover()}
        if model_id not in models:
            raise NoSubstrate(
                f"embedded has no model {model_id!r}; it has {', '.join(models)}",
                fix=f"lumen models add FILE --name {model_id}, or assign embedded/{MODEL_ID}",
            )
        return models[model_id]

    def request(self, model_id: str, prompt: Prompt) -> None:
        """Nothing leaves this process."""

    async def invoke(
        self, model_id: str, prompt: Prompt, on_text: OnText | None = None
    ) -> Completion:
        """One generation; a second call made meanwhile waits for its turn."""
        await self.describe(model_id)
        if self._closing.is_set():
            raise MindError("the embedded model was closed")
        loop = asyncio.get_running_loop()
        pieces: asyncio.Queue[str | None] = asyncio.Queue()
        stream = _Stream(loop, pieces, self._closing)
        call = self._pool.submit(self._complete, model_id, prompt, stream)
        call.add_done_callback(lambda _: stream.emit(None))
        try:
            while (piece := await pieces.get()) is not None:
                if on_text is not None:
                    on_text(piece)
        except BaseException:
            stream.stop.set()
            await _settled(call, pieces)
            raise
        return call.result()

    def close(self) -> None:
        """Stops a generation under way and joins the thread."""
        atexit.unregister(self.close)
        self._closing.set()
        self._pool.shutdown(wait=True)
        self._rest()
        self._loaded = None

    @property
    def loaded(self) -> str:
        """The model that is in memory just now; empty: none."""
        return self._loaded.name if self._loaded else ""

    def _complete(self, model_id: str, prompt: Prompt, stream: _Stream) -> Completion:
        """Runs in the worker thread."""
        if stream.stopped():
            raise Cancelled("the call was stopped before it began")
        self._rest()
        if self._loaded is None or self._loaded.name != model_id:
            atexit.unregister(self.close)
            self._loaded = None  # before the next one: two need not fit into memory
            self._loaded = Loaded(self._file(model_id))
            atexit.register(self.close)
        try:
            self._loaded.complete(prompt, stream.take)
        finally:
            self._await_idleness()
        return stream.completion()

    def _file(self, model_id: str) -> WeightsFile:
        kept = self._library.get(model_id) if self._library and model_id != MODEL_ID else None
        if self._library and kept:
            return WeightsFile(model_id, self._library.verified(kept), kept.context_tokens)
        return WeightsFile(model_id, WEIGHTS.verified(), CONTEXT_TOKENS)

    def _rest(self) -> None:
        """Nobody is waited for any more."""
        if self._idle is not None:
            self._idle.cancel()
            self._idle = None

    def _await_idleness(self) -> None:
        """Let go of the model when nobody asks for long; in its own thread, as all that is done to it."""

        def unload() -> None:
            if self._idle is timer:  # else somebody asked meanwhile
                self._loaded = None

        def due() -> None:
            with suppress(RuntimeError):  # closed meanwhile
                self._pool.submit(unload)

        timer = self._idle = threading.Timer(self._idle_s, due)
        timer.daemon = True
        timer.start()


class _Stream:
    """Chunks of one generation as they arrive in the worker thread."""

    def __init__(
        self,
        loop: asyncio.AbstractEventLoop,
        pieces: asyncio.Queue[str | None],
        closing: threading.Event,
    ) -> None:
        self.stop = threading.Event()
        self._loop = loop
        self._pieces = pieces
        self._closing = closing
        self._text: list[str] = []
        self._finish = ""
        self._usage: Chunk | None = None
        self._error: Chunk | None = None
        self.circles = False
        self.empty = False  # only numbers of items come

    def stopped(self) -> bool:
        """Whether anyone still waits: a closed loop means the program is on its way out."""
        return self.stop.is_set() or self._closing.is_set() or self._loop.is_closed()

    def emit(self, piece: str | None) -> None:
        """Hand a piece (or None, the end) to the event loop."""
        with suppress(RuntimeError):  # the loop was closed between the check and the call
            if not self._loop.is_closed():
                self._loop.call_soon_threadsafe(self._pieces.put_nowait, piece)

    def take(self, chunk: Chunk) -> bool:
        """Read one chunk; True asks llama.cpp to stop."""
        if "error" in chunk:
            self._error = chunk["error"]
            return True
        self._usage = chunk.get("usage", self._usage)
        before = len(self._text)
        for choice in chunk.get("choices", ()):
            self._finish = choice.get("finish_reason") or self._finish
            if piece := choice.get("delta", {}).get("content"):
                self._text.append(piece)
                self.emit(piece)
        if len(self._text) > before and len(self._text) % LOOK_EVERY == 0:
            lately = "".join(self._text[-ROUNDS * CIRCLE :])
            self.circles, self.empty = goes_in_circles(lately), bool(RUNS_EMPTY.search(lately))
        return self.circles or self.empty or self.stopped()

    def _before_the_end(self) -> str:
        """What was said before no end would come, up to a clause; nothing where that is too little."""
        text = "".join(self._text)
        if self.empty:
            text = RUNS_EMPTY.sub("", text)
        elif self.circles:
            text = before_circles(text)
        else:
            return ""
        text = text[: max(map(text.rfind, CLAUSE_ENDS)) + 1].rstrip(" ,;\n")
        if len(text) < ENOUGH:
            return ""
        return text if text.endswith((".", "!", "?")) else f"{text}."

    def completion(self) -> Completion:
        """What the whole stream came to."""
        if self._error is not None:
            raise _as_mind_error(self._error)
        if self._usage is None and not self.stopped() and (said := self._before_the_end()):
            return Completion(said, None, None, 0, "length")
        if self._usage is None:
            if self.stopped():
                raise Cancelled("the call was stopped")
            if self.circles:
                raise BadAnswer("the embedded model said the same over and over", worked=True)
            raise MindError("the embedded model stopped without finishing its answer")
        details = self._usage.get("prompt_tokens_details", {})
        return Completion(
            text="".join(self._text),
            prompt_tokens=self._usage["prompt_tokens"],
            completion_tokens=self._usage["completion_tokens"],
            cached_tokens=details.get("cached_tokens", 0),
            finish=self._finish,
        )


def before_circles(text: str) -> str:
    """A text up to where it began to say the same over and over; whole where it does not."""
    for long in range(1, CIRCLE + 1):
        start = len(text) - long
        while start > 0 and text[start - 1] == text[start - 1 + long]:
            start -= 1
        rounds = (len(text) - start) // long
        if rounds >= max(ROUNDS, CIRCLE // long):
            return text[: len(text) - rounds * long]
    return text


def goes_in_circles(text: str) -> bool:
    """Whether a text ends in the same words, or the same letter, said over and over."""
    for long in range(1, CIRCLE + 1):
        rounds = max(ROUNDS, CIRCLE // long)  # a row of dashes is no circle yet
        end = text[-rounds * long :]
        if len(end) == rounds * long and end[long:] == end[:-long]:
            return True
    return False


async def _settled(call: Future[Completion], pieces: asyncio.Queue[str | None]) -> None:
    """Wait until the thread is done with a call, whatever cancels the waiting."""
    if call.cancel():
        return
    while not call.done():
        with suppress(asyncio.CancelledError):
            await pieces.get()  # the end of the call puts a None here


def _as_mind_error(error: Chunk) -> MindError:
    if error.get("type") == "exceed_context_size_error":
        return TooLong(
            f"the prompt has {error.get('n_prompt_tokens')} tokens; "
            f"the embedded model reads at most {error.get('n_ctx')}",
            fix="assign a model with a longer context to this role",
        )
    return MindError(f"the embedded model failed: {error.get('message', error)}")
