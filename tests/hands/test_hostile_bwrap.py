"""What `bwrap` stops beyond `limits`: seeing, writing and reaching what was not granted."""

from __future__ import annotations

import asyncio
import os
import socket
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from tests.storing import born
from tests.waiting import PATIENCE

from lumen.core.clock import SystemClock
from lumen.core.data import BeingPaths
from lumen.core.errors import SkillError
from lumen.hands.isolation import (
    SHARED,
    Isolation,
    bwrap_trouble,
    confined,
)
from lumen.hands.policy import SkillPolicies, isolation_for
from lumen.hands.process import python
from lumen.hands.run import Limits, Sandbox
from lumen.hands.skills import Maker, Skill, describe
from lumen.soul.trust.keys import Keyring

if TYPE_CHECKING:
    from tests.hands.conftest import Ask

LIMITS = Sandbox(Isolation.LIMITS)
READS = (
    "try: found = open(json.load(sys.stdin)['input'], errors='replace').read()\n"
    "except OSError as error: found = type(error).__name__\n"
    "print(json.dumps({'ok': True, 'output': found}))\n"
)
WRITES = (
    "path = json.load(sys.stdin)['input']\n"
    "try:\n    open(path, 'w').write('meddled'); did = 'wrote'\n"
    "except OSError as error: did = type(error).__name__\n"
    "print(json.dumps({'ok': True, 'output': did}))\n"
)
KNOCKS = (
    "port = json.load(sys.stdin)['input']\n"
    "try:\n    socket.create_connection(('127.0.0.1', port), 5).close(); did = 'came in'\n"
    "except OSError as error: did = 'kept out'\n"
    "print(json.dumps({'ok': True, 'output': did}))\n"
)


def test_bubblewrap_is_tried_for_real_and_is_the_strongest_there_is(bwrap: Sandbox) -> None:
    assert bwrap_trouble() == ""
    assert isolation_for("its", Maker.AUTHOR, SkillPolicies()) == (bwrap.isolation, "")


@pytest.fixture
def without_bwrap(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[Path]:
    """A host where bubblewrap is not on the path; a stand-in may be put there."""
    (tmp_path / "bin").mkdir()
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))
    bwrap_trouble.cache_clear()
    yield tmp_path / "bin"
    bwrap_trouble.cache_clear()


def test_where_there_is_no_bubblewrap_that_is_said(without_bwrap: Path, ask: Ask) -> None:
    assert "is not installed" in bwrap_trouble()
    held = isolation_for("its", Maker.AUTHOR, SkillPolicies())
    assert held == (Isolation.LIMITS, bwrap_trouble())
    result = ask("print(json.dumps({'ok': True}))", box=Sandbox(Isolation.BWRAP))
    assert result.error == (
        "The skill tried was not run, as bubblewrap is not installed (apt install bubblewrap)."
    )


def test_a_bubblewrap_that_does_not_work_is_as_good_as_none(without_bwrap: Path) -> None:
    (without_bwrap / "bwrap").write_text("#!/bin/sh\necho no namespaces for you >&2; exit 1\n")
    (without_bwrap / "bwrap").chmod(0o755)
    assert bwrap_trouble() == "bubblewrap does not work here: no namespaces for you"
    assert isolation_for("its", Maker.AUTHOR, SkillPolicies())[0] is Isolation.LIMITS
    (without_bwrap / "bwrap").write_text("no program at all")
    bwrap_trouble.cache_clear()
    assert bwrap_trouble().startswith("bubblewrap does not work here: ")


@pytest.fixture
def apart() -> Iterator[Path]:
    """A folder that is hidden because it is not shown, not because a new /tmp lies over it."""
    with tempfile.TemporaryDirectory(prefix="lumen-test-", dir="/var/tmp") as made:
        yield Path(made)


