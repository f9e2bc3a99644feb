"""A setting is one line, a command one function and a line, a skill nothing of ours: each is planted."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from tests.body.planting import Planted, changed, copy_of, edit

if TYPE_CHECKING:
    from tests.body.conftest import Lumen

SETTING = """\
    night_hours: int = setting(
        "loops.night_hours", 8, "how many hours it sleeps", within=(0, 12)
    )

    @property
    def external_embedder("""
COMMAND = '''"""`lumen tides`: how high its goals stand."""

from __future__ import annotations

from dataclasses import dataclass

import click

from lumen.app.selves import items_of
from lumen.body.cli.command import command
from lumen.body.cli.request import CommandRequest


@dataclass(frozen=True, slots=True)
class Tide:
    """How high its goals stand together."""

    goals: tuple[str, ...]
    height: float
    ok: bool


@command("tides", for_skills=True)
@click.option("--least", default=0.0, type=click.FloatRange(0, 1), help="The lowest that counts.")
def tides(request: CommandRequest, least: float) -> Tide:
    """How high its goals stand."""
    with request.looking() as look:
        held = items_of(look.index, "goal")
    height = sum(goal.weight for goal in held)
    return Tide(tuple(goal.name for goal in held), height, height >= least)
'''
IN_MAIN = """\
    "tides": ("tides:tides", "How high its goals stand."),
    "lab": ("""


@pytest.fixture
def copied(root: Path, tmp_path: Path) -> Path:
    """A copy of the sources that may be changed."""
    return copy_of(root, tmp_path)


def test_a_setting_planted_in_one_file_is_read_refused_shown_and_documented(
    root: Path, lumen: Lumen, copied: Path
) -> None:
    edit(copied / "lumen/core/settings.py", ("    @property\n    def external_embedder(", SETTING))
    assert changed(root, copied) == ["lumen/core/settings.py"]
    planted = Planted(lumen, copied)
    settings = lumen.being / "lumen.toml"
    ask = (
        "from pathlib import Path; from lumen.core.settings import read_settings;"
        f"print(read_settings(Path({str(settings)!r})).night_hours)"
    )

    assert planted.python(ask) == "8\n"
    lumen.set("every = ", "every = 60\nnight_hours = 7")
    assert planted.python(ask) == "7\n"
    assert planted.run("status").code == 0

    before = len(lumen.events())
    for wrong in ("99", "-1", "1.5", '"eight"', "true"):
        lumen.set("night_hours = ", f"night_hours = {wrong}")
        for command in (("status",), ("chat", "-m", "hello")):
            ran = planted.run(*command)
            assert (ran.code, ran.out) == (2, "")
            assert f"{settings}: [loops] night_hours must be a whole number from 0 to 12, not " in (
                ran.err
            )
            assert ran.err.endswith("\n  try: night_hours = 8\n")
    assert len(lumen.events()) == before

    assert planted.run("init", "another").code == 0
    born = (lumen.home / "another" / "lumen.toml").read_text("utf-8")
    assert "every = 60\n# how many hours it sleeps\nnight_hours = 8\n" in born
    table = "from lumen.core import settings, toml; print(*toml.rows(settings.Settings), sep='\\n')"
    row = ("[loops] night_hours", "a whole number from 0 to 12", "8", "how many hours it sleeps")
    assert f"{row}\n" in planted.python(table)


def test_a_command_planted_in_two_files_takes_json_is_listed_and_refuses_like_all_others(
    root: Path, lumen: Lumen, copied: Path
) -> None:
    cli = copied / "lumen/body/cli"
    (cli / "tides.py").write_text(COMMAND, "utf-8")
    edit(cli / "main.py", ('    "lab": (', IN_MAIN))
    assert changed(root, copied) == ["lumen/body/cli/main.py", "lumen/body/cli/tides.py"]
    planted = Planted(lumen, copied)
    planted.run("goals", "add", "learn to swim", "--weight", "0.5")

    ran = planted.run("tides")
    assert (ran.code, ran.out) == (0, "goals    learn to swim\nheight   0.5\nok       yes\n")
    told = {"goals": ["learn to swim"], "height": 0.5, "ok": True}
    assert planted.run("tides", "--json").json() == told
    short = planted.run("tides", "--least", "0.9", "--json")
    assert (short.code, short.json()) == (1, {**told, "ok": False})

    assert "  tides           How high its goals stand.\n" in planted.run("--help").out
    asked = planted.run("tides", "--help").out
    assert "How high its goals stand." in asked
    assert asked.index("--least") < asked.index("--being") < asked.index("--json")
    wrong = planted.run("tides", "--least", "high")
    assert (wrong.code, "'high' is not a number from 0 to 1." in wrong.err) == (2, True)
    nowhere = planted.run("--being", "nowhere", "tides", "--json")
    assert (nowhere.code, nowhere.json()["ok"]) == (2, False)


def test_a_skill_takes_no_file_of_ours(root: Path, lumen: Lumen, copied: Path) -> None:
    assert lumen.run("skills", "new", "tides").code == 0
    main = lumen.being / "skills" / "tides" / "main.py"
    assert lumen.run("skills", "test", "tides").code == 0
    assert "tides" in lumen.run("skills").out
    assert main.is_file()
    assert changed(root, copied) == []
