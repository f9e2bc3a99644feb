"""The high-water mark: up to which line this host wrote the archive, kept outside the being.

A record of fixed size, written over in place under the archive's lock before every append and
flushed by nobody: it is there after a kill, so that every line this host wrote is known to be its
own, signed or not. After a power cut it may be behind. It holds where the chain will end and where
it ended before, as the append itself may be cut off.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import NamedTuple

from lumen.core.data import Head
from lumen.core.errors import Estranged
from lumen.soul.archive.disk import refusal
from lumen.soul.archive.line import GENESIS_PARENT

DECIDE = (
    "look at them: lumen memory; if they are true: lumen archive accept-tail; "
    "if not: lumen archive cut-tail"
)
RECORD = re.compile(rb"([0-9]{20}) ([0-9a-f]{64}) ([0-9]{20}) ([0-9a-f]{64})\n")


class KnownPlace(NamedTuple):
    """An event of the chain as this host knows it."""

    seq: int
    event_hash: str


class Mark(NamedTuple):
    """Where the chain ends, and where it ended before the last append."""

    seq: int = 0
    event_hash: str = GENESIS_PARENT
    before: int = 0
    before_hash: str = GENESIS_PARENT

    def knows(self, seq: int, event_hash: str) -> bool:
        """Whether a chain that ends so is this host's own work."""
        return (seq, event_hash) in known_places(self)

    def leaves_off(self, first: int, last: int) -> bool:
        """Whether some events at the end are of an append of this host's that was cut off."""
        return first - 1 == self.before and last < self.seq


def known_places(mark: Mark | None, seen: Head | None = None) -> list[KnownPlace]:
    """Where this host knows the chain: its end, where it ended before, and the head it has seen."""
    mark = mark or Mark()
    places = [KnownPlace(mark.seq, mark.event_hash), KnownPlace(mark.before, mark.before_hash)]
    return [*places, KnownPlace(seen.seq, seen.event_hash)] if seen else places


def own_up_to(places: Iterable[KnownPlace], hash_of: Callable[[int], str | None]) -> int:
    """Up to which event a chain, of which the hashes are asked, is this host's own work."""
    return max((seq for seq, known in places if hash_of(seq) == known), default=0)


def read_mark(path: Path) -> Mark | None:
    """The mark that a file holds; nothing where there is none, or one nobody can read."""
    return _parse(_stored(path))


def _stored(path: Path) -> bytes:
    try:
        with path.open("rb") as file:
            return file.read(RECORD_SIZE + 1)
    except OSError:
        return b""


def _parse(raw: bytes) -> Mark | None:
    found = RECORD.fullmatch(raw)
    if not found:
        return None
    return Mark(int(found[1]), found[2].decode(), int(found[3]), found[4].decode())


RECORD_SIZE = 20 + 1 + 64 + 1 + 20 + 1 + 64 + 1


def not_ours(seq: int) -> Estranged:
    """The refusal to build upon a line that others put at the end of the archive."""
    return Estranged(
        f"event {seq}, at the end of the archive, was not written there by this host",
        fix=DECIDE,
    )


class MarkFile:
    """The open file of a mark."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._file = -1

    def close(self) -> None:
        """Let go of the file."""
        if self._file >= 0:
            os.close(self._file)
        self._file = -1

    def must_know(self, seq: int, event_hash: str) -> None:
        """See that a chain which ends so is this host's own work, where it keeps a mark at all.

        Raises:
            Estranged: somebody else put lines there.
        """
        raw = os.pread(self._file, RECORD_SIZE + 1, 0) if self._file >= 0 else _stored(self._path)
        known = b"%020d %b" % (seq, event_hash.encode())
        if len(raw) == RECORD_SIZE and raw.startswith(known):
            return  # by far the most: another process of this host wrote last
        mark = _parse(raw)
        if mark and not mark.knows(seq, event_hash):
            raise not_ours(seq)

    def write(self, mark: Mark) -> None:
        """Put another mark in place, in one write.

        Raises:
            ArchiveError: it cannot be kept; nothing may be appended then.
        """
        record = b"%020d %b %020d %b\n" % (
            mark.seq,
            mark.event_hash.encode(),
            mark.before,
            mark.before_hash.encode(),
        )
        try:
            if self._file < 0:
                self._path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
                self._file = os.open(self._path, os.O_RDWR | os.O_CREAT, 0o600)
            os.pwrite(self._file, record, 0)
        except OSError as error:
            raise refusal(error, self._path) from error
