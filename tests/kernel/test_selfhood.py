"""The self is read from its files; one that does not say what it must counts as empty."""

from __future__ import annotations

from pathlib import Path

import pytest

from lumen.core.data import Being
from lumen.soul.selfhood import Held, read_self


@pytest.fixture
def being(tmp_path: Path) -> Being:
    made = Being(tmp_path)
    made.goals.mkdir(parents=True)
    return made


def test_a_self_is_read_from_its_files_heaviest_first(being: Being) -> None:
    being.soul_md.write_text("# Iris of the Sea \n\nBorn in Lisbon.\n", encoding="utf-8")
    being.values.write_text(
        '[{"name": "calm", "weight": 0.2, "status": "deprecated"},'
        ' {"name": "honesty", "weight": 1, "status": "active"}]'
    )
    (being.goals / "2025.json").write_text('[{"name": "old", "weight": 0.1, "status": "done"}]')
    (being.goals / "2026.json").write_text('[{"name": "new", "weight": 0.7, "status": "todo"}]')
    (being.goals / "notes.json").write_text("none of ours")
    found = read_self(being)

    assert (found.name, found.narrative) == ("Iris of the Sea", "Born in Lisbon.")
    assert found.values == (Held("honesty", 1.0, "active"), Held("calm", 0.2, "deprecated"))
    assert [g.name for g in found.goals] == ["new", "old"]
    assert found.problems == ()


def test_a_self_without_files_is_an_empty_one(tmp_path: Path) -> None:
    found = read_self(Being(tmp_path / "nowhere"))

    assert (found.name, found.narrative, found.values, found.goals) == ("Lumen", "", (), ())
    assert found.problems == ()


@pytest.mark.parametrize(
    ("text", "name", "narrative"),
    [
        ("No heading, only words.", "Lumen", "No heading, only words."),
        ("# \n\nwords", "Lumen", "# \n\nwords"),
        ("# " + "x" * 100, "x" * 80, ""),
        ("#Iris\nwords", "Lumen", "#Iris\nwords"),
    ],
)
def test_a_name_is_the_first_heading(being: Being, text: str, name: str, narrative: str) -> None:
    being.soul_md.write_text(text)
    found = read_self(being)

    assert (found.name, found.narrative) == (name, narrative.strip())


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("[{", "values.json is not used: "),
        ("{}", "it must be a list"),
        ('["honesty"]', "each entry must be like"),
        ('[{"name": 3, "weight": 0.5, "status": "active"}]', "each entry must be like"),
        ('[{"name": "x", "weight": 1.5, "status": "active"}]', "'x' must be between 0 and 1"),
        ('[{"name": "x", "weight": true, "status": "active"}]', "'x' must be between 0 and 1"),
        ('[{"name": "x", "weight": "1", "status": "active"}]', "'x' must be between 0 and 1"),
        ('[{"name": "x", "weight": 0.5, "status": "todo"}]', "one of active, deprecated"),
        ('[{"name": "x", "weight": 0.5}]', "one of active, deprecated"),
        ("\ufeff[]", "values.json is not used: "),
    ],
)
def test_values_that_do_not_say_what_they_must_are_reported_and_count_as_none(
    being: Being, text: str, why: str
) -> None:
    being.values.write_text(text, encoding="utf-8")
    (being.goals / "2026.json").write_text('[{"name": "new", "weight": 0.7, "status": "todo"}]')
    found = read_self(being)

    assert found.values == ()
    (problem,) = found.problems
    assert why in problem
    assert len(found.goals) == 1


def test_one_bad_year_leaves_the_goals_of_the_others(being: Being) -> None:
    (being.goals / "2025.json").write_text('[{"name": "x", "weight": 2, "status": "done"}]')
    (being.goals / "2026.json").write_text('[{"name": "new", "weight": 0.7, "status": "working"}]')
    found = read_self(being)

    assert [g.name for g in found.goals] == ["new"]
    assert found.problems == ("2025.json is not used: the weight of 'x' must be between 0 and 1",)
