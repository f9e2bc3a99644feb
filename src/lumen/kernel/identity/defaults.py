"""What a being that a first chat makes begins with: values, style contracts, invariants; the contour's defaults."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from functools import cache
from pathlib import Path

from lumen.core.data import SelfItem
from lumen.soul.state.selfhood import CONTRACT_STATES, CONTRACTS, VALUE_STATES, VALUES, spell

DEFAULTS = Path(__file__).with_name("defaults.toml")
WHOLE = 1.0  # what a contract weighs: it is kept or dropped


@cache
def _told() -> Mapping[str, Mapping[str, object]]:
    return tomllib.loads(DEFAULTS.read_text("utf-8"))


def default_self() -> dict[str, str]:
    """The files of the self as they begin, by their paths inside the being."""
    values = [
        SelfItem(name, float(str(weight)), VALUE_STATES[0])
        for name, weight in _told()["values"].items()
    ]
    contracts = [
        SelfItem(name, WHOLE, status) for status in CONTRACT_STATES for name in _told()[status]
    ]
    return {VALUES: spell(values), CONTRACTS: spell(contracts)}


def meaning(contract: str) -> str:
    """What a contract of the defaults says, in words; empty: it is none of them."""
    return next((str(_told()[s][contract]) for s in CONTRACT_STATES if contract in _told()[s]), "")
