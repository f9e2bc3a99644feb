"""Who made a backup: the signature under its manifest, and whether that is one that counts.

The manifest names every file by its hash, so one signature stands for all of them: settings and
skills, which no chain covers, among them. Whether the archive inside is true is for verify.py.
"""

from __future__ import annotations

from lumen.core.data import Signed
from lumen.core.errors import Damaged
from lumen.soul.backup.bundle import Manifest
from lumen.soul.checking.verify import Report
from lumen.soul.trust.keys import Keyring, is_signed_text

UNSIGNED = "unsigned backup: nothing shows who made it"
NOBODY = Signed("", "")


def sign(manifest: Manifest, keyring: Keyring) -> Signed:
    """The word of this host's key for what a backup holds; nobody's where it has no key."""
    if not keyring.has_key(manifest.soul):
        return NOBODY
    return keyring.host_sign(manifest.soul, manifest.statement)


def doubt(manifest: Manifest, signed: Signed | None, report: Report, keyring: Keyring) -> str:
    """Why it is not known who made a backup; empty when a key that counts has signed it."""
    if signed is None or signed == NOBODY:
        return UNSIGNED
    if not report.signed:
        return "no head in its archive is signed by a key that counts"
    if not is_signed_text(signed.key, manifest.statement, signed.signature):
        return "its manifest is not what its key signed: the backup was changed, or is forged"
    if signed.key == report.key or signed.key == _own(manifest.soul, keyring):
        return ""
    return f"it is signed by the key {signed.key[:16]}, for which nothing in its archive vouches"


def _own(soul: str, keyring: Keyring) -> str:
    try:
        return keyring.host_public(soul) if keyring.has_key(soul) else ""
    except Damaged:
        return ""
