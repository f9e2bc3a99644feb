"""One model file loaded into this process by llama.cpp: what it is asked, and how it is let go of.

Who may ask, in which thread and when it is unloaded is decided in embedded.py.
"""

from __future__ import annotations

import importlib
import os
import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol, cast

from lumen.core.canon import JSON, clean
from lumen.core.clock import SystemClock
from lumen.core.errors import MindError, NoSubstrate
from lumen.mind import gguf
from lumen.mind.substrate import Prompt
from lumen.mind.weights import FIX

Chunk = dict[str, Any]  # llama.cpp's JSON, read here and in embedded.py and nowhere else
LARGE_BYTES = 400 << 20  # a file beyond this reads slowly


class _Server(Protocol):
    """The part of xllamacpp.Server used here (it comes without types)."""

    def handle_chat_completions(
        self, request: dict[str, JSON], callback: Callable[[Chunk], bool]
    ) -> object: ...


@dataclass(frozen=True, slots=True)
class WeightsFile:
    """A file to be loaded, and how much of a conversation it may read."""

    name: str
    path: Path
    context_tokens: int


class Loaded:
    """A model in memory."""

    def __init__(self, file: WeightsFile) -> None:
        self.name = file.name
        self._server = _server(file)
        self._control = _marks(gguf.read(file.path).control)

    def complete(self, prompt: Prompt, take: Callable[[Chunk], bool]) -> None:
        """Generate once; every chunk goes to `take`, which says True to stop."""
        try:
            returned = self._server.handle_chat_completions(self._request(prompt), take)
        except (RuntimeError, ValueError) as error:  # a schema it cannot follow, for one
            raise MindError("the embedded model refused the request", detail=str(error)) from error
        if isinstance(returned, dict):
            take(returned)

    def _request(self, prompt: Prompt) -> dict[str, JSON]:
        return {
            "messages": [
                {"role": r, "content": self._plain(text)} for r, text in prompt.messages()
            ],
            **prompt.chat_settings(),
            "cache_prompt": True,
            # Chunks also come while the prompt is read, so a long prompt can be stopped too.
            "return_progress": True,
        }

    def _plain(self, text: str) -> str:
        """Text without the model's own marks: it could otherwise end its turn and speak as the system."""
        return self._control.sub(lambda mark: f"{mark[0][0]} {mark[0][1:]}", clean(text))


def _marks(control: tuple[str, ...]) -> re.Pattern[str]:
    return re.compile("|".join(map(re.escape, control)) or r"(?!)")


def spare_threads() -> int:
    """All cores but one: with all of them, a second busy process makes every step wait for it."""
    return max(1, len(os.sched_getaffinity(0)) - 1)


def _server(file: WeightsFile) -> _Server:
    # Waiting OpenMP threads otherwise spin and take the cores from everything else.
    os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")
    try:
        library = importlib.import_module("xllamacpp")
    except ImportError as error:
        raise NoSubstrate("the package xllamacpp is not installed", fix=FIX) from error
    large = file.path.stat().st_size > LARGE_BYTES
    params = library.CommonParams()
    params.model.path = str(file.path)
    params.n_ctx = file.context_tokens
    params.n_parallel = 1
    params.cpuparams.n_threads = params.cpuparams_batch.n_threads = spare_threads()
    params.n_batch = params.n_ubatch = (
        32 if large else 64
    )  # so many are read before it can be stopped
    params.cache_ram_mib = 128  # prompts of several steps stay read; the default is 8 GiB
    params.no_extra_bufts = (
        large  # or it keeps half of the weights twice, and loads three times as long
    )
    params.warmup = False
    params.verbosity = -1
    # The library opens a port on the loopback interface: nobody may know its key.
    params.api_keys = [SystemClock().entropy(16).hex()]
    params.ui = False
    params.endpoint_slots = False
    try:
        return cast(_Server, library.Server(params))
    except (RuntimeError, ValueError, OSError) as error:
        raise NoSubstrate(f"llama.cpp could not load {file.path}: {error}", fix=FIX) from error
