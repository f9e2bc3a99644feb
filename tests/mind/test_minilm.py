from __future__ import annotations

import json
import math
from collections.abc import Mapping
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray
from tokenizers import Tokenizer

from lumen.mind.built_in import MINILM_WEIGHTS as WEIGHTS
from lumen.mind.built_in import is_ordinary
from lumen.mind.encoder import gelu
from lumen.mind.minilm import MiniLM

Vector = NDArray[np.float64]


@pytest.fixture(scope="module")
def embedder() -> MiniLM:
    return MiniLM()


def reference(text: str, tensors: Mapping[str, Vector]) -> Vector:
    """The same network written out plainly: one text, double precision, no batch, no mask."""
    path = WEIGHTS.path()
    tokenizer = Tokenizer.from_file(str(path.with_name("tokenizer.json")))
    tokenizer.no_padding()
    tokenizer.enable_truncation(256)
    ids = tokenizer.encode(text).ids

    def linear(x: Vector, name: str) -> Vector:
        y: Vector = x @ tensors[f"{name}.weight"].T + tensors[f"{name}.bias"]
        return y

    def norm(x: Vector, name: str) -> Vector:
        centred = x - x.mean(axis=1, keepdims=True)
        spread = np.sqrt((centred**2).mean(axis=1, keepdims=True) + 1e-12)
        y: Vector = centred / spread * tensors[f"{name}.weight"] + tensors[f"{name}.bias"]
        return y

    x = tensors["embeddings.word_embeddings.weight"][ids]
    x = x + tensors["embeddings.position_embeddings.weight"][: len(ids)]
    x = norm(x + tensors["embeddings.token_type_embeddings.weight"][0], "embeddings.LayerNorm")
    for number in range(6):
        layer = f"encoder.layer.{number}"
        parts = [linear(x, f"{layer}.attention.self.{part}") for part in ("query", "key", "value")]
        heads = []
        for head in range(12):
            query, key, value = (part[:, head * 32 : head * 32 + 32] for part in parts)
            weights = np.exp(query @ key.T / math.sqrt(32))
            heads.append(weights / weights.sum(axis=1, keepdims=True) @ value)
        attended = linear(np.concatenate(heads, axis=1), f"{layer}.attention.output.dense")
        x = norm(x + attended, f"{layer}.attention.output.LayerNorm")
        wide = exact_gelu(linear(x, f"{layer}.intermediate.dense"))
        x = norm(x + linear(wide, f"{layer}.output.dense"), f"{layer}.output.LayerNorm")
    mean: Vector = x.mean(axis=0)
    return mean / math.sqrt(mean @ mean)


def exact_gelu(x: Vector) -> Vector:
    flat = [value * 0.5 * (1 + math.erf(value / math.sqrt(2))) for value in x.ravel()]
    return np.array(flat).reshape(x.shape)


def read_safetensors(path: Path) -> dict[str, Vector]:
    raw = path.read_bytes()
    start = 8 + int.from_bytes(raw[:8], "little")
    tensors = {}
    for name, entry in json.loads(raw[8:start]).items():
        if entry.get("dtype") == "F32":
            begin, end = (start + offset for offset in entry["data_offsets"])
            flat = np.frombuffer(raw[begin:end], dtype=np.float32).astype(np.float64)
            tensors[name] = flat.reshape(entry["shape"])
    return tensors


def test_a_vector_is_what_the_plain_network_gives_whatever_it_is_batched_with(
    embedder: MiniLM,
) -> None:
    texts = ["My sister lives in Lisbon.", "ok", "A longer sentence, with several clauses, too. "]
    rows = embedder.embed([*texts, "word " * 300, texts[2] * 40])
    tensors = read_safetensors(WEIGHTS.path())
    for text, row in zip(texts, rows, strict=False):
        assert float(row @ reference(text, tensors)) > 0.99999


def test_similarities_are_those_published_for_the_model(embedder: MiniLM) -> None:
    rows = embedder.embed(
        ["The weather is lovely today.", "It's so sunny outside!", "He drove to the stadium."]
    )
    similar = rows @ rows.T
    found = [similar[0, 1], similar[0, 2], similar[1, 2]]
    assert found == pytest.approx([0.6660, 0.1046, 0.1411], abs=2e-4)


def test_a_paraphrase_is_near_and_another_subject_far(embedder: MiniLM) -> None:
    said, again, other = embedder.embed(
        ["My sister lives in Lisbon.", "My sister's home is in Lisbon.", "The engine needs oil."]
    )
    assert said @ again > 0.7
    assert said @ other < 0.3


def test_rows_come_in_the_order_of_the_texts(embedder: MiniLM) -> None:
    texts = [f"{'long ' * (number % 7 * 9)}text number {number}" for number in range(60)]
    rows = embedder.embed(texts)
    for number in (0, 6, 31, 59):
        alone = embedder.embed([texts[number]])[0]
        assert int(np.argmax(rows @ alone)) == number
        assert float(rows[number] @ alone) > 0.99999


def test_no_texts_give_no_rows(embedder: MiniLM) -> None:
    rows = embedder.embed([])
    assert (rows.shape, rows.dtype.name) == ((0, embedder.size), "float32")


@pytest.mark.parametrize("text", ["", " ", "\0", "\ud800", "🜁" * 10, "x" * 1_000_000])
def test_every_text_gives_a_finite_vector_of_length_one(embedder: MiniLM, text: str) -> None:
    (row,) = embedder.embed([text])
    assert float(np.linalg.norm(row)) == pytest.approx(1.0, abs=1e-5)


def test_the_first_256_tokens_count_and_nothing_after_them(embedder: MiniLM) -> None:
    sea, rest = "the sea was calm ", "volcanoes melt iron "
    short, long, mixed, cut = embedder.embed(
        [sea * 80, sea * 80 + rest * 40_000, sea * 40 + rest * 10, sea * 40]
    )
    assert float(short @ long) > 0.99999
    assert float(mixed @ cut) < 0.98


def test_gelu_is_exact_to_a_millionth() -> None:
    x = np.linspace(-15, 15, 60_001)
    found = gelu(x.astype(np.float32).reshape(-1, 1)).ravel()
    assert float(np.abs(found - exact_gelu(x.astype(np.float32).astype(np.float64))).max()) < 1e-6
    rising = found[x > 0]
    assert all(low <= high for low, high in pairwise(rising[::100]))


def test_a_word_everybody_uses_is_ordinary_and_a_name_nobody_has_is_not() -> None:
    assert is_ordinary("house")
    assert not is_ordinary("zyxwvut")
