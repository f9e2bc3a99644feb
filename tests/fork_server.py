"""A process that forks whatever forking.py asks for, when it has imported and read all that takes long.

Usage: fork_server.py CONTROL MODULE…   (CONTROL: the number of a socket; then modules to import too)
"""

from __future__ import annotations

import array
import atexit
import contextlib
import fcntl
import gc
import importlib
import json
import os
import re
import select
import signal
import socket
import sys
import tempfile
import termios
import threading
import time
from pathlib import Path
from typing import Any

sys.path[0] = str(Path(__file__).resolve().parent.parent)

from tests.remembering import Remembering  # noqa: E402 - found by the line above

from lumen.body.cli import main  # noqa: E402
from lumen.mind import embed  # noqa: E402

Asked = dict[str, Any]
STOPPING = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGPIPE, signal.SIGQUIT)


class Server:
    """Forks on request, and tells how each child ended."""

    def __init__(self, control: socket.socket, vectors: Remembering) -> None:
        self.control = control
        self.vectors = vectors
        self.watched: dict[int, tuple[int, int]] = {}  # by what tells its end: process, report
        self.poll = select.poll()
        self.poll.register(control, select.POLLIN)

    def wait_for_a_request(self) -> Asked:
        """What the process is asked for that this returns in, which is a new one."""
        while True:
            for ready, _ in self.poll.poll():
                if ready in self.watched:
                    self.tell_the_end_of(ready)
                elif asked := self.fork():
                    return asked

    def fork(self) -> Asked | None:
        """In the child what it is asked for, and here nothing."""
        said, given, _, _ = self.control.recvmsg(1 << 20, socket.CMSG_SPACE(16))
        if not said:
            os._exit(0)
        *streams, report = array.array("i", given[0][2])
        self.vectors.catch_up()
        process = os.fork()
        if process:
            for stream in streams:
                os.close(stream)
            os.write(report, b"%10d" % process)
            end = os.pidfd_open(process)
            self.watched[end] = process, report
            self.poll.register(end, select.POLLIN)
            return None
        self.control.close()
        for other in (report, *self.watched, *(theirs for _, theirs in self.watched.values())):
            os.close(other)
        for number, stream in enumerate(streams):
            os.dup2(stream, number)
            os.close(stream)
        asked: Asked = json.loads(said)
        return asked

    def tell_the_end_of(self, ready: int) -> None:
        """Say with which code a child ended."""
        process, report = self.watched.pop(ready)
        self.poll.unregister(ready)
        os.close(ready)
        os.write(report, b"%d" % os.waitstatus_to_exitcode(os.waitpid(process, 0)[1]))
        os.close(report)


def live_once() -> None:
    """Read the tables and compile the patterns that are read and compiled when first needed."""
    nice, environ = os.nice, dict(os.environ)
    handlers = {each: signal.getsignal(each) for each in STOPPING}
    os.nice = lambda _: 0
    with tempfile.TemporaryDirectory() as home:
        being = Path(home, "being")
        os.environ.update(HOME=home, XDG_DATA_HOME=home)
        for words in ["init", str(being)], ["--being", str(being), "chat", "-m", "What is 2 + 2?"]:
            sys.argv = ["lumen", *words]
            with contextlib.suppress(SystemExit):
                main.main()
            settings = (being / "lumen.toml").read_text("utf-8")
            speaking = re.sub("(?m)^interface = .*$", 'interface = "scripted/echo"', settings)
            (being / "lumen.toml").write_text(speaking, "utf-8")
    os.nice = nice
    os.environ.clear()
    os.environ.update(environ)
    for each, handler in handlers.items():
        signal.signal(each, handler)


def sit_at_terminal() -> None:
    """Make standard input the terminal of this process, and its streams those of a terminal."""
    os.setsid()
    fcntl.ioctl(0, termios.TIOCSCTTY, 0)
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        was = getattr(sys, name)
        stream = os.fdopen(was.fileno(), mode, 1, was.encoding, was.errors, closefd=False)
        setattr(sys, name, stream)
        setattr(sys, f"__{name}__", stream)


def become(asked: Asked) -> None:
    """Be that process, but for what runs in it."""
    os.environ.clear()
    os.environ.update(asked["env"])
    os.chdir(asked["cwd"])
    time.tzset()
    if asked["terminal"]:
        sit_at_terminal()
    sys.argv = asked["arguments"]


def run(program: str) -> None:
    """Run a program and end as Python ends, without taking apart what goes anyway."""
    code = 0
    try:
        exec(compile(program, "<string>", "exec"), {"__name__": "__main__"})  # noqa: S102 - a test's
    except SystemExit as ended:
        if not isinstance(ended.code, int | None):
            raise
        code = ended.code or 0
    threading._shutdown()  # type: ignore[attr-defined] # as Python does before it ends
    atexit._run_exitfuncs()
    with contextlib.suppress(OSError, ValueError):  # then Python says so, on the long way out
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code)
    sys.exit(code)


def prepare(modules: list[str]) -> Remembering:
    """Import and read what takes long; returns the vectors that are known."""
    for name in modules:
        importlib.import_module(name)
    sys.path[0] = ""  # as in a program that is given with -c
    for name in main.COMMANDS:
        main.cli.get_command(None, name)  # type: ignore[arg-type] # it looks at no context
    vectors = Remembering()
    vectors.load()
    setattr(embed, "_loaded", lambda: vectors)  # noqa: B010
    live_once()
    sys.stdout.flush()
    gc.freeze()
    return vectors


if __name__ == "__main__":
    server = Server(socket.socket(fileno=int(sys.argv[1])), prepare(sys.argv[2:]))
    asked = server.wait_for_a_request()
    become(asked)
    run(asked["program"])
