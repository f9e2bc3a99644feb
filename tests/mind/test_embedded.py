from __future__ import annotations

import asyncio
import json
import signal
import subprocess
import sys
import threading
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from tests.waiting import PATIENCE

from lumen.core.canon import sha256
from lumen.core.errors import NoSubstrate
from lumen.mind.substrate import Prompt
from lumen.mind.substrates import embedded
from lumen.mind.substrates.embedded import (
    MODEL_ID,
    Embedded,
    _Stream,
    before_circles,
    goes_in_circles,
)
from lumen.mind.weights import Weights

pytestmark = pytest.mark.embedded

SCENES = Path(__file__).with_name("embedded_scenes.py")
Told = dict[str, Any]


def play(scene: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-W", "error", str(SCENES), scene],
        capture_output=True,
        text=True,
        check=False,
        timeout=PATIENCE,
    )


@pytest.fixture(scope="module")
def told() -> Told:
    done = play("whole")
    assert (done.returncode, done.stderr) == (0, ""), done
    story: Told = json.loads(done.stdout)
    return story


def test_it_answers_a_plain_question_as_its_turns_show(told: Told) -> None:
    first = told["answers"]["first"]
    assert first["text"] == "The capital of France is Paris."
    assert first["finish"] == "stop"
    assert 0 < first["completion"] <= 16


def test_the_pieces_make_up_the_text(told: Told) -> None:
    assert len(told["answers"]["pieces"]) > 3
    assert "".join(told["answers"]["pieces"]) == told["answers"]["first"]["text"]


def test_a_prompt_read_before_is_not_read_again(told: Told) -> None:
    first, second = told["answers"]["first"], told["answers"]["second"]
    assert first["cached"] == 0
    assert second["cached"] >= second["prompt"] - 5
    assert second["text"] == first["text"]


def test_control_marks_in_a_text_are_read_as_plain_text(told: Told) -> None:
    marked, plain, marked_too, plain_too = told["limits"]["sizes"]
    assert (marked, marked_too) == (plain, plain_too)


def test_text_that_is_no_valid_unicode_is_answered_all_the_same(told: Told) -> None:
    assert told["limits"]["broken"] == 1


def test_a_prompt_longer_than_the_context_is_refused_with_both_sizes(told: Told) -> None:
    name, what = told["limits"]["overflow"]
    assert name == "TooLong"
    assert "the prompt has 90" in what
    assert "at most 4096" in what


def test_a_text_that_goes_in_circles_is_ended_long_before_its_limit(told: Told) -> None:
    ended, pieces = told["limits"]["circles"]
    assert ended == "BadAnswer"
    assert pieces < 200


def test_what_was_said_before_the_circles_is_no_failure() -> None:
    begins = (
        "Pack good boots, a hat, a bottle of water, a map, a torch, a first aid kit, a rain jacket,"
    )
    with closing(asyncio.new_event_loop()) as loop:
        stream = _Stream(loop, asyncio.Queue(), threading.Event())
        pieces = (begins, *[" a good jacket,"] * 63)
        ended = [stream.take({"choices": [{"delta": {"content": piece}}]}) for piece in pieces]
        completion = stream.completion()
    assert ended[-1]
    assert (completion.text, completion.finish) == (f"{begins[:-1]}.", "length")


def test_what_came_before_the_circles_is_left() -> None:
    begins = "Pack a map, and water for two days. "
    assert before_circles(begins + "So it goes. " * 30) == begins
    assert before_circles(begins) == begins


@pytest.mark.parametrize(
    ("text", "circles"),
    [
        ("I am a log, a log, a log. " * 10, True),
        ("So it is: " + "no\n" * 80, True),
        ("\\n    " * 60, True),
        ("She said no, no, no, no and left.", False),
        ("| name | size |\n|" + "-" * 60 + "|\n", False),
        ("".join(f"Step {n}: go on.\n" for n in range(40)), False),
        ("", False),
    ],
)
def test_only_what_comes_again_and_again_goes_in_circles(text: str, circles: bool) -> None:
    assert goes_in_circles(text) is circles


