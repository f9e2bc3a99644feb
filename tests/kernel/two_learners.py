"""Learns with an external embedder until nothing is left, as a program of its own.

Usage: two_learners.py BEING URL
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

from lumen.core.data import BeingPaths
from lumen.core.errors import MindError
from lumen.kernel.recall.search import IndexedRecall
from lumen.mind.embed import WhenNeeded
from lumen.mind.embed_http import HttpEmbedder
from lumen.mind.endpoints import Endpoint
from lumen.mind.substrate import Request
from lumen.soul.index.index import Index


class Unmetered:
    """Allows every call and remembers none."""

    def begin(self, request: Request, texts: Sequence[str]) -> str:
        del request, texts
        return ""

    def end(
        self, call_id: str, tokens: int | None, seconds: float, error: MindError | None
    ) -> None:
        """Nobody wants to know."""


def main() -> None:
    """Learn, and say how much and what went wrong."""
    index = Index(BeingPaths(Path(sys.argv[1])))
    index.catch_up()
    embedder = HttpEmbedder("far/a", Endpoint("far", "openai", sys.argv[2]), Unmetered())
    index.vectors.choose("far/a")
    recall = IndexedRecall(index, WhenNeeded(), embedder)
    done = 0
    while learnt := recall.learn():
        done += learnt
    sys.stdout.write(f"{done} {recall.trouble()}\n")
    recall.close()
    index.close()


if __name__ == "__main__":
    main()
