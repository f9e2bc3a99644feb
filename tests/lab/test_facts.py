"""The facts evaluation in short: the long form is `lumen lab facts`."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.sampling import Sampled

from lumen.body.cli.lab import ANSWERED, FOUND
from lumen.core.canon import JSON
from lumen.lab.facts import FOLDER, AskedQuestion, Score, evaluate, read_set
from lumen.lab.facts_found import NEVER_TOLD, FoundAnswer, FoundScore, find
from lumen.lab.recall_data import read_conversations


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


@pytest.mark.embedded
def test_what_was_told_in_russian_is_found_and_how_surely_is_judged() -> None:
    score = find("ru_dev", messages=14, unknowns=1)

    assert [a.kind for a in score.asked] == ["ru", "ru", NEVER_TOLD]
    assert score.as_json()["found"] == {"right": 2, "of": 2}
    assert "Мурманск" in score.asked[1].found[0]


@pytest.mark.embedded
def test_what_the_being_said_is_looked_for_among_its_own_words() -> None:
    told: list[str] = []
    score = find("said_dev", told.append, messages=8)

    assert [(a.verdict, a.right) for a in score.asked] == [("ranked", True)]
    assert "landlord" not in " ".join(score.asked[0].found), "the author's word is in another lane"
    assert told[0].startswith("8 messages told")


def test_a_score_of_what_was_found_counts_languages_and_false_certainty_apart() -> None:
    asked = (
        FoundAnswer("a", "ru", "strong", right=True, found=("x",)),
        FoundAnswer("b", "ru-de", "weak", right=False, found=()),
        FoundAnswer("c", NEVER_TOLD, "strong", right=False, found=()),
        FoundAnswer("d", NEVER_TOLD, "weak", right=True, found=()),
    )

    score = FoundScore("ru_dev", asked)
    assert score.as_json() == {
        "set": "ru_dev",
        "found": {"right": 1, "of": 2},
        "across_languages": {"right": 0, "of": 1},
        "never_told_strong": {"strong": 1, "of": 2},
    }
    assert "never told, and yet strong         1 of 2" in score.summary()
    assert list(score.lines())[:2] == ["✓ a\n    ru: strong", "      x"]
    assert "never told" not in FoundScore("said_dev", asked[:1]).summary()


def test_the_sets_in_other_languages_hold_what_is_asked_and_tell_it_among_small_talk() -> None:
    sets = {name: read_set(name) for name in FOUND}
    for name, data in sets.items():
        facts = [m["fact"] for m in data["message"] if "fact" in m]
        corrected = {m["corrects"] for m in data["message"] if "corrects" in m}
        assert [q["fact"] for q in data["question"]] == facts, name
        assert {q["fact"] for q in data["question"] if "stale" in q} == corrected, name
        talk = sum(not {"fact", "corrects"} & m.keys() for m in data["message"])
        least = 45 if name.endswith("dev3") else 80 if name.startswith("said") else 200
        assert talk >= least, name
        (one,) = read_conversations(FOLDER / f"{name}.toml")
        assert (one.dataset, len(one.questions)) == (name.split("_")[0], len(facts))

    split = {name: data for name, data in sets.items() if not name.endswith("dev3")}
    told = [data for name, data in split.items() if not name.startswith("said")]
    assert _many(told, "question") == 60
    assert sum("-" in q["kind"] for data in told for q in data["question"]) == 20
    assert _many(told, "unknown") == 30
    assert _many([sets["said_dev"], sets["said_held"]], "question") == 20
    for half in ("dev", "held"):
        halves = [data for name, data in sets.items() if name.endswith(half)]
        assert (_many(halves, "question"), _many(halves, "unknown")) == (40, 15)


def _many(sets: list[dict[str, JSON]], what: str) -> int:
    return sum(len(data.get(what, ())) for data in sets)


@pytest.mark.parametrize("name", ANSWERED)
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
    assert {p.stem for p in FOLDER.iterdir()} == {*ANSWERED, *FOUND}
