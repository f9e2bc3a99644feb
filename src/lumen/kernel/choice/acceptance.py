"""How likely an author takes up a kind of reply, by what became of such replies before. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from lumen.core.canon import JSON

LATELY = 100  # outcomes of a kind that say how likely it is


def acceptance(outcomes: Iterable[Mapping[str, JSON]], kind: str) -> float:
    """How likely it is that a kind of reply is taken up: 0.5 before anything is known."""
    values = [float(one["value"]) for one in outcomes if one.get("kind") == kind][-LATELY:]
    return round((sum(values) + 1.0) / (len(values) + 2.0), 4)
