"""A signed answer to a challenge: this being, at this event, vouched for by this key, at this time.

Whoever asked compares the challenge, so an older answer cannot be passed off for a new one. The
signature has a first line of its own: it cannot pass for a head, nor a head for it. Whose key it
is, and whether that counts, is for the reader to ask of the archive.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, dataclass, replace
from hashlib import sha256

from lumen.core.canon import dumps, loads
from lumen.core.data import Signed
from lumen.core.errors import UsageError
from lumen.soul.trust.keys import HEX, is_signed_text

FORMAT = "lumen-attest/1"
LONGEST_CHALLENGE = 1000  # letters
LARGEST = 16_000  # bytes of a statement


@dataclass(frozen=True, slots=True)
class Statement:
    """What a key says of a being: where its chain ends, in answer to what, and when."""

    soul: str
    seq: int
    event_hash: str
    challenge: str
    created: str
    key: str = ""
    signature: str = ""

    @property
    def text(self) -> bytes:
        """The bytes the signature covers; the challenge by its hash, as it may hold anything."""
        asked = sha256(self.challenge.encode()).hexdigest()
        said = (FORMAT, self.soul, str(self.seq), self.event_hash, asked, self.created)
        return "".join(f"{part}\n" for part in said).encode()

    @property
    def line(self) -> bytes:
        """The statement as it is handed over, in its one spelling."""
        return dumps({"format": FORMAT, **asdict(self)})

    @property
    def is_signed(self) -> bool:
        """Whether the signature is that of the key it names."""
        return is_signed_text(self.key, self.text, self.signature)


def signed(statement: Statement, signer: Callable[[bytes], Signed]) -> Statement:
    """The statement under a key's signature."""
    made = signer(statement.text)
    return replace(statement, key=made.key, signature=made.signature)


def must_be_challenge(text: str) -> None:
    """Refuse what nobody could compare.

    Raises:
        UsageError: it is empty, too long, or no text.
    """
    fix = "lumen attest --challenge 'a few words of the one who asks'"
    if not text.strip():
        raise UsageError("the challenge is empty", fix=fix)
    if len(text) > LONGEST_CHALLENGE:
        raise UsageError(f"the challenge is longer than {LONGEST_CHALLENGE:,} letters", fix=fix)
    try:
        text.encode()
    except UnicodeEncodeError:
        raise UsageError("the challenge is not in UTF-8", fix=fix) from None


def statement_from(raw: bytes) -> Statement:
    """Read a statement back; whether it is true is not asked here.

    Raises:
        UsageError: the bytes are no statement.
    """
    try:
        found = loads(raw[: LARGEST + 1])
        if found.pop("format") == FORMAT:
            statement = Statement(**found)
            texts = (statement.event_hash, statement.key, statement.signature)
            said = (*texts, statement.soul, statement.challenge, statement.created)
            spelled = all(isinstance(t, str) for t in said) and isinstance(statement.seq, int)
            if spelled and all(map(HEX.fullmatch, texts)) and statement.line == raw.rstrip(b"\r\n"):
                return statement
    except (ValueError, KeyError, TypeError, AttributeError):
        pass
    raise UsageError("that is no statement of a being", fix="lumen attest --challenge TEXT > FILE")
