"""Write file: a text into one folder, and nowhere else. The standard library and nothing else."""

import json
import os
import stat
import sys
from contextlib import suppress
from pathlib import PurePosixPath

HELP = """\
write_file: writes a text file into the one folder it was given, whole or not at all.

Usage: main.py < call.json, one call per run

Actions
  write   write a file; folders on the way are made

Input, one JSON object on stdin
  {"v": 1, "turn": "...", "action": "write", "context": {"writes": ["/the/folder"]},
   "input": {"path": "lists/shopping.txt", "text": "rice", "overwrite": false}}
  path       inside the folder, without ".." and not through a link
  text       what it is to hold, up to 1,000,000 bytes
  overwrite  true to replace a file that is there; otherwise that is refused
  unique     true to take another name, with a number, when there is a file of that name

Output, one JSON object on stdout
  {"ok": true, "output": {"path": "lists/shopping.txt", "bytes": 4, "replaced": false},
   "error": null}
  {"ok": false, "output": null, "error": "..."}
  error      why nothing was written
"""

MOST_BYTES = 1_000_000
MOST_PATH = 200
INPUT = 'input must be {"path": "lists/shopping.txt", "text": "rice", "overwrite": false}'


class CallError(Exception):
    """The call cannot be carried out; nothing was written."""


def wanted(call: object) -> tuple[str, PurePosixPath, bytes, bool, bool]:
    """The folder, the path in it, what to write, and whether it may replace or must be new."""
    if not isinstance(call, dict) or call.get("action") != "write":
        raise CallError('the only action is "write"')
    context, given = call.get("context"), call.get("input")
    folders = context.get("writes") if isinstance(context, dict) else None
    if not (isinstance(folders, list) and folders and isinstance(folders[0], str)):
        raise CallError("no folder was given to write to")
    if not isinstance(given, dict):
        raise CallError(INPUT)
    if not all(isinstance(given.get(key, False), bool) for key in ("overwrite", "unique")):
        raise CallError(INPUT)
    path, text = given.get("path"), given.get("text")
    if not isinstance(path, str) or not isinstance(text, str):
        raise CallError(INPUT)
    try:
        data = text.encode()
    except UnicodeEncodeError as error:
        raise CallError(f"the text cannot be written as UTF-8: {error.reason}") from error
    if len(data) > MOST_BYTES:
        raise CallError(f"the text has more than {MOST_BYTES} bytes")
    return folders[0], inside(path), data, given.get("overwrite", False), given.get("unique", False)


def inside(path: str) -> PurePosixPath:
    """A path that stays in its folder."""
    found = PurePosixPath(path)
    strange = not path or len(path) > MOST_PATH or not path.isprintable()
    if strange or found.is_absolute() or ".." in found.parts or not found.parts:
        raise CallError("path must be inside the folder, like lists/shopping.txt")
    if any(part.startswith(".") for part in found.parts):
        raise CallError("path must not name anything hidden")
    return found


def enter(folder: str, path: PurePosixPath) -> int:
    """Open the folder the file goes to, one step after another, so that no link leads out."""
    os.makedirs(folder, exist_ok=True)
    here = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    for part in path.parts[:-1]:
        try:
            with suppress(FileExistsError):
                os.mkdir(part, dir_fd=here)
            there = os.open(part, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW, dir_fd=here)
        except OSError as error:
            raise CallError(
                f"{part!r} is no folder that can be entered: {error.strerror}"
            ) from error
        finally:
            os.close(here)
        here = there
    return here


def standing(here: int, name: str) -> bool:
    """Whether a file of that name is there; anything but a file is refused."""
    try:
        mode = os.stat(name, dir_fd=here, follow_symlinks=False).st_mode
    except FileNotFoundError:
        return False
    if not stat.S_ISREG(mode):
        raise CallError("what is there is no plain file")
    return True


def free(here: int, path: PurePosixPath) -> str:
    """A name that no file has yet: the one that was asked for, else with a number."""
    numbered = (f"{path.stem}-{n}{path.suffix}" for n in range(2, 1000))
    for name in (path.name, *numbered):
        if not standing(here, name):
            return name
    raise CallError("there are too many files of that name")


def put(here: int, name: str, data: bytes, *, overwrite: bool) -> bool:
    """Write beside, then put in place: whole or not at all; says whether something was replaced."""
    there = standing(here, name)
    if there and not overwrite:
        raise CallError('there is a file already; say "overwrite": true to replace it')
    fresh = f".{os.getpid()}.new"
    file = os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o644, dir_fd=here)
    try:
        with os.fdopen(file, "wb") as out:
            out.write(data)
            out.flush()
            os.fsync(out.fileno())
        if overwrite:
            os.replace(fresh, name, src_dir_fd=here, dst_dir_fd=here)
        else:
            os.link(fresh, name, src_dir_fd=here, dst_dir_fd=here)
    finally:
        if not overwrite or fresh in os.listdir(here):
            os.unlink(fresh, dir_fd=here)
    os.fsync(here)
    return there


def write(call: object) -> dict[str, object]:
    """Carry out one call."""
    folder, path, data, overwrite, unique = wanted(call)
    try:
        here = enter(folder, path)
        try:
            path = path.with_name(free(here, path)) if unique else path
            replaced = put(here, path.name, data, overwrite=overwrite)
        finally:
            os.close(here)
    except OSError as error:
        raise CallError(f"it could not be written: {error.strerror}") from error
    return {"path": str(path), "bytes": len(data), "replaced": replaced}


def answer(asked: bytes) -> dict[str, object]:
    """The reply to one call."""
    try:
        return {"ok": True, "output": write(json.loads(asked)), "error": None}
    except CallError as error:
        return {"ok": False, "output": None, "error": str(error)}
    except (ValueError, RecursionError) as error:
        return {"ok": False, "output": None, "error": f"the call is no JSON: {error}"}


def main(arguments: list[str]) -> None:
    """Explain, or answer the call on stdin."""
    if arguments in (["--help"], ["-h"]):
        sys.stdout.write(HELP)
    elif arguments:
        sys.exit("write_file takes no arguments but --help; the call comes on stdin")
    else:
        sys.stdout.write(json.dumps(answer(sys.stdin.buffer.read())) + "\n")


if __name__ == "__main__":
    main(sys.argv[1:])
