"""A being in one verified file, and back: taken while it talks, put in place whole or not at all.

The file is read back, unpacked and its archive verified before it gets its name. The private key
and the witness stay on their host. What belongs in a backup is snapshot.py's part, how the file
is spelled bundle.py's, who made it signature.py's; whether to live on from an older state is for
the author to say.
"""

from __future__ import annotations

import errno
import os
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from functools import partial
from hashlib import sha256
from pathlib import Path
from shlex import quote
from tempfile import mkdtemp

from lumen.core.data import BeingPaths, Head, Signed
from lumen.core.durable import settle
from lumen.core.errors import ArchiveError, Busy, Damaged, LumenError, NoSpace, Unproved, UsageError
from lumen.soul.archive.disk import FULL
from lumen.soul.backup.bundle import (
    SOUL,
    UNSIGNED_FORMAT,
    Manifest,
    Member,
    at_end,
    content,
    manifest_of,
    opened,
    signature_of,
    write,
)
from lumen.soul.backup.signature import doubt, sign
from lumen.soul.backup.snapshot import ChangedMeanwhile, Piece, is_kept, read, snapshot
from lumen.soul.checking.verify import Report, verify
from lumen.soul.trust.keys import Keyring

ATTEMPTS = 3
OTHER = "use another backup"

Tell = Callable[[int, int], None]  # bytes done, bytes in all
Progress = Callable[[str, int, int], None]  # and what is being done


@dataclass(frozen=True, slots=True)
class Source:
    """What is backed up: a being, the keys and witnesses of its host, and who it is said to be."""

    being: BeingPaths
    keyring: Keyring
    soul: str


@dataclass(frozen=True, slots=True)
class Packed:
    """A backup that was made or restored. `seen`: this host knows a later archive, or another.

    `doubt` says why it is not known who made it; empty when `key` counts and signed it.
    """

    soul: str
    count: int
    head: str
    verified: bool
    created: str
    files: int
    size: int
    notes: tuple[str, ...] = ()
    seen: Head | None = None
    key: str = ""
    doubt: str = ""


def pack(
    source: Source,
    file: Path,
    *,
    created: str,
    even_damaged: bool = False,
    progress: Progress = lambda *_: None,
) -> Packed:
    """Back a being up into a new file. Others may talk with it meanwhile.

    Raises:
        UsageError: the file exists or lies inside the being, or the being has a link out of it.
        Damaged: the archive does not verify, and `even_damaged` was not asked for.
        NoSpace: the disk is full; there is no file.
        Busy: the being kept changing under the copy.
    """
    source = replace(source, being=BeingPaths(source.being.root.resolve()))
    file = file.absolute()
    _must_be_new(file, source.being)
    report = _verify(source.being, source.keyring, source.soul)
    if report.problem and not even_damaged:
        raise _damaged(report, "lumen archive verify      or: lumen backup --even-damaged …")
    for _ in range(ATTEMPTS):
        with suppress(ChangedMeanwhile):
            return _pack(source, report, file, created, progress)
    raise Busy(f"the being changed under the copy {ATTEMPTS} times over", fix="try again")


def unpack(
    file: Path,
    folder: Path,
    keyring: Keyring,
    *,
    even_damaged: bool = False,
    progress: Progress = lambda *_: None,
) -> Packed:
    """Restore a backup into a folder that is new or empty: there it appears whole or not at all.

    Raises:
        UsageError: the file is no backup, or the folder holds something.
        Damaged: the backup is not what was packed, or its archive does not verify.
        Unproved: no key that counts signed it; one from before backups were signed is let pass.
        NoSpace: the disk is full.
    """
    file = file.absolute()
    if not file.is_file():
        raise UsageError(f"{file} is no file", fix="lumen restore-backup FILE DIR")
    folder = folder.resolve()
    _must_be_free(folder)
    with _folder_beside(folder) as fresh:
        manifest, signed = _extract(file, fresh, partial(progress, "restoring"))
        report, seen = _judge(BeingPaths(fresh), keyring, manifest.soul)
        unsure = doubt(manifest, signed, report, keyring)
        if not even_damaged:
            _must_be_true(report, manifest, file)
            _must_be_signed(manifest, unsure, file)
        for path in [*fresh.rglob("*"), fresh]:
            settle(path)
        _rename(fresh, folder)
    found = replace(_packed(manifest, signed, unsure), count=report.count, head=report.head)
    return replace(found, verified=report.ok and manifest.verified, seen=seen)


