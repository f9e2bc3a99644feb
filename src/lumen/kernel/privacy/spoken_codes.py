"""Codes of figures that open something, told in a sentence: "My PIN is 4821", «пин-код от карты 4821».

What they are called is in spoken_codes.toml. A door's or a locker's code is kept: it is told to be asked for.
"""

from __future__ import annotations

import re
import tomllib
from functools import cache
from pathlib import Path
from typing import NamedTuple

_FIGURES = r"(?P<value>[0-9]{4,12}|[0-9]{1,4}(?:[ -][0-9]{1,4}){1,5})(?![0-9]|[.,:/-][0-9])"
_IS = (
    r"(?P<link>[ \t]{0,3}[:=–—-][ \t]{1,3}|:|=|[ \t](?:is|was|ist|war|lautet|это|теперь)"  # noqa: RUF001
    r"(?:[ \t](?:now|still|jetzt|nun|noch|теперь))?:?[ \t]{1,3}|[ \t])"
)
_OF = r"(?P<of>(?:[ \t][\w'’.-]{1,20}){0,4}?)"
_BEFORE = re.compile(r"([\w'’.-]{1,20})[ \t]\Z")
_ENDS = re.compile(r"[\"'“”»]?(?:[.,;!?)]|\s*\Z|\s*\n)")
_NEXT = re.compile(r"[ \t-]{0,2}(\w{1,20})")
_REACH = 22
_FEWEST = 4  # figures


class _Codes(NamedTuple):
    """What the table makes: patterns, and how words end or begin beside figures that are no code."""

    told: re.Pattern[str]
    turned: re.Pattern[str]  # "4821 is my PIN"
    owner: re.Pattern[str]
    owned: re.Pattern[str]  # by whose it is, or by what it opens
    places: tuple[str, ...]
    counted: tuple[str, ...]


def code_spans(text: str) -> list[tuple[int, int]]:
    """Where figures stand that are somebody's code by the words around them."""
    codes = _codes()
    spans = [found.span("value") for found in codes.told.finditer(text) if _is_told(text, found)]
    return spans + [
        found.span("value") for found in codes.turned.finditer(text) if _is_code(found["value"])
    ]


@cache
def _codes() -> _Codes:
    raw = tomllib.loads(Path(__file__).with_suffix(".toml").read_text("utf-8"))
    names, owner, opens = ("|".join(raw[key]) for key in ("names", "owners", "opens"))
    name = rf"(?<![\w-])(?P<name>{names})(?![\w-])"
    return _Codes(
        re.compile(rf"{name}{_OF}{_IS}[\"'«„“]?{_FIGURES}", re.IGNORECASE),
        re.compile(
            rf"(?<![\w.,:/-]){_FIGURES}[ \t](?:is|was|ist|war|это|[—–-])[ \t]"  # noqa: RUF001
            rf"(?:the|die|der|{owner})[ \t](?:\w{{1,20}}[ \t])?{name}",
            re.IGNORECASE,
        ),
        re.compile(rf"(?:{owner})\Z"),
        re.compile(rf"(?:{owner}|{opens})\Z"),
        tuple(raw["places"]),
        tuple(raw["counted"]),
    )


def _is_told(text: str, found: re.Match[str]) -> bool:
    """Whether the figures are the code that was named, and somebody's."""
    codes = _codes()
    before = _BEFORE.search(text[max(0, found.start() - _REACH) : found.start()])
    owner = before[1].lower() if before else ""
    if owner.endswith(codes.places) or not _is_code(found["value"]):
        return False
    following = _NEXT.match(text, found.end())
    if following and following[1].lower().startswith(codes.counted):
        return False
    of = found["of"].lower().split()
    if of and not any(map(codes.owned.match, of)):
        return False  # of a town, perhaps
    if found["link"].strip():
        return True
    owned = bool(of) or bool(codes.owner.match(owner)) or not found["name"].isascii()
    return owned and _ENDS.match(text, found.end()) is not None


def _is_code(value: str) -> bool:
    return sum(char.isdigit() for char in value) >= _FEWEST
