"""Servers to talk to: llama.cpp's own, in a process beside the tests, and one that says what it is told.

Run as a program, this file is the first: it prints its address and ends with its standard input.

Usage: peers.py words|vectors KEY ALIAS
"""

from __future__ import annotations

import importlib
import json
import ssl
import subprocess
import sys
import threading
from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, Self

from lumen.mind.endpoints import Endpoint, Kind

CHUNK = 1 << 16
PATIENCE = 300.0  # that of waiting.py, which a program of its own cannot import


class LlamaServer:
    """A real peer: llama.cpp serving SmolLM2 on loopback, as OpenAI and as Anthropic do."""

    alias = "smol"
    key = "a-key-nobody-else-has"

    def __init__(self, makes: str = "words") -> None:
        self.process = subprocess.Popen(
            [sys.executable, str(Path(__file__)), makes, self.key, self.alias],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        assert self.process.stdout is not None
        self.url = self.process.stdout.readline().strip()
        assert self.url.startswith("http://127.0.0.1:"), self.url

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.process.communicate()


def serve(makes: str, key: str, alias: str) -> None:
    """Run llama.cpp's server until standard input ends."""
    from lumen.mind.substrates.embedded import WEIGHTS

    library = importlib.import_module("xllamacpp")
    params = library.CommonParams()
    params.model.path = str(WEIGHTS.verified())
    params.n_ctx = 4096
    params.n_parallel = 2
    params.cpuparams.n_threads = params.cpuparams_batch.n_threads = 1
    params.warmup = False
    params.verbosity = -1
    params.ui = False
    params.port = 0
    params.api_keys = [key]
    params.model_alias = {alias}
    if makes == "vectors":
        params.embedding = True
        params.pooling_type = library.llama_pooling_type.LLAMA_POOLING_TYPE_MEAN
    server = library.Server(params)
    sys.stdout.write(f"{server.listening_address}\n")
    sys.stdout.flush()
    sys.stdin.read()


@dataclass(frozen=True, slots=True)
class Asked:
    """One request as it came in."""

    method: str
    path: str
    headers: dict[str, str]
    body: bytes

    @property
    def json(self) -> dict[str, Any]:
        """Its body."""
        told: dict[str, Any] = json.loads(self.body)
        return told


class Exchange(BaseHTTPRequestHandler):
    """One connection to a Wire, for a reply to write to."""

    protocol_version = "HTTP/1.1"
    wire: Wire

    def do_GET(self) -> None:
        """Answer with whatever the path was given."""
        body = self.rfile.read(int(self.headers.get("content-length") or 0))
        headers = {name.lower(): value for name, value in self.headers.items()}
        with suppress(ConnectionError):
            self.wire.reply_to(Asked(self.command, self.path, headers, body))(self)
        self.close_connection = True

    do_POST = do_GET  # noqa: N815

    def log_message(self, *_: object) -> None:
        """Say nothing."""

    def head(self, status: int, headers: dict[str, str]) -> None:
        """The first lines of an answer."""
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        self.end_headers()

    def chunk(self, piece: bytes) -> None:
        """A piece of an answer whose length nobody knows yet."""
        self.wfile.write(b"%x\r\n%s\r\n" % (len(piece), piece))

    def wait(self) -> None:
        """Say nothing more until the other side hangs up, or the test is over."""
        self.connection.settimeout(0.02)
        while not self.wire.over.is_set():
            with suppress(TimeoutError):
                if not self.connection.recv(1):
                    self.wire.hung_up.set()
                    return

    def trickle(self) -> None:
        """Go on with nothing that counts until the other side hangs up, or the test is over."""
        try:
            while not self.wire.over.wait(0.01):
                self.chunk(b": still here\n\n")
        except ConnectionError:
            self.wire.hung_up.set()


Reply = Callable[[Exchange], None]


@dataclass(slots=True)
class Wire:
    """A real server on loopback whose every answer is scripted, and which keeps what it was asked."""

    tls: ssl.SSLContext | None = None
    asked: list[Asked] = field(default_factory=list)
    hung_up: threading.Event = field(default_factory=threading.Event)  # while it was silent
    over: threading.Event = field(default_factory=threading.Event)
    _replies: dict[str, list[Reply]] = field(default_factory=dict)
    _server: ThreadingHTTPServer = field(init=False)
    _thread: threading.Thread = field(init=False)

    def __enter__(self) -> Self:
        handler = type("WireExchange", (Exchange,), {"wire": self})
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
        self._server.daemon_threads = False  # then closing waits for them
        if self.tls is not None:
            self._server.socket = self.tls.wrap_socket(
                self._server.socket, server_side=True, do_handshake_on_connect=False
            )
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.01,))
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.over.set()
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    @property
    def url(self) -> str:
        """Where it is."""
        return f"http{'s' if self.tls else ''}://127.0.0.1:{self._server.server_port}"

    def on(self, path: str, *replies: Reply) -> Self:
        """Answer to a path with these, one after the other; the last one stays."""
        self._replies[path] = list(replies)
        return self

    def reply_to(self, asked: Asked) -> Reply:
        """Note a request and choose its answer; what nobody scripted is not found."""
        self.asked.append(asked)
        replies = self._replies.get(asked.path.partition("?")[0], [whole({}, 404)])
        return replies.pop(0) if len(replies) > 1 else replies[0]

    def last(self, path: str) -> Asked:
        """The latest request to a path."""
        return next(a for a in reversed(self.asked) if a.path.partition("?")[0] == path)


