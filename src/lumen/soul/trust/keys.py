"""A being's two keys and the witness: kept outside the being, readable by their owner alone.

The host's key signs heads, unattended. The author's key signs what only the author may do
(erasures, approvals, vouching); it is read when a command of the author's needs it, and may be
under a passphrase. A chain of hashes cannot show that its end was cut off or that all of it was
written anew: a signed head shows the second, the witness (the highest head this host has seen)
the first. Whose word counts for what is for trust.py to say.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Container, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from hashlib import blake2b
from pathlib import Path

from lumen.core.canon import JSON, dumps, loads
from lumen.core.data import Entry, Head, Signed, kernel_entry
from lumen.core.durable import save
from lumen.core.errors import Damaged
from lumen.soul.archive.disk import refusal, take
from lumen.soul.archive.mark import Mark, is_unkeyed, read_mark
from lumen.soul.trust.passphrase import is_sealed, public_of, seal, unseal

HEX = re.compile(r"[0-9a-f]*")
SECRET = 32  # bytes of a private key
MARK_KEY = b"lumen-mark-key/1"


@dataclass(frozen=True, slots=True)
class Keyring:
    """A folder outside every being: keys/, author/ and witness/, a file a soul in each."""

    folder: Path

    def folders(self) -> tuple[Path, ...]:
        """Where keys, witnesses and what was accepted are kept: nobody else's business."""
        home = self.folder.resolve()
        return tuple(home / name for name in ("keys", "author", "witness", "accepted"))

    def key_file(self, soul: str) -> Path:
        """Where the private key of a soul is kept."""
        return self.folder / "keys" / f"{soul}.key"

    def witness_file(self, soul: str) -> Path:
        """Where the highest head seen on this host is kept."""
        return self.folder / "witness" / f"{soul}.json"

    def has_key(self, soul: str) -> bool:
        """Whether this host can sign for the soul."""
        return self.key_file(soul).exists()

    def author_file(self, soul: str) -> Path:
        """Where the author's private key for a soul is kept."""
        return self.folder / "author" / f"{soul}.key"

    def has_author_key(self, soul: str) -> bool:
        """Whether the author's key is on this host."""
        return self.author_file(soul).exists()

    def create(self, soul: str) -> str:
        """Make this host's key for a soul, set it aside and return its public half in hex.

        It signs once it is adopted: by then the archive must name it, or nobody would know it.
        """
        return _set_aside(self.key_file(soul))

    def adopt(self, soul: str) -> None:
        """Sign heads with the key made last, from here on."""
        _put_in_use(self.key_file(soul))

    def introduce(self, soul: str) -> Entry:
        """Make a key for a host that has none, and the event that names it."""
        said = "This host had no key for the being: a new one signs from here on, unvouched."
        payload: dict[str, JSON] = {"public_key": self.create(soul), "role": "host"}
        return kernel_entry("key_added", said, "lumen:kernel", payload)

    def retire(self, soul: str) -> Path:
        """Set this host's key aside, so that another is made before anything more is signed."""
        path = self.key_file(soul)
        aside = path.with_name(f"{soul}.{self.host_public(soul)[:16]}.retired")
        with _at(path):
            path.replace(aside)
        return aside

    def create_author(self, soul: str, passphrase: str = "") -> str:
        """Make an author's key, set it aside and return its public half in hex."""
        return _set_aside(self.author_file(soul), passphrase)

    def adopt_author(self, soul: str) -> None:
        """Sign as the author with the key made last, from here on."""
        _put_in_use(self.author_file(soul))

    def host_public(self, soul: str) -> str:
        """The public half of this host's key."""
        return _signature(_plain(self.key_file(soul)), b"").key

    def author_public(self, soul: str) -> str:
        """The public half of the author's key; no passphrase is needed for that."""
        path = self.author_file(soul)
        written = _read(path)
        return public_of(written) if is_sealed(written) else _signature(_plain(path), b"").key

    def author_is_locked(self, soul: str) -> bool:
        """Whether the author's key is under a passphrase."""
        return is_sealed(_read(self.author_file(soul)))

    def host_sign(self, soul: str, text: bytes) -> Signed:
        """Sign with this host's key; the text's first line says what it is for."""
        return _signature(_plain(self.key_file(soul)), text)

    def open_author(self, soul: str, ask: Callable[[], str]) -> Callable[[bytes], Signed]:
        """The author's key, open: it signs whatever it is given, and asks for nothing any more.

        `ask` gives the passphrase and is called only if the key is under one.

        Raises:
            Locked: what `ask` gave is not the passphrase.
        """
        return partial(_signature, self._author_secret(soul, ask))

    def set_passphrase(self, soul: str, old: str, new: str) -> None:
        """Put the author's key under another passphrase, or with none in the open.

        Raises:
            Locked: `old` is not the passphrase it is under.
        """
        path = self.author_file(soul)
        _keep(path, self._author_secret(soul, lambda: old), new)
        _put_in_use(path)

    def _author_secret(self, soul: str, ask: Callable[[], str]) -> bytes:
        path = self.author_file(soul)
        written = _read(path)
        return unseal(written, ask()) if is_sealed(written) else _plain(path)

    def sign(self, soul: str, seq: int, event_hash: str) -> Head:
        """State, with this host's key, that the chain has this hash at this event."""
        return Head(soul, seq, event_hash, *self.host_sign(soul, head_text(soul, seq, event_hash)))

    def witness(self, soul: str) -> Head | None:
        """The highest head this host has seen, or nothing on a host that never wrote.

        Raises:
            Damaged: the witness is not a head, or not one of this soul that its key signed.
        """
        path = self.witness_file(soul)
        with _at(path):
            head = head_from(path.read_bytes(), path) if path.exists() else None
        if head and not (head.soul == soul and is_signed(head)):
            raise Damaged(
                f"the witness {path} was forged or edited: its key did not sign it",
                fix="find out who changed it, then move it away: the next signature makes another",
            )
        return head

    def is_ours(self, head: Head, named: Container[str]) -> bool:
        """Whether a head's key is one the archive names, or the one this host signs with.

        The second when the event that named it was cut off: then the head says just that.
        """
        return head.key in named or (
            self.has_key(head.soul) and self.host_public(head.soul) == head.key
        )

    def mark_file(self, soul: str) -> Path:
        """Where this host keeps up to which line it wrote the archive of a soul."""
        return self.folder / "witness" / f"{soul}.tail"

    def mark(self, soul: str) -> Mark | None:
        """Up to which line this host wrote the archive; nothing where it never did, or has no key.

        Raises:
            Damaged: somebody else wrote the mark.
        """
        key = self.mark_key(soul)
        try:
            return read_mark(self.mark_file(soul), key) if key else None
        except Damaged:
            if self.has_key(soul):
                raise
            return None  # made with a key that is gone, before the new one was in use

    def mark_is_unkeyed(self, soul: str) -> bool:
        """Whether the mark is one of old, from before this host's key made them."""
        return is_unkeyed(self.mark_file(soul))

    def mark_key(self, soul: str) -> bytes:
        """What marks are made with: from this host's key, in use or just set aside; empty: none."""
        path = self.key_file(soul)
        path = path if path.exists() else path.with_suffix(".new")
        if not path.exists():
            return b""
        return blake2b(_plain(path), digest_size=32, person=MARK_KEY).digest()

    def accepted_file(self, soul: str) -> Path:
        """Where the keys are kept that the owner of this host vouches for."""
        return self.folder / "accepted" / f"{soul}.json"

    def accepted(self, soul: str) -> frozenset[str]:
        """Keys that nobody of the archive vouches for and the owner of this host does.

        Raises:
            Damaged: what is kept of it cannot be read.
        """
        path = self.accepted_file(soul)
        with _at(path):
            raw = path.read_bytes() if path.exists() else b"[]"
        try:
            return frozenset(map(str, list(loads(raw))))
        except (ValueError, TypeError) as error:
            raise Damaged(f"{path} is not a list of keys", fix="move it away") from error

    def accept(self, soul: str, key: str) -> None:
        """Keep, outside the being, that the owner of this host vouches for a key."""
        path = self.accepted_file(soul)
        _lay_beside(path, dumps(sorted(self.accepted(soul) | {key})))
        _put_in_use(path)

    def remember(self, head: Head, *, even_lower: bool = False) -> None:
        """Raise the witness; it goes down only when the author has accepted a rollback."""
        path = self.witness_file(head.soul)
        with _at(path):
            path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            with path.with_suffix(".lock").open("ab") as lock:
                take(lock.fileno())
                seen = self.witness(head.soul)
                if even_lower or seen is None or seen.seq < head.seq:
                    _lay_beside(path, head_line(head))
                    _put_in_use(path)


