"""Made-up tokens of documented formats: random by seed, so that none was ever given out."""

from __future__ import annotations

import re
import string
import tomllib
from pathlib import Path
from random import Random as Random  # noqa: TID251  the seed is the argument

DATA = Path(__file__).with_name("redaction")
_DIGITS, _LOWER, _UPPER = string.digits, string.ascii_lowercase, string.ascii_uppercase
ALPHABETS = {
    "digit": _DIGITS,
    "hex": _DIGITS + "abcdef",
    "HEX": _DIGITS + "ABCDEF",
    "lower": _DIGITS + _LOWER,
    "upper": _DIGITS + _UPPER,
    "alnum": _DIGITS + _LOWER + _UPPER,
    "word": _DIGITS + _LOWER + _UPPER + "_-",
    "base64": _DIGITS + _LOWER + _UPPER + "+/",
    "base32": _UPPER + "234567",
    "alpha": _LOWER + _UPPER,
    "base34": "123456789abcdefghijkmnopqrstuvwxyz",
    "base57": "23456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz",
    "base58": "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz",
    "bech": "qpzry9x8gf2tvdw0s3jn54khce6mua7l",
    "BECH": "QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L",
}
_PART = re.compile(r"\{(?:(uuid)|(\w+):(\d+))\}")


def seeded(seed: int | str) -> Random:
    """Chance that repeats."""
    return Random(seed)  # noqa: S311  no key is made here


def filled(form: str, random: Random) -> str:
    """A form with each `{alphabet:length}` replaced by that many characters of it."""

    def part(found: re.Match[str]) -> str:
        if found[1]:
            return uuid(random)
        return "".join(random.choices(ALPHABETS[found[2]], k=int(found[3])))

    return _PART.sub(part, form)


def uuid(random: Random) -> str:
    """A made-up UUID of version 4."""
    digits = "".join(random.choices(ALPHABETS["hex"], k=32))
    return f"{digits[:8]}-{digits[8:12]}-4{digits[13:16]}-a{digits[17:20]}-{digits[20:]}"


def forms(group: str) -> dict[str, str]:
    """The documented formats of a group, by name."""
    raw = tomllib.loads((DATA / "formats.toml").read_text("utf-8"))[group]
    return {name: str(e["form"] if isinstance(e, dict) else e) for name, e in raw.items()}


def sources() -> dict[str, str]:
    """Where each of the further formats is written down by who issues it, by name."""
    held = tomllib.loads((DATA / "formats.toml").read_text("utf-8"))["held"]
    return {name: str(entry["source"]) for name, entry in held.items()}


def with_zero_width(token: str, random: Random) -> str:
    """The token with characters inside that nobody sees."""
    unseen = "\u200b\u200c\u200d\u2060\ufeff\u00ad\u200e\u202d\ufe0f\u034f"
    return "".join(c + (random.choice(unseen) if i % 3 == 1 else "") for i, c in enumerate(token))


def in_full_width(token: str, random: Random) -> str:
    """The token with some of its characters in their wide form."""
    return "".join(
        chr(ord(c) + 0xFEE0) if "!" <= c <= "~" and random.random() < 0.4 else c for c in token
    )
