"""Every other thing an author can do, from Python; each returns data that cannot be changed."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import lumen
from lumen.app.histories import History
from lumen.app.opened import kernel_of
from lumen.core.data import Event
from lumen.core.errors import UsageError


def frozen(result: object) -> bool:
    """Whether a result is a frozen slotted dataclass, or a tuple of them."""
    if isinstance(result, tuple):
        return all(map(frozen, result))
    parameters = getattr(type(result), "__dataclass_params__", None)
    return bool(parameters and parameters.frozen) and not hasattr(result, "__dict__")


def test_every_result_is_a_frozen_slotted_dataclass(home: Path, tmp_path: Path) -> None:
    with lumen.open(home) as being:
        results = {
            "say": being.say("My sister lives in Lisbon."),
            "remember": being.remember("I like tea."),
            "recall": being.recall("Where does my sister live?"),
            "why": being.why(),
            "claim": being.why("my sister lives in Lisbon"),
            "trace": being.trace(),
            "status": being.status(),
            "memory": being.memory(),
            "add": being.goals.add("write a poem"),
            "goals": being.goals.list(),
            "history": being.goals.history(),
            "value": being.values.set("honesty", 0.9),
            "values": being.values.list(),
            "reflect": being.reflect(dry_run=True),
            "live": being.live(),
            "plan": being.plan_forget("tea"),
            "private": being.mark_private(being.memory(author="external")[0].event),
            "checkpoint": being.checkpoint("before"),
            "checkpoints": being.checkpoints(),
            "models": being.models(),
            "skills": being.skills(),
            "approvals": being.approvals(),
            "treasury": being.treasury(calls=5),
            "egress": being.egress(),
            "backup": being.backup(tmp_path / "ada.backup"),
            "verify": being.verify(),
        }
    assert [name for name, result in results.items() if not frozen(result)] == []
    for name in ("recall", "memory", "goals", "values", "live", "checkpoints", "skills"):
        assert results[name], name


def test_goals_are_added_set_closed_and_dropped_as_the_author(
    home: Path, events: Callable[[], list[Event]]
) -> None:
    with lumen.open(home) as being:
        being.goals.add("write a poem", 0.7)
        assert being.goals["write a poem"].weight == 0.7
        being.goals.set("write a poem", 0.9, "working")
        assert [(g.weight, g.status) for g in being.goals] == [(0.9, "working")]
        being.goals.done("write a poem")
        assert being.goals["write a poem"].status == "done"
        being.goals.drop("write a poem")
        assert len(being.goals) == 0
        assert being.verify(deep=True).ok
    by_author = [e.entry for e in events() if e.entry.situation == "author"]
    assert [e.payload["changes"][0]["store"] for e in by_author] == [
        "goals", "goals", "goal_status", "goals",
    ]  # fmt: skip
    assert all(e.session_key == "lumen:author" for e in by_author)


def test_a_goal_is_in_force_for_the_very_next_cycle(home: Path) -> None:
    with lumen.open(home) as being:
        (idle, *_) = being.live()
        assert not idle.done
        being.goals.add("learn about tides", 0.9)
        being.live()  # the other loop has its turn
        loops = [came for _ in range(2) for came in being.live()]
    assert any("tides" in came.what for came in loops)


@pytest.mark.parametrize(
    ("change", "why"),
    [
        (lambda b: b.goals.add("write a poem"), "already"),
        (lambda b: b.goals.set("sing", 0.5), "no goal 'sing'"),
        (lambda b: b.goals.drop("sing"), "no goal 'sing'"),
        (lambda b: b.goals.done("sing"), "no goal 'sing'"),
        (lambda b: b.values.drop("honesty"), "no value 'honesty'"),
        (lambda b: b.values.set("honesty", 1.5), "between 0 and 1"),
        (lambda b: b.goals.set("write a poem", status="active"), "not 'active'"),
        (lambda b: b.values.set(" "), "name"),
    ],
)
def test_what_cannot_be_held_is_refused_and_nothing_is_archived(
    home: Path,
    events: Callable[[], list[Event]],
    change: Callable[[lumen.Being], object],
    why: str,
) -> None:
    with lumen.open(home) as being:
        being.goals.add("write a poem")
        before = len(events())
        with pytest.raises(UsageError, match=why):
            change(being)
        assert len(events()) == before


def test_why_tells_of_a_value_with_each_change(home: Path) -> None:
    with lumen.open(home) as being:
        being.values.set("honesty", 0.9)
        being.values.set("honesty", 0.4)
        found = being.why("honesty")
    assert isinstance(found, History)
    assert [point.weight for point in found.points] == [0.9, 0.4]
    assert "The author" in found.points[-1].why


def test_why_of_the_last_answer_needs_no_asking_which_kind_it_is(home: Path) -> None:
    with lumen.open(home) as being:
        being.remember("My sister lives in Lisbon.")
        said = being.say("Where does my sister live?")
        why = being.why()  # mypy knows that this is no claim and no history
        assert (why.reply, why.event) == (said.text, said.event)
        assert [source.text for source in why.sources] == ["My sister lives in Lisbon."]


def test_forgetting_is_planned_and_then_done(home: Path) -> None:
    with lumen.open(home) as being:
        said = being.say("My cat is called Quorvexim.")
        planned = being.plan_forget("Quorvexim")
        assert said.heard in [g.seq for g in planned.goes]
        assert being.memory("Quorvexim")
        gone = being.forget(planned)
        assert said.heard in gone.erased
        assert gone.left == ()
        assert not being.memory("Quorvexim")
    with pytest.raises(dataclasses.FrozenInstanceError):
        planned.what = "cat"  # type: ignore[misc]


def test_the_self_is_taken_back_to_a_named_moment(home: Path) -> None:
    with lumen.open(home) as being:
        being.values.set("honesty", 0.9)
        being.checkpoint("before")
        being.values.drop("honesty")
        being.restore("before")
        assert being.values["honesty"].weight == 0.9
        being.undo()
        assert len(being.values) == 0


def test_another_model_answers_from_the_next_message_on(home: Path, tmp_path: Path) -> None:
    other = tmp_path / "other.jsonl"
    other.write_text(
        '{"when": "(?s).*", "say": "That sounds like a very good day to me, says the other model."}\n'
    )
    with lumen.open(home) as being:
        assert being.assign("interface", f"scripted/{other}").local
        assert being.models().roles[0].model == f"scripted/{other}"
        assert kernel_of(being).settings.roles["interface"] == f"scripted/{other}"
        assert "other model" in being.say("I had a good day with my sister.").text


def test_a_turn_under_way_is_not_disturbed_by_the_author(home: Path) -> None:
    import asyncio

    from lumen.core.errors import Busy

    async def meddle() -> None:
        async with lumen.open(home) as being:
            async for _ in being.saying("I had a good day."):
                with pytest.raises(Busy):
                    being.goals.add("write a poem")
                return

    asyncio.run(meddle())


@pytest.mark.parametrize(
    "wrong",
    [
        lambda being: being.say(5),
        lambda being: being.forget("zzzz"),
        lambda being: being.remember("words", at="yesterday"),
        lambda being: being.remember([5]),
    ],
)
def test_what_is_of_the_wrong_kind_is_refused_in_words(
    home: Path, wrong: Callable[[Any], object]
) -> None:
    with lumen.open(home) as being:
        before = being.verify().report.count
        with pytest.raises(lumen.LumenError) as refused:
            wrong(being)
        assert refused.value.what
        assert refused.value.fix
        assert being.verify().report.count == before


@pytest.mark.parametrize("ask", ["status", "memory", "verify"])
def test_a_being_that_is_not_open_or_closed_says_so(home: Path, ask: str) -> None:
    door = lumen.open(home)
    with pytest.raises(lumen.LumenError, match="not open"):
        getattr(door, ask)()
    with door as being:
        pass
    with pytest.raises(lumen.LumenError, match="was closed"):
        getattr(being, ask)()
    with pytest.raises(lumen.LumenError, match="was closed"):
        being.say("hello")
    with pytest.raises(lumen.LumenError, match="was closed"):
        len(being.goals)
    with pytest.raises(AttributeError):
        getattr(door, "nonsense")  # noqa: B009 - there is no such name
