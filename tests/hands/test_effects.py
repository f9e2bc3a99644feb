"""What a skill declares of itself, and what of that is granted."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.sampling import examples

from lumen.core.canon import JSON, dumps
from lumen.core.errors import SkillError
from lumen.hands.author import switch
from lumen.hands.effects import (
    DeclaredEffects,
    Example,
    effects_of,
    missing,
    parse_effects,
    words_of,
)
from lumen.hands.policy import SkillPolicies, grant
from lumen.hands.skills import AUTHORED, Maker, Skill, find, made_by, shipped, source_hash

WHOLE = """
description = "Finds words."
reads = ["setting:folders", "notes"]
writes = ["files"]
network = true
irreversible = true
[settings]
folders = ["files"]
[example]
action = "find"
input = {words = "sea"}
holds = {count = 1}
files = {"a.txt" = "The sea."}
"""


def skill_in(root: Path, toml: str | None = None, name: str = "tried") -> Skill:
    folder = root / "skills" / name
    folder.mkdir(parents=True)
    (folder / "main.py").write_text("")
    if toml is not None:
        (folder / "skill.toml").write_text(toml)
    return Skill(name, folder)


def by_a_model(skill: Skill) -> Skill:
    mark = {"by": "scripted/echo", "sha256": source_hash(skill), "made": "2026-11-15"}
    (skill.folder / AUTHORED).write_bytes(dumps(mark))
    return skill


def test_everything_declared_is_read(tmp_path: Path) -> None:
    effects = effects_of(skill_in(tmp_path, WHOLE))
    assert effects == DeclaredEffects(
        known=True,
        description="Finds words.",
        reads=("setting:folders", "notes"),
        writes=("files",),
        network=True,
        irreversible=True,
        settings={"folders": ["files"]},
        example=Example("find", {"words": "sea"}, {"count": 1}, {"a.txt": "The sea."}),
    )
    assert effects.in_words() == "reads [folders], notes; writes files; network; irreversible"


def test_a_skill_that_declares_nothing_is_unknown_and_an_empty_declaration_is_harmless(
    tmp_path: Path,
) -> None:
    silent = effects_of(skill_in(tmp_path, name="silent"))
    assert (silent.known, silent.in_words()) == (False, "unknown")
    empty = effects_of(skill_in(tmp_path, "", name="empty"))
    assert (empty.known, empty.in_words(), empty.network) == (True, "none", False)


@pytest.mark.parametrize(
    ("toml", "complaint"),
    [
        ("[[[", "no TOML"),
        ("\x00", "no TOML"),
        ("reads = 7", "reads has a value of another kind"),
        ("reads = [7]", "reads is no list of folders"),
        ('writes = [""]', "writes is no list of folders"),
        ('writes = ["a\\u001b[2J"]', "writes is no list of folders"),
        ('network = "yes"', "network is neither true, false nor"),
        ("network = 1", "network has a value of another kind"),
        ('irreversible = "no"', "irreversible has a value of another kind"),
        ("sandbox = false", "'sandbox', which nobody knows"),
        ("[example]\ninput = 1", "names no action"),
        ('[example]\naction = "a"\nfiles = {"../x" = ""}', "cannot hold '../x'"),
        ('[example]\naction = "a"\nfiles = {"x" = 1}', "cannot hold 'x'"),
        ('[example]\naction = "a"\nsurprise = 1', "[example] 'surprise', which nobody knows"),
        ('[example]\naction = "a"\ninput = 99999999999999999999', "[example] is no JSON"),
        ("x" * 70_000, "more than 64,000 bytes"),
    ],
)
def test_garbage_in_skill_toml_is_named(tmp_path: Path, toml: str, complaint: str) -> None:
    skill = skill_in(tmp_path, toml)
    with pytest.raises(SkillError) as caught:
        effects_of(skill)
    assert complaint in caught.value.what
    assert caught.value.what.isprintable()
    with pytest.raises(SkillError, match="The skill tried has a skill"):
        grant(skill, tmp_path, SkillPolicies())


def test_a_date_in_an_example_is_a_text() -> None:
    assert parse_effects('[example]\naction = "a"\ninput = 2026-11-15').example == Example(
        "a", "2026-11-15"
    )


@pytest.mark.parametrize("kind", ["link", "fifo", "folder", "bytes"])
def test_a_skill_toml_that_is_no_text_file_is_refused_and_nobody_waits(
    tmp_path: Path, kind: str
) -> None:
    skill = skill_in(tmp_path)
    at = skill.folder / "skill.toml"
    match kind:
        case "link":
            (tmp_path / "other.toml").write_text("")
            at.symlink_to(tmp_path / "other.toml")
        case "fifo":
            os.mkfifo(at)
        case "folder":
            at.mkdir()
        case _:
            at.write_bytes(b"\xff\xfe")
    with pytest.raises(SkillError, match=r"has a skill\.toml that is (no file|not UTF-8)"):
        effects_of(skill)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("Finds \x1b[31mwords.\n", "Finds words."),
        ("---\nname: tried\ndescription: 'Finds words.'\n---\n# More\n", "Finds words."),
        ("---\r\nname: tried\r\n---\r\nAll of it.\r\n", "All of it."),
        ("---\nnever closed", "---\nnever closed"),
    ],
)
def test_skill_md_describes_a_skill(tmp_path: Path, text: str, said: str) -> None:
    assert words_of(text) == said
    skill = skill_in(tmp_path, "")
    (skill.folder / "SKILL.md").write_text(text, newline="")
    assert effects_of(skill).description == said
    (skill.folder / "skill.toml").write_text('description = "In one line."')
    assert effects_of(skill).description == "In one line."


@pytest.mark.parametrize(
    ("output", "holds", "lacks"),
    [
        ({"a": 1, "b": 2}, {"a": 1}, ""),
        ({"a": {"b": [1]}}, {"a": {"b": [1]}}, ""),
        ("x", None, ""),
        ({"a": 2}, {"a": 1}, "['a'] is 2, not 1"),
        ({"a": {}}, {"a": {"b": 1}}, "['a'] has no 'b'"),
        ([], {"a": 1}, "is [], not an object"),
        (True, 1, "is true, not 1"),
        ("y" * 90, "x", f'is "{"y" * 58}…, not "x"'),
    ],
)
def test_what_an_output_lacks_is_said_with_its_place(output: JSON, holds: JSON, lacks: str) -> None:
    assert missing(output, holds) == lacks


JSONS = st.recursive(
    st.none() | st.booleans() | st.integers(-9, 9) | st.text(max_size=3),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=2), inner),
)


@settings(max_examples=examples(30))
@given(JSONS, JSONS)
def test_every_value_holds_itself_and_whatever_holds_it_has_its_keys(a: JSON, b: JSON) -> None:
    assert missing(a, a) == ""
    if isinstance(b, dict) and not missing(a, b):
        assert b.keys() <= a.keys()


def test_who_made_a_skill_is_told_by_its_files(tmp_path: Path) -> None:
    chat = Skill("chat", shipped() / "chat")
    assert made_by(chat) is Maker.SHIPPED
    mine = skill_in(tmp_path)
    assert made_by(mine) is Maker.AUTHOR
    its = by_a_model(mine)
    assert made_by(its) is Maker.MODEL
    switch(its, on=False)
    assert made_by(its) is Maker.MODEL
    for change in ("main.py", "new.py", "__pycache__/x.pyc"):
        (its.folder / change).parent.mkdir(exist_ok=True)
        (its.folder / change).write_text("changed = True")
        assert made_by(its) is Maker.CHANGED
        (its.folder / change).unlink()
        (its.folder / "main.py").write_text("")
        assert made_by(its) is Maker.MODEL
    (its.folder / "link").symlink_to("/etc/passwd")
    assert made_by(its) is Maker.CHANGED


@pytest.mark.parametrize("mark", [b"", b"[]", b"\xff", b"{}"])
def test_a_broken_mark_of_a_model_is_not_taken_for_the_author(tmp_path: Path, mark: bytes) -> None:
    skill = skill_in(tmp_path)
    (skill.folder / AUTHORED).write_bytes(mark)
    assert made_by(skill) is Maker.CHANGED
    (skill.folder / AUTHORED).unlink()
    (skill.folder / AUTHORED).symlink_to(tmp_path / "gone")
    assert made_by(skill) is Maker.CHANGED
    with pytest.raises(SkillError, match="changed by another hand") as caught:
        grant(skill, tmp_path, SkillPolicies())
    assert caught.value.fix.endswith("lumen skills accept tried")


def test_a_disabled_skill_is_not_found_until_it_is_enabled(tmp_path: Path) -> None:
    skill = skill_in(tmp_path)
    switch(skill, on=False)
    switch(skill, on=False)
    with pytest.raises(SkillError, match="tried is disabled") as caught:
        find(tmp_path / "skills", "tried")
    assert caught.value.fix == "lumen skills enable tried"
    switch(skill, on=True)
    switch(skill, on=True)
    assert find(tmp_path / "skills", "tried") == skill
