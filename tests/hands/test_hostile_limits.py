"""What `limits` stops: each skill here means harm, and bounds itself in case nobody stops it."""

from __future__ import annotations

import asyncio
import os
import resource
import signal
import subprocess
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from tests.waiting import PATIENCE, wait_until

from lumen.core.clock import SystemClock
from lumen.core.errors import SkillError
from lumen.hands.isolation import Isolation
from lumen.hands.process import End, Program, converse
from lumen.hands.run import Call, Limits, Result, Sandbox, run
from lumen.hands.skills import Skill, describe, find
from lumen.hands.tree import growing

if TYPE_CHECKING:
    from tests.hands.conftest import Ask

HEAD = "import json, os, signal, sys, time\n"
ANSWER = "print(json.dumps({'ok': True}), flush=True)\n"
# Every process of a bomb writes its number down and ends by itself after a minute.
BOMB = (
    "for _ in range(300):\n"
    "    if not os.fork():\n"
    "        signal.alarm(60); {flees}open('pids', 'a').write(f'{{os.getpid()}}\\n')\n"
    "        time.sleep(60); os._exit(0)\n"
    "    time.sleep(0.001)\n"
)
DAEMON = (
    "if not os.fork():\n"
    "    os.setsid()\n"
    "    if os.fork(): os._exit(0)\n"
    "    for fd in 0, 1, 2: os.close(fd)\n"
    "    open('pids', 'a').write(f'{os.getpid()}\\n'); signal.alarm(20); time.sleep(20)\n"
    "    os._exit(0)\n"
    "while not os.path.exists('pids') or not open('pids').read().endswith('\\n'): time.sleep(0.01)\n"
)


def noted(folder: Path) -> list[int]:
    return [int(line) for line in (folder / "pids").read_text().split()]


def alive(pids: list[int]) -> list[int]:
    """Those that still run; nobody else could have been given a number so soon."""
    return [pid for pid in pids if Path("/proc", str(pid)).exists()]


def wait_for(path: Path) -> None:
    wait_until(path.exists)


@pytest.mark.parametrize(
    "flees",
    ["", "os.setsid(); ", "os.setsid(); os.fork() and os._exit(0); signal.alarm(60); "],
    ids=["stays", "flees", "is orphaned"],
)
def test_a_fork_bomb_is_stopped_and_all_of_it_is_gone(ask: Ask, folder: Path, flees: str) -> None:
    unseen = "signal.signal(signal.SIGCHLD, signal.SIG_IGN)\n"  # whoever ends is not counted
    result = ask(unseen + BOMB.format(flees=flees) + ANSWER, limits=Limits(processes=20))
    assert not result.ok
    assert result.error == ("The skill tried ran more than 20 processes at once and was stopped.")
    assert 0 < len(noted(folder)) < 300
    assert alive(noted(folder)) == []


def test_as_many_processes_as_are_allowed_are_left_alone(ask: Ask, folder: Path) -> None:
    together = "while open('pids').read().count('\\n') < 10: time.sleep(0.01)\n        os._exit(0)"
    some = BOMB.format(flees="").replace("300", "10")
    some = some.replace("time.sleep(60); os._exit(0)", together)
    waits = "for _ in range(10): os.wait()\n"
    assert ask(some + waits + ANSWER, limits=Limits(processes=20)).ok
    assert len(noted(folder)) == 10


@pytest.mark.parametrize("stream", ["stdout", "stderr"])
def test_a_gigabyte_of_output_is_stopped_at_the_first_megabyte(ask: Ask, stream: str) -> None:
    flood = f"for _ in range(1024): sys.{stream}.write('x' * (1 << 20))\n"
    result = ask(flood + ANSWER)
    assert result.error == "The skill tried wrote more than 1,000,000 bytes and was stopped."
    assert len(result.stderr) <= 4096


