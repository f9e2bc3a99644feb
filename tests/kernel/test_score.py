"""B = M × A × P against a table worked out by hand, and what must hold for any numbers."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lumen.kernel.choice.score import (
    LAW,
    Behaviour,
    Decision,
    Option,
    behaviour,
    best,
    choice,
    delta,
    expected,
    gap,
    prompt,
    replayed,
)

weight = st.floats(0, 1)
weights = st.lists(weight, max_size=4)
goal = st.none() | weight
tries = st.integers(0, 60)
scored = st.builds(
    lambda values, goal, able, tries: behaviour(values, goal, able=able, tries=tries),
    weights,
    goal,
    st.booleans(),
    tries,
)
NAMES = ("honesty", "calm", "play")
option = st.builds(
    Option,
    st.sets(st.sampled_from(NAMES)).map(lambda s: tuple(sorted(s))),
    goal,
    st.booleans(),
    st.integers(0, 9),
    st.booleans(),
)


@pytest.mark.parametrize(
    ("values", "goal", "able", "tries", "found"),
    [
        ([0.8], None, True, 0, (0.8, 1.0, 0.8)),  # reactive: no goal weighs on it
        ([0.8, 0.4], None, True, 0, (0.6, 1.0, 0.6)),  # the mean of what speaks for it
        ([0.8, 0.4], 0.5, True, 0, (0.3, 1.0, 0.3)),  # times the goal
        ([], None, True, 0, (0.5, 1.0, 0.5)),  # nothing speaks for it: neutral
        ([], 0.8, True, 0, (0.4, 1.0, 0.4)),
        ([0.9], 0.9, False, 0, (0.81, 1.0, 0.0)),  # cannot be done
        ([1.0], 1.0, True, 3, (1.0, 0.5, 0.5)),  # three vain tries halve the prompt
        ([1.0], 1.0, True, 6, (1.0, 0.25, 0.25)),
        ([1.0], 0.6, True, 9, (0.6, 0.125, 0.075)),
        ([0.0], None, True, 0, (0.0, 1.0, 0.0)),
        ([1.0, 0.0, 0.5], 1.0, True, 0, (0.5, 1.0, 0.5)),
    ],
)
def test_the_score_is_what_the_table_says(
    values: list[float],
    goal: float | None,
    able: bool,
    tries: int,
    found: tuple[float, float, float],
) -> None:
    m, p, b = found
    one = behaviour(values, goal, able=able, tries=tries)
    assert (one.motivation, one.prompt, one.total) == pytest.approx((m, p, b))
    assert one.ability == float(able)


def of(m: float, a: float = 1.0, p: float = 1.0) -> Behaviour:
    return Behaviour(m, a, p, m * a * p)


@pytest.mark.parametrize(
    ("scores", "top", "missing"),
    [
        ([], (), None),
        ([of(0.19)], (), None),  # not wanted enough
        ([of(0.2)], (0,), None),  # just enough
        ([of(0.3), of(0.8), of(0.5)], (1,), None),
        ([of(0.5), of(0.5)], (0, 1), None),  # a tie
        ([of(0.9, 0.0), of(0.5)], (1,), 0),  # what is wanted most cannot be done
        ([of(0.5), of(0.4, 0.0)], (0,), None),  # what cannot be done is not wanted most
        ([of(0.5, 0.0), of(0.5)], (1,), None),  # as wanted, and can be done
        ([of(0.1, 0.0)], (), None),  # what nobody wants is no gap
        ([of(0.8, 1.0, 0.25), of(0.3)], (1,), None),  # B decides, not M
        ([of(0.7, 0.0), of(0.7, 0.0)], (), 0),
    ],
)
def test_the_best_and_the_gap_are_what_the_table_says(
    scores: list[Behaviour], top: tuple[int, ...], missing: int | None
) -> None:
    assert best(scores) == top
    assert gap(scores) == missing


def test_neutral_and_least_are_what_the_seed_says() -> None:
    assert (LAW.neutral, LAW.least) == (0.5, 0.2)
    assert [prompt(n) for n in (0, 3, 6)] == [1.0, 0.5, 0.25]
    assert prompt(100_000) == 0.0


@given(scored)
def test_every_factor_and_the_score_lie_between_nothing_and_one(one: Behaviour) -> None:
    for part in (one.motivation, one.ability, one.prompt, one.total):
        assert 0.0 <= part <= 1.0
    assert one.total == one.motivation * one.ability * one.prompt


@given(weights, st.integers(0, 3), weight, goal, tries)
def test_a_heavier_value_never_scores_less(
    values: list[float], which: int, more: float, goal: float | None, tries: int
) -> None:
    values = values or [0.0]
    heavier = [*values]
    heavier[which % len(values)] = max(more, values[which % len(values)])
    one = behaviour(values, goal, able=True, tries=tries)
    assert behaviour(heavier, goal, able=True, tries=tries).total >= one.total - 1e-12


@given(weights, weight, weight, tries, tries)
def test_a_heavier_goal_and_fewer_vain_tries_never_score_less(
    values: list[float], one: float, other: float, early: int, late: int
) -> None:
    light, heavy = sorted((one, other))
    few, many = sorted((early, late))
    low = behaviour(values, light, able=True, tries=many)
    high = behaviour(values, heavy, able=True, tries=few)
    assert high.total >= low.total
    assert behaviour(values, light, able=False, tries=many).total == 0.0


@given(st.lists(scored, max_size=6))
def test_the_best_is_wanted_possible_and_nothing_allowed_scores_more(
    scores: list[Behaviour],
) -> None:
    top = best(scores)
    assert all(scores[i].motivation >= LAW.least and scores[i].ability for i in top)
    for i in top:
        assert all(
            s.total <= scores[i].total + 1e-9
            for s in scores
            if s.motivation >= LAW.least and s.ability
        )
    assert bool(top) == any(s.motivation >= LAW.least and s.ability for s in scores)


@given(st.lists(scored, max_size=6))
def test_there_is_a_gap_only_when_the_most_wanted_cannot_be_done(scores: list[Behaviour]) -> None:
    found = gap(scores)
    wanted = [s for s in scores if s.motivation >= LAW.least]
    most = max((s.motivation for s in wanted), default=0.0)
    doable = any(s.ability for s in wanted if s.motivation >= most - 1e-9)
    assert (found is not None) == (bool(wanted) and not doable)
    if found is not None:
        assert not scores[found].ability
        assert scores[found].motivation == pytest.approx(most)


@given(st.lists(st.tuples(scored, st.booleans()), max_size=6))
def test_what_is_chosen_is_the_best_that_is_allowed_and_nothing_beside_a_gap(
    both: list[tuple[Behaviour, bool]],
) -> None:
    scores, allowed = [s for s, _ in both], [a for _, a in both]
    found = choice(scores, allowed)
    assert found == (
        () if gap(scores) is not None else tuple(i for i in best(scores) if allowed[i])
    )


@pytest.mark.parametrize(
    ("ok", "likely", "distance", "off"),
    [
        (True, 1.0, 0.0, 0.0),  # surely foreseen, in the very words
        (False, 0.0, 0.0, 0.0),
        (True, 0.0, 1.0, 1.0),
        (False, 1.0, 1.0, -1.0),
        (True, 0.5, 0.0, 0.35),
        (False, 0.5, 0.0, -0.35),
        (True, 0.5, 0.5, 0.5),
        (False, 0.75, 0.2, -0.585),
        (True, 0.5, 9.0, 0.65),  # no distance is more than whole
        (True, 0.5, -9.0, 0.35),
    ],
)
def test_the_delta_is_what_the_table_says(
    ok: bool, likely: float, distance: float, off: float
) -> None:
    assert delta(ok=ok, likely=likely, distance=distance) == pytest.approx(off)


@given(st.booleans(), weight, st.floats(-2, 2))
def test_the_delta_is_signed_and_bounded(ok: bool, likely: float, distance: float) -> None:
    found = delta(ok=ok, likely=likely, distance=distance)
    assert -1.0 <= found <= 1.0
    assert found >= 0.0 if ok else found <= 0.0


@given(st.integers(0, 50), st.integers(0, 50))
def test_how_likely_something_is_follows_what_came_of_it(good: int, bad: int) -> None:
    found = expected(good, bad)
    assert 0.0 < found < 1.0
    assert expected(good + 1, bad) > found > expected(good, bad + 1)
    assert expected(0, 0) == 0.5


def by_hand(past: Decision, weights: dict[str, float]) -> bool:
    """Whether a past choice would have gone otherwise, worked out from the seed's words alone."""
    worth: list[tuple[float, float]] = []
    for o in past.options:
        known = [weights[v] for v in o.values if v in weights]
        m = (sum(known) / len(known) if known else 0.5) * (1.0 if o.goal is None else o.goal)
        worth.append((m, m * float(o.able) * 0.5 ** (o.tries / 3)))
    wanted = [i for i, (m, _) in enumerate(worth) if m >= 0.2]
    if not wanted:
        return past.chosen != -1
    most = max(worth[i][0] for i in wanted)
    if not any(past.options[i].able for i in wanted if worth[i][0] >= most - 1e-9):
        return past.chosen != -1
    able = [i for i in wanted if past.options[i].able]
    top = max(worth[i][1] for i in able)
    now = [i for i in able if worth[i][1] >= top - 1e-9 and past.options[i].allowed]
    return past.chosen not in (now or [-1])


@given(
    st.lists(st.tuples(st.lists(option, min_size=1, max_size=4), st.integers(-1, 3)), max_size=8),
    st.dictionaries(st.sampled_from(NAMES), weight),
)
def test_a_replay_counts_what_brute_force_counts(
    raw: list[tuple[list[Option], int]], weights: dict[str, float]
) -> None:
    decisions = [
        Decision(n, tuple(options), min(chosen, len(options) - 1))
        for n, (options, chosen) in enumerate(raw, 10)
    ]
    many, which = replayed(decisions, weights)
    assert list(which) == [d.event for d in decisions if by_hand(d, weights)]
    assert many == len(which)


def test_a_choice_that_a_gap_or_the_author_held_up_stays_held_up_in_a_replay() -> None:
    blocked = (Option((), 0.9, able=False, tries=0), Option((), 0.5, able=True, tries=0))
    forbidden = (Option((), 0.9, able=True, tries=0, allowed=False),)
    assert replayed([Decision(1, blocked, -1), Decision(2, forbidden, -1)], {}) == (0, ())
    assert replayed([Decision(1, blocked, 1), Decision(2, forbidden, 0)], {}) == (2, (1, 2))
