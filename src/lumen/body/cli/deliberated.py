"""How the drafts of a turn are shown: a bar for each axis, and why one of them was said."""

from __future__ import annotations

from collections.abc import Iterator

from lumen.app.deliberation import COLUMNS, Deliberation, ScoredDraft, rationale
from lumen.body.cli.terminal import lined_up

BARS = " ▁▂▃▄▅▆▇█"


def deliberated(found: Deliberation) -> Iterator[str]:
    """The drafts axis by axis, best first, what each axis says of the one that was said, and the reasons."""
    rows = [("draft", *COLUMNS.values(), "Λ", "")]
    rows += [_row(one) for one in found.drafts]
    yield from lined_up(rows, indent="  ")
    for reason in found.reasons:
        yield f"  {reason}"
    for name in COLUMNS:
        yield f"    {rationale(name, found.drafts[0].scores[name])}"


def _row(one: ScoredDraft) -> tuple[str, ...]:
    figures = [f"{bar(score)}{score:.2f}" for score in one.scores.values()]
    mark = "◀ said" if one.said else f"{one.characters} characters"
    return (one.kind, *figures, f"{one.total:.2f}", mark)


def bar(score: float) -> str:
    """A figure from 0 to 1 as the height of a bar."""
    return BARS[round(max(0.0, min(1.0, score)) * (len(BARS) - 1))]
