"""What every command shares: its options, its output as text or JSON, plain tables."""

from __future__ import annotations

import functools
import json
import os
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict
from datetime import datetime
from typing import Any, TextIO, TypeVar

import click

from lumen.app import callers
from lumen.app.settings import find_being
from lumen.app.words import counted as counted
from lumen.app.words import local as local
from lumen.app.words import short_time as short_time
from lumen.core.canon import JSON, printable, shown
from lumen.core.clock import parse_stamp
from lumen.core.data import Being
from lumen.core.errors import UsageError

R = TypeVar("R")
# What a skill may start: it changes nothing; and `chat`, which keeps its words as a tool's.
FOR_SKILLS = frozenset(
    {
        "approvals", "archive verify", "chat", "checkpoint diff", "checkpoint list", "doctor",
        "egress", "goals", "keys list", "memory", "models list", "prompts check", "prompts diff",
        "prompts list", "prompts show", "self diff", "self show", "skills", "skills show", "status",
        "trace", "treasury", "values", "why",
    }
)  # fmt: skip


def shared(function: Callable[..., R]) -> Callable[..., R]:
    """Add --being, --json and --debug to a command; `being` arrives as given, or None."""

    @click.option("--being", "named", metavar="DIR", help="The being to use.")
    @click.option("--json", "as_json", is_flag=True, help="Print JSON.")
    @click.option("--debug", is_flag=True, help="Show tracebacks.")
    @functools.wraps(function)
    def command(named: str | None, debug: bool, **rest: Any) -> R:  # noqa: ANN401 - click hands over whatever the options are
        del debug  # main() looks for it before click does
        refuse_to_skills(click.get_current_context())
        first = (click.get_current_context().find_root().obj or {}).get("being")
        return function(named=first if named is None else named, **rest)

    return command


def refuse_to_skills(ctx: click.Context) -> None:
    """A skill may look at the being; what changes it or speaks for the author is the author's.

    Raises:
        Refused: a running skill started this command, and it is not one that only looks.
    """
    names: list[str] = []
    here: click.Context | None = ctx
    while here is not None and here.parent is not None:
        names.insert(0, str(here.info_name))
        here = here.parent
    name = " ".join(names)
    if name not in FOR_SKILLS:
        callers.refuse_to_skills(f"`lumen {name}`")


def being_meant(named: str | None) -> Being:
    """The being a command is about."""
    return find_being(named)[0]


def show(value: JSON) -> None:
    """Print a result, a dataclass as the object of its fields, as a line of JSON that is safe to show."""
    try:
        line = shown(value)
    except TypeError:  # a path that is no UTF-8; here its bytes are escaped
        line = json.dumps(value, default=asdict)
    click.echo(line)


def say(text: str = "") -> None:
    """Print a result; nothing in it can move the cursor."""
    click.echo(printable(text))


def note(text: str) -> None:
    """Tell progress or a repair, beside the result."""
    click.echo(printable(text), err=True)


def one_line(text: str, width: int) -> str:
    """Text cut to fit a column."""
    flat = " ".join(printable(text).split())
    return flat if len(flat) <= width else flat[: max(1, width - 1)] + "…"


def asked(question: str, *, yes: bool, fix: str) -> bool:
    """Whether the author agrees; where nobody can be asked, --yes must say so.

    Raises:
        UsageError: nobody is there to answer, so nothing was changed.
    """
    if yes:
        return True
    if not (is_terminal(sys.stdin) and is_terminal(sys.stderr)):
        raise UsageError("nobody is here to confirm it, so nothing was changed", fix=fix)
    return click.confirm(question, default=False, err=True)


class Bar:
    """How far a long task is: one line that is written over, or now and then a line in a log."""

    def __init__(self, what: str) -> None:
        self.what = what
        self.live = is_terminal(sys.stderr)
        self.began = self.last = time.monotonic()
        self.shown = False

    def __call__(self, done: int, total: int) -> None:
        """Tell how much is done; nothing is shown of what takes no longer than a second."""
        now = time.monotonic()
        if now - self.began < 1 or now - self.last < (0.1 if self.live else 5):
            return
        self.last, self.shown = now, True
        share = f"{min(100, 100 * done // max(1, total))} %"
        if self.live:
            sys.stderr.write(f"\r\x1b[2K  ⋯ {self.what} · {share}")
            sys.stderr.flush()
        else:
            note(f"{self.what}: {share}")

    def told(self, what: str, done: int, total: int) -> None:
        """The same, when what is being done changes on the way."""
        self.what = what
        self(done, total)

    def clear(self) -> None:
        """Take the line away."""
        if self.live and self.shown:
            sys.stderr.write("\r\x1b[2K")
            sys.stderr.flush()


def is_terminal(stream: TextIO | None) -> bool:
    """Whether a person is at the other end; a closed stream is none at all."""
    return stream is not None and stream.isatty()


def coloured() -> bool:
    """Whether results may have colours: a person reads them and did not ask for none."""
    return is_terminal(sys.stdout) and not os.environ.get("NO_COLOR")


def painted(text: str, colour: str) -> str:
    """Text in a colour, where there are colours."""
    return click.style(text, fg=colour) if coloured() else text


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


def table(rows: Sequence[Sequence[str]], *, indent: str = "") -> None:
    """Columns that line up; the last one is cut to the terminal's width, if there is one."""
    if not rows:
        return
    rows = [[printable(cell) for cell in row] for row in rows]
    widths = [max(len(row[i]) for row in rows) for i in range(len(rows[0]) - 1)]
    room = 10_000
    if is_terminal(sys.stdout):
        import shutil  # what it brings along takes longer than all else here

        room = shutil.get_terminal_size().columns
    room -= sum(widths) + 2 * len(widths) + len(indent)
    for row in rows:
        cells = [cell.ljust(width) for cell, width in zip(row, widths, strict=False)]
        click.echo((indent + "  ".join([*cells, one_line(row[-1], max(20, room))])).rstrip())
