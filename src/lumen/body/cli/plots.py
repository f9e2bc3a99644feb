"""Weights over time as block characters: pure text that fits a terminal of 80 columns."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from datetime import datetime, timedelta
from typing import Protocol

from lumen.core.clock import parse_stamp

HEIGHT = 3
BLOCKS = " ▁▂▃▄▅▆▇█"
MARKS = {"todo": "○", "working": "●", "done": "✓", "perpetual": "∞", "gone": "×"}
CHANGED = "┴"
LEFT = 5  # columns before the plot: a label and the axis
Paint = Callable[[str, str], str]  # some blocks, in the colour of how it stood


class Plotted(Protocol):
    """What is plotted: from a moment on, a weight (none: it was gone) and how it stood."""

    @property
    def timestamp(self) -> str:
        """From when on."""
        ...

    @property
    def weight(self) -> float | None:
        """What it weighed."""
        ...

    @property
    def status(self) -> str:
        """How it stood."""
        ...


def plain(text: str, _status: str) -> str:
    """No colour."""
    return text


def plot(
    points: Sequence[Plotted], start: datetime, end: datetime, width: int, paint: Paint = plain
) -> Iterator[str]:
    """A weight between two moments: rows of blocks, an axis marked where it changed, the dates."""
    columns = max(10, width - LEFT)
    states = list(_states(points, start, end, columns))
    for row in range(HEIGHT):
        label = "1.0 ┤" if row == 0 else "    │"
        cells = [(_cell(p, HEIGHT - 1 - row), p.status if p else "") for p in states]
        yield (label + _painted(cells, paint)).rstrip()
    yield "0.0 └" + _axis(points, start, end, columns)
    yield " " * LEFT + _dates(start, end, columns)


def _states(
    points: Sequence[Plotted], start: datetime, end: datetime, columns: int
) -> Iterator[Plotted | None]:
    """How it stood at the end of each column; the last one is how it stands now."""
    moments = [parse_stamp(p.timestamp) for p in points]
    for column in range(1, columns + 1):
        until = end if column == columns else start + (end - start) * (column / columns)
        known = [p for p, moment in zip(points, moments, strict=True) if moment <= until]
        yield known[-1] if known else None


def _cell(point: Plotted | None, level: int) -> str:
    """The part of a bar that lies in a row; any weight at all shows as a line."""
    if point is None or point.weight is None:
        return " "
    eighths = max(1, round(point.weight * HEIGHT * 8))
    return BLOCKS[max(0, min(8, eighths - 8 * level))]


def _painted(cells: Sequence[tuple[str, str]], paint: Paint) -> str:
    """Cells with runs of one colour painted together."""
    text, run, last = "", "", ""
    for cell, status in [*cells, ("", "\x00")]:
        if status != last:
            text += paint(run, last) if run.strip() else run
            run, last = "", status
        run += cell
    return text


def _axis(points: Sequence[Plotted], start: datetime, end: datetime, columns: int) -> str:
    """The axis, with a mark in the column of each change: how a goal stood, or only that."""
    cells = ["─"] * columns
    span = (end - start) / timedelta(seconds=1)
    before = ""
    for point in points:
        passed = (parse_stamp(point.timestamp) - start) / timedelta(seconds=1)
        at = min(columns - 1, max(0, int(columns * passed / span) if span > 0 else 0))
        mark = MARKS.get(point.status) if point.status != before else None
        cells[at] = mark or (CHANGED if cells[at] == "─" else cells[at])
        before = point.status
    return "".join(cells)


def _dates(start: datetime, end: datetime, columns: int) -> str:
    """The moments at both ends and in the middle, as far as they differ."""
    days = (end - start).days
    shape = "%H:%M" if days < 1 else "%d %b" if days < 300 else "%b %Y"
    moments = [f"{m:{shape}}" for m in (start, start + (end - start) / 2, end)]
    first, middle, last = (m.lstrip("0") if days >= 1 else m for m in moments)
    if first == last:
        return f"{start:%d %b %H:%M}".lstrip("0")
    inner = middle if middle not in (first, last) else ""
    at = max(0, columns // 2 - len(first) - len(inner) // 2)
    text = f"{first}{'':<{at}}{inner}"
    return f"{text}{last:>{columns - len(text)}}"
