"""What models may be trusted with: measured on this host, and kept for every being of it."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from lumen.app.reach import trust_file
from lumen.core.trust import LOWEST, Trust
from lumen.kernel.contour.slots import Self
from lumen.kernel.identity.digest import digest
from lumen.kernel.models.trust import (
    AUTHOR_NAME,
    HELD,
    NAME,
    cases,
    is_current,
    keep,
    known,
    measure,
)
from lumen.kernel.models.trust import SECONDS as SECONDS
from lumen.kernel.models.trust import TrustAnswer as TrustAnswer
from lumen.kernel.models.trust import TrustMeasure as TrustMeasure
from lumen.kernel.turn.recorded import PROMPTS
from lumen.kernel.turn.run import calls_for
from lumen.mind.roles import Assignment

if TYPE_CHECKING:
    from lumen.kernel.turn.run import Kernel
    from lumen.mind.substrate import ModelDescriptor

Tell = Callable[[TrustAnswer], None]


async def measure_model(
    kernel: Kernel, assignment: Assignment, tell: Tell, *, seconds: float | None = None
) -> TrustMeasure:
    """Ask a model everything in the set, and keep what came of it.

    Raises:
        MindError: it cannot be asked.
    """
    identity = digest((PROMPTS,), Self(name=NAME, author_name=AUTHOR_NAME), small=False)
    calls = calls_for(kernel, "lumen:author")
    try:
        found = await measure(calls, assignment, identity, seconds=seconds, tell=tell)
    finally:
        calls.settle()
    keep(trust_file(), found)
    return found


async def known_or_measured(
    kernel: Kernel, assignment: Assignment, model: ModelDescriptor, tell: Tell | None
) -> Trust:
    """What a model was measured to be able to do before; else now, for two minutes at most.

    Nobody to tell: it is not measured now.
    """
    before = known(trust_file()).get(model.key)
    if before is not None and (is_current(before) or tell is None):
        return before.may
    if tell is None:
        return LOWEST
    return (await measure_model(kernel, assignment, tell, seconds=SECONDS)).may


def questions() -> int:
    """How many a model is asked at most when it is set."""
    return sum(1 for case in cases() if case.half == HELD)
