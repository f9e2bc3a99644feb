"""What goes on just now: one line of the terminal that is written over; in a log, a line now and then."""

from __future__ import annotations

import os
import sys
import threading
import time
from collections.abc import Mapping
from typing import Self

from lumen.body.cli.terminal import columns, is_terminal, note, one_line

WAITS_S = 3.0  # what takes longer is told of in a log
BETWEEN_S = 5.0  # lines in a log
ERASE = "\r\x1b[2K"


class Overwritten:
    """A line on stderr, gone when it is over; in a log, lines unless LUMEN_QUIET asks for none."""

    def __init__(self) -> None:
        self.live = is_terminal(sys.stderr)
        self.logged = not self.live and not os.environ.get("LUMEN_QUIET")
        self.shown = False

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_problem: object) -> None:
        self.clear()

    def write(self, text: str) -> None:
        """Write it over what stood there."""
        self._put(f"{ERASE}  ⋯ {one_line(text, max(20, columns(sys.stderr) - 5))}")
        self.shown = True

    def clear(self) -> None:
        """Take the line away."""
        if self.shown:
            self._put(ERASE)
        self.shown = False

    def _put(self, text: str) -> None:
        sys.stderr.write(text)
        sys.stderr.flush()


class Bar(Overwritten):
    """How far a long task is."""

    def __init__(self, what: str = "") -> None:
        super().__init__()
        self.what = what
        self.due = time.monotonic() + (1 if self.live else WAITS_S)

    def __call__(self, done: int, total: int) -> None:
        """Tell how much is done; nothing is shown of what takes no longer than a moment."""
        now = time.monotonic()
        if now < self.due:
            return
        self.due = now + (0.1 if self.live else BETWEEN_S)
        share = f"{min(100, 100 * done // max(1, total))} %"
        if self.live:
            self.write(f"{self.what} · {share}")
        elif self.logged:
            note(f"{self.what}: {share}")

    def report(self, what: str, done: int, total: int) -> None:
        """The same, when what is being done changes on the way."""
        self.what = what
        self(done, total)


class Steps(Overwritten):
    """Which steps have begun, in words; in a log one line, once somebody has waited for long.

    `first` stands before them. Where it is said, a log has lines enough and is told nothing.
    """

    def __init__(self, words: Mapping[str, str], first: str = "") -> None:
        super().__init__()
        self.words = words
        self.first = first
        self.begun: list[str] = []
        self.patience = threading.Timer(WAITS_S, self._still)
        self.patience.daemon = True
        if self.logged and not first:
            self.patience.start()

    def step(self, name: str) -> None:
        """A step began."""
        word = self.words.get(name)
        if word and word not in self.begun:
            self.begun.append(word)
            if self.live:
                self.write(" · ".join(filter(None, [self.first, *self.begun])))

    def clear(self) -> None:
        """Take the line away; nothing is waited for any more."""
        super().clear()
        self.patience.cancel()
        self.begun = []

    def _still(self) -> None:
        note(f"{self.begun[-1] if self.begun else 'getting ready'} …")
