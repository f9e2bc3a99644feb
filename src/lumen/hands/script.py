"""The command that runs a skill's `main.py`: our interpreter, or uv for one that needs packages.

A `main.py` with inline script metadata (PEP 723) names packages of its own; uv keeps them apart
from ours. Everything else runs with the interpreter that runs us.
"""

from __future__ import annotations

import os
import re
import shutil
import sys
import tomllib
from pathlib import Path

from lumen.core.errors import SkillError
from lumen.hands.isolation import Isolation, Sandbox
from lumen.hands.process import python

MOST_BYTES = 1 << 20

_BLOCK = re.compile(r"(?m)^# /// script\s*$\n(?P<told>(?:^#(?:| .*)$\n)+?)^# ///\s*$")


def packages(source: str) -> tuple[str, ...]:
    """The packages that a script's own metadata asks for.

    Raises:
        SkillError: there is such a block, and it is not what PEP 723 says.
    """
    blocks = list(_BLOCK.finditer(source))
    if not blocks:
        return ()
    if len(blocks) > 1:
        raise SkillError("has two blocks of script metadata in main.py")
    lines = [line[2:] for line in blocks[0]["told"].splitlines()]
    try:
        found = tomllib.loads("\n".join(lines)).get("dependencies", [])
    except tomllib.TOMLDecodeError as error:
        raise SkillError(f"has script metadata in main.py that is no TOML: {error}") from error
    if not isinstance(found, list) or not all(isinstance(one, str) for one in found):
        raise SkillError("has script metadata in main.py whose dependencies are no list of names")
    return tuple(found)


def command_of(entry: Path, box: Sandbox, *arguments: str) -> tuple[str, ...]:
    """What runs a skill's entry.

    Raises:
        SkillError: it needs packages, and uv cannot bring them here.
    """
    if not packages(_source(entry)):
        return python(entry, *arguments)
    if box.isolation is Isolation.BWRAP:
        raise SkillError("asks for packages, which uv cannot bring into bubblewrap")
    uv = find_uv()
    if not uv:
        raise SkillError("asks for packages, and there is no uv to bring them")
    run = (uv, "run", "--quiet", "--no-project", "--no-config", "--cache-dir", str(uv_cache()))
    return (*run, "--python", sys.executable, "--script", str(entry.absolute()), *arguments)


def find_uv() -> str:
    """The uv that started us, or the machine's; empty when there is none."""
    named = os.environ.get("UV", "")
    return named if named and Path(named).is_file() else shutil.which("uv") or ""


def uv_cache() -> Path:
    """Where uv keeps packages: never in a skill's folder, though that is the skill's home."""
    if named := os.environ.get("UV_CACHE_DIR"):
        return Path(named).absolute()
    base = os.environ.get("XDG_CACHE_HOME", "")
    return (Path(base) if base.startswith("/") else Path.home() / ".cache") / "uv"


def _source(entry: Path) -> str:
    try:
        with entry.open("rb") as file:
            return file.read(MOST_BYTES).decode("utf-8", "replace")
    except OSError as error:
        raise SkillError(f"has a main.py that cannot be read: {error.strerror}") from error
