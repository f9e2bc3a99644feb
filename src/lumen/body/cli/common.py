"""What every command shares: its options, its output as text or JSON, plain tables."""

from __future__ import annotations

import functools
import json
import shutil
import sys
from collections.abc import Callable, Sequence
from datetime import datetime
from typing import Any, TextIO, TypeVar
from zoneinfo import ZoneInfo

import click

from lumen.body.config import find_being
from lumen.core.canon import JSON, dumps, printable
from lumen.core.clock import parse_stamp
from lumen.core.data import Being

R = TypeVar("R")


def shared(function: Callable[..., R]) -> Callable[..., R]:
    """Add --being, --json and --debug to a command; `being` arrives as given, or None."""

    @click.option("--being", "named", metavar="DIR", help="The being to use.")
    @click.option("--json", "as_json", is_flag=True, help="Print JSON.")
    @click.option("--debug", is_flag=True, help="Show tracebacks.")
    @functools.wraps(function)
    def command(named: str | None, debug: bool, **rest: Any) -> R:  # noqa: ANN401 - click hands over whatever the options are
        del debug  # main() looks for it before click does
        first = (click.get_current_context().find_root().obj or {}).get("being")
        return function(named=first if named is None else named, **rest)

    return command


def being_meant(named: str | None) -> Being:
    """The being a command is about."""
    return find_being(named)[0]


def show(value: JSON) -> None:
    """Print a result as one line of JSON."""
    try:
        line = dumps(value).decode()
    except TypeError:  # a path that is no UTF-8; here its bytes are escaped
        line = json.dumps(value)
    click.echo(line)


def say(text: str = "") -> None:
    """Print a result; nothing in it can move the cursor."""
    click.echo(printable(text))


def note(text: str) -> None:
    """Tell progress or a repair, beside the result."""
    click.echo(printable(text), err=True)


def counted(number: int, noun: str) -> str:
    """How many there are: 1 event, 2,345 events."""
    return f"{number:,} {noun}" + ("" if number == 1 else "s")


def one_line(text: str, width: int) -> str:
    """Text cut to fit a column."""
    flat = " ".join(printable(text).split())
    return flat if len(flat) <= width else flat[: max(1, width - 1)] + "…"


def is_terminal(stream: TextIO | None) -> bool:
    """Whether a person is at the other end; a closed stream is none at all."""
    return stream is not None and stream.isatty()


def table(rows: Sequence[Sequence[str]], *, indent: str = "") -> None:
    """Columns that line up; the last one is cut to the terminal's width, if there is one."""
    if not rows:
        return
    widths = [max(len(row[i]) for row in rows) for i in range(len(rows[0]) - 1)]
    room = shutil.get_terminal_size().columns if is_terminal(sys.stdout) else 10_000
    room -= sum(widths) + 2 * len(widths) + len(indent)
    for row in rows:
        cells = [cell.ljust(width) for cell, width in zip(row, widths, strict=False)]
        click.echo((indent + "  ".join([*cells, one_line(row[-1], max(20, room))])).rstrip())


def local(timestamp: str, zone: ZoneInfo) -> datetime:
    """A stamp in the author's zone."""
    return parse_stamp(timestamp).astimezone(zone)


def short_time(timestamp: str, zone: ZoneInfo) -> str:
    """A moment in a list: 15 Nov 19:26."""
    return f"{local(timestamp, zone):%d %b %H:%M}".lstrip("0")
