"""A host of its own for every test: a scrubbed environment, the real command line, a real terminal."""

from __future__ import annotations

import fcntl
import os
import pty
import re
import select
import shutil
import struct
import subprocess
import sys
import termios
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from tests.forking import Forked, shared
from tests.storing import born
from tests.waiting import PATIENCE, wait_until

from lumen.body.cli.main import main
from lumen.core.canon import JSON, dumps, loads
from lumen.core.clock import SystemClock
from lumen.core.data import BeingPaths
from lumen.soul.checking.verify import verify
from lumen.soul.trust.keys import Keyring

SILENT = {"when": "(?s).*", "say": ""}
EXEC = "os.execv(sys.executable, [sys.executable, '-m', 'lumen', *sys.argv[1:]])"
OWN_TERMINAL = "import fcntl, termios; fcntl.ioctl(0, termios.TIOCSCTTY, 0)"
Started = Forked | subprocess.Popen[bytes]


@dataclass(frozen=True, slots=True)
class Ran:
    """What a finished command left."""

    code: int
    out: str
    err: str

    @property
    def said(self) -> str:
        """Everything it printed."""
        return self.out + self.err

    def json(self) -> JSON:
        """Its output, which must be one JSON document."""
        return loads(self.out)


@dataclass(frozen=True, slots=True)
class Lumen:
    """One being on a host of its own, reached as a person reaches it."""

    home: Path
    being: Path
    stack: ExitStack = field(default_factory=ExitStack)

    @property
    def keyring(self) -> Keyring:
        """Where this host keeps its keys."""
        return Keyring(self.home / "share" / "lumen")

    def env(self, **more: str) -> dict[str, str]:
        """Nothing of the real environment but what finds and measures the code."""
        kept = {k: v for k, v in os.environ.items() if k.startswith(("COV", "PYTHONPATH"))}
        return {
            "PATH": os.environ["PATH"],
            "HOME": str(self.home),
            "XDG_DATA_HOME": str(self.home / "share"),
            "LANG": "C.UTF-8",
            "TZ": "Europe/Lisbon",
            "LUMEN_QUIET": "1",  # a busy machine makes anything last
            "LUMEN_BEING": str(self.being),
            **kept,
            **more,
        }

    def start(
        self, *arguments: str | bytes, prelude: str = "", env: dict[str, str] | None = None
    ) -> Started:
        """Start a command with pipes; `prelude` is Python that runs in the child first.

        A child on a full disk is not measured: coverage could not write its file either. Nor does
        it keep compiled modules: Python would leave half of one for everybody else.
        """
        env = self.env() if env is None else env
        if not prelude and (forked := shared().start(_words(arguments), env, self.home)):
            self.stack.callback(_end, forked)
            return forked
        first = ["-c", f"import os, sys; {prelude}; {EXEC}"] if prelude else ["-m", "lumen"]
        if "RLIMIT" in prelude:
            env = {name: value for name, value in env.items() if not name.startswith("COV")}
            env["PYTHONDONTWRITEBYTECODE"] = "1"
        process = subprocess.Popen(
            [sys.executable, *first, *arguments],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env=env,
            cwd=self.home,
        )
        self.stack.callback(_end, process)
        return process

    def run(
        self,
        *arguments: str | bytes,
        stdin: bytes = b"",
        prelude: str = "",
        env: dict[str, str] | None = None,
    ) -> Ran:
        """Run a command to its end."""
        process = self.start(*arguments, prelude=prelude, env=env)
        out, err = process.communicate(stdin, timeout=PATIENCE)
        return Ran(process.wait(), out.decode("utf-8"), err.decode("utf-8"))

    def terminal(self, *arguments: str, **more: str) -> Terminal:
        """Run a command in a terminal of its own, 80 columns wide."""
        env = self.env(PROMPT_TOOLKIT_NO_CPR="1", TERM="xterm", **more)
        screen = Terminal(arguments, env)
        self.stack.callback(screen.switch_off)
        return screen

    def events(self) -> list[JSON]:
        """Every line of the archive."""
        segments = sorted((self.being / "data" / "memory").glob("*/*.jsonl"))
        return [loads(line) for path in segments for line in path.read_bytes().splitlines()]

    def segment(self) -> Path:
        """The newest file of the archive."""
        return sorted((self.being / "data" / "memory").glob("*/*.jsonl"))[-1]

    def heard(self) -> list[str]:
        """What the author said, word for word."""
        said = [e for e in self.events() if e["event_type"] == "author_message"]
        return [e["description"] for e in said]

    def verified(self) -> bool:
        """Whether the archive is what was written."""
        return verify(BeingPaths(self.being), self.keyring).ok

    def set(self, line: str, value: str) -> None:
        """Change one line of lumen.toml."""
        path = self.being / "lumen.toml"
        text, changed = re.subn(rf"(?m)^{line}.*$", lambda _: value, path.read_text("utf-8"))
        assert changed == 1
        path.write_text(text, encoding="utf-8")

    def speak_with(self, model: str) -> None:
        """Assign the interface role."""
        self.set("interface = ", f'interface = "{model}"')

    def script(self, *rules: JSON, role: str = "interface") -> None:
        """Let a script answer in a role."""
        path = self.home / ("script.jsonl" if role == "interface" else f"{role}.jsonl")
        path.write_bytes(b"\n".join(dumps(rule) for rule in rules))
        if role == "interface":
            self.speak_with(f"scripted/{path}")
        else:
            self.set("\\[roles\\]", f'[roles]\n{role} = "scripted/{path}"')

    def want(self, **texts: str) -> None:
        """Edit values and goals (of 2031) by hand, and take the edits in."""
        for name, text in texts.items():
            file = {"values": "values.json", "goals": "goals/2031.json"}[name]
            (self.being / "data" / file).write_text(text, "utf-8")
        assert self.run("self", "accept").code == 0

    def situations(self, *wanted: str) -> list[str]:
        """What happened, in order, of some kinds of events."""
        return [e["situation"] for e in self.events() if e["situation"] in wanted]


