"""A private key under a passphrase: scrypt makes a key of it, AES-GCM seals the secret with that.

Where the sealed key is kept, and who asks for the passphrase, is for keys.py and the caller to say.
"""

from __future__ import annotations

import os

from lumen.core.canon import dumps, loads
from lumen.core.errors import Damaged, Locked

FORMAT = "lumen-key/1"
COST = 1 << 15  # scrypt's n: a tenth of a second and 32 MiB a guess


def seal(secret: bytes, public: str, passphrase: str) -> bytes:
    """A secret that only whoever knows the passphrase can read; its public half stays readable."""
    from cryptography.hazmat.primitives.ciphers.aead import AESGCM

    salt, nonce = os.urandom(16), os.urandom(12)
    sealed = AESGCM(_stretched(passphrase, salt, COST)).encrypt(nonce, secret, public.encode())
    return dumps(
        {
            "format": FORMAT,
            "public": public,
            "n": COST,
            "salt": salt.hex(),
            "nonce": nonce.hex(),
            "sealed": sealed.hex(),
        }
    )


def is_sealed(written: bytes) -> bool:
    """Whether a key file holds a sealed key; a plain one is hex digits."""
    return written.startswith(b"{")


def public_of(written: bytes) -> str:
    """The public half that a sealed key tells of itself."""
    return str(_parts(written)["public"])


def unseal(written: bytes, passphrase: str) -> bytes:
    """The secret of a sealed key.

    Raises:
        Locked: it is not the passphrase, or the file was changed.
    """
    from cryptography.exceptions import InvalidTag
    from cryptography.hazmat.primitives.ciphers.aead import AESGCM

    found = _parts(written)
    salt, nonce, sealed = (bytes.fromhex(str(found[k])) for k in ("salt", "nonce", "sealed"))
    key = AESGCM(_stretched(passphrase, salt, int(str(found["n"]))))
    try:
        return key.decrypt(nonce, sealed, str(found["public"]).encode())
    except InvalidTag:
        raise Locked(
            "that is not the passphrase of the author's key",
            fix="try it again; a key whose passphrase is lost is replaced: lumen keys new says how",
        ) from None


def _parts(written: bytes) -> dict[str, object]:
    try:
        found = loads(written)
        shaped = found["format"] == FORMAT and 1 < found["n"] <= COST << 5
        lengths = [len(bytes.fromhex(found[k])) for k in ("public", "salt", "nonce", "sealed")]
        if shaped and lengths == [32, 16, 12, 48]:
            return dict(found)
    except (ValueError, KeyError, TypeError):
        pass
    raise Damaged(
        "the author's key is not a key", fix="restore its file, or make another: lumen keys new"
    )


def _stretched(passphrase: str, salt: bytes, cost: int) -> bytes:
    from cryptography.hazmat.primitives.kdf.scrypt import Scrypt

    return Scrypt(salt=salt, length=32, n=cost, r=8, p=1).derive(passphrase.encode())
