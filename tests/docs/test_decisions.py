"""The decisions are numbered, listed and complete, and their figures are those of the code."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from lumen.kernel.recall.ranking import ranking_for
from lumen.kernel.steps.p1_perceive import Grounding
from lumen.kernel.steps.p3_deliberate.axes import AXES, PENALTIES, AxisWeights
from lumen.kernel.turn.loops import parameters
from lumen.mind.built_in import built_in

PARTS = ("## Context", "## Decision", "## Rejected", "## Consequences")


@pytest.fixture(scope="module")
def decisions(root: Path) -> list[Path]:
    return sorted((root / "docs" / "decisions").glob("[0-9]*.md"))


def test_decisions_are_numbered_without_gaps_and_titled_alike(decisions: list[Path]) -> None:
    assert [path.name[:4] for path in decisions] == [
        f"{n:04}" for n in range(1, len(decisions) + 1)
    ]
    assert len(decisions) > 0
    for path in decisions:
        assert path.read_text("utf-8").startswith(f"# {path.name[:4]} "), path.name


def test_every_decision_tells_context_options_and_consequences(decisions: list[Path]) -> None:
    lacking = {
        path.name: [part for part in PARTS if f"\n{part}\n" not in path.read_text("utf-8")]
        for path in decisions
    }
    assert {name: parts for name, parts in lacking.items() if parts} == {}


def test_the_list_names_every_decision_once(root: Path, decisions: list[Path]) -> None:
    listed = re.findall(r"\]\(([^)]+)\)", (root / "docs/decisions/README.md").read_text("utf-8"))
    assert listed == [path.name for path in decisions]


def test_the_grounded_draft_is_described_with_the_figures_in_force(root: Path) -> None:
    page = (root / "docs/decisions/0004-grounded-draft.md").read_text("utf-8")
    plain = " ".join(page.split()).replace("\u00d7", "x").replace("\u2212", "-")
    near, weights = parameters(Grounding), parameters(AxisWeights)
    law = ranking_for(built_in()[0])
    for figures in (
        f"| ≥ {near.strong:g}, and not of the wrong kind |",
        f"| ≥ {near.middling:g}, and it stands out |",
        f"behind the third is at least {near.stands_out:g};",
        f"from a score of {near.bears:g} on",
        f"plus {law.exact:g} x the share",
        f"plus {law.near:g} x the same share",
        f"± {law.kind:g} for whether",
        f"- {law.thin:g} when it says",
        f"Λ = {_formula(weights)}.",
        f"{weights.believable:g} or more, if there are any",
    ):
        assert figures in plain


def _formula(weights: AxisWeights) -> str:
    """Λ as the page has it."""
    for_it = " + ".join(f"{getattr(weights, n)} x {n}" for n in AXES if n not in PENALTIES)
    against = " - ".join(f"{getattr(weights, n)} x {n}" for n in AXES if n in PENALTIES)
    return f"{for_it} - {against}"
