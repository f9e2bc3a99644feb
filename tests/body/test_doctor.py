"""`lumen doctor` and how quickly `lumen status` comes up."""

from __future__ import annotations

import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from tests.body.conftest import Lumen

HEAVY = {"numpy", "pydantic", "rich", "prompt_toolkit", "cryptography", "tokenizers", "xllamacpp"}


def key_of(lumen: Lumen) -> str:
    return str(lumen.keyring.key_file(lumen.events()[0]["soul"]))


def test_a_good_installation_is_well(lumen: Lumen) -> None:
    ran = lumen.run("doctor")
    assert (ran.code, ran.err) == (0, "")
    for part in ("python", "git", "sqlite", "model", "embedder", "being", "key", "disk", "archive"):
        assert f"✓ {part} " in ran.out
    as_json = lumen.run("doctor", "--json")
    assert as_json.code == 0
    told = as_json.json()
    assert told["ok"] is True
    assert {f["state"] for f in told["findings"]} <= {"ok", "warn"}


@pytest.mark.parametrize("mode", [0o644, 0o660, 0o604])
def test_a_key_that_others_can_read_is_bad_and_the_cure_is_named(lumen: Lumen, mode: int) -> None:
    key = lumen.keyring.key_file(lumen.events()[0]["soul"])
    key.chmod(mode)
    ran = lumen.run("doctor")
    assert ran.code == 1
    assert f"{key} can be read by others" in ran.out
    cure = ran.out.split(f"{key} can be read by others")[1].split("try: ")[1].splitlines()[0]
    subprocess.run(cure.split(), check=True)
    assert lumen.run("doctor").code == 0


def test_what_is_missing_or_broken_is_told(lumen: Lumen) -> None:
    unborn = lumen.run("doctor", env=lumen.env(LUMEN_BEING=""))
    assert unborn.code == 0
    assert "! being     there is no being yet" in unborn.out
    nowhere = lumen.run("doctor", "--being", str(lumen.home / "nowhere"))
    assert nowhere.code == 1
    assert "✗ being" in nowhere.out
    lumen.keyring.key_file(lumen.events()[0]["soul"]).unlink()
    assert "! key       not on this host" in lumen.run("doctor").out
    no_tools = lumen.run("doctor", env=lumen.env(PATH="/nowhere"))
    assert "! git       not found" in no_tools.out
    lumen.set("timezone = ", "timezone = 7")
    broken = lumen.run("doctor")
    assert broken.code == 1
    assert "✗ being" in broken.out


def test_an_archive_that_may_not_be_read_is_told(lumen: Lumen) -> None:
    lumen.segment().chmod(0)
    powerless = "import ctypes; [ctypes.CDLL(None).prctl(24, c, 0, 0, 0) for c in (1, 2)]"
    ran = lumen.run("doctor", prelude=powerless)
    lumen.segment().chmod(0o644)
    assert ran.code == 1
    assert f"✗ archive   {lumen.segment()} cannot be read: Permission denied" in ran.out


def test_status_loads_nothing_heavy(lumen: Lumen) -> None:
    lumen.run("chat", "-m", "I like rice")
    code = (
        "import sys; sys.argv[0] = 'lumen'\n"
        "from lumen.body.cli.main import main\n"
        "try: main()\n"
        "finally: print(*sys.modules, file=sys.stderr)"
    )
    ran = subprocess.run(
        [sys.executable, "-c", code, "status"],
        env=lumen.env(),
        capture_output=True,
        text=True,
        check=True,
    )
    assert "memory " in ran.stdout
    loaded = {name.partition(".")[0] for name in ran.stderr.split()}
    assert "lumen" in loaded
    assert loaded & HEAVY == set()
