"""`lumen run`: a line a cycle, rest when there is nothing to do, and a clean end when it is told."""

from __future__ import annotations

import re
import signal
from collections.abc import Callable
from typing import TYPE_CHECKING

import pytest
from tests.kernel.turning import talking
from tests.waiting import PATIENCE

from lumen.core.canon import loads
from lumen.core.data import BeingPaths

if TYPE_CHECKING:
    from tests.body.conftest import Lumen, Ran

Wait = Callable[..., None]
VALUES = '[{"name": "curiosity", "weight": 0.8, "status": "active"}]\n'
GOAL = '[{"name": "learn about tomatoes", "weight": 0.9, "status": "todo"}]\n'
PERPETUAL = GOAL[:-2] + ', {"name": "understand cities", "weight": 0.5, "status": "perpetual"}]\n'
UNWANTED = GOAL.replace("0.9", "0.1")
SLOW = {"when": "(?s).*", "say": "{}", "delay_s": 300}
ENDS = ("record", "interrupted", "unclosed")


def test_a_cycle_is_a_line_and_the_two_loops_take_turns(lumen: Lumen) -> None:
    lumen.want(values=VALUES, goals=PERPETUAL)
    ran = lumen.run("run", "--cycles", "2", "--every", "0")
    assert ran.code == 0
    first, second = ran.out.splitlines()
    assert re.fullmatch(r"\d\d:\d\d  ● action     learn about tomatoes → search — .*", first)
    assert re.fullmatch(r"\d\d:\d\d  \? explore    .*understand cities.* — found nothing", second)
    assert "Lumen is at work." in ran.err
    assert ran.err.endswith("Stopped after 2 cycles.\n")
    assert "\x1b" not in ran.said
    goals = lumen.run("goals", "--json").json()
    assert goals[0]["status"] == "working"
    assert lumen.verified()


def test_json_is_one_object_a_line_and_nothing_else(lumen: Lumen) -> None:
    lumen.want(values=VALUES, goals=PERPETUAL)
    ran = lumen.run("run", "--cycles", "2", "--every", "0", "--json")
    assert (ran.code, ran.err) == (0, "")
    told = [loads(line) for line in ran.out.splitlines()]
    assert [t["loop"] for t in told] == ["action", "explore"]
    assert [set(t) for t in told] == [{"loop", "what", "outcome", "delta", "done"}] * 2


def test_a_surprise_is_followed_by_a_reflection_that_is_no_cycle_of_its_own(lumen: Lumen) -> None:
    lumen.set("delta = ", "delta = 0.1")
    lumen.want(values=VALUES, goals=GOAL)
    ran = lumen.run("run", "--cycles", "1", "--every", "0", "--json")
    assert [loads(line)["loop"] for line in ran.out.splitlines()] == ["action", "reflection"]
    assert lumen.situations("review", "evolve") == ["review", "evolve"]


def test_twenty_idle_cycles_write_nothing_and_are_told_once(lumen: Lumen) -> None:
    before = lumen.segment().read_bytes()
    ran = lumen.run("run", "--cycles", "20", "--every", "0")
    assert ran.code == 0
    assert len(ran.out.splitlines()) == 1
    assert "· rests      no goal is open; there is nothing new to wonder about" in ran.out
    assert ran.err.endswith("Stopped after 20 cycles.\n")
    assert lumen.segment().read_bytes() == before
    as_json = lumen.run("run", "--cycles", "20", "--every", "0", "--json")
    assert [loads(line)["done"] for line in as_json.out.splitlines()] == [False, False]
    assert lumen.segment().read_bytes() == before


def test_a_goal_that_is_not_wanted_enough_is_skipped_once_and_then_left_alone(
    lumen: Lumen,
) -> None:
    lumen.want(goals=UNWANTED)
    ran = lumen.run("run", "--cycles", "12", "--every", "0")
    assert "learn about tomatoes: nothing is wanted enough" in ran.out
    assert len(ran.out.splitlines()) == 1
    assert lumen.situations("pursues", "record") == ["pursues", "record"]


def test_a_goal_that_is_given_while_it_rests_wakes_it(lumen: Lumen, wait_until: Wait) -> None:
    lumen.want(values=VALUES)
    process = lumen.start("run", "--every", "0")
    assert process.stdout is not None
    assert b"rests" in process.stdout.readline()
    (lumen.being / "data" / "goals" / "2031.json").write_text(GOAL, "utf-8")
    wait_until(lambda: "pursues" in lumen.situations("pursues"))
    process.send_signal(signal.SIGINT)
    process.communicate(timeout=PATIENCE)
    assert process.returncode == 0
    assert lumen.verified()


@pytest.mark.parametrize("which", [signal.SIGINT, signal.SIGTERM])
def test_one_signal_stops_it_after_the_cycle_and_nothing_is_left_half_done(
    lumen: Lumen, which: signal.Signals
) -> None:
    lumen.want(values=VALUES, goals=PERPETUAL)
    process = lumen.start("run", "--every", "0")
    assert process.stdout is not None
    assert b"action" in process.stdout.readline()
    process.send_signal(which)
    _, err = process.communicate(timeout=PATIENCE)
    assert process.returncode == 0
    assert b"Stopped after" in err
    begun = len(lumen.situations("pursues"))
    assert lumen.situations(*ENDS) == ["record"] * begun
    assert lumen.verified()
    assert lumen.run("status", "--json").json()["open_turns"] == 0


