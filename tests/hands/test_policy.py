"""Under which policies a skill runs: how it is held, what it is granted, and who may change that."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.hands.test_effects import WHOLE, by_a_model, skill_in

from lumen.core.canon import JSON
from lumen.core.errors import SkillError, Unapproved
from lumen.hands.isolation import Isolation, bwrap_trouble
from lumen.hands.policy import SkillPolicies, grant, in_force, isolation_for, lacking, lay_out
from lumen.hands.run import Sandbox
from lumen.hands.skills import Maker, source_hash


def test_folders_are_the_beings_or_named_by_the_author(tmp_path: Path) -> None:
    skill = skill_in(tmp_path, WHOLE)
    given_ = grant(skill, tmp_path, SkillPolicies())
    assert given_.box == Sandbox(
        Isolation.BWRAP, (tmp_path / "files", tmp_path / "notes"), (tmp_path / "files",), True
    )
    assert given_.context == {
        "reads": [str(tmp_path / "files"), str(tmp_path / "notes")],
        "writes": [str(tmp_path / "files")],
        "settings": {"folders": ["files"]},
    }
    chosen = SkillPolicies(settings={"tried": {"folders": ["/srv/notes", "mine"], "colour": "red"}})
    told = grant(skill, tmp_path, chosen)
    assert told.box.reads == (Path("/srv/notes"), tmp_path / "mine", tmp_path / "notes")
    assert told.context["settings"] == {"folders": ["/srv/notes", "mine"], "colour": "red"}


@pytest.mark.parametrize(
    "folder",
    [
        "..",
        ".",
        "/etc",
        "data",
        "data/memory",
        "prompts",
        "skills/chat",
        ".git",
        "x/../data",
        "out",
    ],
)
@pytest.mark.parametrize("by_default", [False, True])
def test_a_skill_cannot_declare_itself_into_the_being_or_out_of_it(
    tmp_path: Path, folder: str, by_default: bool
) -> None:
    (tmp_path / "out").symlink_to("/etc", target_is_directory=True)
    declared = f'writes = ["setting:where"]\n[settings]\nwhere = "{folder}"'
    skill = skill_in(tmp_path, declared if by_default else f'writes = ["{folder}"]')
    with pytest.raises(SkillError, match=r"declares the folder .*(inside the being|being itself)"):
        grant(skill, tmp_path, SkillPolicies())


def test_a_setting_that_names_no_folder_is_refused(tmp_path: Path) -> None:
    skill = skill_in(tmp_path, 'reads = ["setting:where"]')
    assert grant(skill, tmp_path, SkillPolicies()).box.reads == ()
    wrongs: list[JSON] = [7, [7], [""], {}]
    for wrong in wrongs:
        with pytest.raises(SkillError, match="setting 'where' that names no folder"):
            grant(skill, tmp_path, SkillPolicies(settings={"tried": {"where": wrong}}))


def test_folders_to_write_to_are_made_and_what_stands_in_the_way_is_named(tmp_path: Path) -> None:
    skill = skill_in(tmp_path, 'writes = ["files/deep"]')
    lay_out(grant(skill, tmp_path, SkillPolicies()))
    assert (tmp_path / "files" / "deep").is_dir()
    (tmp_path / "files" / "deep").rmdir()
    (tmp_path / "files" / "deep").write_text("")
    with pytest.raises(SkillError, match="cannot be made"):
        lay_out(grant(skill, tmp_path, SkillPolicies()))


def test_the_network_opens_for_what_a_model_wrote_only_by_the_authors_word(tmp_path: Path) -> None:
    authors = skill_in(tmp_path, "network = true", name="mine")
    models = by_a_model(skill_in(tmp_path, "network = true", name="its"))
    undeclared = skill_in(tmp_path, "", name="undeclared")
    allowed = SkillPolicies(settings={n: {"network": True} for n in ("mine", "its", "undeclared")})
    assert [
        grant(s, tmp_path, SkillPolicies()).box.network for s in (authors, models, undeclared)
    ] == [
        True,
        False,
        False,
    ]
    assert [grant(s, tmp_path, allowed).box.network for s in (authors, models, undeclared)] == [
        True,
        True,
        True,
    ]
    by_a_model(undeclared)
    assert not grant(undeclared, tmp_path, allowed).box.network


def test_a_network_by_setting_opens_once_the_author_sets_it(tmp_path: Path) -> None:
    toml = 'network = "setting:endpoint"\n[settings]\nendpoint = "http://default"'
    skill = skill_in(tmp_path, toml)
    assert not grant(skill, tmp_path, SkillPolicies()).box.network
    for value, opens in (("", False), ("http://mine", True)):
        policies = SkillPolicies(settings={"tried": {"endpoint": value}})
        assert grant(skill, tmp_path, policies).box.network is opens


def test_all_but_what_is_shipped_is_held_in_bubblewrap_where_it_works(bwrap: Sandbox) -> None:
    del bwrap
    assert isolation_for("tried", Maker.SHIPPED, SkillPolicies()) == (Isolation.LIMITS, "")
    for maker in (Maker.AUTHOR, Maker.MODEL, Maker.CHANGED):
        assert isolation_for("tried", maker, SkillPolicies()) == (Isolation.BWRAP, "")
    for wanted in (Isolation.NONE, Isolation.BWRAP):
        for maker in (Maker.SHIPPED, Maker.AUTHOR):
            assert isolation_for("tried", maker, SkillPolicies(isolation=wanted)) == (wanted, "")


@pytest.mark.parametrize("chosen", ["none", "limits", "bwrap"])
def test_the_author_may_loosen_what_is_theirs_and_never_what_a_model_wrote(
    bwrap: Sandbox, chosen: str
) -> None:
    del bwrap
    for everywhere in Isolation:
        policies = SkillPolicies(isolation=everywhere, settings={"tried": {"isolation": chosen}})
        for maker in (Maker.SHIPPED, Maker.AUTHOR):
            assert isolation_for("tried", maker, policies)[0] == chosen
        for maker in (Maker.MODEL, Maker.CHANGED):
            assert isolation_for("tried", maker, policies) == (Isolation.BWRAP, "")


@pytest.fixture
def no_bwrap(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[None]:
    """A host where bubblewrap is not on the path."""
    monkeypatch.setenv("PATH", str(tmp_path))
    bwrap_trouble.cache_clear()
    yield
    bwrap_trouble.cache_clear()


def test_where_the_strictest_is_limits_that_is_said(no_bwrap: None) -> None:
    isolation, why = isolation_for("tried", Maker.AUTHOR, SkillPolicies())
    assert isolation is Isolation.LIMITS
    assert "not installed" in why
    assert in_force(SkillPolicies()) == (
        "shipped skills run with limits, all others too, with your rights: "
        "bubblewrap is not installed (apt install bubblewrap)",
        "what a model writes does not run until you allow it: lumen approvals",
    )
    (none, *_) = in_force(SkillPolicies(isolation=Isolation.BWRAP))
    assert none.startswith("every skill runs in bubblewrap, so none runs: ")


def test_which_isolation_is_in_force_and_every_exception_is_said(bwrap: Sandbox) -> None:
    del bwrap
    loosened = {"mine": {"isolation": "limits"}, "other": {"isolation": "bwrap"}}
    assert in_force(SkillPolicies(settings=loosened)) == (
        "shipped skills run with limits, all others in bubblewrap",
        "[skills.mine] isolation holds it by limits only",
    )
    assert in_force(SkillPolicies(isolation=Isolation.NONE)) == (
        "[skills] isolation is none: skills run with your rights and no limits",
        "what a model writes runs in bubblewrap all the same",
    )


@pytest.mark.parametrize("everywhere", list(Isolation))
@pytest.mark.parametrize("chosen", ["none", "limits", "bwrap"])
def test_below_bubblewrap_no_setting_lets_a_models_skill_run_but_the_authors_yes_does(
    tmp_path: Path, no_bwrap: None, everywhere: Isolation, chosen: str
) -> None:
    its = by_a_model(skill_in(tmp_path, name="its"))
    policies = SkillPolicies(isolation=everywhere, settings={"its": {"isolation": chosen}})
    with pytest.raises(Unapproved, match="waits for your word, as bubblewrap is not installed"):
        grant(its, tmp_path, policies)
    with pytest.raises(Unapproved):
        grant(its, tmp_path, policies, lambda name, sha256: (name, sha256) == ("its", "0" * 64))
    allowed = grant(its, tmp_path, policies, lambda _, sha256: sha256 == source_hash(its))
    assert allowed.box.isolation is Isolation.LIMITS
    assert allowed.why.startswith("you allowed it; ")


def test_an_authors_skill_gets_what_its_own_table_names(tmp_path: Path, bwrap: Sandbox) -> None:
    del bwrap
    mine = skill_in(tmp_path, "network = true", name="mine")
    said: dict[str, JSON] = {"read": ["/srv/notes", "papers"], "write": ["out"], "network": False}
    box = grant(mine, tmp_path, SkillPolicies(settings={"mine": said})).box
    assert box == Sandbox(
        Isolation.BWRAP, (Path("/srv/notes"), tmp_path / "papers"), (tmp_path / "out",), False
    )


@pytest.mark.parametrize(
    ("said", "line"),
    [
        ("FileNotFoundError: No such file or directory: '{notes}/a.txt'", 'read = ["{notes}"]'),
        ("FileNotFoundError: No such file or directory: '{notes}/new'", 'write = ["{notes}"]'),
        ("OSError: Read-only file system: '{notes}/a.txt'", 'write = ["{notes}"]'),
        ("socket.gaierror: Temporary failure in name resolution", "network = true"),
        ("The skill x asks for packages, which uv cannot bring", 'isolation = "limits"'),
        ("PermissionError: [Errno 13] Permission denied", 'isolation = "limits"'),
        ("ModuleNotFoundError: No module named 'requests'", 'isolation = "limits"'),
    ],
)
def test_a_failure_of_an_authors_skill_names_the_line_that_it_may_lack(
    tmp_path: Path, bwrap: Sandbox, said: str, line: str
) -> None:
    del bwrap
    notes = tmp_path / "notes"
    notes.mkdir()
    (notes / "a.txt").write_text("here")
    said, line = said.replace("{notes}", str(notes)), line.replace("{notes}", str(notes))
    mine, told = skill_in(tmp_path, name="mine"), skill_in(tmp_path, "", name="told")
    hint = lacking("mine", grant(mine, tmp_path, SkillPolicies()), said)
    assert hint.endswith(f"lumen.toml: [skills.mine] {line}")
    declared = lacking("told", grant(told, tmp_path, SkillPolicies()), said)
    assert bool(declared) == (line != 'isolation = "limits"' or "packages" in said)
    by_a_model(told)
    assert lacking("told", grant(told, tmp_path, SkillPolicies()), said) == ""
    loose = SkillPolicies(settings={"mine": {"isolation": "limits"}})
    assert lacking("mine", grant(mine, tmp_path, loose), said) == ""


@pytest.mark.parametrize(
    "said",
    ["I only read whole sentences.", "ZeroDivisionError: division by zero", "no note of that name"],
)
def test_a_skill_that_refused_or_broke_by_itself_is_told_of_no_line(
    tmp_path: Path, bwrap: Sandbox, said: str
) -> None:
    del bwrap
    mine = skill_in(tmp_path, name="mine")
    assert lacking("mine", grant(mine, tmp_path, SkillPolicies()), said) == ""


def test_no_skill_is_given_the_keys_not_even_by_the_author(tmp_path: Path) -> None:
    skill, keys = skill_in(tmp_path, WHOLE), tmp_path / "host" / "keys"
    (keys / "old").mkdir(parents=True)
    for key in ("read", "write"):
        for folder in (keys, keys / "old"):
            policies = SkillPolicies(settings={"tried": {key: [str(folder)]}}, hidden=(keys,))
            with pytest.raises(SkillError, match="no skill is given those"):
                grant(skill, tmp_path, policies)
    above = grant(
        skill,
        tmp_path,
        SkillPolicies(settings={"tried": {"read": [str(tmp_path)]}}, hidden=(keys,)),
    )
    assert above.box.hidden == (keys,)  # covered while it runs
    said = f"No such file or directory: '{keys / 'soul.key'}'"
    assert "read" not in lacking("tried", above, said)  # and nobody is advised to open them
    assert str(tmp_path) in lacking("tried", above, f"No such file or directory: '{tmp_path}'")
