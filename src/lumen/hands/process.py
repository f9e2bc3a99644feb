"""A child process that cannot hang, flood or outlive the call that started it.

Knows nothing of skills. It bounds time, output and environment, and where asked to the number of
processes and the memory of all of them together. What a child may see or touch of the machine is
for an isolation to bound.
"""

from __future__ import annotations

import asyncio
import os
import signal
import sys
from contextlib import nullcontext, suppress
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from subprocess import PIPE

from lumen.core.canon import printable
from lumen.hands.ancestry import runs_a_skill
from lumen.hands.tree import Tree, TreeUse, growing

STDERR_TAIL = 4096
GRACE_SECONDS = 0.5  # for output still in the pipes once the program itself has exited
LOOK_SECONDS = 0.02  # between two looks at what a child has started
NICENESS = 2  # a little: the author waits for what a skill answers
BY_SIGNAL = 128  # what a shell, and bubblewrap, add to the signal that ended a program

_PASSED_ON = ("PATH", "LANG", "TZ")
# -E and -s shut out the caller's Python settings and packages. -I would too, but it also hides
# the program's own folder, and a program may consist of several files. -B leaves that folder as
# it is; -X utf8 does what PYTHONIOENCODING cannot do under -E.
_PYTHON = (sys.executable, "-E", "-s", "-B", "-X", "utf8")


@dataclass(frozen=True, slots=True)
class Limits:
    """How long a child may take, and how much of everything.

    The first two always hold: `output_bytes` is for stdout and for stderr. The others hold where
    a call is held to limits; processes and memory also for all that the child starts, together.
    """

    seconds: float = 20.0
    output_bytes: int = 1_000_000
    memory_bytes: int = 1 << 30
    cpu_seconds: int = 20
    file_bytes: int = 256 << 20
    open_files: int = 256
    processes: int = 64


class End(StrEnum):
    """What brought a child to its end."""

    EXITED = "exited"
    TIMEOUT = "timeout"
    FLOOD = "flood"
    LINGERING = "lingering"
    SWARM = "swarm"
    GREED = "greed"
    NOT_STARTED = "not_started"


@dataclass(frozen=True, slots=True)
class Ending:
    """How a child ended and what it wrote; `code` is negative when a signal ended it."""

    end: End
    code: int
    stdout: bytes
    stderr: str

    def trouble(self, limits: Limits) -> str:
        """What went wrong, as a predicate to a name ("crashed with …"); empty when all is well."""
        if self.end is End.EXITED:
            return self._exit_trouble()
        if self.end is End.NOT_STARTED:
            return f"could not be started: {self.stderr}"
        return {
            End.TIMEOUT: f"did not finish within {limits.seconds:g} s and was stopped",
            End.FLOOD: f"wrote more than {limits.output_bytes:,} bytes and was stopped",
            End.LINGERING: "exited but left a process behind that kept its output open",
            End.SWARM: f"ran more than {limits.processes} processes at once and was stopped",
            End.GREED: f"took more than {limits.memory_bytes >> 20:,} MiB and was stopped",
        }[self.end]

    def _exit_trouble(self) -> str:
        if self.code == 0:
            return ""
        by = -self.code if self.code < 0 else self.code - BY_SIGNAL
        if by > 0 and (name := signal.strsignal(by)):
            return f"was ended by signal {by} ({name})"
        last = self.stderr.strip().rpartition("\n")[2].strip()
        return f"crashed with exit code {self.code}" + (f": {last}" if last else "")


def python(entry: Path, *arguments: str) -> tuple[str, ...]:
    """The command that runs a Python file with this interpreter and none of our settings."""
    return (*_PYTHON, str(entry.absolute()), *arguments)


def environment(home: str) -> dict[str, str]:
    """All a child sees of our environment: a short list, so that no key can slip through."""
    kept = {
        name: value
        for name, value in os.environ.items()
        if name in _PASSED_ON or name.startswith("LC_")
    }
    return {"PATH": os.defpath} | kept | {"HOME": home, "PYTHONIOENCODING": "utf-8"}


@dataclass(frozen=True, slots=True)
class Program:
    """What is to be run: a command, its folder, its environment, and whether it is watched."""

    command: tuple[str, ...]
    folder: Path
    env: dict[str, str]
    watched: bool = True


