"""Bringing a being into the world: the files of an empty self, its genesis, its git folder.

An empty self has no values and no goals yet; those come of living, or with `born_with`. The longer rite of birth,
with models, channels and budgets, is not here yet.
"""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Mapping
from pathlib import Path
from shlex import join, quote
from types import MappingProxyType

from lumen.core.canon import printable, sha256
from lumen.core.clock import Clock, ulid
from lumen.core.data import BeingPaths, Change, kernel_entry
from lumen.core.errors import AlreadyABeing, LumenError, NoSpace, Refused, UsageError
from lumen.core.settings import blank
from lumen.core.stores import Store
from lumen.hands.skills import shipped
from lumen.kernel.gate.commit import Gate, begin
from lumen.kernel.gate.setting_text import with_setting
from lumen.soul.ports.storage import Storage

NOTHING: Mapping[str, str] = MappingProxyType({})
SCAFFOLD = Path(__file__).with_name("scaffold")


def init(
    being: BeingPaths,
    storage: Storage,
    clock: Clock,
    *,
    timezone: str = "",
    born_with: Mapping[str, str] = NOTHING,
) -> str:
    """Scaffold a self and begin its archive; returns the soul's id.

    It is an empty one but for the files it is `born_with`, by their paths inside the being.

    Raises:
        AlreadyABeing: something of ours is there already; nothing was changed.
    """
    _must_be_free(being, storage)
    soul = ulid(clock)
    year = clock.now().year
    files = {
        being.soul_md: "",
        being.values: "[]\n",
        being.goals / f"{year}.json": "[]\n",
        being.prompts / "README.md": "Put <step>/system.md or <step>/prompt.md here to override.\n",
        being.data / ".gitignore": (SCAFFOLD / "gitignore").read_text("utf-8"),
        being.settings: with_setting(blank().format(soul=soul), "author", "timezone", timezone),
    }
    files |= {being.at(path): text for path, text in born_with.items()}
    for source in sorted(shipped().rglob("*")):
        if source.is_file() and "__pycache__" not in source.parts:
            files[being.skills / source.relative_to(shipped())] = source.read_text("utf-8")
    try:
        begin(storage, {being.named(path): text for path, text in files.items()}, soul)
    except Refused:
        raise AlreadyABeing(
            f"another process has just made a being in {being.root}",
            fix=f"lumen --being {quote(str(being.root))} status",
        ) from None
    except LumenError as error:
        if left := _ours(being):
            remove = join(["rm", "-r", *map(str, left)])
            error.fix = f"{error.fix}; clear away what was begun first: {remove}"
        elif not isinstance(error, NoSpace):  # nothing can be made there
            raise UsageError(error.what, fix="lumen init ANOTHER_FOLDER") from error
        raise
    _git_init(being.root)
    return soul


def introduce(gate: Gate, being: BeingPaths, name: str, author_name: str, timezone: str) -> None:
    """What the author said at the first meeting: its name, their own, and where they are."""
    # A second line would become the story that opens every prompt, and TOML takes no DEL.
    name, author_name = (printable(" ".join(n.split())) for n in (name, author_name))
    soul, settings = being.soul_md.read_bytes(), being.settings.read_bytes()
    lines = soul.decode().splitlines()
    rest = lines[1:] if lines and lines[0].startswith("# ") else lines
    narrative = "\n".join([f"# {name}", *rest]).rstrip() + "\n"
    said = with_setting(settings.decode(), "author", "name", author_name)
    said = with_setting(said, "author", "timezone", timezone)
    changes = [
        Change(Store.SOUL, "set", narrative, base=sha256(soul)),
        Change(Store.SETTINGS, "set", said, base=sha256(settings)),
    ]
    what = f"The author, {author_name}, named the being {name}."
    entry = kernel_entry("introduced", what, "lumen:author", {})
    gate.commit("author", changes, entry, durable=True, sign=True)


def _must_be_free(being: BeingPaths, storage: Storage) -> None:
    root = being.root
    if not _is_text(root):  # SQLite opens no such path, and no terminal shows it
        raise UsageError(f"{str(root)!r} is not in UTF-8", fix="lumen init ANOTHER_FOLDER")
    if being.settings.exists():
        raise AlreadyABeing(
            f"{root} is a being already", fix=f"lumen --being {quote(str(root))} status"
        )
    if root.exists() and not root.is_dir():
        raise UsageError(f"{root} is a file, not a folder", fix="lumen init ANOTHER_FOLDER")
    if storage.log.soul():
        raise AlreadyABeing(
            f"{root} is a being that has lost its lumen.toml",
            fix=f"lumen --being {quote(str(root))} rebuild",
        )
    if ours := _ours(being):
        names = ", ".join(p.name for p in ours)
        raise AlreadyABeing(
            f"{root} holds {names} already, and a being would be laid over it",
            fix="lumen init ANOTHER_FOLDER",
        )


def _is_text(path: Path) -> bool:
    try:
        str(path).encode()
    except UnicodeEncodeError:
        return False
    return True


def _ours(being: BeingPaths) -> list[Path]:
    return [p for p in (being.data, being.skills, being.prompts) if p.exists()]


def _git_init(root: Path) -> None:
    """A repository for the author to commit to; Lumen itself never commits."""
    git = shutil.which("git")
    if git and not (root / ".git").exists():
        subprocess.run([git, "init", "--quiet", str(root)], check=False, capture_output=True)
