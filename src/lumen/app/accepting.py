"""Going on from an archive that this host has not seen as it stands, once its author agrees."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

from lumen.app.passphrase import Passphrases
from lumen.app.settings import must_be
from lumen.app.storage import locks_of, open_storage
from lumen.app.wiring import keyring
from lumen.core.clock import SystemClock
from lumen.core.data import BeingPaths, Placed
from lumen.core.errors import Estranged
from lumen.kernel.gate.acceptance import accept as accept
from lumen.kernel.gate.acceptance import accept_tail as accept_tail
from lumen.kernel.gate.acceptance import cut_tail as cut_tail
from lumen.kernel.gate.commit import Gate
from lumen.kernel.gate.presence import no_turn_meanwhile
from lumen.soul.checking.witness import refuse_strange


@dataclass(frozen=True, slots=True)
class Accepted:
    """The event that says so, and the head of the chain from then on."""

    event: int
    head: str


def decide(
    being: BeingPaths,
    does: Callable[[Gate, str], Placed],
    agrees: Callable[[str], bool],
    tell: Callable[[str], None],
    passphrases: Passphrases | None = None,
) -> Accepted | None:
    """Do something about a being that is refused as it stands, once the author, told why, agrees; else nothing."""
    settings = must_be(being)
    passphrases = passphrases or Passphrases()
    clock = SystemClock()
    gate = Gate(being, keyring(), clock, open_storage(being, keyring(), clock))
    gate.index.catch_up()
    gate.ask, gate.offer = passphrases.ask, partial(passphrases.offer, gate.keyring)
    done = None
    try:
        if _agreed(gate, settings.soul, agrees):
            with no_turn_meanwhile(locks_of(being)):
                placed = does(gate, settings.soul)
                done = Accepted(placed.seq, placed.event_hash)
        for line in gate.repairs:
            tell(line)
    finally:
        gate.close()
        gate.index.close()
    return done


def _agreed(gate: Gate, soul: str, agrees: Callable[[str], bool]) -> bool:
    try:
        refuse_strange(gate.index, gate.keyring, soul)
    except Estranged as error:
        return agrees(error.what[:1].upper() + error.what[1:] + ".")
    return True
