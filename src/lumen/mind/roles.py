"""The five fixed roles, which model each is assigned to, and where substrates come from.

An assignment is followed to the letter: nothing here falls back to another model.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from lumen.core.errors import BadSetting, NoSubstrate
from lumen.mind.substrate import Substrate

ROLES = ("interface", "compiler", "orchestrator", "scraper", "reflection")

_SUBSTRATE_ID = re.compile(r"[a-z][a-z0-9_-]*")


@dataclass(frozen=True, slots=True)
class Assignment:
    """Which model serves a role."""

    role: str
    substrate: str
    model_id: str

    def __str__(self) -> str:
        """The setting it was read from."""
        return f"{self.substrate}/{self.model_id}"


def parse_assignment(role: str, text: str) -> Assignment:
    """Reads 'substrate/model'; only the first slash divides, so a model may have its own."""
    if role not in ROLES:
        raise BadSetting(f"{role!r} is no role", fix=f"the roles are {', '.join(ROLES)}")
    substrate, slash, model_id = text.partition("/")
    example = "write it as substrate/model, such as embedded/SmolLM2-135M-Instruct"
    if not slash:
        raise BadSetting(f"role {role}: {text!r} has no slash", fix=example)
    if not _SUBSTRATE_ID.fullmatch(substrate):
        raise BadSetting(f"role {role}: {substrate!r} is no name of a substrate", fix=example)
    if not model_id.isprintable() or model_id != model_id.strip() or not model_id:
        raise BadSetting(f"role {role}: {model_id!r} is no name of a model", fix=example)
    return Assignment(role, substrate, model_id)


def parse_assignments(settings: Mapping[str, str]) -> dict[str, Assignment]:
    """Reads the roles table of lumen.toml."""
    return {role: parse_assignment(role, text) for role, text in settings.items()}


def open_substrate(substrate_id: str) -> Substrate:
    """A fresh substrate; whoever opens it closes it."""
    opener = _OPENERS.get(substrate_id)
    if opener is None:
        raise NoSubstrate(
            f"{substrate_id!r} is no substrate", fix=f"the substrates are {', '.join(_OPENERS)}"
        )
    return opener()


def _embedded() -> Substrate:
    from lumen.mind.substrates.embedded import Embedded

    return Embedded()


def _scripted() -> Substrate:
    from lumen.mind.substrates.scripted import Scripted

    return Scripted()


_OPENERS: dict[str, Callable[[], Substrate]] = {"embedded": _embedded, "scripted": _scripted}

SUBSTRATES = tuple(_OPENERS)
