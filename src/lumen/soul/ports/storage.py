"""All that keeps one being, behind ports: what the gate is given."""

from __future__ import annotations

from dataclasses import dataclass

from lumen.soul.ports.event_log import EventLog
from lumen.soul.ports.locks import Locks
from lumen.soul.ports.queries import Queries
from lumen.soul.ports.self_files import SelfFiles


@dataclass(frozen=True, slots=True)
class Storage:
    """An open being, wherever it is kept."""

    log: EventLog
    index: Queries
    files: SelfFiles
    locks: Locks
