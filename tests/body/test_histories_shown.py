"""`values --history` and `goals --history`: plots that fit a terminal, and every change in words."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

import pytest

from lumen.app.histories import Changed
from lumen.body.cli.plots import HEIGHT, plot

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.body.conftest import Lumen, Ran

    Inside = Callable[..., Ran]

START = datetime(2031, 1, 1, tzinfo=UTC)
COLOUR = re.compile(r"\x1b\[[0-9;]*m")
GOAL = '[{"name": "learn about tomatoes", "weight": 0.9, "status": "todo"}]\n'


def value(name: str, weight: float) -> str:
    return f'[{{"name": "{name}", "weight": {weight}, "status": "active"}}]\n'


def point(day: float, weight: float | None, status: str = "active") -> Changed:
    when = f"{START + timedelta(days=day):%Y-%m-%dT%H:%M:%S}.000Z"
    return Changed(int(day), when, weight, status, "", "", 0, "", "", ())


def drawn(*points: Changed, days: float = 10) -> list[str]:
    return list(plot(points, START, START + timedelta(days=days), 80))


def heights(lines: list[str]) -> list[int]:
    """How high each column is, in eighths of a row."""
    rows = [line[5:].ljust(75) for line in lines[:HEIGHT]]
    return [sum(" ▁▂▃▄▅▆▇█".index(row[c]) for row in rows) for c in range(75)]


def test_a_bar_is_as_high_as_the_weight_was_and_changes_where_it_did() -> None:
    lines = drawn(point(0, 0.5), point(5, 1.0))
    high = heights(lines)
    assert (set(high[:37]), set(high[38:])) == ({12}, {24})
    assert lines[HEIGHT].index("┴", 6) == 5 + 37
    assert lines[HEIGHT + 1].split() == ["1", "Jan", "6", "Jan", "11", "Jan"]
    assert {len(line) for line in lines} == {80}


def test_a_goal_has_a_mark_on_the_axis_where_it_stood_otherwise() -> None:
    axis = drawn(point(0, 0.4, "todo"), point(2, 0.4, "working"), point(4, 0.3, "working"),
                 point(8, 0.3, "done"))[HEIGHT]  # fmt: skip
    assert [c for c in axis[5:] if c != "─"] == ["○", "●", "┴", "✓"]


def test_what_was_not_there_is_blank_and_the_least_weight_is_a_line() -> None:
    high = heights(drawn(point(5, 0.0), point(8, None, "gone")))
    assert set(high[:37]) == {0}
    assert set(high[38:59]) == {1}
    assert set(high[61:]) == {0}


@pytest.mark.parametrize(
    ("days", "shown"),
    [
        (0, ["1", "Jan", "00:00"]),
        (0.25, ["00:00", "03:00", "06:00"]),
        (400, ["Jan", "2031", "Jul", "2031", "Feb", "2032"]),
    ],
)
def test_the_axis_tells_hours_days_or_months_as_the_span_is(days: float, shown: list[str]) -> None:
    lines = drawn(point(0, 0.5), days=days)
    assert lines[-1].split() == shown
    assert set(heights(lines)) == {12}
    assert max(map(len, lines)) <= 80


def test_a_change_by_hand_and_one_by_reflection_are_told_with_their_reasons(
    talked: Lumen, inside: Inside
) -> None:
    asked = b"Where does my sister live?\nWhat do I like?\n" * 2
    assert talked.run("chat", stdin=asked).code == 0
    assert inside("reflect").code == 0
    made = inside("values", "--json").json()
    assert [v["name"] for v in made] == ["honesty"]
    talked.want(values=value("honesty", 0.62))
    out = inside("values", "--history").out
    lines = out.splitlines()
    assert lines[0].startswith("honesty ")
    assert lines[0].endswith(" 0.62 active")
    assert max(map(len, lines)) <= 80
    flat = " ".join(out.split())
    told = next(e for e in talked.events() if e["situation"] == "evolved")
    assert "new at 0.50 active I answered in words that were told to me 5 times" in flat
    assert f"set off: the author asked for it · event {told['seq']}, rests on " in flat
    edited = [e for e in talked.events() if e["situation"] == "edited"][-1]
    assert f"0.50 → 0.62 edited by the author · event {edited['seq']}" in flat
    (series,) = inside("values", "--history", "--json").json()
    first, second = series["points"]
    assert (series["weight"], first["weight"], second["weight"]) == (0.62, 0.5, 0.62)
    assert (first["memory"], first["sources"]) == (told["seq"], told["payload"]["sources"])
    assert (second["why"], second["seq"]) == ("edited by the author", edited["seq"])


def test_a_goal_shows_how_it_stood_and_that_it_was_pursued(lumen: Lumen, inside: Inside) -> None:
    lumen.want(values=value("curiosity", 0.8), goals=GOAL)
    lumen.run("run", "--cycles", "1", "--every", "0")
    flat = " ".join(inside("goals", "--history").out.split())
    pursues = next(e["seq"] for e in lumen.events() if e["situation"] == "pursues")
    assert "0.90 working 1.0 ┤" in flat
    assert "new at 0.90 todo edited by the author" in flat
    assert f"todo → working it was pursued · event {pursues}" in flat
    assert inside("goals", "--history", "--status", "done").out.startswith("none yet")
    assert inside("goals", "--history", "--year", "1999", "--json").json() == []
    assert len(inside("goals", "--history", "--year", "2031", "--json").json()) == 1


def test_what_was_taken_away_stays_in_the_history(lumen: Lumen, inside: Inside) -> None:
    lumen.want(values=value("tact", 0.3))
    lumen.want(values="[]\n")
    out = inside("values", "--history").out
    assert re.match(r"tact +gone\n", out)
    assert "0.30 → gone edited by the author" in " ".join(out.split())


@pytest.mark.usefixtures("lumen")
def test_no_history_is_told_in_a_line(inside: Inside) -> None:
    for command in ("values", "goals"):
        assert inside(command, "--history").out == "none yet: they come of living\n"
        assert inside(command, "--history", "--json").json() == []


def test_a_terminal_has_colours_unless_it_is_told_not_to(lumen: Lumen) -> None:
    lumen.want(values=value("a name that goes on " * 9, 0.5), goals=GOAL)
    for command in ("values", "goals"):
        screen = lumen.terminal(command, "--history")
        assert screen.close() == 0
        assert COLOUR.search(screen.shown)
        assert max(len(COLOUR.sub("", line)) for line in screen.shown.splitlines()) <= 80
        plain = lumen.terminal(command, "--history", NO_COLOR="1")
        assert plain.close() == 0
        assert "\x1b" not in plain.shown
        assert COLOUR.sub("", screen.shown).splitlines()[0] == plain.shown.splitlines()[0]
        assert "\x1b" not in lumen.run(command, "--history").out
