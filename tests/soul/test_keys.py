"""Two keys a soul: the host's signs unattended, the author's may be under a passphrase."""

from __future__ import annotations

import stat
from typing import TYPE_CHECKING

import pytest

from lumen.core.errors import Damaged, Locked
from lumen.soul.trust.keys import Keyring, is_signed_text

if TYPE_CHECKING:
    from pathlib import Path

SOUL = "01KA4X9Q3ZJ6V8R2M5T7W0YBCD"
TEXT = b"lumen-test/1\nsomething\n"


@pytest.fixture
def ring(tmp_path: Path) -> Keyring:
    return Keyring(tmp_path / "host")


def never() -> str:
    raise AssertionError("asked for a passphrase that nobody set")


def authored(ring: Keyring, passphrase: str = "") -> str:
    public = ring.create_author(SOUL, passphrase)
    ring.adopt_author(SOUL)
    return public


def test_a_key_signs_only_once_it_is_adopted(ring: Keyring) -> None:
    public = ring.create_author(SOUL)
    assert not ring.has_author_key(SOUL)
    ring.adopt_author(SOUL)
    assert ring.has_author_key(SOUL)
    assert ring.author_public(SOUL) == public
    signed = ring.open_author(SOUL, never)(TEXT)
    assert signed.key == public
    assert is_signed_text(*signed[:1], TEXT, signed.signature)
    assert not is_signed_text(signed.key, TEXT + b"!", signed.signature)
    assert not is_signed_text("zz", TEXT, signed.signature)


def test_the_two_keys_of_a_soul_are_two(ring: Keyring) -> None:
    public = authored(ring)
    ring.create(SOUL)
    ring.adopt(SOUL)
    signed = ring.host_sign(SOUL, TEXT)
    assert signed.key == ring.host_public(SOUL) != public
    assert is_signed_text(signed.key, TEXT, signed.signature)


def test_a_locked_key_wants_its_passphrase_and_tells_its_public_half_without(ring: Keyring) -> None:
    public = authored(ring, "correct horse")
    assert ring.author_is_locked(SOUL)
    assert ring.author_public(SOUL) == public
    assert ring.open_author(SOUL, lambda: "correct horse")(TEXT).key == public
    with pytest.raises(Locked, match="not the passphrase"):
        ring.open_author(SOUL, lambda: "correct horsf")(TEXT)


def test_nothing_of_a_locked_key_stands_in_the_open(ring: Keyring) -> None:
    authored(ring)
    secret = ring.author_file(SOUL).read_bytes()
    ring.set_passphrase(SOUL, "", "battery staple")
    assert secret not in b"".join(p.read_bytes() for p in ring.folder.rglob("*") if p.is_file())


def test_a_passphrase_is_set_changed_and_taken_away(ring: Keyring) -> None:
    public = authored(ring)
    ring.set_passphrase(SOUL, "", "one")
    with pytest.raises(Locked):
        ring.set_passphrase(SOUL, "wrong", "two")
    ring.set_passphrase(SOUL, "one", "two")
    assert ring.open_author(SOUL, lambda: "two")(TEXT).key == public
    ring.set_passphrase(SOUL, "two", "")
    assert not ring.author_is_locked(SOUL)
    assert ring.open_author(SOUL, never)(TEXT).key == public


def test_keys_are_for_their_owner_alone(ring: Keyring) -> None:
    path = ring.author_file(SOUL)
    path.parent.mkdir(parents=True, mode=0o700)
    left = path.with_suffix(".new")
    left.write_bytes(b"left by a crash")
    left.chmod(0o644)
    authored(ring)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700


@pytest.mark.parametrize(
    "written",
    [b"", b"00ff", b"not hex", b"\xff\xfe", b"{}", b"{", b'{"format":"lumen-key/1"}'],
)
def test_a_file_that_is_no_key_is_said_to_be_none(ring: Keyring, written: bytes) -> None:
    authored(ring)
    ring.author_file(SOUL).write_bytes(written)
    with pytest.raises(Damaged, match="not a key"):
        ring.open_author(SOUL, lambda: "x")(TEXT)
    with pytest.raises(Damaged, match="not a key"):
        ring.author_public(SOUL)


def test_a_locked_key_that_was_changed_opens_for_nobody(ring: Keyring) -> None:
    public = authored(ring, "p")
    path = ring.author_file(SOUL)
    other = "0" * 64
    path.write_bytes(path.read_bytes().replace(public.encode(), other.encode()))
    with pytest.raises(Locked):
        ring.open_author(SOUL, lambda: "p")(TEXT)
