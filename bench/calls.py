"""What a call costs beside the model: rendering, asking for it, announcing and telling of it."""

from __future__ import annotations

import asyncio
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

from bench.rounds import Row, interleaved, say, table, timed
from lumen.core.clock import SystemClock
from lumen.core.data import BeingPaths
from lumen.kernel.gate.birth import init
from lumen.kernel.gate.commit import Gate
from lumen.kernel.gate.recovery import recover
from lumen.kernel.models.calls import Calls
from lumen.kernel.models.templates import TEMPLATES
from lumen.kernel.models.treasury import Caps
from lumen.kernel.turn.recorded import PROMPTS
from lumen.mind.ask import Reach
from lumen.mind.roles import parse_assignments
from lumen.mind.substrate import Prompt
from lumen.soul.trust.keys import Keyring
from lumen.soul.writing.open import open_storage

ROUNDS = 40
MOST_S = 0.005
SLOTS = {name: given.values[0] for name, given in TEMPLATES["drafts"].slots.items()} | {
    "facts": ["Sunday 15 November: My sister lives in Lisbon."] * 3,
    "recent": [{"said": "Hello there.", "reply": "Hello, friend."}] * 2,
}


def main() -> int:
    """Measure and print; the exit code says whether the target holds."""
    rows = overheads()
    say(table("a call, without the model", rows))
    return 1 if any(r.verdict == "NO" for r in rows) else 0


def overheads() -> list[Row]:
    """A model that answers at once, asked through everything and asked directly."""
    with tempfile.TemporaryDirectory(prefix="lumen-bench-") as folder:
        being, clock = BeingPaths(Path(folder, "being")), SystemClock()
        keyring = Keyring(Path(folder, "keys"))
        storage = open_storage(being, keyring, clock)
        soul = init(being, storage, clock)
        gate = Gate(being, keyring, clock, storage)
        recover(gate, soul)
        reach = Reach(parse_assignments({"interface": "scripted/echo"}), (PROMPTS,), clock)
        free = Calls(reach, gate, Caps(), "bench")
        capped = Calls(reach, gate, Caps(tokens=10**12), "bench")
        prompt = Prompt("", "hello", 48)
        with asyncio.Runner() as runner:

            def asked(calls: Calls) -> float:
                return timed(lambda: runner.run(_ask(calls)))

            runs: dict[str, Callable[[], float]] = {
                "free": lambda: asked(free),
                "capped": lambda: asked(capped),
                "bare": lambda: timed(
                    lambda: runner.run(reach.substrate("scripted").invoke("echo", prompt))
                ),
            }
            interleaved(3, runs)  # the first ones open files and compile templates
            found = interleaved(ROUNDS, runs)
        gate.close()
    return [
        Row("render and meter", found["free"] - found["bare"], "what it may take", MOST_S, most=1),
        Row(
            "the same under a cap, announced durably",
            found["capped"] - found["bare"],
            "what it may take",
            MOST_S,
            most=1,
        ),
    ]


async def _ask(calls: Calls) -> None:
    await calls.ask("interface", "drafts", SLOTS, 48)
    calls.taken()


if __name__ == "__main__":
    sys.exit(main())
