"""What a model may be trusted with, as figures: `lumen lab trust`."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from lumen.app.trust import TrustAnswer, TrustMeasure, measure_model
from lumen.app.wiring import Kernel
from lumen.mind.roles import parse_assignment


@dataclass(frozen=True, slots=True)
class TrustRun:
    """A model to be measured; `verbose` hears every question and answer."""

    kernel: Kernel
    model: str
    verbose: Callable[[str], None] | None = None

    async def measured(self) -> TrustMeasure:
        """Ask it everything, however long that takes."""
        return await measure_model(
            self.kernel, parse_assignment("interface", self.model), self._tell
        )

    def _tell(self, asked: TrustAnswer) -> None:
        if self.verbose is not None:
            mark = "✓" if asked.passed else "✗"
            answer = " ".join(asked.answer.split()) or "(nothing that fits)"
            self.verbose(f"{mark} {asked.of} ({asked.half}): {asked.question}\n    {answer}")


def lines(found: TrustMeasure) -> Iterator[str]:
    """What was passed, and what follows from it."""
    yield f"{'':<10} held    dev"
    for about, (passed, asked) in found.scores.items():
        also, more = found.dev[about]
        yield f"{about:<10} {passed} of {asked}  {also} of {more}"
    yield f"{found.model} may: {', '.join(found.may)}"
