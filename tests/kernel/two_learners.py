"""Learns with a chosen embedder until nothing is left, as a program of its own.

Usage: two_learners.py BEING URL
"""

from __future__ import annotations

import sys
from pathlib import Path

from lumen.core.data import Being
from lumen.kernel.recall import Recall
from lumen.mind.embed import WhenNeeded
from lumen.mind.embed_http import HttpEmbedder
from lumen.soul.chosen import choose
from lumen.soul.index import Index


def main() -> None:
    """Learn, and say how much and what went wrong."""
    index = Index(Being(Path(sys.argv[1])))
    index.catch_up()
    embedder = HttpEmbedder("far/a", sys.argv[2], "m", "", local=False)
    choose(index, "far/a")
    recall = Recall(index, WhenNeeded(), embedder)
    done = 0
    while learnt := recall.learn():
        done += learnt
    sys.stdout.write(f"{done} {recall.trouble()}\n")
    recall.close()
    index.close()


if __name__ == "__main__":
    main()