def _must_be_new(file: Path, being: BeingPaths) -> None:
    if os.path.lexists(file):
        raise _taken(file)
    if not file.parent.is_dir():
        raise UsageError(f"{file.parent} is no folder", fix=f"mkdir -p {quote(str(file.parent))}")
    if file.parent.resolve().is_relative_to(being.root):
        raise UsageError(
            f"{file} lies inside the being, and would be lost with it",
            fix="name a file outside of it, best on another disk",
        )


def _taken(file: Path) -> UsageError:
    return UsageError(f"{file} exists already, and is left as it is", fix="name a new file")


def _must_be_free(folder: Path) -> None:
    away = f"mv {quote(str(folder))} {quote(str(folder))}.before"
    if folder.exists() and not folder.is_dir():
        raise UsageError(f"{folder} is a file, not a folder", fix=away)
    if folder.is_dir() and any(folder.iterdir()):
        raise UsageError(f"{folder} holds something already, and is left as it is", fix=away)


def _must_be_true(report: Report, manifest: Manifest, file: Path) -> None:
    if report.problem:
        raise _damaged(report, f"{OTHER}      or: lumen restore-backup --even-damaged …")
    if (report.count, report.head) != (manifest.count, manifest.head):
        raise Damaged(f"{file} does not end at the event it says", fix=OTHER)


def _must_be_signed(manifest: Manifest, unsure: str, file: Path) -> None:
    if unsure and manifest.format != UNSIGNED_FORMAT:
        raise Unproved(
            f"{file} was not restored: {unsure}",
            fix=f"{OTHER}      or, if you know where it is from: lumen restore-backup --even-damaged …",
        )


def _pack(source: Source, report: Report, file: Path, created: str, progress: Progress) -> Packed:
    seen = snapshot(source.being, with_end=report.ok)
    end = (seen.end.seq, seen.end.event_hash) if seen.end else (report.count, report.head)
    told = _counted(partial(progress, "reading"), seen.size)
    members = tuple(_member(piece, told) for piece in seen.pieces)
    soul = report.soul if SOUL.fullmatch(report.soul) else ""
    manifest = Manifest(soul, *end, report.ok, created, members)
    signed = sign(manifest, source.keyring)
    pieces = {piece.name: piece for piece in seen.pieces}
    told = _counted(partial(progress, "packing"), seen.size)
    with _folder_beside(file) as beside:
        fresh, copy = beside / "packed", beside / "unpacked"
        with os.fdopen(_create(fresh, 0o600), "wb") as out:
            write(out, manifest, signed, lambda m: _same(read(pieces[m.path], told), m))
            out.flush()
            os.fsync(out.fileno())
        copy.mkdir()
        _extract(fresh, copy, partial(progress, "checking"))
        found = _verify(BeingPaths(copy), _nobody(copy), source.soul)
        if report.ok and (found.ok, found.count, found.head) != (True, *end):
            raise ChangedMeanwhile  # a text was erased under the copy: the next one holds the erasure too
        _give_name(fresh, file)
    unsure = doubt(manifest, signed, found, _nobody(file))
    return replace(_packed(manifest, signed, unsure), notes=seen.notes)


def _packed(manifest: Manifest, signed: Signed | None, unsure: str) -> Packed:
    return Packed(
        soul=manifest.soul,
        count=manifest.count,
        head=manifest.head,
        verified=manifest.verified,
        created=manifest.created,
        files=len(manifest.files),
        size=manifest.size,
        key=signed.key if signed else "",
        doubt=unsure,
    )


def _member(piece: Piece, told: Callable[[int], None]) -> Member:
    digest = sha256()
    for data in read(piece, told):
        digest.update(data)
    return Member(piece.name, piece.size, digest.hexdigest(), piece.mode, piece.mtime)


def _same(chunks: Iterator[bytes], member: Member) -> Iterator[bytes]:
    digest = sha256()
    for data in chunks:
        digest.update(data)
        yield data
    if digest.hexdigest() != member.sha256:
        raise ChangedMeanwhile


