"""A skill that misbehaves gives a Result that says so, and leaves nothing behind."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.waiting import wait_until

from lumen.core.canon import JSON
from lumen.core.clock import SystemClock
from lumen.hands.isolation import Isolation
from lumen.hands.run import Call, Limits, Result, Sandbox, run
from lumen.hands.skills import Skill

HEAD = "import json, os, signal, sys, time\n"
ANSWER = "print(json.dumps({'ok': True}), flush=True)\n"
# The child that is left behind holds the fifo open for as long as it lives.
FORK = "alive = os.open('alive', os.O_WRONLY); os.write(alive, b'up')\nchild = os.fork()\n"
# Longer than our patience, and whoever waits for the end of it can be told by the file.
SLEEP = "time.sleep(600); open('slept', 'w')\n"
SHORT = Limits(seconds=0.4)


def ask(folder: Path, source: str, given: JSON = None, limits: Limits | None = None) -> Result:
    (folder / "main.py").write_text(HEAD + source)
    return asyncio.run(run(call_of(folder, given), limits or Limits(), SystemClock()))


def call_of(folder: Path, given: JSON = None) -> Call:
    return Call(Skill("tried", folder), "01TURN", "try", given)


@pytest.fixture
def alive(tmp_path: Path) -> Iterator[int]:
    """A fifo in the skill's folder: it ends for us when nobody holds it open any more."""
    os.mkfifo(tmp_path / "alive")
    fifo = os.open(tmp_path / "alive", os.O_RDONLY | os.O_NONBLOCK)
    yield fifo
    os.close(fifo)


def reads(fifo: int, expected: bytes) -> bool:
    def is_there() -> bool:
        try:
            return os.read(fifo, 2) == expected
        except BlockingIOError:
            return False

    wait_until(is_there)
    return True


def has_come_up(fifo: int) -> bool:
    return reads(fifo, b"up")


def has_died(fifo: int) -> bool:
    return reads(fifo, b"")


def open_files() -> set[str]:
    return {path.name for path in Path("/dev/fd").iterdir()}


def test_a_crash_is_told_with_its_code_and_last_words(tmp_path: Path) -> None:
    result = ask(tmp_path, "raise ValueError('no map')")
    assert not result.ok
    assert result.error == "The skill tried crashed with exit code 1: ValueError: no map."
    assert "Traceback" in result.stderr


def test_a_crash_after_a_good_answer_is_still_a_crash(tmp_path: Path) -> None:
    result = ask(tmp_path, ANSWER + "sys.exit(3)")
    assert (result.ok, result.output) == (False, None)
    assert result.error == "The skill tried crashed with exit code 3."


def test_death_by_signal_is_named(tmp_path: Path) -> None:
    result = ask(tmp_path, "os.kill(os.getpid(), signal.SIGSEGV)")
    assert not result.ok
    assert f"signal {int(signal.SIGSEGV)} (" in result.error


@pytest.mark.parametrize(
    ("printed", "complaint"),
    [
        (b"", "exited without an answer"),
        (b" \n", "exited without an answer"),
        (b"hello", "did not answer with one JSON object but with 'hello'"),
        (b"\x00\xff\xfe\x1b[2J" * 100, "did not answer with one JSON object"),
        (b'{"ok": true', "did not answer with one JSON object"),
        (b'{"ok": true}\n{"ok": true}', "did not answer with one JSON object"),
        (b'{"ok": true, "output": NaN}', "did not answer with one JSON object"),
        (b"[" * 100_000, "did not answer with one JSON object"),
        (b"[]", 'without an "ok"'),
        (b"{}", 'without an "ok"'),
        (b'{"ok": 1}', 'without an "ok"'),
        (b'{"ok": false, "error": {}}', 'an "error" that is no text'),
        (b'{"ok": true, "error": "bad"}', "and yet gave an error"),
        (b'{"ok": false}', "did not say why"),
        (b'{"ok": false, "error": " \\u001b[0m"}', "did not say why"),
    ],
)
def test_an_answer_of_the_wrong_shape_is_refused(
    tmp_path: Path, printed: bytes, complaint: str
) -> None:
    (tmp_path / "printed").write_bytes(printed)
    result = ask(tmp_path, "sys.stdout.buffer.write(open('printed', 'rb').read())")
    assert (result.ok, result.output) == (False, None)
    assert complaint in result.error
    assert result.error.isprintable()
    assert len(result.error) < 200


