"""`lumen status`: who it is, what it wants, how much it remembers, when it last looked back."""

from __future__ import annotations

import subprocess
import sys
from datetime import UTC, datetime
from typing import TYPE_CHECKING

import apsw
import pytest

from lumen.app.words import counted
from lumen.body.cli.terminal import ago
from lumen.core.clock import SystemClock
from lumen.core.data import Author, BeingPaths, Entry, EventType, Origin, SelfItem, kernel_entry
from lumen.soul.state.selfhood import spell
from lumen.soul.writing.write import Writer

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.body.conftest import Lumen, Ran

    Inside = Callable[..., Ran]

NOW = datetime(2031, 1, 4, 12, tzinfo=UTC)
GOALS = """[
  {"name": "learn your week", "weight": 0.7, "status": "working"},
  {"name": "draft travel notes", "weight": 0.4, "status": "todo"},
  {"name": "understand cities", "weight": 0.3, "status": "perpetual"},
  {"name": "swim", "weight": 0.2, "status": "done"}
]
"""


def held(*names: str, status: str = "active") -> str:
    return spell([SelfItem(name, 0.5, status) for name in names])


def test_values_goals_and_what_it_remembers_are_told_at_a_glance(
    talked: Lumen, inside: Inside
) -> None:
    (talked.being / "data" / "soul.md").write_text("# Vera\n\n## Ontology\n\nA companion.\n")
    talked.want(values=held("honesty"), goals=GOALS)
    lines = [" ".join(line.split()) for line in inside("status").out.splitlines()]
    assert lines[0].startswith("Vera “A companion.” born ")
    assert lines[1] == "values honesty 0.50 changed just now (why: lumen values --history)"
    assert lines[2:5] == [
        "goals ● learn your week working 0.70",
        "○ draft travel notes todo 0.40",
        "∞ understand cities perpetual 0.30",
    ]
    kernel = len([e for e in talked.events() if e["author"] == "kernel"])
    assert lines[5].endswith(f"external 4 · self 3 · goal 0 · kernel {kernel}")
    assert "reflection never yet · 3 cycles since → lumen reflect --dry-run" in lines
    assert not any("swim" in line for line in lines)
    inside("reflect")
    assert "reflection   just now · 0 cycles since" in inside("status").out
    assert inside("status", "--json").json()["cycles_since"] == 0


def test_of_many_values_and_goals_the_weightiest_are_shown_and_the_rest_counted(
    lumen: Lumen, inside: Inside
) -> None:
    lumen.want(values=held(*"abcdefg"), goals=held(*"hijklmn", status="todo"))
    out = inside("status").out
    assert "a 0.50   b 0.50   c 0.50   d 0.50   e 0.50   and 2 more: lumen values" in out
    assert out.count("○") == 5
    assert "and 2 more: lumen goals" in out


@pytest.mark.usefixtures("lumen")
def test_a_new_being_is_told_plainly(inside: Inside) -> None:
    out = inside("status").out
    assert out.count("none yet: they come of living") == 2
    assert "never yet · 0 cycles since" in out


def test_a_glance_costs_the_same_however_much_was_lived(lumen: Lumen, inside: Inside) -> None:
    work: list[int] = []  # what SQLite did for each question, in steps of its own machine

    def count(asked: dict[str, dict[str, int]]) -> None:
        work.append(asked["stmt_status"]["SQLITE_STMTSTATUS_VM_STEP"])

    def watch(connection: apsw.Connection) -> None:
        connection.trace_v2(apsw.SQLITE_TRACE_PROFILE, count)

    def steps(turns: int) -> int:
        live(lumen, turns)
        inside("status")  # the index follows what is new, once
        apsw.connection_hooks.append(watch)
        try:
            work.clear()
            assert inside("status").code == 0
        finally:
            apsw.connection_hooks.remove(watch)
        return sum(work)

    few = steps(20)
    assert 0 < steps(2000) < few * 1.1


def live(lumen: Lumen, turns: int) -> None:
    """Turns that were begun and closed, as far as the archive is concerned."""
    writer = Writer(BeingPaths(lumen.being), lumen.keyring, SystemClock())
    for number in range(turns):
        key = f"lumen:interface:{number}"
        heard = Entry(
            Author.EXTERNAL, EventType.AUTHOR_MESSAGE, Origin.AUTHOR, "heard", "I ate an apple", key
        )
        writer.append([heard, kernel_entry("record", "RECORD", key, {})], durable=False)
    writer.close()


@pytest.mark.usefixtures("lumen")
def test_status_loads_no_model_no_loop_and_no_arithmetic_on_vectors(host: Lumen) -> None:
    code = (
        "import sys; sys.argv = ['lumen', 'status']\n"
        "from lumen.body.cli.main import main\n"
        "try: main()\n"
        "except SystemExit: pass\n"
        "heavy = ('numpy', 'pydantic', 'jinja2', 'httpx2', 'asyncio', 'lumen.kernel.turn.run', 'lumen.mind')\n"
        "sys.exit(','.join(m for m in heavy if m in sys.modules))"
    )
    ran = subprocess.run(
        [sys.executable, "-c", code], env=host.env(), capture_output=True, text=True, check=False
    )
    assert (ran.stderr.strip(), "memory" in ran.stdout) == ("", True)


@pytest.mark.parametrize(
    ("when", "said"),
    [
        ("2031-01-04T11:59:30.000Z", "just now"),
        ("2031-01-04T11:58:00.000Z", "2 minutes ago"),
        ("2031-01-04T11:00:00.000Z", "1 hour ago"),
        ("2031-01-01T11:00:00.000Z", "3 days ago"),
    ],
)
def test_how_long_ago_is_told_in_the_unit_that_tells(when: str, said: str) -> None:
    assert ago(when, NOW) == said


def test_more_than_one_is_said_as_people_say_it() -> None:
    told = [counted(2, noun) for noun in ("day", "memory", "event")]
    assert told == ["2 days", "2 memories", "2 events"]


def test_tallies_that_were_edited_are_not_shown_without_a_word(
    talked: Lumen, inside: Inside
) -> None:
    assert inside("status").err == ""
    index = apsw.Connection(str(BeingPaths(talked.being).index))
    index.execute("DELETE FROM tally")
    index.close()
    told = inside("status").err
    assert "The index does not count what the archive holds" in told
    assert "try: lumen rebuild" in told
    assert inside("rebuild").code == 0
    assert inside("status").err == ""
