"""A step is one function and a line of data: planted in a copy of the sources, and lived with."""

from __future__ import annotations

import re
from pathlib import Path
from textwrap import indent
from typing import TYPE_CHECKING

import pytest
from tests.body.planting import Planted, changed, copy_of, edit

from lumen.core.canon import JSON, dumps, loads

if TYPE_CHECKING:
    from tests.body.conftest import Lumen

SILENT = {"when": "(?s).*", "say": ""}
FUNCTION = '''"""Learn: what was said, kept in mind for a moment."""

from __future__ import annotations

from dataclasses import dataclass

from lumen.core.exposure import Plain, Quote
from lumen.kernel.contour.policy import Parameters
from lumen.kernel.contour.slots import Slot, Stimulus
from lumen.kernel.contour.step import step


@dataclass(frozen=True, slots=True)
class Rehearsing(Parameters):
    """How much of it."""

    characters: int


@dataclass(frozen=True, slots=True)
class Rehearsed(Slot):
    """What was said."""

    heard: Quote[str] = ""
    hidden: str = ""
    many: Plain[int] = 0


@step()
async def rehearsal_run(stimulus: Stimulus, rehearsing: Rehearsing) -> Rehearsed:
    """Say it over."""
    text = stimulus.text[: rehearsing.characters]
    return Rehearsed(heard=text, hidden="hidden " + text, many=len(text))
'''

SWITCHED = '''"""Learn: what was said, kept in mind for a moment, where the author likes that."""

from __future__ import annotations

from lumen.core.settings import Settings
from lumen.kernel.contour.slots import Slot, Stimulus
from lumen.kernel.contour.step import Skip, step


class Rehearsed(Slot):
    """That it was."""


@step()
async def rehearsal_run(stimulus: Stimulus, settings: Settings) -> Rehearsed:
    """Say it over."""
    if not settings.rehearses:
        raise Skip("[loops] rehearses is false")
    return Rehearsed()
'''
SWITCH = """\
    rehearses: bool = setting("loops.rehearses", True, "whether it says over what it hears")

    @property
    def external_embedder("""

ASKING = '''"""Learn: what was said, in a model's words."""

from __future__ import annotations

from dataclasses import dataclass

from lumen.core.errors import MindError
from lumen.core.exposure import Quote
from lumen.kernel.contour.slots import Slot, Stimulus
from lumen.kernel.contour.capabilities import Mind
from lumen.kernel.contour.step import Skip, step


@dataclass(frozen=True, slots=True)
class Rehearsed(Slot):
    """What a model made of it."""

    over: Quote[str] = ""


@step()
async def rehearsal_run(stimulus: Stimulus, mind: Mind) -> Rehearsed:
    """Have a model say it over."""
    try:
        spoken = await mind.ask("rehearsal_run", {"message": stimulus.text}, 16)
    except MindError as error:
        raise Skip(error.what) from error
    return Rehearsed(over=spoken.text)
'''
DECLARED = """    "rehearsal_run": Declared(
        meaning="what was said, said over",
        slots={"message": Given("what was said", ("I like rice.",))},
        parts=("prompt",),
    ),
    "probe": Declared("""


@pytest.fixture
def copied(root: Path, tmp_path: Path) -> Path:
    """A copy of the sources that may be changed."""
    return copy_of(root, tmp_path)


def plant(copied: Path, function: str = FUNCTION, **entry: JSON) -> None:
    """One function and an entry of data."""
    kernel = copied / "lumen" / "kernel"
    (kernel / "steps" / "p9_planted.py").write_text(function, "utf-8")
    data = kernel / "contour" / "skai.json"
    told = loads(data.read_bytes())
    told["loops"]["action"][-1]["steps"].append("rehearsal_run")
    numbers = {"parameters": {"characters": 80}} if function == FUNCTION else {}
    told["steps"]["rehearsal_run"] = {**numbers, **entry}
    data.write_bytes(dumps(told))


def test_a_step_planted_in_two_files_runs_is_traced_rests_and_is_forgotten(
    root: Path, lumen: Lumen, copied: Path
) -> None:
    plant(copied, cooldown_turns=1, shown="rehearsing")
    assert changed(root, copied) == [
        "lumen/kernel/contour/skai.json",
        "lumen/kernel/steps/p9_planted.py",
    ]

    run = Planted(lumen, copied).work
    run("chat", stdin=b"My sister keeps a xylocarp.\nI like rice.\nI like beans.\n")
    records = [e for e in lumen.events() if e["situation"] == "record"]
    steps = [e["payload"]["steps"][-1] for e in records]
    assert [s["step"] for s in steps] == ["rehearsal_run"] * 3
    assert [s.get("skipped") for s in steps] == [None, "cooldown: ran 1 turn ago", None]
    assert steps[0]["wrote"] == {"heard": "My sister keeps a xylocarp.", "many": 27}
    shown = run("trace").out
    assert "rehearsal_run" in shown
    assert '"heard":"I like beans."' in shown
    told = run("trace", "--json").json()
    assert [s["step"] for s in told[-1]["steps"]][-1] == "rehearsal_run"

    run("forget", "xylocarp", "--yes")
    kept = b"".join(p.read_bytes() for p in lumen.being.rglob("*") if p.is_file())
    assert b"xylocarp" not in kept
    assert b"hidden" not in b"".join(dumps(e) for e in lumen.events())
    run("archive", "verify", "--deep")


