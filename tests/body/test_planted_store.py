"""A store is one entry: planted in a copy of the sources with one use, it takes part in everything."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from tests.body.planting import Planted, changed, copy_of, edit

from lumen.core.canon import JSON, loads

if TYPE_CHECKING:
    from tests.body.conftest import Lumen

ENTRIES = """
    DECISIONS = "decisions", lines(most=5), "action"
    MOOD = "mood", state(), "action"
    SKILLS = """
USE = """
        return replace(
            spoken(reply, plan.candidates[selection.chosen :][:1]),
            changes=(
                Change(Store.DECISIONS, "append", {"heard": stimulus.text}),
                Change(Store.MOOD, "average", NamedValue("calm", len(stimulus.text), 0.5)),
            ),
        )
"""
STEP = '''"""Learn: two changes at once; unlike post_eval, which runs in every turn, it takes a policy."""

from __future__ import annotations

from lumen.core.data import Change, NamedValue
from lumen.core.stores import Store
from lumen.kernel.contour.slots import Slot, Stimulus
from lumen.kernel.contour.step import step


class Settled(Slot):
    """What it proposes."""


@step(Store.DECISIONS, Store.MOOD)
async def settle(stimulus: Stimulus) -> Settled:
    """Keep what was said, and how calm that was."""
    heard = Change(Store.DECISIONS, "append", {"heard": stimulus.text})
    return Settled(changes=(heard, Change(Store.MOOD, "average", NamedValue("calm", 1))))
'''
COMMAND = '''"""`lumen mood`: how calm it is."""

from __future__ import annotations

from lumen.body.cli.command import command
from lumen.body.cli.request import CommandRequest
from lumen.core.canon import JSON
from lumen.core.stores import Store


@command("mood", for_skills=True)
def mood(request: CommandRequest) -> JSON:
    """How calm it is."""
    with request.looking() as look:
        return {"calm": look.state.average("calm", Store.MOOD)}
'''
SPOKEN = "\n        return spoken(reply, plan.candidates[selection.chosen :][:1])\n"


@pytest.fixture
def copied(root: Path, tmp_path: Path) -> Path:
    """A copy of the sources with two more stores."""
    copied = copy_of(root, tmp_path)
    edit(copied / "lumen/core/stores.py", ("\n    SKILLS = ", ENTRIES))
    return copied


def use(copied: Path) -> None:
    """Let a step of the copy change both."""
    edit(
        copied / "lumen/kernel/steps/p5_consolidate.py",
        ("@step(Store.GOAL_STATUS)", "@step(Store.GOAL_STATUS, Store.DECISIONS, Store.MOOD)"),
        ("import Change, SelfItem", "import Change, NamedValue, SelfItem"),
        (SPOKEN, USE),
    )


class Keeping(Planted):
    """One that keeps two more stores."""

    @property
    def state(self) -> Path:
        """Where they stand."""
        return self.lumen.being / "data" / "state"

    def heard(self) -> list[str]:
        """The lines of the store of lines."""
        raw = (self.state / "decisions.jsonl").read_bytes()
        return [loads(line)["heard"] for line in raw.splitlines()]

    def calm(self) -> JSON:
        """The average in the other store."""
        return loads((self.state / "mood.json").read_bytes())["calm"]

    def files(self) -> dict[str, bytes]:
        """Both, to the byte."""
        return {path.name: path.read_bytes() for path in self.state.iterdir()}


def test_a_store_planted_in_two_files_lasts_goes_back_is_backed_up_and_forgets(
    root: Path, lumen: Lumen, copied: Path, tmp_path: Path
) -> None:
    use(copied)
    assert changed(root, copied) == [
        "lumen/core/stores.py",
        "lumen/kernel/steps/p5_consolidate.py",
    ]
    planted = Keeping(lumen, copied)

    planted.work("chat", stdin=b"I like rice.\nMy sister keeps a xylocarp.\n")
    assert planted.heard() == ["I like rice.", "My sister keeps a xylocarp."]
    assert planted.calm() == 19.5
    planted.work("archive", "verify", "--deep")

    whole = planted.files()
    shutil.rmtree(planted.state)
    planted.work("rebuild")
    assert planted.files() == whole

    planted.work("checkpoint", "create", "then")
    (planted.state / "mood.json").write_text('{"calm": 1}', "utf-8")
    (planted.state / "decisions.jsonl").write_text("", "utf-8")
    told = planted.work("chat", "-m", "I like beans.").said
    assert "data/state/mood.json was edited by hand: adopted." in told
    assert "data/state/decisions.jsonl is as it was: it is a record that is only added to" in told
    assert planted.heard()[-1] == "I like beans."
    assert planted.calm() == 7.0
    planted.work("checkpoint", "restore", "then", "--yes")
    assert planted.files() == whole

    planted.work("backup", str(tmp_path / "kept.lumen"))
    planted.work("restore-backup", str(tmp_path / "kept.lumen"), str(tmp_path / "again"))
    again = tmp_path / "again" / "data" / "state"
    assert {path.name: path.read_bytes() for path in again.iterdir()} == whole

    planted.work("forget", "xylocarp", "--yes")
    assert planted.heard() == ["I like rice."]
    assert planted.calm() == 19.5  # how long a message was says nothing of it
    left = b"".join(p.read_bytes() for p in lumen.being.rglob("*") if p.is_file())
    assert b"xylocarp" not in left
    planted.work("chat", stdin=b"".join(b"Day %d.\n" % n for n in range(5)))
    assert planted.heard() == [f"Day {n}." for n in range(5)]
    planted.work("archive", "verify", "--deep")


def test_a_command_in_two_files_tells_what_a_planted_store_holds(
    root: Path, lumen: Lumen, copied: Path
) -> None:
    use(copied)
    cli = copied / "lumen/body/cli"
    (cli / "mood.py").write_text(COMMAND, "utf-8")
    edit(
        cli / "main.py",
        ('    "lab": (', '    "mood": ("mood:mood", "How calm it is."),\n    "lab": ('),
    )
    assert changed(root, copied) == [
        "lumen/body/cli/main.py",
        "lumen/body/cli/mood.py",
        "lumen/core/stores.py",
        "lumen/kernel/steps/p5_consolidate.py",
    ]
    planted = Keeping(lumen, copied)
    assert planted.work("mood", "--json").json() == {"calm": None}
    planted.work("chat", "-m", "I like rice.")
    assert planted.work("mood").out == "calm 12.0\n"
    assert planted.work("mood", "--json").json() == {"calm": 12.0}


def test_a_change_that_is_held_back_is_seen_in_the_trace(lumen: Lumen, copied: Path) -> None:
    (copied / "lumen/kernel/steps/p9_planted.py").write_text(STEP, "utf-8")
    edit(
        copied / "lumen/kernel/contour/skai.json",
        ('"steps": ["post_eval", ', '"steps": ["post_eval", "settle", '),
        ('"post_eval": { ', '"settle": { "max_per_turn": 1 },\n    "post_eval": { '),
    )
    planted = Keeping(lumen, copied)
    planted.work("chat", "-m", "I like rice.")

    assert "decisions.jsonl" in planted.files()
    assert "mood.json" not in planted.files()
    assert "held back 1 of its changes; {" in planted.work("trace").out


def test_a_store_is_refused_to_a_loop_it_is_not_granted_to(lumen: Lumen, copied: Path) -> None:
    explore = copied / "lumen/kernel/steps/explore.py"
    edit(explore, ("@step(Store.MEMORY)", "@step(Store.MEMORY, Store.DECISIONS)"))
    env = lumen.env(PYTHONPATH=str(copied), PYTHONDONTWRITEBYTECODE="1")
    ran = lumen.run("chat", "-m", "Hello.", env=env)

    assert ran.code != 0
    assert "asks for decisions, which this loop is not granted" in ran.said
    assert "name explore among the loops of its entry in src/lumen/core/stores.py" in ran.said


def test_a_store_whose_name_is_taken_stops_lumen(lumen: Lumen, copied: Path) -> None:
    edit(copied / "lumen/core/stores.py", ('DECISIONS = "decisions"', 'DECISIONS = "mood"'))
    env = lumen.env(PYTHONPATH=str(copied), PYTHONDONTWRITEBYTECODE="1")
    ran = lumen.run("chat", "-m", "Hello.", env=env)

    assert ran.code != 0
    assert "MOOD -> DECISIONS" in ran.said
