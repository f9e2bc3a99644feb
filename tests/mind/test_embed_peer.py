"""Vectors from a real server of somebody else's: llama.cpp's own, over the wire."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest
from tests.serving import embedder_at

from lumen.core.errors import Denied
from lumen.mind.embed_http import HttpEmbedder

pytestmark = pytest.mark.embedded


@pytest.fixture(scope="module")
def peer() -> Iterator[Callable[[str], HttpEmbedder]]:
    """The real thing: llama.cpp's server, in a process of its own."""
    program = Path(__file__).with_name("embedding_peer.py")
    with subprocess.Popen(
        [sys.executable, str(program)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        url = process.stdout.readline().strip() + "/v1"
        made: list[HttpEmbedder] = []

        def embedder(key: str) -> HttpEmbedder:
            made.append(embedder_at(url, key, name="peer/SmolLM2"))
            return made[-1]

        yield embedder
        for one in made:
            one.close()


def test_a_real_server_gives_the_same_vector_for_the_same_text(
    peer: Callable[[str], HttpEmbedder],
) -> None:
    embedder = peer("sesame")
    said, again, other = embedder.embed(
        ["My sister lives in Lisbon.", "My sister lives in Lisbon.", "The soup was too salty."]
    )
    assert embedder.size == len(said) == 576
    assert float(said @ again) > 0.999
    assert float(said @ other) < 0.95


def test_a_real_server_is_told_too_much_and_gets_less(peer: Callable[[str], HttpEmbedder]) -> None:
    (row,) = peer("sesame").embed(["one two three " * 300])
    assert abs(float(np.linalg.norm(row)) - 1) < 1e-5


def test_a_real_server_wants_the_right_key(peer: Callable[[str], HttpEmbedder]) -> None:
    with pytest.raises(Denied, match="did not accept the key"):
        peer("open").embed(["a"])
