"""A small encoder of sentences, forward only, in numpy: what both shipped embedders have in common.

The same tokens give the same vector up to rounding, whatever they are batched with.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from threadpoolctl import ThreadpoolController  # type: ignore[import-untyped]

Matrix = NDArray[np.float32]

HEADS = 12
SIZE = 384
MAX_TOKENS = 256
BATCH_TOKENS = 512  # more rows at once fall out of the processor's cache and go slower
THREADS = min(4, os.cpu_count() or 1)
EPSILON = np.float32(1e-12)


class Linear(NamedTuple):
    """A product and what is added to it."""

    weight: Matrix  # transposed: rows in, columns out
    bias: Matrix

    def __call__(self, x: Matrix) -> Matrix:
        y: Matrix = x @ self.weight
        y += self.bias
        return y


class Norm(NamedTuple):
    """Layer normalisation."""

    weight: Matrix
    bias: Matrix

    def __call__(self, x: Matrix) -> Matrix:
        """In place."""
        x -= x.mean(axis=-1, keepdims=True)
        variance = np.einsum("...i,...i->...", x, x)[..., None] / np.float32(SIZE)
        x /= np.sqrt(variance + EPSILON)
        x *= self.weight
        x += self.bias
        return x


class Layer(NamedTuple):
    """One layer: attention, then two products."""

    query_key_value: Linear
    attended: Linear
    attended_norm: Norm
    widen: Linear
    narrow: Linear
    narrow_norm: Norm


@dataclass(frozen=True, slots=True)
class Encoder:
    """Tokens to vectors; safe to use from several threads."""

    words: Callable[[NDArray[np.int64]], Matrix]  # tokens to their rows
    places: Matrix
    norm: Norm
    layers: Sequence[Layer]
    _blas: ThreadpoolController = field(default_factory=ThreadpoolController)

    def encode(self, tokens: Sequence[Sequence[int]]) -> Matrix:
        """The mean of the last layer for each text, made as long as 1."""
        rows = np.zeros((len(tokens), SIZE), dtype=np.float32)
        batches = list(_batches(tokens))
        inputs = [[tokens[index] for index in batch] for batch in batches]
        # Threads inside a product spin while they wait for each other, which on a busy machine makes
        # one short text four times slower; batches run side by side instead.
        with self._blas.limit(limits=1, user_api="blas"):
            for batch, vectors in zip(batches, self._run(inputs), strict=True):
                rows[batch] = vectors
        return rows

    def _run(self, inputs: Sequence[Sequence[Sequence[int]]]) -> list[Matrix]:
        if len(inputs) < 2 or THREADS == 1:
            return [self._forward(batch) for batch in inputs]
        with ThreadPoolExecutor(THREADS, thread_name_prefix="lumen-embed") as pool:
            return list(pool.map(self._forward, inputs))

    def _forward(self, batch: Sequence[Sequence[int]]) -> Matrix:
        lengths = np.array([len(ids) for ids in batch])
        longest = int(lengths.max())
        padded = np.zeros((len(batch), longest), dtype=np.int64)
        for row, ids in enumerate(batch):
            padded[row, : len(ids)] = ids
        mask = (np.arange(longest) < lengths[:, None]).astype(np.float32)
        ignored = ((mask - 1) * np.float32(1e9))[:, None, None, :]
        x = self.norm(self.words(padded) + self.places[:longest])
        for layer in self.layers:
            x = _apply(layer, x, ignored)
        pooled: Matrix = (x * mask[:, :, None]).sum(axis=1)
        return unit(pooled)


def unit(rows: Matrix) -> Matrix:
    """Each row made as long as 1, in place."""
    rows /= np.linalg.norm(rows, axis=1, keepdims=True)
    return rows


def layer_of(matrices: Mapping[str, Linear], norms: Mapping[str, Norm]) -> Layer:
    """A layer out of what a file holds of it.

    One product instead of three for query, key and value, with the scale of the scores already in it.
    """
    query, key, value = matrices["query"], matrices["key"], matrices["value"]
    scale = np.float32((SIZE / HEADS) ** -0.5)
    return Layer(
        query_key_value=Linear(
            np.concatenate([query.weight * scale, key.weight, value.weight], axis=1),
            np.concatenate([query.bias * scale, key.bias, value.bias]),
        ),
        attended=matrices["attended"],
        attended_norm=norms["attended"],
        widen=matrices["widen"],
        narrow=matrices["narrow"],
        narrow_norm=norms["narrow"],
    )


def _apply(layer: Layer, x: Matrix, ignored: Matrix) -> Matrix:
    count, longest, _ = x.shape
    flat = x.reshape(-1, SIZE)
    heads = layer.query_key_value(flat).reshape(count, longest, 3, HEADS, -1)
    query, key, value = heads.transpose(2, 0, 3, 1, 4)
    scores = query @ key.transpose(0, 1, 3, 2)
    scores += ignored
    scores -= scores.max(axis=-1, keepdims=True)
    np.exp(scores, out=scores)
    scores /= scores.sum(axis=-1, keepdims=True)
    context = (scores @ value).transpose(0, 2, 1, 3).reshape(-1, SIZE)
    flat = layer.attended_norm(flat + layer.attended(context))
    flat = layer.narrow_norm(flat + layer.narrow(gelu(layer.widen(flat))))
    return flat.reshape(count, longest, SIZE)


def gelu(x: Matrix) -> Matrix:
    """The exact GELU, x * Φ(x), to 4e-7, in place.

    Φ through the rational approximation of erf by Hastings (Abramowitz and Stegun 7.1.26); numpy
    has no erf. Worked through in strips that stay in the processor's cache.
    """
    strip = max(1, 32_768 // x.shape[-1])
    for start in range(0, len(x), strip):
        part = x[start : start + strip]
        size = np.abs(part)
        t = 1 / (1 + np.float32(0.3275911 * 0.5**0.5) * size)
        tail = t * np.float32(1.061405429 / 2)
        for coefficient in (-1.453152027, 1.421413741, -0.284496736, 0.254829592):
            tail += np.float32(coefficient / 2)
            tail *= t
        tail *= np.exp(part * part * np.float32(-0.5))
        tail *= size  # |x| times the weight of the tail beyond |x|
        np.maximum(part, 0, out=part)
        part -= tail
    return x


def _batches(tokens: Sequence[Sequence[int]]) -> Iterator[list[int]]:
    """Indices of texts of like length together, so that little is padded."""
    batch: list[int] = []
    for index in sorted(range(len(tokens)), key=lambda i: len(tokens[i])):
        if batch and len(tokens[index]) * (len(batch) + 1) > BATCH_TOKENS:
            yield batch
            batch = []
        batch.append(index)
    if batch:
        yield batch
