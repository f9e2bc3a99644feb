"""START HERE: what a being does, in order.

A loop is a row of steps and what it may write. The order, when each step runs and the numbers it
judges by are data: contour/skai.json, or the contour that the author gave a being of theirs. The steps
are functions in steps/, found by their names. A contour is refused, naming the step, when one reads
what no earlier one wrote or asks for a store its loop is not granted; and naming the place in the data,
where that is wrong. The shipped one is read at import.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache, lru_cache
from importlib import import_module
from pathlib import Path
from pkgutil import walk_packages
from types import ModuleType
from typing import TypeVar

from lumen.core.errors import BadLoop
from lumen.core.stores import GRANTS, Store
from lumen.kernel import steps
from lumen.kernel.contour.policy import Parameters, Policy
from lumen.kernel.contour.read import Contour, found_in, read_contour
from lumen.kernel.contour.slots import Slot
from lumen.kernel.contour.step import Loop, Step, type_name
from lumen.kernel.steps.explore import Looked, Wondered
from lumen.kernel.steps.p1_perceive import Reality, Surface
from lumen.kernel.steps.p3_deliberate.drafts import Drafts
from lumen.kernel.steps.p3_deliberate.lambda_select import Selection
from lumen.kernel.steps.p3_deliberate.plan import Plan
from lumen.kernel.steps.p4_act import Acted, Reply
from lumen.kernel.steps.p5_consolidate import Evaluation
from lumen.kernel.steps.reflect import Asked, Evolved, Review
from lumen.soul.ports.queries import Queries

SHIPPED = Path(__file__).parents[1] / "contour" / "skai.json"
ALWAYS = ("ingest", "reality_check", "compose_final", "post_eval")  # whatever a contour says
READ_AFTERWARDS: Mapping[str, tuple[type[Slot], ...]] = {  # by whoever started the loop
    "action": (Surface, Reality, Plan, Drafts, Selection, Acted, Reply, Evaluation),
    "explore": (Wondered, Looked),
    "reflection": (Review, Asked, Evolved),
}
P = TypeVar("P", bound=Parameters)


@cache
def known_steps() -> Mapping[str, Step]:
    """Every step there is, by its name."""

    def modules() -> Iterator[ModuleType]:
        for found in walk_packages(steps.__path__, f"{steps.__name__}."):
            yield import_module(found.name)

    return found_in(modules())


@lru_cache(maxsize=8)
def contour_of(text: str) -> Contour:
    """The contour that a text holds, over the steps there are.

    Raises:
        BadLoop: it is none, or leaves out what no turn can do without; says where.
    """
    contour = read_contour(text.encode(), known_steps(), GRANTS)
    for name, wanted in READ_AFTERWARDS.items():
        if name not in contour.loops:
            raise BadLoop(f"loops.{name} is missing")
        _must_write(contour.loops[name], wanted)
    _must_always_run(contour.loops["action"])
    return contour


def _must_write(loop: Loop, wanted: tuple[type[Slot], ...]) -> None:
    written = {one.writes for one in loop.steps()}
    for kind in wanted:
        if kind not in written:
            by = next(one.name for one in known_steps().values() if one.writes is kind)
            raise BadLoop(
                f"loops.{loop.name}: {by} is left out, and whoever started the loop reads {type_name(kind)}"
            )


def _must_always_run(action: Loop) -> None:
    placed = {one.name: one for one in action.steps()}
    for name in ALWAYS:
        if name not in placed:
            raise BadLoop(f"loops.action: {name} is left out, and no turn can do without it")
        if placed[name].policy != Policy():
            raise BadLoop(f"steps.{name} must run in every turn: it takes no policy of its own")


def shipped_text() -> str:
    """The shipped contour, as it is written."""
    return SHIPPED.read_text("utf-8")


CONTOUR = contour_of(shipped_text())
LOOPS = CONTOUR.loops
ACTION = LOOPS["action"]


def contour_in_force(index: Queries) -> Contour:
    """The contour that the author gave this being, as long as it can be used; else the shipped one."""
    given = given_contour(index)
    try:
        return contour_of(given) if given is not None else CONTOUR
    except BadLoop:  # it was sound when it was given: the steps have changed since
        return CONTOUR


def given_contour(index: Queries) -> str | None:
    """The text of the contour that the author gave this being, if they did."""
    kept = index.files.kept(Store.CONTOUR.place.path)
    return kept.text if kept else None


def parameters(kind: type[P], contour: Contour = CONTOUR) -> P:
    """The numbers that steps judge by, for whoever shares their judgement."""
    for loop in contour.loops.values():
        for one in loop.steps():
            if isinstance(given := one.given.get(kind), kind):
                return given
    raise LookupError(f"no step takes {kind.__name__}")
