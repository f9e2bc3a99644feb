"""`lumen doctor`: what is installed, what is missing, what to do."""

from __future__ import annotations

import asyncio

from lumen.app.doctor import Examined, examine
from lumen.app.settings import find_being
from lumen.body.cli.command import command
from lumen.body.cli.render import tell
from lumen.body.cli.request import CommandRequest
from lumen.body.cli.terminal import say

MARKS = {"ok": "✓", "warn": "!", "bad": "✗"}


@command("doctor", for_skills=True)
def doctor(request: CommandRequest) -> Examined:
    """Look at the installation and the being; exit code 1 when something is broken."""
    being, by_default = find_being(request.named)
    return asyncio.run(examine(being, by_default=by_default))


@tell.register(Examined)
def _tell_examined(examined: Examined, _request: CommandRequest) -> None:
    width = max(len(f.what) for f in examined.findings)
    for f in examined.findings:
        say(f"{MARKS[f.state]} {f.what:<{width}}  {f.detail}")
        if f.fix:
            say(f"  {'':<{width}}  try: {f.fix}")
