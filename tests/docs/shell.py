"""One person at one terminal on a host of their own: what they type, and what they are shown.

`lumen` runs in this process, as that is quicker; every other program is a program.
"""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
import tempfile
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO

from tests.docs.normal import numbers
from tests.waiting import PATIENCE

from lumen.body.cli.main import main

PROGRAMS = frozenset(
    (
        "cat",
        "cp",
        "echo",
        "head",
        "mkdir",
        "mv",
        "printf",
        "python3",
        "rm",
        "sed",
        "sha256sum",
        "tar",
    )
)  # what a page may start here; anything else it must be said not to be run
LUMEN = re.compile(r"^(?:python3 main\.py|uv run lumen|lumen)(?= |$)")


@dataclass(slots=True)
class Shell:
    """A home, a working folder, an environment, and what the last command left."""

    root: Path
    env: dict[str, str] = field(default_factory=dict)
    cwd: Path = field(init=False)
    code: int = 0
    known: dict[str, str] = field(default_factory=dict)  # numbers on the page, and here

    def __post_init__(self) -> None:
        home = self.root / "home" / "ada"
        self.cwd = self.root / "srv"
        home.mkdir(parents=True)
        self.cwd.mkdir()
        kept = {k: v for k, v in os.environ.items() if k.startswith(("COV", "PYTHONPATH"))}
        self.env = {
            "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}",
            "HOME": str(home),
            "XDG_DATA_HOME": str(home / ".local" / "share"),
            "LANG": "C.UTF-8",
            "TZ": "Europe/Lisbon",
            "LUMEN_QUIET": "1",  # a busy machine makes anything last
            **kept,
            **self.env,
        }

    def type(self, line: str, stdin: bytes = b"") -> str:
        """Run a command line; returns what it showed, its folders by the names a page gives them."""
        if found := re.fullmatch(r"export (\w+)=(.*)", line):
            self.env[found[1]] = "a-key-of-nobody" if found[2] == "…" else self._filled(found[2])
            return ""
        if found := re.fullmatch(r"cd (.*)", line):
            self.cwd = (self.cwd / self._filled(found[1])).resolve(strict=True)
            return ""
        if line == "echo $?":
            ended, self.code = self.code, 0
            return f"{ended}\n"
        before, pipe, after = line.rpartition(" | ")
        if pipe and LUMEN.match(after):
            line, stdin = after, self._program(before, b"")
        if found := re.fullmatch(r"(.*\S) < (\S+)", line):
            line, stdin = found[1], (self.cwd / found[2]).read_bytes()
        if not LUMEN.match(line):
            shown = self._program(line, stdin)
        elif found := re.fullmatch(r"(.*\S) > (\S+)", line):
            with (self.cwd / found[2]).open("wb") as kept:
                shown = self._lumen(found[1], stdin, kept)
        else:
            shown = self._lumen(line, stdin)
        return shown.decode("utf-8").replace(f"{self.root}/", "/")

    def run(self, program: str) -> str:
        """Run a program in Python, in this process and strictly; returns what it showed."""
        with tempfile.TemporaryFile() as given, tempfile.TemporaryFile() as shown:
            with self._host(given, shown, shown), warnings.catch_warnings():
                warnings.simplefilter("error")
                exec(compile(program, "snippet", "exec"), {"__name__": "__main__"})  # noqa: S102 - our own page
            shown.seek(0)
            return shown.read().decode("utf-8")

    def learn(self, page: str, shown: str) -> None:
        """Which number here stands for which on the page."""
        self.known |= dict(zip(numbers(page), numbers(shown), strict=False))

    def _filled(self, text: str) -> str:
        """Text with `~` and variables put in."""
        text = re.sub(r"\$(\w+)", lambda name: self.env[name[1]], text)
        return re.sub(r"^~(?=/|$)", self.env["HOME"], text)

    def _program(self, line: str, stdin: bytes) -> bytes:
        assert line.split()[0] in PROGRAMS, f"not a program a test may start: {line}"
        ran = subprocess.run(
            ["bash", "-c", line],
            input=stdin,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            env=self.env,
            cwd=self.cwd,
            timeout=PATIENCE,
            check=False,
        )
        self.code = ran.returncode
        return ran.stdout

    def _lumen(self, line: str, stdin: bytes, kept: IO[bytes] | None = None) -> bytes:
        words = shlex.split(LUMEN.sub("", line))
        arguments = [self.known.get(word, self._filled(word)) for word in words]
        with tempfile.TemporaryFile() as given, tempfile.TemporaryFile() as shown:
            given.write(stdin)
            given.seek(0)
            with self._host(given, kept or shown, shown):
                sys.argv = ["lumen", *arguments]
                try:
                    main()
                except SystemExit as ended:
                    self.code = int(ended.code or 0)
            shown.seek(0)
            return shown.read()

    @contextmanager
    def _host(self, *files: IO[bytes]) -> Iterator[None]:
        """This process as if it were started here: environment, folder, arguments, streams."""
        was = dict(os.environ), Path.cwd(), sys.argv, (sys.stdin, sys.stdout, sys.stderr)
        held = [os.dup(n) for n in range(3)]
        os.environ.clear()
        os.environ.update(self.env)
        os.chdir(self.cwd)
        for n, file in enumerate(files):
            os.dup2(file.fileno(), n)
        sys.stdin = os.fdopen(os.dup(0), encoding="utf-8")
        sys.stdout = os.fdopen(os.dup(1), "w", encoding="utf-8", buffering=1)
        sys.stderr = os.fdopen(os.dup(2), "w", encoding="utf-8", buffering=1)
        try:
            yield
        finally:
            for stream in (sys.stdin, sys.stdout, sys.stderr):
                stream.close()
            for n, fd in enumerate(held):
                os.dup2(fd, n)
                os.close(fd)
            environ, folder, sys.argv, (sys.stdin, sys.stdout, sys.stderr) = was
            os.environ.clear()
            os.environ.update(environ)
            os.chdir(folder)
