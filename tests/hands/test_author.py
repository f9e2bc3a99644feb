"""Create skill: a draft is tried where it can do no harm, and comes in whole or not at all."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from lumen.core.canon import loads
from lumen.core.clock import SystemClock
from lumen.core.errors import Unapproved
from lumen.hands.author import (
    MOST_SOURCE,
    Authored,
    Rejected,
    Signature,
    SkillDraft,
    UntestedSkill,
    accept,
    author,
)
from lumen.hands.isolation import Isolation, bwrap_trouble
from lumen.hands.policy import SkillPolicies, grant
from lumen.hands.run import Sandbox
from lumen.hands.skills import AUTHORED, Maker, Skill, find, made_by, source_hash

SIGNED = Signature("scripted/echo", "2026-11-15T12:00:00.000Z")
MAIN = """\
import json, sys
if sys.argv[1:] == ["--help"]:
    print("double: twice a number. Input {number}, output {number}.")
else:
    call = json.load(sys.stdin)
    print(json.dumps({"ok": True, "output": {"number": 2 * call["input"]["number"]}}))
"""
TOML = """\
description = "Twice a number."
[example]
action = "double"
input = {number = 21}
holds = {number = 42}
"""
HELPS = "import sys\nif '--help' in sys.argv: print('helps'); sys.exit()\n"


@pytest.fixture
def places(tmp_path: Path, bwrap: Sandbox) -> tuple[Path, Path]:
    del bwrap  # drafts are tried in it
    return tmp_path / "data" / "staging", tmp_path / "skills"


def make(places: tuple[Path, Path], draft: SkillDraft) -> Authored | UntestedSkill | Rejected:
    return asyncio.run(author(*places, draft, SIGNED, SystemClock()))


def refusal(places: tuple[Path, Path], draft: SkillDraft) -> str:
    made = make(places, draft)
    assert isinstance(made, Rejected)
    staging, skills = places
    assert not staging.exists() or list(staging.iterdir()) == []
    assert not skills.exists() or [p.name for p in skills.iterdir()] in ([], ["double"])
    return made.reason


def test_a_good_draft_becomes_a_skill_with_the_mark_of_who_made_it(
    places: tuple[Path, Path],
) -> None:
    made = make(places, SkillDraft("double", MAIN, TOML, "Doubles."))
    assert isinstance(made, Authored)
    skill = find(places[1], "double")
    assert made.skill == skill
    assert dict(made.files) == {"main.py": MAIN, "skill.toml": TOML, "SKILL.md": "Doubles."}
    assert {p.name: p.read_text() for p in skill.folder.iterdir() if p.name != AUTHORED} == dict(
        made.files
    )
    assert loads((skill.folder / AUTHORED).read_bytes()) == {
        "by": "scripted/echo",
        "sha256": made.sha256,
        "made": "2026-11-15T12:00:00.000Z",
    }
    assert made.sha256 == source_hash(skill)
    assert (made.tried, made.isolation, made.effects.known) == (True, Isolation.BWRAP, True)
    assert made.help.startswith("double: twice")
    assert made_by(skill) is Maker.MODEL
    assert list(places[0].iterdir()) == []


def test_a_skill_changed_since_runs_again_only_when_the_author_accepts_it(
    places: tuple[Path, Path], tmp_path: Path
) -> None:
    make(places, SkillDraft("double", MAIN, TOML))
    skill = find(places[1], "double")
    assert grant(skill, tmp_path, SkillPolicies()).box.isolation is Isolation.BWRAP
    (skill.folder / "main.py").write_text(MAIN + "# a harmless remark\n")
    assert made_by(skill) is Maker.CHANGED
    accept(skill)
    accept(skill)
    assert made_by(skill) is Maker.AUTHOR
    assert grant(skill, tmp_path, SkillPolicies()).maker is Maker.AUTHOR


def test_a_draft_without_an_example_is_made_and_said_to_be_untried(
    places: tuple[Path, Path],
) -> None:
    made = make(places, SkillDraft("double", MAIN))
    assert isinstance(made, Authored)
    assert (made.tried, made.effects.known) == (False, False)


@pytest.mark.parametrize("name", ["", "Double", "../double", "a b", "_x", "x" * 41, "чат", "a\n"])
def test_a_bad_name_is_refused(places: tuple[Path, Path], name: str) -> None:
    assert "is no name for a skill" in refusal(places, SkillDraft(name, MAIN, TOML))


def test_a_name_that_is_taken_is_refused_and_what_is_there_stays(
    places: tuple[Path, Path], tmp_path: Path
) -> None:
    make(places, SkillDraft("double", MAIN, TOML))
    assert "already" in refusal(places, SkillDraft("double", MAIN + "# another\n", TOML))
    assert (places[1] / "double" / "main.py").read_text() == MAIN
    (places[1] / "linked").symlink_to(tmp_path / "nowhere")
    made = make(places, SkillDraft("linked", MAIN, TOML))
    assert isinstance(made, Rejected)


@pytest.mark.parametrize(
    ("main_py", "toml", "reason"),
    [
        ("", TOML, "main.py is empty"),
        ("  \n", TOML, "main.py is empty"),
        ("def (:", TOML, "main.py is no Python"),
        ("x = " + "(" * 5000 + ")" * 5000, TOML, "main.py is"),
        ("#" * (MOST_SOURCE + 1), TOML, "characters at most"),
        (MAIN, "#" * (MOST_SOURCE + 1), "characters at most"),
        ('# /// script\n# dependencies = ["requests"]\n# ///\n' + MAIN, TOML, "add packages"),
        ("# /// script\n# dependencies = 7\n# ///\n" + MAIN, TOML, "no list of names"),
        ("raise SystemExit(3)", TOML, "Asked for --help"),
        ("import time; time.sleep(60)", TOML, "did not finish within 10 s"),
        ("print()", TOML, "says nothing"),
        (MAIN, "[[[", "no TOML"),
        (MAIN, TOML.replace("42", "43"), "its output ['number'] is 42, not 43"),
        (MAIN, TOML.replace("number = 21", "n = 1"), "did not pass: The skill double crashed"),
        (HELPS + "print('no JSON')", TOML, "did not answer with one JSON object"),
    ],
)
def test_a_bad_draft_is_refused_with_the_reason_and_leaves_nothing(
    places: tuple[Path, Path], main_py: str, toml: str, reason: str
) -> None:
    assert reason in refusal(places, SkillDraft("double", main_py, toml))


def test_a_draft_is_tried_where_it_sees_and_changes_nothing(
    places: tuple[Path, Path], tmp_path: Path
) -> None:
    (tmp_path / "secret").write_text("mine")
    steals = HELPS + f"open({str(tmp_path / 'secret')!r}).read()\n"
    assert "No such file" in refusal(places, SkillDraft("double", steals, TOML))
    meddles = HELPS + "open('main.py', 'a').write('#')\n"
    assert "Read-only file system" in refusal(places, SkillDraft("double", meddles, TOML))


RAN = "import pathlib\npathlib.Path({mark!r}).touch()\n"


def test_where_bubblewrap_does_not_work_nothing_of_a_draft_is_run_and_it_is_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "bin").mkdir()
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))
    bwrap_trouble.cache_clear()
    try:
        places, mark = (tmp_path / "staging", tmp_path / "skills"), tmp_path / "ran"
        made = make(places, SkillDraft("double", RAN.format(mark=str(mark)) + MAIN, TOML))
        assert isinstance(made, UntestedSkill)
        assert "bubblewrap is not installed" in made.why
        assert not mark.exists()
        assert made_by(made.skill) is Maker.MODEL
        assert made.sha256 == source_hash(made.skill)
        with pytest.raises(Unapproved):
            grant(made.skill, tmp_path, SkillPolicies())
        assert "already" in refusal(places, SkillDraft("double", MAIN, TOML))
        assert "main.py is no Python" in refusal(places, SkillDraft("other", "def (", TOML))
        assert list(places[0].iterdir()) == []
    finally:
        bwrap_trouble.cache_clear()


def test_two_drafts_of_one_name_at_once_give_one_skill(places: tuple[Path, Path]) -> None:
    async def both() -> list[Authored | UntestedSkill | Rejected]:
        drafts = [SkillDraft("double", MAIN + f"# {n}\n", TOML) for n in range(2)]
        return await asyncio.gather(*(author(*places, d, SIGNED, SystemClock()) for d in drafts))

    made = asyncio.run(both())
    assert sorted(type(m).__name__ for m in made) == ["Authored", "Rejected"]
    assert made_by(Skill("double", places[1] / "double")) is Maker.MODEL
