"""Text to tokens by a unigram vocabulary: each word is cut into the likeliest row of pieces.

A quarter of a million pieces are found by their hashes, which numpy makes out of one string of all of
them: no object is made for each, as a dict would need.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

MARK = "\u2581"  # stands for the space before a word
BASE = np.uint64(0x9E3779B97F4A7C15)
UNKNOWN_COSTS = 10.0  # more than the least likely piece
_MARKS = re.compile(MARK.encode())
Hashes = NDArray[np.uint64]


@dataclass(frozen=True, slots=True)
class Pieces:
    """The vocabulary as a file holds it: all pieces in one string, where each begins, how likely it is."""

    string: NDArray[np.uint8]
    starts: NDArray[np.int64]
    scores: NDArray[np.float32]
    first: int  # what stands before it is no text
    unknown: int
    replaced: Mapping[int, str]  # characters that are read as others


class Unigram:
    """Cuts texts into pieces; keeps nothing of them."""

    def __init__(self, pieces: Pieces) -> None:
        self._pieces = pieces
        self._powers = np.full(len(pieces.string) + 1, BASE, dtype=np.uint64)
        self._powers[0] = 1
        np.cumprod(self._powers, out=self._powers)
        starts, stops = pieces.starts[pieces.first : -1], pieces.starts[pieces.first + 1 :]
        hashes = self._hashes(pieces.string, starts, stops)
        self._order = np.argsort(hashes)
        self._sorted = hashes[self._order]
        self._longest = int((stops - starts).max())
        self._no_piece = float(pieces.scores.min()) - UNKNOWN_COSTS

    def cut(self, text: str) -> list[int]:
        """The numbers of a text's pieces."""
        words = text.translate(self._pieces.replaced).split(" ")
        string = "".join(MARK + word for word in words if word).encode()
        best = [0.0, *[-np.inf] * len(string)]
        back = [(0, 0)] * (len(string) + 1)  # where the best piece that ends here begins, and which
        hits = self._hits(string)
        for start, byte in enumerate(string):
            if best[start] == -np.inf:
                continue
            wide = 1 + (byte >= 0xC0) + (byte >= 0xE0) + (byte >= 0xF0)
            unknown = (start + wide, self._pieces.unknown, self._no_piece)
            for stop, piece, score in (*hits.get(start, ()), unknown):
                if best[start] + score > best[stop]:
                    best[stop], back[stop] = best[start] + score, (start, piece)
        found, at = [], len(string)
        while at:
            at, piece = back[at]
            found.append(piece)
        return found[::-1]

    def _hits(self, string: bytes) -> dict[int, list[tuple[int, int, float]]]:
        """By where they begin, the pieces in a string of words: where each ends, which, how likely."""
        bytes_of = np.frombuffer(string, np.uint8)
        marks = np.array([at.start() for at in _MARKS.finditer(string)] + [len(string)])
        places = np.arange(len(string))
        until = marks[np.searchsorted(marks, places, side="right")]  # no piece is of two words
        many = np.minimum(until - places, self._longest)
        starts = np.repeat(places, many)
        stops = np.arange(len(starts)) - np.repeat(np.cumsum(many) - many, many) + starts + 1
        hashes = self._hashes(bytes_of, starts, stops)
        spots = np.minimum(np.searchsorted(self._sorted, hashes), len(self._sorted) - 1)
        right = self._sorted[spots] == hashes
        pieces = self._order[spots[right]] + self._pieces.first
        scores = self._pieces.scores[pieces]
        found: dict[int, list[tuple[int, int, float]]] = {}
        for start, *hit in zip(
            starts[right].tolist(),
            stops[right].tolist(),
            pieces.tolist(),
            scores.tolist(),
            strict=True,
        ):
            found.setdefault(start, []).append((hit[0], hit[1], hit[2]))
        return found

    def _hashes(
        self, string: NDArray[np.uint8], starts: NDArray[np.int64], stops: NDArray[np.int64]
    ) -> Hashes:
        """Hashes of some parts of a string, the same wherever in it they stand."""
        sums = np.zeros(len(string) + 1, dtype=np.uint64)
        np.cumsum(string * self._powers[: len(string)], out=sums[1:])
        shifted: Hashes = (sums[stops] - sums[starts]) * self._powers[-1 - starts]
        return shifted
