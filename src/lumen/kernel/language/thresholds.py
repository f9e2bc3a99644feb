"""How near is near, by embedder: one's cosines are not another's, so what goes by them is data."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from functools import cache
from pathlib import Path

from lumen.mind.built_in import built_in

FILE = Path(__file__).with_name("nearness.toml")


@cache
def thresholds(embedder: str, part: str) -> Mapping[str, float]:
    """The numbers that one part of the kernel has for an embedder; the first one's for any other."""
    known: Mapping[str, Mapping[str, Mapping[str, float]]] = tomllib.loads(FILE.read_text("utf-8"))
    return (known.get(embedder) or next(iter(known.values())))[part]


def in_force(part: str) -> Mapping[str, float]:
    """The same for the built-in embedder, which judges whatever another one finds."""
    return thresholds(built_in()[0], part)
