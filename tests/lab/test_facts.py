"""The facts evaluation in short: the long form is `lumen lab facts`."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.sampling import Sampled

from lumen.lab.facts import FOLDER, AskedQuestion, Score, evaluate, read_set


@pytest.mark.embedded
def test_what_was_told_comes_back_and_what_was_not_is_not_asserted(
    sampled: Sampled, tmp_path: Path
) -> None:
    (tmp_path / "silent").write_text('{"when": "(?s).*", "say": ""}\n', "utf-8")
    model = "" if sampled.deep else f"scripted/{tmp_path}/silent"  # it is the kernel that answers
    unknowns, messages = sampled.rounds(1, 6), sampled.rounds(4, 36)
    score = evaluate("dev", model=model, messages=messages, unknowns=unknowns).as_json()

    assert score["told"]["of"] >= sampled.rounds(1, 4)
    assert score["told"]["right"] >= max(1, score["told"]["of"] - 1)
    assert score["never_told"]["right"] >= max(1, unknowns - 1)


@pytest.mark.parametrize("name", ["dev", "dev2", "held"])
def test_a_set_tells_thirty_facts_and_corrects_five_among_230_messages(name: str) -> None:
    data = read_set(name)
    facts = [m["fact"] for m in data["message"] if "fact" in m]
    corrected = [m["corrects"] for m in data["message"] if "corrects" in m]

    assert (len(data["message"]), len(set(facts)), len(set(corrected))) == (230, 30, 5)
    assert sorted(q["fact"] for q in data["question"]) == sorted(facts)
    assert {q["fact"] for q in data["question"] if "stale" in q} == set(corrected)
    assert len(data["unknown"]) == 15


def test_a_score_counts_told_corrected_and_never_told_apart() -> None:
    asked = (
        AskedQuestion("a", "x", right=True),
        AskedQuestion("b", "x", right=False, corrected=True),
        AskedQuestion("c", "x", right=True, told=False),
    )

    assert Score("dev", asked).as_json() == {
        "set": "dev",
        "told": {"right": 1, "of": 2},
        "never_told": {"right": 1, "of": 1},
        "corrected": {"right": 0, "of": 1},
    }
    assert "1 of 2" in Score("dev", asked).summary()
    assert list(Score("dev", asked).lines())[1].startswith("✗ b")


def test_the_sets_are_shipped() -> None:
    assert sorted(p.name for p in FOLDER.iterdir()) == ["dev.toml", "dev2.toml", "held.toml"]
