"""A process that spends: it opens a being and talks, or escalates, until it is told no."""

from __future__ import annotations

import asyncio
import json
import sys
from dataclasses import asdict, dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from tests.forking import Forked, start_program
from tests.kernel.conftest import wake
from tests.kernel.recorder import connect
from tests.remembering import Remembering

from lumen.core.data import BeingPaths
from lumen.core.errors import OverBudget
from lumen.kernel.models.treasury import Caps
from lumen.kernel.turn.run import calls_for
from lumen.mind.endpoints import Endpoint
from lumen.soul.trust.keys import Keyring
from lumen.testing.clock import HandClock

SPENDS = """
import json, sys
from tests.kernel.spending import Spender, main
main(Spender(**json.loads(sys.argv[1])))
"""


@dataclass(frozen=True, slots=True)
class Spender:
    """Who spends what, where."""

    being: str
    keyring: str
    url: str
    seed: int
    at: str
    turns: int = 8
    substrate: str = "cloud"
    model: str = "gpt"
    caps: dict[str, Any] = field(default_factory=dict)
    escalated: bool = False

    def start(self) -> Forked:
        """Let a process be this one."""
        return start_program(SPENDS, json.dumps(asdict(self)))


def main(told: Spender) -> None:
    """Spend, and say after each call whether it was made."""
    clock = HandClock(datetime.fromisoformat(told.at).astimezone(UTC), 7, told.seed)
    life = wake(BeingPaths(Path(told.being)), Keyring(Path(told.keyring)), clock, Remembering())
    connect(life, Endpoint(told.substrate, "openai", told.url), told.model)
    life.kernel.caps = replace(Caps(), **told.caps)
    for number in range(told.turns):
        if told.escalated:
            calls = calls_for(life.kernel, f"lumen:escalation:{told.seed}")
            calls.escalated = True
            try:
                asyncio.run(calls.ask("interface", "probe", {}, 16))
                trouble = ""
            except OverBudget as error:
                trouble = error.what
            calls.settle()
        else:
            trouble = life.say(f"I planted {told.seed + number} leeks today.").trouble
        sys.stdout.write(f"{trouble or 'made'}\n")
        sys.stdout.flush()
    life.kernel.close()
