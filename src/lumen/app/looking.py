"""A being looked at without being opened: its settings and its index, caught up; nothing is changed."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from zoneinfo import ZoneInfo

from lumen.app.settings import Settings, must_be, zone
from lumen.app.status import strange
from lumen.app.storage import asking, files_of
from lumen.core.data import BeingPaths
from lumen.kernel.contour.state import State, state_in_force
from lumen.soul.ports.files import FilesOnDisk
from lumen.soul.ports.queries import Queries


@dataclass(frozen=True, slots=True)
class ReadOnlyBeing:
    """What the questions of the author are asked of."""

    being: BeingPaths
    settings: Settings
    index: Queries
    files: FilesOnDisk

    @property
    def state(self) -> State:
        """What its records hold, by the archive's word."""
        return state_in_force(self.index)

    @property
    def zone(self) -> ZoneInfo:
        """Where the author is."""
        return zone(self.settings.timezone)


@contextmanager
def looking(being: BeingPaths, tell: Callable[[str], None]) -> Iterator[ReadOnlyBeing]:
    """A being to ask things of; what had to be repaired, or is not as this host knows it, is told."""
    settings = must_be(being)
    with asking(being) as index:
        for line in [*index.repairs, *strange(index, settings.soul)]:
            tell(line)
        index.repairs.clear()
        yield ReadOnlyBeing(being, settings, index, files_of(being))
        for line in index.repairs:
            tell(line)
