"""What was said, session by session: who spoke, how long, and which terms how often.

A session is a conversation; what was said in none belongs to its day. Only what somebody said or a
tool found is in one. How a question is ranked by it is not storage's concern.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol


@dataclass(frozen=True, slots=True)
class Utterance:
    """One memory in its session; 0 where nothing was said before or after it."""

    seq: int
    session: int
    previous: int
    following: int
    day: int  # as `date.toordinal` counts
    speaker: str  # in lower case; empty: the author or the being
    length: int  # in terms
    terms: str  # each between two blanks of its own, as often as it occurs

    def count(self, term: str) -> int:
        """How often it holds a term."""
        return self.terms.count(f" {term} ")


@dataclass(frozen=True, slots=True)
class Session:
    """A session: how much was said in it, who of those asked for spoke, and how often some terms were."""

    length: int
    speakers: frozenset[str]
    counts: Mapping[str, int]


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
        ...

    def terms(self, words: Sequence[str]) -> dict[str, TermFrequency]:
        """The terms that words are found by, the commonest form of each, and how frequent they are."""
        ...

    def named(self, words: Iterable[str]) -> frozenset[str]:
        """Those among some words in lower case that are part of a speaker's name."""
        ...

    def utterances(self, seqs: Iterable[int]) -> dict[int, Utterance]:
        """Memories among their neighbours, those that are in a session."""
        ...

    def near(self, seq: int, most: int) -> list[int]:
        """A memory and up to so many before and after it in its session, in order."""
        ...

    def sessions(
        self, numbers: Iterable[int], terms: Sequence[str], names: Iterable[str]
    ) -> dict[int, Session]:
        """Sessions by number, with how often each of some terms is said in them, and which names spoke."""
        ...
