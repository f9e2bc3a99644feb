"""The self as texts: what they tell, where they are flawed, and how one entry of them is edited."""

from __future__ import annotations

import pytest

from lumen.core.data import SelfItem
from lumen.core.stores import Store, is_self, store_at
from lumen.soul.state.selfhood import (
    LONGEST,
    LONGEST_NAME,
    SOUL,
    VALUES,
    Flaw,
    check,
    drop,
    goals_of,
    parse_items,
    put,
    selfhood,
    spell,
    stand,
    states_of,
    without,
)

HONESTY, CALM = SelfItem("honesty", 1.0, "active"), SelfItem("calm", 0.2, "deprecated")
GOAL = '{"name": "new", "weight": 0.7, "status": "todo"}'


def test_a_self_is_told_heaviest_first() -> None:
    found = selfhood(
        {
            SOUL: "# Iris of the Sea \n\nBorn in Lisbon.\n",
            VALUES: spell([CALM, HONESTY]),
            goals_of(2025): '[{"name": "old", "weight": 0.1, "status": "done"}]',
            goals_of(2026): f"[{GOAL}]",
            "data/goals/notes.json": "none of ours",
        }
    )

    assert (found.name, found.narrative) == ("Iris of the Sea", "Born in Lisbon.")
    assert found.values == (HONESTY, CALM)
    assert [g.name for g in found.goals] == ["new", "old"]


def test_a_self_without_texts_is_an_empty_one() -> None:
    found = selfhood({})

    assert (found.name, found.narrative, found.values, found.goals) == ("Lumen", "", (), ())
    assert found.ontology == ""


@pytest.mark.parametrize(
    ("text", "name", "narrative"),
    [
        ("No heading, only words.", "Lumen", "No heading, only words."),
        ("# \n\nwords", "Lumen", "# \n\nwords"),
        ("# " + "x" * 100, "x" * 80, ""),
        ("#Iris\nwords", "Lumen", "#Iris\nwords"),
    ],
)
def test_a_name_is_the_first_heading(text: str, name: str, narrative: str) -> None:
    found = selfhood({SOUL: text})

    assert (found.name, found.narrative) == (name, narrative.strip())


def test_what_stands_under_its_headings_is_told_apart() -> None:
    text = "# Iris\nBefore.\n## Ontology\nA pattern.\n\n## Narrative\nBorn.\n## Other\nMore.\n"
    found = selfhood({SOUL: text})

    assert found.ontology == "A pattern."
    assert found.narrative == "Before.\nBorn.\n## Other\nMore."


@pytest.mark.parametrize(
    ("text", "line", "why"),
    [
        ("[{", 1, "it is not JSON: "),
        ('[\n\n{"name": }]', 3, "it is not JSON: "),
        ("[" * 100_000, 1, "nested too deep"),
        ("{}", 1, "it must be a list"),
        ('["honesty"]', 1, "each entry must be like"),
        ('[{"name": " ", "weight": 1, "status": "active"}]', 1, "each entry must be like"),
        ('[{"name": 3, "weight": 0.5, "status": "active"}]', 1, "each entry must be like"),
        ('[{"name": "x", "weight": 1.5, "status": "active"}]', 1, "'x' must be between 0 and 1"),
        ('[{"name": "x", "weight": NaN, "status": "active"}]', 1, "'x' must be between 0 and 1"),
        ('[{"name": "x", "weight": true, "status": "active"}]', 1, "'x' must be between 0 and 1"),
        ('[{"name": "x", "weight": "1", "status": "active"}]', 1, "'x' must be between 0 and 1"),
        ('[{"name": "x", "weight": 0.5, "status": "todo"}]', 1, "one of active, deprecated"),
        ('[\n{"name": "x", "weight": 0.5}]', 2, "one of active, deprecated"),
        ('[{"name": "\\u0000", "weight": 1, "status": "active"}]', 1, "must be plain text"),
        ('[{"name": "\\ud800", "weight": 1, "status": "active"}]', 1, "must be plain text"),
        (spell([SelfItem("x" * (LONGEST_NAME + 1), 1, "active")]), 2, "at most 200 characters"),
        (f"{spell([HONESTY])[:-3]},\n\n{spell([HONESTY])[2:]}", 4, "'honesty' is there twice"),
        (" " * (LONGEST + 1), 1, "262,145 characters; at most 262,144 fit"),
        ("\ufeff[]", 1, "byte order mark"),
        ('[{"name": "x", "weight": ' + "1" * 5000 + ', "status": "active"}]', 1, ""),
    ],
)
def test_a_text_that_does_not_say_what_it_must_is_flawed_on_a_line(
    text: str, line: int, why: str
) -> None:
    with pytest.raises(Flaw, match=r"^line") as found:
        check(VALUES, text)

    assert why in found.value.why
    assert found.value.line == line


def test_a_story_is_flawed_by_nothing_but_its_length() -> None:
    check(SOUL, "[{")
    check(SOUL, "x" * LONGEST)
    with pytest.raises(Flaw, match="at most 262,144 fit"):
        check(SOUL, "x" * (LONGEST + 1))


def test_which_files_are_the_self_and_of_which_store_they_are() -> None:
    assert [is_self(p) for p in (SOUL, VALUES, goals_of(2026))] == [True] * 3
    for path in ("lumen.toml", "data/goals/26.json", "data/goals/2026.json.new", "soul.md"):
        assert not is_self(path)
    assert [store_at(p) for p in (SOUL, VALUES, goals_of(99))] == [
        Store.SOUL,
        Store.VALUES,
        Store.GOALS,
    ]
    assert goals_of(99) == "data/goals/0099.json"


@pytest.mark.parametrize(
    "held", [[], [HONESTY], [HONESTY, CALM, SelfItem('a "b" \\ ü\n', 0.5, "active")]]
)
def test_what_is_spelled_out_reads_back_the_same(held: list[SelfItem]) -> None:
    text = spell(held)

    assert parse_items(text, states_of(VALUES)) == held
    assert len(text.splitlines()) == (len(held) + 2 if held else 1)


def test_one_entry_is_put_dropped_and_stood_without_touching_the_others() -> None:
    both = [HONESTY, CALM]
    louder = SelfItem("honesty", 0.5, "active")

    assert put(both, louder) == [louder, CALM]
    assert put([CALM], HONESTY) == [CALM, HONESTY]
    assert drop(both, "honesty") == [CALM]
    assert stand(both, "calm", "active") == [HONESTY, SelfItem("calm", 0.2, "active")]


def test_what_quotes_something_is_left_out_and_the_rest_stays_as_it_is_spelled() -> None:
    odd = '[ {"name":"calm","weight":0.2,"status":"active"} ]'

    assert without(VALUES, spell([HONESTY, CALM]), lambda t: "hon" in t) == spell([CALM])
    assert without(VALUES, odd, lambda t: "hon" in t) == odd
    assert without(VALUES, "no list, honestly", lambda t: "hon" in t) == "[]\n"
    assert without(VALUES, "no list", lambda t: "hon" in t) == "no list"
    assert without(SOUL, "# Iris\nhonest\nkind\n", lambda t: "hon" in t) == "# Iris\nkind\n"
