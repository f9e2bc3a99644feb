"""Write the pins in pyproject.toml: every version, direct and transitive, on every platform.

    uv run python tools/pin.py             pin what was added, leave the other versions alone
    uv run python tools/pin.py --upgrade   take the newest of everything
    uv run python tools/pin.py --check     say what is not pinned; reads files only

The uv that installs all this is pinned by hand, in main.py.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Iterable, Sequence
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
BEGIN = "  # pins: begin\n"
END = "  # pins: end\n"
EXPORT = ("export", "--frozen", "--quiet", "--all-groups", "--all-extras", "--no-emit-project")
BARE = ("--no-hashes", "--no-annotate", "--no-header")


def read_pins(pyproject: str) -> tuple[str, ...]:
    """The pins as they stand: `name==version`, with a marker where one is needed."""
    pins = tomllib.loads(pyproject)["tool"]["uv"]["constraint-dependencies"]
    return tuple(str(pin) for pin in pins)


def with_pins(pyproject: str, pins: Iterable[str]) -> str:
    """The same pyproject.toml with these pins between the two marks."""
    before, rest = pyproject.split(BEGIN)
    _, after = rest.split(END)
    lines = "".join(f'  "{pin}",\n' for pin in pins)
    return before + BEGIN + lines + END + after


def locked(lock: str) -> frozenset[str]:
    """Each `name==version` that uv.lock would install, our own project aside."""
    return frozenset(
        f"{package['name']}=={package['version']}"
        for package in tomllib.loads(lock)["package"]
        if "registry" in package["source"]
    )


def problems(pyproject: str, lock: str) -> list[str]:
    """What the pins leave open or name in vain; nothing when they are complete."""
    pinned = {pin.split(";")[0].strip() for pin in read_pins(pyproject)}
    wanted = locked(lock)
    return [f"not pinned: {name}" for name in sorted(wanted - pinned)] + [
        f"pinned in vain: {name}" for name in sorted(pinned - wanted)
    ]


def uv(arguments: Sequence[str]) -> str:
    """What uv answers; its complaints go straight to stderr."""
    found = os.environ.get("UV") or shutil.which("uv") or str(ROOT / ".uv" / "bin" / "uv")
    finished = subprocess.run(
        [found, *arguments], cwd=ROOT, stdout=subprocess.PIPE, text=True, check=True
    )
    return finished.stdout


def write(upgrade: bool) -> int:
    """Let uv choose the versions, then write them down."""
    target = ROOT / "pyproject.toml"
    before = target.read_text("utf-8")
    try:
        if upgrade:
            target.write_text(with_pins(before, ()), "utf-8")
        uv(["lock", "--upgrade"] if upgrade else ["lock"])
        pins = uv([*EXPORT, *BARE]).splitlines()
    except subprocess.CalledProcessError as failed:
        target.write_text(before, "utf-8")
        return failed.returncode
    target.write_text(with_pins(before, pins), "utf-8")
    print(f"{len(pins)} versions pinned")
    return 0


def check() -> int:
    """Compare the pins with what uv resolved last."""
    lock = ROOT / "uv.lock"
    if not lock.exists():
        print("no uv.lock to compare with\n  try: python3 main.py test", file=sys.stderr)
        return 2
    found = problems((ROOT / "pyproject.toml").read_text("utf-8"), lock.read_text("utf-8"))
    print("\n".join(found) or "every version is pinned")
    return 1 if found else 0


def main(arguments: Sequence[str]) -> int:
    """Do what the one optional flag asks."""
    match arguments:
        case []:
            return write(upgrade=False)
        case ["--upgrade"]:
            return write(upgrade=True)
        case ["--check"]:
            return check()
        case _:
            print(__doc__, file=sys.stderr)
            return 2


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
