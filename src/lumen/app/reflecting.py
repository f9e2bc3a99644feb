"""Looking back when it is asked for: what happened since the last time, and what would change."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from lumen.kernel.reflection.evolve import Experience as Experience
from lumen.kernel.reflection.evolve import SelfChange as SelfChange
from lumen.kernel.reflection.experience import ArchivedExperience
from lumen.kernel.reflection.triggers import Fired
from lumen.kernel.steps.reflect import Reviewing
from lumen.kernel.turn.cycle import due, reflect
from lumen.kernel.turn.loops import contour_in_force, parameters
from lumen.kernel.turn.run import Kernel, Watch


@dataclass(frozen=True, slots=True)
class Reflection:
    """What a reflection came to, or (as a dry run) would come to.

    `past` is what went on since the last one, which `began` then; empty: since it was born.
    """

    summary: str
    triggers: tuple[Fired, ...]
    proposals: tuple[SelfChange, ...]
    conflicts: tuple[str, ...]
    applied: bool
    refused: str
    trouble: str
    past: Experience
    surprises: int  # outcomes as far off as a review counts
    began: str


async def look_back(
    kernel: Kernel, *, dry_run: bool = False, step: Callable[[str], None] = lambda _: None
) -> Reflection:
    """Let it look back and change what it values and wants; a dry run changes nothing."""
    why = due(kernel, asked=True)
    past = ArchivedExperience(kernel.index, kernel.thresholds.stale_cycles).experience()
    began = kernel.index.events.time_of(past.since)
    least = parameters(Reviewing, contour_in_force(kernel.index)).surprise
    came = await reflect(kernel, why, Watch(step=step), dry_run=dry_run)
    return Reflection(
        summary=came.summary,
        triggers=why,
        proposals=tuple(came.asked.proposals),
        conflicts=tuple(came.asked.conflicts),
        applied=came.applied,
        refused=came.refused,
        trouble=came.asked.trouble,
        past=past,
        surprises=sum(abs(cycle.delta) >= least for cycle in past.cycles),
        began=began,
    )