def test_three_gigabytes_are_not_to_be_had(ask: Ask) -> None:
    result = ask("held = bytearray(3 << 30)\n" + ANSWER)
    assert result.error == "The skill tried crashed with exit code 1: MemoryError."


def test_memory_taken_by_many_processes_together_is_counted(ask: Ask, folder: Path) -> None:
    source = (
        "for _ in range(6):\n"
        "    if not os.fork():\n"
        "        signal.alarm(60); open('pids', 'a').write(f'{os.getpid()}\\n')\n"
        "        held = bytearray(b'x' * (48 << 20)); time.sleep(60); os._exit(0)\n"
        "time.sleep(60)\n"
    )
    result = ask(source, limits=Limits(memory_bytes=160 << 20))
    assert result.error == "The skill tried took more than 160 MiB and was stopped."
    assert alive(noted(folder)) == []


def test_a_spinning_skill_runs_out_of_processor_time(ask: Ask) -> None:
    began = "start = time.monotonic()\nwhile time.monotonic() - start < 300: pass\n"
    result = ask(began + ANSWER, limits=Limits(seconds=PATIENCE, cpu_seconds=1))
    assert not result.ok
    assert f"was ended by signal {int(signal.SIGXCPU)} (" in result.error or (
        f"was ended by signal {int(signal.SIGKILL)} (" in result.error
    )


def test_a_file_cannot_grow_for_ever(ask: Ask, folder: Path) -> None:
    source = "with open('big', 'wb') as f:\n    f.write(b'x' * (2 << 20))\n"
    result = ask(source + ANSWER, limits=Limits(file_bytes=1 << 20))
    assert "File too large" in result.error
    assert (folder / "big").stat().st_size <= 1 << 20


def test_open_files_are_counted(ask: Ask) -> None:
    result = ask("held = [os.dup(0) for _ in range(100)]\n" + ANSWER, limits=Limits(open_files=64))
    assert "Too many open files" in result.error


def test_a_crash_leaves_no_core_file_and_work_is_done_politely(ask: Ask) -> None:
    source = (
        "import resource\n"
        "told = [resource.getrlimit(resource.RLIMIT_CORE), os.getpriority(os.PRIO_PROCESS, 0)]\n"
        "print(json.dumps({'ok': True, 'output': told}))\n"
    )
    until = "while not os.getpriority(os.PRIO_PROCESS, 0): time.sleep(0.01)\n"  # set from outside
    assert ask(until + source).output == [[0, 0], 2]


def test_a_limit_of_ours_that_is_stricter_stays_in_force(
    ask: Ask, monkeypatch: pytest.MonkeyPatch
) -> None:
    source = "import resource\nseen = resource.getrlimit(resource.RLIMIT_NOFILE)\n"
    source += "print(json.dumps({'ok': True, 'output': seen}))\n"
    monkeypatch.setattr(
        "resource.getrlimit",
        lambda kind: (50, 50) if kind == resource.RLIMIT_NOFILE else (1 << 40, 1 << 40),
    )
    assert ask(source).output == [50, 50]


def test_a_daemon_that_would_outlive_its_call_is_ended_with_it(ask: Ask, folder: Path) -> None:
    assert ask(DAEMON + ANSWER).ok
    (pid,) = noted(folder)
    assert alive([pid]) == []
    with pytest.raises(ChildProcessError):
        os.waitpid(pid, os.WNOHANG)  # it was reaped, too


def test_none_lets_a_daemon_live_on(ask: Ask, folder: Path) -> None:
    assert ask(DAEMON + ANSWER, box=Sandbox(Isolation.NONE)).ok
    (pid,) = noted(folder)
    assert alive([pid]) == [pid]
    os.kill(pid, signal.SIGKILL)


