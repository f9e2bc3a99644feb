"""Real processes that start at once: forked off one that has imported the command line already.

Each is a process of its own, with its own environment, folder, streams and exit code, and is let go
before it has done anything; what it is spared is half a second of imports. Whatever is about how a
process starts, or about one that is stopped on its way, starts one by itself.
"""

from __future__ import annotations

import array
import json
import os
import signal
import socket
import subprocess
import sys
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from threading import Lock

from tests.waiting import PATIENCE

LARGEST = 100_000  # of a request, in bytes
AT_START = (
    "PYTHON",
    "LC_",
    "LANG",
    "LD_",
    "COV",
)  # what Python reads when it starts, and not later
SERVER = """
import array, gc, json, os, socket, sys, time
from lumen.body.cli import main
from lumen.kernel.language.lexicon import lexicon
from lumen.mind.embed import WhenNeeded

def wait_for_a_request(control):
    while True:
        said, given, _, _ = control.recvmsg(1 << 20, socket.CMSG_SPACE(12))
        if not said:
            os._exit(0)
        streams = array.array("i", given[0][2])
        process = os.fork()
        if not process:
            control.close()
            for number, stream in enumerate(streams):
                os.dup2(stream, number)
                os.close(stream)
            return json.loads(said)
        for stream in streams:
            os.close(stream)
        control.send(b"%d" % process)
        control.send(b"%d" % os.waitstatus_to_exitcode(os.waitpid(process, 0)[1]))

for name in main.COMMANDS:
    main.cli.get_command(None, name)
lexicon()
WhenNeeded().embed(["hello"])
gc.freeze()
asked = wait_for_a_request(socket.socket(fileno=int(sys.argv[1])))
os.environ.clear()
os.environ.update(asked["env"])
os.chdir(asked["cwd"])
time.tzset()
sys.argv = ["lumen", *asked["arguments"]]
main.main()
"""


@dataclass(frozen=True, slots=True)
class Ended:
    """What a process left."""

    code: int
    out: bytes
    err: bytes


@dataclass(slots=True)
class Forks:
    """A process that does nothing but fork, and has imported everything for that."""

    env: dict[str, str]
    busy: Lock = field(default_factory=Lock)
    control: socket.socket = field(init=False)
    server: subprocess.Popen[bytes] = field(init=False)

    def __post_init__(self) -> None:
        self.control, there = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        with there:
            self.server = subprocess.Popen(
                [sys.executable, "-c", SERVER, str(there.fileno())],
                stdin=subprocess.PIPE,  # its streams are of the kind its children have
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                env=self.env,
                pass_fds=[there.fileno()],
            )

    def run(
        self, arguments: list[str], env: Mapping[str, str], cwd: Path, stdin: bytes
    ) -> Ended | None:
        """Run a command to its end; nothing, and nothing was done, where this cannot be its start."""
        asked = json.dumps({"arguments": arguments, "env": dict(env), "cwd": str(cwd)}).encode()
        if len(asked) > LARGEST or _at_start(env) != _at_start(self.env):
            return None
        if not self.busy.acquire(blocking=False):
            return None
        try:
            return self._run(asked, stdin)
        finally:
            self.busy.release()

    def _run(self, asked: bytes, stdin: bytes) -> Ended:
        (given, giving), (out, outward), (err, erring) = os.pipe(), os.pipe(), os.pipe()
        theirs = array.array("i", [given, outward, erring])
        self.control.sendmsg([asked], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, theirs)])
        for stream in theirs:
            os.close(stream)
        begun = self.control.recv(100)
        assert begun, self.server.communicate(timeout=PATIENCE)
        process = int(begun)
        with ThreadPoolExecutor(3) as streams:
            written = streams.submit(_write, giving, stdin)
            read = [streams.submit(_read, stream) for stream in (out, err)]
            try:
                shown, told = (one.result(PATIENCE) for one in read)
                written.result(PATIENCE)
            except TimeoutError:
                os.kill(process, signal.SIGKILL)
                raise
        return Ended(int(self.control.recv(100)), shown, told)

    def end(self) -> None:
        """Let it go."""
        self.control.close()
        self.server.communicate(timeout=PATIENCE)


def _at_start(env: Mapping[str, str]) -> dict[str, str]:
    """The part of an environment that is too late to change."""
    return {name: value for name, value in env.items() if name.startswith(AT_START)}


def _write(stream: int, given: bytes) -> None:
    try:
        with open(stream, "wb") as file:
            file.write(given)
    except BrokenPipeError:  # it does not listen
        pass


def _read(stream: int) -> bytes:
    with open(stream, "rb") as file:
        return file.read()
