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


def found_in(inside: Inside) -> dict[str, tuple[str, str]]:
    told = inside("doctor", "--json").json()
    return {f["what"]: (f["state"], f["detail"]) for f in told["findings"]}


def test_what_protects_the_authors_key_is_told(lumen: Lumen, inside: Inside) -> None:
    soul, keyring = lumen.events()[0]["soul"], lumen.keyring
    if not keyring.has_author_key(soul):
        assert found_in(inside)["your key"][0] == "warn"
        keyring.create_author(soul)
        keyring.adopt_author(soul)
    state, detail = found_in(inside)["your key"]
    assert (state, "under no passphrase" in detail) == ("warn", True)
    keyring.set_passphrase(soul, "", "open sesame")
    state, detail = found_in(inside)["your key"]
    assert (state, "(0600, under a passphrase)" in detail) == ("ok", True)
    keyring.author_file(soul).chmod(0o640)
    assert found_in(inside)["your key"][0] == "bad"
    keyring.author_file(soul).chmod(0o600)
    keyring.author_file(soul).parent.chmod(0o777)
    state, detail = found_in(inside)["your key"]
    assert (state, "others can put another key" in detail) == ("bad", True)


def test_a_skill_that_can_read_the_keys_is_named(lumen: Lumen, inside: Inside) -> None:
    state, detail = found_in(inside)["isolation"]
    assert (state, "no skill but the shipped ones can reach the keys" in detail) == ("ok", True)
    loose = lumen.being / "skills" / "loose"
    loose.mkdir()
    (loose / "main.py").write_text("print('{}')\n")
    assert found_in(inside)["isolation"][0] == "ok"  # in bubblewrap, like every other
    settings = lumen.being / "lumen.toml"
    settings.write_text(f'{settings.read_text()}\n[skills.loose]\nisolation = "limits"\n')
    state, detail = found_in(inside)["isolation"]
    assert (state, "loose can read your keys" in detail) == ("warn", True)


def test_a_chain_that_does_not_verify_and_how_its_signatures_stand_is_told(
    talked: Lumen, inside: Inside
) -> None:
    last = talked.events()[-1]["seq"]
    found = found_in(inside)
    assert found["heads"][1].startswith(f"signed up to event {last}")
    assert found["witness"] == ("ok", f"this host has seen the chain up to event {last}")
    segment = talked.segment()
    segment.write_bytes(segment.read_bytes().replace(b"rice", b"mice"))
    ran = inside("doctor")
    assert (ran.code, "was changed after it was written" in ran.out) == (1, True)


@pytest.mark.parametrize(
    ("name", "data"),
    [("values.json", b"{broken"), ("values.json", b"\xff"), ("goals", b'[{"name": 3}]')],
)
def test_a_file_of_the_self_that_cannot_be_used_is_bad_and_the_cure_is_named(
    lumen: Lumen, inside: Inside, name: str, data: bytes
) -> None:
    folder = lumen.being / "data"
    path = folder / name if name.endswith(".json") else next((folder / name).glob("*.json"))
    path.write_bytes(data)
    ran = inside("doctor")
    assert ran.code == 1
    assert f"{path.name} line 1 is not used" in ran.out
    assert "lumen self diff" in ran.out
