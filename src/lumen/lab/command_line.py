"""A being of its own, driven through the real command line: every process keeps its host's data beside it."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from lumen.app.reach import models_folder, trust_file
from lumen.core.canon import loads
from lumen.core.errors import LumenError
from lumen.mind.roles import parse_assignment

DATA = "XDG_DATA_HOME"
INTERFACE = re.compile(r'(?m)^interface = ".*"$')


def new_being(folder: Path, model: str) -> Path:
    """A being in a folder; `model`, as substrate/model, serves its interface role if one is named.

    Raises:
        BadSetting: `model` names none.
    """
    if model:
        parse_assignment("interface", model)
    being = folder / "being"
    _own_data(folder)
    run(being, "init", str(being))
    if model:
        give_model(being, model)
    return being


@contextmanager
def own_host(folder: Path) -> Iterator[None]:
    """Let this process keep keys and witnesses in a folder, as long as it works there."""
    before = os.environ.get(DATA)
    _own_data(folder)
    os.environ[DATA] = str(folder / "data")
    try:
        yield
    finally:
        del os.environ[DATA]
        if before is not None:
            os.environ[DATA] = before


def _own_data(folder: Path) -> None:
    """The host's data in a folder, with the files of models and what was measured of them."""
    own = folder / "data" / "lumen"
    own.mkdir(parents=True)
    for kept in (models_folder(), trust_file()):
        (own / kept.name).symlink_to(kept)


def give_model(being: Path, model: str) -> None:
    """Let a model, as substrate/model, serve the interface role of a new being."""
    settings = being / "lumen.toml"
    text = INTERFACE.sub(f'interface = "{model}"', settings.read_text("utf-8"))
    settings.write_text(text, "utf-8")


def run(being: Path, *arguments: str, check: bool = True) -> subprocess.CompletedProcess[bytes]:
    """A command that runs to its end."""
    host = environment(being)
    return subprocess.run(
        [*command(being), *arguments], check=check, env=host, stdout=subprocess.PIPE
    )


@contextmanager
def conversation(being: Path, stderr: int | None = None) -> Iterator[Callable[[str], str]]:
    """`lumen chat` by a pipe; calling what is yielded says something and returns the reply."""
    with subprocess.Popen(
        [*command(being), "chat", "--json"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=stderr,
        env=environment(being),
    ) as process:
        stdin, stdout = process.stdin, process.stdout
        if stdin is None or stdout is None:
            raise LumenError("the conversation has no pipes")

        def say(text: str) -> str:
            stdin.write(text.encode() + b"\n")
            stdin.flush()
            answer = loads(stdout.readline() or b"{}")
            if "reply" not in answer:
                raise LumenError(f"no reply to {text!r}: {answer.get('error', 'it ended')}")
            return str(answer["reply"])

        yield say
        stdin.close()


def command(being: Path) -> list[str]:
    """How `lumen` is called for a being."""
    return [sys.executable, "-m", "lumen", "--being", str(being)]


def environment(being: Path) -> dict[str, str]:
    """The variables of its processes: keys and witnesses are kept beside the being."""
    return {**os.environ, DATA: str(being.parent / "data")}