def test_a_daemon_is_ended_when_the_call_is_cancelled(folder: Path) -> None:
    (folder / "main.py").write_text(HEAD + DAEMON + "time.sleep(20)\n")

    async def cancelled() -> None:
        call = Call(Skill("tried", folder), "01TURN", "try", None)
        task = asyncio.create_task(run(call, Limits(), SystemClock()))
        await asyncio.to_thread(wait_for, folder / "pids")
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(cancelled())
    assert alive(noted(folder)) == []


def test_a_call_does_not_end_what_another_has_started(folder: Path) -> None:
    """One call comes and goes while another, with a child in a session of its own, still works."""
    quick = folder.parent / "quick"
    quick.mkdir()
    (quick / "main.py").write_text(HEAD + ANSWER)
    os.mkfifo(folder / "goes_on")
    (folder / "main.py").write_text(
        HEAD + "import subprocess\n"
        "child = subprocess.Popen(['sleep', '20'], start_new_session=True)\n"
        "open('up', 'w').close(); open('goes_on').read()\n"
        "print(json.dumps({'ok': True, 'output': child.poll()})); child.kill(); child.wait()\n"
    )

    async def both() -> tuple[Result, list[Result]]:
        slow = Call(Skill("tried", folder), "01TURN", "try", None)
        task = asyncio.create_task(run(slow, Limits(), SystemClock()))
        await asyncio.to_thread(wait_for, folder / "up")
        call = Call(Skill("quick", quick), "01TURN", "try", None)
        done = [await run(call, Limits(), SystemClock()) for _ in range(2)]
        (folder / "goes_on").write_text("")
        return await task, done

    slow, done = asyncio.run(both())
    assert [result.ok for result in done] == [True, True]
    assert (slow.ok, slow.output) == (True, None)


def test_a_call_that_is_just_being_started_is_not_taken_for_one_left_behind(ask: Ask) -> None:
    with growing(), subprocess.Popen(["sleep", "20"], start_new_session=True) as first:
        assert ask(DAEMON + ANSWER).ok
        assert first.poll() is None
        first.kill()


def test_a_call_that_never_began_leaves_the_account_in_order(ask: Ask, folder: Path) -> None:
    nowhere = Program(("/nowhere/no-such-program",), folder, {})
    assert asyncio.run(converse(nowhere, b"", Limits())).end is End.NOT_STARTED
    leads = DAEMON.replace("    if os.fork(): os._exit(0)\n", "")
    assert ask(leads + ANSWER).ok
    assert alive(noted(folder)) == []


def test_our_own_children_are_none_of_its_business(ask: Ask) -> None:
    with subprocess.Popen(["sleep", "20"]) as ours:
        assert ask(DAEMON + ANSWER).ok
        assert ours.poll() is None
        ours.kill()


def test_a_skill_that_deletes_itself_while_it_runs_still_answers_and_is_gone(
    ask: Ask, folder: Path
) -> None:
    assert ask("import shutil; shutil.rmtree(os.getcwd())\n" + ANSWER).ok
    assert not folder.exists()
    with pytest.raises(SkillError, match="There is no skill named 'tried'"):
        find(folder.parent, "tried")


def test_a_fifo_as_main_py_is_no_skill_and_nobody_waits_for_it(folder: Path) -> None:
    os.mkfifo(folder / "main.py")
    skill = Skill("tried", folder)
    call = Call(skill, "01TURN", "try", None)
    result = asyncio.run(run(call, Limits(), SystemClock()))
    assert result.error == "The skill tried has no main.py."
    with pytest.raises(SkillError, match=r"has no main\.py"):
        asyncio.run(describe(skill))


def test_a_main_py_that_is_a_link_is_not_run(folder: Path, tmp_path: Path) -> None:
    (tmp_path / "elsewhere.py").write_text(HEAD + ANSWER)
    (folder / "main.py").symlink_to(tmp_path / "elsewhere.py")
    call = Call(Skill("tried", folder), "01TURN", "try", None)
    assert (
        asyncio.run(run(call, Limits(), SystemClock())).error == "The skill tried has no main.py."
    )
