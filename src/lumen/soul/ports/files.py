"""How the files of a being stand, by their paths inside it ("data/soul.md"); anybody may look.

What the archive says of them is asked of `FileHistory`. What can change them is in self_files.py.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Protocol

FOLDER, LINK = b"\0folder", b"\0link "  # what stands at a path that is no file


class FilesOnDisk(Protocol):
    """How the files of a being stand."""

    def read(self, path: str) -> bytes | None:
        """The bytes of a file, or nothing when there is none.

        Raises:
            OSError: something is there that cannot be read as a file.
        """

    def standing(self, path: str) -> bytes | None:
        """What stands at a path: a file's bytes, or the mark of a folder or of a link; or nothing."""

    def stores(self) -> set[str]:
        """The files there are whose edits by hand have to be noticed."""

    def watched(self) -> dict[str, bytes]:
        """All that no skill may touch, as it stands: the self, the prompts, the settings, their folders."""

    def everything(self) -> Iterator[str]:
        """Every plain file of the being: no link is followed, no commit and no other being looked into."""

    def is_storage(self, path: str) -> bool:
        """Whether a file is where the log, its heads or what answers from it are kept."""

    def changed(self, path: str) -> float:
        """The moment, in seconds, up to which a file was written, moved or had its times set.

        Raises:
            OSError: there is none.
        """

    def written(self, path: str) -> float:
        """The moment, in seconds, at which a file says that it was written.

        Raises:
            OSError: there is none.
        """

    def aside(self, suffix: str) -> list[str]:
        """What was set aside under names that end so."""

    def read_aside(self, name: str, most: int) -> bytes | None:
        """What was set aside under a name; nothing where that is no file, or a larger one."""
