"""What a command was asked: about which being, and how the answer is to look."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import TYPE_CHECKING
from zoneinfo import ZoneInfo

from lumen.app.settings import Settings, find_being, must_be, zone
from lumen.body.cli.terminal import note
from lumen.core.data import BeingPaths

if TYPE_CHECKING:
    from lumen.app.looking import ReadOnlyBeing
    from lumen.app.passphrase import Passphrases
    from lumen.app.wiring import Kernel


@dataclass(frozen=True, slots=True)
class CommandRequest:
    """The being that is meant, by the name that was given, if any; and whether JSON is wanted."""

    named: str | None
    as_json: bool = False

    @property
    def being(self) -> BeingPaths:
        """The being it is about."""
        return find_being(self.named)[0]

    @property
    def settings(self) -> Settings:
        """What its author decided.

        Raises:
            NotABeing: there is none.
        """
        return must_be(self.being)

    @property
    def existing(self) -> BeingPaths:
        """The being it is about, which has to be there."""
        must_be(self.being)
        return self.being

    @property
    def zone(self) -> ZoneInfo:
        """Where its author is."""
        return zone(self.settings.timezone)

    def looking(self) -> AbstractContextManager[ReadOnlyBeing]:
        """The being to ask things of; nothing in it is changed."""
        from lumen.app.looking import looking

        return looking(self.being, note)

    def opened(self) -> AbstractContextManager[Kernel]:
        """The being, open for turns; what had to be repaired is told."""
        from lumen.app.wiring import opened

        return opened(self.being, note, passphrases=at_terminal())

    def as_author(self, tell: Callable[[str], None] = note) -> AbstractContextManager[Kernel]:
        """The being, open for what only the author may do, and not while a turn is under way."""
        from lumen.app.wiring import as_author

        return as_author(self.being, tell, passphrases=at_terminal())


def at_terminal() -> Passphrases:
    """The passphrase of the author's key, asked for where a command runs."""
    from lumen.app.passphrase import Passphrases
    from lumen.body.cli.passphrase import offer, passphrase

    return Passphrases(passphrase, offer)
