"""Events that carry a signature: the word of a key, bound to its one place in the chain.

The signature covers soul, number, parent and everything the event says, so it cannot be forged,
moved or said again. Whose word counts is for vouching.py to say.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from hashlib import sha256

from lumen.core.data import Placed, Signer
from lumen.soul.archive.line import Body, Tail, content_at, line, opening
from lumen.soul.trust.keys import is_signed_text

# It stands at the very end, so that what is signed is the stored bytes before it.
SIGNED = re.compile(rb',"signed":\{"key":"([0-9a-f]{64})","signature":"([0-9a-f]{128})"\}\}\}')
LENGTH = len(',"signed":{"key":"","signature":""}}}') + 64 + 128


def event_text(soul: str, seq: int, parent_hash: str, said: bytes) -> bytes:
    """The bytes a signature in an event covers; `said` is the content up to the signature."""
    return f"lumen-event/1\n{soul}\n{seq}\n{parent_hash}\n{sha256(said).hexdigest()}\n".encode()


def sign(part: Body, soul: str, seq: int, parent_hash: str, signer: Signer) -> Body:
    """An event about to be placed, with a signature at the end of its payload.

    The payload must say something besides: a comma goes before it.
    """
    said = part.content[:-2]
    signed = signer(event_text(soul, seq, parent_hash, said))
    more = f',"signed":{{"key":"{signed.key}","signature":"{signed.signature}"}}}}}}'
    content = said + more.encode()
    content_hash = sha256(content).hexdigest().encode()
    return Body(part.id, b'%b%b"' % (part.header[:-65], content_hash), content)


def linked(bodies: Sequence[Body], end: Tail, signer: Signer | None) -> tuple[list[Placed], bytes]:
    """Events linked to the end of a chain, and their bytes; the last carries the signature."""
    placed: list[Placed] = []
    lines: list[bytes] = []
    parent, seq = end.event_hash, end.seq
    for number, part in enumerate(bodies, 1):
        seq += 1
        last = signer if number == len(bodies) else None
        whole = sign(part, end.soul, seq, parent, last) if last else part
        parent, raw = line(whole, parent, seq, end.soul, end.timestamp)
        lines.append(raw)
        placed.append(Placed(seq, parent, part.id, end.timestamp, end.soul))
    return placed, b"".join(lines)


def signer_of(raw: bytes) -> str:
    """The key whose signature a line carries; empty when it carries none, or one that is not so."""
    found = SIGNED.fullmatch(raw[:-1], max(0, len(raw) - 1 - LENGTH))
    if not found:
        return ""
    parent, seq, soul, _ = opening(raw)
    said = raw[content_at(raw) : found.start()]
    key, signature = found[1].decode(), found[2].decode()
    text = event_text(soul.decode("ascii", "replace"), seq, parent.decode("ascii", "replace"), said)
    return key if is_signed_text(key, text, signature) else ""


def claims_signature(raw: bytes) -> bool:
    """Whether a line ends as one that carries a signature does."""
    return bool(SIGNED.fullmatch(raw[:-1], max(0, len(raw) - 1 - LENGTH)))
