"""The one storage there is, looked at more closely than its ports allow."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from lumen.core.clock import Clock
from lumen.core.data import BeingPaths, Placed
from lumen.kernel.gate.birth import init
from lumen.kernel.gate.commit import Gate, begin
from lumen.soul.index.index import Index
from lumen.soul.ports.queries import Queries
from lumen.soul.trust.keys import Keyring
from lumen.soul.writing.open import open_storage


def tables(index: Queries) -> Index:
    """The SQLite tables that answer."""
    assert isinstance(index, Index)
    return index


def gate_of(being: BeingPaths, keyring: Keyring, clock: Clock, secrets: Sequence[str] = ()) -> Gate:
    """The gate of a being, on the storage there is."""
    return Gate(being, keyring, clock, open_storage(being, keyring, clock), secrets)


def begun(
    being: BeingPaths, keyring: Keyring, clock: Clock, files: Mapping[Path, str], soul: str
) -> Placed:
    """A being that has just begun with some files."""
    texts = {being.named(path): text for path, text in files.items()}
    return begin(open_storage(being, keyring, clock), texts, soul)


def born(being: BeingPaths, keyring: Keyring, clock: Clock) -> str:
    """A being that has just come into the world, as `lumen init` makes one."""
    return init(being, open_storage(being, keyring, clock), clock)