def test_a_cancelled_call_ends_while_the_one_before_it_goes_on(told: Told) -> None:
    assert told["stops"]["queued"] == "CancelledError"
    assert told["stops"]["still running"]


def test_a_generation_cancelled_twice_stops_and_the_model_answers_on(told: Told) -> None:
    assert told["stops"]["running"] == "CancelledError"
    assert 0 < told["stops"]["spoken"] < 1000
    assert told["stops"]["after"] == [4, 4]


def test_a_cancelled_call_gives_back_control_only_when_its_thread_is_idle(told: Told) -> None:
    assert told["reading"] == {"call": "CancelledError", "at work": False}


def test_an_error_of_the_listener_comes_back_to_the_caller(told: Told) -> None:
    assert told["stops"]["listener failed"] == "ZeroDivisionError"


def test_closing_stops_what_runs_and_what_waits(told: Told) -> None:
    assert told["stops"]["closed"] == ["Cancelled", "Cancelled"]
    assert told["stops"]["too late"] == "MindError"


@pytest.mark.deep
def test_a_file_that_is_kept_is_a_model_and_one_is_loaded_at_a_time_and_none_when_idle() -> None:
    done = play("kept")
    assert (done.returncode, done.stderr) == (0, ""), done
    told = json.loads(done.stdout)
    answer = "The capital of France is Paris."
    first, second, third = ([n, answer] for n in (MODEL_ID, "second", MODEL_ID))
    assert told.pop("at first") == ""
    marked, plain = told.pop("marks")
    assert marked == plain
    assert told.pop("again") == answer
    assert list(told.values()) == [first, second, third]


def test_a_program_that_ends_in_the_middle_of_a_generation_ends_cleanly() -> None:
    done = play("leave")
    assert (done.returncode, done.stderr) == (0, "")


def test_an_interrupt_in_the_middle_of_a_generation_ends_like_any_interrupt() -> None:
    done = play("interrupt")
    assert done.returncode == -signal.SIGINT
    assert done.stderr.rstrip().endswith("KeyboardInterrupt")


def test_without_kept_files_its_one_model_is_small_and_any_other_is_refused() -> None:
    model = Embedded()
    (found,) = asyncio.run(model.discover())
    assert (found.model_id, found.small, found.local) == (MODEL_ID, True, True)
    with pytest.raises(NoSubstrate, match="has no model 'gpt'"):
        asyncio.run(model.invoke("gpt", Prompt("", "hi", 1)))
    model.close()


def test_health_reads_the_weights_through() -> None:
    model = Embedded()
    health = asyncio.run(model.health())
    assert health.ok, health.detail
    assert health.detail.endswith(".gguf")
    model.close()


def test_without_the_library_it_is_not_there_and_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "xllamacpp", None)
    model = Embedded()
    health = asyncio.run(model.health())
    assert (health.ok, health.detail) == (False, "the package xllamacpp is not installed")
    with pytest.raises(NoSubstrate, match="xllamacpp is not installed"):
        asyncio.run(model.invoke(MODEL_ID, Prompt("", "hi", 1)))
    model.close()


def test_weights_that_are_others_or_none_are_not_loaded(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    package = tmp_path / "lumen_odd_weights"
    package.mkdir()
    (package / "__init__.py").touch()
    (package / "odd.gguf").write_bytes(b"no weights")
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr(embedded, "WEIGHTS", odd(sha256(b"others")))
    model = Embedded()
    health = asyncio.run(model.health())
    assert not health.ok
    assert "not the file Lumen was tested with" in health.detail
    monkeypatch.setattr(embedded, "WEIGHTS", odd(sha256(b"no weights")))
    with pytest.raises(NoSubstrate, match=r"llama\.cpp could not load .*odd\.gguf"):
        asyncio.run(model.invoke(MODEL_ID, Prompt("", "hi", 1)))
    model.close()


def odd(digest: str) -> Weights:
    return Weights("lumen_odd_weights", "lumen-odd-weights", "odd.gguf", digest)
