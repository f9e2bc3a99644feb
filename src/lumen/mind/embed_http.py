"""Vectors from a server that speaks the OpenAI protocol: POST /embeddings.

Nothing is decided here about which texts may be sent, and nothing is tried again: who asks knows
whether it can wait. Answers are not trusted: their size, order, numbers and time are bounded.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Iterator, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, field
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from lumen.core.canon import clean, dumps, loads
from lumen.core.clock import SystemClock
from lumen.core.errors import BadAnswer, Cancelled, MindError, TooLong
from lumen.mind.endpoints import Endpoint
from lumen.mind.substrate import Request

PATH = "/embeddings"
MOST_TEXTS = 64
MOST_BYTES = 100_000  # of texts in one request
LONGEST = 4096  # characters of a text: what the built-in embedder reads of one
SHORTEST = 64  # a text that is refused as too long at this length is not too long
LARGEST = 32 * 1024 * 1024  # bytes of an answer; 64 vectors of 4096 numbers are about 6 MB

Matrix = NDArray[np.float32]


class Meter(Protocol):
    """Who allows a call before anything is sent, and is told what came of it."""

    def begin(self, request: Request, texts: Sequence[str]) -> str:
        """Allow a call and give it a name; a MindError instead means that nothing is sent."""

    def end(
        self, call_id: str, tokens: int | None, seconds: float, error: MindError | None
    ) -> None:
        """A call is over: tokens as far as the server told, and what went wrong, if anything."""


@dataclass(slots=True)
class HttpEmbedder:
    """An embedding model behind an OpenAI-compatible server, whose url goes up to and with /v1."""

    id: str  # substrate/model
    endpoint: Endpoint
    meter: Meter
    size: int | None = field(default=None, init=False)  # fixed by the first answer

    @property
    def local(self) -> bool:
        """Whether texts stay on this machine."""
        return self.endpoint.local

    def embed(self, texts: Sequence[str]) -> Matrix:
        """One row of length 1 for each text; of a long text, the beginning.

        Raises:
            MindError: the server cannot be reached, refuses, or answers with anything else.
        """
        cut = [clean(text[:LONGEST]) for text in texts]
        rows = [self._asked(batch) for batch in batches(cut)]
        return np.concatenate(rows) if rows else np.zeros((0, self.size or 0), dtype=np.float32)

    def close(self) -> None:
        """Nothing is held between calls."""

    def _asked(self, texts: list[str]) -> Matrix:
        """The rows of one batch; what the model cannot read at once, it is given in parts."""
        try:
            return self._metered(texts)
        except TooLong:
            if len(texts) == 1 and len(texts[0]) <= SHORTEST:
                raise
        half = (len(texts) + 1) // 2
        if len(texts) > 1:
            return np.concatenate([self._asked(texts[:half]), self._asked(texts[half:])])
        return self._asked([texts[0][: len(texts[0]) // 2]])

    def _metered(self, texts: list[str]) -> Matrix:
        clock = SystemClock()
        asked = {"model": self.id.partition("/")[2], "input": texts, "encoding_format": "float"}
        request = Request(self.endpoint.url + PATH, dumps(asked))
        call = self.meter.begin(request, texts)
        began, tokens = clock.tick(), None
        trouble: MindError | None = Cancelled("it was broken off", worked=True)
        try:
            body = _posted(self.endpoint, request.body)
            rows, tokens = read_answer(self.id, body, len(texts))
            if rows.shape[1] != (self.size or rows.shape[1]):
                raise BadAnswer(
                    f"{self.id} gave vectors of {self.size} numbers and now of {rows.shape[1]}"
                )
            self.size, trouble = rows.shape[1], None
        except MindError as error:
            trouble = error
            raise
        finally:
            self.meter.end(call, tokens, clock.tick() - began, trouble)
        return rows


def _posted(endpoint: Endpoint, body: bytes) -> bytes:
    """The answer to a call, waited for in a thread of its own: this one may run an event loop."""
    from lumen.mind.substrates import http

    answer: Future[bytes] = Future()

    def call() -> None:
        try:
            answer.set_result(asyncio.run(http.post(endpoint, PATH, body, LARGEST)))
        except BaseException as error:  # noqa: BLE001 - it is raised where the answer is waited for
            answer.set_exception(error)

    threading.Thread(target=call, name="lumen-embedding", daemon=True).start()
    return answer.result()


def batches(texts: Sequence[str]) -> Iterator[list[str]]:
    """The texts in order, in requests that are neither too many nor too large."""
    batch: list[str] = []
    size = 0
    for text in texts:
        length = len(text.encode())
        if batch and (len(batch) == MOST_TEXTS or size + length > MOST_BYTES):
            yield batch
            batch, size = [], 0
        batch.append(text)
        size += length
    if batch:
        yield batch


def read_answer(name: str, body: bytes, many: int) -> tuple[Matrix, int | None]:
    """The rows of an answer in the order of its texts, each of length 1, and the tokens it took.

    Raises:
        BadAnswer: it is not what the protocol says, or no direction can be read off a vector.
    """
    try:
        read = loads(body)
        found = {item["index"]: item["embedding"] for item in read["data"]}
        if len(read["data"]) != many or set(found) != set(range(many)):
            raise BadAnswer(f"{name} gave {len(read['data'])} vectors for {many} texts")
        rows = np.array([found[n] for n in range(many)])
    except (KeyError, TypeError, ValueError) as error:
        raise BadAnswer(f"{name} did not answer with vectors of one size") from error
    if rows.ndim != 2 or not rows.size or rows.dtype.kind not in "fi":
        raise BadAnswer(f"{name} did not answer with vectors of one size")
    rows = rows.astype(np.float64)
    longest = np.abs(rows).max(axis=1, keepdims=True)
    if not (np.isfinite(longest).all() and longest.all()):
        raise BadAnswer(f"{name} gave a vector that is empty or not a number")
    rows /= longest  # the squares of large numbers would not fit
    rows /= np.linalg.norm(rows, axis=1, keepdims=True)
    usage = read.get("usage")
    tokens = usage.get("prompt_tokens") if isinstance(usage, dict) else None
    return rows.astype(np.float32), tokens if type(tokens) is int and tokens >= 0 else None
