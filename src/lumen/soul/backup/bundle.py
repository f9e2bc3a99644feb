"""A backup file to the byte: a gzip'd tar whose manifest comes first and whose end seals the rest.

A bundle has one spelling. All that may follow the manifest is worked out from it and compared, so
a link, a path that comes twice or a member longer than said is never parsed, let alone carried
out; any tar program still reads the file. What belongs in a backup, and whether the archive in it
is true, is for pack.py to say. The seal shows accidents, the signature under the manifest a
forger; whose signature counts is for signature.py to say.
"""

from __future__ import annotations

import gzip
import re
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from hashlib import sha256
from pathlib import Path
from typing import BinaryIO

from lumen.core.canon import dumps, loads
from lumen.core.data import Signed
from lumen.core.errors import Damaged, UsageError
from lumen.soul.trust.keys import HEX

FORMAT = "lumen-backup/2"
UNSIGNED_FORMAT = "lumen-backup/1"  # of Lumen 0.4: the same without a signature
MANIFEST = "manifest.json"
SIGNATURE = "signature.json"
LONGEST_MANIFEST = 64 << 20
LARGEST_MEMBER = 0o77777777777  # what a tar header can say
LEVEL = 3  # half of each line is hashes: level 6 takes twice as long for a tenth less
CHUNK = 1 << 18
BLOCK = 512
GZIP = b"\x1f\x8b\x08"
# An empty gzip member behind the tar: unpackers pass over it, and its extra field holds the hash.
SEAL = GZIP + b"\x04\0\0\0\0\0\xff" + b"\x24\0LU\x20\0%b\x03\0" + bytes(8)
SEAL_SIZE = len(SEAL % bytes(32))
SOUL = re.compile(r"[0-9A-Z]{26}|")  # none where the archive has lost its beginning


@dataclass(frozen=True, slots=True)
class Member:
    """One file of a bundle."""

    path: str
    size: int
    sha256: str
    mode: int
    mtime: int


@dataclass(frozen=True, slots=True)
class Manifest:
    """What a bundle says it holds: whose archive, up to which event, and every file."""

    soul: str
    count: int
    head: str
    verified: bool
    created: str
    files: tuple[Member, ...]
    format: str = FORMAT

    @property
    def text(self) -> bytes:
        """The manifest's bytes, in its one spelling."""
        told = asdict(self)
        return dumps({"format": told.pop("format"), **told})

    @property
    def statement(self) -> bytes:
        """What the signature covers: the format, the soul and the hash of the manifest."""
        return f"{FORMAT}\n{self.soul}\n{sha256(self.text).hexdigest()}\n".encode()

    @property
    def size(self) -> int:
        """The bytes of all files together."""
        return sum(member.size for member in self.files)


def write(
    out: BinaryIO, manifest: Manifest, signed: Signed, read: Callable[[Member], Iterator[bytes]]
) -> None:
    """Write a bundle; `read` gives the bytes of each member, as many as its size says."""
    squeeze = zlib.compressobj(LEVEL, zlib.DEFLATED, 16 + zlib.MAX_WBITS)
    seal = sha256()
    for plain in _plain(manifest, signed, read):
        packed = squeeze.compress(plain)
        seal.update(packed)
        out.write(packed)
    packed = squeeze.flush()
    seal.update(packed)
    out.write(packed + SEAL % seal.digest())


@contextmanager
def opened(file: Path) -> Iterator[BinaryIO]:
    """The tar inside a bundle, to be read from its start with the four functions below.

    Raises:
        UsageError: the file is something else.
        Damaged: bytes are missing or changed.
    """
    with file.open("rb") as raw:
        if raw.read(len(GZIP)) != GZIP:
            raise UsageError(f"{file} is not a backup of a being", fix="name another file")
        if not _is_sealed(raw):
            raise _broken(f"{file} is cut off or was changed, or is no backup of a being")
        raw.seek(0)
        try:
            with gzip.GzipFile(fileobj=raw) as plain:
                yield plain  # type: ignore[misc]  # reads like any file, though it is not declared one
        except (gzip.BadGzipFile, EOFError, zlib.error) as error:
            raise _broken(f"{file} cannot be unpacked: {error}") from error


def manifest_of(plain: BinaryIO) -> Manifest:
    """The manifest, which comes first."""
    header = plain.read(BLOCK)
    size = header[124:135]
    length = int(size, 8) if re.fullmatch(rb"[0-7]{11}", size) else 0
    if header != _header(MANIFEST, length, 0o600, 0) or length > LONGEST_MANIFEST:
        raise UsageError("that is not a backup of a being: no manifest", fix="name another file")
    text = _exactly(plain, length)
    _expect(plain, _padding(length))
    try:
        found = loads(text)
        said = str(found["format"])
        if said not in (FORMAT, UNSIGNED_FORMAT):
            what = f"the backup is in the format {said}, not {FORMAT}"
            raise UsageError(what, fix="a newer lumen")
        files = tuple(Member(**told) for told in found["files"])
        manifest = Manifest(**{**found, "files": files})
        sound = _is_sound(manifest) and manifest.text == text
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise _broken(f"the manifest of the backup cannot be read ({error})") from error
    if not sound:
        raise _broken("the manifest of the backup does not say what it must")
    return manifest


