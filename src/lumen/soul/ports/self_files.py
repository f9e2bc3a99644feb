"""The files of a being, to be changed: only the gate is given these.

What is changed follows from an event that is archived already, or leaves the being as it was.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol

from lumen.soul.ports.files import FilesOnDisk


class SelfFiles(FilesOnDisk, Protocol):
    """Files as they stand, replaced whole or not at all, and what is set aside from them."""

    def scaffold(self, files: Mapping[str, str]) -> None:
        """Lay out new files; one that exists already is left as it is."""

    def put(self, path: str, data: bytes | None) -> None:
        """Replace a file whole, durably, or take it away: a reader sees the old text or the new one."""

    def put_back(self, path: str, wanted: bytes | None) -> None:
        """Let a path hold again what stood there, whatever stands there now."""

    def drop_empty(self, path: str) -> None:
        """Take away the folders above a path that hold nothing any more; never one at the top."""

    def drop_staged(self) -> None:
        """Take away what commits that were cut off laid beside the files they were for."""

    def set_aside(self, name: str, data: bytes) -> str:
        """Keep bytes that were found where they should not be; returns the path they are kept at."""

    def drop_aside(self, path: str) -> None:
        """Take away what was set aside, by the path it is kept at."""
