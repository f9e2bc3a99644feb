"""Who the being is, as it opens every call of a turn to a model."""

from __future__ import annotations

from typing import Protocol

from lumen.core.data import BeingPaths
from lumen.core.errors import MindError
from lumen.kernel.identity.digest import Self, digest
from lumen.kernel.models.calls import Calls
from lumen.kernel.turn.recorded import PROMPTS
from lumen.mind.ask import Reach


class Introduced(Protocol):
    """Whoever is introduced: where it is, who it is, and which models it speaks with."""

    being: BeingPaths
    self_: Self
    reach: Reach


async def introduce(
    kernel: Introduced, calls: Calls, role: str = "interface", mounted: str = ""
) -> None:
    """Let calls open with who the being is, and leave out of it what must not leave.

    `mounted` is what mounts say to this turn.
    """
    small = await _is_small(kernel, role)  # awaited before: another turn may change the self
    calls.digest = _identity(kernel, small=small, local=True, mounted=mounted)
    if kernel.self_.private:
        calls.away = _identity(kernel, small=small, local=False, mounted=mounted)
    else:
        calls.away = None


async def identity(kernel: Introduced, role: str = "interface", *, local: bool = True) -> str:
    """The identity text."""
    return _identity(kernel, small=await _is_small(kernel, role), local=local)


def _identity(kernel: Introduced, *, small: bool, local: bool, mounted: str = "") -> str:
    folders = (kernel.being.prompts, PROMPTS)
    return digest(folders, kernel.self_, small=small, local=local, mounted=mounted)


async def _is_small(kernel: Introduced, role: str) -> bool:
    """Whether the model is; one that cannot be reached is told of later, when it is asked."""
    try:
        return (await kernel.reach.model(role)).small
    except MindError:
        return False
