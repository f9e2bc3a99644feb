"""A being opened for a command: the terminal gives the passphrase, and is told what was mended."""

from __future__ import annotations

from contextlib import AbstractContextManager
from typing import TYPE_CHECKING

from lumen.app import wiring
from lumen.app.passphrase import Passphrases
from lumen.body.cli.passphrase import offer, passphrase
from lumen.core.data import Being

if TYPE_CHECKING:
    from collections.abc import Callable

    from lumen.app.settings import Settings
    from lumen.app.wiring import Kernel

TERMINAL = Passphrases(passphrase, offer)


def open_kernel(being: Being, settings: Settings | None = None) -> tuple[Kernel, list[str]]:
    """Open a being for turns; says what had to be mended."""
    return wiring.open_kernel(being, settings, passphrases=TERMINAL)


def opened(being: Being, tell: Callable[[str], None]) -> AbstractContextManager[Kernel]:
    """An open being; what had to be mended is told."""
    return wiring.opened(being, tell, passphrases=TERMINAL)


def as_author(being: Being, tell: Callable[[str], None]) -> AbstractContextManager[Kernel]:
    """A being opened for what only the author may do, and not while a turn is under way."""
    return wiring.as_author(being, tell, passphrases=TERMINAL)
