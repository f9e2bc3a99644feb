"""Upkeep between turns, and everything made anew from the archive."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from lumen.app.settings import Settings, data_home, must_be, zone
from lumen.app.storage import open_storage, soul_of
from lumen.core.clock import SystemClock
from lumen.core.data import BeingPaths
from lumen.core.errors import Damaged
from lumen.core.settings import blank
from lumen.kernel.gate.recovery import rebuild, write_settings
from lumen.kernel.turn.run import Kernel
from lumen.kernel.upkeep.maintain import fade, learn, reindex, summaries
from lumen.soul.checking.verify import verify
from lumen.soul.trust.keys import Keyring


@dataclass(frozen=True, slots=True)
class Reindexed:
    """How far the memories are indexed with the embedder that was chosen beside the built-in one."""

    embedder: str
    done: int
    of: int
    trouble: str


@dataclass(frozen=True, slots=True)
class Maintained:
    """What upkeep did: to the weights, which summaries it wrote, how many memories it learnt."""

    weights: str
    summaries: tuple[str, ...]
    learnt: int
    reindexed: Reindexed


def maintain(
    kernel: Kernel, settings: Settings, told: Callable[[str, int, int], None]
) -> Maintained:
    """Let unused memories fade, sum up the years, make memories findable by meaning."""
    faded = fade(kernel.gate, settings.half_life_days)
    written = summaries(kernel.gate, zone(settings.timezone))
    learnt = learn(kernel.index, kernel.recall, told)
    external = kernel.recall.external
    done, of = reindex(kernel.index, external, told) if external else (0, 0)
    again = Reindexed(settings.external_embedder, done, of, kernel.recall.trouble())
    return Maintained(faded, tuple(written), learnt, again)


def must_be_sound(being: BeingPaths) -> None:
    """See that an archive is one that anything may be made from.

    Raises:
        Damaged: it is not.
    """
    soul = soul_of(being) if _lost_settings(being) else must_be(being).soul
    report = verify(being, Keyring(data_home()), soul=soul)
    if report.problem and "witness" not in report.problem.what:
        raise Damaged(
            f"event {report.problem.seq} {report.problem.what}: nothing is made from such an archive",
            fix="lumen archive verify",
        )


def bring_settings_back(being: BeingPaths) -> list[str]:
    """Write lumen.toml again from a sound archive where it is gone; says so."""
    if not _lost_settings(being):
        return []
    storage = open_storage(being, Keyring(data_home()), SystemClock())
    storage.index.catch_up()
    try:
        return [write_settings(storage.index, storage.files, soul_of(being), blank())]
    finally:
        storage.index.close()


def _lost_settings(being: BeingPaths) -> bool:
    return not being.settings.exists() and bool(soul_of(being))


def make_again(kernel: Kernel, progress: Callable[[int, int], None]) -> tuple[int, list[str]]:
    """Make every table and every file again; returns how many events there are, and what was done."""
    told = rebuild(kernel.gate, progress)
    return kernel.index.events.last_head()[0], list(told)
