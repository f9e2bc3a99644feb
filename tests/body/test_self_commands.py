"""`lumen self`, `values`, `goals`: who it is, and what an edit by hand came to."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.body.conftest import Lumen, Ran

    Inside = Callable[..., Ran]

SOUL = "# Vera\n\n## Ontology\n\nA voice.\n\n## Narrative\n\nBorn by the sea.\n"
VALUES = '[{"name": "tact", "weight": 0.2, "status": "active"}, {"name": "honesty", "weight": 0.9, "status": "active"}]\n'
GOALS = '[{"name": "learn to sing", "weight": 0.5, "status": "working"}]\n'


def write(lumen: Lumen, path: str, text: str) -> None:
    (lumen.being / "data" / path).write_text(text, "utf-8")


def test_the_self_is_shown_as_it_is_in_force(lumen: Lumen, inside: Inside) -> None:
    write(lumen, "soul.md", SOUL)
    assert inside("self", "show", "--json").json()["name"] == "Lumen"  # not adopted yet
    assert inside("self", "accept").out == "data/soul.md was edited by hand: adopted.\n"
    told = inside("self", "show", "--json").json()
    assert (told["name"], told["ontology"], told["narrative"]) == (
        "Vera",
        "A voice.",
        "Born by the sea.",
    )
    shown = inside("self", "show").out
    assert shown.startswith("# Vera\n")
    assert "  Born by the sea." in shown


def test_values_and_goals_come_heaviest_first_and_can_be_chosen(
    lumen: Lumen, inside: Inside
) -> None:
    write(lumen, "values.json", VALUES)
    write(lumen, "goals/2031.json", GOALS)
    inside("self", "accept")
    assert [v["name"] for v in inside("values", "--json").json()][:2] == ["honesty", "tact"]
    assert inside("values").out.index("honesty") < inside("values").out.index("tact")
    listed = [g["name"] for g in inside("goals", "--year", "2031", "--json").json()]
    assert listed == ["learn to sing"]
    assert inside("goals", "--year", "1999", "--json").json() == []
    assert "learn to sing" in inside("goals", "--status", "working").out
    assert "learn to sing" not in inside("goals", "--status", "done").out
    assert inside("goals", "--status", "never").code == 2


def test_a_valid_edit_is_shown_then_taken_in_with_the_next_turn(
    lumen: Lumen, inside: Inside
) -> None:
    assert "Nothing was edited" in inside("self", "diff").out
    write(lumen, "soul.md", SOUL)
    diff = inside("self", "diff")
    assert "+Born by the sea." in diff.out
    assert "taken in with the next turn" in diff.out
    assert inside("self", "diff", "--json").json()["edited"] == [
        {"path": "data/soul.md", "state": "valid", "line": None, "why": None}
    ]
    assert "data/soul.md was edited by hand: adopted." in inside("chat", "-m", "hello").err
    assert inside("status", "--json").json()["name"] == "Vera"
    assert "Nothing was edited" in inside("self", "accept").out


def test_an_edit_that_cannot_be_used_is_told_with_its_line_and_stays(
    lumen: Lumen, inside: Inside
) -> None:
    write(lumen, "values.json", VALUES)
    inside("self", "accept")
    write(lumen, "values.json", '[\n{"name": "x", "weight": 7, "status": "active"}\n]')
    before = len(lumen.events())
    refused = inside("self", "accept")
    assert refused.code == 2
    assert "data/values.json line 2 is not used" in refused.out
    assert len(lumen.events()) == before
    edited = inside("self", "diff", "--json").json()["edited"]
    assert (edited[0]["state"], edited[0]["line"]) == ("invalid", 2)
    assert "line 2 is not used" in inside("status").err
    assert "line 2 is not used" in inside("self", "show").err
    chat = lumen.run("chat", stdin=b"hello\nI like tea.\n")
    assert (chat.code, chat.err.count("line 2 is not used")) == (0, 1)
    assert inside("values", "--json").json()[0]["name"] == "honesty"
    write(lumen, "values.json", VALUES)
    assert inside("status").err == ""


def test_words_on_the_list_of_secrets_are_kept_nowhere(lumen: Lumen, inside: Inside) -> None:
    settings = lumen.being / "lumen.toml"
    text = settings.read_text("utf-8")
    kept = [line for line in text.splitlines() if not line.startswith("redact")]
    place = kept.index("[privacy]") + 1 if "[privacy]" in kept else len(kept)
    kept[place:place] = (
        ['redact = ["xyzzy"]']
        if "[privacy]" in kept
        else [
            "[privacy]",
            'redact = ["xyzzy"]',
        ]
    )
    settings.write_text("\n".join(kept) + "\n", "utf-8")
    ran = inside("chat", "-m", "The magic word is xyzzy today.")
    assert ran.code == 0
    assert "1 secret left out" in ran.err
    assert all("xyzzy" not in str(e) for e in lumen.events())


def test_settings_of_memory_that_cannot_be_are_named(lumen: Lumen, inside: Inside) -> None:
    settings = lumen.being / "lumen.toml"
    text = settings.read_text("utf-8")
    for line, said in (
        ("half_life_days = 0", "[memory] half_life_days must be a whole number from 1 to 36,500"),
        ("use_increment = 2", "[memory] use_increment must be a number from 0 to 1"),
    ):
        key = line.split()[0]
        rest = [one for one in text.splitlines() if not one.startswith((key, "[memory]"))]
        settings.write_text("\n".join([*rest, "[memory]", line]) + "\n", "utf-8")
        ran = inside("status")
        assert ran.code == 2
        assert said in ran.err


def test_the_author_says_that_a_goal_is_done(lumen: Lumen, inside: Inside) -> None:
    lumen.want(goals='[{"name": "plan herbs", "weight": 0.5, "status": "todo"}]')
    env = lumen.env()
    missing = inside("goals", "done", "plan the sea", env=env)
    assert (missing.code, "there is no goal 'plan the sea'" in missing.err.lower()) == (2, True)
    assert inside("goals", "done", "plan herbs", env=env).out == "Done: plan herbs\n"
    assert inside("goals", "--json", env=env).json()[0]["status"] == "done"
    again = inside("goals", "done", "plan herbs", "--json", env=env)
    assert (again.code, again.json()["error"]) == (2, "'plan herbs' is done")
    assert lumen.verified()


@pytest.mark.parametrize("command", ["values", "goals"])
@pytest.mark.parametrize("more", [(), ("--history",), ("--json",)])
def test_a_file_that_does_not_count_is_named_beside_what_is_in_force(
    lumen: Lumen, inside: Inside, command: str, more: tuple[str, ...]
) -> None:
    for path in ("values.json", "goals/2031.json"):
        (lumen.being / "data" / path).write_text('[{"name": "honesty",')
    ran = inside(command, *more)
    assert ran.code == 0
    assert ran.out == ("[]\n" if "--json" in more else "none yet: they come of living\n")
    path = {"values": "data/values.json", "goals": "data/goals/2031.json"}[command]
    assert f"{path} line 1 is not used: " in ran.err
    assert "mend the file, or see lumen self diff" in ran.err
