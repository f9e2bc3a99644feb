"""For tests: a clock turned by hand, a model that follows a script, and what any storage must hold.

The product imports nothing of this. A conformance class is plain: subclass it under a name that pytest
collects, and say in `open` how a being is opened on the storage in question.
"""

from __future__ import annotations

from lumen.mind.substrates.scripted import Rule as Rule
from lumen.testing.clock import HandClock as HandClock
from lumen.testing.event_log import EventLogConformance as EventLogConformance
from lumen.testing.locks import LocksConformance as LocksConformance
from lumen.testing.queries import QueriesConformance as QueriesConformance
from lumen.testing.scripted import scripted as scripted
from lumen.testing.self_files import SelfFilesConformance as SelfFilesConformance
from lumen.testing.sessions import SessionsConformance as SessionsConformance
from lumen.testing.vectors import VectorsConformance as VectorsConformance