def signature_of(plain: BinaryIO, manifest: Manifest) -> Signed | None:
    """The signature, which comes second; none in a backup of a version that did not sign.

    Whether it is good, and whose it is, is not asked here. Both parts are empty where the host
    that made the backup had no key.
    """
    if manifest.format == UNSIGNED_FORMAT:
        return None
    whole, none = _signature_text(Signed("0" * 64, "0" * 128)), _signature_text(Signed("", ""))
    header = _exactly(plain, BLOCK)
    for length in (len(whole), len(none)):
        if header == _header(SIGNATURE, length, 0o600, 0):
            text = _exactly(plain, length)
            _expect(plain, _padding(length))
            return _signed(text)
    raise _broken("the backup holds no signature where one must be")


def content(plain: BinaryIO, member: Member) -> Iterator[bytes]:
    """The bytes of the next member, which must be this one; its hash is checked at their end."""
    _expect(plain, _header(member.path, member.size, member.mode, member.mtime))
    digest = sha256()
    left = member.size
    while left:
        data = _exactly(plain, min(left, CHUNK))
        digest.update(data)
        left -= len(data)
        yield data
    if digest.hexdigest() != member.sha256:
        raise _broken(f"{member.path} in the backup is not what was packed")
    _expect(plain, _padding(member.size))


def at_end(plain: BinaryIO) -> None:
    """Make sure that nothing follows the last member."""
    _expect(plain, bytes(2 * BLOCK))
    if plain.read(1):
        raise _broken("the backup holds more than its manifest says")


def _plain(
    manifest: Manifest, signed: Signed, read: Callable[[Member], Iterator[bytes]]
) -> Iterator[bytes]:
    for name, text in ((MANIFEST, manifest.text), (SIGNATURE, _signature_text(signed))):
        yield _header(name, len(text), 0o600, 0) + text + _padding(len(text))
    for member in manifest.files:
        yield _header(member.path, member.size, member.mode, member.mtime)
        yield from read(member)
        yield _padding(member.size)
    yield bytes(2 * BLOCK)


def _signature_text(signed: Signed) -> bytes:
    return dumps({"key": signed.key, "signature": signed.signature})


def _signed(text: bytes) -> Signed:
    try:
        found = loads(text)
        signed = Signed(found["key"], found["signature"])
        if _signature_text(signed) == text and all(map(HEX.fullmatch, signed)):
            return signed
    except (ValueError, KeyError, TypeError):
        pass
    raise _broken("the signature of the backup cannot be read")


def _header(path: str, size: int, mode: int, mtime: int) -> bytes:
    """A POSIX tar header, spelled here: the standard library's differs between its versions."""
    name = path.encode()
    if len(name) <= 100:
        return _block(name, size, mode, mtime, b"0")
    record = b" path=%b\n" % name
    length = len(record) + len(str(len(record)))
    length = len(record) + len(str(length))  # the number counts its own digits
    record = b"%d%b" % (length, record)
    extended = _block(b"pax", len(record), mode, mtime, b"x") + record + _padding(len(record))
    return extended + _block(name[:100], size, mode, mtime, b"0")


def _block(name: bytes, size: int, mode: int, mtime: int, kind: bytes) -> bytes:
    nobody = b"0000000\0"
    start = name.ljust(100, b"\0") + b"%07o\0" % mode + nobody * 2 + b"%011o\0" % size
    start += b"%011o\0" % mtime
    end = kind + bytes(100) + b"ustar\00000" + bytes(64) + nobody * 2 + bytes(167)
    return start + b"%06o\0 " % (sum(start) + sum(end) + 8 * 32) + end


def _padding(size: int) -> bytes:
    return bytes(-size % BLOCK)


def _is_sound(manifest: Manifest) -> bool:
    kinds = (type(manifest.count), type(manifest.verified), type(manifest.created))
    known = kinds == (int, bool, str) and HEX.fullmatch(manifest.head) is not None
    return known and bool(SOUL.fullmatch(manifest.soul)) and all(map(_can_be, manifest.files))


def _can_be(member: Member) -> bool:
    inside = "\0" not in member.path and not {"", ".", ".."} & {*member.path.split("/")}
    numbers = (member.size, member.mtime, member.mode)
    measured = all(type(n) is int and 0 <= n <= LARGEST_MEMBER for n in numbers)
    return inside and measured and member.mode <= 0o777


def _is_sealed(raw: BinaryIO) -> bool:
    """Whether the last bytes hold the hash of all before them."""
    left = raw.seek(0, 2) - SEAL_SIZE
    raw.seek(0)
    digest = sha256()
    while left > 0 and (data := raw.read(min(left, CHUNK))):
        digest.update(data)
        left -= len(data)
    return left == 0 and raw.read() == SEAL % digest.digest()


def _exactly(plain: BinaryIO, size: int) -> bytes:
    data = plain.read(size)
    if len(data) != size:
        raise _broken("the backup holds less than its manifest says")
    return data


def _expect(plain: BinaryIO, wanted: bytes) -> None:
    if _exactly(plain, len(wanted)) != wanted:
        raise _broken("the backup holds something that its manifest does not say")


def _broken(what: str) -> Damaged:
    return Damaged(what, fix="use another backup")
