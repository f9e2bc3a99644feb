"""Small model files, and a package index on the loopback interface that serves one in parts."""

from __future__ import annotations

import io
import struct
import threading
import zipfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

from tests.waiting import PATIENCE

from lumen.core.canon import sha256
from lumen.mind.catalogue import Offer

NAME = "tiny-1"
PART = 3000
Entry = str | int | list[str] | list[int]
SAID: dict[str, Entry] = {
    "general.architecture": "llama",
    "general.name": "Tiny",
    "general.license": "apache-2.0",
    "llama.block_count": 2,
    "llama.context_length": 2048,
    "llama.embedding_length": 64,
    "llama.attention.head_count": 4,
    "llama.attention.head_count_kv": 2,
    "tokenizer.chat_template": "{{ messages }}",
    "tokenizer.ggml.tokens": ["a", "<|end|>", "<tool>", "   ", "<|end|>s"],
    "tokenizer.ggml.token_type": [1, 3, 4, 4, 3],
}


def gguf_bytes(said: Mapping[str, Entry] = SAID, rows: int = 160) -> bytes:
    """A file of that format: what it says, and one tensor in Q4_0."""
    head = struct.pack("<4sIQQ", b"GGUF", 3, 1, len(said))
    head += b"".join(_text(key) + _value(value) for key, value in said.items())
    head += _text("weights") + struct.pack("<IQQIQ", 2, 32, rows, 2, 0)
    return head + bytes(-len(head) % 32) + bytes(n % 251 for n in range(rows * 18))


def _text(text: str) -> bytes:
    raw = text.encode()
    return struct.pack("<Q", len(raw)) + raw


def _value(value: Entry) -> bytes:
    if isinstance(value, str):
        return struct.pack("<I", 8) + _text(value)
    if isinstance(value, int):
        return struct.pack("<II", 4, value)
    texts = [one for one in value if isinstance(one, str)]
    if texts:
        return struct.pack("<IIQ", 9, 8, len(texts)) + b"".join(map(_text, texts))
    return struct.pack("<IIQ", 9, 5, len(value)) + struct.pack(f"<{len(value)}i", *value)


def offer_of(whole: bytes, name: str = NAME, part: int = PART) -> Offer:
    """What a catalogue would say of a file."""
    parts = [whole[at : at + part] for at in range(0, len(whole), part)]
    return Offer(
        name=name,
        about="a tiny one",
        size=len(whole),
        sha256=sha256(whole),
        licence="Apache-2.0",
        wheel="tiny-part{n}==1.0",
        part_size=part,
        parts=tuple(map(sha256, parts)),
    )


def catalogue_of(offer: Offer) -> str:
    """The same as a catalogue's own words."""
    hashes = ", ".join(f'"{part}"' for part in offer.parts)
    return (
        f'["{offer.name}"]\nabout = "{offer.about}"\nsize = {offer.size}\nsha256 = "{offer.sha256}"\n'
        f'licence = "{offer.licence}"\nwheel = "{offer.wheel}"\npart_size = {offer.part_size}\n'
        f"parts = [{hashes}]\n"
    )


def wheel_of(number: int, content: bytes) -> tuple[str, bytes]:
    """The name and the bytes of a wheel that holds one part, and code that must never run."""
    package = f"tiny_part{number}"
    about = f"{package}-1.0.dist-info"
    files = {
        f"{package}/__init__.py": b"raise SystemExit('imported')",
        f"{package}/part.bin": content,
        f"{about}/METADATA": f"Metadata-Version: 2.1\nName: tiny-part{number}\nVersion: 1.0\n".encode(),
        f"{about}/WHEEL": b"Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
        f"{about}/RECORD": b"",
    }
    held = io.BytesIO()
    with zipfile.ZipFile(held, "w") as archive:
        for name, data in files.items():
            archive.writestr(name, data)
    return f"{package}-1.0-py3-none-any.whl", held.getvalue()


@dataclass(slots=True)
class PackageIndex:
    """What is served, which wheels were asked for, and a request to stop at."""

    wheels: dict[str, bytes]
    asked: list[str] = field(default_factory=list)
    halt_at: int = 0  # the request, counted from 1, that is not answered before `go_on`
    halted: threading.Event = field(default_factory=threading.Event)
    go_on: threading.Event = field(default_factory=threading.Event)
    url: str = ""

    def parts_asked(self) -> list[int]:
        """The parts that were asked for, in order."""
        return [int(name.split("-")[0].removeprefix("tiny_part")) for name in self.asked]

    def environ(self) -> dict[str, str]:
        """Settings of pip that lead here and nowhere else."""
        return {"PIP_INDEX_URL": f"{self.url}/simple", "PIP_CONFIG_FILE": "/dev/null"}

    def _answer(self, path: str) -> bytes | None:
        name = path.rstrip("/").rpartition("/")[2]
        if path.startswith("/simple/"):
            links = [w for w in self.wheels if w.startswith(f"{name.replace('-', '_')}-")]
            return "".join(f'<a href="/files/{w}">{w}</a>' for w in links).encode()
        if name in self.wheels:
            self.asked.append(name)
            if len(self.asked) == self.halt_at:
                self.halted.set()
                self.go_on.wait(PATIENCE)
        return self.wheels.get(name)


@contextmanager
def serving(wheels: Sequence[tuple[str, bytes]]) -> Iterator[PackageIndex]:
    """A package index with these wheels."""
    index = PackageIndex(dict(wheels))

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            found = index._answer(self.path)
            self.send_response(404 if found is None else 200)
            kind = "text/html" if self.path.startswith("/simple") else "application/octet-stream"
            self.send_header("content-type", kind)
            self.send_header("content-length", str(len(found or b"")))
            self.end_headers()
            self.wfile.write(found or b"")

        def log_message(self, *_: object) -> None:
            """Nobody reads it."""

        def handle(self) -> None:
            try:
                super().handle()
            except ConnectionError:
                return  # whoever asked was killed

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = False
    index.url = f"http://127.0.0.1:{server.server_port}"
    thread = threading.Thread(target=server.serve_forever, args=(0.01,))
    thread.start()
    try:
        yield index
    finally:
        index.go_on.set()
        server.shutdown()
        server.server_close()
        thread.join()


def wheels_of(whole: bytes, part: int = PART) -> list[tuple[str, bytes]]:
    """A file in wheels, a part each."""
    return [
        wheel_of(n + 1, whole[at : at + part]) for n, at in enumerate(range(0, len(whole), part))
    ]


def written(folder: Path, name: str, content: bytes) -> Path:
    """A file with that content."""
    path = folder / name
    path.write_bytes(content)
    return path
