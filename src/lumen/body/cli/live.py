"""One line of the terminal that says what goes on just now, and vanishes afterwards."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Mapping

from lumen.body.cli.common import is_terminal, one_line


class LiveLine:
    """Which steps have begun, in words; where nobody looks on, nothing."""

    def __init__(self, words: Mapping[str, str], first: str = "") -> None:
        self.words = words
        self.first = first
        self.shown: list[str] = []
        self.on = is_terminal(sys.stderr)

    def step(self, name: str) -> None:
        """A step began."""
        word = self.words.get(name)
        if self.on and word and word not in self.shown:
            self.shown.append(word)
            room = max(20, shutil.get_terminal_size().columns - 5)
            text = one_line(" · ".join(filter(None, [self.first, *self.shown])), room)
            sys.stderr.write(f"\r\x1b[2K  ⋯ {text}")
            sys.stderr.flush()

    def clear(self) -> None:
        """Take the line away."""
        if self.shown:
            sys.stderr.write("\r\x1b[2K")
            sys.stderr.flush()
            self.shown = []
