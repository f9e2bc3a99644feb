"""What a being consists of at one moment, while others may be writing to it.

Says which files belong to a being and how many of their bytes; nothing is copied here, and
whether the archive among them is true is not asked.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from shlex import quote

from lumen.core.data import BeingPaths
from lumen.core.errors import UsageError
from lumen.soul.archive.line import LOCK, SEGMENT, Tail, shared, tail, torn_end

SELF = ("lumen.toml", "data")  # read while writers are held off
LOCKS = (LOCK, ".turns", ".pause", ".talk", ".approved")
MADE_AGAIN = {".git", "__pycache__"}
SMALL = 1 << 20  # a file of the self up to this size is read while writers are held off
CHUNK = 1 << 18


class ChangedMeanwhile(Exception):
    """A file changed between two looks at it."""


@dataclass(frozen=True, slots=True)
class Piece:
    """The first `size` bytes of a file; `text` when they were read at once."""

    name: str
    path: Path
    size: int
    mode: int
    mtime: int
    text: bytes | None = None


@dataclass(frozen=True, slots=True)
class Snapshot:
    """Every piece, by name, and where the archive ends; nowhere when its end was not asked for."""

    pieces: tuple[Piece, ...]
    end: Tail | None
    notes: tuple[str, ...] = ()

    @property
    def size(self) -> int:
        """The bytes of all pieces together."""
        return sum(piece.size for piece in self.pieces)


def is_kept(name: str) -> bool:
    """Whether a path in a being is part of it, and not made again, a lock or half a write."""
    parts = name.split("/")
    in_data = parts[0] == "data"
    made_again = parts[:2] == ["data", "index"] or not MADE_AGAIN.isdisjoint(parts)
    passing = parts[-1].startswith(".") and parts[-1].endswith(".new")
    passing = passing or (in_data and parts[-1] in LOCKS)
    return not (parts[0].startswith(".") or made_again or passing)


def snapshot(being: BeingPaths, *, with_end: bool) -> Snapshot:
    """What there is now. Writers wait for a moment only: what just grows need not be read yet.

    Raises:
        UsageError: a link leads out of the being, or something in it cannot be kept.
        Damaged: the end was asked for, and is not what was written.
    """
    root = being.root
    tops = sorted(entry.name for entry in root.iterdir())
    notes = [f"{top} is not in the backup: its name begins with a dot" for top in _hidden(tops)]
    others = [top for top in tops if top not in SELF]
    pieces = [_piece(*found) for top in others for found in _files(root, top)]
    with shared(being.memory):
        torn = torn_end(being.memory)
        end = tail(being.memory) if with_end else None
        pieces += [_of_self(*found) for top in SELF for found in _files(root, top)]
    if torn:
        cut = torn.segment.relative_to(root).as_posix()
        pieces = [replace(p, size=torn.offset) if p.name == cut else p for p in pieces]
        notes.append(f"{torn.segment.name} ends in an unfinished line, which is not in the backup")
    return Snapshot(tuple(sorted(pieces, key=lambda piece: piece.name)), end, tuple(notes))


def read(piece: Piece, told: Callable[[int], None]) -> Iterator[bytes]:
    """The bytes of a piece, and how many at a time.

    Raises:
        Moved: there are fewer by now.
    """
    if piece.text is not None:
        told(piece.size)
        yield piece.text
        return
    left = piece.size
    try:
        with piece.path.open("rb") as file:
            while left and (data := file.read(min(left, CHUNK))):
                left -= len(data)
                told(len(data))
                yield data
    except FileNotFoundError:
        raise ChangedMeanwhile from None
    if left:
        raise ChangedMeanwhile


def _hidden(tops: list[str]) -> list[str]:
    """What lies in the being's folder and belongs to a tool; the repository needs no word."""
    return [top for top in tops if top.startswith(".") and top not in MADE_AGAIN]


def _files(root: Path, top: str) -> Iterator[tuple[str, Path]]:
    """Every file to keep under a name in the being's folder: its name in the being, and where it really is."""
    return _look(root, root / top, top, frozenset({root}))


def _look(root: Path, path: Path, name: str, above: frozenset[Path]) -> Iterator[tuple[str, Path]]:
    if not is_kept(name):
        return
    _must_be_text(name, path)
    real = _followed(root, path) if path.is_symlink() else path
    if real in above:
        raise UsageError(f"{path} is a link to a folder it is in", fix=f"rm {quote(str(path))}")
    if real.is_dir():
        for child in sorted(entry.name for entry in real.iterdir()):
            yield from _look(root, real / child, f"{name}/{child}", above | {real})
    elif real.is_file():
        yield name, real
    elif real.exists():
        raise UsageError(f"{path} is neither a file nor a folder", fix=f"rm {quote(str(path))}")


def _must_be_text(name: str, path: Path) -> None:
    try:
        name.encode()
    except UnicodeEncodeError:
        raise UsageError(f"the name {str(path)!r} is not in UTF-8", fix="rename it") from None


def _followed(root: Path, link: Path) -> Path:
    try:
        real = link.resolve(strict=True)
    except (OSError, RuntimeError):  # which of them a loop of links is depends on the Python
        raise UsageError(f"{link} is a link to nothing", fix=f"rm {quote(str(link))}") from None
    if not real.is_relative_to(root):
        raise UsageError(
            f"{link} is a link to {real}, which lies outside the being",
            fix="put what it points to in its place: a backup holds all of a being or is none",
        )
    return real


def _piece(name: str, path: Path) -> Piece:
    found = path.stat()
    mode = 0o600 | (found.st_mode & 0o155)
    return Piece(name, path, found.st_size, mode, max(0, int(found.st_mtime)))


def _of_self(name: str, path: Path) -> Piece:
    """What only grows by its size; the rest, if small, by its bytes."""
    piece = _piece(name, path)
    if name == "data/heads.jsonl":
        return replace(piece, size=_whole_lines(path, piece.size))
    if piece.size > SMALL or (name.startswith("data/memory/") and SEGMENT.fullmatch(path.name)):
        return piece
    text = path.read_bytes()
    return replace(piece, size=len(text), text=text)


def _whole_lines(path: Path, size: int) -> int:
    """Up to where a file consists of finished lines: its next writer may cut off the rest."""
    with path.open("rb") as file:
        start = file.seek(max(0, size - (1 << 12)))
        return start + file.read(size - start).rfind(b"\n") + 1