def _extract(file: Path, folder: Path, tell: Tell) -> tuple[Manifest, Signed | None]:
    """Unpack a backup into an empty folder of ours; every byte is compared with the manifest."""
    with opened(file) as plain:
        manifest = manifest_of(plain)
        signed = signature_of(plain, manifest)
        names = [member.path for member in manifest.files]
        if "lumen.toml" not in names or not all(map(is_kept, names)):
            raise Damaged(f"{file} holds what no being consists of", fix=OTHER)
        if manifest.size > shutil.disk_usage(folder).free:
            raise _full(folder)
        (folder / "data").mkdir(mode=0o700)  # nobody else's to read
        told = _counted(tell, manifest.size)
        for member in manifest.files:
            path = folder / member.path
            with os.fdopen(_create(path, member.mode), "wb") as out:
                for data in content(plain, member):
                    out.write(data)
                    told(len(data))
            os.utime(path, (member.mtime, member.mtime))
        at_end(plain)
    return manifest, signed


def _create(path: Path, mode: int) -> int:
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        return os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode)
    except (FileExistsError, NotADirectoryError, IsADirectoryError) as error:
        raise Damaged(f"the backup holds {path.name} twice", fix=OTHER) from error


def _verify(being: BeingPaths, keyring: Keyring, soul: str) -> Report:
    return verify(being, keyring, soul=soul, processes=os.cpu_count() or 1)


def _judge(being: BeingPaths, keyring: Keyring, soul: str) -> tuple[Report, Head | None]:
    """Whether the archive is true in itself, and this host's witness if it knows another one."""
    seen = keyring.witness(soul)
    report = _verify(being, keyring, soul)
    if report.ok or not seen:
        return report, None
    alone = _verify(being, _nobody(being.root), soul)
    return alone, seen if alone.ok else None


def _nobody(folder: Path) -> Keyring:
    """A host that has seen nothing."""
    return Keyring(folder / "nobody")


@contextmanager
def _folder_beside(place: Path) -> Iterator[Path]:
    """A new folder in the same folder, for its owner alone; gone afterwards, unless renamed."""
    missing = [parent for parent in place.parents if not parent.exists()]
    try:
        place.parent.mkdir(parents=True, exist_ok=True)
        fresh = Path(mkdtemp(prefix=".lumen-", suffix=".new", dir=place.parent))
    except OSError as error:
        raise _refused(error, place) from error
    try:
        yield fresh
    except OSError as error:
        if error.errno not in FULL:
            raise
        raise _full(place) from error
    finally:
        shutil.rmtree(fresh, ignore_errors=True)
        for parent in missing:
            with suppress(OSError):
                parent.rmdir()


def _give_name(fresh: Path, file: Path) -> None:
    """Name a finished file, never in place of another: so not by renaming."""
    try:
        os.link(fresh, file)
    except FileExistsError:
        raise _taken(file) from None
    except OSError:  # a disk without hard links, as memory sticks are
        _reserve(file)
        fresh.replace(file)
    settle(file.parent)


def _reserve(file: Path) -> None:
    try:
        os.close(os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600))
    except FileExistsError:
        raise _taken(file) from None


def _rename(fresh: Path, folder: Path) -> None:
    try:
        fresh.rename(folder)
    except OSError as error:
        if error.errno in (errno.ENOTEMPTY, errno.EEXIST):
            _must_be_free(folder)
        raise ArchiveError(
            f"{folder} cannot be replaced: {error.strerror}", fix="name a folder that is not there"
        ) from error
    settle(folder.parent)


def _counted(tell: Tell, total: int) -> Callable[[int], None]:
    done = 0

    def told(more: int) -> None:
        nonlocal done
        done += more
        tell(done, total)

    tell(0, total)
    return told


def _damaged(report: Report, fix: str) -> Damaged:
    found = report.problem
    what = f"event {found.seq:,} {found.what}" if found else ""
    return Damaged(f"the archive does not verify: {what}", fix=fix)


def _refused(error: OSError, path: Path) -> LumenError:
    if error.errno in FULL:
        return _full(path)
    what = f"nothing can be written to {path.parent}: {error.strerror}"
    return UsageError(what, fix=f"ls -ld {quote(str(path.parent))}")


def _full(path: Path) -> NoSpace:
    return NoSpace(f"the disk has no room for {path}, and nothing of it was kept", fix="make room")
