"""What was said, session by session: who spoke, how long, and which terms how often.

A session is a conversation; what was said in none belongs to its day. Only what somebody said or a
tool found is in one. How a question is ranked by it is not storage's concern.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:  # numpy, which others do without
    import numpy as np
    from numpy.typing import NDArray

    Numbers = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Utterances:
    """Memories in their sessions, by event: a column for each thing that is known of them."""

    seqs: Numbers  # going up
    sessions: Numbers
    previous: Numbers  # what was said before each in its session; 0: nothing
    following: Numbers
    days: Numbers  # as `date.toordinal` counts
    lengths: Numbers  # in terms
    speakers: Sequence[str]  # in lower case; empty: the author or the being
    terms: Sequence[str]  # each term between two blanks of its own, as often as it occurs


@dataclass(frozen=True, slots=True)
class SessionCounts:
    """Sessions by number: how much was said in each, how often each of some terms, how many of some names spoke."""

    numbers: Numbers  # going up
    lengths: Numbers
    counts: Numbers  # a row for each session, a column for each term
    spoke: Numbers


@dataclass(frozen=True, slots=True)
class Totals:
    """How much there is: memories with words, those in sessions, sessions, terms in all sessions."""

    texts: int
    utterances: int
    sessions: int
    length: int


@dataclass(frozen=True, slots=True)
class TermFrequency:
    """In how many memories and in how many sessions a term is."""

    memories: int
    sessions: int


class Sessions(Protocol):
    """Memories among their neighbours; what was forgotten is in no session."""

    def totals(self) -> Totals:
        """How much there is."""

    def terms(self, words: Sequence[str]) -> dict[str, TermFrequency]:
        """The terms that words are found by, the commonest form of each, and how frequent they are."""

    def named(self, words: Iterable[str]) -> frozenset[str]:
        """Those among some words in lower case that are part of a speaker's name."""

    def utterances(self, seqs: Iterable[int]) -> Utterances:
        """Memories among their neighbours, those that are in a session."""

    def near(self, seq: int, most: int) -> Utterances:
        """A memory and up to so many before and after it in its session."""

    def sessions(
        self, numbers: Iterable[int], terms: Sequence[str], names: Iterable[str]
    ) -> SessionCounts:
        """Those of some sessions that there are, and how often some terms and names are in each."""
