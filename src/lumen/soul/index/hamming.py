"""In how many signs each row differs from a vector: the one thing that is done to every row of a set.

faiss counts them where it is installed, in a third of the time that numpy takes. Its function is called where
it stands in its library: to import the package takes longer than a hundred searches.

Of that function the library has one made for each kind of processor, and one that chooses among them. With
AVX-512 it chooses one that takes 1.8 times as long for rows of six words, which do not fill a register of
eight; wider rows and those of four it counts faster.
"""

from __future__ import annotations

import ctypes
import os
from collections.abc import Callable
from functools import cache
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import numpy.typing as npt

PACKAGE, LIBRARY = "faiss", "libfaiss.so"
# void hammings(one, other, of one, of other, bytes, out): by whole words, and as the library chooses
BY_WORD = "_ZN5faiss14hammings_fixSLILNS_9SIMDLevelE0EEEvPKhS3_mmmPi"
CHOSEN = "_ZN5faiss8hammingsEPKhS1_mmmPi"
HALF, WHOLE = 4, 8  # words of a register: rows between are counted by word
COUNTS_WORDS = os.uname().machine == "x86_64"  # others have no one instruction for a word
AT_ONCE = 4096  # rows that numpy compares at once: they stay in the cache

Words = npt.NDArray[np.uint64]
Counts = npt.NDArray[np.int32]


def distances(rows: Words, queries: Words) -> Counts:
    """In how many signs each row differs from each of some vectors, vector by vector.

    Rows stand one behind the other in memory, and so do vectors.
    """
    out = np.empty((len(queries), len(rows)), np.int32)
    count = native_count(COUNTS_WORDS and HALF < rows.shape[1] < WHOLE)
    if count:
        width = rows.shape[1] * rows.itemsize
        given = queries.ctypes.data, rows.ctypes.data, len(queries), len(rows)
        count(*given, width, out.ctypes.data)
    else:
        for query, counts in zip(queries, out, strict=True):
            _count(rows, query, counts)
    return out


def _count(rows: Words, query: Words, out: Counts) -> None:
    out[:] = 0
    for n in range(0, len(rows), AT_ONCE):
        for word, asked in zip(rows[n : n + AT_ONCE].T, query, strict=True):
            out[n : n + AT_ONCE] += np.bitwise_count(word ^ asked)


@cache
def native_count(by_word: bool) -> Callable[..., None] | None:
    """The function of the library; nothing where there is no such library, or it has none of these names."""
    found = find_spec(PACKAGE)
    if found is None or found.origin is None:
        return None
    try:
        library = ctypes.CDLL(str(Path(found.origin).with_name(LIBRARY)))
    except OSError:
        return None
    for name in (BY_WORD, CHOSEN) if by_word else (CHOSEN,):
        try:
            count = library[name]
        except AttributeError:
            continue
        count.argtypes = [*[ctypes.c_void_p] * 2, *[ctypes.c_size_t] * 3, ctypes.c_void_p]
        count.restype = None
        return count
    return None
