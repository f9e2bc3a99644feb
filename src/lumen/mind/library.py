"""The model files kept on this host, each by a name, with its hash and what it says of itself.

`NAME.gguf` is the model, `NAME.json` what is known of it, written last: without it there is no such
model. Fetching one is in fetch.py, running one in substrates/llama.py.
"""

from __future__ import annotations

import hashlib
import os
import re
import shutil
from dataclasses import asdict, dataclass, fields, replace
from pathlib import Path
from typing import TYPE_CHECKING

from lumen.core.canon import dumps, loads
from lumen.core.errors import LumenError, NoSubstrate, UsageError, unreadable
from lumen.core.exclusive import exclusive

if TYPE_CHECKING:
    from lumen.mind import gguf

LONGEST_CONTEXT = 8192  # tokens: more would take memory for prompts that are never as long
WORKING_BYTES = 150 << 20  # of memory that running any model takes beside its weights

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,79}")


@dataclass(frozen=True, slots=True)
class ModelFile:
    """A model on file. `stamp` is the file's time and size when its hash was last seen to be right."""

    name: str
    title: str
    sha256: str
    size: int
    parameters: int
    context_tokens: int
    quantisation: str
    memory: int  # bytes it takes when it is loaded
    licence: str
    source: str
    stamp: str


@dataclass(frozen=True, slots=True)
class Library:
    """A folder of models."""

    folder: Path

    def models(self) -> list[ModelFile]:
        """Every model there is, by name."""
        found = (_noted(path) for path in sorted(self.folder.glob("[!.]*.json")))
        return [one for one in found if one is not None and self.path(one.name).is_file()]

    def get(self, name: str) -> ModelFile | None:
        """The model of a name, if there is one."""
        return next((one for one in self.models() if one.name == name), None)

    def path(self, name: str) -> Path:
        """Where the file of a model is."""
        return self.folder / f"{name}.gguf"

    def licence(self, name: str) -> Path:
        """Where the terms of a model are, if they came with it."""
        return self.folder / f"{name}.licence.txt"

    def add(self, file: Path, name: str) -> ModelFile:
        """Keep a file as a model: linked where that can be, else copied.

        Raises:
            UsageError: it is no model, or the name is taken.
        """
        from lumen.mind import gguf  # which takes as long to import as to list the models

        header = gguf.read(file)
        beside = self.folder / f".{must_be_name(name)}.added"
        with exclusive(beside):
            self._must_be_free(name)
            beside.unlink(missing_ok=True)
            try:
                _link_or_copy(file, beside)
                return self.keep(beside, name, header, source=str(file.absolute()))
            except OSError as error:
                what = f"{file} cannot be kept in {self.folder}: {unreadable(error)}"
                raise LumenError(what, fix="make room, or see that you may write there") from error
            finally:
                beside.unlink(missing_ok=True)

    def keep(
        self, whole: Path, name: str, header: gguf.Header, *, source: str, licence: str = ""
    ) -> ModelFile:
        """Take over a whole file that lies in the folder already."""
        reads = min(header.context_tokens or LONGEST_CONTEXT, LONGEST_CONTEXT)
        size = whole.stat().st_size
        found = ModelFile(
            name=name,
            title=header.title,
            sha256=digest(whole),
            size=size,
            parameters=header.parameters,
            context_tokens=reads,
            quantisation=header.quantisation,
            memory=size + reads * header.cache_bytes + WORKING_BYTES,
            licence=licence or header.licence,
            source=source,
            stamp=_stamp(whole),
        )
        whole.replace(self.path(name))
        self._note(found)
        return found

    def remove(self, name: str) -> ModelFile:
        """Keep a model no longer.

        Raises:
            UsageError: there is none of that name.
        """
        found = self.get(name)
        if found is None:
            raise UsageError(f"no model {name!r} is kept here", fix="lumen models list")
        for path in (self._notes(name), self.path(name), self.licence(name)):
            path.unlink(missing_ok=True)
        return found

    def verified(self, found: ModelFile, *, anew: bool = False) -> Path:
        """Where a model's file is, as the one it was; read through only when it was touched since.

        Raises:
            NoSubstrate: it is another file by now.
        """
        path = self.path(found.name)
        try:
            stamp = _stamp(path)
            if stamp == found.stamp and not anew:
                return path
            if digest(path) == found.sha256:
                if stamp != found.stamp:
                    self._note(replace(found, stamp=stamp))
                return path
        except OSError as error:
            raise NoSubstrate(f"{path} cannot be read: {unreadable(error)}") from error
        raise NoSubstrate(
            f"{path} is not the file that was kept as {found.name}: its hash is another",
            fix=f"lumen models remove {found.name}, then add or get it again",
        )

    def _must_be_free(self, name: str) -> None:
        if self.get(name) is not None:
            raise UsageError(
                f"there is a model {name!r} already",
                fix=f"lumen models add FILE --name ANOTHER, or lumen models remove {name}",
            )

    def _notes(self, name: str) -> Path:
        return self.folder / f"{name}.json"

    def _note(self, found: ModelFile) -> None:
        path = self._notes(found.name)
        beside = path.with_suffix(f".{os.getpid()}.new")
        beside.write_bytes(dumps(asdict(found)))
        beside.replace(path)


def must_be_name(name: str) -> str:
    """A name that a model can be kept by.

    Raises:
        UsageError: it cannot be one.
    """
    if not _NAME.fullmatch(name):
        raise UsageError(
            f"{name!r} is no name for a model: letters, digits, . _ and -", fix="--name NAME"
        )
    return name


def digest(path: Path) -> str:
    """The hash of a file's bytes."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _noted(path: Path) -> ModelFile | None:
    """What was noted of a model; notes that cannot be read are of none."""
    try:
        told = loads(path.read_bytes())
        found = ModelFile(**{field.name: told[field.name] for field in fields(ModelFile)})
        right = all(
            isinstance(getattr(found, f.name), int if f.type == "int" else str)
            for f in fields(ModelFile)
        )
    except (OSError, ValueError, TypeError, KeyError):
        return None
    return found if right and found.name == path.stem else None


def _stamp(path: Path) -> str:
    told = path.stat()
    return f"{told.st_size} {told.st_mtime_ns}"


def _link_or_copy(file: Path, to: Path) -> None:
    """A link takes no room; a file on another disk is copied."""
    try:
        os.link(file.resolve(), to)
    except OSError:
        shutil.copyfile(file, to)
