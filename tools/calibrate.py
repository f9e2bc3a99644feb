"""Make what the multilingual embedder's vectors are centred by, from the labelled texts in tools/pairs.toml.

uv run python tools/calibrate.py           print how near related and unrelated texts and words are
uv run python tools/calibrate.py --write   also write src/lumen/mind/e5_centre.json anew

Whoever changes a text there writes it anew.
"""

from __future__ import annotations

import json
import sys
import tomllib
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from lumen.kernel.recall.external_embedder import anchors
from lumen.mind.e5 import CENTRE, E5, Centre
from lumen.mind.encoder import Matrix
from lumen.mind.minilm import MiniLM

PAIRS = tomllib.loads(Path(__file__).with_name("pairs.toml").read_text("utf-8"))
LANGUAGES = ("en", "ru", "de")
DIRECTIONS = 3  # two that tell three languages apart, and one that tells questions from statements
Embed = Callable[[Sequence[str]], Matrix]
Cosines = NDArray[np.float32]


def centre(embed: Embed) -> Centre:
    """Where texts lie whatever they say, and the directions that tell only of what sort they are."""
    means = np.stack([embed(_side("rows", one, n)).mean(0) for one in LANGUAGES for n in (0, 1)])
    mean = means.mean(0)
    directions = np.linalg.svd(means - mean, full_matrices=False)[2][:DIRECTIONS]
    bare = Centre(mean, directions, 0.0)
    # English related and unrelated texts are to be as near as they are to MiniLM, on the whole.
    found = _landmarks(lambda texts: bare.centred(embed(texts)))
    far = 1 - found
    return Centre(mean, directions, float(far @ (_landmarks(MiniLM().embed) - found) / (far @ far)))


def _side(table: str, language: str, side: int) -> list[str]:
    return [row[language][side] for row in PAIRS[table]]


def across(embed: Embed, table: str, one: str, other: str) -> tuple[Cosines, Cosines]:
    """The cosines of what is in one row, and of what is in two, between two languages."""
    cosines = embed(_side(table, one, 0)) @ embed(_side(table, other, 1)).T
    same = np.eye(len(cosines), dtype=bool)
    return cosines[same], cosines[~same]


def _landmarks(embed: Embed) -> NDArray[np.float64]:
    related, unrelated = (
        (embed([a for a, _ in pairs]) * embed([b for _, b in pairs])).sum(1) for pairs in anchors()
    )
    some = (related, unrelated, *across(embed, "rows", "en", "en"))
    return np.array([float(cosines.mean()) for cosines in some])


def write(found: Centre) -> None:
    """Keep it, rounded."""
    kept = {
        "common": round(found.common, 3),
        "mean": [round(float(x), 5) for x in found.mean],
        "directions": [[round(float(x), 5) for x in row] for row in found.directions],
    }
    CENTRE.write_text(json.dumps(kept, separators=(",", ":")) + "\n", "utf-8")


def show() -> None:
    """How near related and unrelated ones are, to each embedder."""
    for embedder in (MiniLM(), E5()):
        print(f"{embedder.id}: mean of related, of unrelated, and how far the latter spread")
        for table in ("rows", "words"):
            for one in LANGUAGES:
                for other in LANGUAGES:
                    related, rest = across(embedder.embed, table, one, other)
                    told = f"{related.mean():.2f}  {rest.mean():.2f} ± {rest.std():.2f}"
                    print(f"  {table:<6} {one} {other}  {told}")


if __name__ == "__main__":
    if "--write" in sys.argv:
        write(centre(E5(centre=None).embed))
    show()
