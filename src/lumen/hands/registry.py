"""The tool registry: what the tools of the contour are for, take and give. It runs none."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType


@dataclass(frozen=True, slots=True)
class Tool:
    """A tool as a contract; the skill of its name fulfils it."""

    kind: str
    input: str
    output: str


def _read() -> Mapping[str, Tool]:
    told = tomllib.loads(Path(__file__).with_name("registry.toml").read_text("utf-8"))
    return MappingProxyType({name: Tool(**entry) for name, entry in told.items()})


REGISTRY = _read()