def whole(said: object, status: int = 200, **headers: str) -> Reply:
    """An answer in one piece: bytes as they are, all else as JSON; `_` in a header's name is `-`."""
    body = said if isinstance(said, bytes) else json.dumps(said).encode()

    def reply(exchange: Exchange) -> None:
        told = {name.replace("_", "-"): value for name, value in headers.items()}
        kind = {"content-type": "application/json"} | told
        exchange.head(status, {**kind, "content-length": str(len(body))})
        for start in range(0, len(body), CHUNK):
            exchange.wfile.write(body[start : start + CHUNK])

    return reply


def stream(pieces: Iterable[bytes], kind: str = "text/event-stream", then: str = "end") -> Reply:
    """An answer in pieces; `then` it ends, stalls, trickles on without a word, or drops the line."""
    said = list(pieces)

    def reply(exchange: Exchange) -> None:
        exchange.head(200, {"content-type": kind, "transfer-encoding": "chunked"})
        for piece in said:
            exchange.chunk(piece)
        if then == "end":
            exchange.chunk(b"")
        elif then == "stall":
            exchange.wait()
        elif then == "trickle":
            exchange.trickle()
        elif then == "drop in a piece":
            exchange.wfile.write(b'ffff\r\ndata: {"cho')

    return reply


def sse(*events: object, done: bool = True, then: str = "end") -> Reply:
    """Events as OpenAI sends them."""
    said = [b"data: %s\n\n" % json.dumps(event).encode() for event in events]
    return stream([*said, b"data: [DONE]\n\n"] if done else said, then=then)


def named(*events: dict[str, Any], then: str = "end") -> Reply:
    """Events as Anthropic sends them: each with its name before it."""
    said = [
        b"event: %s\ndata: %s\n\n" % (event["type"].encode(), json.dumps(event).encode())
        for event in events
    ]
    return stream(said, then=then)


def ndjson(*values: object, then: str = "end") -> Reply:
    """Lines as Ollama sends them."""
    said = [json.dumps(value).encode() + b"\n" for value in values]
    return stream(said, "application/x-ndjson", then)


def raw(said: bytes, then: str = "drop") -> Reply:
    """Bytes straight onto the line, whatever HTTP would say to that."""

    def reply(exchange: Exchange) -> None:
        exchange.wfile.write(said)
        if then == "stall":
            exchange.wait()

    return reply


def silence(exchange: Exchange) -> None:
    """Take a request and never answer."""
    exchange.wait()


def together(parties: int, reply: Reply) -> Reply:
    """Answer only when so many are waiting for one."""
    barrier = threading.Barrier(parties)

    def meet(exchange: Exchange) -> None:
        barrier.wait(PATIENCE)
        reply(exchange)

    return meet


def chat(*pieces: str, model: str = "m", finish: str = "stop", **usage: int) -> list[object]:
    """What OpenAI's chat says, event by event."""
    begun = [{"model": model, "choices": [{"delta": {"content": p}}]} for p in pieces]
    over = {"model": model, "choices": [{"delta": {}, "finish_reason": finish}]}
    return [*begun, over, *([{"model": model, "choices": [], "usage": usage}] if usage else [])]


def told(*pieces: str, model: str = "m", stop: str = "end_turn") -> list[dict[str, Any]]:
    """What Anthropic's messages say, event by event."""
    start = {"model": model, "usage": {"input_tokens": 7, "output_tokens": 1}}
    return [
        {"type": "message_start", "message": start},
        {"type": "ping"},
        *({"type": "content_block_delta", "delta": {"text": piece}} for piece in pieces),
        {"type": "message_delta", "delta": {"stop_reason": stop}, "usage": {"output_tokens": 5}},
        {"type": "message_stop"},
    ]


def lines(*pieces: str, model: str = "m", reason: str = "stop", **counts: int) -> list[object]:
    """What Ollama's chat says, line by line."""
    begun = [{"model": model, "message": {"content": p}, "done": False} for p in pieces]
    return [*begun, {"model": model, "done": True, "done_reason": reason, **counts}]


CHATS = {
    "openai": "/v1/chat/completions",
    "xai": "/v1/chat/completions",
    "lmstudio": "/v1/chat/completions",
    "anthropic": "/v1/messages",
    "ollama": "/api/chat",
}


def at(url: str, kind: Kind = "openai", *, key: str = "", seconds: float = PATIENCE) -> Endpoint:
    """A server as an endpoint of its kind; what is sent there stays on this machine, so no proxy."""
    base = f"{url}/v1" if CHATS[kind].startswith("/v1/chat") else url
    return Endpoint("desk", kind, base, local=True, key=key, seconds=seconds)


if __name__ == "__main__":
    serve(*sys.argv[1:])
