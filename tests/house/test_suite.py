"""The suite itself: what it rests on wherever it is started."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from tests.sampling import Sampled, costly, left_out

WAITS = "import signal; signal.alarm(60); print('ready', flush=True); signal.pause()"
NOT_MEASURED = ("COV", "PYTEST")


@pytest.mark.parametrize("which", [signal.SIGINT, signal.SIGHUP])
def test_a_process_that_a_test_starts_can_be_stopped(which: signal.Signals) -> None:
    process = subprocess.Popen(
        [sys.executable, "-c", WAITS], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
    )
    with process:
        assert process.stdout is not None
        assert process.stdout.readline() == b"ready\n"
        process.send_signal(which)
    assert process.returncode == -which


@pytest.mark.parametrize("workers", ["0", "2"])
def test_the_tests_run_as_a_background_job_too(root: Path, workers: str) -> None:
    ignore = "[signal.signal(each, signal.SIG_IGN) for each in (signal.SIGINT, signal.SIGHUP)]"
    job = f"import os, signal, sys; {ignore}"
    which = "tests/house/test_suite.py::test_a_process_that_a_test_starts_can_be_stopped"
    tests = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "-n", workers, which]
    done = subprocess.run(
        [sys.executable, "-c", f"{job}; os.execv(sys.argv[1], sys.argv[1:])", *tests],
        cwd=root,
        env={k: v for k, v in os.environ.items() if not k.startswith(NOT_MEASURED)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert "2 passed" in done.stdout, done.stdout + done.stderr


@pytest.mark.real_disk
def test_where_files_must_last_they_are_not_kept_in_memory(tmp_path: Path) -> None:
    mounts = [line.split()[1:3] for line in Path("/proc/mounts").read_text("utf-8").splitlines()]
    holding = [(len(at), kind) for at, kind in mounts if tmp_path.is_relative_to(at)]
    assert max(holding)[1] not in ("tmpfs", "ramfs")


def test_the_same_seed_draws_the_same_sample_and_another_draws_another(
    capsys: pytest.CaptureFixture[str],
) -> None:
    every = list(range(1000))
    some = Sampled("a test", 7, deep=False).of(every, 10)
    assert some == sorted({*some})
    assert (len(some), some[0], some[-1]) == (12, 0, 999)
    assert capsys.readouterr().out == "12 of 1000 tried, drawn by --seed 7\n"
    assert Sampled("a test", 7, deep=False).of(every, 10) == some
    assert Sampled("a test", 8, deep=False).of(every, 10) != some
    assert Sampled("another", 7, deep=False).of(every, 10) != some


def test_a_test_that_does_what_differs_each_time_shows_its_seed(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert Sampled("a test", 7, deep=False).rounds(3, 40) == 3
    assert capsys.readouterr().out == "3 rounds, drawn by --seed 7\n"


def test_deep_leaves_nothing_out() -> None:
    deep = Sampled("a test", 7, deep=True)
    assert deep.of(range(1000), 10) == list(range(1000))
    assert (deep.rounds(3, 40), Sampled("a test", 7, deep=False).rounds(3, 40)) == (40, 3)
    assert Sampled("a test", 7, deep=False).of([1, 2, 3], 10) == [1, 2, 3]


def test_what_is_said_to_be_costly_is_a_test(root: Path) -> None:
    for test in costly():
        path, _, name = test.partition("::")
        assert f"def {name}(" in (root / path).read_text("utf-8"), test


@pytest.mark.parametrize("example", range(3))
def test_of_a_costly_test_so_many_examples_are_tried_and_the_seed_draws_which(
    request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch, example: int
) -> None:
    name = request.node.nodeid.partition("[")[0]
    mine = [i for i in request.session.items if i.nodeid.startswith(name)]
    monkeypatch.setattr("tests.sampling.costly", lambda: {name: example})
    assert len(left_out(mine, seed=0)) == 3 - example
    assert left_out(mine, seed=0) == left_out(mine, seed=0)
    drawn = [left_out(mine, seed) for seed in range(20)]
    assert any(one != drawn[0] for one in drawn) == (0 < example < 3)
