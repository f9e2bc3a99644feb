"""Which skills there are and what they say of themselves."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from lumen.core.errors import SkillError
from lumen.hands.skills import Skill, describe, discover, find, shipped


def skill_in(folder: Path, source: str | None = "") -> Skill:
    folder.mkdir()
    if source is not None:
        (folder / "main.py").write_text(source)
    return Skill(folder.name, folder)


def test_skills_are_real_folders_with_valid_names_in_order(tmp_path: Path) -> None:
    weather = skill_in(tmp_path / "weather")
    chat_2 = skill_in(tmp_path / "chat_2")
    for name in ("Chat", "2chat", "_chat", ".git", "a-b", "a.b", "чат", "__pycache__"):
        skill_in(tmp_path / name)
    (tmp_path / "file").write_text("")
    (tmp_path / "link").symlink_to(tmp_path / "weather", target_is_directory=True)
    assert discover(tmp_path) == [chat_2, weather]


def test_a_folder_without_main_py_is_listed_as_not_ready(tmp_path: Path) -> None:
    skill_in(tmp_path / "half", None)
    (tmp_path / "odd" / "main.py").mkdir(parents=True)
    skill_in(tmp_path / "whole")
    assert [(skill.name, skill.ready) for skill in discover(tmp_path)] == [
        ("half", False),
        ("odd", False),
        ("whole", True),
    ]


def test_a_being_without_a_skills_folder_has_no_skills(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    assert discover(tmp_path / "none") == []
    assert discover(tmp_path / "file") == []


def test_a_skill_is_found_by_name(tmp_path: Path) -> None:
    skill = skill_in(tmp_path / "weather")
    assert find(tmp_path, "weather") == skill
    assert find(tmp_path, "weather").entry == tmp_path / "weather" / "main.py"


@pytest.mark.parametrize("name", ["wether", "", "../outside", "Weather", "half ", "weather/"])
def test_a_name_nobody_has_is_answered_with_those_there_are(tmp_path: Path, name: str) -> None:
    skill_in(tmp_path / "weather")
    skill_in(tmp_path / "chat")
    skill_in(tmp_path / "half", None)
    with pytest.raises(SkillError) as caught:
        find(tmp_path, name)
    assert repr(name) in caught.value.what
    assert caught.value.fix == "one of: chat, weather"


def test_without_any_skill_the_fix_says_where_one_goes(tmp_path: Path) -> None:
    with pytest.raises(SkillError) as caught:
        find(tmp_path, "chat")
    assert str(tmp_path) in caught.value.fix


def test_a_skill_without_main_py_is_not_handed_out(tmp_path: Path) -> None:
    skill_in(tmp_path / "half", None)
    with pytest.raises(SkillError, match=r"half has no main\.py") as caught:
        find(tmp_path, "half")
    assert str(tmp_path / "half" / "main.py") in caught.value.fix


def test_help_is_what_the_program_prints_without_terminal_escapes(tmp_path: Path) -> None:
    skill = skill_in(
        tmp_path / "weather",
        "import sys\nif sys.argv[1:] == ['--help']: print('\\x1b[1mTells\\x1b[0m the weather.\\n')",
    )
    assert asyncio.run(describe(skill)) == "Tells the weather."


@pytest.mark.parametrize(
    ("source", "complaint"),
    [
        (None, "has no main.py"),
        ("raise ValueError('no map')", "crashed with exit code 1: ValueError: no map"),
        ("", "says nothing"),
        ("while True: print('x' * 9999)", "wrote more than 64,000 bytes"),
        ("import time; time.sleep(60)", "did not finish within 10 s"),
    ],
    ids=["missing", "crashes", "silent", "floods", "hangs"],
)
def test_a_skill_that_cannot_explain_itself_is_an_error(
    tmp_path: Path, source: str | None, complaint: str
) -> None:
    skill = skill_in(tmp_path / "mute", source)
    with pytest.raises(SkillError) as caught:
        asyncio.run(describe(skill))
    assert caught.value.what.startswith("Asked for --help, the skill mute ")
    assert complaint in caught.value.what
    assert "--help" in caught.value.fix


def test_every_shipped_skill_is_ready_and_explains_itself() -> None:
    skills = discover(shipped())
    assert [skill.name for skill in skills] == ["calc", "chat", "note", "search", "write_file"]
    for skill in skills:
        assert skill.ready
        assert asyncio.run(describe(skill)).startswith(f"{skill.name}: ")
