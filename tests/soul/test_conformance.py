"""Files and SQLite are what any storage must be."""

from __future__ import annotations

from pathlib import Path

from lumen.core.clock import SystemClock
from lumen.core.data import BeingPaths
from lumen.soul.ports.storage import Storage
from lumen.soul.trust.keys import Keyring
from lumen.soul.writing.open import open_storage
from lumen.testing import (
    EventLogConformance,
    LocksConformance,
    QueriesConformance,
    SelfFilesConformance,
    SessionsConformance,
    VectorsConformance,
)


class OnFiles:
    """A being in a folder, with the keys of its host beside it."""

    def open(self, where: Path) -> Storage:
        return open_storage(BeingPaths(where / "being"), Keyring(where / "host"), SystemClock())


class TestEventLog(OnFiles, EventLogConformance):
    pass


class TestSessions(OnFiles, SessionsConformance):
    pass


class TestQueries(OnFiles, QueriesConformance):
    pass


class TestVectors(OnFiles, VectorsConformance):
    pass


class TestLocks(OnFiles, LocksConformance):
    pass


class TestSelfFiles(OnFiles, SelfFilesConformance):
    pass
