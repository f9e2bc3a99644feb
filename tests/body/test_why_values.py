"""`lumen why` on the name of a value or goal: what it weighs, and what each change rests on."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.body.conftest import Lumen, Ran

    Inside = Callable[..., Ran]

GOAL = '[{"name": "learn about tomatoes", "weight": 0.9, "status": "todo"}]\n'
TACT = '[{"name": "Tact", "weight": 0.3, "status": "active"}]\n'


@pytest.fixture
def honest(talked: Lumen) -> Lumen:
    """A being that has found out that it lives by honesty."""
    asked = b"Where does my sister live?\nWhat do I like?\n" * 2
    assert talked.run("chat", stdin=asked).code == 0
    assert talked.run("reflect").code == 0
    return talked


def test_each_change_is_told_with_its_memory_its_trigger_and_what_it_rests_on(
    honest: Lumen, inside: Inside
) -> None:
    told = next(e for e in honest.events() if e["situation"] == "evolved")
    lines = inside("why", "Honesty").out.splitlines()
    assert lines[0] == "● honesty   value · 0.50 active"
    assert "new at 0.50 active" in lines[1]
    assert "“I now hold honesty dear (0.50), because" in lines[2]
    assert lines[2].endswith(f"event {told['seq']} ✓ chain")
    assert lines[3].split(maxsplit=2) == ["set", "off", "the author asked for it"]
    rests = lines[4:]
    assert [int(line.split()[-3]) for line in rests] == told["payload"]["sources"]
    assert all(line.endswith(" ✓ chain") for line in lines[1:3] + rests)
    found = inside("why", "honesty", "--json").json()
    (point,) = found["points"]
    assert (found["kind"], found["weight"], point["memory"]) == ("value", 0.5, told["seq"])
    assert set(point["chain"].values()) == {True}
    assert len(point["chain"]) == 2 + len(point["sources"])


def test_a_goal_is_explained_by_the_hand_that_set_it_and_by_being_pursued(
    lumen: Lumen, inside: Inside
) -> None:
    lumen.want(goals=GOAL)
    lumen.run("run", "--cycles", "1", "--every", "0")
    out = inside("why", "learn about tomatoes").out
    assert out.startswith("● learn about tomatoes   goal · 0.90 working\n")
    assert "new at 0.90 todo: edited by the author   event 2 ✓ chain" in out
    assert "todo → working" in out


def test_what_is_no_longer_held_is_explained_too_and_a_claim_is_still_a_claim(
    lumen: Lumen, inside: Inside
) -> None:
    lumen.want(values=TACT)
    lumen.want(values="[]\n")
    out = inside("why", "tact").out
    assert out.startswith("● Tact   value · no longer held\n")
    assert "0.30 → gone: edited by the author" in out
    assert inside("why", "tact matters").out == "● tact matters\n  └ you have not told me that\n"


def test_an_event_that_was_changed_on_disk_is_not_passed_off_as_proven(
    honest: Lumen, inside: Inside
) -> None:
    told = next(e for e in honest.events() if e["situation"] == "evolved")
    segment = honest.segment()
    said = told["description"].encode()
    segment.write_bytes(segment.read_bytes().replace(said, said.replace(b"dear", b"near")))
    found = inside("why", "honesty", "--json").json()["points"][0]["chain"]
    assert found[str(told["seq"])] is False
    assert sum(not ok for ok in found.values()) == 1
    assert f"event {told['seq']} ✗ chain: lumen archive verify" in inside("why", "honesty").out