async def converse(program: Program, said: bytes, limits: Limits) -> Ending:
    """Run a program, say something on its stdin and hear it out.

    However this ends, cancellation included, the child's whole process group is gone, and where
    it is watched so is all that left the group.
    """
    with runs_a_skill(), growing() if program.watched else nullcontext() as tree:
        # Shielded, because asyncio, cancelled while it starts a child, ends that child alone and
        # then waits for whoever else holds its pipes. Let it come up, and then stop all of it.
        starting = asyncio.ensure_future(_start(program, limits.output_bytes, tree))
        try:
            transport, ear = await asyncio.shield(starting)
            _say(transport, said)
            end = await _watched(ear, limits, tree)
        except OSError as error:
            return Ending(End.NOT_STARTED, 0, b"", printable(str(error)))
        finally:
            with suppress(OSError):
                await _stop(*await starting)
                if tree:
                    await tree.end()
    stderr = ear.heard[2][-STDERR_TAIL:].decode("utf-8", "replace")
    return Ending(end, transport.get_returncode() or 0, bytes(ear.heard[1]), printable(stderr))


class _Ear(asyncio.SubprocessProtocol):
    """Listens to one child.

    A protocol and not asyncio's Process: whether its `wait` waits for the pipes too depends on
    the Python version, and a grandchild can keep those open for ever.
    """

    def __init__(self, most: int) -> None:
        self.heard = {1: bytearray(), 2: bytearray()}
        self.flooded = False
        self.excess: End | None = None  # it grew beyond its limits
        self.over = asyncio.Event()  # nothing more to wait for: it exited, or flooded us
        self.silent = asyncio.Event()  # nobody can write to us any more, or nobody should
        self.exited = asyncio.Event()
        self.closed = asyncio.Event()
        self._most = most
        self._open = {1, 2}

    def pipe_data_received(self, fd: int, data: bytes) -> None:
        if self.flooded:
            return
        self.heard[fd] += data
        if len(self.heard[fd]) > self._most:
            self.flooded = True
            self.over.set()
            self.silent.set()

    def pipe_connection_lost(self, fd: int, exc: Exception | None) -> None:
        self._open.discard(fd)
        if not self._open:
            self.silent.set()

    def process_exited(self) -> None:
        self.exited.set()
        self.over.set()

    def connection_lost(self, exc: Exception | None) -> None:
        self.closed.set()


async def _start(
    program: Program, most: int, tree: Tree | None
) -> tuple[asyncio.SubprocessTransport, _Ear]:
    transport, ear = await asyncio.get_running_loop().subprocess_exec(
        lambda: _Ear(most),
        *program.command,
        stdin=PIPE,
        stdout=PIPE,
        stderr=PIPE,
        cwd=program.folder,
        env=program.env,
        start_new_session=True,
    )
    if tree:
        tree.rooted(transport.get_pid())
        with suppress(OSError):
            os.setpriority(os.PRIO_PROCESS, transport.get_pid(), NICENESS)
    return transport, ear


def _say(transport: asyncio.SubprocessTransport, said: bytes) -> None:
    stdin = transport.get_pipe_transport(0)
    if isinstance(stdin, asyncio.WriteTransport):
        stdin.write(said)  # a child that does not listen breaks the pipe, and that is its right
        stdin.close()


async def _watched(ear: _Ear, limits: Limits, tree: Tree | None) -> End:
    if tree is None:
        return await _hear_out(ear, limits.seconds)
    watching = asyncio.ensure_future(_watch(ear, limits, tree))
    try:
        return await _hear_out(ear, limits.seconds)
    finally:
        watching.cancel()


async def _watch(ear: _Ear, limits: Limits, tree: Tree) -> None:
    """Look at all a child has started, again and again, until it is too much."""
    while not ear.excess:
        await asyncio.sleep(LOOK_SECONDS)
        ear.excess = _excess(tree.size(), limits)
    ear.over.set()
    ear.silent.set()


def _excess(size: TreeUse, limits: Limits) -> End | None:
    if size.processes > limits.processes:
        return End.SWARM
    return End.GREED if size.memory > limits.memory_bytes else None


async def _hear_out(ear: _Ear, seconds: float) -> End:
    try:
        async with asyncio.timeout(seconds):
            await ear.over.wait()
    except TimeoutError:
        return End.TIMEOUT
    if ear.excess:
        return ear.excess
    try:
        async with asyncio.timeout(GRACE_SECONDS):
            await ear.silent.wait()
    except TimeoutError:
        return End.LINGERING
    return ear.excess or (End.FLOOD if ear.flooded else End.EXITED)


async def _stop(transport: asyncio.SubprocessTransport, ear: _Ear) -> None:
    """End the whole group, reap the child and close every pipe. Harmless when it has ended."""
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(transport.get_pid(), signal.SIGKILL)
    try:
        # Closing first would have asyncio poll the child and race its own watcher for the code.
        await ear.exited.wait()
    finally:
        stdin = transport.get_pipe_transport(0)
        if isinstance(stdin, asyncio.WriteTransport) and stdin.get_write_buffer_size():
            stdin.abort()  # close would wait for a reader that may never come
        transport.close()
    await ear.closed.wait()
