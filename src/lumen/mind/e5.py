"""The multilingual-e5-small embedder, from a file that holds its weights in four bits each.

The file begins with sizes, the vocabulary and the names of the tensors. A tensor of four bits is a row
of blocks: a scale in two bytes, then 16 bytes with 32 numbers from -8 to 7, the first half of the
numbers in the lower bits. The layers are made into floats when it is loaded, rows of words as they
are met.

Left alone, all its vectors lie in one corner, those of a language side by side, and those of questions.
What all have in common is taken off, and the directions that tell only of the language or of a question.
Then all are given one share in common again, so that near and far are the numbers they are with MiniLM.
All this is data: `e5_centre.json`, made by tools/calibrate.py.
"""

from __future__ import annotations

import json
import struct
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Self

import numpy as np
from numpy.typing import NDArray

from lumen.core.canon import clean
from lumen.mind.built_in import E5_ID, E5_WEIGHTS
from lumen.mind.encoder import (
    MAX_TOKENS,
    SIZE,
    Encoder,
    Layer,
    Linear,
    Matrix,
    Norm,
    layer_of,
    unit,
)
from lumen.mind.unigram import Pieces, Unigram

MAX_CHARS = 2048  # 256 tokens of prose are about 1,100
CENTRE = Path(__file__).with_name("e5_centre.json")
LAYERS, WIDE = 12, 1536
BEGIN, END, SPECIAL = 0, 2, 4  # tokens; those before the last are no text
BLOCK = np.dtype([("scale", "<f2"), ("numbers", "u1", 16)])
MATRICES = {
    "query": ("q", SIZE),
    "key": ("k", SIZE),
    "value": ("v", SIZE),
    "attended": ("ao", SIZE),
    "widen": ("fi", WIDE),
    "narrow": ("fo", SIZE),
}
NORMS = {"attended": "aln", "narrow": "oln"}
Bytes = NDArray[np.uint8]


class E5:
    """Turns texts into unit vectors; safe to use from several threads."""

    id = E5_ID
    size = SIZE

    def __init__(self, centre: Path | None = CENTRE) -> None:
        self._centre = Centre.read(centre) if centre else None
        raw = np.memmap(E5_WEIGHTS.verified(), dtype=np.uint8, mode="r")
        file = _HeaderReader(raw)
        file.numbers("4sI7ifi")  # sizes, which are known
        self._unigram = Unigram(_pieces(file))
        tensors = _tensors(raw, file)
        words = np.asarray(tensors["emb.word"]).view(BLOCK).reshape(-1, SIZE // 32)
        places = _floats(tensors["emb.pos"])[: MAX_TOKENS * SIZE].reshape(-1, SIZE)
        places = places + _floats(tensors["emb.type"])[:SIZE]
        layers = [_layer(tensors, f"l{n}") for n in range(LAYERS)]
        norm = _norm(tensors, "emb.ln")
        self._encoder = Encoder(lambda ids: _numbers(words[ids]), places, norm, layers)

    def embed(self, texts: Sequence[str]) -> Matrix:
        """One row of length 1 for each text; a text's first 256 tokens count."""
        rows = self._encoder.encode([self._tokens(text) for text in texts])
        return self._centre.centred(rows) if self._centre else rows

    def _tokens(self, text: str) -> list[int]:
        return [BEGIN, *self._unigram.cut(clean(text[:MAX_CHARS]))[: MAX_TOKENS - 2], END]


@dataclass(frozen=True, slots=True)
class Centre:
    """What is taken off every vector, and what all are given instead."""

    mean: Matrix
    directions: Matrix  # the first, which none has a part in any more, is the one they share
    common: float  # cosine c becomes common + (1 - common) c

    @classmethod
    def read(cls, file: Path) -> Self:
        """As it is kept."""
        read = json.loads(file.read_text("utf-8"))
        mean, directions = (np.array(read[name], np.float32) for name in ("mean", "directions"))
        return cls(mean, directions, float(read["common"]))

    def centred(self, rows: Matrix) -> Matrix:
        """Rows of length 1 without what they say of their sort, in place."""
        rows -= self.mean
        rows -= (rows @ self.directions.T) @ self.directions
        unit(rows)
        rows *= np.float32((1 - self.common) ** 0.5)
        rows += np.float32(self.common**0.5) * self.directions[0]
        return unit(rows)


class _HeaderReader:
    """What stands one after the other at the beginning of the file."""

    def __init__(self, raw: Bytes) -> None:
        self._raw = raw
        self._at = 0

    def numbers(self, shape: str) -> tuple[int, ...]:
        """Some numbers, as `struct` names them."""
        return struct.unpack("<" + shape, self.bytes(struct.calcsize("<" + shape)).tobytes())

    def bytes(self, many: int) -> Bytes:
        """So many bytes, mapped."""
        self._at += many
        return self._raw[self._at - many : self._at]


def _pieces(file: _HeaderReader) -> Pieces:
    many, _, _, _, unknown, length = file.numbers("5iQ")
    starts = file.bytes(4 * (many + 1)).view("<u4").astype(np.int64)
    scores = _floats(file.bytes(4 * many))
    string = np.array(file.bytes(length))
    return Pieces(string, starts, scores, SPECIAL, unknown, _replaced(file))


def _replaced(file: _HeaderReader) -> dict[int, str]:
    """By character the text it is read as."""
    many, length = file.numbers("iI")
    table = _HeaderReader(np.array(file.bytes(length)))
    found: dict[int, str] = {}
    for _ in range(many):
        character, wide = table.numbers("IB")
        found[character] = table.bytes(4 * wide).tobytes().decode("utf-32-le")
    return found


def _tensors(raw: Bytes, file: _HeaderReader) -> dict[str, Bytes]:
    """The bytes of each tensor, mapped."""
    found: dict[str, Bytes] = {}
    for _ in range(*file.numbers("i")):
        name = file.bytes(*file.numbers("H")).tobytes().decode()
        _, _, start, length = file.numbers("BIQQ")
        found[name] = raw[start : start + length]
    return found


def _floats(raw: Bytes) -> Matrix:
    return np.asarray(raw).view("<f4")


def _numbers(blocks: NDArray[np.void]) -> Matrix:
    """Rows of blocks as rows of floats."""
    packed = blocks["numbers"]
    numbers = np.empty((*blocks.shape, 2, 16), dtype=np.float32)
    numbers[..., 0, :] = packed & 15
    numbers[..., 1, :] = packed >> 4
    numbers -= 8
    numbers *= blocks["scale"].astype(np.float32)[..., None, None]
    return numbers.reshape(*blocks.shape[:-1], -1)


def _linear(tensors: dict[str, Bytes], name: str, wide: int) -> Linear:
    blocks = np.asarray(tensors[f"{name}.w"]).view(BLOCK).reshape(wide, -1)
    return Linear(_numbers(blocks).T, _floats(tensors[f"{name}.b"]))


def _norm(tensors: dict[str, Bytes], name: str) -> Norm:
    return Norm(_floats(tensors[f"{name}.w"]), _floats(tensors[f"{name}.b"]))


def _layer(tensors: dict[str, Bytes], name: str) -> Layer:
    return layer_of(
        {part: _linear(tensors, f"{name}.{at}", wide) for part, (at, wide) in MATRICES.items()},
        {part: _norm(tensors, f"{name}.{at}") for part, at in NORMS.items()},
    )
