"""What a hurried or hostile hand writes into settings and keys, and what is made of it."""

from __future__ import annotations

import tomllib
from collections.abc import Callable

import pytest
from tests.body.conftest import Lumen, Ran
from tests.waiting import PATIENCE

Inside = Callable[..., Ran]


@pytest.mark.parametrize(
    "said",
    [
        "[kernel]\ndailybudget = 5",
        "[budget]\ndollar_per_day = 1",
        "[loops]\nseconds = 9",
        "[escalation]\nmodle = 'openai/x'",
        "[kernal]\ndailyBudget = 5",
        "[skills]\nisolatoin = 'bwrap'",
    ],
)
def test_a_name_nobody_knows_is_refused_because_a_misspelt_cap_is_no_cap(
    lumen: Lumen, inside: Inside, said: str
) -> None:
    path = lumen.being / "lumen.toml"
    table, line = said.split("\n")
    text = path.read_text("utf-8")
    path.write_text(
        text.replace(table, said, 1) if f"{table}\n" in text else f"{text}\n{said}\n", "utf-8"
    )
    ran = inside("treasury", env=lumen.env())
    assert ran.code == 2
    assert f"nobody knows {table}" in ran.err
    assert line.partition(" ")[0] in ran.err or table == "[kernal]"


@pytest.mark.parametrize(
    "line",
    [
        'network = "yes"',
        'read = "~/notes"',
        "write = [7]",
        'write = [""]',
        'isolation = "jail"',
        'unasked = "true"',
    ],
)
def test_a_grant_to_a_skill_that_is_none_is_refused_and_named(
    lumen: Lumen, inside: Inside, line: str
) -> None:
    path = lumen.being / "lumen.toml"
    path.write_text(path.read_text("utf-8") + f"\n[skills.weather]\n{line}\n", "utf-8")
    ran = inside("skills", env=lumen.env())
    assert ran.code == 2
    assert f"[skills.weather] {line.split()[0]} must be like" in ran.err


@pytest.mark.parametrize("line", ["dollars_per_day = ", "every = "])
def test_a_number_longer_than_any_purse_is_refused(lumen: Lumen, inside: Inside, line: str) -> None:
    lumen.set(line, line + "9" * 400)
    ran = inside("status", env=lumen.env())
    assert (ran.code, "must be a number of at least 0, not 999" in ran.err) == (2, True)


def test_an_inner_model_that_is_elsewhere_is_refused_however_it_got_there(
    lumen: Lumen, inside: Inside
) -> None:
    lumen.set("localModel = ", 'localModel = "openai/gpt"')
    ran = inside("chat", "-m", "hi", env=lumen.env())
    assert ran.code == 2
    assert "is not on this machine" in ran.err
    assert lumen.heard() == []


def test_keys_that_are_kept_at_once_are_all_kept_under_names_of_any_kind(lumen: Lumen) -> None:
    path = lumen.home / "share" / "lumen" / "keys.toml"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text('"my key" = "abc"\n', "utf-8")
    path.chmod(0o600)
    names = ("openai", "anthropic", "xai", "ollama", "lmstudio")
    started = [lumen.start("models", "key", name) for name in names]
    for process in started:
        process.communicate(b"a-key-of-mine\n", timeout=PATIENCE)
    assert [process.returncode for process in started] == [0] * len(names)
    assert tomllib.loads(path.read_text("utf-8")).keys() == {"my key", *names}


def test_a_cap_beyond_reach_and_numbers_beyond_any_event_are_no_trouble(
    lumen: Lumen, inside: Inside
) -> None:
    lumen.run("chat", "-m", "I like rice.")
    lumen.set("dailyBudget = ", "dailyBudget = 10000000000")
    assert inside("treasury", env=lumen.env()).code == 0
    for command in (("egress",), ("approvals", "allow"), ("approvals", "deny")):
        assert inside(*command, "9" * 20, env=lumen.env()).code == 2
    assert inside("run", "--every", "nan", "--cycles", "1", env=lumen.env()).code == 2


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ("What is 2^10?", "2**10 = 1024"),
        ("What is 1,000 + 5?", "1000 + 5 = 1005"),
        ("What is 007 + 5?", "7 + 5 = 12"),
    ],
)
def test_a_sum_is_read_as_people_write_it(lumen: Lumen, asked: str, said: str) -> None:
    assert lumen.run("chat", "-m", asked).out == f"{said}\n"


def test_a_sum_that_cannot_be_worked_out_is_not_guessed(lumen: Lumen) -> None:
    lumen.script({"when": "(?s).*", "say": "5/0 + 1 is 6."})
    said = lumen.run("chat", "-m", "What is 5/0 + 1?").out
    assert said.startswith("I cannot work out 5/0 + 1: ")


def test_a_file_of_the_authors_is_not_written_over_by_a_goal(lumen: Lumen) -> None:
    lumen.run("chat", "-m", "My sister moved to Lisbon in March.")
    files = lumen.being / "files"
    files.mkdir()
    own = files / "travel-notes-about-lisbon.md"
    own.write_text("mine", "utf-8")
    goals = next((lumen.being / "data" / "goals").glob("*.json"))
    goals.write_text(
        '[{"name": "travel notes about Lisbon", "weight": 0.9, "status": "working"}]\n', "utf-8"
    )
    assert lumen.run("run", "--cycles", "1", "--every", "0").code == 0
    assert own.read_text("utf-8") == "mine"
    assert "Lisbon in March" in (files / "travel-notes-about-lisbon-2.md").read_text("utf-8")


def test_a_shipped_skill_that_a_being_lacks_is_brought_by_its_name(
    lumen: Lumen, inside: Inside
) -> None:
    folder = lumen.being / "skills" / "search"
    for path in folder.iterdir():
        path.unlink()
    folder.rmdir()
    assert inside("skills", "new", "search", env=lumen.env()).code == 0
    assert "finds words" in (folder / "main.py").read_text("utf-8")
