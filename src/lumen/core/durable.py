"""Files that last: written, and waited for until the disk has them."""

from __future__ import annotations

import os
from pathlib import Path


def save(path: Path, data: bytes, *, new: bool = False, mode: int = 0o644) -> None:
    """Write a file and wait until the disk has it; with `new`, only where there is none yet."""
    flags = os.O_WRONLY | os.O_CREAT | (os.O_EXCL if new else os.O_TRUNC)
    with os.fdopen(os.open(path, flags, mode), "wb") as file:
        file.write(data)
        file.flush()
        os.fsync(file.fileno())


def settle(path: Path) -> None:
    """Wait until the disk has a file, or the names in a folder."""
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
