"""What the suite spares itself: a model's words and vectors it knows, and measuring what says nothing."""

from __future__ import annotations

import asyncio
import sys
import threading
from dataclasses import replace
from pathlib import Path
from types import FrameType

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.measuring import is_measured, unmeasured
from tests.recorded import Answer, answering, read, write
from tests.remembering import FILE, KEPT_ROW, RECORDED, ROW, Remembering, keep, read_kept
from tests.sampling import Sampled

from lumen.mind.e5 import E5
from lumen.mind.substrate import Completion, Exchange, Prompt
from lumen.mind.substrates.embedded import MODEL_ID, Embedded

ASKED = Prompt("You are kind.", "Hello?", 8, stop=("\n",), turns=(Exchange("Hi!", "Hi Ada!"),))
SAID = Completion("Hello, Ada.", 20, 5, 0, "stop")


@pytest.mark.embedded
def test_the_embedded_model_still_says_what_is_recorded(sampled: Sampled) -> None:
    """Nearly all of it: rounding differs with what was asked before, and so now and then a word."""
    model = Embedded()
    asked = sampled.of(list(read().values()), 0)
    said = [asyncio.run(model.invoke(MODEL_ID, answer.prompt)) for answer in asked]
    model.close()
    both = zip(said, (answer.said for answer in asked), strict=True)
    same = sum((new.text, new.finish) == (old.text, old.finish) for new, old in both)
    assert same >= 0.8 * len(asked)


def test_what_was_recorded_is_said_again_to_that_prompt_alone_on_any_day(tmp_path: Path) -> None:
    write([Answer(replace(ASKED, user="It is Sunday 15 November."), SAID)], tmp_path / "kept")
    known = read(tmp_path / "kept")
    asked: list[str] = []
    heard: list[str] = []

    async def real(_: Embedded, __: str, prompt: Prompt, ___: object = None) -> Completion:
        asked.append(prompt.user)
        return replace(SAID, text=f"You said: {prompt.user}")

    def say(text: str) -> str:
        call = Embedded().invoke(MODEL_ID, replace(ASKED, user=text), heard.append)
        return asyncio.run(call).text

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Embedded, "invoke", real)
        with answering(known):
            assert say("It is Friday 5 March.") == SAID.text
            for _ in range(2):  # what was new is known from then on, unless it names the day
                assert say("Hello!") == "You said: Hello!"
                assert say("Not Monday 1 May.") == "You said: Not Monday 1 May."
        assert Embedded.invoke is real
    assert heard == [SAID.text, "You said: Hello!"]
    assert asked == ["Hello!", "Not Monday 1 May.", "Not Monday 1 May."]


def test_a_vector_is_worked_out_once_and_found_by_the_next_process(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(FILE, str(tmp_path / "rows"))
    monkeypatch.setenv(RECORDED, "")
    texts = ["I like rice.", "", "I like tea.", "I like rice.", "\ud800"]
    first, second = Remembering(), Remembering()
    rows = first.embed(texts)
    assert np.allclose(rows, E5().embed(texts), atol=1e-5)
    with monkeypatch.context() as patch:
        patch.setattr(E5, "embed", None)
        assert np.array_equal(second.embed(texts[::-1]), rows[::-1])
        assert second.embed([]).shape == (0, rows.shape[1])
    with (tmp_path / "rows").open("ab") as file:
        file.write(b"half a row")
    assert np.array_equal(Remembering().embed(texts), rows)


def test_what_is_kept_of_a_vector_stands_for_it_unless_it_is_another(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    used, kept = tmp_path / "used", tmp_path / "kept"
    monkeypatch.setenv(FILE, str(used))
    monkeypatch.setenv(RECORDED, "")
    texts = [f"I have {number} cats." for number in range(200)]
    rows = Remembering().embed(texts)
    keep(used, kept)
    assert len(read_kept(kept)) == len(texts)
    used.unlink()

    monkeypatch.setenv(RECORDED, str(kept))
    again = Remembering().embed(texts)
    assert np.abs(rows @ rows.T - again @ again.T).max() < 0.005
    anew = len(used.read_bytes()) // ROW.itemsize
    assert 0 < anew < 20

    used.unlink()
    spoiled = np.fromfile(kept, KEPT_ROW)
    spoiled["steps"] *= -1
    spoiled.tofile(kept)
    with pytest.raises(AssertionError, match="vectors have changed"):
        Remembering().embed(texts)


@pytest.mark.parametrize("number", range(5))
def test_of_many_examples_the_first_three_are_measured(
    request: pytest.FixtureRequest, number: int
) -> None:
    assert is_measured(request.node) == (number < 3)


@given(st.just(1))
def test_a_test_that_draws_is_not_measured(request: pytest.FixtureRequest, one: int) -> None:
    assert (one, is_measured(request.node)) == (1, False)


@pytest.mark.usefixtures("sampled")
def test_nor_is_one_that_samples(request: pytest.FixtureRequest) -> None:
    assert not is_measured(request.node)


@pytest.mark.unmeasured
def test_nor_is_one_that_says_so(request: pytest.FixtureRequest) -> None:
    assert not is_measured(request.node)


def test_nor_is_one_that_reaches_what_cheaper_ones_reach(
    request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tests.measuring.redundant", lambda: {request.node.nodeid})
    assert not is_measured(request.node)


def test_every_other_is_and_the_tracer_is_back_after_one_that_is_not(
    request: pytest.FixtureRequest,
) -> None:
    assert is_measured(request.node)
    was, seen = sys.gettrace(), list[object]()

    def trace(_: FrameType, __: str, ___: object) -> None:
        return None

    sys.settrace(trace)
    with unmeasured():
        thread = threading.Thread(target=lambda: seen.append(sys.gettrace()))
        thread.start()
        thread.join()
        seen.append(sys.gettrace())
    back = sys.gettrace()
    sys.settrace(was)
    assert (seen, back) == ([None, None], trace)
