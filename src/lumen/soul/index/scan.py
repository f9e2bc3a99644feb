"""Which vectors of a set are nearest to one: all of them compared while they are few, their signs first
when they are many: the signs of every row, the same with weights of those that are close, and at last
the vectors of those that are closer still.

Vectors have length one, so a product is a cosine. It is `vecdot` that makes them: a product by `@` is given
to threads that wait for each other by turning in circles, which takes many times as long on a busy machine. Signs are taken of what is left of a vector without
the mean of the set, as it was when there were many for the first time: embedders put all texts into one
corner, where the plain signs of most numbers agree. How many signs differ is counted in hamming.py.
"""

from __future__ import annotations

import mmap
import os
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from functools import cache, partial
from typing import Any

import numpy as np
import numpy.typing as npt

from lumen.soul.index.hamming import Counts, Words, distances
from lumen.soul.index.sidecar import MARKS, SEQS, SIGNS, VECTORS, WORD, VectorFiles

MANY = 20_000  # rows from which on signs are compared first
MANY_LATER = 200  # rows of later events, from which on they are left out beforehand
CLOSE = 12_000  # rows of a part that are compared by weighted signs
CLOSER, EACH_CLOSER = 2_000, 10  # of them compared by their vectors: so many, or for each wanted
WEIGHTS = 6  # that a sign may have: 1, 3, 5 and so on
TAKEN = 256  # rows that are compared at once: they stay in the cache
SAMPLED = 16_384  # rows that tell the limit of what is close
ALONE = 250_000  # rows below which threads cost more than they do

Floats = npt.NDArray[np.float32]
Numbers = npt.NDArray[np.int64]
Barred = npt.NDArray[np.bool_]  # by event
Found = tuple[Numbers, Floats]  # places and cosines, best first
Part = Callable[[], Found]


@dataclass(frozen=True, slots=True)
class MappedVectors:
    """The files of one set as arrays, with room for rows that may come."""

    files: VectorFiles
    vectors: Floats
    seqs: Numbers
    marks: npt.NDArray[np.uint32]
    signs: Words | None

    def seek(self, query: Floats, wanted: Wanted) -> Part:
        """Look for the places nearest to a vector; what is returned tells them and their cosines, best first.

        Among many they are looked for meanwhile, by two threads, or by who asks for them where those are busy.
        """
        if self.signs is None or wanted.mean is None:
            return partial(self._all, query, wanted)
        part = partial(self._part, self.signs, query, query - wanted.mean, wanted)
        if wanted.rows < ALONE:
            return partial(part, slice(0, wanted.rows))
        half, threads = wanted.rows // 2, _two_threads(os.getpid())
        works = [partial(part, slice(0, half)), partial(part, slice(half, wanted.rows))]
        return partial(_together, [(work, threads.submit(work)) for work in works], wanted)

    def _all(self, query: Floats, wanted: Wanted) -> Found:
        """The nearest by all vectors."""
        places, cosines = np.arange(wanted.rows), np.vecdot(self.vectors[: wanted.rows], query)
        return _best(places, cosines, self._allowed(wanted, places), wanted)

    def _part(
        self, rows: Words, query: Floats, sought: Floats, wanted: Wanted, part: slice
    ) -> Found:
        """The nearest of some rows: close by their signs, and of those the nearest by their vectors."""
        away = distances(rows[part], signs(sought[None]))[0]
        if wanted.marks or wanted.later >= MANY_LATER:
            away[~self._allowed(wanted, part)] = np.iinfo(away.dtype).max
        few = max(CLOSER, EACH_CLOSER * wanted.most) + wanted.later
        close = closest(away, max(CLOSE + wanted.later, few))
        places = close + part.start
        places = places[closest(weighted(away[close], np.take(rows, places, axis=0), sought), few)]
        return _best(places, self._cosines(places, query), self._allowed(wanted, places), wanted)

    def _cosines(self, places: Numbers, query: Floats) -> Floats:
        out = np.empty(len(places), np.float32)
        rows = np.empty((TAKEN, len(query)), np.float32)
        for n in range(0, len(places), TAKEN):
            some = places[n : n + TAKEN]
            np.take(self.vectors, some, axis=0, out=rows[: len(some)], mode="clip")
            np.vecdot(rows[: len(some)], query, out=out[n : n + TAKEN])
        return out

    def _allowed(self, wanted: Wanted, places: Numbers | slice) -> npt.NDArray[np.bool_]:
        seqs = self.seqs[places]
        allowed = (seqs > 0) & (seqs < wanted.before)  # what was forgotten has no event any more
        if wanted.marks:
            allowed &= (self.marks[places] & np.uint32(wanted.marks)) != 0
        if wanted.barred is not None:
            allowed &= ~wanted.barred[np.minimum(seqs, len(wanted.barred) - 1)]
        return np.asarray(allowed)


