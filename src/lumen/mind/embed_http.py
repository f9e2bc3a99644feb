"""Vectors from a server that speaks the OpenAI protocol: POST /embeddings.

Nothing is decided here about which texts may be sent, and nothing is tried again: who asks knows
whether it can wait. Answers are not trusted: their size, order, numbers and time are bounded.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
import orjson
from numpy.typing import NDArray

from lumen.core.canon import clean
from lumen.core.clock import SystemClock
from lumen.core.errors import BadAnswer, Cancelled, Denied, MindError, TooLong, Unreachable
from lumen.mind.endpoints import Endpoint

if TYPE_CHECKING:
    import httpx2

MOST_TEXTS = 64
MOST_BYTES = 100_000  # of texts in one request
LONGEST = 4096  # characters of a text: what the built-in embedder reads of one
SHORTEST = 64  # a text that is refused as too long at this length is not too long
LARGEST = 32 * 1024 * 1024  # bytes of an answer; 64 vectors of 4096 numbers are about 6 MB
CONNECT_S = 5.0

Matrix = NDArray[np.float32]


class Meter(Protocol):
    """Who allows a call before anything is sent, and is told what came of it."""

    def begin(self, texts: Sequence[str]) -> str:
        """Allow a call and give it a name; a MindError instead means that nothing is sent."""
        ...

    def end(
        self, call_id: str, tokens: int | None, seconds: float, error: MindError | None
    ) -> None:
        """A call is over: tokens as far as the server told, and what went wrong, if anything."""
        ...


class Unmetered:
    """Allows every call and remembers none."""

    def begin(self, texts: Sequence[str]) -> str:
        """Allow it."""
        del texts
        return ""

    def end(
        self, call_id: str, tokens: int | None, seconds: float, error: MindError | None
    ) -> None:
        """Nobody wants to know."""


@dataclass(slots=True)
class HttpEmbedder:
    """An embedding model behind an OpenAI-compatible server."""

    id: str  # substrate/model
    url: str  # up to and with /v1
    model: str
    key: str = field(repr=False)
    local: bool = field(kw_only=True)  # whether texts stay on this machine
    seconds: float = field(default=30.0, kw_only=True)
    meter: Meter = field(default_factory=Unmetered, kw_only=True)
    size: int | None = field(default=None, init=False)  # fixed by the first answer
    _client: httpx2.Client | None = field(default=None, init=False, repr=False)

    def embed(self, texts: Sequence[str]) -> Matrix:
        """One row of length 1 for each text; of a long text, the beginning.

        Raises:
            MindError: the server cannot be reached, refuses, or answers with anything else.
        """
        cut = [clean(text[:LONGEST]) for text in texts]
        rows = [self._asked(batch) for batch in batches(cut)]
        return np.concatenate(rows) if rows else np.zeros((0, self.size or 0), dtype=np.float32)

    def close(self) -> None:
        """Let go of the connection; the next call makes a new one."""
        if self._client is not None:
            self._client.close()
            self._client = None

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
        call = self.meter.begin(texts)
        began, tokens = clock.tick(), None
        trouble: MindError | None = Cancelled("it was broken off", worked=True)
        try:
            body = self._post(texts, began + self.seconds)
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

    def _post(self, texts: list[str], until: float) -> bytes:
        import httpx2

        from lumen.mind.substrates.http import failure

        asked = {"model": self.model, "input": texts, "encoding_format": "float"}
        # An encoding could make a small answer a huge one; numbers compress little anyway.
        headers = {"content-type": "application/json", "accept-encoding": "identity"}
        if self.key:
            if not (self.key.isascii() and self.key.isprintable()):  # an error would quote it
                raise Denied(f"the key of {self.id} holds characters that no key has")
            headers["authorization"] = f"Bearer {self.key}"
        try:
            with self._open().stream(
                "POST",
                f"{self.url.rstrip('/')}/embeddings",
                content=orjson.dumps(asked),
                headers=headers,
            ) as answer:
                body = self._read(answer, until)
        except (httpx2.HTTPError, httpx2.InvalidURL, httpx2.StreamError) as error:
            raise Unreachable(
                f"{self.id} cannot be reached at {self.url}",
                fix="lumen models scan",
                detail=str(error) or type(error).__name__,
                worked=not isinstance(error, httpx2.ConnectError | httpx2.ConnectTimeout),
            ) from error
        if answer.status_code != 200:
            raise failure(self._endpoint(), answer.status_code, answer.headers, body)
        return body

    def _endpoint(self) -> Endpoint:
        return Endpoint(self.id.partition("/")[0], "openai", self.url, self.local, self.key)

    def _open(self) -> httpx2.Client:
        if self._client is None:
            import httpx2

            self._client = httpx2.Client(
                timeout=httpx2.Timeout(self.seconds, connect=min(CONNECT_S, self.seconds)),
                trust_env=not self.local,  # a proxy would take what is local off this machine
                follow_redirects=False,  # what is sent goes where the author said, or nowhere
            )
        return self._client

    def _read(self, answer: httpx2.Response, until: float) -> bytes:
        if answer.headers.get("content-encoding", "identity").lower() != "identity":
            raise BadAnswer(f"{self.id} sends an encoding it was not asked for")
        clock, parts, size = SystemClock(), [], 0
        for part in answer.iter_raw():
            parts.append(part)
            size += len(part)
            if size > LARGEST:
                raise BadAnswer(f"{self.id} sends more than {LARGEST:,} bytes")
            if clock.tick() > until:  # a byte now and then would keep the timeout away for ever
                raise Unreachable(f"{self.id} did not finish within {self.seconds:g} seconds")
        return b"".join(parts)


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
        read: Any = orjson.loads(body)
        found = {item["index"]: item["embedding"] for item in read["data"]}
        if len(read["data"]) != many or set(found) != set(range(many)):
            raise BadAnswer(f"{name} gave {len(read['data'])} vectors for {many} texts")
        rows = np.array([found[n] for n in range(many)])
    except (orjson.JSONDecodeError, KeyError, TypeError, ValueError) as error:
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
