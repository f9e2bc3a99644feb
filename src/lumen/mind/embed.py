"""Sentence vectors of the embedders that ship. They are neither kept nor compared here."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

from lumen.core.errors import NoSubstrate
from lumen.core.settings import BUILT_IN_EMBEDDER, MULTILINGUAL_EMBEDDER
from lumen.mind.e5 import E5
from lumen.mind.encoder import Matrix
from lumen.mind.minilm import MiniLM


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


@cache
def _multilingual() -> E5:
    return E5()


class Multilingual:
    """The multilingual embedder, which an author may choose: in this process, nothing leaves it."""

    id = MULTILINGUAL_EMBEDDER
    local = True

    def embed(self, texts: Sequence[str]) -> Matrix:
        """One row of length 1 for each text.

        Raises:
            NoSubstrate: its wheel is not installed, as on platforms that have none.
        """
        try:
            return _multilingual().embed(texts)
        except NoSubstrate as error:
            fix = f"lumen models set embedder {BUILT_IN_EMBEDDER}"
            raise NoSubstrate(f"{self.id} is not here: {error.what}", fix=fix) from error

    def close(self) -> None:
        """Nothing is held."""
