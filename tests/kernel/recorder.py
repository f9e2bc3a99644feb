"""A server on the loopback interface that speaks OpenAI's chat, keeps every byte, and can fail.

It stands for a model that is not on this machine. What it does to the next calls is put into
`plan`; with nothing planned it answers, and says truthfully how many tokens that took.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING, Any

from lumen.mind.endpoints import BUILT_IN, Endpoint
from lumen.mind.roles import parse_assignment
from lumen.mind.substrates.remote import unlisted

if TYPE_CHECKING:
    from tests.kernel.conftest import Life

Handler = BaseHTTPRequestHandler
Deed = Callable[["Recorder", Handler, dict[str, Any]], None]
OVERFLOW = {"error": {"message": "maximum context length exceeded", "code": "context_length"}}
GONE = {"error": {"message": "The model `gpt` does not exist", "code": "model_not_found"}}


@dataclass(slots=True)
class Recorder:
    """A running server and what it has seen."""

    url: str = ""
    says: str = "That sounds like a good day to me."
    models: tuple[str, ...] = ("gpt",)
    plan: list[Deed] = field(default_factory=list)
    calls: list[bytes] = field(default_factory=list)  # the bodies of chat calls, as they came
    looks: int = 0
    served: list[tuple[int, int]] = field(default_factory=list)  # tokens of prompts and answers
    asked: threading.Event = field(default_factory=threading.Event)
    go_on: threading.Event = field(default_factory=threading.Event)
    lock: threading.Lock = field(default_factory=threading.Lock)
    together: threading.Barrier = field(default_factory=lambda: threading.Barrier(2))

    def endpoint(self, **more: Any) -> Endpoint:  # noqa: ANN401 - any field of it
        """As a substrate that is not local."""
        return Endpoint(
            **{"id": "cloud", "kind": "openai", "url": self.url, "local": False, **more}
        )

    def seen(self) -> bytes:
        """Every byte of every call, unescaped, in lower case."""
        said = (json.dumps(json.loads(body), ensure_ascii=False) for body in self.calls)
        return "\n".join(said).lower().encode()

    def bodies(self) -> list[dict[str, Any]]:
        """The calls, read."""
        return [json.loads(body) for body in self.calls]

    def last(self) -> str:
        """All that the last call said."""
        return "\n".join(m["content"] for m in self.bodies()[-1]["messages"])


def connect(life: Life, endpoint: Endpoint, model: str = "gpt", role: str = "interface") -> None:
    """Assign a role to a model that this host has seen at an endpoint."""
    reach, known = life.kernel.reach, unlisted(endpoint, model)
    life.kernel.reach = replace(
        reach,
        assignments={**reach.assignments, role: parse_assignment(role, str(known))},
        endpoints={**BUILT_IN, **reach.endpoints, endpoint.id: endpoint},
        known={**reach.known, str(known): known},
        opened={},
    )


def tokens_of(body: dict[str, Any]) -> int:
    """What a prompt takes: a token for every three bytes."""
    return sum(len(m["content"].encode()) for m in body["messages"]) // 3 + 3


def answer(
    text: str | None = None,
    usage: dict[str, int] | None = None,
    served: tuple[int, int] | None = None,
    finish_reason: str = "stop",
) -> Deed:
    """A good answer, as a stream; without `usage` it tells the truth, with an empty one nothing."""

    def deed(server: Recorder, handler: Handler, body: dict[str, Any]) -> None:
        said = server.says if text is None else text
        told = {"prompt_tokens": tokens_of(body), "completion_tokens": len(said) // 4 + 1}
        with server.lock:
            server.served.append(served or (told["prompt_tokens"], told["completion_tokens"]))
        told = told if usage is None else usage
        chunks: list[dict[str, Any]] = [
            {"model": body["model"], "choices": [{"delta": {"content": piece}}]}
            for piece in (said[: len(said) // 2], said[len(said) // 2 :])
        ]
        chunks.append({"choices": [{"delta": {}, "finish_reason": finish_reason}]})
        chunks += [{"choices": [], "usage": told}] if told else []
        _stream(handler, [f"data: {json.dumps(c)}\n\n".encode() for c in chunks])
        handler.wfile.write(b"data: [DONE]\n\n")

    return deed


def greedy(server: Recorder, handler: Handler, body: dict[str, Any]) -> None:
    """A good answer that takes nearly all it may take, and not before another call is under way.

    The other may never come: it is waited for a moment only.
    """
    with suppress(threading.BrokenBarrierError):
        server.together.wait(0.1)
    server.together.reset()
    prompt = sum(len(m["content"].encode()) + 16 for m in body["messages"])
    told = {"prompt_tokens": prompt, "completion_tokens": body["max_tokens"]}
    answer(usage=told, served=(prompt, body["max_tokens"]))(server, handler, body)


def fails(status: int, body: object = None, **headers: str) -> Deed:
    """An answer that is no success."""

    def deed(_: Recorder, handler: Handler, __: dict[str, Any]) -> None:
        data = json.dumps(body or {"error": {"message": "no"}}).encode()
        handler.send_response(status)
        for name, value in headers.items():
            handler.send_header(name.replace("_", "-"), value)
        handler.send_header("content-length", str(len(data)))
        handler.end_headers()
        handler.wfile.write(data)

    return deed


def sends(data: bytes, kind: str = "text/event-stream") -> Deed:
    """Some bytes, whatever they are."""

    def deed(_: Recorder, handler: Handler, __: dict[str, Any]) -> None:
        _stream(handler, [data], kind)

    return deed


def breaks_off(words: str = "") -> Deed:
    """The connection ends, after some words or before any."""

    def deed(_: Recorder, handler: Handler, body: dict[str, Any]) -> None:
        if words:
            chunk = {"model": body["model"], "choices": [{"delta": {"content": words}}]}
            _stream(handler, [f"data: {json.dumps(chunk)}\n\n".encode()])
        handler.close_connection = True

    return deed


def waits(server: Recorder, handler: Handler, _: dict[str, Any]) -> None:
    """Nothing is said until the test says so."""
    server.go_on.wait()
    handler.close_connection = True


def _stream(handler: Handler, pieces: list[bytes], kind: str = "text/event-stream") -> None:
    handler.send_response(200)
    handler.send_header("content-type", kind)
    handler.send_header("connection", "close")
    handler.end_headers()
    for piece in pieces:
        handler.wfile.write(piece)
        handler.wfile.flush()


@contextmanager
def recording() -> Iterator[Recorder]:
    """Run a server for as long as it is needed."""
    recorder = Recorder()

    class Requests(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            recorder.looks += 1
            listed = {"data": [{"id": name} for name in recorder.models]}
            sends(json.dumps(listed).encode(), "application/json")(recorder, self, {})

        def do_POST(self) -> None:
            raw = self.rfile.read(int(self.headers["content-length"]))
            with recorder.lock:
                recorder.calls.append(raw)
                deed = recorder.plan.pop(0) if recorder.plan else answer()
            recorder.asked.set()
            try:
                deed(recorder, self, json.loads(raw))
            except OSError:  # whoever asked has heard enough
                self.close_connection = True

        def log_message(self, *_: object) -> None:
            """Nobody reads it."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Requests)
    server.daemon_threads = True
    recorder.url = f"http://127.0.0.1:{server.server_port}/v1"
    thread = threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True)
    thread.start()
    try:
        yield recorder
    finally:
        recorder.go_on.set()
        server.shutdown()
        server.server_close()
        thread.join()
