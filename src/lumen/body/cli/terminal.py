"""What is printed, and how wide: results on stdout, all else on stderr; columns that line up."""

from __future__ import annotations

import json
import os
import re
import sys
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict
from datetime import datetime
from typing import TextIO

import click

from lumen.app.words import counted
from lumen.core.canon import JSON, printable, printable_json
from lumen.core.clock import parse_stamp

WORD = re.compile(r"[a-z]+(?:[-'’][a-z]+)*")
ENDLESS = 10_000  # columns, where there is no terminal
LEAST_ROOM = 20  # columns in which lines of words can be read


def say(text: str = "") -> None:
    """Print a result; nothing in it can move the cursor."""
    click.echo(printable(text))


def print_json(value: JSON) -> None:
    """Print a value as a line of JSON that is safe to show."""
    try:
        line = printable_json(value)
    except TypeError:  # a path that is no UTF-8; here its bytes are escaped
        line = json.dumps(value, default=asdict)
    click.echo(line)


def note(text: str) -> None:
    """Tell progress or a repair, beside the result."""
    click.echo(printable(text), err=True)


def sentence(text: str) -> str:
    """Text with a capital where it begins with a word; a file, a model or an option keeps its name."""
    first = text.partition(" ")[0].rstrip(":;,")
    return text[:1].upper() + text[1:] if WORD.fullmatch(first) else text


def note_fixes(fixes: Iterable[str]) -> None:
    """Tell what to try, each once."""
    for fix in dict.fromkeys(filter(None, fixes)):
        note(f"  try: {fix}")


def block(rows: Sequence[tuple[str, str]], *, gap: int = 3) -> None:
    """Labels in a column, and beside each its text."""
    width = max(len(label) for label, _ in rows) + gap
    for label, text in rows:
        say(f"{label:<{width}}{text}")


def table(rows: Sequence[Sequence[str]], *, indent: str = "") -> None:
    """Print columns that line up."""
    for line in lined_up(rows, indent=indent):
        click.echo(line)


def lined_up(rows: Sequence[Sequence[str]], *, indent: str = "") -> Iterator[str]:
    """Columns that line up; the last one is cut to the terminal's width, if there is one."""
    if not rows:
        return
    rows = [[printable(cell) for cell in row] for row in rows]
    widths = [max(len(row[i]) for row in rows) for i in range(len(rows[0]) - 1)]
    room = columns() - sum(widths) - 2 * len(widths) - len(indent)
    for row in rows:
        cells = [cell.ljust(width) for cell, width in zip(row, widths, strict=False)]
        yield (indent + "  ".join([*cells, one_line(row[-1], max(20, room))])).rstrip()


def beside(label: str, text: str) -> str:
    """A label and a text of many words; on a terminal its lines end between words and stand beside the label."""
    wide = columns()
    room = wide - len(label)
    if wide == ENDLESS or room < LEAST_ROOM:
        return label + text
    from textwrap import wrap  # slow to import, and `status` is quick

    lines = [
        part
        for line in printable(text).split("\n")
        for part in wrap(line, room, break_on_hyphens=False, break_long_words=False, tabsize=4)
        or [""]
    ]
    blank = " " * len(label)
    return "\n".join(
        (blank + line if number else label + line).rstrip() for number, line in enumerate(lines)
    )


def columns(stream: TextIO | None = None) -> int:
    """How wide the terminal is that results, or a stream, go to."""
    if not is_terminal(stream or sys.stdout):
        return ENDLESS
    from shutil import get_terminal_size  # slow to import, and `status` is quick

    return get_terminal_size().columns


def one_line(text: str, width: int) -> str:
    """Text cut to fit a column."""
    flat = " ".join(printable(text).split())
    return flat if len(flat) <= width else flat[: max(1, width - 1)] + "…"


def is_terminal(stream: TextIO | None) -> bool:
    """Whether a person is at the other end; a closed stream is none at all."""
    return stream is not None and stream.isatty()


def painted(text: str, colour: str = "", *, bold: bool = False) -> str:
    """Text in a colour, where a person reads it who did not ask for none."""
    if not is_terminal(sys.stdout) or os.environ.get("NO_COLOR"):
        return text
    return click.style(text, fg=colour or None, bold=bold or None)


def ago(timestamp: str, now: datetime) -> str:
    """How long something is past: just now, 5 minutes ago, 3 days ago."""
    return "just now" if (long := lasting(timestamp, now)) == "a moment" else f"{long} ago"


def lasting(timestamp: str, now: datetime) -> str:
    """How much time went by since a moment, in the one unit that tells."""
    seconds = (now - parse_stamp(timestamp)).total_seconds()
    for noun, length in (("day", 86_400), ("hour", 3600), ("minute", 60)):
        if seconds >= length:
            return counted(int(seconds // length), noun)
    return "a moment"
