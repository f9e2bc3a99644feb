"""A copy of the sources to plant something in, and how many files that took."""

from __future__ import annotations

import shutil
from filecmp import cmp
from pathlib import Path


def copy_of(root: Path, to: Path) -> Path:
    """The sources, copied."""
    ignored = shutil.ignore_patterns("__pycache__")
    return shutil.copytree(root / "src", to / "src", ignore=ignored)


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
