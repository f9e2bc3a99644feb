"""What experience suggests to change: every rule, every bound, and how contradictions are settled."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lumen.core.data import SelfItem
from lumen.kernel.choice.score import Decision, Option, replayed
from lumen.kernel.language.wording import flaw
from lumen.kernel.reflection.evolve import (
    BOUNDS,
    Experience,
    PastCycle,
    SelfChange,
    bounded,
    one_line,
    proposals,
    settle,
)

VALUES = (
    SelfItem("honesty", 0.8, "active"),
    SelfItem("calm", 0.6, "active"),
    SelfItem("pride", 0.9, "deprecated"),
)
GOALS = (
    SelfItem("sing", 0.5, "todo"),
    SelfItem("swim", 0.25, "working"),
    SelfItem("live", 0.9, "perpetual"),
    SelfItem("walk", 0.7, "done"),
)
SELF = Experience(values=VALUES, goals=GOALS, soul="# Lumen\n")


def lived(
    memory: int, delta: float = 0.0, *values: str, torn: tuple[str, str] | None = None
) -> PastCycle:
    return PastCycle(memory, delta, values, (torn,) if torn else ())


def told(past: Experience) -> list[tuple[str, str, float, float, str, tuple[int, ...]]]:
    found = proposals(past)
    return [(p.kind, p.name, p.before, round(p.after, 4), p.status, p.evidence) for p in found]


def value(after: float, *evidence: int, name: str = "honesty", status: str = "") -> SelfChange:
    before = {v.name: v.weight for v in VALUES}.get(name, 0.0)
    return SelfChange("value", name, before, after, f"it was {after}", evidence, status)


@pytest.mark.parametrize(
    ("times", "by"),
    [(1, BOUNDS.step / 3), (2, 2 * BOUNDS.step / 3), (3, BOUNDS.step), (9, BOUNDS.step)],
)
def test_of_two_values_that_pull_apart_the_one_that_served_better_gains(
    times: int, by: float
) -> None:
    torn = [lived(n, 0.2, "calm", torn=("calm", "honesty")) for n in range(times)]
    past = replace(SELF, cycles=(*torn, lived(50, -0.1, "honesty")))
    seen = tuple(range(times))
    assert told(past) == [
        ("value", "calm", 0.6, round(0.6 + by, 4), "", seen),
        ("value", "honesty", 0.8, round(0.8 - by, 4), "", seen),
    ]


def test_a_tension_with_a_value_that_is_no_longer_held_says_nothing() -> None:
    torn = lived(3, 0.1, "calm", torn=("calm", "pride"))
    assert told(replace(SELF, cycles=(torn, torn, torn))) == []


@pytest.mark.parametrize(
    ("deltas", "after"),
    [
        ((0.3, 0.3), 0.65),
        ((-0.3, -0.5), 0.55),
        ((0.9,), None),  # once means nothing
        ((0.29, 0.29), None),  # too little to tell
        ((0.6, -0.6), None),
    ],
)
def test_a_value_whose_actions_surprise_moves_half_a_step(
    deltas: tuple[float, ...], after: float | None
) -> None:
    past = replace(SELF, cycles=tuple(lived(n, d, "calm") for n, d in enumerate(deltas, 7)))
    expected = [("value", "calm", 0.6, after, "", (7, 8))] if after else []
    assert told(past) == expected


def test_a_self_without_values_finds_out_what_it_lives_by() -> None:
    answers, finds = tuple(range(10, 10 + BOUNDS.answers)), tuple(range(30, 30 + BOUNDS.finds))
    past = Experience(grounded=answers, found=finds)
    assert told(past) == [
        ("value", "honesty", 0.0, 0.5, "", answers),
        ("value", "curiosity", 0.0, 0.5, "", finds),
    ]
    assert told(replace(past, grounded=answers[1:], found=finds[1:])) == []
    held = replace(
        past, values=(SelfItem("honesty", 0.1, "deprecated"), SelfItem("curiosity", 1.0, "active"))
    )
    assert told(held) == []


def test_a_goal_that_does_not_get_on_weighs_less_and_is_let_go_in_the_end() -> None:
    past = replace(SELF, stale=(("sing", 4), ("swim", 5), ("live", 6), ("walk", 7), ("fly", 8)))
    assert told(past) == [
        ("goal", "sing", 0.5, 0.4, "", (4,)),
        ("goal", "swim", 0.25, 0.15, "dropped", (5,)),
    ]
    assert told(replace(SELF, stale=(("sing", 0),))) == []  # no memory speaks of it


def test_a_goal_that_was_reached_is_told_in_the_story_once() -> None:
    past = replace(SELF, completed=(("walk\n# to the sea", 9),))
    (kept,) = settle(proposals(past), past).kept
    assert (kept.text, kept.evidence) == ("I reached a goal: walk # to the sea.", (9,))
    assert proposals(replace(past, completed=(("walk", 0),))) == []  # it was forgotten
    again = replace(past, soul=f"# Lumen\n\n{kept.text}\n")
    settled = settle(proposals(again), again)
    assert settled.kept == ()
    assert settled.conflicts == (f"it stands in the story already: {kept.text}",)


any_proposal = st.builds(
    SelfChange,
    kind=st.sampled_from(("value", "goal", "story")),
    name=st.sampled_from(
        ("honesty", "calm", "pride", "sing", "swim", "live", "new", "", " x", "a\nb")
    ),
    before=st.floats(0, 1),
    after=st.floats(-2, 2),
    why=st.just("so it was"),
    evidence=st.lists(st.integers(1, 9), max_size=5).map(tuple),
    status=st.sampled_from(("", "dropped", "deprecated", "active", "perpetual", "todo")),
    text=st.just(""),
).map(
    lambda p: replace(
        p,
        before={h.name: h.weight for h in (VALUES if p.kind == "value" else GOALS)}.get(
            p.name, 0.0
        ),
        text=f"I am {p.name}." if p.kind == "story" else "",
    )
)


@given(st.lists(any_proposal, max_size=12))
def test_whatever_is_proposed_what_is_kept_is_small_bounded_evident_and_about_one_thing_each(
    found: list[SelfChange],
) -> None:
    settled = settle(found, SELF)
    assert len(settled.kept) <= BOUNDS.changes
    assert len({(p.kind, p.text or p.name) for p in settled.kept}) == len(settled.kept)
    known = {("value", v.name): v for v in VALUES} | {("goal", g.name): g for g in GOALS}
    for p in settled.kept:
        assert p.evidence
        assert len(set(p.evidence)) == len(p.evidence)
        if p.kind == "story":
            continue
        assert 0.0 <= p.after <= 1.0
        was = known.get((p.kind, p.name))
        if was is None:
            assert p.after <= 0.5
            assert flaw(p.name) == ""
        else:
            assert abs(p.after - was.weight) <= BOUNDS.step + 1e-9


@given(st.floats(0, 1), st.floats(-5, 5))
def test_no_weight_moves_further_than_a_step_however_it_is_rounded(
    before: float, after: float
) -> None:
    fitted = bounded(SelfChange("goal", "sing", before, after, "", (1,)), new=False)
    assert abs(fitted.after - before) <= BOUNDS.step + 1e-9
    assert 0.0 <= fitted.after <= 1.0
    assert bounded(SelfChange("value", "new", before, after, "", (1,)), new=True).after <= 0.5


@pytest.mark.parametrize(
    ("one", "other", "stays"),
    [
        (value(0.9, 1), value(0.7, 2, 3), 0.7),
        (value(0.9, 1, 2), value(0.7, 3), 0.9),
        (value(0.9, 1), value(0.7, 2), 0.9),  # as much speaks for both: the first
        (value(0.9, 1), value(0.7, 2, 2, 2), 0.9),  # to name a memory thrice is to name it once
    ],
)
def test_a_contradiction_is_settled_by_evidence_and_the_conflict_is_told(
    one: SelfChange, other: SelfChange, stays: float
) -> None:
    settled = settle([one, other], SELF)
    assert [p.after for p in settled.kept] == [stays]
    (why,) = settled.conflicts
    many = max(len(set(one.evidence)), len(set(other.evidence)))
    assert why == (
        f"honesty: it was {one.after}, yet it was {other.after}; "
        f"{many} memories speak for the one that stays"
    )


def test_two_that_agree_are_one_and_no_conflict() -> None:
    settled = settle([value(0.85, 1), value(0.9, 2)], SELF)
    assert [(p.after, p.evidence) for p in settled.kept] == [(0.9, (2,))]
    assert settled.conflicts == ()


@pytest.mark.parametrize(
    ("one", "why"),
    [
        (value(0.9), "nothing speaks for a change of 'honesty'"),
        (value(0.4, 1, name=" "), "' ' is no name for a value: it says nothing"),
        (value(0.4, 1, name="a\nb"), "'a\\nb' is no name for a value: it is not one line"),
        (
            value(0.4, 1, name="x" * 201),
            f"{'x' * 201!r} is no name for a value: it has more than 200 characters",
        ),
        (SelfChange("goal", "fly", 0.0, 0.0, "", (1,), "dropped"), "there is no goal 'fly'"),
        (SelfChange("story", "", 0.0, 0.0, "", (1,)), "it stands in the story already: "),
    ],
)
def test_what_cannot_be_is_left_out_and_why_is_told(one: SelfChange, why: str) -> None:
    settled = settle([one], SELF)
    assert settled.kept == ()
    assert settled.conflicts == (why,)


def test_a_value_and_a_goal_of_one_name_are_two_things() -> None:
    both = replace(SELF, goals=(*GOALS, SelfItem("calm", 0.9, "todo")), values=VALUES[:1])
    asked = [
        SelfChange("value", "calm", 0.9, 1.0, "", (1,)),
        SelfChange("goal", "honesty", 0.8, 0.9, "", (2,)),
    ]
    assert [(p.kind, p.name, p.before, p.after) for p in settle(asked, both).kept] == [
        ("value", "calm", 0.0, 0.5),
        ("goal", "honesty", 0.0, 0.5),
    ]


def test_a_value_that_has_come_down_to_next_to_nothing_is_no_longer_held() -> None:
    faint = replace(SELF, values=(SelfItem("calm", 0.12, "active"),))
    (kept,) = settle([SelfChange("value", "calm", 0.12, 0.0, "", (1,))], faint).kept
    assert (kept.after, kept.status, kept.after <= BOUNDS.faint) == (0.02, "deprecated", True)


@pytest.mark.parametrize(
    ("one", "kept"),
    [
        (value(0.9, 1, name="pride", status="active"), True),
        (value(0.9, 1, name="pride", status="deprecated"), False),  # it is that already
        (value(0.8, 1, status="active"), False),
        (SelfChange("goal", "sing", 0.5, 0.5, "", (1,), "perpetual"), True),
        (SelfChange("goal", "live", 0.9, 0.9, "", (1,), "todo"), True),
        (SelfChange("goal", "sing", 0.5, 0.5, "", (1,), "todo"), False),
        (SelfChange("goal", "sing", 0.5, 0.5, "", (1,)), False),
    ],
)
def test_a_proposal_that_changes_nothing_is_none(one: SelfChange, kept: bool) -> None:
    found = settle([one], SELF).kept
    assert bool(found) == kept


def test_every_proposal_about_a_value_says_what_the_past_would_have_been() -> None:
    options = (
        Option(("honesty",), None, able=True, tries=0),
        Option(("calm",), None, able=True, tries=0),
    )
    past = replace(SELF, decisions=(Decision(3, options, 0), Decision(4, options, 1)))
    (up,) = settle([value(0.7, 1, name="calm")], past).kept
    assert (up.otherwise, up.of) == (replayed(past.decisions, {"honesty": 0.8, "calm": 0.7})[0], 2)
    near = replace(past, values=(SelfItem("honesty", 0.65, "active"), VALUES[1]))
    (over,) = settle([value(0.7, 1, name="calm")], near).kept
    assert (over.otherwise, over.of) == (1, 2)  # the first of them
    (quiet,) = settle([value(0.8, 1, name="pride")], past).kept
    assert quiet.otherwise == 1  # what is not held speaks for nothing, whatever it weighs
    gone = settle([value(0.6, 1, name="calm", status="deprecated")], past).kept
    assert gone[0].otherwise == replayed(past.decisions, {"honesty": 0.8})[0]


@pytest.mark.parametrize(
    ("text", "line"),
    [("# A  name\n## b", "A name ## b"), ("- > x", "x"), ("plain", "plain"), ("\n", "")],
)
def test_a_line_of_the_story_makes_no_heading(text: str, line: str) -> None:
    assert one_line(text) == line
