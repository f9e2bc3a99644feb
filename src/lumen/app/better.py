"""The better model that a first conversation offers: whether, what is said of it, and how it takes over.

It is fetched by a process of its own, so that the talk goes on meanwhile and leaving does not end it.
"""

from __future__ import annotations

import subprocess
import sys
from dataclasses import dataclass, replace
from math import ceil
from typing import TYPE_CHECKING

from lumen.app.model_files import Obtainable, library, obtainable
from lumen.app.models import Assigned, assign_model, find_model
from lumen.app.reach import models_folder, trust_file
from lumen.app.settings import Settings, must_be
from lumen.core.errors import LumenError
from lumen.core.settings import BUILT_IN_MODEL
from lumen.core.trust import Ability
from lumen.kernel.models.trust import trusted
from lumen.mind.roles import parse_assignment

if TYPE_CHECKING:
    import asyncio
    from pathlib import Path

    from lumen.app.wiring import Kernel

LINE_BITS = 100e6  # a second: what the time is told for
DECLINED = "no"
# What each role wants of its model; where nobody serves one, the better model does.
WANTS = {
    "orchestrator": Ability.JSON,
    "scraper": Ability.JSON,
    "reflection": Ability.REFLECT,
}


@dataclass(slots=True)
class Better:
    """A model that is to take over once it is here; `running` is what fetches it, from this process."""

    name: str
    running: subprocess.Popen[bytes] | None = None

    @property
    def here(self) -> bool:
        """Whether it was fetched by now."""
        return library().get(self.name) is not None

    @property
    def failed(self) -> bool:
        """Whether fetching it has ended, and it is not here; said once."""
        ended = self.running is not None and self.running.poll() is not None
        if ended:
            self.running = None
        return ended and not self.here

    def take_over(self, kernel: Kernel, runner: asyncio.Runner) -> Assigned:
        """Let it speak from the next turn on, and serve each role that is free and that it is fit for."""
        from lumen.app.wiring import alone, take_settings

        settings = must_be(kernel.being)
        model = f"embedded/{self.name}"
        found = runner.run(find_model(kernel, settings, "interface", model))
        free = [r for r, wants in WANTS.items() if wants in found.model.may]
        with alone(kernel):
            assigned = assign_model(kernel, found)
            for role in free:
                if role not in settings.roles:
                    also = replace(found, assignment=parse_assignment(role, model))
                    assign_model(kernel, also)
        take_settings(kernel)
        _keep(DECLINED)  # whoever goes back to the other is not asked again
        return assigned


def to_offer(settings: Settings) -> Obtainable | None:
    """What a conversation offers: once on a host, where the built-in model speaks and nothing was said.

    What was not measured to speak in its own words is no better, and not offered.
    """
    if settings.roles.get("interface") != BUILT_IN_MODEL or settings.better_model == "never":
        return None
    if _answer().exists():
        return None
    may = trusted(trust_file())
    fit = (o for o in obtainable() if not o.here and Ability.WORLD in may.get(o.sha256, ()))
    return next(fit, None)


def wanted(settings: Settings) -> Better | None:
    """The model that was asked for before, and has not taken over yet."""
    if settings.roles.get("interface") != BUILT_IN_MODEL or not _answer().exists():
        return None
    name = _answer().read_text("utf-8").strip()
    return Better(name) if name not in ("", DECLINED) else None


def decline() -> None:
    """Keep that it was not wanted."""
    _keep(DECLINED)


def fetch_beside(offer: Obtainable) -> Better:
    """Begin to fetch it in a process of its own.

    Raises:
        LumenError: it cannot be started.
    """
    _keep(offer.name)
    command = [sys.executable, "-m", "lumen", "models", "get", offer.name]
    quiet = subprocess.DEVNULL
    try:
        running = subprocess.Popen(
            command, stdin=quiet, stdout=quiet, stderr=quiet, start_new_session=True
        )
    except OSError as error:
        raise LumenError(
            f"nothing was fetched: {error.strerror}", fix=f"lumen models get {offer.name}"
        ) from error
    return Better(offer.name, running)


def minutes(offer: Obtainable) -> int:
    """How long fetching it takes on a line of 100 Mbit/s."""
    return ceil(offer.size * 8 / LINE_BITS / 60)


def languages(offer: Obtainable) -> list[str]:
    """What it was measured to speak in its own words."""
    may = trusted(trust_file()).get(offer.sha256, ())
    return ["English", *(a.name.title() for a in (Ability.GERMAN, Ability.RUSSIAN) if a in may)]


def _keep(answer: str) -> None:
    models_folder().mkdir(parents=True, exist_ok=True, mode=0o700)
    _answer().write_text(answer, "utf-8")


def _answer() -> Path:
    return models_folder() / "offered"
