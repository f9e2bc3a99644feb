"""The five fixed roles and the inner loop's own, which model each is assigned to, and how a
substrate is opened.

An assignment is followed to the letter: nothing here falls back to another model.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from lumen.core.errors import BadSetting
from lumen.mind.endpoints import Endpoint, Kind
from lumen.mind.substrate import ModelDescriptor, Substrate

if TYPE_CHECKING:
    from lumen.mind.substrates.remote import Dialect

ROLES = ("interface", "compiler", "orchestrator", "scraper", "reflection")
INNER = "kernel"  # the loop that thinks when nobody speaks: its model must be a local one
EMBEDDER = "embedder"
ESCALATION = "escalation"  # a stronger model, asked only when the author has said yes
ASSIGNABLE = (*ROLES, INNER, EMBEDDER, ESCALATION)

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
    if role not in ASSIGNABLE:
        raise BadSetting(f"{role!r} is no role", fix=f"the roles are {', '.join(ASSIGNABLE)}")
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


def open_substrate(endpoint: Endpoint, known: Iterable[ModelDescriptor] = ()) -> Substrate:
    """A fresh substrate; whoever opens it closes it. `known` are its models from an earlier look."""
    if endpoint.kind == "embedded":
        from lumen.mind.substrates.embedded import Embedded

        return Embedded(endpoint.folder)
    if endpoint.kind == "scripted":
        from lumen.mind.substrates.scripted import Scripted

        return Scripted()
    from lumen.mind.substrates.remote import Remote

    return Remote(endpoint, _dialect(endpoint.kind), known)


def _dialect(kind: Kind) -> Dialect:
    """How a kind of server speaks; imported when it is needed."""
    if kind == "anthropic":
        from lumen.mind.substrates.anthropic import ANTHROPIC

        return ANTHROPIC
    if kind == "ollama":
        from lumen.mind.substrates.ollama import OLLAMA

        return OLLAMA
    from lumen.mind.substrates import openai

    return {"xai": openai.XAI, "lmstudio": openai.LMSTUDIO}.get(kind, openai.OPENAI)
