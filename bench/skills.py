"""What holding a skill costs: a call under limits, and in bubblewrap, beside the bare program."""

from __future__ import annotations

import asyncio
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

from bench.rounds import Row, interleaved, say, table, timed
from lumen.core.clock import SystemClock
from lumen.core.errors import SkillError
from lumen.hands.isolation import Isolation, bwrap_trouble
from lumen.hands.policy import SkillPolicies, grant
from lumen.hands.process import python
from lumen.hands.run import Call, Limits, run
from lumen.hands.skills import find, shipped

ROUNDS = 40
SAID = (
    b'{"v": 1, "turn": "bench", "action": "say", "input": {"text": "Good morning.", "to": null}}\n'
)


def main() -> int:
    """Measure and print; the exit code says whether the target holds."""
    if trouble := bwrap_trouble():
        say(f"bwrap is left out: {trouble}\n")
    rows = held()
    say(table("a call of a skill", rows))
    return 1 if any(r.verdict == "NO" for r in rows) else 0


def held() -> list[Row]:
    """The chat skill, started bare and called in each way it can be held."""
    skill = find(shipped(), "chat")
    call = Call(skill, "bench", "say", {"text": "Good morning.", "to": None})
    command = python(skill.entry)
    ways = [way for way in Isolation if way is not Isolation.BWRAP or not bwrap_trouble()]
    with tempfile.TemporaryDirectory(prefix="lumen-bench-") as root, asyncio.Runner() as runner:

        def called(way: Isolation) -> float:
            def once() -> None:
                granted = grant(skill, Path(root), SkillPolicies(isolation=way))
                result = runner.run(run(call, Limits(), SystemClock(), granted.box))
                if not result.ok:
                    raise SkillError(result.error)

            return timed(once)

        def bare() -> float:
            return timed(
                lambda: subprocess.run(command, input=SAID, check=True, capture_output=True)
            )

        runs: dict[str, Callable[[], float]] = {"bare": bare}
        runs |= {str(way): lambda way=way: called(way) for way in ways}  # type: ignore[misc]
        interleaved(3, runs)
        found = interleaved(ROUNDS, runs)
    most = {"limits": 1.3}
    return [
        Row(f"call under {way}", found[way], "bare start", found["bare"], most=most.get(way))
        for way in map(str, ways)
    ]


if __name__ == "__main__":
    sys.exit(main())
