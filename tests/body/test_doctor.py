"""`lumen doctor` and how quickly `lumen status` comes up."""

from __future__ import annotations

import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.body.conftest import Lumen, Ran

    Inside = Callable[..., Ran]

HEAVY = {
    "httpx2",
    "numpy",
    "pydantic",
    "rich",
    "prompt_toolkit",
    "cryptography",
    "tokenizers",
    "xllamacpp",
}


def test_a_good_installation_is_well(lumen: Lumen) -> None:
    ran = lumen.run("doctor")
    assert (ran.code, ran.err) == (0, "")
    for part in (
        "python",
        "git",
        "sqlite",
        "model",
        "embedder",
        "being",
        "interface",
        "key",
        "disk",
        "archive",
    ):
        assert f"✓ {part} " in ran.out
    as_json = lumen.run("doctor", "--json")
    assert as_json.code == 0
    told = as_json.json()
    assert told["ok"] is True
    assert {f["state"] for f in told["findings"]} <= {"ok", "warn"}


@pytest.mark.parametrize("mode", [0o644, 0o660, 0o604])
def test_a_key_that_others_can_read_is_bad_and_the_cure_is_named(
    lumen: Lumen, inside: Inside, mode: int
) -> None:
    key = lumen.keyring.key_file(lumen.events()[0]["soul"])
    key.chmod(mode)
    ran = inside("doctor")
    assert ran.code == 1
    assert (
        f"✗ key        {key} can be read by others\n             try: chmod 600 {key}\n" in ran.out
    )
    key.chmod(0o600)
    assert inside("doctor").code == 0


def test_what_is_missing_or_broken_is_told(lumen: Lumen, inside: Inside) -> None:
    def found(*arguments: str, **env: str) -> dict[str, tuple[str, str]]:
        ran = inside("doctor", "--json", *arguments, env=lumen.env(**env))
        told = ran.json()
        assert ran.code == (0 if told["ok"] else 1)
        return {f["what"]: (f["state"], f["detail"]) for f in told["findings"]}

    assert found(LUMEN_BEING="")["being"] == ("warn", "there is no being yet")
    assert found("--being", "/nowhere")["being"] == ("bad", "/nowhere does not exist")
    assert found(PATH="/nowhere")["git"][0] == "warn"
    key = lumen.keyring.key_file(lumen.events()[0]["soul"])
    key.write_text("no key")
    assert found()["key"] == ("bad", f"the key {key} is not a key")
    key.unlink()
    assert found()["key"][0] == "warn"
    lumen.speak_with("nope/x")
    assert found()["interface"] == ("bad", "nope/x: nope is no substrate")
    lumen.set("timezone = ", "timezone = 7")
    assert found()["being"][0] == "bad"


def test_an_archive_that_may_not_be_read_is_told(lumen: Lumen) -> None:
    lumen.segment().chmod(0)
    powerless = "import ctypes; [ctypes.CDLL(None).prctl(24, c, 0, 0, 0) for c in (1, 2)]"
    ran = lumen.run("doctor", prelude=powerless)
    lumen.segment().chmod(0o644)
    assert ran.code == 1
    assert f"✗ archive    {lumen.segment()} cannot be read: Permission denied" in ran.out


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