def test_the_authors_key_and_the_being_are_out_of_sight(
    ask: Ask, bwrap: Sandbox, apart: Path
) -> None:
    being, keyring = BeingPaths(apart / "being"), Keyring(apart / "xdg" / "lumen")
    secret = keyring.key_file(born(being, keyring, SystemClock()))
    for path in (secret, being.settings, being.skills / "chat" / "main.py"):
        assert ask(READS, str(path), box=LIMITS).output == path.read_text(errors="replace") != ""
        assert ask(READS, str(path), box=bwrap).output == "FileNotFoundError"


def test_keys_below_a_granted_folder_are_covered(ask: Ask, bwrap: Sandbox, apart: Path) -> None:
    home = apart / "lumen"
    (home / "keys").mkdir(parents=True)
    for name in ("keys/soul.key", "keys.toml", "note"):
        (home / name).write_text("words")
    box = replace(bwrap, reads=(apart,), writes=(home,))
    covered = replace(box, hidden=(home / "keys", home / "keys.toml", home / "none"))
    for name in ("keys/soul.key", "keys.toml"):
        assert ask(READS, str(home / name), box=box).output == "words"
        assert ask(READS, str(home / name), box=covered).output != "words"
    assert ask(WRITES, str(home / "keys.toml"), box=covered).output != "wrote"
    assert ask(READS, str(home / "note"), box=covered).output == "words"


def test_what_lies_elsewhere_cannot_be_changed(ask: Ask, bwrap: Sandbox, apart: Path) -> None:
    (apart / "victim").write_text("mine")
    assert ask(WRITES, str(apart / "victim"), box=bwrap).output == "FileNotFoundError"
    assert (apart / "victim").read_text() == "mine"
    assert ask(WRITES, str(apart / "victim"), box=LIMITS).output == "wrote"


def test_home_is_empty_and_the_machine_is_read_only(ask: Ask, bwrap: Sandbox, folder: Path) -> None:
    source = (
        "seen = sorted(os.listdir('/')), os.path.exists(os.path.expanduser('~root/.profile'))\n"
        "print(json.dumps({'ok': True, 'output': [*seen, os.environ['HOME'], os.getcwd()]}))\n"
    )
    tops, profile, home, here = ask(source, box=bwrap).output
    assert {"home", "work", "srv", "mnt", "boot", "sys", "var"}.isdisjoint(
        set(tops) - {*folder.parts, *Path(sys.prefix).parts}  # but for where Python itself is
    )
    assert (profile, home, here) == (False, "/tmp", str(folder))  # noqa: S108 - its own
    assert ask(WRITES, "/usr/bin/lumen-was-here", box=bwrap).output == "OSError"


def test_nothing_outside_can_be_written_and_its_own_folder_only_read(
    ask: Ask, bwrap: Sandbox, folder: Path, tmp_path: Path
) -> None:
    (tmp_path / "victim").write_text("mine")
    ask(WRITES, str(tmp_path / "victim"), box=bwrap)  # at most in a room that is gone afterwards
    assert (tmp_path / "victim").read_text() == "mine"
    assert ask(WRITES, str(folder / "main.py"), box=bwrap).output == "OSError"
    assert ask(WRITES, "/tmp/scratch", box=bwrap).output == "wrote"  # noqa: S108 - its own
    assert not Path("/tmp/scratch").exists()  # noqa: S108 - and not ours
    assert ask(WRITES, str(tmp_path / "victim"), box=LIMITS).output == "wrote"


def test_what_is_granted_can_be_read_or_written_and_no_more(
    ask: Ask, bwrap: Sandbox, tmp_path: Path
) -> None:
    reads, writes = tmp_path / "reads", tmp_path / "writes"
    for path in (reads, writes):
        path.mkdir()
        (path / "file").write_text("here")
    box = replace(bwrap, reads=(reads, tmp_path / "none"), writes=(writes,))
    assert ask(READS, str(reads / "file"), box=box).output == "here"
    assert ask(WRITES, str(reads / "file"), box=box).output == "OSError"
    assert ask(WRITES, str(writes / "file"), box=box).output == "wrote"
    assert (writes / "file").read_text() == "meddled"


