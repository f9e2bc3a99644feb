"""A backup that was changed, or made before they were signed: `forge.py changed|old FROM TO`."""

from __future__ import annotations

import gzip
import io
import sys
import tarfile
from hashlib import sha256
from pathlib import Path

SKILL = "skills/chat/main.py"


def changed(tar: bytes) -> bytes:
    """Another skill under the same name, and a manifest that says so."""
    with tarfile.open(fileobj=io.BytesIO(tar)) as opened:
        member = opened.extractfile(SKILL)
        assert member is not None
        was = member.read()
    now = was[:-2] + b"#\n"
    tar = tar.replace(was, now)
    return tar.replace(sha256(was).hexdigest().encode(), sha256(now).hexdigest().encode())


def old(tar: bytes) -> bytes:
    """As Lumen 0.4 made them: without a signature."""
    at = tar.index(b"signature.json".ljust(100, b"\0"))
    return (tar[:at] + tar[at + 1024 :]).replace(b"lumen-backup/2", b"lumen-backup/1", 1)


def sealed(packed: bytes) -> bytes:
    """A gzip'd tar and its seal."""
    extra = b"LU" + (32).to_bytes(2, "little") + sha256(packed).digest()
    start = bytes.fromhex("1f8b080400000000") + b"\x00\xff" + len(extra).to_bytes(2, "little")
    return packed + start + extra + b"\x03\x00" + bytes(8)


if __name__ == "__main__":
    how, source, target = sys.argv[1:]
    tar = gzip.decompress(Path(source).read_bytes())
    made = {"changed": changed, "old": old}[how](tar)
    Path(target).write_bytes(sealed(gzip.compress(made)))
