"""What is asked of the fold: the self's files over time, cycles, calls to models, private marks."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from collections.abc import Set as AbstractSet
from typing import TYPE_CHECKING, Protocol

from lumen.core.data import FileVersion, FinishedCycle, Transition

if TYPE_CHECKING:
    from lumen.core.model_calls import ModelCall, Spent
    from lumen.core.payloads import ChangePayload

NOW = 1 << 62  # an event that is behind every event there is


class FileHistory(Protocol):
    """What became of the being's files, by the archive's word; nothing here reads a file."""

    def kept(self, path: str, at: int = NOW) -> FileVersion | None:
        """A file as an event left it; nothing when it was never set by then."""

    def all_kept(self, at: int = NOW) -> dict[str, FileVersion]:
        """Every file the archive knew at an event, those that were taken away too."""

    def versions(self, path: str) -> list[FileVersion]:
        """Every state a file was set to, oldest first."""

    def folded_without(
        self, path: str, gone: AbstractSet[int], again: Iterable[ChangePayload]
    ) -> str | None:
        """What a record would be if some events had not been, but for what is stated again of them."""

    def last_change(self) -> int:
        """The last event that changed a file."""

    def transitions(self) -> list[Transition]:
        """Every change of files, oldest first."""

    def checkpoints(self) -> dict[str, tuple[int, str]]:
        """Names for events, with the event and its time; the newest of one name counts."""

    def pending_edits(self) -> dict[str, str]:
        """Edits nobody has vouched for: which file, and the hash of what it was changed to."""

    def lines_written(self) -> list[tuple[str, str, int, str, str, str]]:
        """Every line there ever was in a file: path, line, event, its author, origin and turn."""


class Cycles(Protocol):
    """What came of the loops' cycles so far."""

    def last(self, loop: str) -> int:
        """The event that closed a loop's last cycle; 0: there was none."""

    def since(self, seq: int, most: int) -> list[FinishedCycle]:
        """The newest action cycles after an event, oldest first."""

    def many_since(self, seq: int) -> int:
        """How many action cycles there were after an event."""

    def so_far_back(self, many: int) -> int:
        """The event that closed the action cycle so many back, the newest being 1; 0: so many were not."""

    def vain_tries(self, goal: str, after: int = 0) -> int:
        """How often in a row a goal was pursued without getting on, since an event.

        What a skill brings for the first time is getting on; to bring it again and again is not.
        """

    def last_pursued(self, goal: str) -> int:
        """The event that closed the last cycle for a goal; 0: it was never pursued."""

    def last_external(self) -> int:
        """The last event that came from outside; 0: there was none."""

    def brought(self, skill: str, goal: str) -> bool:
        """Whether a skill brought something for a goal before."""

    def record_of(self, skill: str) -> tuple[int, int]:
        """How often, of late, a skill brought something, and how often it did not."""


class Ledger(Protocol):
    """Every call to a model, and what it took. Days are UTC days."""

    def calls(self, since: str = "", limit: int | None = None) -> Iterator[ModelCall]:
        """Calls made since a moment, the newest first."""

    def by_day_and_role(self, since: str) -> dict[tuple[str, str], Spent]:
        """What each day's calls came to, role by role."""

    def spent_on(self, day: str) -> dict[str, Spent]:
        """What a day's calls came to, by role."""

    def escalations(self, since: str) -> int:
        """How many calls since a moment went beyond what a role was assigned to.

        One that failed before anybody worked on it is none.
        """


class WithheldMarks(Protocol):
    """Marks, which are numbers, of what was said in private only: no word can be read off them."""

    def learn(self, marks_of: Callable[[str], Iterable[int]]) -> None:
        """Take in private memories that came, or were marked, since this was last done."""

    def known(self, marks: Iterable[int]) -> list[int]:
        """Those of some marks that stand for something private."""

    def said_openly(self, words: Sequence[str]) -> list[str]:
        """What the author said that holds all of some words and is not private."""
