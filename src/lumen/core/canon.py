"""Canonical JSON and text: one value has one spelling in bytes.

Text from outside may hold lone surrogates or control characters; `clean` makes it storable
without losing a readable character. Nothing here decides what is shown on a terminal except
`printable`, which takes escapes out, and `printable_json`, which spells them out.
"""

from __future__ import annotations

import hashlib
import re
import unicodedata
from typing import Any

import orjson

JSON = Any  # a value that came out of, or goes into, JSON

_SURROGATE = re.compile("[\ud800-\udfff]")
_ESCAPES = re.compile(
    r"\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)?"  # OSC: title, clipboard, links
    r"|\x1b[PX^_].*?(?:\x1b\\|$)"  # DCS, SOS, PM, APC
    r"|\x1b\[[0-?]*[ -/]*[@-~]?"  # CSI: colour, cursor, erase
    r"|\x1b.?"
    r"|\x9b[0-?]*[ -/]*[@-~]?",
    re.DOTALL,
)
_REORDERING = (*range(0x202A, 0x202F), *range(0x2066, 0x206A), 0x200E, 0x200F, 0x061C)
_BIDI = dict.fromkeys(_REORDERING)
# What JSON may hold as it is, and what would steer a terminal that shows it.
_SPELLED_OUT = {code: f"\\u{code:04x}" for code in (*range(0x7F, 0xA0), *_REORDERING)}


def dumps(value: JSON) -> bytes:
    """Compact JSON in the order given; UTF-8; no NaN."""
    return orjson.dumps(value)


def loads(data: bytes | str) -> JSON:
    """The value a JSON text spells."""
    return orjson.loads(data)


def sha256(data: bytes) -> str:
    """The SHA-256 of some bytes, in hex."""
    return hashlib.sha256(data).hexdigest()


def clean(text: str) -> str:
    """Text that UTF-8 can hold, composed (NFC), with one kind of line end; nothing readable is lost.

    A lone surrogate becomes U+FFFD and NUL its picture, as neither survives a round trip.
    """
    if text.isascii() and "\r" not in text and "\0" not in text:
        return text
    whole = text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    whole = _SURROGATE.sub("\ufffd", whole).replace("\0", "\u2400")
    return unicodedata.normalize("NFC", whole.replace("\r\n", "\n").replace("\r", "\n"))


def printable_json(value: JSON) -> str:
    """The same JSON, with what could move the cursor or reorder a line spelled out in it."""
    return dumps(value).decode().translate(_SPELLED_OUT)


def printable(text: str) -> str:
    """Text that cannot move the cursor, recolour or retitle a terminal, or reorder a line."""
    plain = _ESCAPES.sub("", text).translate(_BIDI)
    return "".join(c for c in plain if c in "\n\t" or unicodedata.category(c) != "Cc")
