"""Numbers and moments in words, wherever a result tells of them."""

from __future__ import annotations

from datetime import datetime
from zoneinfo import ZoneInfo

from lumen.core.clock import parse_stamp


def counted(number: int, noun: str) -> str:
    """How many there are: 1 event, 2,345 events."""
    plural = f"{noun[:-1]}ies" if noun[-2:-1] not in "ao" and noun.endswith("y") else f"{noun}s"
    return f"{number:,} {noun if number == 1 else plural}"


def local(timestamp: str, zone: ZoneInfo) -> datetime:
    """A stamp in the author's zone."""
    return parse_stamp(timestamp).astimezone(zone)


def short_time(timestamp: str, zone: ZoneInfo) -> str:
    """A moment in a list: 15 Nov 19:26."""
    return f"{local(timestamp, zone):%d %b %H:%M}".lstrip("0")
