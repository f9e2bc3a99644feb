"""What a whole cycle came to, told in the memory of its last beat: numbers for later ones to count."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from lumen.core.canon import JSON
from lumen.kernel.completion import worked
from lumen.kernel.slots import Acted, Decision, Evaluation, Evolved, Looked, Plan, Reply, Stimulus

Slots = Mapping[type, Any]  # what each step wrote, by its type


def cycle_of(stimulus: Stimulus, slots: Slots) -> dict[str, JSON]:
    """What an action cycle came to, for later ones to count with."""
    plan, decision = slots[Plan], slots[Decision]
    acted, came = slots[Acted], slots[Evaluation]
    goal = stimulus.goal
    done = decision.chosen >= 0
    return {
        "loop": "action",
        "goal": goal.name if goal else next(iter(came.completed), ""),
        "skill": plan.candidates[decision.chosen].skill if done else "",
        "ok": (worked(acted) if acted.ran else slots[Reply].delivered) if done else True,
        "progress": came.progress,
        "completed": bool(came.completed),
        "delta": came.delta,
        "chosen": decision.chosen,
        "options": [
            {
                "values": list(c.values),
                "goal": goal.weight if goal else None,
                "able": bool(s.ability),
                "tries": stimulus.tries,
                "allowed": allowed,
            }
            for c, s, allowed in zip(
                plan.candidates, decision.scores, decision.allowed, strict=True
            )
        ],
        "conflicts": [list(pair) for pair in decision.conflicts],
    }


def explored(stimulus: Stimulus, slots: Slots) -> dict[str, JSON]:
    """What an exploration came to."""
    looked = slots[Looked]
    skill = "search" if looked.ran else ""
    found = looked.ok and looked.found > 0
    return {"loop": "explore", "skill": skill, "ok": found, "progress": found}


def evolved(stimulus: Stimulus, slots: Slots) -> dict[str, JSON]:
    """What a reflection came to."""
    return {"loop": "reflection", "progress": slots[Evolved].many > 0}


# The last beat of each loop, and how it tells what the whole cycle came to.
CYCLES: Mapping[str, Callable[[Stimulus, Slots], dict[str, JSON]]] = {
    "record": cycle_of,
    "explore": explored,
    "evolve": evolved,
}
