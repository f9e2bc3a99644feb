"""Vectors of memories and of single words, kept for an embedder: a cache that may be lost.

They are handed over as float32 bytes. How texts become vectors is not storage's concern.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from lumen.core.data import CosineFit, Passage

if TYPE_CHECKING:  # numpy, which others do without
    import numpy as np
    from numpy.typing import NDArray

LATEST = (1 << 63) - 1  # behind every event
LISTED_MARK = 1 << 16  # from this mark on, the passages that carry one can be listed


@dataclass(frozen=True, slots=True)
class PassageColumns:
    """Passages in the order of their events and of the text: a column for each thing that is known of them."""

    numbers: NDArray[np.int64]
    seqs: NDArray[np.int64]
    marks: NDArray[np.int64]
    vectors: NDArray[np.float32]  # a row for each


@dataclass(frozen=True, slots=True)
class NearColumns:
    """Passages that are near to a vector, the nearest first."""

    numbers: NDArray[np.int64]
    seqs: NDArray[np.int64]
    cosines: NDArray[np.float32]


class PassageSet(Protocol):
    """The vectors of memories that one embedder made."""

    def missing(self, limit: int, before: int = LATEST) -> list[int]:
        """Memories before an event that have no vector yet, the newest first."""

    def add(self, seqs: Sequence[int], passages: Sequence[Passage]) -> None:
        """Keep the passages of these memories; one forgotten in the meantime is left out.

        So are all of them when another embedder has the set in the meantime. What is kept is
        found by every process from then on.

        Raises:
            NoSpace: there is no room; none of them is kept.
        """

    def after(self, number: int) -> Iterator[Passage]:
        """Every passage added since, in the order they were added."""

    def nearest(
        self,
        query: bytes,
        most: int,
        *,
        before: int = LATEST,
        until: int | None = None,
        marks: int = 0,
    ) -> NearColumns:
        """The passages nearest to a vector, best first: of events before one, with any of some marks.

        Vectors have length one. No marks: it does not matter which a passage has. `until` is a day, as
        `date.toordinal` counts: what was said later is left out beforehand.
        """

    def seek(
        self,
        query: bytes,
        most: int,
        *,
        before: int = LATEST,
        until: int | None = None,
        marks: int = 0,
    ) -> Callable[[], NearColumns]:
        """Begin to look for them, and hand over what tells them: something else may be done meanwhile."""

    def passages_of(self, seqs: Iterable[int]) -> list[Passage]:
        """The passages of some memories, in the order of their events and of the text."""


class VectorSet(PassageSet, Protocol):
    """The vectors of the built-in embedder, by which alone things are judged; of single words too."""

    def missing_of(self, seqs: Iterable[int]) -> list[int]:
        """Those among these memories that have no vector yet."""

    def columns_of(self, seqs: Iterable[int]) -> PassageColumns:
        """The passages of many memories, in that order, without where in the text each passage is."""

    def unsettled(self, mark: int, limit: int) -> list[Passage]:
        """The newest passages with a listed mark of which it is not known what they revise."""

    def set_revisions(self, rows: Sequence[tuple[int, int]]) -> None:
        """Keep which memory revises which: pairs of the new one and the old one, or 0 for none.

        What was forgotten in the meantime is left out.
        """

    def revises(self, new: int) -> int:
        """The newest memory that one revises; 0: none."""

    def revised_by(
        self, olds: Iterable[int], *, before: int = LATEST, until: int | None = None
    ) -> dict[int, int]:
        """Of memories that were revised, before an event and up to a day, the newest that revises each."""

    def words(self, words: Sequence[str]) -> dict[str, bytes]:
        """The kept vectors of single words."""

    def add_words(self, vectors: dict[str, bytes], as_of: int) -> None:
        """Keep vectors of single words, unless something was forgotten since their text was read."""


class ExternalSet(PassageSet, Protocol):
    """The vectors of an external embedder: one chosen beside the built-in one.

    When another one was chosen, nothing is missing in it, nothing is added and nothing found.
    """

    def is_ours(self) -> bool:
        """Whether this embedder is still the one chosen; where none is, it becomes the one."""

    def fit(self) -> CosineFit | None:
        """What was found out when the set was begun; nothing before."""

    def begin(self, fit: CosineFit) -> None:
        """Keep the fit beside the set; of two that were made at once the first stays."""


class Vectors(Protocol):
    """Both sets of vectors: one of the built-in embedder, one of an external embedder, if any."""

    def built_in(self, embedder: str) -> VectorSet:
        """The set of the built-in embedder; those of another one are dropped."""

    def external(self, embedder: str, *, private: bool) -> ExternalSet:
        """The second set, as one embedder sees it."""

    def choose(self, embedder: str, *, private: bool = False) -> None:
        """From now on this embedder's set is kept, any other dropped; nothing chosen: an empty name.

        `private` tells whether memories marked private are part of the set.
        """

    def progress(self, embedder: str = "") -> tuple[int, int]:
        """How many memories have a vector of the built-in embedder, and how many are worth one.

        Those of an embedder that was built in before count unless the one of today is named.
        """

    def reindexed(self, embedder: str) -> tuple[int, int]:
        """How many memories have a vector of this external embedder, and how many are to have one."""

    def replaced_count(self) -> int:
        """How many memories are revised by a later one."""

    def drop_words(self) -> None:
        """Forget the vectors of single words."""

    def kept_words(self) -> list[str]:
        """The single words that have a vector."""

    def has_erased(self) -> bool:
        """Whether anything that was forgotten still has a vector, of whichever embedder."""
