"""What was read of many memories, column by column: where one is among others, and some put together."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

from lumen.soul.ports.sessions import SessionCounts, Utterances

Numbers = NDArray[np.int64]


def places(among: Numbers, wanted: Numbers) -> Numbers:
    """Where each number is among others, which go up; -1 where it is not."""
    if not len(among):
        return np.full(len(wanted), -1)
    at = among.searchsorted(wanted)
    at[at == len(among)] = 0
    at[among[at] != wanted] = -1
    return at


def among(some: Numbers, wanted: Numbers) -> NDArray[np.bool_]:
    """Whether each number is among others, which go up."""
    return places(some, wanted) >= 0


def numbers(some: Iterable[int]) -> Numbers:
    """Some numbers as a column, in their order."""
    return np.array([*some], np.int64)


def some_of(said: Utterances, at: Numbers) -> Utterances:
    """Some rows of many."""
    return Utterances(
        said.seqs[at],
        said.sessions[at],
        said.previous[at],
        said.following[at],
        said.days[at],
        said.lengths[at],
        [said.speakers[n] for n in at.tolist()],
        [said.terms[n] for n in at.tolist()],
    )


def together(parts: Sequence[Utterances]) -> Utterances:
    """All that was read, each memory once."""
    if len(parts) == 1:
        return parts[0]
    every = Utterances(
        seqs=np.concatenate([part.seqs for part in parts]),
        sessions=np.concatenate([part.sessions for part in parts]),
        previous=np.concatenate([part.previous for part in parts]),
        following=np.concatenate([part.following for part in parts]),
        days=np.concatenate([part.days for part in parts]),
        lengths=np.concatenate([part.lengths for part in parts]),
        speakers=[speaker for part in parts for speaker in part.speakers],
        terms=[terms for part in parts for terms in part.terms],
    )
    return some_of(every, np.unique(every.seqs, return_index=True)[1])


def both(one: SessionCounts, other: SessionCounts) -> SessionCounts:
    """The sessions of two readings, of which none is in both."""
    order = np.argsort(np.concatenate([one.numbers, other.numbers]))
    return SessionCounts(
        *(
            np.concatenate([getattr(one, name), getattr(other, name)])[order]
            for name in ("numbers", "lengths", "counts", "spoke")
        )
    )
