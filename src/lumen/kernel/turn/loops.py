"""START HERE: what a being does, in order.

A loop is a row of steps and what it may write. The order, when each step runs and the numbers it
judges by are data: contour/skai.json. The steps are functions in steps/, found by their names.
The import fails, naming the step, when a step reads what no earlier one wrote or asks for a store
its loop is not granted; and naming the place in the data, where that is wrong.
"""

from __future__ import annotations

from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from pkgutil import walk_packages
from types import ModuleType
from typing import TypeVar

from lumen.core.stores import GRANTS
from lumen.kernel import steps
from lumen.kernel.contour.policy import Parameters
from lumen.kernel.contour.read import found_in, read_contour

CONTOUR = Path(__file__).parents[1] / "contour" / "skai.json"
P = TypeVar("P", bound=Parameters)


def _modules() -> Iterator[ModuleType]:
    for found in walk_packages(steps.__path__, f"{steps.__name__}."):
        yield import_module(found.name)


_contour = read_contour(CONTOUR.read_bytes(), found_in(_modules()), GRANTS)
LOOPS = _contour.loops
SHOWN = _contour.shown  # the words for whoever watches, by the name of what runs
ACTION, EXPLORE, REFLECTION = (LOOPS[name] for name in ("action", "explore", "reflection"))


def parameters(kind: type[P]) -> P:
    """The numbers that steps judge by, for whoever shares their judgement."""
    for loop in LOOPS.values():
        for one in loop.steps():
            if isinstance(given := one.given.get(kind), kind):
                return given
    raise LookupError(f"no step takes {kind.__name__}")
