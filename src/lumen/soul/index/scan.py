"""Which vectors of a set are nearest to one: all of them compared while they are few, their signs first
when they are many: some signs of every row, all signs with weights of those that are close, and at last
the vectors of those that are closer still.

Vectors have length one, so a product is a cosine. It is `vecdot` that makes them: a product by `@` is given
to threads that wait for each other by turning in circles, which takes many times as long on a busy machine. Signs are taken of what is left of a vector without
the mean of the set, as it was when there were many for the first time: embedders put all texts into one
corner, where the plain signs of most numbers agree. What is close by signs is compared by the vectors.
"""

from __future__ import annotations

import mmap
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from lumen.soul.index.sidecar import BITS, BLOCK, MARKS, SEQS, VECTORS, WORD, VectorFiles

MANY = 20_000  # rows from which on signs are compared first
MANY_LATER = 200  # rows of later events, from which on they are left out beforehand
CLOSE = 5000  # rows of a part that are close by signs and then compared by weighted signs
CLOSER = 700  # those of them that are closest by these, and then compared by their vectors
PLANES = 4  # bits of the weight of a sign
TAKEN = 256  # rows that are compared at once: they stay in the cache
SAMPLED = 16_384  # rows that tell the limit of what is close
SCANNED = 4  # words of signs that are compared in every row
ALONE = 32  # blocks below which a second thread costs more than it does

Floats = npt.NDArray[np.float32]
Words = npt.NDArray[np.uint64]
Numbers = npt.NDArray[np.int64]
Barred = npt.NDArray[np.bool_]  # by event
Distances = npt.NDArray[np.uint8] | npt.NDArray[np.uint16]


