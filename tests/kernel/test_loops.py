"""A loop that does not fit together is refused when it is made, and the step is named."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Iterable
from dataclasses import dataclass, replace
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from lumen.core.clock import Now
from lumen.core.errors import BadLoop
from lumen.core.stores import Store, granted
from lumen.kernel.contour.capabilities import Mind
from lumen.kernel.contour.slots import Slot, Stimulus
from lumen.kernel.contour.step import Beat, Function, Loop, Skip, Step, step
from lumen.kernel.recall.evidence import Recall
from lumen.kernel.steps import p1_perceive, p4_act, p5_consolidate
from lumen.kernel.steps.p1_perceive import Ingested
from lumen.kernel.steps.p3_deliberate.lambda_select import Selection
from lumen.kernel.steps.p3_deliberate.plan import Plan
from lumen.kernel.steps.p4_act import Reply
from lumen.kernel.turn.loops import ACTION

if TYPE_CHECKING:
    from lumen.kernel.contour.state import State

pytestmark = pytest.mark.each_measured


@dataclass(frozen=True, slots=True)
class Weather(Slot):
    """A slot of a step that could be."""

    sky: str = "clear"


@dataclass(frozen=True, slots=True)
class Heavy:
    """No slot."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Demanding(Slot):
    """A slot that cannot be empty, so its step could not be skipped."""

    must: str


@step()
async def look_up(stimulus: Stimulus, now: Now, recall: Recall, mind: Mind) -> Weather:
    """Read only what every loop is given."""
    return Weather(sky=f"{stimulus.text} {now.moment} {recall.recent()} {mind}")


@step()
async def look_again(ingested: Ingested) -> Weather:
    """Write what look_up writes."""
    return Weather(sky=ingested.excerpt)


@step(Store.GOALS, Store.VALUES)
async def set_a_goal(stimulus: Stimulus) -> Plan:
    """Ask for more than a turn may have."""
    raise Skip(stimulus.text)


@step()
async def guess(either: Weather | None) -> Selection:
    """Read what has no name of its own."""
    raise Skip(f"{either}")


def loop(*steps: Step) -> Loop:
    return Loop("action", granted("action"), (Beat("one", steps[:1]), Beat("two", steps[1:])))


def rebuilt(steps: Iterable[Step]) -> Loop:
    return Loop("action", granted("action"), (Beat("all", tuple(steps)),))


def test_a_loop_keeps_its_steps_in_order_over_all_beats() -> None:
    made = loop(p1_perceive.ingest, look_up, p1_perceive.surface_parse)

    assert [s.name for s in made.steps()] == ["ingest", "look_up", "surface_parse"]
    assert list(Loop("action", frozenset()).steps()) == []


def test_a_step_is_what_its_signature_says() -> None:
    told = p4_act.compose_final

    assert (told.name, told.stores) == ("compose_final", frozenset({Store.MEMORY, Store.REMINDERS}))
    assert told.writes is Reply
    assert dict(told.reads).keys() == {
        "selection", "plan", "acted", "surface", "reality", "stimulus", "self_", "now", "state", "hands"
    }  # fmt: skip
    assert look_up.reads[1:3] == (("now", Now), ("recall", Recall))
    assert Skip("why").what == "why"


@pytest.mark.parametrize("first", range(len(list(ACTION.steps())) - 1))
def test_two_steps_of_a_turn_that_need_each_other_cannot_be_swapped(first: int) -> None:
    steps = list(ACTION.steps())
    earlier, later = steps[first], steps[first + 1]
    steps[first : first + 2] = [later, earlier]
    if earlier.writes not in dict(later.reads).values():
        assert list(rebuilt(steps).steps()) == steps
        return

    with pytest.raises(BadLoop) as refused:
        rebuilt(steps)

    wanted = f"step {later.name} reads {earlier.writes.__name__}; {earlier.name} writes it"
    assert wanted in refused.value.what
    assert refused.value.fix == f"move {later.name} behind {earlier.name}"


def test_most_neighbours_of_a_turn_need_each_other() -> None:
    steps = list(ACTION.steps())
    needy = [b.name for a, b in pairwise(steps) if a.writes in dict(b.reads).values()]

    assert len(needy) > len(steps) / 2  # else swapping any two would try little


def test_a_step_that_reads_what_no_step_writes_is_named() -> None:
    with pytest.raises(BadLoop, match="step post_eval reads Plan; no step writes it") as refused:
        loop(p1_perceive.ingest, p5_consolidate.post_eval)
    assert "docs/turn.md" in refused.value.fix


