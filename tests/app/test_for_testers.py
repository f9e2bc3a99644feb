"""A clock and a model for those who test a program against a being."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

import lumen
from lumen.testing import HandClock, Rule, scripted

WALKS = Rule("A walk by the sea sounds like a good day.", when="walk")


def test_a_clock_stands_until_it_is_turned_and_no_two_looks_are_one() -> None:
    clock = HandClock()
    first, second = clock.now(), clock.now()
    assert first == datetime(2026, 1, 1, 9, tzinfo=UTC)
    assert timedelta() < second - first < timedelta(seconds=1)
    assert clock.turn(days=2, hours=1) - second < timedelta(days=2, hours=1, seconds=1)
    assert clock.now().day == 3
    assert clock.tick() == clock.tick()


def test_chance_is_real_unless_it_is_seeded() -> None:
    assert HandClock().entropy(8) != HandClock().entropy(8)
    one, same = HandClock(seed=7), HandClock(seed=7)
    drawn = [one.entropy(8), one.entropy(8)]
    assert drawn == [same.entropy(8), same.entropy(8)]
    assert len({*drawn, HandClock(seed=8).entropy(8)}) == 3


def test_a_script_from_python_answers_as_its_rules_say(tmp_path: Path) -> None:
    name = scripted(tmp_path / "script.jsonl", WALKS, Rule(fail="out of memory", when="crash"))
    assert name == f"scripted/{tmp_path / 'script.jsonl'}"
    lines = (tmp_path / "script.jsonl").read_text("utf-8").splitlines()
    assert lines[1] == '{"when":"crash","fail":"out of memory"}'


@pytest.mark.usefixtures("home")
def test_the_same_clock_and_script_give_the_same_answers_at_the_same_times(tmp_path: Path) -> None:
    seen = []
    for name in ("one", "two"):
        clock = HandClock()
        lumen.create(tmp_path / name, clock=clock)
        with lumen.open(tmp_path / name, clock=clock) as being:
            being.assign("interface", scripted(tmp_path / "script.jsonl", WALKS))
            said = being.say("I went for a walk by the sea.")
            clock.turn(days=3)
            asked = being.say("What did I tell you three days ago?")
            seen.append((said.text, asked.text, [m.date for m in being.memory(limit=None)]))
    assert seen[0] == seen[1]
    assert seen[0][0] == WALKS.say
    assert "I went for a walk by the sea." in seen[0][1]