def head_text(soul: str, seq: int, event_hash: str) -> bytes:
    """The bytes a head's signature covers."""
    return f"lumen-head/1\n{soul}\n{seq}\n{event_hash}\n".encode()


def head_line(head: Head) -> bytes:
    """A head as it stands in heads.jsonl."""
    return dumps(head) + b"\n"  # its fields, in their order


def head_from(raw: bytes, path: Path) -> Head:
    """Read a head back.

    Raises:
        Damaged: the bytes are not a head in its one spelling.
    """
    try:
        head = Head(**loads(raw))
        texts = (head.soul, head.event_hash, head.key, head.signature)
        spelled = all(isinstance(t, str) for t in texts) and isinstance(head.seq, int)
        if spelled and all(map(HEX.fullmatch, texts[1:])) and head_line(head) == raw:
            return head
    except (ValueError, TypeError):
        pass
    raise Damaged(
        f"{path} holds a line that is not a signed head",
        fix=f"find out who changed it; without {path.name} the being still works",
    )


def is_signed(head: Head) -> bool:
    """Whether the signature is the key's own. Whose key it is, is for the caller to know."""
    return is_signed_text(head.key, head_text(head.soul, head.seq, head.event_hash), head.signature)


def is_signed_text(key: str, text: bytes, signature: str) -> bool:
    """Whether a signature over some bytes is that of a key, both in hex."""
    from cryptography.exceptions import InvalidSignature
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

    try:
        public = Ed25519PublicKey.from_public_bytes(bytes.fromhex(key))
        public.verify(bytes.fromhex(signature), text)
    except (InvalidSignature, ValueError):
        return False
    return True