def test_a_long_complaint_is_cut(tmp_path: Path) -> None:
    result = ask(tmp_path, "print(json.dumps({'ok': False, 'error': 'x' * 100_000}))")
    assert result.error == "x" * 2000


def test_a_skill_without_main_py_is_told(tmp_path: Path) -> None:
    result = asyncio.run(run(call_of(tmp_path / "gone"), Limits(), SystemClock()))
    assert (result.ok, result.error) == (False, "The skill tried has no main.py.")


def test_a_program_that_cannot_be_started_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("lumen.hands.process._PYTHON", (str(tmp_path / "no-such-python"),))
    (tmp_path / "main.py").write_text(ANSWER)
    unheld = Sandbox(Isolation.NONE)
    result = asyncio.run(run(call_of(tmp_path), Limits(), SystemClock(), unheld))
    assert not result.ok
    assert result.error.startswith("The skill tried could not be started: ")
    assert "no-such-python" in result.error
    held = ask(tmp_path, ANSWER)
    assert held.error.startswith("The skill tried crashed with exit code 127: ")
    assert "no-such-python" in held.error


@pytest.mark.parametrize("given", [{1: "a"}, "\ud800", object(), 2**70])
def test_an_input_that_is_no_json_is_told_and_nothing_runs(tmp_path: Path, given: JSON) -> None:
    result = ask(tmp_path, "open('ran', 'w'); " + ANSWER, given)
    assert not result.ok
    assert "its input is no JSON" in result.error
    assert not (tmp_path / "ran").exists()


@pytest.mark.parametrize("stream", ["stdout", "stderr"])
def test_a_flood_is_stopped(tmp_path: Path, stream: str) -> None:
    result = ask(
        tmp_path,
        f"while True: sys.{stream}.write('x' * 10_000)",
        limits=Limits(output_bytes=50_000),
    )
    assert (result.ok, result.output) == (False, None)
    assert result.error == "The skill tried wrote more than 50,000 bytes and was stopped."


def test_a_skill_that_takes_too_long_is_stopped_with_all_it_started(
    tmp_path: Path, alive: int
) -> None:
    source = "signal.signal(signal.SIGTERM, signal.SIG_IGN)\n" + FORK + SLEEP
    result = ask(tmp_path, source, limits=SHORT)
    assert not result.ok
    assert result.error == "The skill tried did not finish within 0.4 s and was stopped."
    assert has_died(alive)
    assert not (tmp_path / "slept").exists()


@pytest.mark.parametrize("answer", [{"ok": True}, {"ok": False, "error": "no map"}])
def test_an_answer_does_not_excuse_a_skill_that_never_exits(tmp_path: Path, answer: JSON) -> None:
    source = f"print(json.dumps({answer}), flush=True); os.close(1); os.close(2)\n" + SLEEP
    result = ask(tmp_path, source, limits=SHORT)
    assert (result.ok, result.output) == (False, None)
    assert "did not finish" in result.error


@pytest.mark.parametrize(
    "source",
    [
        "os.close(0)\n" + ANSWER + "time.sleep(0.1)",
        ANSWER,
        "sys.stdin.read(10)\n" + ANSWER,
    ],
    ids=["closes stdin", "exits without reading", "reads a little"],
)
def test_a_skill_need_not_hear_us_out_if_it_answers(tmp_path: Path, source: str) -> None:
    assert ask(tmp_path, source, "x" * 900_000).ok


@pytest.mark.parametrize("source", ["os.close(0); time.sleep(0.1)", ""])
def test_a_skill_that_neither_listens_nor_answers_is_told(tmp_path: Path, source: str) -> None:
    result = ask(tmp_path, source, "x" * 900_000)
    assert result.error == "The skill tried exited without an answer on stdout."


def test_a_skill_that_never_reads_a_large_input_is_stopped_in_time(tmp_path: Path) -> None:
    result = ask(tmp_path, SLEEP, "x" * 900_000, limits=SHORT)
    assert "did not finish" in result.error
    assert not (tmp_path / "slept").exists()