def test_a_link_out_of_a_granted_folder_leads_nowhere(
    ask: Ask, bwrap: Sandbox, tmp_path: Path, folder: Path
) -> None:
    (tmp_path / "secret").write_text("mine")
    (tmp_path / "granted").mkdir()
    (tmp_path / "granted" / "link").symlink_to(tmp_path / "secret")
    (folder / "link").symlink_to(tmp_path / "secret")
    box = replace(bwrap, reads=(tmp_path / "granted",))
    assert ask(READS, str(tmp_path / "granted" / "link"), box=box).output == "FileNotFoundError"
    assert ask(READS, str(folder / "link"), box=box).output == "FileNotFoundError"


@pytest.fixture
def door() -> Iterator[tuple[int, list[str]]]:
    """A server on loopback, and who came in."""
    came: list[str] = []
    with socket.create_server(("127.0.0.1", 0)) as server:

        def serve() -> None:
            while True:
                try:
                    visitor, where = server.accept()
                except OSError:
                    return
                came.append(where[0])
                visitor.close()

        thread = threading.Thread(target=serve, daemon=True)
        thread.start()
        yield server.getsockname()[1], came
        server.shutdown(socket.SHUT_RDWR)
    thread.join(PATIENCE)


def test_the_network_is_shut_unless_it_was_granted(
    ask: Ask, bwrap: Sandbox, door: tuple[int, list[str]]
) -> None:
    port, came = door
    assert ask(KNOCKS, port, box=bwrap).output == "kept out"
    assert came == []
    assert ask(KNOCKS, port, box=replace(bwrap, network=True)).output == "came in"
    assert ask(KNOCKS, port, box=LIMITS).output == "came in"


def test_no_rights_are_left_and_nothing_else_that_runs_is_seen(ask: Ask, bwrap: Sandbox) -> None:
    source = (
        "status = dict(l.split(':\\t') for l in open('/proc/self/status') if ':\\t' in l)\n"
        "pids = [n for n in os.listdir('/proc') if n.isdigit()]\n"
        "told = [int(status['CapEff'], 16), int(status['CapBnd'], 16), len(pids)]\n"
        "print(json.dumps({'ok': True, 'output': told}))\n"
    )
    effective, bounding, processes = ask(source, box=bwrap).output
    assert (effective, bounding) == (0, 0)
    assert processes <= 3


