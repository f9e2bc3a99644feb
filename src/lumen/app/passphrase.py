"""Where the passphrase of the author's key comes from when nobody sits at a terminal."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass

from lumen.core.errors import Locked
from lumen.soul.trust.keys import Keyring as Keyring

VARIABLE = "LUMEN_PASSPHRASE"


def from_environment() -> str:
    """The passphrase of the author's key, as the environment gives it.

    Raises:
        Locked: it does not.
    """
    known = os.environ.get(VARIABLE)
    if known is None:
        raise Locked(
            "your key is under a passphrase, and nobody is here to give it; nothing was changed",
            fix=f"set {VARIABLE}, or add --passphrase-file FILE",
        )
    return known


def offer_none(_keyring: Keyring, _soul: str) -> None:
    """Leave an open key as it is: there is nobody to ask."""


@dataclass(frozen=True, slots=True)
class Passphrases:
    """Who gives the passphrase of the author's key, and who may put an open key under one."""

    ask: Callable[[], str] = from_environment
    offer: Callable[[Keyring, str], None] = offer_none
