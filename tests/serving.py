"""A real server on the loopback interface that speaks /v1/embeddings, kindly or not.

It keeps what it was sent. `rows` is the kind one; anything else may be answered as well.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cache
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import numpy as np
from numpy.typing import NDArray
from tests.waiting import PATIENCE

from lumen.core.errors import MindError
from lumen.mind.embed_http import HttpEmbedder, Meter
from lumen.mind.endpoints import Endpoint
from lumen.mind.substrate import Request

Rows = NDArray[np.float32]


class Unmetered:
    """Allows every call and remembers none."""

    def begin(self, request: Request, texts: Sequence[str]) -> str:
        del request, texts
        return ""

    def end(
        self, call_id: str, tokens: int | None, seconds: float, error: MindError | None
    ) -> None:
        """Nobody wants to know."""


def embedder_at(
    url: str,
    key: str = "",
    *,
    name: str = "peer/model",
    local: bool = True,
    seconds: float = PATIENCE,
    meter: Meter | None = None,
) -> HttpEmbedder:
    """An embedder behind a server."""
    substrate = name.partition("/")[0]
    endpoint = Endpoint(substrate, "openai", url, local, key, seconds=seconds)
    return HttpEmbedder(name, endpoint, meter or Unmetered())


@dataclass(slots=True)
class Answer:
    """What goes over the wire."""

    body: bytes
    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)


@dataclass(slots=True)
class Served:
    """A server that runs, how it answers, and what it was sent."""

    answer: Callable[[list[str]], Answer]
    url: str = ""
    sent: list[dict[str, Any]] = field(default_factory=list)
    headers: list[dict[str, str]] = field(default_factory=list)
    paths: list[str] = field(default_factory=list)

    @property
    def texts(self) -> list[str]:
        """Every text it was given."""
        return [text for request in self.sent for text in request["input"]]


def vectors(rows: Sequence[Sequence[float]] | Rows, **more: Any) -> Answer:  # noqa: ANN401 - any JSON
    """A kind answer, with its rows in no good order."""
    data = [
        {"object": "embedding", "index": n, "embedding": [float(x) for x in row]}
        for n, row in enumerate(rows)
    ]
    usage = {"prompt_tokens": 7, "total_tokens": 7}
    body = {"object": "list", "data": data[::-1], "usage": usage, **more}
    return Answer(json.dumps(body).encode())


def embedding(embed: Callable[[list[str]], Rows]) -> Callable[[list[str]], Answer]:
    """A server whose model is a function."""
    return lambda texts: vectors(embed(texts))


@contextmanager
def serving(answer: Callable[[list[str]], Answer]) -> Iterator[Served]:
    """Run a server for as long as it is needed."""
    served = Served(answer)

    class Requests(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["content-length"]))
            served.sent.append(json.loads(body))
            served.headers.append({k.lower(): v for k, v in self.headers.items()})
            served.paths.append(self.path)
            given = served.answer(served.sent[-1]["input"])
            self.send_response(given.status)
            for name, value in given.headers.items():
                self.send_header(name, value)
            if not any(name.lower() == "content-length" for name in given.headers):
                self.send_header("content-length", str(len(given.body)))
            self.end_headers()
            try:
                self.wfile.write(given.body)
            except OSError:  # whoever asked has heard enough
                self.close_connection = True

        def log_message(self, *_: object) -> None:
            """Nobody reads it."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Requests)
    server.daemon_threads = True
    served.url = f"http://127.0.0.1:{server.server_port}/v1"
    thread = threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True)
    thread.start()
    try:
        yield served
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


@cache
def _turn(seed: int) -> NDArray[np.float64]:
    """A rotation of space, by chance."""
    return np.linalg.qr(np.random.default_rng(seed).normal(size=(384, 384)))[0]


@dataclass(frozen=True, slots=True)
class Twisted:
    """Another real embedder, made of one: turned in space, and its cosines all near each other.

    A cosine c of the first is share·c + 1 - share of this one, up to rounding.
    """

    embed_plainly: Callable[[Sequence[str]], Rows]
    seed: int = 0
    share: float = 0.2

    def __call__(self, texts: Sequence[str]) -> Rows:
        """One row for each text, of one number more than it was made of."""
        rows = self.embed_plainly(texts) @ _turn(self.seed) * np.sqrt(self.share)
        common = np.full((len(texts), 1), np.sqrt(1 - self.share))
        return np.concatenate([rows, common], axis=1).astype(np.float32)
