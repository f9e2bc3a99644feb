"""The all-MiniLM-L6-v2 embedder: English, and there on every platform."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
import orjson

from lumen.core.canon import clean
from lumen.mind.built_in import MINILM_ID, MINILM_WEIGHTS
from lumen.mind.encoder import MAX_TOKENS, SIZE, Encoder, Layer, Linear, Matrix, Norm, layer_of

LAYERS = 6
MAX_CHARS = 4096  # 256 tokens of prose are about 1,200; the rest would be tokenised for nothing
MATRICES = {
    "query": "attention.self.query",
    "key": "attention.self.key",
    "value": "attention.self.value",
    "attended": "attention.output.dense",
    "widen": "intermediate.dense",
    "narrow": "output.dense",
}
NORMS = {"attended": "attention.output.LayerNorm", "narrow": "output.LayerNorm"}


class MiniLM:
    """Turns texts into unit vectors; safe to use from several threads."""

    id = MINILM_ID
    size = SIZE

    def __init__(self) -> None:
        from tokenizers import Tokenizer  # where this is not the embedder, nothing else needs it

        path = MINILM_WEIGHTS.verified()
        # Threads of the tokenizer would make every later fork print a warning.
        os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")
        self._tokenizer = Tokenizer.from_file(str(path.with_name("tokenizer.json")))
        self._tokenizer.enable_truncation(MAX_TOKENS)
        self._tokenizer.no_padding()
        tensors = _tensors(path)
        words = tensors["embeddings.word_embeddings.weight"]
        places: Matrix = (
            tensors["embeddings.position_embeddings.weight"][:MAX_TOKENS]
            + tensors["embeddings.token_type_embeddings.weight"][0]
        )
        layers = [_layer(tensors, f"encoder.layer.{n}") for n in range(LAYERS)]
        norm = _norm(tensors, "embeddings.LayerNorm")
        self._encoder = Encoder(words.__getitem__, places, norm, layers)

    def embed(self, texts: Sequence[str]) -> Matrix:
        """One row of length 1 for each text; a text's first 256 tokens count."""
        cut = [clean(text[:MAX_CHARS]) for text in texts]
        return self._encoder.encode([one.ids for one in self._tokenizer.encode_batch(cut)])


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


def _linear(tensors: Mapping[str, Matrix], name: str) -> Linear:
    return Linear(tensors[f"{name}.weight"].T, tensors[f"{name}.bias"])


def _norm(tensors: Mapping[str, Matrix], name: str) -> Norm:
    return Norm(tensors[f"{name}.weight"], tensors[f"{name}.bias"])


def _layer(tensors: Mapping[str, Matrix], name: str) -> Layer:
    return layer_of(
        {part: _linear(tensors, f"{name}.{place}") for part, place in MATRICES.items()},
        {part: _norm(tensors, f"{name}.{place}") for part, place in NORMS.items()},
    )
