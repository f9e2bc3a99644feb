"""The being's signing key and the witness: kept outside the being, readable by its owner alone.

A chain of hashes cannot show that its end was cut off or that all of it was written anew. A
signed head shows the second, the witness (the highest head this host has seen) the first.
Passphrases and approvals are not here yet.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from lumen.core.canon import dumps, loads
from lumen.core.data import Head
from lumen.core.errors import Damaged
from lumen.soul.disk import refusal, save, take

HEX = re.compile(r"[0-9a-f]*")


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
        """Make a key for a soul, set it aside and return its public half in hex.

        It signs once it is adopted: by then the archive must name it, or nobody would know it.
        """
        from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

        path = self.key_file(soul)
        secret = Ed25519PrivateKey.generate()
        with _at(path):
            path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            save(path.with_suffix(".new"), secret.private_bytes_raw().hex().encode(), mode=0o600)
        return secret.public_key().public_bytes_raw().hex()

    def adopt(self, soul: str) -> None:
        """Sign with the key made last, from here on."""
        path = self.key_file(soul)
        with _at(path):
            path.with_suffix(".new").replace(path)

    def sign(self, soul: str, seq: int, event_hash: str) -> Head:
        """State, with this host's key, that the chain has this hash at this event."""
        from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

        path = self.key_file(soul)
        with _at(path):
            written = path.read_bytes()
        try:
            secret = Ed25519PrivateKey.from_private_bytes(bytes.fromhex(written.decode()))
        except ValueError as error:
            raise Damaged(
                f"the key {path} is not a key",
                fix="restore it from a backup, or move it away: a new one will be made and said so",
            ) from error
        public = secret.public_key().public_bytes_raw().hex()
        signature = secret.sign(head_text(soul, seq, event_hash)).hex()
        return Head(soul, seq, event_hash, public, signature)

    def witness(self, soul: str) -> Head | None:
        """The highest head this host has seen, or nothing on a host that never wrote.

        Raises:
            Damaged: the witness is not a head.
        """
        path = self.witness_file(soul)
        with _at(path):
            return head_from(path.read_bytes(), path) if path.exists() else None

    def remember(self, head: Head, *, even_lower: bool = False) -> None:
        """Raise the witness; it goes down only when the author has accepted a rollback."""
        path = self.witness_file(head.soul)
        with _at(path):
            path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            with path.with_suffix(".lock").open("ab") as lock:
                take(lock.fileno())
                seen = self.witness(head.soul)
                if even_lower or seen is None or seen.seq < head.seq:
                    fresh = path.with_suffix(".new")
                    save(fresh, head_line(head), mode=0o600)
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
        texts = (head.soul, head.event_hash, head.key, head.signature)
        spelled = all(isinstance(t, str) for t in texts) and isinstance(head.seq, int)
        if spelled and all(map(HEX.fullmatch, texts[1:])) and head_line(head) == raw:
            return head
    except (ValueError, KeyError, TypeError):
        pass
    raise Damaged(
        f"{path} holds a line that is not a signed head",
        fix=f"find out who changed it; without {path.name} the being still works",
    )


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


@contextmanager
def _at(path: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise refusal(error, path) from error
