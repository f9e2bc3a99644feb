"""What else may be done to a being's files: lay them out, mend them, blank lines, set bytes aside.

Only kernel/commit.py may call this, and it holds the archive while it does; what is done here
follows from an event that is archived already, or leaves the being as it was.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path

from lumen.core.canon import sha256
from lumen.core.data import Being, Head
from lumen.soul.archive import segments, stub
from lumen.soul.disk import FOLDER, LINK, put_in_place, refusal, save, staged
from lumen.soul.keys import head_from
from lumen.soul.ring import wipe
from lumen.soul.torn import move_end


def scaffold(being: Being, files: Mapping[Path, str]) -> None:
    """Lay out new files; one that exists already is left as it is."""
    try:
        being.data.mkdir(parents=True, exist_ok=True, mode=0o700)  # nobody else's to read
        being.memory.mkdir(parents=True, exist_ok=True)
        for path, text in files.items():
            path.parent.mkdir(parents=True, exist_ok=True)
            with suppress(FileExistsError):
                save(path, text.encode(), new=True)
    except OSError as error:
        raise refusal(error, being.root) from error


def set_file(path: Path, data: bytes | None) -> None:
    """Replace a file whole, or take it away."""
    with staged({path: data}) as fresh:
        put_in_place(fresh[path], path)


def drop_empty(root: Path, folder: Path) -> None:
    """Take away a folder that holds nothing any more, and those above it; never one at the top."""
    while folder.parent != root and folder.is_relative_to(root):
        try:
            folder.rmdir()
        except OSError:
            return
        folder = folder.parent


def put_back(being: Being, path: Path, wanted: bytes | None) -> None:
    """Let a path hold again what stood there, whatever stands there now; a folder is set aside."""
    try:
        if path.is_dir() and not path.is_symlink():
            if wanted != FOLDER:
                being.quarantine.mkdir(exist_ok=True)
                path.rename(being.quarantine / f"{path.name}-{os.urandom(4).hex()}")
        elif wanted is None or wanted.startswith((FOLDER, LINK)) or path.is_symlink():
            path.unlink(missing_ok=True)  # whatever it is: its bytes are set aside
        if wanted == FOLDER:
            path.mkdir(exist_ok=True)
        elif wanted is not None and wanted.startswith(LINK):
            path.symlink_to(os.fsdecode(wanted.removeprefix(LINK)))
        else:
            set_file(path, wanted)
    except OSError as error:
        raise refusal(error, path) from error


def set_aside(being: Being, name: str, data: bytes) -> Path:
    """Keep bytes that were found where they should not be, for the author to look at."""
    kept = being.quarantine / name
    try:
        if not kept.parent.is_dir():
            kept.parent.unlink(missing_ok=True)  # no folder, so nothing was ever kept there
        kept.parent.mkdir(exist_ok=True)
        save(kept, data)
    except OSError as error:
        raise refusal(error, kept) from error
    return kept


def blank(memory: Path, by: int, places: Sequence[tuple[str, int, int]]) -> None:
    """Overwrite the content of lines with the stub that names the event which erased them."""
    for name in sorted({name for name, _, _ in places}):
        path = memory / name[:4] / name
        try:
            with path.open("r+b", buffering=0) as segment:
                for _, offset, length in (p for p in places if p[0] == name):
                    raw = os.pread(segment.fileno(), length, offset)
                    os.pwrite(segment.fileno(), stub(raw, by), offset)
                os.fdatasync(segment.fileno())
        except OSError as error:
            raise refusal(error, path) from error
    wipe(memory)


def cut_lines(memory: Path, segment: str, offset: int) -> list[str]:
    """Move all that stands behind a place in the archive to quarantine; returns the files' names."""
    kept = []
    for path in reversed(segments(memory, since=segment)):
        at = offset if path.name == segment else 0
        with path.open("rb") as file:
            file.seek(at)
            data = file.read()
        if data:
            name = f"{path.stem}-{at}-{sha256(data)[:8]}.foreign"
            move_end(path, at, data, memory / "quarantine" / name)
            kept.append(name)
    wipe(memory)  # or the ring would put them back
    return kept


def keep_heads(being: Being, known: Callable[[Head], bool]) -> int:
    """Set aside every signed head that is not of this chain; returns how many."""
    path = being.heads
    lines = path.read_bytes().splitlines(keepends=True) if path.exists() else []
    strange = [  # a line that was never finished states nothing
        raw for raw in lines if not raw.endswith(b"\n") or not known(head_from(raw, path))
    ]
    if strange:
        raw = b"".join(strange)
        set_aside(being, f"heads-{sha256(raw)[:8]}.jsonl", raw)
        set_file(path, b"".join(line for line in lines if line not in strange))
    return len(strange)
