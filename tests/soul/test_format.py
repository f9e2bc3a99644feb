"""The format is what docs/formats.md says, to the byte, and can be checked without Lumen."""

from __future__ import annotations

import re
import subprocess
import sys
from dataclasses import replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING, ClassVar

import pytest
from cryptography.hazmat.primitives.asymmetric import ed25519

from lumen.core.data import Author, BeingPaths, Origin
from lumen.soul.trust.keys import Keyring
from lumen.soul.writing.write import Writer
from lumen.testing.clock import HandClock

if TYPE_CHECKING:
    from pathlib import Path

    from tests.soul.conftest import Grown, Home

SOUL = "01KA4X9Q3ZJ6V8R2M5T7W0YBCD"
SECRET = bytes(range(32))
FENCE = re.compile(r"^### `([^`]+)`\n+```\w+\n(.*?)^```$", re.MULTILINE | re.DOTALL)


class KnownKey:
    """Stands in for the key maker, so that the keys are such as everybody knows."""

    from_private_bytes = ed25519.Ed25519PrivateKey.from_private_bytes
    secrets: ClassVar[list[bytes]] = []

    @classmethod
    def generate(cls) -> ed25519.Ed25519PrivateKey:
        return ed25519.Ed25519PrivateKey.from_private_bytes(cls.secrets.pop(0))


@pytest.fixture
def made(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, home: Home) -> dict[str, str]:
    """The files of a small being whose clock, chance and key are all fixed."""
    monkeypatch.setattr(ed25519, "Ed25519PrivateKey", KnownKey)
    monkeypatch.setattr(KnownKey, "secrets", [SECRET, SECRET[::-1]])
    clock = HandClock(datetime(2026, 11, 15, 19, 26, 58, 123000, tzinfo=UTC), step_ms=250, seed=0)
    being = BeingPaths(tmp_path / "vectors")
    being.memory.mkdir(parents=True)
    writer = Writer(being, Keyring(tmp_path / "keys"), clock)
    writer.begin(SOUL)
    key = "lumen:interface:01KA4X9Q41M0W5C8E2RZN6T3VH"
    heard = home.entry(
        'My sister "Zoë" lives in Lisbon.\nRemember that.', payload={"private": True}
    )
    reply = home.entry("I will remember.", Author.SELF, "answered")
    writer.append([replace(heard, session_key=key)], durable=True)
    writer.append(
        [replace(reply, session_key=key, model="scripted/echo", weight=0.75)], durable=True
    )
    clock.at = datetime(2026, 11, 16, 0, 0, 0, 5000, tzinfo=UTC)
    beat = home.entry("RECORD: kept", Author.KERNEL, "record", {"turn": key, "ms": 1.5})
    beat = replace(beat, session_key=key, agent_id="kernel", origin=Origin.KERNEL)
    writer.append([beat], durable=True, sign=True)
    writer.close()
    paths = [*sorted(being.memory.glob("*/*.jsonl")), being.heads]
    found = {str(p.relative_to(being.root)): p.read_text("utf-8") for p in paths}
    witness = Keyring(tmp_path / "keys").witness_file(SOUL)
    return {**found, "witness/<soul>.json": witness.read_text("utf-8")}


@pytest.fixture(scope="module")
def page(root: Path) -> dict[str, str]:
    """The named blocks of docs/formats.md."""
    return dict(FENCE.findall((root / "docs" / "formats.md").read_text("utf-8")))


