"""An archive this host has not seen: cut back, or gone on elsewhere. Refused until accepted."""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from tests.body.conftest import Lumen, Ran

    Inside = Callable[..., Ran]


def swap(lumen: Lumen, copy: Path) -> None:
    """Put a copy in the being's place."""
    shutil.rmtree(lumen.being)
    shutil.copytree(copy, lumen.being)


@pytest.fixture
def older(talked: Lumen) -> Lumen:
    """A being that was put back to an older copy of itself."""
    copy = talked.home / "copy"
    shutil.copytree(talked.being, copy)
    assert talked.run("chat", "-m", "I like tea.").code == 0
    swap(talked, copy)
    return talked


def test_an_older_copy_is_refused_with_both_ends_until_it_is_accepted(
    older: Lumen, inside: Inside
) -> None:
    last = len(older.events())
    for command in (("chat", "-m", "hello"), ("maintain",), ("forget", "2", "--yes")):
        refused = inside(*command)
        assert (refused.code, refused.out) == (1, "")
        assert f"This archive ends at event {last} (head " in refused.err
        assert f"this host has seen it up to event {last + 8} (head " in refused.err
        assert "lumen archive accept-rollback" in refused.err
    assert len(older.events()) == last
    status = inside("status")
    assert (status.code, f"ends at event {last}" in status.err) == (0, True)
    assert inside("archive", "verify").code == 1
    unasked = inside("archive", "accept-rollback")
    assert (unasked.code, "Nobody is here to confirm it" in unasked.err) == (2, True)
    assert len(older.events()) == last

    accepted = inside("archive", "accept-rollback", "--yes", "--json")
    assert accepted.json()["event"] == last + 1

    assert older.events()[-1]["situation"] == "rollback_accepted"
    assert inside("chat", "-m", "hello").err == ""
    assert inside("archive", "verify", "--deep").code == 0
    assert inside("status").err == ""
    again = inside("archive", "accept-rollback", "--yes")
    assert (again.code, "is the one this host has seen" in again.err) == (2, True)


def test_accepting_asks_and_no_is_no(older: Lumen) -> None:
    last = len(older.events())
    screen = older.terminal("archive", "accept-rollback")
    screen.wait_for("Go on from this one?")
    screen.type("n\r")
    screen.wait_for("Nothing was changed.")
    assert screen.close() == 0
    assert len(older.events()) == last
    screen = older.terminal("archive", "accept-rollback")
    screen.wait_for("Go on from this one?")
    screen.type("y\r")
    screen.wait_for("Passphrase (empty: none): ")
    screen.type("\r")
    screen.wait_for("Accepted in event")
    assert screen.close() == 0
    assert older.run("chat", "-m", "hello").code == 0


def test_a_fork_is_refused_with_both_heads_and_accepted_by_its_own(
    talked: Lumen, inside: Inside
) -> None:
    copy, there = talked.home / "copy", talked.home / "there"
    shutil.copytree(talked.being, copy)
    shutil.copytree(talked.keyring.folder, there / "lumen")
    away = talked.env(LUMEN_BEING=str(copy), XDG_DATA_HOME=str(there))
    for said in ("I like tea.", "I like soup."):
        assert talked.run("chat", "-m", said, env=away).code == 0
    assert inside("chat", "-m", "I like fish.").code == 0
    seen = talked.events()[-1]
    swap(talked, copy)
    ours = next(e for e in talked.events() if e["seq"] == seen["seq"])
    last = talked.events()[-1]

    refused = inside("chat", "-m", "hello")
    assert (refused.code, refused.out) == (1, "")
    assert "this archive is a fork" in refused.err.lower()
    assert seen["event_hash"][:16] in refused.err
    assert ours["event_hash"][:16] in refused.err
    assert "is a fork" in inside("status").err

    for head in ((), ("--head", seen["event_hash"][:8])):
        ran = inside("archive", "accept-rollback", "--yes", *head)
        assert ran.code == 2
        assert last["event_hash"][:16] in ran.err
    short = inside("archive", "accept-rollback", "--yes", "--head", last["event_hash"][:4])
    assert short.code == 2
    assert "is no head" in short.err
    assert f"try: lumen archive accept-rollback --head {last['event_hash'][:16]}" in short.err
    assert talked.events()[-1] == last

    head = last["event_hash"][:8]
    assert inside("archive", "accept-rollback", "--yes", "--head", head).code == 0
    assert inside("chat", "-m", "hello").code == 0
    assert inside("archive", "verify", "--deep").code == 0
    assert "I like soup." in talked.heard()
    assert "I like fish." not in talked.heard()
