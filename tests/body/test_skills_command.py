"""`lumen skills`: what it can do, who made it, how it is held; and what the author does about it."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from lumen.core.clock import SystemClock
from lumen.hands.author import Authored, Signature, SkillDraft, author
from lumen.hands.isolation import bwrap_trouble

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.body.conftest import Lumen, Ran

    Inside = Callable[..., Ran]

STARTS_WITH = ["calc", "chat", "note", "search", "write_file"]
MAIN = """\
import json, sys
if sys.argv[1:] == ["--help"]:
    print("double: twice a number.")
else:
    print(json.dumps({"ok": True, "output": 2 * json.load(sys.stdin)["input"]}))
"""
TOML = '[example]\naction = "double"\ninput = 21\nholds = 42\n'


def skill(lumen: Lumen, name: str, **files: str) -> Path:
    folder = lumen.being / "skills" / name
    folder.mkdir(exist_ok=True)
    for file, text in files.items():
        (folder / file.replace("_", ".")).write_text(text, "utf-8")
    return folder


def by_a_model(lumen: Lumen) -> Path:
    assert not bwrap_trouble(), bwrap_trouble()
    signed = Signature("scripted/echo", "2026-11-15T12:00:00.000Z")
    made = asyncio.run(
        author(
            lumen.being / "data" / "staging",
            lumen.being / "skills",
            SkillDraft("double", MAIN, TOML),
            signed,
            SystemClock(),
        )
    )
    assert isinstance(made, Authored)
    return made.skill.folder


def row(inside: Inside, name: str) -> dict[str, object]:
    (found,) = [r for r in inside("skills", "--json").json() if r["name"] == name]
    assert isinstance(found, dict)
    return found


def test_the_table_says_state_maker_effects_and_isolation(lumen: Lumen, inside: Inside) -> None:
    by_a_model(lumen)
    skill(lumen, "hollow")
    skill(lumen, "mine", main_py=MAIN)
    skill(lumen, "off", main_py=MAIN)
    skill(lumen, "wrong", main_py=MAIN, skill_toml="[[[")
    assert inside("skills", "disable", "off").code == 0
    lines = {line.split()[0]: line for line in inside("skills").out.splitlines()}
    assert [*lines][1:] == sorted([*STARTS_WITH, "double", "hollow", "mine", "off", "wrong"])
    assert lines["skill"].split() == ["skill", "state", "made", "by", "effects", "held", "by"]
    assert lines["chat"].split() == ["chat", "ready", "shipped", "none", "limits"]
    assert lines["double"].split() == ["double", "ready", "model", "none", "bwrap"]
    assert lines["mine"].split() == ["mine", "ready", "author", "unknown", "bwrap"]
    assert lines["off"].split()[1] == "disabled"
    assert "has no main.py" in lines["hollow"]
    assert "no TOML" in lines["wrong"]
    assert "writes [folder]" in lines["write_file"]
    assert "reads [folders]; network by [endpoint]" in lines["search"]
    told = {r["name"]: r["ready"] for r in inside("skills", "--json").json()}
    assert [name for name, ready in told.items() if not ready] == ["hollow", "off", "wrong"]


@pytest.mark.parametrize("isolation", ["none", "bwrap"])
def test_a_setting_holds_for_every_skill_that_no_model_wrote(
    lumen: Lumen, inside: Inside, isolation: str
) -> None:
    by_a_model(lumen)
    lumen.set("isolation = ", f'isolation = "{isolation}"')
    held = {r["name"]: r["isolation"] for r in inside("skills", "--json").json()}
    assert held.pop("double") == "bwrap"
    assert set(held.values()) == {isolation}
    ran = inside("skills", "run", "double", "double", "--input", "4", "--json")
    assert ran.json() == {"ok": True, "output": 8, "error": None}
    assert inside("skills", "test").code == 0
    peeks = f"import json, os\nseen = os.path.exists({str(lumen.being / 'lumen.toml')!r})\n"
    skill(lumen, "peeks", main_py=peeks + "print(json.dumps({'ok': True, 'output': seen}))")
    assert inside("skills", "run", "peeks", "at").out == f"{str(isolation == 'none').lower()}\n"


def test_where_bubblewrap_is_missing_the_table_says_what_holds_instead(lumen: Lumen) -> None:
    by_a_model(lumen)
    bare = lumen.home / "bin"
    bare.mkdir()
    ran = lumen.run("skills", env={**lumen.env(), "PATH": str(bare)})
    (line,) = [x for x in ran.out.splitlines() if x.startswith("double")]
    assert "waits: lumen approvals" in line
    assert "bwrap (bubblewrap is not installed" in line


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ('isolation = "jail"', "isolation must be one of none, limits, bwrap, not 'jail'"),
        ("isolation = true", "isolation must be one of none, limits, bwrap, not True"),
        ("memory_mib = 8", "memory_mib must be a whole number from 64 to 1,048,576, not 8"),
        ("memory_mib = 1.5", "memory_mib must be a whole number from 64"),
    ],
)
def test_settings_of_skills_that_cannot_be_are_named(
    lumen: Lumen, inside: Inside, line: str, said: str
) -> None:
    lumen.set(line.split()[0] + " = ", line)
    ran = inside("skills")
    assert (ran.code, said in ran.err) == (2, True)


def test_memory_is_a_setting(lumen: Lumen, inside: Inside) -> None:
    skill(lumen, "big", main_py="held = bytearray(100 << 20)\nprint('{\"ok\": true}')")
    assert inside("skills", "run", "big", "grow").code == 0
    lumen.set("memory_mib = ", "memory_mib = 64")
    assert "MemoryError" in inside("skills", "run", "big", "grow").err


def test_show_tells_all_there_is(lumen: Lumen, inside: Inside) -> None:
    by_a_model(lumen)
    told = inside("skills", "show", "double", "--json").json()
    assert (told["maker"], told["isolation"], len(told["sha256"])) == ("model", "bwrap", 64)
    assert told["mark"]["by"] == "scripted/echo"
    assert told["help"] == "double: twice a number."
    shown = inside("skills", "show", "double").out
    assert "model (scripted/echo, 2026-11-15T12:00:00.000Z)" in shown
    assert "double: twice a number." in shown
    assert "calc: works out arithmetic." in inside("skills", "show", "calc").out
    skill(lumen, "mute", main_py="")
    assert "Asked for --help, the skill mute says nothing" in inside("skills", "show", "mute").out


def test_a_run_by_the_author_is_archived_as_a_call_and_its_result(
    lumen: Lumen, inside: Inside
) -> None:
    ran = inside("skills", "run", "calc", "work_out", "--input", '{"expression": "6 * 7"}')
    assert (ran.code, ran.out) == (0, '{"text":"42","value":42}\n')
    failed = inside("skills", "run", "calc", "work_out", "--input", '{"expression": "1/0"}')
    assert (failed.code, failed.out) == (1, "")
    assert "division by zero" in failed.err
    kinds = [(e["event_type"], e["description"]) for e in lumen.events()[1:]]
    assert kinds[:3] == [
        ("tool_call", "calc.work_out"),
        ("tool_result", "calc.work_out: done"),
        ("system_event", "The author ran calc.work_out."),
    ]
    assert kinds[4][0] == "tool_result"
    assert "division by zero" in kinds[4][1]
    assert lumen.verified()


def test_a_skill_writes_only_where_the_author_lets_it(lumen: Lumen, inside: Inside) -> None:
    said = ("skills", "run", "write_file", "write", "--input")
    assert inside(*said, '{"path": "a/b.txt", "text": "rice"}').code == 0
    assert (lumen.being / "files" / "a" / "b.txt").read_text() == "rice"
    lumen.set("folder = ", f'folder = "{lumen.home / "elsewhere"}"')
    assert inside(*said, '{"path": "c.txt", "text": "tea"}').code == 0
    assert (lumen.home / "elsewhere" / "c.txt").read_text() == "tea"
    lumen.set("folders = ", f'folders = ["{lumen.home / "elsewhere"}"]')
    found = inside("skills", "run", "search", "find", "--input", '{"words": "tea"}')
    assert '"count":1' in found.out


def test_examples_are_run_and_a_failure_sets_the_exit_code(lumen: Lumen, inside: Inside) -> None:
    ran = inside("skills", "test")
    assert ran.code == 0
    assert [line.split() for line in ran.out.splitlines()] == [[n, "passed"] for n in STARTS_WITH]
    assert not (lumen.being / "files").exists()
    skill(lumen, "wrong", main_py=MAIN, skill_toml=TOML.replace("42", "43"))
    skill(lumen, "mine", main_py=MAIN)
    ran = inside("skills", "test")
    assert ran.code == 1
    lines = {line.split()[0]: line for line in ran.out.splitlines()}
    assert "FAILED" in lines["wrong"]
    assert "is 42, not 43" in lines["wrong"]
    assert "untried  declares no example" in lines["mine"]
    assert inside("skills", "test", "calc").code == 0
    told = inside("skills", "test", "wrong", "--json")
    assert (told.code, told.json()[0]["ok"]) == (1, False)


def test_a_new_skill_passes_its_test_as_it_is(lumen: Lumen, inside: Inside) -> None:
    made = inside("skills", "new", "weather")
    assert made.code == 0
    assert "lumen skills test weather" in made.out
    assert inside("skills", "test", "weather").out.split() == ["weather", "passed"]
    assert row(inside, "weather")["maker"] == "author"
    assert (
        "weather: says what it is asked to do backwards" in inside("skills", "show", "weather").out
    )
    assert "NAME" not in (lumen.being / "skills" / "weather" / "skill.toml").read_text()
    again = inside("skills", "new", "weather")
    assert (again.code, "is there already" in again.err) == (2, True)
    wrong = inside("skills", "new", "../Weather")
    assert (wrong.code, "is no name for a skill" in wrong.err) == (2, True)
    assert "try: lumen skills new weather" in wrong.err
    assert inside("skills", "new", "tides", "--json").json()["name"] == "tides"


def test_a_disabled_skill_is_not_run_and_the_decision_is_archived(
    lumen: Lumen, inside: Inside
) -> None:
    assert inside("skills", "disable", "chat").out == "The author disabled the skill chat.\n"
    refused = inside("skills", "run", "chat", "say")
    assert refused.code == 2
    assert "The skill chat is disabled.\n  try: lumen skills enable chat" in refused.err
    assert inside("chat", "-m", "hello").code == 0
    said = [e["description"] for e in lumen.events()]
    assert "chat.say: The skill chat is disabled" in said
    assert inside("skills", "enable", "chat", "--json").json()["decided"] == "enabled"
    assert row(inside, "chat")["state"] == "ready"
    assert "The author disabled the skill chat." in said


def test_a_models_skill_that_was_changed_waits_for_the_author(lumen: Lumen, inside: Inside) -> None:
    folder = by_a_model(lumen)
    (folder / "main.py").write_text(MAIN.replace("2 *", "3 *"), "utf-8")
    assert row(inside, "double")["state"] == "changed: lumen skills accept"
    refused = inside("skills", "run", "double", "double", "--input", "4")
    assert refused.code == 1
    assert "changed by another hand since" in refused.err
    assert "changed by another hand" in inside("skills", "test", "double").out
    assert "changed by another hand" in inside("skills", "show", "double").out
    assert inside("skills", "accept", "double").code == 0
    assert row(inside, "double")["maker"] == "author"
    assert inside("skills", "run", "double", "double", "--input", "4").out == "12\n"


@pytest.mark.parametrize("command", ["show", "test", "disable", "enable", "accept"])
def test_a_skill_nobody_has_is_answered_with_those_there_are(
    lumen: Lumen, inside: Inside, command: str
) -> None:
    del lumen
    ran = inside("skills", command, "wether")
    assert ran.code == 2
    assert "There is no skill named 'wether'" in ran.err
    assert f"try: one of: {', '.join(STARTS_WITH)}" in ran.err


def test_wrong_input_is_told_with_what_to_try(lumen: Lumen, inside: Inside) -> None:
    ran = inside("skills", "run", "calc", "work_out", "--input", "{")
    assert (ran.code, "--input is no JSON" in ran.err) == (2, True)
    assert "try: lumen skills run calc work_out --input" in ran.err
    inside("skills", "new", "weather")
    own = inside("skills", "run", "weather", "do", "--input", "rain").err
    assert own.endswith("""try: lumen skills run weather do --input '{"goal":"live"}'\n""")
    (lumen.being / "skills" / "weather" / "skill.toml").unlink()
    undeclared = inside("skills", "run", "weather", "do", "--input", "rain").err
    assert undeclared.endswith("""try: lumen skills run weather do --input '{"text":"hello"}'\n""")
    (lumen.being / "skills" / "weather" / "skill.toml").write_text("example = 1")
    assert inside("skills", "run", "weather", "do", "--input", "rain").err == undeclared
    nobody = inside("skills", "run", "nobody", "acts", "--input", "rain")
    assert (nobody.code, "There is no skill named 'nobody'" in nobody.err) == (2, True)
    assert inside("skills", "sing").code == 2
    early = inside("skills", "--json", "show", "calc")
    assert (early.code, "--json goes last" in early.out) == (2, True)
    assert len(lumen.events()) == 1


def test_the_being_may_be_named_before_or_after(lumen: Lumen, inside: Inside) -> None:
    env = {**lumen.env(), "LUMEN_BEING": str(lumen.home / "nowhere")}
    being = str(lumen.being)
    for words in (("skills", "--being", being, "show", "calc"), ("skills", "show", "calc")):
        ran = inside(*words, env=env)
        assert ran.code == (0 if "--being" in words else 2)
    assert inside("skills", "show", "calc", "--being", being, env=env).code == 0


def test_a_being_without_skills_says_so(lumen: Lumen, inside: Inside) -> None:
    (lumen.being / "skills").rename(lumen.being / "gone")
    assert "it can say nothing" in inside("skills").out


def test_what_no_model_wrote_is_not_accepted_and_nothing_is_archived(
    lumen: Lumen, inside: Inside
) -> None:
    assert inside("skills", "new", "weather").code == 0
    before = lumen.events()
    for name, whose in (("chat", "is as it came with Lumen"), ("weather", "is yours already")):
        ran = inside("skills", "accept", name)
        assert (ran.code, ran.out) == (2, "")
        assert f"The skill {name} {whose}: no model wrote it" in ran.err
        assert "try: lumen skills" in ran.err
    assert lumen.events() == before


def test_a_skill_that_is_no_python_is_not_listed_as_ready(lumen: Lumen, inside: Inside) -> None:
    folder = lumen.being / "skills" / "broken"
    folder.mkdir()
    (folder / "main.py").write_text("import sys\nprint(sys.argv\n")
    (row,) = [r for r in inside("skills", "--json").json() if r["name"] == "broken"]
    assert row["ready"] is False
    assert "main.py is no Python: line 2" in inside("skills").out