class Terminal:
    """A command in a pseudo-terminal: what it shows, what is typed."""

    def __init__(self, arguments: tuple[str, ...], env: dict[str, str]) -> None:
        self._screen, tty = pty.openpty()
        fcntl.ioctl(tty, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 80, 0, 0))
        forked = shared().start(arguments, env, Path.cwd(), terminal=tty)
        self.process: Started = forked or subprocess.Popen(
            [sys.executable, "-c", f"import os, sys; {OWN_TERMINAL}; {EXEC}", *arguments],
            stdin=tty,
            stdout=tty,
            stderr=tty,
            env=env,
            start_new_session=True,
        )
        os.close(tty)
        self.shown = ""
        self._read = 0

    def switch_off(self) -> None:
        """End what runs in it."""
        _end(self.process)
        os.close(self._screen)

    def wait_for(self, text: str) -> None:
        """Look on until a text is shown that was not waited for before."""
        wait_until(lambda: self.look() and text in self.shown[self._read :], self._seen)
        self._read = self.shown.index(text, self._read) + len(text)

    def type(self, keys: str) -> None:
        """Press keys: \\r is Enter, \\x03 is Ctrl-C, \\x04 is Ctrl-D."""
        os.write(self._screen, keys.encode())

    def close(self) -> int:
        """Look on until it ends; returns the exit code."""
        wait_until(lambda: not self.look(), self._seen)
        return self.process.wait(PATIENCE)

    def look(self) -> bool:
        """Read what is there; false when the other side has gone."""
        screen = select.poll()  # select() knows no file numbers over 1023
        screen.register(self._screen, select.POLLIN)
        if screen.poll(50):
            try:
                self.shown += os.read(self._screen, 1 << 16).decode("utf-8", "replace")
            except OSError:
                return False
        return True

    def _seen(self) -> str:
        return self.shown[self._read :]


def _words(arguments: Sequence[str | bytes]) -> list[str]:
    return [os.fsdecode(argument) for argument in arguments]


def _end(process: Started) -> None:
    process.kill()
    process.wait()
    for pipe in (process.stdin, process.stdout, process.stderr):
        if pipe is not None:
            pipe.close()


@pytest.fixture(autouse=True)
def _remembered(remembered: None) -> None:
    """No text is embedded twice."""


@pytest.fixture(name="wait_until")
def _wait_until() -> Callable[..., None]:
    return wait_until


@pytest.fixture
def inside(
    host: Lumen, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> Callable[..., Ran]:
    """Runs a command in this process: quicker, for what needs no process of its own."""

    def run(*arguments: str, env: dict[str, str] | None = None) -> Ran:
        for name, value in (host.env() if env is None else env).items():
            monkeypatch.setenv(name, value)
        monkeypatch.chdir(host.home)
        monkeypatch.setattr(sys, "argv", ["lumen", *arguments])
        with pytest.raises(SystemExit) as ended:
            main()
        code = ended.value.code
        assert isinstance(code, int)
        return Ran(code, *capfd.readouterr())

    return run


@pytest.fixture
def host(tmp_path: Path) -> Iterator[Lumen]:
    """A host with no being on it; `being` is where one could be."""
    with ExitStack() as stack:
        yield Lumen(tmp_path, tmp_path / "being", stack)


def _born(host: Lumen) -> Lumen:
    born(BeingPaths(host.being), host.keyring, SystemClock())
    host.script(SILENT)
    return host


@pytest.fixture
def lumen(host: Lumen) -> Lumen:
    """A being whose model says nothing, so that the kernel answers: quick, and always the same."""
    return _born(host)


@pytest.fixture(scope="session")
def told_once(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A home that is only copied: its being was told two things and asked one."""
    home = tmp_path_factory.mktemp("told")
    with ExitStack() as stack:
        host = _born(Lumen(home, home / "being", stack))
        said = b"My sister lives in Lisbon.\nI like rice.\nWhere does my sister live?\n"
        assert host.run("chat", stdin=said).code == 0
    return home


@pytest.fixture
def talked(host: Lumen, told_once: Path) -> Lumen:
    """A being that was told two things and asked one."""
    shutil.copytree(told_once, host.home, dirs_exist_ok=True)
    return host
