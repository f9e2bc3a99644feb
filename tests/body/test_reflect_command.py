"""`lumen reflect`: what would change is shown before it happens, in columns that line up."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING

from lumen.app.reflecting import Reflection
from lumen.body.cli.loops import happened, proposed
from lumen.core.data import SelfItem
from lumen.kernel.reflection.evolve import Experience, PastCycle, SelfChange

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.body.conftest import Lumen, Ran

    Inside = Callable[..., Ran]

NOW = datetime(2031, 1, 4, tzinfo=UTC)
BEGAN = "2031-01-01T00:00:00.000Z"


def test_a_dry_run_shows_what_reflect_then_does_and_changes_nothing(
    talked: Lumen, inside: Inside
) -> None:
    asked = b"Where does my sister live?\nWhat do I like?\n" * 2
    assert talked.run("chat", stdin=asked).code == 0
    before = talked.segment().read_bytes()
    dry = inside("reflect", "--dry-run")
    assert dry.code == 0
    assert dry.out.startswith("Since it was born: 7 cycles.\n  honesty  0.00 → 0.50   because I ")
    assert dry.out.endswith("\nNothing was changed. Apply with: lumen reflect\n")
    assert talked.segment().read_bytes() == before
    assert inside("values", "--json").json() == []
    asked_for = inside("reflect", "--dry-run", "--json").json()
    assert (asked_for["applied"], len(asked_for["proposals"])) == (False, 1)
    done = inside("reflect")
    assert done.out == dry.out.replace("Nothing was changed. Apply with: lumen reflect\n", "")
    assert [v["weight"] for v in inside("values", "--json").json()] == [0.5]
    again = inside("reflect")
    assert again.out == (
        "Since the last reflection: a moment, and nothing happened.\nNothing speaks for a change.\n"
    )
    assert talked.verified()


def test_a_new_being_has_nothing_to_look_back_on(lumen: Lumen, inside: Inside) -> None:
    ran = inside("reflect", "--dry-run")
    assert (ran.code, ran.err) == (0, "")
    assert ran.out == "Since it was born: nothing happened.\nNothing speaks for a change.\n"
    assert len(lumen.events()) == 1
    assert inside("reflect", "--never").code == 2


def test_what_happened_is_counted_and_what_did_not_is_left_out() -> None:
    torn = PastCycle(3, 0.0, ("honesty",), (("honesty", "comfort"),))
    past = Experience(
        since=2,
        cycles=(torn, torn, PastCycle(5, -0.7, (), ())),
        completed=(("sing", 5),),
        values=(SelfItem("honesty", 0.8, "active"),),
    )
    came = Reflection("", (), (), (), False, "", "", past, surprises=1, began=BEGAN)
    assert happened(came, NOW) == (
        "Since the last reflection: 3 days, 3 cycles, 1 surprise, "
        "2 tensions (comfort ↔ honesty, 2 times), 1 goal reached."
    )


def test_proposals_line_up_and_fit_a_terminal() -> None:
    why = "being soft was regretted again and again by everyone who had to live with it"
    found = [
        SelfChange("value", "honesty", 0.86, 0.91, why, (871, 902), otherwise=4, of=41),
        SelfChange(
            "goal", "a goal with a name that is far too long", 0.2, 0.1, why, (9,), "dropped"
        ),
        SelfChange("story", "x", 0, 0, "'x' was reached", (12,), text="I reached a goal: x."),
    ]
    lines = list(proposed(found))
    assert max(map(len, lines)) <= 80
    assert lines[0].startswith("  honesty                       0.86 → 0.91   because being soft")
    assert "with it (events 871, 902) replayed: 4 of 41" in " ".join(" ".join(lines).split())
    goal = next(line for line in lines if "a goal with" in line)
    assert goal.startswith("  a goal with a name that is …  0.20 → gone   because")
    story = next(line for line in lines if line.startswith("  story"))
    column = lines[0].index("because")
    assert story[column:] == "I reached a goal: x."
    assert all(line[column - 1] == " " and line[column] != " " for line in lines)
