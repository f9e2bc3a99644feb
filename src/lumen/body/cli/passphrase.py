"""The passphrase of the author's key at a terminal: from a file, the environment, or typed."""

from __future__ import annotations

import os
import sys
from functools import partial
from pathlib import Path

import click

from lumen.app.passphrase import VARIABLE, Keyring, from_environment
from lumen.body.cli.terminal import is_terminal, note
from lumen.core.errors import UsageError

_FILE = "lumen.passphrase_file"


def _keep(ctx: click.Context, _option: click.Parameter, file: str | None) -> None:
    ctx.meta[_FILE] = file


# The option of every command that the author's key signs.
signing = click.option(
    "--passphrase-file",
    metavar="FILE",
    type=click.Path(exists=True, dir_okay=False),
    help="Holds the passphrase of your key.",
    callback=_keep,
    expose_value=False,
)


def given() -> str | None:
    """The passphrase that a file or the environment gives."""
    context = click.get_current_context(silent=True)
    if file := context and context.meta.get(_FILE):
        return read_passphrase(Path(file), "name the file that holds it: --passphrase-file FILE")
    return os.environ.get(VARIABLE)


def read_passphrase(file: Path, fix: str) -> str:
    """The passphrase that a file holds.

    Raises:
        UsageError: it cannot be read, or is not text.
    """
    try:
        return file.read_text("utf-8").rstrip("\r\n")
    except OSError as error:
        raise UsageError(f"the file {file} cannot be read: {error.strerror}", fix=fix) from error
    except UnicodeDecodeError as error:
        raise UsageError(f"the file {file} is not text", fix=fix) from error


def passphrase() -> str:
    """The passphrase of the author's key.

    Raises:
        Locked: nobody is here to give it.
    """
    if (known := given()) is not None:
        return known
    if not _somebody():
        return from_environment()
    return str(click.prompt("Passphrase of your key", hide_input=True, err=True))


def offer(keyring: Keyring, soul: str) -> None:
    """Offer, once and on a terminal, to put the author's key under a passphrase."""
    offered = keyring.author_file(soul).with_suffix(".offered")
    if not _somebody() or given() is not None or offered.exists():
        return
    note("Your key signs this. A passphrase keeps whoever can read your files from doing so too.")
    ask = partial(click.prompt, default="", show_default=False, hide_input=True, err=True)
    new = ask("Passphrase (empty: none)")
    while new and ask("The same again") != new:
        new = ask("They differ. Passphrase (empty: none)")
    if new:
        keyring.set_passphrase(soul, "", new)
    offered.touch(mode=0o600)


def _somebody() -> bool:
    return is_terminal(sys.stdin) and is_terminal(sys.stderr)
