"""Who is in a turn is known whatever becomes of the file that says so."""

from __future__ import annotations

import asyncio
import fcntl
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from tests.kernel.turning import in_turn
from tests.waiting import PATIENCE

from lumen.core.errors import Busy
from lumen.hands.policy import SkillPolicies
from lumen.hands.run import Limits
from lumen.kernel.gate import presence
from lumen.kernel.gate.guard import Guard
from lumen.kernel.gate.presence import between_turns, no_turn_meanwhile, nobody_in_turn
from lumen.soul.archive import disk
from lumen.soul.archive.locks import FileLocks

if TYPE_CHECKING:
    from tests.kernel.conftest import Life


def renamed(lock: Path) -> None:
    lock.rename(lock.with_name(".elsewhere"))


def replaced(lock: Path) -> None:
    shutil.copy(lock, lock.with_name(".copy"))
    lock.with_name(".copy").replace(lock)


@pytest.mark.parametrize("tamper", [renamed, replaced, Path.unlink])
def test_a_lock_that_was_moved_away_still_holds(
    life: Life, tamper: Callable[[Path], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(presence, "PATIENCE_S", 0.05)
    with in_turn(life.being):
        tamper(life.being.memory / ".turns")
        with nobody_in_turn(FileLocks(life.being)) as alone:
            assert not alone
        with (
            pytest.raises(Busy, match="a turn is under way"),
            no_turn_meanwhile(FileLocks(life.being)),
        ):
            pass
    with no_turn_meanwhile(FileLocks(life.being)):
        tamper(life.being.memory / ".turns")
        with nobody_in_turn(FileLocks(life.being)) as alone:
            assert not alone
    with nobody_in_turn(FileLocks(life.being)) as alone:
        assert alone


ASKS = f"""
import json, subprocess, sys
code = "import sys; from pathlib import Path; from lumen.core.data import BeingPaths\\n" \
    "from lumen.kernel.gate.presence import nobody_in_turn\\n" \
    "from lumen.soul.archive.locks import FileLocks\\n" \
    "with nobody_in_turn(FileLocks(BeingPaths(Path(sys.argv[1])))) as alone: print(alone)"
ran = subprocess.run([{sys.executable!r}, "-c", code, str(root)], capture_output=True, text=True)
print(json.dumps({{"ok": True, "output": ran.stdout.strip()}}))
"""


def test_whoever_a_skill_started_is_not_alone_though_nobody_is_in_a_turn(life: Life) -> None:
    life.skill("asks", ASKS)
    policies = SkillPolicies(Limits(seconds=PATIENCE), settings={"asks": {"isolation": "limits"}})
    guard = Guard(life.kernel.gate, policies, life.clock, "lumen:author")
    assert asyncio.run(guard.call("asks", "do", None)).output == "False"
    with nobody_in_turn(FileLocks(life.being)) as alone:
        assert alone


def test_a_turn_that_may_not_begin_for_long_is_told_who_keeps_it_from_that(
    life: Life, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(presence, "LONGEST_PAUSE_S", 0.05)
    holds = "import fcntl, sys\nfile = open(sys.argv[1], 'ab')\nfcntl.flock(file, fcntl.LOCK_EX)\n"
    says = "print('held', flush=True)\nsys.stdin.read()\n"
    command = [sys.executable, "-c", holds + says, str(life.being.memory / ".pause")]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as other:
        assert other.stdout is not None
        assert other.stdout.readline() == b"held\n"
        with pytest.raises(
            Busy, match=rf"no turn .* could begin .*: process {other.pid} \("
        ) as error:
            life.say("Hello!")
        other.communicate()
    assert "say it again" in error.value.fix
    assert [e.entry.situation for e in life.events()] == ["genesis"]
    assert life.say("Hello!").text


def test_whoever_wants_to_be_alone_goes_before_turns_that_would_begin(life: Life) -> None:
    async def meet() -> list[str]:
        came: list[str] = []

        async def alone() -> None:
            async with between_turns(FileLocks(life.being), PATIENCE):
                came.append("alone")
                with no_turn_meanwhile(
                    FileLocks(life.being)
                ):  # whose pause it is need not wait for itself
                    await asyncio.sleep(0.05)
                came.append("no more")

        async def turn() -> None:
            async with presence.in_turn(FileLocks(life.being)):
                came.append("turn")

        async with presence.in_turn(FileLocks(life.being)):
            waiting = asyncio.create_task(alone())
            await asyncio.sleep(0.05)  # it has asked by now
            later = asyncio.create_task(turn())
            await asyncio.sleep(0.05)
            came.append("first is over")
        await asyncio.gather(waiting, later)
        return came

    assert asyncio.run(meet()) == ["first is over", "alone", "no more", "turn"]


def test_in_an_event_loop_nobody_waits_for_turns_but_by_await(life: Life) -> None:
    async def meet() -> None:
        async with presence.in_turn(FileLocks(life.being)):
            with (
                pytest.raises(Busy, match="under way with this being: this very process") as error,
                no_turn_meanwhile(FileLocks(life.being)),
            ):
                pass
            assert "being.paused()" in error.value.fix
        with no_turn_meanwhile(FileLocks(life.being)):
            pass

    asyncio.run(asyncio.wait_for(meet(), presence.PATIENCE_S / 2))


def test_only_the_task_whose_pause_it_is_passes_for_alone(life: Life) -> None:
    async def other() -> None:
        with pytest.raises(Busy), no_turn_meanwhile(FileLocks(life.being)):
            pass

    async def meet() -> None:
        async with between_turns(FileLocks(life.being)):
            await asyncio.create_task(other())

    asyncio.run(meet())


def test_a_turn_waits_for_the_archive_without_keeping_others_from_running(life: Life) -> None:
    ticks = 0

    async def tick() -> None:
        nonlocal ticks
        while True:
            ticks += 1
            await asyncio.sleep(0.01)

    async def meet() -> None:
        lock = (life.being.memory / ".lock").open("rb")
        with lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            ticking = asyncio.create_task(tick())
            waiting = asyncio.create_task(presence.when_free(life.kernel.gate))
            await asyncio.sleep(0.2)
            assert not waiting.done()
        await waiting
        ticking.cancel()

    life.tell("I like tea.")  # its lock file is open by now
    asyncio.run(meet())
    assert ticks > 3


def test_an_archive_that_is_not_let_go_is_waited_for_only_so_long(
    life: Life, monkeypatch: pytest.MonkeyPatch
) -> None:
    life.tell("I like tea.")
    monkeypatch.setattr(disk, "PATIENCE_S", 0.05)
    with (life.being.memory / ".lock").open("rb") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        with pytest.raises(Busy, match="this very process has held the archive"):
            asyncio.run(presence.when_free(life.kernel.gate))
