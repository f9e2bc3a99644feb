"""A command that is forked off does what the same command does that was started by itself."""

from __future__ import annotations

import os
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
    started = lumen.start(*words, env=env)
    out, err = started.communicate(stdin)
    assert (forked.code, forked.out, forked.err) == (started.returncode, out, err)


def test_each_has_an_environment_and_a_folder_of_its_own(lumen: Lumen, forks: Forks) -> None:
    env = {"PATH": os.environ["PATH"], "LANG": "C.UTF-8", "HOME": str(lumen.home)}
    for name in ("one", "other"):
        folder = lumen.home / name
        folder.mkdir()
        where = {**env, "XDG_DATA_HOME": str(folder)}
        ended = forks.run(["init", "here"], where, folder, b"")
        assert ended is not None
        assert (ended.code, ended.err) == (0, b"")
        assert (folder / "here" / "lumen.toml").exists()
        assert (folder / "lumen").exists()


def test_what_python_reads_as_it_starts_needs_a_start(lumen: Lumen, forks: Forks) -> None:
    env = {"PATH": os.environ["PATH"], "LANG": "C.UTF-8", "PYTHONIOENCODING": "latin-1"}
    assert forks.run(["--version"], env, lumen.home, b"") is None
    with forks.busy:  # as when another thread's command is under way
        assert forks.run(["--version"], forks.env, lumen.home, b"") is None