def _together(parts: Sequence[tuple[Part, Future[Found]]], wanted: Wanted) -> Found:
    """The best of what was found in several parts; one that no thread has begun is looked through here."""
    found = [work() if begun.cancel() else begun.result() for work, begun in reversed(parts)]
    places, cosines = (np.concatenate(each) for each in zip(*found, strict=True))
    return _best(places, cosines, np.ones(len(places), np.bool_), wanted)


def _best(
    places: Numbers, cosines: Floats, allowed: npt.NDArray[np.bool_], wanted: Wanted
) -> Found:
    """The best of some places, in order."""
    places, cosines = places[allowed], cosines[allowed]
    if len(places) > wanted.most:
        best = np.argpartition(-cosines, wanted.most - 1)[: wanted.most]
        places, cosines = places[best], cosines[best]
    order = np.lexsort((places, -cosines))
    return places[order].astype(np.int64), cosines[order]


@dataclass(frozen=True, slots=True)
class Wanted:
    """What is asked of a set of so many rows."""

    rows: int
    most: int
    before: int
    later: int  # rows of that event or later; MANY_LATER stands for more
    marks: int
    mean: Floats | None
    barred: Barred | None = None  # what was said too late


@cache
def _two_threads(_process: int) -> ThreadPoolExecutor:
    """Threads that take a half of every search each; a process that was forked has its own."""
    return ThreadPoolExecutor(2)


def mapped(files: VectorFiles, *, signs: bool) -> MappedVectors:
    """The files of a set, mapped to be read."""
    return MappedVectors(
        files,
        _map(files, VECTORS, np.float32).reshape(-1, files.size),
        _map(files, SEQS, np.int64),
        _map(files, MARKS, np.uint32),
        _map(files, SIGNS, np.uint64).reshape(-1, files.words) if signs else None,
    )


def reaches(held: MappedVectors, rows: int, *, signs: bool) -> bool:
    """Whether arrays that were mapped have so many rows."""
    if signs and (held.signs is None or len(held.signs) < rows):
        return False
    return min(len(held.vectors), len(held.seqs), len(held.marks)) >= rows


def holds_any(held: MappedVectors, seqs: Sequence[int]) -> bool:
    """Whether any row is of one of some events."""
    return bool(np.isin(held.seqs, np.array(seqs, np.int64)).any())


def _map(files: VectorFiles, kind: str, dtype: Any) -> npt.NDArray[Any]:  # noqa: ANN401 - numpy's own
    with files.path(kind).open("rb") as file:
        found = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
    return np.frombuffer(found, dtype=dtype)


def signs(rows: Floats) -> Words:
    """A bit for each number, padded to whole words."""
    packed = np.packbits(rows > 0, axis=1)
    words = -(-packed.shape[1] // WORD)
    out = np.zeros((len(rows), words * WORD), np.uint8)
    out[:, : packed.shape[1]] = packed
    return out.view(np.uint64)


def mean_of(files: VectorFiles, rows: int) -> bytes:
    """The mean of the first vectors of a set, without what was forgotten."""
    found = mapped(files, signs=False)
    there = found.vectors[:rows][found.seqs[:rows] > 0]
    return bytes(there.mean(axis=0, dtype=np.float64).astype(np.float32).tobytes())


def write_signs(files: VectorFiles, mean: bytes, first: int, vectors: bytes | Floats) -> None:
    """Write the signs of rows from a place on."""
    rows = np.frombuffer(vectors, np.float32).reshape(-1, files.size)
    centre = np.frombuffer(mean, np.float32)
    for n in range(0, len(rows), SAMPLED):
        some = signs(rows[n : n + SAMPLED] - centre)
        some[~rows[n : n + SAMPLED].any(axis=1)] = 0  # of what was forgotten nothing is told
        files.write(first + n, len(some), {SIGNS: some.tobytes()})


def weighted(away: Counts, rows: Words, sought: Floats) -> Counts:
    """How much rows differ from a vector in their signs, where a sign weighs about what the number does.

    They are counted once more for each weight, against the vector with all signs turned round that have
    less: where a row differs from the vector it then agrees with that, so such a sign counts the less
    the more often it was turned. So nothing is done to a sign alone, and counting them is all there is.
    """
    size = np.abs(sought)
    limits = size.max() / 1.3 * np.arange(1, WEIGHTS) / WEIGHTS
    turned = np.where(size <= limits[:, None], -sought, sought)
    out: Counts = WEIGHTS * away + distances(rows, signs(turned)).sum(0, dtype=np.int32)
    return out


def closest(away: Counts, many: int) -> Numbers:
    """The rows that differ least: about so many, by a limit that some of them tell.

    One of the largest number is not wanted at all.
    """
    if not len(away):
        return np.zeros(0, np.int64)
    step = max(1, len(away) // SAMPLED)
    some = away[::step]
    last = min(many // step, len(some) - 1)
    limit = min(int(np.partition(some, last)[last]), int(np.iinfo(away.dtype).max) - 1)
    return np.flatnonzero(away <= limit)
