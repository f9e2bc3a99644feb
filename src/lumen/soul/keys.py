"""The being's signing key and the witness: kept outside the being, readable by its owner alone.

A chain of hashes cannot show that its end was cut off or that all of it was written anew. A
signed head shows the second, the witness (the highest head this host has seen) the first.
Passphrases and approvals are not here yet.
"""

from __future__ import annotations

import fcntl
import os
from dataclasses import dataclass
from pathlib import Path

from lumen.core.canon import dumps, loads
from lumen.core.data import Head
from lumen.core.errors import Damaged


@dataclass(frozen=True, slots=True)
class Keyring:
    """A folder outside every being: keys/<soul>.key and witness/<soul>.json."""

    folder: Path

    def key_file(self, soul: str) -> Path:
        """Where the private key of a soul is kept."""
        return self.folder / "keys" / f"{soul}.key"

    def witness_file(self, soul: str) -> Path:
        """Where the highest head seen on this host is kept."""
        return self.folder / "witness" / f"{soul}.json"

    def has_key(self, soul: str) -> bool:
        """Whether this host can sign for the soul."""
        return self.key_file(soul).exists()

    def create(self, soul: str) -> str:
        """Make a key for a soul and return its public half in hex."""
        from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

        path = self.key_file(soul)
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        secret = Ed25519PrivateKey.generate()
        _write_private(path, secret.private_bytes_raw().hex().encode())
        return secret.public_key().public_bytes_raw().hex()

    def sign(self, soul: str, seq: int, event_hash: str) -> Head:
        """State, with this host's key, that the chain has this hash at this event."""
        from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

        try:
            secret = Ed25519PrivateKey.from_private_bytes(
                bytes.fromhex(self.key_file(soul).read_text())
            )
        except ValueError as error:
            raise Damaged(
                f"the key {self.key_file(soul)} is not a key",
                fix="restore it from a backup, or move it away: a new one will be made and said so",
            ) from error
        public = secret.public_key().public_bytes_raw().hex()
        signature = secret.sign(head_text(soul, seq, event_hash)).hex()
        return Head(soul, seq, event_hash, public, signature)

    def witness(self, soul: str) -> Head | None:
        """The highest head this host has seen, or nothing on a host that never wrote."""
        path = self.witness_file(soul)
        if not path.exists():
            return None
        return head_from(path.read_bytes(), path)

    def remember(self, head: Head) -> None:
        """Raise the witness; it never goes down."""
        path = self.witness_file(head.soul)
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        with path.with_suffix(".lock").open("ab") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            seen = self.witness(head.soul)
            if seen is None or seen.seq < head.seq:
                fresh = path.with_suffix(".new")
                _write_private(fresh, head_line(head))
                fresh.replace(path)


def head_text(soul: str, seq: int, event_hash: str) -> bytes:
    """The bytes a head's signature covers."""
    return f"lumen-head/1\n{soul}\n{seq}\n{event_hash}\n".encode()


def head_line(head: Head) -> bytes:
    """A head as it stands in heads.jsonl."""
    said = {
        "soul": head.soul,
        "seq": head.seq,
        "event_hash": head.event_hash,
        "key": head.key,
        "signature": head.signature,
    }
    return dumps(said) + b"\n"


def head_from(raw: bytes, path: Path) -> Head:
    """Read a head back.

    Raises:
        Damaged: the bytes are not a head in its one spelling.
    """
    try:
        found = loads(raw)
        head = Head(
            found["soul"], found["seq"], found["event_hash"], found["key"], found["signature"]
        )
        if head_line(head) == raw:
            return head
    except (ValueError, KeyError, TypeError):
        pass
    raise Damaged(f"{path} holds a line that is not a signed head", fix="lumen archive verify")


def is_signed(head: Head) -> bool:
    """Whether the signature is the key's own. Whose key it is, is for the caller to know."""
    from cryptography.exceptions import InvalidSignature
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

    try:
        public = Ed25519PublicKey.from_public_bytes(bytes.fromhex(head.key))
        public.verify(
            bytes.fromhex(head.signature), head_text(head.soul, head.seq, head.event_hash)
        )
    except (InvalidSignature, ValueError):
        return False
    return True


def _write_private(path: Path, data: bytes) -> None:
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    with os.fdopen(descriptor, "wb") as file:
        file.write(data)
        file.flush()
        os.fsync(file.fileno())