def _set_aside(path: Path, passphrase: str = "") -> str:
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

    secret = Ed25519PrivateKey.generate()
    _keep(path, secret.private_bytes_raw(), passphrase)
    return secret.public_key().public_bytes_raw().hex()


def _keep(path: Path, secret: bytes, passphrase: str) -> None:
    """Write a key beside where it is to be used, for its owner's eyes only."""
    said = secret.hex().encode()
    sealed = seal(secret, _signature(secret, b"").key, passphrase) if passphrase else said
    _lay_beside(path, sealed)


def _lay_beside(path: Path, data: bytes) -> None:
    fresh = path.with_suffix(".new")
    with _at(path):
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        fresh.unlink(missing_ok=True)  # one left behind may be anybody's to read
        save(fresh, data, mode=0o600)


def _put_in_use(path: Path) -> None:
    with _at(path):
        path.with_suffix(".new").replace(path)


def _read(path: Path) -> bytes:
    with _at(path):
        return path.read_bytes()


def _plain(path: Path) -> bytes:
    written = _read(path)
    try:
        secret = bytes.fromhex(written.decode("ascii"))
        if len(secret) == SECRET:
            return secret
    except ValueError:
        pass
    raise Damaged(
        f"the key {path} is not a key",
        fix="restore it from a backup, or move it away: a new one will be made and said so",
    )


def _signature(secret: bytes, text: bytes) -> Signed:
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

    key = Ed25519PrivateKey.from_private_bytes(secret)
    return Signed(key.public_key().public_bytes_raw().hex(), key.sign(text).hex())


@contextmanager
def _at(path: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise refusal(error, path) from error
