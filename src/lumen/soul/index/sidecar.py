"""The vectors of one set as files beside the database: every passage at a place of its own.

Bytes are written before the rows that tell of them are committed, so whoever is killed in between
leaves bytes that nobody refers to and the next one writes over. They are only ever written at a
position, never through a map. What the numbers in them mean is in scan.py.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from lumen.core.errors import LumenError
from lumen.soul.archive.disk import refusal

BLOCK, FEW = 8192, 64  # rows by which files grow, and small ones
WORD = 8  # bytes that are compared at once
VECTORS, SEQS, MARKS, SIGNS = "f32", "seqs", "marks", "signs"
FORMER = "bits"  # where signs were kept by the block: made again as SIGNS, and taken away


class Incomplete(LumenError):
    """Files that do not hold what the rows tell of."""


@dataclass(frozen=True, slots=True)
class VectorFiles:
    """The files of one set: of vectors of one size, begun under one token."""

    index: Path
    token: str
    size: int  # numbers in a vector

    @property
    def words(self) -> int:
        """Words that the signs of a vector fill."""
        return -(-self.size // (8 * WORD))

    def path(self, kind: str) -> Path:
        """Where the vectors, events, marks or bits are."""
        return Path(f"{self.index}-{self.token}.{kind}")

    def width(self, kind: str) -> int:
        """The bytes of one row."""
        return {VECTORS: 4 * self.size, SEQS: 8, MARKS: 4, SIGNS: WORD * self.words}[kind]

    def room(self, kind: str, rows: int) -> int:
        """How long a file is that holds so many rows: it grows in steps, so that maps last."""
        step = BLOCK if rows > BLOCK else FEW
        return -(-rows // step) * step * self.width(kind)

    def hold(self, rows: int, *, signs: bool) -> bool:
        """Whether every file is there and long enough; asked several times in every search."""
        kinds = (VECTORS, SEQS, MARKS, *([SIGNS] if signs else []))
        beginning = f"{self.index}-{self.token}."  # to make a Path takes longer than to ask for it
        try:
            return all(os.stat(beginning + k).st_size >= self.room(k, rows) for k in kinds)  # noqa: PTH116
        except FileNotFoundError:
            return False

    def write(self, place: int, rows: int, parts: dict[str, bytes]) -> None:
        """Put so many rows at a place; what was there before nobody referred to.

        Raises:
            Incomplete: the rows before them are not there.
            NoSpace: the disk is full; nothing refers to what was written.
        """
        for kind, data in parts.items():
            with self._open(kind, place, place + rows) as file:
                _put(file, data, place * self.width(kind))

    def blank(self, places: Iterable[int]) -> None:
        """Let nothing of some rows be left, in no file."""
        wanted = list(places)
        self.path(FORMER).unlink(missing_ok=True)
        for kind in (VECTORS, SEQS, MARKS, SIGNS):
            if wanted and self.path(kind).exists():
                with self._open(kind, 0, 0) as file:
                    end, width = os.fstat(file).st_size, self.width(kind)
                    for offset in (place * width for place in wanted):
                        if offset < end:  # a file that lost its end is not made to look whole
                            _put(file, bytes(width), offset)

    @contextmanager
    def _open(self, kind: str, before: int, rows: int) -> Iterator[int]:
        """A file with room for so many rows, of which those before were written already."""
        path = self.path(kind)
        try:
            file = os.open(path, os.O_RDWR | (0 if before else os.O_CREAT), 0o600)
        except FileNotFoundError as error:
            raise Incomplete(f"{path} is not there") from error
        except OSError as error:
            raise refusal(error, path) from error
        try:
            there = os.fstat(file).st_size
            if there < self.room(kind, before):
                raise Incomplete(f"{path} is too short")
            if there < self.room(kind, rows):
                os.ftruncate(file, self.room(kind, rows))
            yield file
        except OSError as error:
            raise refusal(error, path) from error
        finally:
            os.close(file)


def drop(index: Path, but: Sequence[str] = ()) -> None:
    """Take the files of every set away, but of those that were begun under some tokens."""
    for path in index.parent.glob(f"{index.name}-v*.*"):
        if not path.name.startswith(tuple(f"{index.name}-{token}." for token in but)):
            path.unlink(missing_ok=True)


def _put(file: int, data: bytes, offset: int) -> None:
    view = memoryview(data)
    while view:
        done = os.pwrite(file, view, offset)
        view, offset = view[done:], offset + done
