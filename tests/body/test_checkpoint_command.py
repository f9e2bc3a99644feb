"""`lumen checkpoint` and `lumen undo`: name, compare, restore, take back; as text and as JSON."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.body.conftest import Lumen, Ran

    Inside = Callable[..., Ran]

VALUES = '[{"name": "honesty",   "weight": 0.9, "status": "active"}]\n'


def disk(lumen: Lumen) -> dict[str, bytes]:
    data = lumen.being / "data"
    found = [data / "soul.md", data / "values.json", *sorted((data / "goals").glob("*"))]
    return {str(p): p.read_bytes() for p in found if p.exists()}


def edit(lumen: Lumen, inside: Inside, path: str, text: str) -> None:
    (lumen.being / "data" / path).write_text(text, "utf-8")
    assert inside("self", "accept").code == 0


def test_a_named_moment_comes_back_byte_for_byte(lumen: Lumen, inside: Inside) -> None:
    edit(lumen, inside, "soul.md", "# Vera\n\nBorn by the sea.\n")
    then = disk(lumen)
    made = inside("checkpoint", "create", "before the trip")
    assert made.code == 0
    assert "lumen checkpoint restore" in made.out
    edit(lumen, inside, "values.json", VALUES)
    edit(lumen, inside, "goals/2031.json", "[]\n")
    edit(lumen, inside, "soul.md", "# Vera\n\nBorn by the lake.\n")
    now = disk(lumen)

    diff = inside("checkpoint", "diff", "before the trip")
    assert "-Born by the sea." in diff.out
    assert "+Born by the lake." in diff.out
    assert "+Born by the lake." in inside("checkpoint", "diff", "before the trip", "--json").out

    restored = inside("checkpoint", "restore", "before the trip", "--yes")
    assert restored.code == 0
    assert "+Born by the sea." in restored.out
    assert disk(lumen) == then
    assert inside("checkpoint", "diff", "before the trip").out == "Nothing changed.\n"

    undone = inside("undo", "--yes", "--json").json()
    assert disk(lumen) == now
    assert inside("checkpoint", "restore", str(undone["undone"]), "--yes").code == 0
    assert disk(lumen) == then
    assert inside("archive", "verify", "--deep").code == 0


def test_undo_goes_further_back_each_time(lumen: Lumen, inside: Inside) -> None:
    states = [disk(lumen)]
    for text in ("# One\n", "# Two\n"):
        edit(lumen, inside, "soul.md", text)
        states.append(disk(lumen))
    first = inside("undo", "--yes")
    assert (first.code, disk(lumen)) == (0, states[1])
    assert "-# Two" in first.out
    again = inside("undo", "--yes", "--json").json()
    assert disk(lumen) == states[0]
    ended = inside("undo", "--yes")
    assert (ended.code, ended.out) == (2, "")
    assert "no change to undo" in ended.err
    inside("checkpoint", "restore", str(again["undone"]), "--yes")
    assert disk(lumen) == states[1]


def test_the_list_names_every_change_and_every_checkpoint(lumen: Lumen, inside: Inside) -> None:
    edit(lumen, inside, "soul.md", "# One\n")
    event = inside("checkpoint", "create", "here", "--json").json()["event"]
    listed = inside("checkpoint", "list", "--json").json()
    assert [f["what"] for f in listed][1:] == [
        "The author edited data/soul.md.",
        "checkpoint here",
    ]
    assert (listed[-1]["event"], listed[-1]["name"]) == (event, "here")
    assert "checkpoint here" in inside("checkpoint", "list").out


@pytest.mark.parametrize(
    ("command", "said"),
    [
        (("create", "12"), "is no name for a checkpoint"),
        (("create", " "), "is no name for a checkpoint"),
        (("restore", "nowhere", "--yes"), "There is no checkpoint 'nowhere'"),
        (("restore", "999", "--yes"), "There is no checkpoint '999'"),
        (("diff", "nowhere"), "There is no checkpoint 'nowhere'"),
        (("diff", "1", "nowhere"), "There is no checkpoint 'nowhere'"),
        (("restore", "1"), "Nobody is here to confirm it"),
    ],
)
def test_what_cannot_be_is_said_and_nothing_changes(
    lumen: Lumen, inside: Inside, command: tuple[str, ...], said: str
) -> None:
    before = lumen.events()
    ran = inside("checkpoint", *command)
    assert ran.code == 2
    assert said in ran.err
    assert lumen.events() == before


def test_a_name_is_given_once(lumen: Lumen, inside: Inside) -> None:
    assert inside("checkpoint", "create", "here").code == 0
    before = lumen.events()
    ran = inside("checkpoint", "create", "here")
    assert (ran.code, "already" in ran.err) == (2, True)
    assert lumen.events() == before


def test_an_edit_that_cannot_be_used_keeps_the_self_from_being_restored(
    lumen: Lumen, inside: Inside
) -> None:
    edit(lumen, inside, "values.json", VALUES)
    path = lumen.being / "data" / "values.json"
    path.write_text("[oops", "utf-8")
    for command in ("checkpoint restore 1 --yes", "undo --yes"):
        ran = inside(*command.split())
        assert ran.code != 0
        assert "data/values.json was edited by hand and is not adopted yet" in ran.err
        assert "try: lumen self diff" in ran.err
    assert path.read_text("utf-8") == "[oops"


def test_in_a_terminal_both_ask_first(lumen: Lumen, inside: Inside) -> None:
    edit(lumen, inside, "soul.md", "# One\n")
    before = disk(lumen)
    for command in (("undo",), ("checkpoint", "restore", "1")):
        screen = lumen.terminal(*command)
        screen.wait_for("?")
        screen.type("n\r")
        screen.wait_for("Nothing was changed.")
        assert screen.close() == 0
    assert disk(lumen) == before


def test_a_change_of_its_own_is_listed_by_what_changed_not_by_what_a_step_found(
    lumen: Lumen, inside: Inside
) -> None:
    lumen.want(goals='[{"name": "learn about tomatoes", "weight": 0.7, "status": "todo"}]')
    assert inside("run", "--cycles", "1", "--every", "0").code == 0
    plain = "The goal “learn about tomatoes”: todo → working, of its own accord in a cycle."
    assert inside("checkpoint", "list", "--json").json()[-1]["what"] == plain
    assert inside("checkpoint", "list").out.splitlines()[-1].endswith(plain)
    screen = lumen.terminal("undo")
    screen.wait_for("Take back event ")
    screen.wait_for("(the goal “learn about tomatoes”: todo → working")
    screen.type("n\r")
    assert screen.close() == 0
    undone = inside("undo", "--yes")
    assert f"Undone: {plain} lumen checkpoint restore" in undone.out
    assert inside("checkpoint", "list", "--json").json()[-1]["what"].endswith(f": {plain}")
    assert "RECORD" not in inside("checkpoint", "list").out
