"""A command in a log is not silent when it takes long; what stands before a subcommand counts for it."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from tests.body.conftest import Lumen, Ran
from tests.waiting import PATIENCE

Inside = Callable[..., Ran]


def test_who_waits_for_an_answer_in_a_log_is_told_once_that_it_is_coming(
    lumen: Lumen, inside: Inside, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("lumen.body.cli.progress.WAITS_S", 0.05)
    lumen.script({"when": "(?s).*", "say": "The sea is salty.", "delay_s": 1})
    ran = inside("chat", "-m", "Why is the sea salty?", env=lumen.env(LUMEN_QUIET=""))
    assert ran.code == 0
    assert ran.err.endswith(" …\n")
    assert ran.err.count("\n") == 1
    assert inside("chat", "-m", "Why is it blue?").err == ""


def test_what_is_quick_says_nothing_beside_its_answer(
    lumen: Lumen, inside: Inside, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("lumen.body.cli.progress.WAITS_S", PATIENCE)
    ran = inside("chat", "-m", "I like rice.", env=lumen.env(LUMEN_QUIET=""))
    assert (ran.code, ran.out, ran.err) == (0, "Noted: you like rice.\n", "")


@pytest.mark.parametrize("group", ["values", "goals", "approvals", "skills"])
def test_what_is_said_before_the_name_of_a_command_counts_for_it_or_is_refused(
    lumen: Lumen, inside: Inside, group: str
) -> None:
    command = {"approvals": "deny 3", "skills": "show calc"}.get(group, "drop care")
    late = inside(group, "--json", *command.split())
    assert (late.code, late.json()["error"]) == (2, "--json goes last")
    nowhere = inside(group, "--being", str(lumen.home / "nowhere"), *command.split())
    assert nowhere.code == 2
    assert "nowhere does not exist." in nowhere.err
