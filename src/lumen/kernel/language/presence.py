"""When an opening with one's own position fits a message, and what such words must not do.

The patterns stand in lexicon/presence.toml; what follows from them is decided in steps/p2_presence.py.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from functools import cache
from typing import Any

from lumen.kernel.language.lexicon import FOLDER, LANGUAGES, lexicon
from lumen.kernel.language.reading import plainly, stems

ASKED = ("judgement", "plan", "explanation")  # what a position may open
SAID_AGAIN = 0.7  # so much of a request in an opening is the request again


@cache
def _told() -> Mapping[str, Any]:
    return tomllib.loads((FOLDER / "presence.toml").read_text("utf-8"))


@cache
def _pattern(name: str) -> re.Pattern[str]:
    each = "|".join(f"(?:{_told()[language][name]})" for language in LANGUAGES)
    return re.compile(rf"(?<![\w'])(?:{each})(?![\w'])")


def asked_of(text: str) -> str:
    """What of these a text asks for: judgement, a plan, an explanation; empty: none of them."""
    plain = plainly(text)
    return next((name for name in ASKED if _pattern(name).search(plain)), "")


def is_opening(text: str, message: str) -> bool:
    """Whether a paragraph is an opening of its own: not the request again, no word of any prompt."""
    if _pattern("prompt").search(plainly(text)):
        return False
    asked, said = stems(message), stems(text)
    again = len(asked & said) >= SAID_AGAIN * len(asked) and len(said) <= 2 * len(asked)
    return not (asked and again)


def addresses(text: str, name: str) -> bool:
    """Whether a text speaks to somebody: in the second person, or by the name it begins with."""
    vocative = bool(name) and plainly(text).startswith(f"{name.lower()},")
    return vocative or lexicon().has("second_person", text)
