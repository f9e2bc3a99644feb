"""Real processes that start at once: forked off one that has imported all of Lumen already.

Each is a process of its own, with its own environment, folder, streams, terminal and exit code, and is
let go before it has done anything; what it is spared is a second of imports, of reading weights and
tables, and the taking apart of all that when it ends. Whatever is about how a process starts begins
one by itself.
"""

from __future__ import annotations

import array
import json
import os
import select
import signal
import socket
import subprocess
import sys
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import IO, Self

from tests.remembering import FILE, RECORDED
from tests.waiting import PATIENCE

ROOT = Path(__file__).resolve().parent.parent
LARGEST = 100_000  # of a request, in bytes
COMMAND_LINE = "from lumen.body.cli.main import main; main()"
AT_START = (
    "PYTHON",
    "LC_",
    "LANG",
    "LD_",
    "COV",
)  # what Python reads when it starts, and not later
SERVER = Path(__file__).with_name("fork_server.py")


@dataclass(slots=True)
class Forked:
    """A process that was forked off, with what subprocess.Popen has of one."""

    pid: int
    report: int  # where its exit code will be said
    stdin: IO[bytes] | None = None
    stdout: IO[bytes] | None = None
    stderr: IO[bytes] | None = None
    returncode: int | None = None

    def poll(self) -> int | None:
        """Its exit code, if it has ended."""
        return self._ended(0)

    def wait(self, timeout: float | None = None) -> int:
        """Its exit code, once it has ended."""
        code = self._ended(timeout)
        if code is None:
            raise subprocess.TimeoutExpired("a forked process", timeout or 0)
        return code

    def send_signal(self, number: int) -> None:
        """Send it a signal, if it has not ended."""
        if self.poll() is None:
            with suppress(ProcessLookupError):
                os.kill(self.pid, number)

    def terminate(self) -> None:
        """Ask it to end."""
        self.send_signal(signal.SIGTERM)

    def kill(self) -> None:
        """End it."""
        self.send_signal(signal.SIGKILL)

    def communicate(self, given: bytes = b"", timeout: float | None = None) -> tuple[bytes, bytes]:
        """Say all of this to it, and hear all it says until it ends."""
        with ThreadPoolExecutor(3) as streams:
            written = streams.submit(_write, self.stdin, given)
            read = [streams.submit(_read, stream) for stream in (self.stdout, self.stderr)]
            try:
                out, err = (one.result(timeout) for one in read)
                written.result(timeout)
            except TimeoutError:
                self.kill()
                raise
        self.wait(timeout)
        return out, err

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        for stream in (self.stdin, self.stdout, self.stderr):
            if stream is not None:
                stream.close()
        self.wait(PATIENCE)

    def _ended(self, timeout: float | None) -> int | None:
        if self.returncode is None:
            said = select.poll()  # select() knows no file numbers over 1023
            said.register(self.report, select.POLLIN)
            if said.poll(None if timeout is None else timeout * 1000):
                self.returncode = int(os.read(self.report, 100))
                os.close(self.report)
        return self.returncode


@dataclass(slots=True)
class Forks:
    """A process that does nothing but fork, and has imported everything for that."""

    env: dict[str, str]
    imported: tuple[str, ...] = ()  # of the tests, beside all of Lumen
    control: socket.socket = field(init=False)
    server: subprocess.Popen[bytes] = field(init=False)

    def __post_init__(self) -> None:
        self.control, there = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        with there:
            self.server = subprocess.Popen(
                [sys.executable, str(SERVER), str(there.fileno()), *self.imported],
                stdin=subprocess.PIPE,  # its streams are of the kind its children have
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                env={**self.env, **{name: os.environ.get(name, "") for name in (FILE, RECORDED)}},
                pass_fds=[there.fileno()],
            )

    def start(
        self,
        arguments: Sequence[str],
        env: Mapping[str, str],
        cwd: Path,
        *,
        program: str = COMMAND_LINE,
        terminal: int | None = None,
    ) -> Forked | None:
        """Start a program with pipes or in a terminal; nothing where this cannot be its start."""
        told = {"arguments": ["lumen", *arguments], "env": dict(env), "cwd": str(cwd)}
        asked = json.dumps(told | {"program": program, "terminal": terminal is not None}).encode()
        if len(asked) > LARGEST or _at_start(env) != _at_start(self.env):
            return None
        if terminal is not None:
            return Forked(*self._start(asked, [terminal] * 3))
        (given, giving), (out, outward), (err, erring) = os.pipe(), os.pipe(), os.pipe()
        theirs = [given, outward, erring]
        try:
            begun = self._start(asked, theirs)
        finally:
            for stream in theirs:
                os.close(stream)
        return Forked(*begun, os.fdopen(giving, "wb"), os.fdopen(out, "rb"), os.fdopen(err, "rb"))

    def run(
        self, arguments: Sequence[str], env: Mapping[str, str], cwd: Path, stdin: bytes
    ) -> tuple[int, bytes, bytes] | None:
        """Run a command to its end; nothing, and nothing was done, where this cannot be its start."""
        started = self.start(arguments, env, cwd)
        if started is None:
            return None
        out, err = started.communicate(stdin, PATIENCE)
        return started.wait(), out, err

    def _start(self, asked: bytes, streams: list[int]) -> tuple[int, int]:
        """A process's number, and where its exit code will be said."""
        report, reporting = os.pipe()
        given = array.array("i", [*streams, reporting])
        self.control.sendmsg([asked], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, given)])
        os.close(reporting)
        process = os.read(report, 10)
        assert process, self.server.communicate(timeout=PATIENCE)
        return int(process), report

    def end(self) -> None:
        """Let it go."""
        self.control.close()
        self.server.communicate(timeout=PATIENCE)


@cache
def shared() -> Forks:
    """Where this worker's processes come from, with nothing of the real environment."""
    kept = {k: v for k, v in os.environ.items() if k.startswith(("COV", "PYTHONPATH"))}
    env = {"PATH": os.environ["PATH"], "LANG": "C.UTF-8", **kept}
    return Forks(env, ("tests.kernel.spending",))


def start_program(program: str, *arguments: str) -> Forked:
    """Start a program of a test's own, in the checkout and in this environment."""
    later = {k: v for k, v in os.environ.items() if not k.startswith(AT_START)}
    started = shared().start(arguments, later | _at_start(shared().env), ROOT, program=program)
    assert started is not None
    return started


def _at_start(env: Mapping[str, str]) -> dict[str, str]:
    """The part of an environment that is too late to change."""
    return {name: value for name, value in env.items() if name.startswith(AT_START)}


def _write(stream: IO[bytes] | None, given: bytes) -> None:
    if stream is None or stream.closed:
        return
    with suppress(BrokenPipeError), stream:  # it may not listen
        stream.write(given)


def _read(stream: IO[bytes] | None) -> bytes:
    assert stream is not None
    with stream:
        return stream.read()
