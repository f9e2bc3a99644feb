"""The files of a being in its folder: looked at, replaced whole, put back, and bytes set aside."""

from __future__ import annotations

import errno
import os
import re
import stat
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from lumen.core.data import BeingPaths
from lumen.core.durable import save
from lumen.core.stores import YEAR, Store, is_looked_at, is_theirs
from lumen.soul.archive.disk import put_in_place, refusal, staged
from lumen.soul.ports.files import FOLDER, LINK, FilesOnDisk

STAGED = re.compile(r"\..+\.[0-9]+\.new")


@dataclass(frozen=True, slots=True)
class BeingFiles(FilesOnDisk):
    """The files in one being's folder."""

    being: BeingPaths

    def read(self, path: str) -> bytes | None:
        at = self.being.at(path)
        try:
            if not stat.S_ISREG(at.stat().st_mode):  # a pipe would never end
                raise OSError(errno.EINVAL, "it is no file", str(at))
            home = os.path.realpath(self.being.root)
            if not is_theirs(path) and not Path(os.path.realpath(at)).is_relative_to(home):
                raise OSError(errno.ELOOP, "it is a link that leads out of the being", str(at))
            return at.read_bytes()
        except (FileNotFoundError, NotADirectoryError):
            return None

    def standing(self, path: str) -> bytes | None:
        at = self.being.at(path)
        if at.is_symlink():
            return LINK + os.fsencode(at.readlink())
        if at.is_file():
            return at.read_bytes()
        return FOLDER if at.exists() else None  # a pipe is no more of a file than a folder is

    def stores(self) -> set[str]:
        places = (store.place.path.replace(YEAR, "*") for store in Store if store.place.path)
        found = {self.being.named(path) for place in places for path in self.being.root.glob(place)}
        return {path for path in found if is_looked_at(path) and self.being.at(path).is_file()}

    def watched(self) -> dict[str, bytes]:
        being = self.being
        guarded = [
            s.place.path for s in Store if is_looked_at(s.place.file()) or is_theirs(s.place.path)
        ]
        above = {str(PurePosixPath(path).parent) for path in guarded} - {".", "data"}
        fixed = {*(p for p in guarded if YEAR not in p), *above, being.named(being.prompts)}
        found = fixed | self.stores() | {being.named(p) for p in being.prompts.rglob("*")}
        return {path: kind for path in sorted(found) if (kind := self.standing(path)) is not None}

    def everything(self) -> Iterator[str]:
        for folder, below, names in os.walk(self.being.root):
            below[:] = sorted(n for n in below if n != ".git" and not _is_anothers(Path(folder, n)))
            for name in names:
                path = Path(folder, name)
                if path.is_file() and not path.is_symlink():
                    yield self.being.named(path)

    def is_storage(self, path: str) -> bool:
        """Whether a file is of the archive, the heads or the index; what was set aside is not."""
        being, at = self.being, self.being.at(path)
        line = at.is_relative_to(being.memory) and "quarantine" not in at.parts
        index = at.parent == being.index.parent and at.name.startswith(being.index.stem)
        return line or index or at == being.heads

    def changed(self, path: str) -> float:
        """When a file was last written, moved or had its times set: a skill may set the one time."""
        found = self.being.at(path).stat()
        return max(found.st_mtime, found.st_ctime)

    def written(self, path: str) -> float:
        return self.being.at(path).stat().st_mtime

    def scaffold(self, files: Mapping[str, str]) -> None:
        """Lay out new files; one that exists already is left as it is."""
        being = self.being
        try:
            being.data.mkdir(parents=True, exist_ok=True, mode=0o700)  # nobody else's to read
            being.memory.mkdir(parents=True, exist_ok=True)
            for path, text in files.items():
                at = being.at(path)
                at.parent.mkdir(parents=True, exist_ok=True)
                with suppress(FileExistsError):
                    save(at, text.encode(), new=True)
        except OSError as error:
            raise refusal(error, being.root) from error

    def put(self, path: str, data: bytes | None) -> None:
        """Replace a file whole, or take it away."""
        at = self.being.at(path)
        with staged({at: data}) as fresh:
            put_in_place(fresh[at], at)

    def put_back(self, path: str, wanted: bytes | None) -> None:
        """Let a path hold again what stood there, whatever stands there now; a folder is set aside."""
        at, quarantine = self.being.at(path), self.being.quarantine
        try:
            if at.is_dir() and not at.is_symlink():
                if wanted != FOLDER:
                    quarantine.mkdir(exist_ok=True)
                    at.rename(quarantine / f"{at.name}-{os.urandom(4).hex()}")
            elif wanted is None or wanted.startswith((FOLDER, LINK)) or at.is_symlink():
                at.unlink(missing_ok=True)  # whatever it is: its bytes are set aside
            if wanted == FOLDER:
                at.mkdir(exist_ok=True)
            elif wanted is not None and wanted.startswith(LINK):
                at.symlink_to(os.fsdecode(wanted.removeprefix(LINK)))
            else:
                self.put(path, wanted)
        except OSError as error:
            raise refusal(error, at) from error

    def drop_empty(self, path: str) -> None:
        """Take away the folders above a path that hold nothing any more; never one at the top."""
        root, folder = self.being.root, self.being.at(path).parent
        while folder.parent != root and folder.is_relative_to(root):
            try:
                folder.rmdir()
            except OSError:
                return
            folder = folder.parent

    def drop_staged(self) -> None:
        """Take away what commits that were cut off laid beside the files they were for."""
        places = {s.place.path.replace(YEAR, "[0-9]" * 4) for s in Store if s.place.path}
        beside = {str(PurePosixPath(path).with_name(".*.new")) for path in places}
        found = {path for pattern in beside for path in self.being.root.glob(pattern)}
        for path in sorted(path for path in found if STAGED.fullmatch(path.name)):
            path.unlink(missing_ok=True)

    def set_aside(self, name: str, data: bytes) -> str:
        """Keep bytes that were found where they should not be; returns the path they are kept at."""
        kept = self.being.quarantine / name
        try:
            if not kept.parent.is_dir():
                kept.parent.unlink(missing_ok=True)  # no folder, so nothing was ever kept there
            kept.parent.mkdir(exist_ok=True)
            save(kept, data)
        except OSError as error:
            raise refusal(error, kept) from error
        return self.being.named(kept)

    def aside(self, suffix: str) -> list[str]:
        return sorted(path.name for path in self.being.quarantine.glob(f"*{suffix}"))

    def read_aside(self, name: str, most: int) -> bytes | None:
        path = self.being.quarantine / name
        if path.is_symlink() or not path.is_file() or path.stat().st_size > most:
            return None
        return path.read_bytes()

    def drop_aside(self, path: str) -> None:
        """Take away what was set aside, by the path it is kept at."""
        self.being.at(path).unlink(missing_ok=True)


def _is_anothers(folder: Path) -> bool:
    """Whether a folder is another being's, or where a host keeps keys and witnesses."""
    keys = all((folder / name).is_dir() for name in ("keys", "author", "witness"))
    return keys or BeingPaths(folder).is_being