def test_a_step_that_reads_a_type_without_a_name_is_named_all_the_same() -> None:
    with pytest.raises(BadLoop, match=r"step guess reads .*Weather \| None; no step writes it"):
        loop(look_up, guess)


def test_a_step_that_asks_for_a_store_its_loop_is_not_granted_is_named_with_the_store() -> None:
    with pytest.raises(BadLoop) as refused:
        loop(p1_perceive.ingest, set_a_goal)

    assert "step set_a_goal asks for goals, values, which" in refused.value.what
    assert list(Loop("author", granted("author"), (Beat("one", (set_a_goal,)),)).steps())


def test_what_one_loop_is_granted_is_refused_to_another() -> None:
    skilled = replace(look_up, stores=frozenset({Store.SKILLS}))

    assert loop(skilled)
    with pytest.raises(BadLoop, match="explore loop: step look_up asks for skills"):
        Loop("explore", granted("explore"), (Beat("one", (skilled,)),))


def test_a_slot_written_twice_names_both_steps() -> None:
    with pytest.raises(BadLoop, match="look_again writes Weather, as look_up does"):
        loop(p1_perceive.ingest, look_up, look_again)


async def demand(stimulus: Stimulus) -> Demanding:
    return Demanding(must=stimulus.text)


async def weigh(stimulus: Stimulus) -> Heavy:
    raise Skip(stimulus.text)


async def either(stimulus: Stimulus) -> Weather | Plan:
    return Weather() if stimulus.text else Plan()


def hasty(stimulus: Stimulus) -> Weather:
    return Weather(sky=stimulus.text)


async def silent(stimulus: Stimulus):  # type: ignore[no-untyped-def]  # noqa: ANN201 - the fault
    return stimulus


@pytest.mark.parametrize(
    ("function", "why"),
    [
        (weigh, "step weigh must return a slot, not .*Heavy"),
        (either, "step either must return a slot"),
        (silent, "step silent must return a slot, not None"),
        (hasty, "step hasty must be an async function"),
        (demand, "step demand: Demanding needs a default for every field: .*must"),
    ],
)
def test_a_step_that_does_not_return_a_slot_with_defaults_is_named(
    function: Function, why: str
) -> None:
    with pytest.raises(BadLoop, match=why):
        step()(function)


async def unread(state: State) -> Weather:
    return Weather(sky=f"{state}")


def test_a_step_whose_types_are_there_for_mypy_alone_is_named_and_told_to_import_them() -> None:
    with pytest.raises(BadLoop, match="step unread: of its types, name 'State' is not def") as said:
        step()(unread)
    assert "outside of `if TYPE_CHECKING`" in said.value.fix


def imported(src: Path) -> subprocess.CompletedProcess[str]:
    """Import the loops of a copy; nothing of it is measured."""
    code = "import lumen.kernel.turn.loops as l; print(l.__file__)"
    return subprocess.run(
        [sys.executable, "-c", code],
        env={"PATH": os.environ["PATH"], "PYTHONPATH": str(src)},
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.fixture
def copied(root: Path, tmp_path: Path) -> Path:
    """A copy of the sources that may be spoilt."""
    ignored = shutil.ignore_patterns("__pycache__")
    return shutil.copytree(root / "src", tmp_path / "src", ignore=ignored)


def edit(path: Path, old: str, new: str) -> None:
    text = path.read_text("utf-8")
    assert text.count(old) == 1
    path.write_text(text.replace(old, new), encoding="utf-8")


def test_a_copy_of_the_sources_can_be_imported(copied: Path) -> None:
    ran = imported(copied)

    assert (ran.returncode, ran.stderr) == (0, "")
    assert ran.stdout.startswith(str(copied))


def test_two_steps_swapped_in_the_contour_stop_the_import_and_the_step_is_named(
    copied: Path,
) -> None:
    contour = copied / "lumen" / "kernel" / "contour" / "skai.json"
    edit(contour, '"drafts", "counterfactual_probe",', '"counterfactual_probe", "drafts",')

    ran = imported(copied)

    assert ran.returncode != 0
    assert (
        "BadLoop: action loop: step counterfactual_probe reads Drafts; drafts writes it"
        in ran.stderr
    )


def test_a_store_too_many_in_a_step_file_stops_the_import_and_the_step_is_named(
    copied: Path,
) -> None:
    consolidate = copied / "lumen" / "kernel" / "steps" / "p5_consolidate.py"
    edit(consolidate, "@step(Store.GOAL_STATUS)", "@step(Store.SOUL)")

    ran = imported(copied)

    assert ran.returncode != 0
    assert "BadLoop: action loop: step post_eval asks for soul" in ran.stderr
