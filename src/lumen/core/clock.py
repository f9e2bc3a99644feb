"""Time and ids as things that are passed in: a replay needs the same ones twice.

This is the only module that asks the machine what time it is or for random bytes. Chance is in chance.py.
"""

from __future__ import annotations

import os
import time
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from zoneinfo import ZoneInfo

CROCKFORD = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
PAIRS = [a + b for a in CROCKFORD for b in CROCKFORD]
ANY_BYTE = (CROCKFORD * 8).encode()  # which letter a random byte becomes, all equally likely
STAMP = "%04d-%02d-%02dT%02d:%02d:%02d.%03dZ"


class Clock(Protocol):
    """What Lumen asks of time."""

    def now(self) -> datetime:
        """The present moment, in UTC."""

    def entropy(self, size: int) -> bytes:
        """Bytes nobody can guess (or, in a replay, the same bytes again)."""

    def tick(self) -> float:
        """Seconds from an arbitrary start, for measuring how long something took."""


@dataclass(frozen=True, slots=True)
class Now:
    """A moment, and the zone the author lives in."""

    moment: datetime
    zone: ZoneInfo


class SystemClock(Clock):
    """The machine's own time and entropy."""

    def now(self) -> datetime:
        return datetime.now(UTC)

    def entropy(self, size: int) -> bytes:
        """Bytes from the operating system."""
        return os.urandom(size)

    def tick(self) -> float:
        """The monotonic counter."""
        return time.perf_counter()


def stamp(moment: datetime) -> str:
    """UTC, ISO 8601, with milliseconds: 2026-11-15T19:26:58.123Z."""
    at = moment.astimezone(UTC)
    time = (at.hour, at.minute, at.second, at.microsecond // 1000)
    return STAMP % (at.year, at.month, at.day, *time)  # half of what isoformat costs


def parse_stamp(text: str) -> datetime:
    """The moment a stamp names."""
    return datetime.fromisoformat(text)


def ulid(clock: Clock) -> str:
    """A 26-character id that sorts by time (Crockford base 32: 48 bits of time, 80 of chance)."""
    at = int(clock.now().timestamp() * 1000)
    chance = clock.entropy(16).translate(ANY_BYTE).decode()
    return (
        f"{PAIRS[at >> 40]}{PAIRS[at >> 30 & 1023]}{PAIRS[at >> 20 & 1023]}"
        f"{PAIRS[at >> 10 & 1023]}{PAIRS[at & 1023]}{chance}"
    )
