"""What a model may be trusted with, as figures: `lumen lab trust`."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from lumen.app.trust import TrustAnswer, TrustMeasure, measure_model
from lumen.app.wiring import Kernel
from lumen.mind.roles import parse_assignment


async def measured(kernel: Kernel, model: str, verbose: Callable[[str], None]) -> TrustMeasure:
    """Ask a model everything, however long that takes; `verbose` hears every question and answer."""

    def tell(asked: TrustAnswer) -> None:
        mark = "✓" if asked.passed else "✗"
        answer = " ".join(asked.answer.split()) or "(nothing that fits)"
        verbose(f"{mark} {asked.of} ({asked.half}): {asked.question}\n    {answer}")

    return await measure_model(kernel, parse_assignment("interface", model), tell)


def lines(found: TrustMeasure) -> Iterator[str]:
    """What was passed, and what follows from it."""
    yield f"{'':<10} held    dev"
    for about, (passed, asked) in found.scores.items():
        also, more = found.dev[about]
        yield f"{about:<10} {passed} of {asked}  {also} of {more}"
    yield f"{found.model} may: {', '.join(found.may)}"
