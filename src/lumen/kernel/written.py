"""Which files the being wrote itself, by the archive's word: only those may be written over unasked."""

from __future__ import annotations

from pathlib import Path

from lumen.core.canon import JSON, sha256
from lumen.kernel.given import Done
from lumen.soul.index import Index
from lumen.soul.queries import kernel_events


def written(skill: str, given: JSON, done: Done) -> dict[str, JSON]:
    """What a result tells of the file it wrote: where, and the hash of what was to be in it."""
    output = done.output if done.ok else None
    if skill != "write_file" or not isinstance(output, dict) or not isinstance(given, dict):
        return {}
    path, text = output.get("path"), given.get("text")
    if not isinstance(path, str) or not isinstance(text, str):
        return {}
    return {"wrote": {"path": path, "sha256": sha256(text.encode("utf-8", "replace"))}}


def last_written(index: Index, path: str) -> str:
    """The hash of what the being wrote to a path last; empty when it never did."""
    for event in kernel_events(index, ("skill",), "write_file.write: done", newest_first=True):
        told = event.entry.payload.get("wrote")
        if isinstance(told, dict) and told.get("path") == path:
            return str(told.get("sha256", ""))
    return ""


def hash_of_file(path: Path) -> str:
    """The hash of a file; of what is no file or cannot be read, one that nothing has."""
    try:
        return sha256(path.read_bytes()) if path.is_file() and not path.is_symlink() else "no file"
    except OSError:
        return "unreadable"