def contributing(root: Path, holding: str) -> str:
    """The block of CONTRIBUTING.md that holds something."""
    page = (root / "CONTRIBUTING.md").read_text("utf-8")
    blocks = re.findall(r"^```python\n(.*?)^```", page, re.MULTILINE | re.DOTALL)
    (found,) = [block for block in blocks if holding in block]
    return str(found)


def test_the_steps_and_stores_of_the_guide_run_as_they_stand(
    root: Path, lumen: Lumen, copied: Path
) -> None:
    weighed = (
        "@dataclass(frozen=True, slots=True)\nclass Weighed(Slot):\n    pass\n\n\n@step(Store.D"
    )
    weighing = contributing(root, "def weigh(").replace("@step(Store.D", weighed)
    plant(copied, contributing(root, "def rehearsal_run(") + weighing, parameters={"characters": 9})
    data = copied / "lumen/kernel/contour/skai.json"
    data.write_bytes(data.read_bytes().replace(b'"rehearsal_run"]', b'"rehearsal_run","weigh"]'))
    entries = indent(contributing(root, 'DECISIONS = "decisions"'), "    ")
    edit(copied / "lumen/core/stores.py", ("\n    SKILLS = ", f"\n{entries}    SKILLS = "))

    run = Planted(lumen, copied).work
    run("chat", stdin=b"I like rice.\nI like beans.\n")
    shown = run("trace").out
    assert "9 characters said over" in shown
    assert '{"heard":"I like be","many":9}' in shown
    state = lumen.being / "data" / "state"
    assert loads((state / "mood.json").read_bytes()) == {"calm": 0.7}
    decided = (state / "decisions.jsonl").read_bytes().splitlines()
    assert [loads(line)["usual"] for line in decided] == [None, 0.7]
    run("archive", "verify", "--deep")


def test_a_setting_of_one_line_switches_a_planted_step_off(
    root: Path, lumen: Lumen, copied: Path
) -> None:
    plant(copied, SWITCHED, shown="rehearsing")
    edit(copied / "lumen/core/settings.py", ("    @property\n    def external_embedder(", SWITCH))
    assert changed(root, copied) == [
        "lumen/core/settings.py",
        "lumen/kernel/contour/skai.json",
        "lumen/kernel/steps/p9_planted.py",
    ]

    planted = Planted(lumen, copied)
    planted.work("chat", "-m", "I like rice.")
    lumen.set("every = ", "every = 60\nrehearses = false")
    planted.work("chat", "-m", "I like beans.")
    records = [e for e in lumen.events() if e["situation"] == "record"]
    steps = [e["payload"]["steps"][-1] for e in records]
    assert [s.get("skipped") for s in steps] == [None, "[loops] rehearses is false"]
    assert steps[0]["read"] == ["Stimulus", "Settings"]
    lumen.set("rehearses = ", 'rehearses = "no"')
    ran = planted.run("chat", "-m", "I like peas.")
    assert (ran.code, "[loops] rehearses must be true or false, not 'no'" in ran.err) == (2, True)


def test_a_step_that_asks_a_model_takes_four_files(root: Path, lumen: Lumen, copied: Path) -> None:
    plant(copied, ASKING)
    kernel = copied / "lumen" / "kernel"
    prompt = kernel / "prompts" / "rehearsal_run" / "prompt.md"
    prompt.parent.mkdir()
    prompt.write_text("Say it over: {{ message }}\n", "utf-8")
    declared = (kernel / "models" / "templates.py").read_text("utf-8")
    assert declared.count('    "probe": Declared(') == 1
    edited = declared.replace('    "probe": Declared(', DECLARED)
    (kernel / "models" / "templates.py").write_text(edited, "utf-8")
    assert changed(root, copied) == [
        "lumen/kernel/contour/skai.json",
        "lumen/kernel/models/templates.py",
        "lumen/kernel/prompts/rehearsal_run/prompt.md",
        "lumen/kernel/steps/p9_planted.py",
    ]

    lumen.script({"when": "Say it over", "say": "Over it goes."}, SILENT)
    run = Planted(lumen, copied).work
    run("chat", "-m", "I like rice.")
    (record,) = [e for e in lumen.events() if e["situation"] == "record"]
    assert record["payload"]["steps"][-1]["wrote"] == {"over": "Over it goes."}
    (call,) = record["payload"]["calls"]
    assert call["step"] == "rehearsal_run"
    run("prompts", "check")


def test_a_broken_contour_stops_lumen_and_the_place_is_named(lumen: Lumen, copied: Path) -> None:
    plant(copied, cooldown_turns="two")
    ran = lumen.run("chat", "-m", "Hello.", env=lumen.env(PYTHONPATH=str(copied)))

    assert ran.code == 1
    assert "steps.rehearsal_run.cooldown_turns must be a whole number, not 'two'" in ran.err
    assert "Traceback" not in ran.err
