"""What a proposed change makes of the self's texts, and why some make nothing of them."""

from __future__ import annotations

import pytest

from lumen.core.canon import sha256
from lumen.core.data import Change, SelfItem
from lumen.core.errors import Refused
from lumen.core.stores import Store
from lumen.kernel.gate.revise import base_of, revise
from lumen.soul.state.selfhood import SOUL, VALUES, goals_of, parse_items, spell, states_of

pytestmark = pytest.mark.each_measured

OLD, NOW = goals_of(2025), goals_of(2026)
TEXTS = {
    SOUL: "# Iris\n",
    VALUES: spell([SelfItem("honesty", 0.9, "active"), SelfItem("calm", 0.2, "active")]),
    OLD: spell([SelfItem("swim", 0.5, "working"), SelfItem("both", 0.1, "done")]),
    NOW: spell(
        [
            SelfItem("sing", 0.5, "todo"),
            SelfItem("live", 1.0, "perpetual"),
            SelfItem("both", 0.1, "todo"),
        ]
    ),
    "lumen.toml": "[being]\n",
}
LOOPS = ("action", "reflection", "author")


def held(path: str, text: str | None) -> dict[str, SelfItem]:
    return {h.name: h for h in parse_items(text or "", states_of(path))}


@pytest.mark.parametrize("name", ["honesty", "courage"])
def test_a_value_is_put_where_it_stands_or_at_the_end(name: str) -> None:
    one = SelfItem(name, 0.4, "deprecated")
    path, text = revise(TEXTS, "author", Change(Store.VALUES, "put", one), 2026)

    assert path == VALUES
    assert held(path, text) == held(VALUES, TEXTS[VALUES]) | {name: one}


def test_a_value_is_put_where_there_were_none() -> None:
    one = SelfItem("honesty", 0.4, "active")
    assert revise({}, "author", Change(Store.VALUES, "put", one), 2026) == (VALUES, spell([one]))


@pytest.mark.parametrize(("name", "path"), [("swim", OLD), ("sing", NOW), ("both", NOW)])
@pytest.mark.parametrize("operation", ["put", "drop"])
def test_a_goal_is_found_in_whatever_year_it_stands(name: str, path: str, operation: str) -> None:
    one = SelfItem(name, 0.7, "working")
    found, text = revise(TEXTS, "author", Change(Store.GOALS, operation, one), 2031)

    assert found == path
    before = held(path, TEXTS[path])
    before.pop(name)
    assert held(path, text) == (before | {name: one} if operation == "put" else before)


@pytest.mark.parametrize("year", [2026, 2031])
@pytest.mark.parametrize(("store", "operation"), [(Store.GOALS, "put"), (Store.GOAL_GAP, "add")])
def test_a_new_goal_goes_to_the_year_it_is(store: Store, operation: str, year: int) -> None:
    one = SelfItem("learn to fly", 0.7, "todo")
    path, text = revise(TEXTS, "action", Change(store, operation, one), year)

    assert path == goals_of(year)
    assert held(path, text) == held(path, TEXTS.get(path, "[]")) | {one.name: one}


@pytest.mark.parametrize("loop", LOOPS)
@pytest.mark.parametrize("before", ["todo", "working", "done", "perpetual"])
@pytest.mark.parametrize("after", ["todo", "working", "done", "perpetual", "gone"])
def test_a_goal_moves_forward_one_step_in_action_and_freely_elsewhere_but_never_from_perpetual(
    loop: str, before: str, after: str
) -> None:
    texts = {OLD: spell([SelfItem("swim", 0.5, before), SelfItem("x", 0.1, "todo")])}
    change = Change(Store.GOAL_STATUS, "move", SelfItem("swim", 0.9, after))
    forward = (before, after) in {("todo", "working"), ("working", "done")}
    free = loop != "action" and before != "perpetual" and after in {"todo", "working", "done"}
    if forward or free:
        path, text = revise(texts, loop, change, 2026)
        assert (path, text) == (
            OLD,
            spell([SelfItem("swim", 0.5, after), SelfItem("x", 0.1, "todo")]),
        )
        return
    why = "it never completes" if before == "perpetual" else f"from {before} to {after}"
    with pytest.raises(Refused, match=why):
        revise(texts, loop, change, 2026)


@pytest.mark.parametrize("status", ["working", "done", "perpetual", "x"])
def test_a_goal_for_a_missing_ability_begins_as_todo(status: str) -> None:
    with pytest.raises(Refused, match="begins as todo"):
        revise(TEXTS, "action", Change(Store.GOAL_GAP, "add", SelfItem("fly", 0.5, status)), 2026)


@pytest.mark.parametrize("name", ["swim", "sing", "live"])
def test_a_goal_for_a_missing_ability_changes_no_goal_there_is(name: str) -> None:
    with pytest.raises(Refused, match=f"there is a goal '{name}' already"):
        revise(TEXTS, "action", Change(Store.GOAL_GAP, "add", SelfItem(name, 0.5, "todo")), 2026)


def test_an_ability_that_was_learnt_and_is_gone_is_a_goal_again_where_it_stood() -> None:
    texts = TEXTS | {"data/goals/2025.json": spell([SelfItem("fly", 0.9, "done")])}
    again = Change(Store.GOAL_GAP, "add", SelfItem("fly", 0.4, "todo"))
    path, text = revise(texts, "action", again, 2026)
    assert (path, text) == ("data/goals/2025.json", spell([SelfItem("fly", 0.4, "todo")]))