@dataclass(frozen=True, slots=True)
class MappedVectors:
    """The files of one set as arrays, with room for rows that may come."""

    files: VectorFiles
    vectors: Floats
    seqs: Numbers
    marks: npt.NDArray[np.uint32]
    bits: Words | None

    def nearest(self, query: Floats, wanted: Wanted) -> tuple[Numbers, Floats]:
        """The places nearest to a vector, and their cosines, best first."""
        if self.bits is None or wanted.mean is None:
            places, cosines = np.arange(wanted.rows), np.vecdot(self.vectors[: wanted.rows], query)
            return _best(places, cosines, self._allowed(wanted, places), wanted)
        blocks = -(-wanted.rows // BLOCK)
        if blocks < ALONE:
            return self._part(query, wanted, 0, blocks)
        with ThreadPoolExecutor(1) as pool:
            other = pool.submit(self._part, query, wanted, 0, blocks // 2)
            found = [self._part(query, wanted, blocks // 2, blocks), other.result()]
        places, cosines = (np.concatenate(each) for each in zip(*found, strict=True))
        return _best(places, cosines, np.ones(len(places), np.bool_), wanted)

    def _part(
        self, query: Floats, wanted: Wanted, first: int, after: int
    ) -> tuple[Numbers, Floats]:
        """The nearest of some blocks: close by their signs, and of those the nearest by their vectors."""
        start, stop = first * BLOCK, min(after * BLOCK, wanted.rows)
        if self.bits is None or wanted.mean is None or start >= stop:
            return np.zeros(0, np.int64), np.zeros(0, np.float32)
        sought = query - wanted.mean
        away = distances(self.bits[first:after], signs(sought[None])[0])[: stop - start]
        if wanted.marks or wanted.later >= MANY_LATER:
            away[~self._allowed(wanted, slice(start, stop))] = np.iinfo(away.dtype).max
        places = closest(away, max(CLOSE, 50 * wanted.most) + wanted.later) + start
        few = max(CLOSER, 10 * wanted.most) + wanted.later
        places = places[closest(weighted_distances(_columns(self.bits, places), sought), few)]
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


def _best(
    places: Numbers, cosines: Floats, allowed: npt.NDArray[np.bool_], wanted: Wanted
) -> tuple[Numbers, Floats]:
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


def mapped(files: VectorFiles, *, bits: bool) -> MappedVectors:
    """The files of a set, mapped to be read."""
    words = None
    if bits:
        words = _map(files, BITS, np.uint64).reshape(-1, files.words, BLOCK)
    return MappedVectors(
        files,
        _map(files, VECTORS, np.float32).reshape(-1, files.size),
        _map(files, SEQS, np.int64),
        _map(files, MARKS, np.uint32),
        words,
    )


def reaches(held: MappedVectors, rows: int, *, bits: bool) -> bool:
    """Whether arrays that were mapped have so many rows."""
    if bits and (held.bits is None or len(held.bits) * BLOCK < rows):
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
    found = mapped(files, bits=False)
    there = found.vectors[:rows][found.seqs[:rows] > 0]
    return bytes(there.mean(axis=0, dtype=np.float64).astype(np.float32).tobytes())


def write_signs(files: VectorFiles, mean: bytes, first: int, vectors: bytes | Floats) -> None:
    """Write the bits of rows from a place on."""
    rows = np.frombuffer(vectors, np.float32).reshape(-1, files.size)
    centre, at = np.frombuffer(mean, np.float32), range(0, len(rows), BLOCK)
    found = (_pieces(files, first + n, signs(rows[n : n + BLOCK] - centre)) for n in at)
    files.write_bits(first, len(rows), (piece for some in found for piece in some))


def _pieces(files: VectorFiles, place: int, rows: Words) -> Iterator[tuple[int, bytes]]:
    """Where the signs of rows that stand one after the other go in the file of bits."""
    done = 0
    while done < len(rows):
        some = rows[done : done + BLOCK - (place + done) % BLOCK]
        for word in range(files.words):
            yield files.bit_offset(place + done, word), some[:, word].tobytes()
        done += len(some)


def _columns(bits: Words, places: Numbers) -> Words:
    """All signs of some rows, a column for each."""
    words = bits.shape[1]
    starts = places // BLOCK * (words * BLOCK) + places % BLOCK
    found: Words = bits.reshape(-1)[starts + BLOCK * np.arange(words)[:, None]]
    return found


def distances(bits: Words, query: Words) -> Distances:
    """In how many of the first signs each row differs from a vector.

    Block by block, so that what is in between stays in the cache. One that differs in all 256 is counted
    as one that differs in none: a byte is enough, and its weights tell them apart.
    """
    some = min(SCANNED, bits.shape[1])
    out = np.empty((len(bits), BLOCK), np.uint8)
    differ = np.empty((some, BLOCK), np.uint64)
    counts = np.empty((some, BLOCK), np.uint8)
    column = query[:some, None]
    for block, row in zip(bits, out, strict=True):
        np.bitwise_xor(block[:some], column, out=differ)
        np.bitwise_count(differ, out=counts)
        np.add.reduce(counts, axis=0, out=row)
    return out.reshape(-1)


def weighted_distances(columns: Words, sought: Floats) -> npt.NDArray[np.uint16]:
    """How much rows differ from a vector in their signs, where a sign weighs what the number does.

    Weights are rounded to so many bits, and each bit of all of them is counted at once.
    """
    size = np.abs(sought)
    weights = np.minimum(size * (1.3 * 2**PLANES / max(size.max(), 1e-9)), 2**PLANES - 1)
    differ = columns ^ signs(sought[None]).T
    out = np.zeros(columns.shape[1], np.uint16)
    for plane in range(PLANES):
        heavy = signs((weights.astype(np.uint8) >> plane & 1)[None]).T
        out += np.add.reduce(np.bitwise_count(differ & heavy), axis=0, dtype=np.uint16) << plane
    return out


def closest(away: Distances, many: int) -> Numbers:
    """The rows that differ least: about so many, by a limit that some of them tell.

    One of the largest number is not wanted at all.
    """
    if not len(away):
        return np.zeros(0, np.int64)
    step = max(1, len(away) // SAMPLED)
    some = np.sort(away[::step])
    limit = min(int(some[min(many // step, len(some) - 1)]), int(np.iinfo(away.dtype).max) - 1)
    return _set_places(away <= limit)


def _set_places(wanted: npt.NDArray[np.bool_]) -> Numbers:
    """Where a few of very many are set: eight are looked at in one."""
    whole = len(wanted) // WORD * WORD
    words = np.flatnonzero(wanted[:whole].view(np.uint64))
    row, place = np.nonzero(wanted[:whole].reshape(-1, WORD)[words])
    return np.concatenate([words[row] * WORD + place, np.flatnonzero(wanted[whole:]) + whole])
