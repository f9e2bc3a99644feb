"""A conversation under way in the terminal: a message, its answer, and what there is to say beside it."""

from __future__ import annotations

import asyncio
from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING

from lumen.app.talking import SHOWN, IncomingMessage, Said, Watch, answer
from lumen.app.words import counted
from lumen.body.cli.progress import Steps
from lumen.body.cli.render import data
from lumen.body.cli.request import CommandRequest
from lumen.body.cli.terminal import note, print_json, say
from lumen.core.canon import JSON

if TYPE_CHECKING:
    from lumen.app.wiring import Kernel


@data.register(Said)
def _said_data(said: Said) -> JSON:
    told = asdict(said)
    return {"reply": told.pop("text"), **told}


@dataclass(slots=True)
class Talk:
    """A conversation under way."""

    request: CommandRequest
    kernel: Kernel
    runner: asyncio.Runner
    private: bool
    conversation: str = ""
    told: set[str] = field(default_factory=set)
    meanwhile: list[str] = field(default_factory=list)  # said before the names were settled

    def turn(self, text: str, prefix: str = "") -> None:
        """One message and its answer, shown as soon as it is durable."""
        with Steps(SHOWN) as live:

            def heard(reply: str) -> None:
                live.clear()
                if not self.request.as_json:
                    say(prefix + reply)

            watch = Watch(step=live.step, reply=heard)
            spoken = IncomingMessage(self.conversation, private=self.private)
            said = self.runner.run(answer(self.kernel, text, watch, spoken))
        self._beside(said)
        if self.request.as_json:
            print_json(data(said))

    def _beside(self, said: Said) -> None:
        """What there is to say beside the answer."""
        if said.trouble and said.fix:
            self._once(f"{said.trouble}\n  try: {said.fix}")
        for line in said.changes:
            note(line)
        if said.proposal:
            note(f"I could ask {said.proposal}: lumen approvals")
        if said.redacted:
            note(f"{counted(said.redacted, 'secret')} left out: not kept, not shown to a model")
        for line in said.notices:
            self._once(line)

    def _once(self, line: str) -> None:
        """Say what stays wrong once, not after every answer."""
        if line not in self.told:
            note(line)
        self.told.add(line)