def test_a_child_that_keeps_the_output_open_is_told_and_stopped(tmp_path: Path, alive: int) -> None:
    result = ask(tmp_path, FORK + "if not child: " + SLEEP + ANSWER)
    assert (result.ok, result.output) == (False, None)
    assert "left a process behind" in result.error
    assert has_died(alive)


def test_a_child_that_let_go_of_the_output_is_stopped_too(tmp_path: Path, alive: int) -> None:
    source = FORK + "if not child:\n for fd in 0, 1, 2: os.close(fd)\n " + SLEEP + ANSWER
    assert ask(tmp_path, source).ok
    assert has_died(alive)


def test_a_child_that_flees_into_its_own_session_cannot_make_us_wait(tmp_path: Path) -> None:
    source = (
        "child = os.fork()\n"
        "if not child:\n os.setsid(); open('fled', 'w').write(str(os.getpid()))\n " + SLEEP
    )
    source += "while not os.path.exists('fled'): time.sleep(0.01)\n" + ANSWER
    result = ask(tmp_path, source, "x" * 900_000)
    assert "left a process behind" in result.error
    assert not (tmp_path / "slept").exists()
    with pytest.raises(ProcessLookupError):
        os.kill(int((tmp_path / "fled").read_text()), 0)


async def cancel(task: asyncio.Task[Result]) -> None:
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task


def test_cancelling_stops_all_a_skill_started_and_is_passed_on(tmp_path: Path, alive: int) -> None:
    (tmp_path / "main.py").write_text(HEAD + FORK + SLEEP)

    async def cancelled() -> None:
        task = asyncio.create_task(run(call_of(tmp_path), Limits(), SystemClock()))
        assert await asyncio.to_thread(has_come_up, alive)
        await cancel(task)

    asyncio.run(cancelled())
    assert has_died(alive)


def test_cancelling_before_we_know_that_a_skill_runs_stops_all_it_started(
    tmp_path: Path, alive: int
) -> None:
    (tmp_path / "main.py").write_text(HEAD + FORK + SLEEP)

    async def cancelled() -> None:
        task = asyncio.create_task(run(call_of(tmp_path), Limits(), SystemClock()))
        await asyncio.sleep(0)
        await asyncio.sleep(0)
        assert has_come_up(alive)  # while the loop, which is blocked, has not been told
        await cancel(task)

    asyncio.run(cancelled())
    assert not (tmp_path / "slept").exists()
    assert has_died(alive)


@pytest.mark.parametrize("beats", range(6))
def test_cancelling_while_a_skill_starts_leaves_no_open_file(tmp_path: Path, beats: int) -> None:
    (tmp_path / "main.py").write_text(HEAD + SLEEP)

    async def cancelled() -> None:
        before = open_files()
        task = asyncio.create_task(run(call_of(tmp_path), Limits(), SystemClock()))
        for _ in range(beats):
            await asyncio.sleep(0)
        await cancel(task)
        assert open_files() == before

    asyncio.run(cancelled())


@pytest.mark.parametrize(
    "source",
    [
        ANSWER,
        "sys.exit(1)",
        SLEEP,
        "while True: sys.stdout.write('x' * 10_000)",
        "if not os.fork(): " + SLEEP,
    ],
    ids=["answers", "crashes", "hangs", "floods", "lingers"],
)
def test_no_zombie_and_no_open_file_is_left(
    tmp_path: Path, source: str, caplog: pytest.LogCaptureFixture
) -> None:
    (tmp_path / "main.py").write_text(HEAD + "open('pid', 'w').write(str(os.getpid()))\n" + source)

    async def called() -> None:
        before = open_files()
        await run(call_of(tmp_path, "x" * 100_000), Limits(seconds=2.0), SystemClock())
        assert open_files() == before

    asyncio.run(called(), debug=True)
    with pytest.raises(ChildProcessError):
        os.waitpid(int((tmp_path / "pid").read_text()), os.WNOHANG)
    assert "Close running child process" not in caplog.text  # it races the reaper


def test_a_call_from_a_thread_of_its_own_works(tmp_path: Path) -> None:
    async def in_a_thread() -> Result:
        return await asyncio.to_thread(ask, tmp_path, ANSWER)

    assert asyncio.run(in_a_thread()).ok


def test_the_interpreter_is_ours(tmp_path: Path) -> None:
    result = ask(tmp_path, "print(json.dumps({'ok': True, 'output': sys.executable}))")
    assert result.output == sys.executable
