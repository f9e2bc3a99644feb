"""Where a being is kept: in files and SQLite, in its own folder. The one place that says so."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from lumen.core.data import BeingPaths
from lumen.soul.writing.open import engine as engine
from lumen.soul.writing.open import files_of as files_of
from lumen.soul.writing.open import has_events as has_events
from lumen.soul.writing.open import locks_of as locks_of
from lumen.soul.writing.open import open_index as open_index
from lumen.soul.writing.open import open_storage as open_storage
from lumen.soul.writing.open import size_of as size_of
from lumen.soul.writing.open import soul_of as soul_of

if TYPE_CHECKING:
    from lumen.soul.ports.queries import Queries


@contextmanager
def asking(being: BeingPaths) -> Iterator[Queries]:
    """What can be asked of a being, caught up, for as long as this is open."""
    index = open_index(being)
    try:
        index.catch_up()
        yield index
    finally:
        index.close()
