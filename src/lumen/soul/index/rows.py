"""What the modules of this folder ask of the index's database."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Protocol, TypeVar

import apsw

from lumen.core.data import BeingPaths

Result = TypeVar("Result")
Row = Any  # a row as SQLite hands it over; taken apart where it is asked for


class Rows(Protocol):
    """A database that repairs itself, and the being it tells of."""

    repairs: list[str]  # what had to be made again, in words for the author

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

    def number(self, sql: str, values: Sequence[object] = ()) -> int:
        """The one number of an answer; 0 where it has none."""
        ...

    def numbers(self, sql: str, values: Sequence[object] = ()) -> list[int]:
        """The number in each row of an answer."""
        ...

    def text(self, sql: str, values: Sequence[object] = ()) -> str:
        """The one text of an answer; empty where it has none."""
        ...

    def keep(self, *work: tuple[str, Sequence[tuple[object, ...]]]) -> None:
        """Change cached rows, all together: statements, each with the rows to run it on."""
        ...

    def alone(self, work: Callable[[apsw.Connection], Result]) -> Result:
        """Change cached rows, and files that go with them, while nobody else changes any."""
        ...