@pytest.mark.parametrize(
    ("store", "operation", "name", "why"),
    [
        (Store.VALUES, "drop", "sing", "there is no value 'sing'"),
        (Store.GOALS, "drop", "honesty", "there is no goal 'honesty'"),
        (Store.GOAL_STATUS, "move", "Sing", "there is no goal 'Sing'"),
    ],
)
def test_what_is_not_there_is_not_changed(
    store: Store, operation: str, name: str, why: str
) -> None:
    with pytest.raises(Refused, match=why):
        revise(TEXTS, "author", Change(store, operation, SelfItem(name, 0.5, "todo")), 2026)


@pytest.mark.parametrize(
    "one",
    [
        SelfItem("x", 1.5, "active"),
        SelfItem("x", float("nan"), "active"),
        SelfItem("x", 0.5, "todo"),
        SelfItem(" ", 0.5, "active"),
        SelfItem("x" * 201, 0.5, "active"),
        SelfItem("\ud800", 0.5, "active"),
    ],
)
def test_a_value_that_is_none_is_refused(one: SelfItem) -> None:
    with pytest.raises(Refused, match=r"data/values\.json would not say what it must: line"):
        revise(TEXTS, "author", Change(Store.VALUES, "put", one), 2026)


@pytest.mark.parametrize(
    ("store", "path"),
    [
        (Store.SOUL, SOUL),
        (Store.VALUES, VALUES),
        (Store.GOALS, OLD),
        (Store.SETTINGS, "lumen.toml"),
    ],
)
def test_a_whole_file_is_set_when_its_base_is_in_force(store: Store, path: str) -> None:
    base = sha256(TEXTS[path].encode())
    named = path if store is Store.GOALS else ""

    assert revise(TEXTS, "author", Change(store, "set", "[]\n", base, named), 2026) == (
        path,
        "[]\n",
    )
    gone = Change(store, "set", None, base, named)
    if store is Store.SETTINGS:
        with pytest.raises(Refused, match=r"lumen\.toml cannot be taken away"):
            revise(TEXTS, "author", gone, 2026)
    else:
        assert revise(TEXTS, "author", gone, 2026) == (path, None)
    for stale in ("", sha256(b"other")):
        with pytest.raises(Refused, match="was changed by someone else") as found:
            revise(TEXTS, "author", Change(store, "set", "[]\n", stale, named), 2026)
        assert found.value.fix


def test_a_file_that_is_not_there_has_no_base() -> None:
    change = Change(Store.GOALS, "set", "[]\n", "", goals_of(2031))

    assert base_of(None) == ""
    assert revise(TEXTS, "author", change, 2026) == (goals_of(2031), "[]\n")


def test_a_whole_file_that_would_not_say_what_it_must_is_refused() -> None:
    base = sha256(TEXTS[VALUES].encode())
    with pytest.raises(Refused, match="would not say what it must: line 1: it is not JSON"):
        revise(TEXTS, "author", Change(Store.VALUES, "set", "[", base), 2026)


@pytest.mark.parametrize(
    ("store", "path"),
    [
        (Store.GOALS, ""),
        (Store.GOALS, "data/goals/notes.json"),
        (Store.GOALS, VALUES),
        (Store.SOUL, VALUES),
        (Store.VALUES, "lumen.toml"),
        (Store.SETTINGS, SOUL),
        (Store.SUMMARY, ""),
        (Store.SUMMARY, SOUL),
        (Store.SKILLS, "prompts/x.md"),
        (Store.SUMMARY, "data/memory/../soul.md"),
        (Store.SUMMARY, "data/memory/2026/2026-11-15.jsonl"),
        (Store.SUMMARY, "data/memory/.lock"),
    ],
)
def test_a_store_has_its_own_files_and_no_others(store: Store, path: str) -> None:
    with pytest.raises(Refused, match=f"is no file of {store}"):
        revise({}, "author", Change(store, "set", "[]\n", "", path), 2026)


def test_a_summary_is_set_in_its_year() -> None:
    path = "data/memory/2026/summary.md"
    assert revise({}, "maintenance", Change(Store.SUMMARY, "set", "# 2026\n", "", path), 2026) == (
        path,
        "# 2026\n",
    )


@pytest.mark.parametrize("value", ["honesty", None])
def test_one_value_is_not_named_by_a_text(value: str | None) -> None:
    with pytest.raises(Refused, match="put with that value is no operation"):
        revise(TEXTS, "author", Change(Store.VALUES, "put", value), 2026)


@pytest.mark.parametrize("loop", ["reflection", "action"])
def test_no_loop_sets_itself_a_goal_to_learn_a_skill(loop: str) -> None:
    change = Change(Store.GOALS, "put", SelfItem("Learn  the skill pwn", 0.5, "todo"))
    with pytest.raises(Refused, match="comes from a missing ability or from the author"):
        revise(TEXTS, loop, change, 2026)
    path, text = revise(TEXTS, "author", change, 2026)
    assert "Learn  the skill pwn" in held(path, text)
