"""How weights went: one point for each change, nothing for what stayed."""

from __future__ import annotations

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from lumen.core.data import FileVersion, SelfItem
from lumen.soul.state.selfhood import VALUES, spell
from lumen.soul.state.weighed import GONE, series

GOALS = "data/goals/2031.json"


def version(seq: int, *held: tuple[str, float, str], path: str = VALUES) -> FileVersion:
    text = spell([SelfItem(*h) for h in held])
    return FileVersion(path, "", seq, f"2031-01-{seq:02d}T00:00:00.000Z", "", text)


def test_only_changes_are_points_and_the_heaviest_comes_first() -> None:
    found = series(
        [
            version(1, ("tact", 0.2, "active")),
            version(2, ("tact", 0.2, "active"), ("honesty", 0.8, "active")),
            version(3, ("honesty", 0.9, "active"), ("tact", 0.2, "deprecated")),
        ]
    )
    assert [s.name for s in found] == ["honesty", "tact"]
    assert [(p.seq, p.weight) for p in found[0].points] == [(2, 0.8), (3, 0.9)]
    assert [(p.seq, p.status) for p in found[1].points] == [(1, "active"), (3, "deprecated")]
    assert (found[0].kind, found[0].now.weight) == ("value", 0.9)


def test_what_is_taken_away_is_gone_comes_last_and_may_come_back() -> None:
    away = [
        version(1, ("tact", 0.9, "active"), ("care", 0.1, "active")),
        version(2, ("care", 0.1, "active")),
    ]
    found = series(away)
    assert [s.name for s in found] == ["care", "tact"]
    assert (found[1].now.weight, found[1].now.status) == (None, GONE)
    back = series([*away, version(3, ("tact", 0.5, "active"))])
    assert [p.weight for p in back[0].points] == [0.9, None, 0.5]
    assert (
        series([version(1, ("tact", 0.9, "active")), FileVersion(VALUES, "", 2, "", "", None)])[
            0
        ].now.weight
        is None
    )


def test_a_goal_of_the_same_name_in_another_year_is_another_goal() -> None:
    one = version(1, ("sing", 0.5, "todo"), path=GOALS)
    other = version(2, ("sing", 0.4, "done"), path="data/goals/2032.json")
    found = series([one, other])
    assert [(s.path[-9:-5], s.kind, s.now.status) for s in found] == [
        ("2031", "goal", "todo"),
        ("2032", "goal", "done"),
    ]


def test_a_version_that_cannot_be_read_changes_nothing_and_no_version_is_no_series() -> None:
    broken = FileVersion(VALUES, "", 2, "", "", "not a list")
    assert len(series([version(1, ("tact", 0.2, "active")), broken])[0].points) == 1
    assert series([]) == []


@given(st.lists(st.dictionaries(st.sampled_from("abc"), st.integers(0, 10)), max_size=9))
def test_the_last_point_is_the_last_version_and_no_two_points_in_a_row_are_alike(
    lives: list[dict[str, int]],
) -> None:
    held = [[(name, n / 10, "active") for name, n in life.items()] for life in lives]
    found = series(version(seq, *one) for seq, one in enumerate(held, 1))
    now = {s.name: s.now.weight for s in found if s.now.status != GONE}
    assert now == ({name: weight for name, weight, _ in held[-1]} if held else {})
    for one in found:
        told = [(p.weight, p.status) for p in one.points]
        assert all(a != b for a, b in pairwise(told))
