"""Wiring only: puts clock, archive, index, recall, models and skills together for one being."""

from __future__ import annotations

from lumen.body.config import Settings, data_home, must_be, zone
from lumen.core.clock import SystemClock
from lumen.core.data import Being
from lumen.hands.run import Limits
from lumen.kernel.capabilities import PROMPTS
from lumen.kernel.commit import Gate
from lumen.kernel.recall import Recall
from lumen.kernel.run import Kernel, close_dead_turns
from lumen.kernel.slots import Now, Self
from lumen.mind.ask import Reach
from lumen.mind.embed import Embedder
from lumen.mind.roles import parse_assignments
from lumen.soul.index import Index
from lumen.soul.keys import Keyring
from lumen.soul.selfhood import Selfhood, read_self


def keyring() -> Keyring:
    """The keys and witnesses of this host."""
    return Keyring(data_home())


def open_kernel(being: Being, settings: Settings | None = None) -> tuple[Kernel, list[str]]:
    """Open a being for turns; says what had to be mended."""
    settings = settings or must_be(being)
    clock = SystemClock()
    gate = Gate(being, keyring(), clock)
    index = Index(being)
    gate.recover(index, settings.soul)
    settings = must_be(being)  # a change that was archived only may have been finished
    where = zone(settings.timezone)
    found = read_self(being)
    kernel = Kernel(
        being=being,
        gate=gate,
        index=index,
        recall=Recall(index, Embedder()),
        reach=Reach(parse_assignments(settings.roles), (being.prompts, PROMPTS), clock),
        clock=clock,
        self_=_snapshot(found, settings.author_name),
        now=lambda: Now(clock.now(), where),
        limits=Limits(seconds=settings.skill_seconds),
    )
    mended = [
        *found.problems,
        *gate.repairs,
        *index.repairs,
        *close_dead_turns(kernel),
    ]
    gate.repairs.clear()
    return kernel, mended


def _snapshot(found: Selfhood, author_name: str) -> Self:
    return Self(
        name=found.name,
        author_name=author_name,
        narrative=found.narrative,
        values=tuple((v.name, v.weight) for v in found.values if v.status == "active"),
        goals=tuple((g.name, g.status) for g in found.goals if g.status != "done"),
    )
