"""What the modules of this folder ask of the index's database."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol

from lumen.core.data import BeingPaths

Row = Any  # a row as SQLite hands it over; taken apart where it is asked for


class Rows(Protocol):
    """A database that mends itself, and the being it tells of."""

    @property
    def being(self) -> BeingPaths:
        """Where the archive is that the rows are made from."""
        ...

    def rows(self, sql: str, values: Sequence[object] = ()) -> list[Row]:
        """All rows of an answer."""
        ...

    def row(self, sql: str, values: Sequence[object] = ()) -> Row:
        """The first row of an answer, or nothing."""
        ...

    def keep(self, *work: tuple[str, Sequence[tuple[object, ...]]]) -> None:
        """Change cached rows, all together: statements, each with the rows to run it on."""
        ...
