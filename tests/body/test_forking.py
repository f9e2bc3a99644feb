"""A command that is forked off does what the same command does that was started by itself."""

from __future__ import annotations

import os
import pty
import signal
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest
from tests.forking import Forks

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.body.conftest import Lumen


@pytest.fixture(scope="module")
def forks() -> Iterator[Forks]:
    made = Forks({"PATH": os.environ["PATH"], "LANG": "C.UTF-8"})
    yield made
    made.end()


@pytest.mark.parametrize(
    ("words", "stdin"),
    [
        (["--version"], b""),
        (["status", "--json"], b""),
        (["status", "--being", "nowhere"], b""),
        (["memory", os.fsdecode(b"\xff")], b""),
        (["chat", "-m", "-"], b" \n"),
    ],
)
def test_it_shows_says_and_ends_the_same(
    lumen: Lumen, forks: Forks, words: list[str], stdin: bytes
) -> None:
    env = {name: v for name, v in lumen.env().items() if not name.startswith(("COV", "PYTHON"))}
    forked = forks.run(words, env, lumen.home, stdin)
    assert forked is not None
    started = subprocess.run(
        [sys.executable, "-m", "lumen", *words],
        input=stdin, env=env, cwd=lumen.home, capture_output=True, check=False,
    )  # fmt: skip
    assert forked == (started.returncode, started.stdout, started.stderr)


def test_each_has_an_environment_and_a_folder_of_its_own(lumen: Lumen, forks: Forks) -> None:
    env = {"PATH": os.environ["PATH"], "LANG": "C.UTF-8", "HOME": str(lumen.home)}
    for name in ("one", "other"):
        folder = lumen.home / name
        folder.mkdir()
        where = {**env, "XDG_DATA_HOME": str(folder)}
        ended = forks.run(["init", "here"], where, folder, b"")
        assert ended is not None
        assert (ended[0], ended[2]) == (0, b"")
        assert (folder / "here" / "lumen.toml").exists()
        assert (folder / "lumen").exists()


def test_what_python_reads_as_it_starts_needs_a_start(lumen: Lumen, forks: Forks) -> None:
    env = {"PATH": os.environ["PATH"], "LANG": "C.UTF-8", "PYTHONIOENCODING": "latin-1"}
    assert forks.run(["--version"], env, lumen.home, b"") is None


def test_several_run_at_once_and_each_is_stopped_by_itself(lumen: Lumen, forks: Forks) -> None:
    program = "import signal, sys; print(sys.argv[1], flush=True); signal.pause()"
    started = [forks.start([name], forks.env, lumen.home, program=program) for name in "ab"]
    first, second = (one for one in started if one)
    assert [one.stdout and one.stdout.readline() for one in (first, second)] == [b"a\n", b"b\n"]
    second.terminate()
    assert second.communicate() == (b"", b"")
    assert (first.poll(), second.poll()) == (None, -signal.SIGTERM)
    with pytest.raises(subprocess.TimeoutExpired):
        first.wait(0.01)
    first.kill()
    assert (first.wait(), first.communicate()) == (-signal.SIGKILL, (b"", b""))


def test_one_in_a_terminal_is_interrupted_from_there(lumen: Lumen, forks: Forks) -> None:
    screen, tty = pty.openpty()
    program = "import signal, sys; print(sys.stdin.isatty(), sys.argv[1:]); signal.pause()"
    started = forks.start(["x"], forks.env, lumen.home, program=program, terminal=tty)
    os.close(tty)
    assert started is not None
    assert os.read(screen, 100) == b"True ['x']\r\n"  # at once: it is no pipe
    os.write(screen, b"\x03")
    shown = b""
    while b"KeyboardInterrupt\r\n" not in shown:
        shown += os.read(screen, 1000)
    assert started.wait() == -signal.SIGINT
    os.close(screen)
