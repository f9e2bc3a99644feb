"""Kills a real process with SIGKILL at its n-th system call, just before or just after it.

The process is a fork of a warm one that holds no threads and no open files of a being, so it is
started as a program of its own: `killing.py SOURCE` reads orders from standard input. An order
names a function of SOURCE, an opening: it takes a folder, opens what it needs and returns the
deed. Only the calls of the deed, and the one that acknowledges it, are counted. Linux alone; what
threads or children of the deed call is not counted, and a write is never cut in two.
"""

from __future__ import annotations

import ctypes
import gc
import importlib.util
import json
import os
import signal
import subprocess
import sys
import traceback
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from types import ModuleType
from typing import Any, Literal, NamedTuple, NoReturn

TRACEME, CONT, SYSCALL, SETOPTIONS, GET_SYSCALL_INFO = 0, 7, 24, 0x4200, 0x420E
TRACESYSGOOD, EXITKILL = 1, 1 << 20
CALL_STOP = signal.SIGTRAP | 0x80
ENTERED = 1
DONE = b"!"
ROOT = str(Path(__file__).parents[2])  # pytest by itself does not look there
PIPE_HOLDS = 1 << 16

When = Literal["before", "after"]
Opening = Callable[[Path], Callable[[], object]]

_libc = ctypes.CDLL(None, use_errno=True)
_libc.ptrace.argtypes = [ctypes.c_long, ctypes.c_long, ctypes.c_void_p, ctypes.c_void_p]
_libc.ptrace.restype = ctypes.c_long


class _SyscallInfo(ctypes.Structure):
    """The beginning of what the kernel tells of a call, on every processor alike."""

    _fields_ = [
        ("operation", ctypes.c_uint8),
        ("arch", ctypes.c_uint32),
        ("instruction", ctypes.c_uint64),
        ("stack", ctypes.c_uint64),
        ("number", ctypes.c_uint64),
    ]


_info = _SyscallInfo()


class NoTracing(Exception):
    """This host does not let one process step another."""

    def __init__(self, why: str) -> None:
        super().__init__(
            f"ptrace is not permitted here ({why}), so nothing can be killed at a chosen system "
            "call; run these tests on Linux 5.3 or newer, in a container with --cap-add=SYS_PTRACE"
        )


class End(NamedTuple):
    """How a process ended; whatever it did, it was killed in the end."""

    finished: bool  # the deed was done and acknowledged before the call in question
    acknowledged: bool
    calls: int  # how many were begun
    number: int  # the last of them, as the kernel numbers it: 1 is a write on x86_64, 64 on aarch64


class Killer:
    """A running killer."""

    def __init__(self, source: Path) -> None:
        self._process = subprocess.Popen(
            [sys.executable, __file__, source],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env={**os.environ, "PYTHONPATH": os.pathsep.join([ROOT, *filter(None, sys.path)])},
        )

    def close(self) -> None:
        """Give no more orders; it ends by itself."""
        self._process.communicate()

    def kill(self, opening: str, root: Path, at: int, when: When = "before") -> End:
        """Let an opening's deed run in `root` up to its `at`-th call (with 0: to the end).

        Raises:
            RuntimeError: the host forbids it, or the opening or the deed failed by itself.
        """
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        order = {"opening": opening, "root": str(root), "at": at, "when": when}
        self._process.stdin.write(json.dumps(order).encode() + b"\n")
        self._process.stdin.flush()
        told = json.loads(self._process.stdout.readline() or b'{"failed": "the killer is gone"}')
        if "failed" in told:
            raise RuntimeError(f"{opening}: {told['failed']}")
        return End(**told)


def _serve(source: Path) -> None:
    """Carry out orders until there are no more."""
    openings = vars(_load(source))
    gc.freeze()  # what is shared with the forks stays shared
    for line in sys.stdin:
        order = json.loads(line)
        answer = _carry_out(openings[order["opening"]], order)
        os.write(sys.stdout.fileno(), json.dumps(answer).encode() + b"\n")


def _load(source: Path) -> ModuleType:
    spec = importlib.util.spec_from_file_location(source.stem, source)
    assert spec is not None
    assert spec.loader is not None
    module = sys.modules[source.stem] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def _carry_out(opening: Opening, order: dict[str, Any]) -> dict[str, object]:
    told, tell = os.pipe()
    pid = os.fork()
    if not pid:
        _be_killed(opening, Path(order["root"]), tell)
    os.close(tell)
    try:
        finished, calls, number = _trace(pid, order["at"], order["when"])
        _end(pid)
        return End(finished, _said(told) == DONE, calls, number)._asdict()
    except NoTracing as error:
        _end(pid)
        return {"failed": str(error)}
    except ChildProcessError as error:  # it ended before it was killed
        return {"failed": _said(told).decode() or f"it ended with {error}"}
    finally:
        os.close(told)


def _said(told: int) -> bytes:
    return os.read(told, PIPE_HOLDS)  # whoever could say more is dead


def _be_killed(opening: Opening, root: Path, tell: int) -> NoReturn:
    """In the fork: open, do the deed, say so. A stop tells the tracer where each begins."""
    try:
        pid = os.getpid()
        _ptrace(TRACEME, 0)
        os.kill(pid, signal.SIGSTOP)
        deed = opening(root)
        os.kill(pid, signal.SIGSTOP)
        deed()
        os.write(tell, DONE)
        os.kill(pid, signal.SIGSTOP)
    finally:  # reached by an error alone: after the last stop it is killed
        os.write(tell, traceback.format_exc().encode())
        os._exit(1)


def _trace(pid: int, at: int, when: When) -> tuple[bool, int, int]:
    """Step to the chosen call: whether the deed ended before it, the calls begun, the last one."""
    _next_stop(pid)
    _ptrace(SETOPTIONS, pid, data=TRACESYSGOOD | EXITKILL)
    stop = calls = number = 0
    while stop != signal.SIGSTOP:
        stop = _go_on(CONT, pid, stop)
    while (stop := _go_on(SYSCALL, pid, stop)) != signal.SIGSTOP:
        if stop != CALL_STOP:
            continue
        entered, called = _call(pid)
        if entered:
            calls, number = calls + 1, called
        if calls == at and entered == (when == "before"):
            return False, calls, number
    return True, calls, number


def _go_on(request: int, pid: int, stop: int) -> int:
    """Let a process run to its next stop; only signals that are not ours reach it."""
    _ptrace(request, pid, data=0 if stop in (signal.SIGSTOP, CALL_STOP) else stop)
    return _next_stop(pid)


def _next_stop(pid: int) -> int:
    """The signal a process is stopped by."""
    _, status = os.waitpid(pid, 0)
    if not os.WIFSTOPPED(status):
        raise ChildProcessError(os.waitstatus_to_exitcode(status))
    return os.WSTOPSIG(status)


def _call(pid: int) -> tuple[bool, int]:
    """Whether a call begins or has ended, and for one that begins its number."""
    _ptrace(GET_SYSCALL_INFO, pid, ctypes.sizeof(_info), ctypes.addressof(_info))
    return _info.operation == ENTERED, _info.number


def _end(pid: int) -> None:
    """Kill, and wait until nothing is left that holds a lock."""
    os.kill(pid, signal.SIGKILL)
    with suppress(ChildProcessError):
        while True:
            _next_stop(pid)


def _ptrace(request: int, pid: int, address: int = 0, data: int = 0) -> None:
    if _libc.ptrace(request, pid, address, data) < 0:
        raise NoTracing(os.strerror(ctypes.get_errno()))


if __name__ == "__main__":
    _serve(Path(sys.argv[1]))
