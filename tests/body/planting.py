"""A copy of the sources to plant something in, and how many files that took."""

from __future__ import annotations

import shutil
from filecmp import cmp
from pathlib import Path

from tests.body.conftest import Lumen, Ran
from tests.forking import Forks
from tests.waiting import PATIENCE


def copy_of(root: Path, to: Path) -> Path:
    """The sources, copied, and what is compiled of them: that holds for all that is not changed."""
    return shutil.copytree(root / "src", to / "src")


def edit(path: Path, *changes: tuple[str, str]) -> None:
    """Change a file of the copy."""
    text = path.read_text("utf-8")
    for old, new in changes:
        assert text.count(old) == 1
        text = text.replace(old, new)
    path.write_text(text, "utf-8")


def changed(root: Path, copied: Path) -> list[str]:
    """The files of a copy that are new or other than they were."""
    found = (p.relative_to(copied) for p in copied.rglob("*") if p.is_file())
    was = root / "src"
    return [
        p.as_posix()
        for p in sorted(found)
        if "__pycache__" not in p.parts
        and not ((was / p).exists() and cmp(was / p, copied / p, shallow=False))
    ]


class Planted:
    """A being that lives by a copy, which is imported once for all its commands."""

    def __init__(self, lumen: Lumen, copied: Path) -> None:
        self.lumen = lumen
        self.env = lumen.env(PYTHONPATH=str(copied), PYTHONDONTWRITEBYTECODE="1")
        self.forks = Forks(self.env)
        lumen.stack.callback(self.forks.end)

    def run(self, *arguments: str, stdin: bytes = b"") -> Ran:
        """A command of the copy."""
        ended = self.forks.run(arguments, self.env, self.lumen.home, stdin)
        assert ended is not None
        code, out, err = ended
        return Ran(code, out.decode("utf-8"), err.decode("utf-8"))

    def work(self, *arguments: str, stdin: bytes = b"") -> Ran:
        """A command of the copy that has to work."""
        ran = self.run(*arguments, stdin=stdin)
        assert ran.code == 0, ran.said
        return ran

    def python(self, code: str) -> str:
        """What a program prints that uses the copy."""
        started = self.forks.start((), self.env, self.lumen.home, program=code)
        assert started is not None
        out, err = started.communicate(timeout=PATIENCE)
        assert (started.wait(), err) == (0, b"")
        return out.decode("utf-8")
