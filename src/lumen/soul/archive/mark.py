"""The high-water mark: up to which line this host wrote the archive, kept outside the being.

A record of fixed size, written over in place under the archive's lock before every append and
flushed by nobody: it is there after a kill, so that every line this host wrote is known to be its
own, signed or not. After a power cut it may be behind. It holds where the chain will end and where
it ended before, as the append itself may be cut off. A keyed hash shows that this host wrote it: it
is made before every append, where a signature would take longer than the append itself.
"""

from __future__ import annotations

import hmac
import os
import re
from collections.abc import Callable, Iterable
from hashlib import blake2b
from pathlib import Path
from typing import NamedTuple

from lumen.core.data import Head
from lumen.core.errors import Damaged, Estranged
from lumen.soul.archive.disk import refusal
from lumen.soul.archive.line import GENESIS_PARENT

DECIDE = (
    "look at them: lumen memory; if they are true: lumen archive accept-tail; "
    "if not: lumen archive cut-tail"
)
RECORD = re.compile(rb"(([0-9]{20}) ([0-9a-f]{64}) ([0-9]{20}) ([0-9a-f]{64})) [0-9a-f]{64}\n")
PLACES = 20 + 1 + 64 + 1 + 20 + 1 + 64  # bytes
RECORD_SIZE = PLACES + 1 + 64 + 1
UNKEYED = re.compile(rb"[0-9]{20} [0-9a-f]{64} [0-9]{20} [0-9a-f]{64}\n")  # as they once were
PURPOSE = b"lumen-mark/1"


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


def read_mark(path: Path, key: bytes) -> Mark | None:
    """The mark that a file holds; nothing where there is none, or one nobody can read.

    Raises:
        Damaged: it was not written under that key.
    """
    found = RECORD.fullmatch(_stored(path))
    if not found:
        return None
    if not _is_made_with(key, found):
        raise Damaged(
            f"the mark {path}, up to where this host wrote the archive, was forged or edited: "
            "this host's key did not make it",
            fix="find out who changed it, then move it away: the signed heads say what counts",
        )
    return _parse(found)


def is_unkeyed(path: Path) -> bool:
    """Whether a file holds a mark of old, which anybody could have written."""
    return UNKEYED.fullmatch(_stored(path)) is not None


def _stored(path: Path) -> bytes:
    try:
        with path.open("rb") as file:
            return file.read(RECORD_SIZE + 1)
    except OSError:
        return b""


def _parse(found: re.Match[bytes]) -> Mark:
    return Mark(int(found[2]), found[3].decode(), int(found[4]), found[5].decode())


def _record(key: bytes, places: bytes) -> bytes:
    seal = blake2b(places, digest_size=32, key=key, person=PURPOSE)
    return b"%b %b\n" % (places, seal.hexdigest().encode())


def _is_made_with(key: bytes, found: re.Match[bytes]) -> bool:
    return bool(key) and hmac.compare_digest(_record(key, found[1]), found[0])


def not_ours(seq: int) -> Estranged:
    """The refusal to build upon a line that others put at the end of the archive."""
    return Estranged(
        f"event {seq}, at the end of the archive, was not written there by this host",
        fix=DECIDE,
    )


class MarkFile:
    """The open file of a mark. `key_now` gives the key that marks are made with, or none."""

    def __init__(self, path: Path, key_now: Callable[[], bytes]) -> None:
        self._path = path
        self._file = -1
        self._key_now = key_now
        self._key = b""

    def close(self) -> None:
        """Let go of the file."""
        if self._file >= 0:
            os.close(self._file)
        self._file = -1

    def renew_key(self) -> None:
        """Make and check marks with the key this host has now."""
        self._key = self._key_now()

    def must_know(self, seq: int, event_hash: str) -> None:
        """See that a chain which ends so is this host's own work.

        Whoever has written a mark finds one there. Before that, what the mark is worth is for
        witness.py to say: there may be none, or one made with a key that is gone.

        Raises:
            Estranged: somebody else put lines there.
        """
        written = self._file >= 0
        raw = os.pread(self._file, RECORD_SIZE + 1, 0) if written else _stored(self._path)
        known = b"%020d %b" % (seq, event_hash.encode())
        if self._key and raw.startswith(known) and raw == _record(self._key, raw[:PLACES]):
            return  # by far the most: another process of this host wrote last
        found = RECORD.fullmatch(raw)
        made = found is not None and self._made(found)
        if (written and not made) or (found and made and not _parse(found).knows(seq, event_hash)):
            raise not_ours(seq)

    def _made(self, found: re.Match[bytes]) -> bool:
        if _is_made_with(self._key, found):
            return True
        self.renew_key()  # another process may have got this host a new one
        return _is_made_with(self._key, found)

    def write(self, mark: Mark) -> None:
        """Put another mark in place, in one write; a host without a key makes none.

        Raises:
            ArchiveError: it cannot be kept; nothing may be appended then.
        """
        if not self._key:
            self.renew_key()
        if not self._key:
            return
        places = b"%020d %b %020d %b" % (
            mark.seq,
            mark.event_hash.encode(),
            mark.before,
            mark.before_hash.encode(),
        )
        record = _record(self._key, places)
        try:
            if self._file < 0:
                self._path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
                self._file = os.open(self._path, os.O_RDWR | os.O_CREAT, 0o600)
            os.pwrite(self._file, record, 0)
        except OSError as error:
            raise refusal(error, self._path) from error
