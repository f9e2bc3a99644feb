"""What holds a skill while it runs: nothing but time, limits, or a room of its own.

`limits` bounds what a program takes, not what it may see: it runs with the author's rights.
`bwrap` (bubblewrap) shows it a read-only system, its own folder and what was granted, and no
network unless granted. Which of them a skill gets is decided in `policy.py`.
"""

from __future__ import annotations

import functools
import os
import resource
import shutil
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from lumen.core.canon import printable
from lumen.core.errors import SkillError
from lumen.hands.process import Limits, Program, environment

SCRATCH = "/tmp"  # noqa: S108 - one of its own, which is gone when the call is over
SCRATCH_BYTES = 64 << 20
SHARED = "/dev/shm"  # noqa: S108 - one of its own too, which some libraries need
SHARED_BYTES = 16 << 20
PROBE_SECONDS = 10

_SHELL = "/bin/sh"
_MOST_LINKS = 8
_TOP = ("bin", "sbin", "lib", "lib32", "lib64", "libx32")  # links into /usr, or folders
_ETC = (
    "alternatives", "ca-certificates", "host.conf", "hosts", "ld.so.cache", "ld.so.conf",
    "ld.so.conf.d", "localtime", "nsswitch.conf", "pki", "resolv.conf", "ssl", "timezone",
)  # fmt: skip


class Isolation(StrEnum):
    """How strictly a skill is held, from the weakest to the strongest."""

    NONE = "none"
    LIMITS = "limits"
    BWRAP = "bwrap"


@dataclass(frozen=True, slots=True)
class Sandbox:
    """How one call is held, and what of the machine it is shown where that can be withheld."""

    isolation: Isolation = Isolation.LIMITS
    reads: tuple[Path, ...] = ()
    writes: tuple[Path, ...] = ()
    network: bool = False
    hidden: tuple[Path, ...] = ()  # never shown, though they lie below what is


def confined(command: tuple[str, ...], folder: Path, box: Sandbox, limits: Limits) -> Program:
    """The program that runs a command in its folder, held as the box says.

    Raises:
        SkillError: bubblewrap is asked for and does not work here; nothing weaker takes its place.
    """
    folder = folder.absolute()
    home = str(folder)
    if box.isolation is Isolation.NONE:
        return Program(command, folder, environment(home), watched=False)
    if box.isolation is Isolation.BWRAP:
        if trouble := bwrap_trouble():
            raise SkillError(f"was not run, as {trouble}")
        command, home = (*_bwrap(folder, box), *command), SCRATCH
    return Program((*_limited(limits), *command), folder, environment(home))


@functools.cache
def bwrap_trouble() -> str:
    """Why bubblewrap cannot be used here; empty when it can. It is really run, once."""
    if not shutil.which("bwrap"):
        return "bubblewrap is not installed (apt install bubblewrap)"
    with tempfile.TemporaryDirectory(prefix="lumen-") as folder:
        command = (*_bwrap(Path(folder), Sandbox(Isolation.BWRAP)), sys.executable, "-I", "-c", "")
        try:
            tried = subprocess.run(command, capture_output=True, check=False, timeout=PROBE_SECONDS)
        except (OSError, subprocess.TimeoutExpired) as error:
            return f"bubblewrap does not work here: {printable(str(error))}"
    if tried.returncode == 0:
        return ""
    said = printable(tried.stderr.decode("utf-8", "replace")).strip()
    return f"bubblewrap does not work here: {said.rpartition(chr(10))[2] or tried.returncode}"


def _limited(limits: Limits) -> tuple[str, ...]:
    """A shell that lowers its own limits and then becomes the program.

    Limits set from outside once the child runs come too late for what it has started by then,
    and code between fork and exec is not safe in a process with threads.
    """
    wanted = (
        ("v", resource.RLIMIT_AS, limits.memory_bytes, 1024),
        ("t", resource.RLIMIT_CPU, limits.cpu_seconds, 1),
        ("f", resource.RLIMIT_FSIZE, limits.file_bytes, 512),
        ("n", resource.RLIMIT_NOFILE, limits.open_files, 1),
        ("c", resource.RLIMIT_CORE, 0, 1),
    )
    lines = [f"ulimit -{key} {_lower(kind, most) // unit}" for key, kind, most, unit in wanted]
    # Whatever a shell adds to the environment of its own accord is taken out again.
    return (_SHELL, "-c", "; ".join([*lines, "unset PWD OLDPWD SHLVL", 'exec "$@"']), "sh")


def _lower(kind: int, most: int) -> int:
    hard = resource.getrlimit(kind)[1]
    return most if hard == resource.RLIM_INFINITY else min(most, hard)


def _bwrap(folder: Path, box: Sandbox) -> tuple[str, ...]:
    """The command that makes the room; what comes later lies over what came before."""
    shown: list[str] = ["--ro-bind", "/usr", "/usr"]
    for name in _TOP:
        top = Path("/", name)
        if top.is_symlink():
            shown += ["--symlink", str(top.readlink()), str(top)]
        elif top.is_dir():
            shown += ["--ro-bind", str(top), str(top)]
    for name in _ETC:
        shown += ["--ro-bind-try", f"/etc/{name}", f"/etc/{name}"]
    shown += ["--proc", "/proc", "--dev", "/dev"]
    shown += ["--size", str(SHARED_BYTES), "--tmpfs", SHARED, "--remount-ro", "/dev"]
    shown += ["--size", str(SCRATCH_BYTES), "--tmpfs", SCRATCH]
    for ours in dict.fromkeys((sys.base_prefix, sys.prefix, *_links_to_python())):
        shown += ["--ro-bind", ours, ours]
    shown += ["--ro-bind", str(folder), str(folder)]
    for path in box.reads:
        shown += ["--ro-bind-try", str(path), str(path)]
    for path in box.writes:
        shown += ["--bind-try", str(path), str(path)]
    shown += _covered(box)
    # The root is a tmpfs too, and half of the machine's memory large: the last word is that it is
    # not written to.
    shown += ["--remount-ro", "/"]
    net = ["--share-net"] if box.network else []
    return (
        "bwrap", "--unshare-all", *net, "--die-with-parent", "--new-session",
        "--cap-drop", "ALL", "--hostname", "skill", *shown, "--chdir", str(folder), "--",
    )  # fmt: skip


def _covered(box: Sandbox) -> list[str]:
    """What is hidden and lies in a granted folder: an empty one, or nothing, lies over it."""
    granted = (*box.reads, *box.writes)
    said: list[str] = []
    for path in box.hidden:
        if not path.exists() or not any(path.is_relative_to(above) for above in granted):
            continue
        empty = ["--perms", "0000", "--tmpfs", str(path), "--remount-ro", str(path)]
        said += empty if path.is_dir() else ["--ro-bind", os.devnull, str(path)]
    return said


def _links_to_python() -> list[str]:
    """Every link on the way to our interpreter, by itself: the folder of one may be all of a home."""
    here = Path(sys.executable)
    found: list[str] = []
    while here.is_symlink() and len(found) < _MOST_LINKS:
        here = here.parent / here.readlink()
        found.append(os.path.normpath(here))
    homes = ("/usr/", f"{sys.prefix}/", f"{sys.base_prefix}/")
    return [path for path in (sys.executable, *found) if not path.startswith(homes)]