def test_one_signal_stops_a_life_full_of_long_messages(lumen: Lumen, wait_until: Wait) -> None:
    met = " ".join(f"Then I met Qaz{i}ly near Wor{i}p, and we spoke of tea." for i in range(8_000))
    assert lumen.run("chat", "-m", "-", stdin=met.encode()).code == 0
    process = lumen.start("run", "--every", "0", "--autonomy", "shadow")
    wait_until(
        lambda: lumen.situations("explored") != []
    )  # what was asked is compared from here on
    process.send_signal(signal.SIGTERM)
    _, err = process.communicate(timeout=PATIENCE)
    assert process.returncode == 0
    assert b"Stopped after" in err
    assert lumen.verified()
    assert lumen.run("status", "--json").json()["open_turns"] == 0


def test_a_signal_ends_a_long_rest(lumen: Lumen) -> None:
    process = lumen.start("run", "--every", "3600", "--autonomy", "shadow")
    assert process.stdout is not None
    assert b"rests" in process.stdout.readline()
    process.send_signal(signal.SIGTERM)
    process.communicate(timeout=PATIENCE)
    assert process.returncode == 0


def test_the_second_signal_stops_it_at_once_and_the_archive_says_so(
    lumen: Lumen, wait_until: Wait
) -> None:
    lumen.script(SLOW, role="orchestrator")
    lumen.want(values=VALUES, goals=GOAL)
    process = lumen.start("run", "--every", "0")
    wait_until(lambda: "pursues" in lumen.situations("pursues"))
    process.send_signal(signal.SIGINT)
    assert process.poll() is None
    process.send_signal(signal.SIGTERM)
    _, err = process.communicate(timeout=PATIENCE)
    assert process.returncode == 130
    assert b"stopped in the middle of a cycle" in err
    assert b"Traceback" not in err
    assert lumen.situations(*ENDS) == ["interrupted"]
    assert lumen.verified()
    assert lumen.run("status", "--json").json()["open_turns"] == 0


def test_it_waits_for_a_conversation_and_can_be_stopped_meanwhile(
    lumen: Lumen, wait_until: Wait
) -> None:
    lumen.script({"when": "slow", "say": "At last.", "delay_s": 300})
    lumen.want(values=VALUES, goals=GOAL)
    talk = lumen.start("chat", "-m", "a slow one")
    wait_until(lambda: lumen.heard() == ["a slow one"])
    process = lumen.start("run", "--every", "0")
    assert process.stderr is not None
    assert b"Skills: " in process.stderr.readline()
    assert b"is at work" in process.stderr.readline()
    process.send_signal(signal.SIGINT)
    out, _ = process.communicate(timeout=PATIENCE)
    assert (process.returncode, out) == (0, b"")
    assert lumen.situations("pursues") == []
    talk.send_signal(signal.SIGINT)
    talk.communicate(timeout=PATIENCE)
    assert lumen.verified()


def test_no_cycle_begins_while_somebody_is_being_answered(lumen: Lumen, wait_until: Wait) -> None:
    lumen.script({"when": "slow", "say": "At last.", "delay_s": 2})
    lumen.want(values=VALUES, goals=GOAL)
    talk = lumen.start("chat", "-m", "a slow one")
    wait_until(lambda: lumen.heard() == ["a slow one"])
    assert lumen.run("run", "--cycles", "1", "--every", "0").code == 0
    talk.communicate(timeout=PATIENCE)
    assert lumen.situations("heard", "record", "pursues") == [
        "heard",
        "record",
        "pursues",
        "record",
    ]


def test_a_cycle_under_way_waits_at_its_next_step_for_a_conversation(
    lumen: Lumen, wait_until: Wait
) -> None:
    lumen.script({"when": "(?s).*", "say": "{}", "delay_s": 1}, role="orchestrator")
    lumen.script({"when": "slow", "say": "At last.", "delay_s": 2})
    lumen.want(values=VALUES, goals=GOAL)
    process = lumen.start("run", "--cycles", "1", "--every", "0")
    wait_until(lambda: "pursues" in lumen.situations("pursues"))
    with talking(BeingPaths(lumen.being)):
        assert lumen.run("chat", "-m", "a slow one").code == 0
    process.communicate(timeout=PATIENCE)
    kinds = lumen.situations("pursues", "heard", "think", "record")
    assert kinds == ["pursues", "heard", "think", "record", "think", "record"]
    assert lumen.verified()


def test_a_terminal_shows_the_running_step_and_lines_that_fit(lumen: Lumen) -> None:
    lumen.want(values=VALUES, goals=PERPETUAL.replace("tomatoes", "tomatoes " * 12))
    screen = lumen.terminal("run", "--every", "0")
    screen.wait_for("⋯ action · recalling")
    screen.wait_for("● action")
    screen.wait_for("⋯ explore")
    screen.type("\x03")
    assert screen.close() == 0
    shown = [line.rpartition("\x1b[2K")[2] for line in screen.shown.splitlines()]
    visible = [re.sub(r"\x1b\[[0-9;]*m", "", line) for line in shown]
    assert max(map(len, visible)) <= 80
    assert any("\x1b[36m● action" in line for line in shown)
    assert "Stopped after" in screen.shown


def test_no_color_leaves_the_lines_of_a_terminal_plain(lumen: Lumen) -> None:
    lumen.want(values=VALUES, goals=GOAL)
    screen = lumen.terminal("run", "--cycles", "1", "--every", "0", NO_COLOR="1")
    assert screen.close() == 0
    assert "● action     learn" in screen.shown
    assert not re.search(r"\x1b\[[0-9;]*m", screen.shown)


@pytest.mark.usefixtures("lumen")
@pytest.mark.parametrize(
    "flags",
    ["--cycles 0", "--cycles two", "--every -1", "--every nan x", "--autonomy wild", "--loudly"],
)
def test_wrong_flags_are_refused_with_two(inside: Callable[..., Ran], flags: str) -> None:
    ran = inside("run", *flags.split())
    assert (ran.code, ran.out) == (2, "")
    assert ran.err
