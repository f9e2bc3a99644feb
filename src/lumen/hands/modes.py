"""What a skill leaves behind runs with nobody else's rights: no setuid, no setgid.

Looks only at folders that were granted for writing. A link is not followed: what it points to was
granted by itself, or is out of the skill's reach.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

BORROWED = stat.S_ISUID | stat.S_ISGID


def strip_borrowed_rights(folders: Iterable[Path]) -> None:
    """Take setuid and setgid off every file in these folders; what is not ours to change stays."""
    for folder in folders:
        for where, _, names in os.walk(folder):
            for name in names:
                with suppress(OSError):
                    _strip(Path(where, name))


def _strip(path: Path) -> None:
    # A handle that needs no right to read, and never that of a link which took the file's place.
    handle = os.open(path, os.O_PATH | os.O_NOFOLLOW)
    try:
        mode = os.fstat(handle).st_mode
        if stat.S_ISREG(mode) and mode & BORROWED:
            Path(f"/proc/self/fd/{handle}").chmod(stat.S_IMODE(mode) & ~BORROWED)
    finally:
        os.close(handle)