@pytest.fixture(scope="module")
def verifier(page: dict[str, str], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The verifier of docs/formats.md, as somebody would copy it out."""
    path = tmp_path_factory.mktemp("verifier") / "verify.py"
    path.write_text(page["verify.py"], "utf-8")
    return path


def run(verifier: Path, *arguments: object) -> tuple[int, str]:
    finished = subprocess.run(
        [sys.executable, "-I", verifier, *map(str, arguments)],
        capture_output=True,
        text=True,
        check=False,
    )
    return finished.returncode, finished.stdout + finished.stderr


def test_the_code_writes_the_bytes_the_page_shows(
    made: dict[str, str], page: dict[str, str]
) -> None:
    vectors = {name: text for name, text in page.items() if name != "verify.py"}
    assert list(vectors) == list(made)
    for name, text in made.items():
        assert vectors[name] == text, name


def test_the_verifier_of_the_page_passes_the_vectors_of_the_page(
    page: dict[str, str], verifier: Path, tmp_path: Path
) -> None:
    for name, text in page.items():
        path = tmp_path / "shown" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")
    shown = tmp_path / "shown"
    witness = shown / "witness/<soul>.json"
    code, told = run(verifier, shown, witness)
    assert (code, told[:42]) == (0, "4 events, all as they were written, signed")


def test_the_verifier_is_short(page: dict[str, str]) -> None:
    code = [line for line in page["verify.py"].splitlines() if line.strip()]
    assert len(code) < 120
    assert "lumen" not in re.sub(r"lumen-(head|event)/1|lumen.toml", "", page["verify.py"])


def test_the_verifier_passes_what_lumen_wrote(grown: Grown, verifier: Path) -> None:
    home = grown.restore()
    soul = home.verify().soul
    key = home.keyring.host_public(soul)
    said = (0, f"16 events, all as they were written, signed by {key}\n")
    assert run(verifier, home.being.root) == said
    assert run(verifier, home.being.root, home.keyring.witness_file(soul)) == said


@pytest.mark.parametrize(
    ("number", "at"), [(0, 3), (0, 40), (1, 90), (5, 105), (7, 170), (9, 350), (12, -90), (15, -3)]
)
def test_the_verifier_names_an_event_that_was_changed(
    grown: Grown, verifier: Path, number: int, at: int
) -> None:
    lines = list(grown.lines)
    name, line = lines[number]
    spoiled = bytearray(line)
    spoiled[at] ^= 1
    lines[number] = (name, bytes(spoiled))
    grown.spoil(lines, grown.heads)
    code, told = run(verifier, grown.home.being.root)
    assert (code, told.split()[:2]) == (1, ["event", str(number + 1)])


def test_the_verifier_names_an_event_that_is_gone(grown: Grown, verifier: Path) -> None:
    for spoiled, heads, expected in (
        (grown.lines[:4] + grown.lines[5:], grown.heads, 5),
        (grown.lines[:12], grown.heads, 13),
        (grown.lines[:9] + grown.lines[9:10] * 2 + grown.lines[10:], grown.heads, 11),
        ([], grown.heads, 1),
    ):
        grown.spoil(spoiled, heads)
        code, told = run(verifier, grown.home.being.root)
        assert (code, told.split()[:2]) == (1, ["event", str(expected)])
    witness = grown.home.keyring.witness_file(grown.restore().verify().soul)
    grown.spoil(grown.lines[:13], grown.heads_below(14))
    assert run(verifier, grown.home.being.root)[0] == 0  # without the witness nobody could know
    code, told = run(verifier, grown.home.being.root, witness)
    assert (code, told.split()[:2]) == (1, ["event", "14"])


def test_the_verifier_names_a_head_that_was_changed(grown: Grown, verifier: Path) -> None:
    lines = grown.heads.splitlines(keepends=True)
    forged = lines[2].replace(lines[2][-20:-4], b"0" * 16)
    grown.spoil(grown.lines, b"".join([*lines[:2], forged, *lines[3:]]))
    code, told = run(verifier, grown.home.being.root)
    assert (code, told) == (1, "event 7 has no true head\n")


def test_the_verifier_knows_a_stub_from_a_blank(home: Home, verifier: Path) -> None:
    writer = home.begin()
    seq = home.say(writer, "my number is 555 0123")[-1].seq
    line = home.lines()[seq - 1]
    cut = line.index(b',"salt":')
    erases = [{"seq": seq, "event_hash": line[15:79].decode(), "length": len(line) - cut - 1}]
    word = home.entry("Forgotten.", Author.KERNEL, "erasure", {"erases": erases})
    by = writer.append([word], durable=True, sign=True, signer=home.author)[-1].seq
    stub = (
        b',"salt":"","situation":"erased","description":"","payload":{"erased_by":%d}' % by
    ).ljust(len(line) - cut - 2) + b"}\n"
    lines = home.lines()
    for content, expected in ((stub, 0), (stub.replace(b" }", b"}"), 1), (stub.upper(), 1)):
        home.overwrite(home.newest(), b"".join([lines[0], line[:cut] + content, lines[2]]))
        code, told = run(verifier, home.being.root)
        assert code == expected
        assert home.verify().ok is (expected == 0)
        assert expected == 0 or told.startswith("event 2 ")
