"""Sentence vectors of the built-in embedder. They are neither kept nor compared here."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

from lumen.mind.built_in import E5_ID, built_in
from lumen.mind.e5 import E5
from lumen.mind.encoder import Matrix
from lumen.mind.minilm import MiniLM


@cache
def _loaded() -> E5 | MiniLM:
    """One for the whole process: it keeps nothing of what it embeds, and its file is checked once."""
    return E5() if built_in()[0] == E5_ID else MiniLM()


class WhenNeeded:
    """The embedder, loaded with the first text: much of what is done to a being embeds none."""

    @property
    def id(self) -> str:
        """Which one it is."""
        return built_in()[0]

    def embed(self, texts: Sequence[str]) -> Matrix:
        """One row of length 1 for each text."""
        return _loaded().embed(texts)
