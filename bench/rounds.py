"""Interleaved rounds and the table they end in: what is shared by every measurement here."""

from __future__ import annotations

import statistics
import sys
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Row:
    """One line of the table: something of ours beside something plain."""

    what: str
    ours: float
    against: str
    theirs: float
    least: float | None = None  # the ratio theirs / ours must reach: how much faster we are
    most: float | None = None  # or the ratio ours / theirs may not pass: how much slower

    @property
    def ratio(self) -> float:
        """How many times as fast we are; for a row with `most`, how many times as long we take."""
        return self.ours / self.theirs if self.most else self.theirs / self.ours

    @property
    def target(self) -> str:
        """The ratio the design asks for."""
        if self.most:
            return f"≤ {self.most:g} ×"
        return f"≥ {self.least:g} ×" if self.least else ""

    @property
    def verdict(self) -> str:
        """Whether the target is reached."""
        if self.most:
            return "yes" if self.ratio <= self.most else "NO"
        if self.least:
            return "yes" if self.ratio >= self.least else "NO"
        return ""


def interleaved(rounds: int, runs: Mapping[str, Callable[[], float]]) -> dict[str, float]:
    """The median of what each run returns, all of them taking turns: a slow minute hits each."""
    seen: dict[str, list[float]] = {name: [] for name in runs}
    for _ in range(rounds):
        for name, run in runs.items():
            seen[name].append(run())
    return {name: statistics.median(values) for name, values in seen.items()}


def timed(work: Callable[[], object]) -> float:
    """Seconds that something took."""
    began = time.perf_counter()
    work()
    return time.perf_counter() - began


def table(title: str, rows: list[Row]) -> str:
    """The rows, aligned."""
    cells = [("", "ours", "against", "theirs", "ratio", "target", "holds")]
    cells += [
        (r.what, _time(r.ours), r.against, _time(r.theirs), f"{r.ratio:.2f} ×", r.target, r.verdict)
        for r in rows
    ]
    widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
    right = (False, True, False, True, True, True, False)
    lines = [
        "  ".join(
            cell.rjust(width) if to_right else cell.ljust(width)
            for cell, width, to_right in zip(row, widths, right, strict=True)
        ).rstrip()
        for row in cells
    ]
    return "\n".join([title, *lines, ""])


def say(text: str) -> None:
    """Print now: a measurement takes a while."""
    sys.stdout.write(text + "\n")
    sys.stdout.flush()


def _time(seconds: float) -> str:
    return f"{seconds * 1000:.1f} ms" if seconds >= 0.01 else f"{seconds * 1e6:.1f} µs"
