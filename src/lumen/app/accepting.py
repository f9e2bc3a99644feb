"""Going on from an archive that this host has not seen as it stands, once its author agrees."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial

from lumen.app.passphrase import Passphrases
from lumen.app.settings import must_be
from lumen.app.storage import locks_of, open_storage
from lumen.app.wiring import keyring
from lumen.core.clock import SystemClock
from lumen.core.data import BeingPaths, Placed
from lumen.core.errors import Estranged
from lumen.kernel.gate import acceptance
from lumen.kernel.gate.commit import Gate
from lumen.kernel.gate.presence import no_turn_meanwhile
from lumen.soul.checking.witness import refuse_strange


@dataclass(frozen=True, slots=True)
class Accepted:
    """The event that says so, and the head of the chain from then on."""

    event: int
    head: str


@dataclass(frozen=True, slots=True)
class UnrecognisedArchive:
    """A being that is refused as it stands, open for its author to decide."""

    gate: Gate
    soul: str

    def accept(self, head: str = "") -> Accepted:
        """Go on from an archive that is older than, or forked from, the one this host has seen."""
        return _accepted(acceptance.accept(self.gate, self.soul, head))

    def accept_tail(self) -> Accepted:
        """Take events at the end that this host did not write for true."""
        return _accepted(acceptance.accept_tail(self.gate, self.soul))

    def cut_tail(self) -> Accepted:
        """Move events at the end that this host did not write to quarantine."""
        return _accepted(acceptance.cut_tail(self.gate, self.soul))


@contextmanager
def strange(
    being: BeingPaths,
    agrees: Callable[[str], bool],
    tell: Callable[[str], None],
    passphrases: Passphrases | None = None,
) -> Iterator[UnrecognisedArchive | None]:
    """A being that is refused as it stands, once the author, told why, agrees; else nothing."""
    settings = must_be(being)
    passphrases = passphrases or Passphrases()
    clock = SystemClock()
    gate = Gate(being, keyring(), clock, open_storage(being, keyring(), clock))
    gate.index.catch_up()
    gate.ask, gate.offer = passphrases.ask, partial(passphrases.offer, gate.keyring)
    try:
        if _agreed(gate, settings.soul, agrees):
            with no_turn_meanwhile(locks_of(being)):
                yield UnrecognisedArchive(gate, settings.soul)
        else:
            yield None
        for line in gate.repairs:
            tell(line)
    finally:
        gate.close()
        gate.index.close()


def _agreed(gate: Gate, soul: str, agrees: Callable[[str], bool]) -> bool:
    try:
        refuse_strange(gate.index, gate.keyring, soul)
    except Estranged as error:
        return agrees(error.what[:1].upper() + error.what[1:] + ".")
    return True


def _accepted(placed: Placed) -> Accepted:
    return Accepted(placed.seq, placed.event_hash)