def test_an_interpreter_behind_links_is_found_and_what_lies_beside_them_is_not(
    ask: Ask, bwrap: Sandbox, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    home, other = tmp_path / "home" / "bin", tmp_path / "other"
    home.mkdir(parents=True)
    other.mkdir()
    (home.parent / "secret").write_text("mine")
    (home / "python").symlink_to("../../other/python")
    (other / "python").symlink_to(Path(sys.executable).resolve())
    monkeypatch.setattr(sys, "executable", str(home / "python"))
    monkeypatch.setattr("lumen.hands.process._PYTHON", (str(home / "python"),))
    bwrap_trouble.cache_clear()
    assert bwrap_trouble() == ""
    assert ask(READS, str(home.parent / "secret"), box=bwrap).output == "FileNotFoundError"


def test_limits_hold_inside_too(ask: Ask, bwrap: Sandbox) -> None:
    answer = "print(json.dumps({'ok': True}))"
    greedy = ask("held = bytearray(3 << 30)\n" + answer, box=bwrap)
    assert greedy.error == "The skill tried crashed with exit code 1: MemoryError."
    bomb = "for _ in range(100):\n    if not os.fork(): signal.alarm(60); time.sleep(60); os._exit(0)\n"
    swarm = ask(bomb + "time.sleep(60)\n", box=bwrap, limits=Limits(processes=20))
    assert "more than 20 processes" in swarm.error
    hangs = ask("time.sleep(30)", box=bwrap, limits=Limits(seconds=0.5))
    assert "did not finish within 0.5 s" in hangs.error
    kills = ask("os.kill(os.getpid(), signal.SIGSEGV)", box=bwrap)
    assert "was ended by signal 11 (" in kills.error
    assert ask("print('not JSON')", box=bwrap).error.startswith("The skill tried did not answer")


def test_scratch_space_is_bounded(ask: Ask, bwrap: Sandbox) -> None:
    source = "open('/tmp/big', 'wb').write(b'x' * (80 << 20)); print(json.dumps({'ok': True}))"
    assert "No space left on device" in ask(source, box=bwrap).error


@pytest.mark.parametrize("where", ["/", "/dev", SHARED, "/home", "/work", "/etc", "/run"])
def test_memory_cannot_be_filled_by_writing_anywhere_else(
    ask: Ask, bwrap: Sandbox, where: str
) -> None:
    source = (
        "where, wrote = json.load(sys.stdin)['input'], 0\n"
        "try:\n"
        "    os.makedirs(where, exist_ok=True)\n"
        "    with open(os.path.join(where, 'filled'), 'wb') as file:\n"
        "        while wrote < 100: wrote += file.write(bytes(1 << 20)) >> 20; file.flush()\n"
        "except OSError as error: pass\n"
        "print(json.dumps({'ok': True, 'output': wrote}))\n"
    )
    asked = ask(source, where, box=bwrap, limits=Limits(seconds=300))
    mebibytes = asked.output
    assert mebibytes is not None, asked
    assert mebibytes <= (16 if where == SHARED else 0)
    assert ask(WRITES, "/dev/null", box=bwrap).output == "wrote"


def test_a_daemon_dies_with_the_room(ask: Ask, bwrap: Sandbox, tmp_path: Path) -> None:
    shared = tmp_path / "shared"
    shared.mkdir()
    os.mkfifo(shared / "alive")
    fifo = os.open(shared / "alive", os.O_RDONLY | os.O_NONBLOCK)
    source = (
        f"alive = os.open({str(shared / 'alive')!r}, os.O_WRONLY)\n"
        "if not os.fork():\n"
        "    os.setsid()\n"
        "    if os.fork(): os._exit(0)\n"
        "    for fd in 0, 1, 2: os.close(fd)\n"
        "    signal.alarm(20); time.sleep(20); os._exit(0)\n"
        "os.write(alive, b'up')\n"
        "print(json.dumps({'ok': True}))\n"
    )
    assert ask(source, box=replace(bwrap, writes=(shared,))).ok
    assert os.read(fifo, 2) == b"up"
    assert os.read(fifo, 2) == b""  # nobody holds the other end any more
    os.close(fifo)


def test_whoever_is_killed_takes_the_room_along(bwrap: Sandbox, folder: Path) -> None:
    """Our own end, by a signal nobody can catch, is the skill's too."""
    os.mkfifo(folder / "alive")
    (folder / "main.py").write_text(
        "import os, signal, time\nsignal.alarm(20)\n"
        "alive = os.open('alive', os.O_WRONLY); os.write(alive, b'up'); time.sleep(20)\n"
    )
    box = replace(bwrap, writes=(folder,))
    program = confined(python(folder / "main.py"), folder, box, Limits())
    script = "import subprocess, sys; subprocess.Popen(sys.argv[1:]).wait()"
    with subprocess.Popen([sys.executable, "-c", script, *program.command]) as ours:
        fifo = os.open(folder / "alive", os.O_RDONLY)  # waits until the skill is up
        assert os.read(fifo, 2) == b"up"
        ours.kill()
    assert os.read(fifo, 2) == b""
    os.close(fifo)


def test_help_is_asked_for_in_the_room(bwrap: Sandbox, folder: Path, tmp_path: Path) -> None:
    (tmp_path / "secret").write_text("mine")
    (folder / "main.py").write_text(f"print(open({str(tmp_path / 'secret')!r}).read())")
    with pytest.raises(SkillError, match="No such file or directory"):
        asyncio.run(describe(Skill("tried", folder), bwrap))
    assert asyncio.run(describe(Skill("tried", folder), LIMITS)) == "mine"
